import Glibc
import Synchronization
import Testing

@testable import HeadwayTerminal

/// The thread that drives a surface, in the foreground and in the background.
struct SurfaceDriverTests {
  /// A surface that draws a picture where there is none, and tells when it is to forget.
  private struct Picture: DrivenSurface {
    /// Sent when the surface has forgotten.
    let forgotten: Signal
    /// Whether the picture is on the screen.
    var isDrawn = false

    /// Is told nothing.
    mutating func receive(_ event: Never, into output: inout [UInt8]) {}

    /// Draws the picture where there is none.
    mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
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
      forgotten.send()
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
    var ends: [Int32] = [-1, -1]
    _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress) }
    let (reader, writer) = (ends[0], ends[1])
    let isInForeground = Flag()
    let forgotten = Signal()
    let driver = SurfaceDriver(
      Picture(forgotten: forgotten), output: writer, foreground: { isInForeground.isSet },
      now: { .seconds(1) })
    for _ in 0..<2 {
      isInForeground.set(true)
      driver.nudge()
      #expect(byte(from: reader) == UInt8(ascii: "+"))
      forgotten.clear()
      isInForeground.set(false)
      driver.nudge()
      try #require(forgotten.wait(for: .seconds(120)))
    }
    driver.finish()
    close(writer)
    #expect(byte(from: reader) == 0)
    close(reader)
  }
}
