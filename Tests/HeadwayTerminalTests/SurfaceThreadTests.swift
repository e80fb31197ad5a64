import Glibc
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import Testing

/// A pipe for tests.
private struct Pipe {
  /// The end that is read from.
  let reader: Int32
  /// The end that is written to.
  let writer: Int32

  /// Creates a pipe.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress) }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Reads all that was written, after the writing end was closed.
  func readAll() -> String {
    close(writer)
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(reader, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      all += bytes.prefix(count)
    }
    close(reader)
    return String(decoding: all, as: UTF8.self)
  }
}

/// A surface that prints the keys that were pressed.
private struct KeySurface: RunSurface {
  /// The keys that were not printed.
  var keys: [UInt8] = []

  /// Does nothing.
  mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {}

  /// Prints the keys.
  mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
    output += keys
    keys = []
  }

  /// Nothing moves.
  func nextFrame(after now: Duration) -> Duration? { nil }

  /// Does nothing.
  mutating func withdraw(into output: inout [UInt8]) {}

  /// Keeps the key.
  mutating func press(_ key: UInt8) { keys.append(key) }
}

/// The thread that drives a surface.
struct SurfaceThreadTests {
  /// A surface that prints a line for each event.
  private static func surface() -> any RunSurface {
    PlainSurface(describe(["fetch"]), style: .ascii)
  }

  /// The start of the only task.
  private static let started = RunEvent(time: .zero, kind: .taskStarted(0, attempt: 1))

  @Test func `What was posted is written before the end`() {
    let pipe = Pipe()
    let thread = SurfaceThread(Self.surface(), output: pipe.writer, now: { .zero })
    for _ in 0..<3 { thread.post(Self.started) }
    #expect(thread.finish())
    #expect(thread.finish())
    #expect(pipe.readAll() == "fetch started\nfetch started\nfetch started\n")
  }

  @Test func `A reader that never reads does not hold up who posts`() {
    let pipe = Pipe()
    let thread = SurfaceThread(Self.surface(), output: pipe.writer, now: { .zero })
    for _ in 0..<20_000 { thread.post(Self.started) }
    #expect(!thread.finish(within: .milliseconds(1)))
    #expect(pipe.readAll().utf8.count < 200_000)
  }

  @Test func `A reader that is gone ends the report and nothing else`() {
    let pipe = Pipe()
    close(pipe.reader)
    let thread = SurfaceThread(Self.surface(), output: pipe.writer, now: { .zero })
    for _ in 0..<100 { thread.post(Self.started) }
    #expect(thread.finish())
    close(pipe.writer)
  }

  @Test func `While suspended nothing is written`() {
    let pipe = Pipe()
    let thread = SurfaceThread(Self.surface(), output: pipe.writer, now: { .zero })
    #expect(thread.suspend(within: .seconds(60)))
    thread.post(Self.started)
    #expect(thread.suspend(within: .seconds(60)))
    _ = unsafe write(pipe.writer, "elsewhere\n", 10)
    thread.resume()
    #expect(thread.finish())
    #expect(pipe.readAll() == "elsewhere\nfetch started\n")
  }

  @Test func `A key reaches the surface, and a keyboard may go away`() {
    let (pipe, keyboard) = (Pipe(), Pipe())
    let thread = SurfaceThread(
      KeySurface(), output: pipe.writer, keyboard: keyboard.reader, now: { .zero })
    _ = unsafe write(keyboard.writer, "n", 1)
    var key: UInt8 = 0
    #expect(unsafe read(pipe.reader, &key, 1) == 1 && key == UInt8(ascii: "n"))
    close(keyboard.writer)
    #expect(thread.finish())
    close(keyboard.reader)
    #expect(pipe.readAll() == "")
  }

  @Test func `A keyboard that is no terminal keeps its mode`() {
    let pipe = Pipe()
    let mode = TerminalMode(pipe.reader)
    #expect(!mode.enter())
    mode.restore()
    #expect(pipe.readAll() == "")
  }
}
