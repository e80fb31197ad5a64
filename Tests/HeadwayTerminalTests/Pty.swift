import CToolDriver
import Dispatch
import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures

/// A terminal without a window: what is written to it is read by the test.
final class Pty {
  /// The end of the test.
  let master: Int32
  /// The end of the program.
  let slave: Int32
  /// Where something is waited for without a thread of the tests.
  private let queue = DispatchQueue(label: "terminal")
  /// What was written so far.
  private(set) var output: [UInt8] = []
  /// What a person sees of it.
  private(set) var screen: TerminalScreen

  /// Opens a terminal.
  init(columns: Int, rows: Int) {
    screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
    var (port, line) = (-1 as Int32, -1 as Int32)
    let error = unsafe td_open_terminal(Int32(columns), Int32(rows), &port, &line)
    precondition(error == 0, "no terminal: error \(error)")
    (master, slave) = (port, line)
  }

  deinit {
    close(master)
    close(slave)
  }

  /// Changes the size.
  func resize(columns: Int, rows: Int) {
    screen.resize(to: TerminalSize(columns: columns, rows: rows))
    td_resize(slave, Int32(columns), Int32(rows))
  }

  /// Whether keys are delivered as lines and shown, as before a program changes that.
  var isCooked: Bool {
    var mode = termios()
    let wanted = tcflag_t(ICANON | ECHO)
    return unsafe tcgetattr(slave, &mode) == 0 && mode.c_lflag & wanted == wanted
  }

  /// Reads until a text is seen, for two minutes at most.
  ///
  /// - Returns: Whether it is.
  func wait(for text: String) -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while !screen.text.contains(text) {
      guard ContinuousClock.now < end, read(for: 120_000) else { return false }
    }
    return true
  }

  /// Reads until a text is seen, for two minutes at most, and leaves the thread to others in between.
  ///
  /// - Returns: Whether it is.
  func sees(_ text: String) async -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while !screen.text.contains(text) {
      guard ContinuousClock.now < end, await isReadable(), read(for: 0) else { return false }
    }
    return true
  }

  /// Waits on a thread of its own until there is something to read, for two minutes at most.
  ///
  /// - Returns: Whether there is.
  private func isReadable() async -> Bool {
    await withCheckedContinuation { [master, queue] continuation in
      queue.async {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        continuation.resume(returning: unsafe Glibc.poll(&poll, 1, 120_000) > 0)
      }
    }
  }

  /// Reads what comes within a time.
  @discardableResult
  func read(for milliseconds: Int32) -> Bool {
    var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard unsafe Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(master, $0.baseAddress, $0.count)
    }
    let new = Array(bytes.prefix(max(count, 0)))
    output += new
    screen.write(new)
    return count > 0
  }
}
