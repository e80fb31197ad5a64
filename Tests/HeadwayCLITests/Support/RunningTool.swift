import CSpawn
import Glibc
import HeadwayTerminal

/// The built tool as a running process: in a pipe, or in a terminal of its own.
///
/// Every wait is for an event, under a limit that only a hang reaches.
final class RunningTool {
  /// How the tool ended.
  enum End: Equatable {
    case code(Int32)
    case signal(Int32)
  }

  /// What limits every wait, in milliseconds.
  private static let limit: Int32 = 120_000

  /// The process that was started: the keeper, where there is one.
  let pid: pid_t
  /// What the tool has written so far.
  private(set) var output: [UInt8] = []
  /// The other end of its output, or of its terminal.
  private var port: Int32
  /// Can be read to its end when keeper and runner are both gone: only they hold the other end.
  private let presence: Int32
  /// Whether it runs in a terminal.
  private let isTerminal: Bool
  /// Whether the output has ended.
  private var isAtEnd = false

  /// The path of the tool, which stands beside the tests.
  static let path: String = {
    let own = unsafe [CChar](unsafeUninitializedCapacity: 4096) { room, count in
      count = unsafe max(readlink("/proc/self/exe", room.baseAddress, 4096), 0)
    }
    let text = String(decoding: own.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/headway"
  }()

  /// Starts the tool.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - sandbox: The folder to start in.
  ///   - terminal: The size of the terminal to start in, nil for a pipe.
  ///   - program: What to start in place of the tool.
  init(
    _ arguments: [String], in sandbox: Sandbox, terminal: ScreenSize? = nil,
    program: String = RunningTool.path
  ) {
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
    var presenceEnd: Int32 = -1
    var presence: Int32 = -1
    precondition(unsafe hw_pipe(&presence, &presenceEnd) == 0)
    var actions = posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawn_file_actions_addchdir_np(&actions, sandbox.path)
    if let terminal {
      // A session of its own takes the first terminal that it opens.
      readEnd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
      precondition(readEnd >= 0 && grantpt(readEnd) == 0 && unlockpt(readEnd) == 0)
      setSize(of: readEnd, terminal)
      unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID))
      var name = [CChar](repeating: 0, count: 128)
      unsafe ptsname_r(readEnd, &name, 128)
      unsafe posix_spawn_file_actions_addopen(&actions, 0, &name, O_RDWR, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    } else {
      precondition(unsafe hw_pipe(&readEnd, &writeEnd) == 0)
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, writeEnd, 1)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    unsafe posix_spawn_file_actions_adddup2(&actions, presenceEnd, 9)
    pid = Self.spawn(
      [program] + arguments, Self.environment(of: sandbox), &actions, &attributes)
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
    close(presenceEnd)
    if writeEnd >= 0 { close(writeEnd) }
    port = readEnd
    self.presence = presence
    isTerminal = terminal != nil
    _ = fcntl(port, F_SETFL, O_NONBLOCK)
  }

  deinit {
    hangUp()
    close(presence)
  }

  /// The runner: the child of the keeper.
  var runner: pid_t {
    let children = bytes(ofFile: "/proc/\(pid)/task/\(pid)/children")
    let words = String(decoding: children, as: UTF8.self).split { $0.isWhitespace }
    return words.first.flatMap { pid_t($0) } ?? 0
  }

  /// What the tool has written, as text.
  var text: String { String(decoding: output, as: UTF8.self) }

  /// Waits until the output holds a text.
  ///
  /// - Returns: Whether it does; false when the tool has ended without it, or the limit was reached.
  @discardableResult
  func wait(for text: String) -> Bool {
    var looked = 0
    let wanted = Array(text.utf8)
    while true {
      if output.count - looked >= wanted.count {
        let start = max(0, looked - wanted.count)
        if output[start...].firstRange(of: wanted) != nil { return true }
        looked = output.count
      }
      if isAtEnd || !read(for: Self.limit) { return false }
    }
  }

  /// Reads what comes within a time.
  ///
  /// - Parameter milliseconds: The longest wait.
  /// - Returns: Whether something came, or the output ended.
  @discardableResult
  func read(for milliseconds: Int32) -> Bool {
    var poll = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
    guard unsafe Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    var got = 0
    output += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
      got = unsafe Glibc.read(port, room.baseAddress, 1 << 16)
      count = max(got, 0)
    }
    // A terminal whose last user is gone answers with an error.
    if got == 0 || (got < 0 && errno != EAGAIN) { isAtEnd = true }
    return true
  }

  /// Waits until keeper and runner are gone.
  ///
  /// - Returns: How the keeper ended; a signal 0 when the limit was reached, and the tool was killed.
  func end() -> End {
    while !isAtEnd {
      if !read(for: Self.limit) {
        kill(-pid, SIGKILL)
        kill(pid, SIGKILL)
        return .signal(0)
      }
    }
    var poll = pollfd(fd: presence, events: Int16(POLLIN), revents: 0)
    if unsafe Glibc.poll(&poll, 1, Self.limit) <= 0 { return .signal(0) }
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
    return status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// Closes this end of the output, as a reader that goes away.
  func hangUp() {
    if port >= 0 { close(port) }
    port = -1
    isAtEnd = true
  }

  /// Types into the terminal.
  func type(_ text: String) {
    var bytes = Array(text.utf8)
    unsafe write(port, &bytes, bytes.count)
  }

  /// Changes the size of the terminal.
  func resize(to size: ScreenSize) { setSize(of: port, size) }

  /// Runs the tool to its end.
  static func run(_ arguments: [String], in sandbox: Sandbox) -> (end: End, text: String) {
    let tool = RunningTool(arguments, in: sandbox)
    let end = tool.end()
    return (end, tool.text)
  }

  /// The environment of a test: the one of the tests, with its mark and a plain terminal.
  private static func environment(of sandbox: Sandbox) -> [String] {
    var entries: [String] = []
    var place = unsafe environ
    while let entry = unsafe place.pointee {
      entries.append(unsafe String(cString: entry))
      unsafe place += 1
    }
    let own = ["TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1", sandbox.mark]
    let names = own.map { $0.prefix { $0 != "=" } + "=" } + ["CI="]
    return entries.filter { entry in !names.contains { entry.hasPrefix($0) } } + own
  }

  /// Starts a process.
  private static func spawn(
    _ arguments: [String], _ environment: [String],
    _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
  ) -> pid_t {
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { for text in unsafe words + variables { unsafe free(text) } }
    var pid: pid_t = 0
    let error = unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, &words, &variables)
    precondition(error == 0, "cannot start \(arguments[0]): \(error)")
    return pid
  }
}

/// Sets the size of a terminal, which tells the programs in it.
private func setSize(of terminal: Int32, _ size: ScreenSize) {
  var size = winsize(
    ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: 0, ws_ypixel: 0)
  _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
}
