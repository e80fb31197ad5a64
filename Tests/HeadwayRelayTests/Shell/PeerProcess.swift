#if os(Linux)
  import Glibc
  import ProcessFixtures

  /// The number of descriptors that a process has open, without the timers that the Swift runtime creates.
  func openDescriptors(of process: String) -> Int {
    folderEntries("/proc/\(process)/fd").count { name in
      var target = [CChar](repeating: 0, count: 64)
      let count = unsafe readlink("/proc/\(process)/fd/\(name)", &target, target.count)
      return target.prefix(max(count, 0)) != Array("anon_inode:[timerfd]".utf8CString).dropLast()
    }
  }

  /// A running `RelayPeer`, or another program, which is killed when this is dropped.
  final class PeerProcess {
    /// The error for a process that cannot be started.
    struct CannotStart: Error {
      var number: Int32
    }

    let pid: pid_t
    private let input = Pipe()
    private let output = Pipe()
    private var isOver = false
    private var buffer = ""

    /// The folder of the programs, which stand beside the tests.
    static let programs: String = {
      guard let own = unsafe realpath("/proc/self/exe", nil) else { return "." }
      defer { unsafe free(own) }
      let folders = unsafe String(cString: own).split(separator: "/").dropLast()
      return folders.reduce("") { "\($0)/\($1)" }
    }()

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - words: Its arguments.
    ///   - folder: Its `XDG_RUNTIME_DIR`.
    ///   - variables: Further variables.
    ///   - progress: What becomes its descriptor 3, as `ZIG_PROGRESS` names it.
    ///   - path: Another program.
    /// - Throws: `CannotStart`.
    init(
      _ words: [String], in folder: String, variables: [String] = [], progress: Int32? = nil,
      program path: String = "\(programs)/RelayPeer"
    ) throws {
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      unsafe posix_spawn_file_actions_adddup2(&actions, input.reader, STDIN_FILENO)
      unsafe posix_spawn_file_actions_adddup2(&actions, output.writer, STDOUT_FILENO)
      // A run shows itself on standard error.
      if words.first == "run" {
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writer, STDERR_FILENO)
      }
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      if let progress { unsafe posix_spawn_file_actions_adddup2(&actions, progress, 3) }
      // Watchers also look into the other directories of this user.
      let kind = "kind-\(folder.split(separator: "/").last ?? "")"
      let environment =
        ["XDG_RUNTIME_DIR=\(folder)", "RELAY_PEER_KIND=\(kind)", "PATH=/usr/bin:/bin"]
        + (progress == nil ? [] : ["ZIG_PROGRESS=3"]) + variables
      var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
      var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
      defer {
        for place in unsafe arguments.indices { unsafe free(arguments[place]) }
        for place in unsafe variables.indices { unsafe free(variables[place]) }
      }
      var pid: pid_t = 0
      let error = unsafe posix_spawn(&pid, path, &actions, nil, &arguments, &variables)
      self.pid = pid
      close(input.reader)
      close(output.writer)
      guard error == 0 else { throw CannotStart(number: error) }
    }

    deinit {
      end(SIGKILL)
      close(input.writer)
      close(output.reader)
    }

    /// Sends a command.
    func send(_ line: String) { input.write(line + "\n") }

    /// Waits for a line that begins with a text.
    ///
    /// - Parameter start: The beginning of the line.
    /// - Returns: The first such line, nil if none comes before the end or within two minutes.
    func line(_ start: String) -> String? {
      while true {
        while let end = buffer.firstIndex(of: "\n") {
          let line = String(buffer[..<end])
          buffer.removeSubrange(...end)
          if line.hasPrefix(start) { return line }
        }
        let more = output.read(until: "\n")
        if more.isEmpty { return nil }
        buffer += more
      }
    }

    /// Waits until the process has ended by itself.
    ///
    /// - Returns: The status, as `waitpid` returns it; nil if it has not ended within two minutes.
    func waitForEnd() -> Int32? {
      guard !isOver else { return nil }
      var status: Int32 = 0
      isOver = eventually { unsafe waitpid(pid, &status, WNOHANG) == pid }
      return isOver ? status : nil
    }

    /// The number of descriptors that the process has open.
    var descriptors: Int { openDescriptors(of: "\(pid)") }

    /// Stops the process.
    ///
    /// Only one of its threads takes the signal, and on a busy machine the others go on until it does.
    ///
    /// - Returns: Whether all its threads have stopped, within two minutes.
    func stop() -> Bool {
      kill(pid, SIGSTOP)
      var status: Int32 = 0
      return eventually { unsafe waitpid(pid, &status, WNOHANG | WUNTRACED) == pid }
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: The status, as `waitpid` returns it.
    @discardableResult
    func end(_ signal: Int32 = 0) -> Int32 {
      guard !isOver else { return 0 }
      isOver = true
      if signal != 0 { kill(pid, signal) }
      var status: Int32 = 0
      unsafe waitpid(pid, &status, 0)
      return status
    }
  }
#endif
