import CToolDriver
import Glibc
import HeadwaySystem
import Testing

@testable import HeadwayTerminal

/// Which typed bytes are keys, and which belong to the shell.
struct KeySessionTests {
  private let keys = Set("n ".utf8)

  private func waiting() -> KeySession {
    var session = KeySession(keys: keys)
    session.begin(true)
    return session
  }

  private func active(at time: Duration = .zero) -> KeySession {
    var session = waiting()
    _ = session.take([KeySession.request], at: time)
    return session
  }

  @Test func `Keys count after Tab and not before`() {
    var session = waiting()
    let reads = session.readsFirst(of: 1)
    #expect(reads)
    #expect(session.take(Array("\t".utf8), at: .zero) == [0x09])
    #expect(session.phase == .active)
    #expect(session.take(Array("n \t".utf8), at: .zero) == Array("n \t".utf8))
  }

  @Test(arguments: [0, 2, 6]) func `A line for the shell is not read`(count: Int) {
    var session = waiting()
    let reads = (session.readsFirst(of: count), session.readsFirst(of: 1))
    #expect(!reads.0 && !reads.1 && session.phase == .kept)
  }

  @Test func `An empty line is read and means nothing`() {
    var session = waiting()
    #expect(session.take([0x0A], at: .zero) == [] && session.phase == .waiting)
  }

  @Test(arguments: [0x1B, 0x0A, 0x0D] as [UInt8])
  func `Esc and Enter end the keys`(key: UInt8) {
    var session = active()
    #expect(session.take([key], at: .zero) == [] && session.phase == .waiting)
  }

  @Test func `An arrow is one key that means nothing`() {
    var session = active()
    #expect(session.take(Array("\u{1B}[An\u{1B}[1;5Bn".utf8), at: .zero) == Array("nn".utf8))
    #expect(session.phase == .active)
  }

  @Test func `An unknown key ignores the rest of its line`() {
    var session = active()
    #expect(session.take(Array("rm -n n".utf8), at: .zero) == [])
    #expect(session.phase == .ignoring)
    #expect(session.take(Array(" n\n".utf8), at: .seconds(1)) == [])
    #expect(session.phase == .waiting)
  }

  @Test func `Without keys the session ends by itself`() {
    var session = active(at: .seconds(5))
    session.advance(to: .seconds(15))
    #expect(session.phase == .active)
    session.advance(to: .milliseconds(15_001))
    #expect(session.phase == .waiting)
    var ignoring = active()
    _ = ignoring.take(Array("x".utf8), at: .zero)
    ignoring.advance(to: .milliseconds(3_001))
    #expect(ignoring.phase == .waiting)
  }

  // MARK: On a real terminal

  /// A terminal whose keyboard is requested.
  private func terminal() -> (pty: Pty, keyboard: RequestedKeyboard) {
    let pty = Pty(columns: 80, rows: 24)
    return (pty, RequestedKeyboard(pty.slave, keys: keys))
  }

  private func type(_ text: String, _ pty: Pty) {
    var bytes = Array(text.utf8)
    unsafe write(pty.master, &bytes, bytes.count)
  }

  /// What a program that comes later reads, with a limit of 64 bytes.
  private func rest(_ pty: Pty) -> String {
    var mode = termios()
    unsafe tcgetattr(pty.slave, &mode)
    mode.c_lflag &= ~tcflag_t(ICANON)
    unsafe tcsetattr(pty.slave, TCSANOW, &mode)
    guard WaitableEvent.isReadable(pty.slave) else { return "" }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(pty.slave, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  @Test(arguments: ["     ", "ls -l\n", "x", "  \t", "one\ntwo\n", "l\ts\n", "\u{4}"])
  func `What is typed ahead is left for the next program`(typed: String) {
    let (pty, keyboard) = terminal()
    #expect(keyboard.enter() && !pty.isCooked)
    type(typed, pty)
    for second in 0..<3 { #expect(keyboard.read(at: .seconds(second)) == []) }
    keyboard.restore()
    #expect(pty.isCooked)
    #expect(rest(pty) == typed.replacing("\u{4}", with: "\0"))
  }

  @Test func `Keys are read after Tab, and the terminal keeps lines again after Esc`() {
    let (pty, keyboard) = terminal()
    #expect(keyboard.enter())
    type("\t", pty)
    #expect(keyboard.read(at: .zero) == [0x09] && keyboard.phase == .active)
    type(" n", pty)
    #expect(keyboard.read(at: .zero) == Array(" n".utf8))
    type("\u{1B}", pty)
    #expect(keyboard.read(at: .zero) == [] && keyboard.phase == .waiting)
    type("ls\n", pty)
    #expect(keyboard.read(at: .zero) == [] && keyboard.phase == .kept)
    keyboard.restore()
    #expect(rest(pty) == "ls\n")
  }

  @Test func `A keyboard that is restored and entered again waits again`() {
    let (pty, keyboard) = terminal()
    #expect(keyboard.enter())
    type("\t", pty)
    _ = keyboard.read(at: .zero)
    keyboard.restore()
    #expect(pty.isCooked && keyboard.phase == .off && keyboard.descriptor == nil)
    #expect(keyboard.enter() && keyboard.phase == .waiting)
  }
}
