import CToolDriver
import Glibc
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// Processes of this machine.
///
/// Each test has a process of its own: an executor blocks the signals of its thread for good and reaps all children.
struct LocalExecutorTests {
  /// The only attempt.
  private static let attempt = Attempt(task: TaskID(7), number: 1)

  /// An executor for a few tasks.
  private static func executor(_ poller: Poller) throws -> LocalExecutor {
    try LocalExecutor(
      environment: EnvironmentBlock(), identity: "run", taskCount: 8, poller: poller)
  }

  @Test func `Output that has ended does not wake the loop again while its task runs on`() async {
    await #expect(processExitsWith: .success) {
      let poller = try Poller.opened()
      let executor = try LocalExecutorTests.executor(poller)
      let command = "exec sleep 1000 >/dev/null 2>&1"
      try executor.start(
        LocalExecutorTests.attempt,
        AttemptRequest(arguments: ["/bin/sh", "-c", command], variables: []))
      let isWatched = executor.watchOutput(of: LocalExecutorTests.attempt)
      let first = poller.wait(for: .seconds(60))
      let isOver = unsafe executor.readOutput(of: LocalExecutorTests.attempt, reads: 4) { _ in }
      let second = poller.wait(for: .zero)
      executor.signal(LocalExecutorTests.attempt, .kill)
      let isFine = isWatched && first.map(\.token) == [7] && isOver && second.isEmpty
      exit(isFine ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `Hundreds of tasks, one after the other, need few descriptors`() async {
    await #expect(processExitsWith: .success) {
      let executor = try LocalExecutorTests.executor(Poller.opened())
      limitDescriptors(100)
      for _ in 0..<200 {
        // Throws if there is no descriptor for its output.
        try executor.start(
          LocalExecutorTests.attempt,
          AttemptRequest(arguments: ["/bin/sh", "-c", "exit 0"], variables: []))
        executor.release(LocalExecutorTests.attempt, keepsProcesses: false)
        _ = executor.nextExit()
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `What a program makes as its own sibling is found and ended`() async {
    await #expect(processExitsWith: .success) {
      let executor = try LocalExecutorTests.executor(Poller.opened())
      let sibling = Int(td_start_sibling())
      let strays = executor.strays()
      let isFound = sibling > 1 && strays.map(\.id) == [sibling]
      for stray in strays { executor.signal(stray, .kill) }
      while waitpid(-1, nil, 0) < 0 && errno == EINTR {}
      exit(isFound && executor.strays().isEmpty ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  /// Starts a program that only the task's own search path leads to, in a directory of the task's own.
  ///
  /// - Returns: Whether it has run there.
  private static func runsOwnProgram() throws -> Bool {
    let folder = Folder()
    folder.installProgram("only-here", "#!/bin/sh\nexec >out\npwd\n")
    folder.write("work/out", "")
    let executor = try executor(Poller.opened())
    try executor.start(
      attempt,
      AttemptRequest(
        arguments: ["only-here"], variables: [("PATH", "/none"), ("PATH", folder.path)],
        directory: "\(folder.path)/work"))
    while waitpid(-1, nil, 0) < 0 && errno == EINTR {}
    return readFile("\(folder.path)/work/out", most: 1000)
      == Array("\(folder.path)/work\n".utf8)
  }

  /// What a command has used.
  private static func usage(of command: String) throws -> ResourceUsage? {
    let executor = try executor(Poller.opened())
    try executor.start(
      attempt, AttemptRequest(arguments: ["/bin/sh", "-c", command], variables: []))
    while true {
      _ = unsafe executor.readOutput(of: attempt, reads: 4) { _ in }
      if let exit = executor.nextExit() { return exit.usage }
      sched_yield()
    }
  }

  @Test func `The end of an attempt says what its processes used`() async {
    await #expect(processExitsWith: .success) {
      // More than this process, of whose tasks a smaller peak is unknown. `tail` keeps a line that does not end, and the shell
      // waits for it.
      var own = rusage()
      guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own) == 0 else { exit(6) }
      let size = own.ru_maxrss * 1024 + 200_000_000
      let large = try LocalExecutorTests.usage(
        of: "head -c \(size) /dev/zero | tail >/dev/null")
      if (large?.peakMemory ?? 0) < size { exit(2) }
      if (large?.cpuTime ?? .zero) < .milliseconds(1) { exit(3) }
      // All children have been waited for, and the system has the sum of what they used.
      var children = rusage()
      _ = unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &children)
      var difference = Duration.zero - (large?.cpuTime ?? .zero)
      for time in [children.ru_utime, children.ru_stime] {
        difference += .seconds(time.tv_sec) + .microseconds(time.tv_usec)
      }
      if !(.microseconds(-100) ... .microseconds(100) ~= difference) { exit(7) }
      // Before execve, it shared the memory of this process, which is not its own.
      let small = try LocalExecutorTests.usage(of: "exit 0")
      if small == nil || small?.peakMemory != nil { exit(4) }
      let idle = try LocalExecutorTests.usage(of: "sleep 0.2")
      exit((idle?.cpuTime ?? .seconds(1)) < .milliseconds(200) ? EXIT_SUCCESS : 5)
    }
  }

  @Test func `A program is looked up in the PATH that the plan sets for its task`() async {
    await #expect(processExitsWith: .success) {
      exit(try LocalExecutorTests.runsOwnProgram() ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
