import CSpawn
import CToolDriver
import Glibc
import HeadwayLock
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// Starting processes, and finding and naming them.
///
/// One test at a time, because one thread starts all processes of a run.
@Suite(.serialized)
struct SpawnTests {
  /// A shell that runs a script, with a pipe to its input and one from its output.
  private final class Child: Sendable {
    private struct State {
      /// The end of the pipe to its input, -1 once it is closed.
      var input: Int32
      var isReaped = false
    }

    let pid: pid_t
    private let output: Int32
    private let state: Guarded<State>

    /// Starts a shell, which is killed when the calling thread ends.
    init(_ script: String) throws {
      var (inputEnd, input) = (-1 as Int32, -1 as Int32)
      var (output, outputEnd) = (-1 as Int32, -1 as Int32)
      let errors = unsafe [hw_pipe(&inputEnd, &input), hw_pipe(&output, &outputEnd)]
      try #require(errors == [0, 0])
      // The shell waits for its input.
      try #require(fcntl(inputEnd, F_SETFL, 0) == 0)
      var pid: pid_t = 0
      var stage = HW_STAGE_FORK
      let error = SpawnTests.blockingSignals {
        unsafe EnvironmentBlock().with([]) { variables in
          unsafe withCStrings(["/bin/sh", "-c", script]) { arguments in
            var request = unsafe hw_spawn_request(
              argv: arguments, envp: variables, search_path: nil, directory: nil,
              input: inputEnd, output: outputEnd, extra: -1)
            return unsafe hw_spawn(&request, &pid, &stage)
          }
        }
      }
      close(inputEnd)
      close(outputEnd)
      self.output = output
      self.pid = pid
      state = Guarded(State(input: input))
      try #require(error == 0)
    }

    deinit {
      close(output)
      let state = state.withLock { $0 }
      if state.input >= 0 { close(state.input) }
      guard !state.isReaped, pid > 0 else { return }
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }

    /// The next line that it prints, nil if it prints none.
    func line() -> String? {
      var bytes: [UInt8] = []
      while true {
        var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard unsafe Glibc.poll(&poll, 1, 60_000) > 0, unsafe read(output, &byte, 1) == 1 else {
          return nil
        }
        if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(byte)
      }
    }

    /// Writes to its input.
    func type(_ text: String) {
      _ = writeAll(state.withLock { $0.input }, Array(text.utf8))
    }

    /// Closes its input, and waits for its end.
    func end() -> ProcessEnd? {
      state.withLock { state in
        if state.input >= 0 { close(state.input) }
        state.input = -1
      }
      let end = SpawnTests.end(of: pid)
      if end != nil { state.withLock { $0.isReaped = true } }
      return end
    }
  }

  /// Calls a function while signals are blocked, as they are where a run starts its processes.
  private static func blockingSignals<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_SETMASK, nil, &before)
    hw_block_signals()
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  /// Waits for the end of a process, nil if it does not end.
  private static func end(of pid: pid_t) -> ProcessEnd? {
    var status: Int32 = 0
    guard eventually({ unsafe waitpid(pid, &status, WNOHANG) == pid }) else { return nil }
    return ProcessEnd(status: status)
  }

  /// Runs a program that is looked up in some directories.
  private func run(_ arguments: [String], path: String, in directory: String? = nil) throws
    -> ProcessEnd?
  {
    let spawner = try Spawner(environment: EnvironmentBlock())
    let output = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(output) }
    let request = AttemptRequest(
      arguments: arguments, variables: [(name: "PATH", value: path)], directory: directory,
      outputFile: nil)
    let pid = try Self.blockingSignals { try spawner.start(request, output: output) }
    return Self.end(of: pid)
  }

  // MARK: The search path

  @Test(arguments: ["", ":", ":/none", "/none:", "/none::/none"])
  func `An empty entry of PATH is the directory of the task`(path: String) throws {
    #expect(try run(["sh", "-c", "exit 7"], path: path, in: "/bin") == .code(7))
  }

  @Test
  func `A file without permission to run is reported, unless a later directory has the program`()
    throws
  {
    let folder = Folder(["sh", "headway-data"])
    let path = "/none:\(folder.path):/bin"
    #expect(throws: StartError(reason: "cannot run 'headway-data': Permission denied")) {
      try run(["headway-data"], path: path)
    }
    #expect(throws: StartError(reason: "command not found: headway-none")) {
      try run(["headway-none"], path: path)
    }
    #expect(try run(["sh", "-c", "exit 7"], path: path) == .code(7))
  }

  // MARK: Scripts

  /// First lines of scripts, what is missing, and what is said about the file.
  private static let scripts = [
    ("#!/bin/sh\r\necho hi\r\n", "/bin/sh\\r", "; the file has Windows line endings"),
    ("#! /no/such/python -u\n", "/no/such/python", ""),
    ("#!\t/no/such/python", "/no/such/python", ""),
    ("#!/no/such\u{1B}[31m\n", "/no/such\u{FFFD}[31m", ""),
  ]

  @Test(arguments: scripts)
  func `If what carries out a script is missing, the message names that and not the script`(
    _ text: String, _ interpreter: String, _ more: String
  ) throws {
    let folder = Folder()
    folder.installProgram("folder/build", text)
    let reason = "its first line names '\(interpreter)', which does not exist\(more)"
    let ways = [
      ("\(folder.path)/folder/build", "/bin", "/"), ("./build", "/bin", "\(folder.path)/folder"),
      ("folder/build", "/bin", folder.path), ("build", "/none:\(folder.path)/folder:/bin", "/"),
      ("build", "/none:", "\(folder.path)/folder"), ("build", "folder", folder.path),
    ]
    for (program, path, directory) in ways {
      #expect(throws: StartError(reason: "cannot run '\(program)': \(reason)")) {
        try run([program], path: path, in: directory)
      }
    }
  }

  @Test func `A program that is missing itself is called missing`() throws {
    let folder = Folder()
    let missing = "cannot run './none': No such file or directory"
    #expect(throws: StartError(reason: missing)) {
      try run(["./none"], path: "/bin", in: folder.path)
    }
    // It cannot be executed, so that the search goes on.
    folder.write("none", "#!/no/such/python\n")
    #expect(throws: StartError(reason: "cannot run 'none': Permission denied")) {
      try run(["none"], path: folder.path)
    }
  }

  // MARK: The end of a runner

  /// What a thread has started.
  private final class Started: Sendable {
    let value = Guarded<(child: Child?, thread: String)?>(nil)
  }

  @Test func `A task does not outlive the thread that has started it`() throws {
    let started = Started()
    let error = SystemThread.start(named: "starter") {
      var target = [CChar](repeating: 0, count: 64)
      let count = unsafe readlink("/proc/thread-self", &target, 63)
      let path = target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      let child = try? Child("read x; exit 3")
      started.value.withLock { $0 = (child, String(decoding: path, as: UTF8.self)) }
    }
    try #require(error == 0)
    #expect(eventually { started.value.withLock { $0 != nil } })
    let (child, thread) = try #require(started.value.withLock { $0 })
    // When the thread is no longer listed, the system has dealt with its children.
    #expect(eventually { unsafe access("/proc/\(thread)", F_OK) != 0 })
    #expect(try #require(child).end() == .signal(SIGKILL))
  }

  // MARK: Finding processes

  @Test func `The children of children are found, parents first`() throws {
    let child = try Child(
      "sh -c 'echo $$; sh -c \"echo \\$\\$; read x\"; true'; true")
    let below = [child.line(), child.line()].map { $0.flatMap { pid_t($0) } ?? 0 }
    var found = [pid_t](repeating: 0, count: 8)
    let count = unsafe hw_descendants(child.pid, &found, 8)
    #expect(count == 2)
    #expect(Array(found.prefix(2)) == below)
    for pid in below { #expect(hw_signal_descendant(pid, 0) == 0) }
    #expect(child.end() == .code(0))
  }

  @Test func `All of many processes that a task has left are found`() async {
    await #expect(processExitsWith: .success) {
      // They end with this process, which has the pipe that they read. They are more than
      // the kernel lists in one page, also if their numbers have four digits.
      let count = 900
      #expect(td_adopt_orphans() == 1)
      let child = try Child(
        "exec 3<&0; i=0; while [ $i -lt \(count) ]; do read x <&3 & i=$((i+1)); done; echo; wait")
      #expect(child.line() == "")
      kill(child.pid, SIGKILL)
      #expect(
        eventually {
          var found = [pid_t](repeating: 0, count: 2 * count)
          return unsafe hw_adopted(&found, found.count) >= count
        })
    }
  }

  @Test func `A process is found although its name contains parentheses`() throws {
    let child = try Child("printf 'a) b' > /proc/$$/comm; echo; read x")
    #expect(child.line() == "")
    #expect(hw_signal_descendant(child.pid, 0) == 0)
    kill(child.pid, SIGSTOP)
    #expect(eventually { state(of: child.pid) == "T" })
    kill(child.pid, SIGCONT)
    #expect(child.end() == .code(1))
  }

  @Test func `A process that belongs to others is not signalled`() {
    // Signal 0 has no effect.
    #expect(hw_signal_descendant(1, 0) == ESRCH)
  }

  @Test func `A process that is continued before it has stopped does not stop`() async {
    await #expect(processExitsWith: .success) {
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      unsafe sigaddset(&signals, SIGCONT)
      unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
      // Continues this process if it does stop, and tells it.
      let helper = try Child(
        """
        while read line < /proc/$PPID/stat; do
          case $line in *') T '*) echo stopped; kill -s CONT $PPID;; esac
          sleep 0.01
        done
        """)
      pthread_kill(pthread_self(), SIGCONT)
      hw_stop_self(false)
      var pending = sigset_t()
      unsafe sigpending(&pending)
      #expect(unsafe sigismember(&pending, SIGCONT) == 1)
      kill(helper.pid, SIGKILL)
      #expect(helper.line() == nil)
    }
  }

  @Test func `A signal to the run's process group does not reach a task that is being started`()
    async
  {
    await #expect(processExitsWith: .success) {
      let killed = unsafe EnvironmentBlock().with([]) { variables in
        unsafe withCStrings(["/bin/true"]) { arguments in
          var request = unsafe hw_spawn_request(
            argv: arguments, envp: variables, search_path: nil, directory: nil, input: 0, output: 1,
            extra: -1)
          return unsafe td_run_under_signals(
            { context in
              guard let request = unsafe context?.assumingMemoryBound(to: hw_spawn_request.self)
              else {
                return 125
              }
              var killed: Int32 = 0
              for _ in 0..<100 {
                var (pid, status) = (0 as pid_t, 0 as Int32)
                var stage = HW_STAGE_FORK
                guard unsafe hw_spawn(request, &pid, &stage) == 0 else { return 125 }
                guard unsafe waitpid(pid, &status, 0) == pid else { return 125 }
                if status != 0 { killed += 1 }
              }
              return killed
            }, &request)
        }
      }
      #expect(killed == 0)
    }
  }

  @Test(.enabled(if: !td_has_sanitizer()))
  func `A program without memory says so and exits with 69`() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(69), observing: [\.standardErrorContent]
    ) {
      Supervisor.prepareProcess()
      var limit = rlimit(rlim_cur: 3 << 20, rlim_max: 3 << 20)
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      unsafe UnsafeMutableRawPointer.allocate(byteCount: 1 << 30, alignment: 8).deallocate()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text == "headway: no memory is left: the limit is 3 MB; raise it with `ulimit -v`\n")
  }

  @Test func `Errors of libraries are still written`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      hw_explain_failed_allocations()
      unsafe perror("cannot read")
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.hasPrefix("cannot read: "))
  }

  // MARK: Names and cores

  /// The name of a process.
  private func name(of pid: pid_t) -> String {
    var text = [CChar](repeating: 1, count: 64)
    unsafe hw_process_name(pid, &text, 64)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `The name of a process has no line break, and nothing that controls a terminal`()
    throws
  {
    let child = try Child(
      "printf plain > /proc/$$/comm; echo; read x; "
        + "printf 'a\\033[31m\\177\\303\\251' > /proc/$$/comm; echo; read x")
    try #require(child.line() == "")
    #expect(name(of: child.pid) == "plain")
    child.type("\n")
    #expect(child.line() == "")
    #expect(name(of: child.pid) == "a?[31m???")
    // No process has this number.
    #expect(name(of: .max) == "?")
  }

  @Test func `The usable cores are those that the process may run on`() async {
    // In an exit test, because no other test may be limited to fewer and fewer cores.
    await #expect(processExitsWith: .success) {
      let most = td_count_cores()
      try #require(most >= 1)
      for count in (1...most).reversed() {
        try #require(td_limit_cores(count) == 0)
        #expect(hw_usable_cores() == count)
      }
    }
  }
}
