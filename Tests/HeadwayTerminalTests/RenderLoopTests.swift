import Glibc
import HeadwaySystem
import Synchronization
import Testing

@testable import HeadwayTerminal

/// The thread of a renderer, in the foreground and in the background.
struct RenderLoopTests {
  /// A renderer that prints the keys that were pressed.
  private struct KeyRenderer: Renderer {
    /// The keys that were not printed.
    var keys: [UInt8] = []

    /// Prints the keys.
    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
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

  @Test func `A key reaches the renderer, and a keyboard may go away`() {
    let (reader, writer) = Self.pipe()
    let (keyboard, keys) = Self.pipe()
    let loop = RenderLoop(KeyRenderer(), output: writer, keyboard: keyboard, now: { .zero })
    _ = unsafe write(keys, "n", 1)
    #expect(byte(from: reader) == UInt8(ascii: "n"))
    close(keys)
    #expect(loop.finish())
    close(writer)
    #expect(byte(from: reader) == 0)
    close(reader)
    close(keyboard)
  }

  @Test func `A keyboard that is no terminal keeps its mode`() {
    let (reader, writer) = Self.pipe()
    let mode = TerminalMode(reader)
    #expect(!mode.enter())
    mode.restore()
    close(writer)
    #expect(byte(from: reader) == 0)
    close(reader)
  }

  /// Creates a pipe.
  private static func pipe() -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe Glibc.pipe($0.baseAddress) }
    return (ends[0], ends[1])
  }

  /// A renderer that draws a picture where there is none, and signals when it has to forget it.
  private struct Picture: Renderer {
    /// Set when the renderer has forgotten.
    let forgotten: WaitableEvent
    /// Whether the picture is on the screen.
    var isDrawn = false

    /// Draws the picture where there is none.
    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
      guard now > .zero, !isDrawn else { return }
      output.append(UInt8(ascii: "+"))
      isDrawn = true
    }

    /// Nothing moves.
    func nextFrame(after now: Duration) -> Duration? { nil }

    /// Erases the picture.
    mutating func withdraw(into output: inout [UInt8]) {
      if isDrawn { output.append(UInt8(ascii: "-")) }
      isDrawn = false
    }

    /// Takes it that there is no picture.
    mutating func forget() {
      isDrawn = false
      forgotten.set()
    }
  }

  /// Whether the program is in the foreground.
  private final class Flag: Sendable {
    /// Whether it is.
    private let value = Atomic<Bool>(false)

    /// Whether it is.
    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }

    /// Says whether it is.
    func set(_ new: Bool) { value.store(new, ordering: .sequentiallyConsistent) }
  }

  /// Reads a byte, 0 at the end and after two minutes.
  private func byte(from reader: Int32) -> UInt8 {
    var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 120_000) > 0 else { return 0 }
    var byte: UInt8 = 0
    return unsafe read(reader, &byte, 1) == 1 ? byte : 0
  }

  @Test func `What others wrote while it was in the background is neither drawn over nor erased`()
    throws
  {
    let (reader, writer) = Self.pipe()
    let isInForeground = Flag()
    let forgotten = WaitableEvent()
    let loop = RenderLoop(
      Picture(forgotten: forgotten), output: writer, foreground: { isInForeground.isSet },
      now: { .seconds(1) })
    for _ in 0..<2 {
      isInForeground.set(true)
      loop.nudge()
      #expect(byte(from: reader) == UInt8(ascii: "+"))
      forgotten.clear()
      isInForeground.set(false)
      loop.nudge()
      try #require(forgotten.wait(for: .seconds(120)))
    }
    loop.finish()
    close(writer)
    #expect(byte(from: reader) == 0)
    close(reader)
  }
}
