import CToolDriver
import Glibc
import HeadwayTerminal
import ProcessFixtures
import Synchronization
import Testing

/// The built tool as a running process: in a pipe, or in a terminal of its own.
///
/// Every wait is for an event, under a limit that only a hang reaches.
final class RunningTool {
  /// The limit of a wait in which nothing comes, in milliseconds: short once a wait has reached it, so that tests of a tool
  /// that hangs fail within minutes and do not add up to hours.
  private static var limit: Int32 { hasHung.load(ordering: .relaxed) ? 30_000 : 120_000 }
  /// The limit of a wait in which output comes: a run that hangs goes on to print that its tasks are still running.
  static let usualLimit = Duration.seconds(120)
  /// Whether a wait has reached its limit.
  ///
  /// No other memory depends on it, so relaxed ordering is enough.
  private static let hasHung = Atomic(false)

  /// The process that was started: the viewer of a run.
  let pid: pid_t
  /// What was started, for the report of a hang.
  private let command: String
  /// What the tool has written so far.
  private(set) var output: [UInt8] = []
  /// The other end of its output, or of its terminal.
  private var port: Int32
  /// Can be read to its end when viewer, supervisor and runner are all gone: only they hold the other end.
  private let presence: Int32
  /// Whether the output has ended.
  private var isAtEnd = false

  /// Whether the end of the process was waited for.
  private var isReaped = false

  /// Whether nothing more will be read.
  var isOver: Bool { isAtEnd }

  /// The path of the tool, which stands beside the tests.
  static let path: String = {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return "headway" }
    defer { unsafe free(own) }
    let folders = unsafe String(cString: own).split(separator: "/").dropLast()
    return folders.reduce("") { "\($0)/\($1)" } + "/headway"
  }()

  /// Starts the tool.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - sandbox: The folder to start in.
  ///   - terminal: The size of the terminal to start in, nil for a pipe.
  ///   - program: What to start in place of the tool.
  ///   - variables: What is set in the environment besides, as `NAME=value`.
  init(
    _ arguments: [String], in sandbox: Sandbox, terminal: TerminalSize? = nil,
    program: String = RunningTool.path, variables: [String] = []
  ) {
    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var variables =
      unsafe Self.environment(of: sandbox, variables).map { unsafe strdup($0) } + [nil]
    defer {
      for place in unsafe words.indices { unsafe free(words[place]) }
      for place in unsafe variables.indices { unsafe free(variables[place]) }
    }
    var pid: pid_t = 0
    var port: Int32 = -1
    var presence: Int32 = -1
    let error = unsafe td_start(
      &words, &variables, sandbox.path, Int32(terminal?.columns ?? 0), Int32(terminal?.rows ?? 0),
      &pid, &port, &presence)
    precondition(error == 0, "cannot start \(program): error \(error)")
    self.pid = pid
    command = ([program.split(separator: "/").last.map(String.init) ?? ""] + arguments)
      .joined(separator: " ")
    self.port = port
    self.presence = presence
  }

  deinit {
    hangUp()
    close(presence)
    // Nobody waits for it any more. One that was never waited for would stay, ended, among the children of the tests, and
    // keep those from hearing of the end of any other.
    guard !isReaped else { return }
    kill(pid, SIGKILL)
    _ = reap()
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: How it ended, as the system tells it.
  private func reap() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    return status
  }

  /// The supervisor: the child of the process that was started.
  var supervisor: pid_t { Self.firstChild(of: pid) }

  /// The runner: the child of the supervisor.
  var runner: pid_t { Self.firstChild(of: supervisor) }

  /// The first child of a process, 0 where there is none.
  static func firstChild(of pid: pid_t) -> pid_t {
    guard pid > 0 else { return 0 }
    let children = bytes(ofFile: "/proc/\(pid)/task/\(pid)/children")
    let words = String(decoding: children, as: UTF8.self).split { $0.isWhitespace }
    return words.first.flatMap { pid_t($0) } ?? 0
  }

  /// What the tool has written, as text.
  var text: String { String(decoding: output, as: UTF8.self) }

  /// Whether the terminal echoes what is typed.
  var hasEcho: Bool {
    terminalSettings.map { $0.c_lflag & tcflag_t(ECHO) != 0 } ?? false
  }

  /// The settings of the terminal, nil if they cannot be read.
  var terminalSettings: termios? {
    get {
      var mode = termios()
      return unsafe tcgetattr(port, &mode) == 0 ? mode : nil
    }
    set {
      guard var mode = newValue else { return }
      _ = unsafe tcsetattr(port, TCSANOW, &mode)
    }
  }

  /// Waits until the output holds a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - start: Where to look from, as a count of the output's bytes.
  /// - Returns: Whether it does; false when the tool has ended without it, or the limit was reached.
  @discardableResult
  func wait(for text: String, from start: Int = 0) -> Bool {
    var looked = start
    let wanted = Array(text.utf8)
    let deadline = ContinuousClock.now + Self.usualLimit
    while true {
      if output.count - looked >= wanted.count {
        let from = max(start, looked - wanted.count)
        if output[from...].firstRange(of: wanted) != nil { return true }
        looked = output.count
      }
      if isAtEnd || !read(until: deadline) { return false }
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

  /// Reads what comes within the limits of a wait.
  ///
  /// - Returns: Whether something came, or the output ended.
  private func read(until deadline: ContinuousClock.Instant) -> Bool {
    let left = Int32(clamping: Int64((deadline - .now) / .milliseconds(1)))
    if left > 0, read(for: min(left, Self.limit)) { return true }
    Self.reportHang("'\(command)' writes nothing and does not end")
    return false
  }

  /// Waits until a descriptor can be read, within the limit of every wait.
  static func isReadable(_ descriptor: Int32) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe Glibc.poll(&poll, 1, limit) > 0 { return true }
    reportHang("descriptor \(descriptor) cannot be read")
    return false
  }

  /// Fails the test whose wait has reached its limit: only it shows what hangs, because the later ones are waited for less long.
  private static func reportHang(_ what: String) {
    hasHung.store(true, ordering: .relaxed)
    Issue.record("a wait has reached its limit: \(what)")
  }

  /// Waits until viewer, supervisor and runner are gone.
  ///
  /// - Parameter limit: How long the tool may go on to print.
  /// - Returns: How the viewer ended; a signal 0 when the limit was reached, and the tool was killed.
  func end(within limit: Duration = RunningTool.usualLimit) -> ProcessEnd {
    let deadline = ContinuousClock.now + limit
    while !isAtEnd {
      if !read(until: deadline) {
        kill(-pid, SIGKILL)
        kill(pid, SIGKILL)
        return .signal(0)
      }
    }
    guard Self.isReadable(presence) else { return .signal(0) }
    return ProcessEnd(status: reap())
  }

  /// Waits until the viewer is gone, whatever goes on without it.
  ///
  /// - Returns: How the viewer ended.
  func endOfViewer() -> ProcessEnd {
    while !isAtEnd, read(until: ContinuousClock.now + Self.usualLimit) {}
    return ProcessEnd(status: reap())
  }

  /// Waits until supervisor and runner are gone, too.
  func isGone() -> Bool { Self.isReadable(presence) }

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
  func resize(to size: TerminalSize) { td_resize(port, Int32(size.columns), Int32(size.rows)) }

  /// Runs the tool to its end.
  static func run(
    _ arguments: [String], in sandbox: Sandbox, within limit: Duration = RunningTool.usualLimit,
    program: String? = nil
  ) -> (end: ProcessEnd, text: String) {
    let tool = RunningTool(arguments, in: sandbox, program: program ?? path)
    let end = tool.end(within: limit)
    return (end, tool.text)
  }

  /// The environment of a test: the one of the tests, with its mark and a plain terminal.
  private static func environment(of sandbox: Sandbox, _ more: [String]) -> [String] {
    var entries: [String] = []
    var place = unsafe environ
    while let entry = unsafe place.pointee {
      entries.append(unsafe String(cString: entry))
      unsafe place += 1
    }
    let usual = ["TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1", "HEADWAY_TASKBAR=off"]
    let chosen = more.map { $0.prefix { $0 != "=" } }
    let own =
      (sandbox.variables + usual).filter { !chosen.contains($0.prefix { $0 != "=" }) } + more
    // The tests may be a task of a run themselves.
    let names = own.map { $0.prefix { $0 != "=" } + "=" } + ["CI=", "HEADWAY_TASK_ID="]
    return entries.filter { entry in !names.contains { entry.hasPrefix($0) } } + own
  }
}
