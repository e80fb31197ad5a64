import Glibc
import HeadwaySystem
import ProcessFixtures
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
    let output = Pipe()
    let keyboard = Pipe()
    let loop = RenderLoop(
      KeyRenderer(), output: output.writer, keyboard: keyboard.reader, now: { .zero })
    keyboard.write("n")
    #expect(output.nextByte() == UInt8(ascii: "n"))
    close(keyboard.writer)
    #expect(loop.finish(within: .seconds(120)))
    close(output.writer)
    #expect(output.hasEnded())
    close(output.reader)
    close(keyboard.reader)
  }

  @Test func `A keyboard that is gone is not waited for any more`() {
    let output = Pipe()
    let keyboard = Pipe()
    let loop = RenderLoop(KeyRenderer(), output: output.writer, now: { .zero })
    var descriptor: Int32? = keyboard.reader
    let none = loop.readKeys(&descriptor)
    #expect(none.isEmpty && descriptor == keyboard.reader)
    keyboard.write("no")
    let read = loop.readKeys(&descriptor)
    #expect(read == Array("no".utf8) && descriptor == keyboard.reader)
    close(keyboard.writer)
    // Until it starts its program, a child of another test keeps the pipe open.
    #expect(keyboard.hasEnded())
    // The end of a pipe stays readable, so waiting for it would never end the wait for something else.
    let last = loop.readKeys(&descriptor)
    #expect(last.isEmpty && descriptor == nil)
    loop.finish(within: .seconds(120))
    for descriptor in [output.reader, output.writer, keyboard.reader] { close(descriptor) }
  }

  @Test func `What happens while it is suspended is shown at the end`() {
    let output = Pipe()
    let keyboard = Pipe()
    let loop = RenderLoop(
      KeyRenderer(), output: output.writer, keyboard: keyboard.reader, now: { .zero })
    #expect(loop.suspend(within: .seconds(120)))
    keyboard.write("n")
    #expect(loop.finish(within: .seconds(120)))
    close(output.writer)
    #expect(output.nextByte() == UInt8(ascii: "n"))
    for descriptor in [output.reader, keyboard.reader, keyboard.writer] { close(descriptor) }
  }

  @Test func `A keyboard whose mode was entered twice is as before after one return`() {
    let terminal = Pty(columns: 80, rows: 24)
    let mode = TerminalMode(terminal.slave)
    for _ in 0..<2 {
      #expect(mode.enter() && !terminal.isCooked)
      #expect(mode.enter() && !terminal.isCooked)
      mode.restore()
      #expect(terminal.isCooked)
    }
  }

  @Test func `A keyboard that is no terminal keeps its mode`() {
    let output = Pipe()
    let mode = TerminalMode(output.reader)
    #expect(!mode.enter())
    mode.restore()
    close(output.writer)
    #expect(output.hasEnded())
    close(output.reader)
  }

  /// A renderer that draws a picture where there is none, and notes when it has to forget it.
  private struct Picture: Renderer {
    let place: Place
    /// Whether the picture is on the screen.
    var isDrawn = false

    /// Draws the picture where there is none.
    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
      guard now > .zero, !isDrawn else { return }
      output.append(UInt8(ascii: "+"))
      isDrawn = true
    }

    /// Nothing moves; called at the end of a pass.
    func nextFrame(after now: Duration) -> Duration? {
      place.endPass()
      return nil
    }

    /// Erases the picture.
    mutating func withdraw(into output: inout [UInt8]) {
      if isDrawn { output.append(UInt8(ascii: "-")) }
      isDrawn = false
    }

    /// Takes it that there is no picture.
    mutating func forget() {
      isDrawn = false
      place.forget()
    }
  }

  /// Whether the program is in the foreground, and what the loop did since it is not.
  private final class Place: Sendable {
    private let isInForeground = Atomic<Bool>(false)
    /// Whether the loop has asked since the program is in the background.
    private let wasAsked = Atomic<Bool>(false)
    private let hasForgotten = Atomic<Bool>(false)
    /// Set at the end of a pass in the background.
    private let passed = WaitableEvent()

    /// Whether the program is in the foreground, as the loop asks.
    func ask() -> Bool {
      let answer = isInForeground.load(ordering: .sequentiallyConsistent)
      if !answer { wasAsked.store(true, ordering: .sequentiallyConsistent) }
      return answer
    }

    /// Brings the program to the foreground.
    func enter() { isInForeground.store(true, ordering: .sequentiallyConsistent) }

    /// Brings the program to the background; the loop must have drawn in the foreground.
    func leave() {
      wasAsked.store(false, ordering: .sequentiallyConsistent)
      hasForgotten.store(false, ordering: .sequentiallyConsistent)
      passed.clear()
      isInForeground.store(false, ordering: .sequentiallyConsistent)
    }

    func forget() { hasForgotten.store(true, ordering: .sequentiallyConsistent) }

    /// Ends a pass of the loop.
    func endPass() { if wasAsked.load(ordering: .sequentiallyConsistent) { passed.set() } }

    /// Whether a pass in the background has made the renderer forget; waits for two minutes at most.
    func isForgotten() -> Bool {
      passed.wait(for: .seconds(120)) && hasForgotten.load(ordering: .sequentiallyConsistent)
    }
  }

  @Test func `What others wrote while it was in the background is neither drawn over nor erased`() {
    let output = Pipe()
    let place = Place()
    let loop = RenderLoop(
      Picture(place: place), output: output.writer, foreground: { place.ask() },
      now: { .seconds(1) })
    for _ in 0..<2 {
      place.enter()
      loop.nudge()
      #expect(output.nextByte() == UInt8(ascii: "+"))
      place.leave()
      loop.nudge()
      let isForgotten = place.isForgotten()
      #expect(isForgotten)
      guard isForgotten else { break }
    }
    loop.finish(within: .seconds(120))
    close(output.writer)
    #expect(output.hasEnded())
    close(output.reader)
  }
}
