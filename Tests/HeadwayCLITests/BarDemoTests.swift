import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayCLI

/// The demo of the bars, with a clock that the test sets.
struct BarDemoTests {
  /// The demo on a terminal in memory.
  private struct Stage {
    /// The demo.
    var demo: BarDemoRenderer
    /// The terminal.
    var screen: TerminalScreen
    /// The time in milliseconds.
    private var now = 160

    /// Creates a demo.
    init(_ style: TerminalStyle = .gray, columns: Int = 60, rows: Int = 24) {
      demo = BarDemoRenderer(style: style)
      screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
    }

    /// Draws every frame for some seconds.
    mutating func play(_ seconds: Double) {
      let end = now + Int(seconds * 1000)
      while now < end {
        now += 40
        var output: [UInt8] = []
        demo.frame(at: .milliseconds(now), size: screen.size, into: &output)
        screen.write(output)
      }
    }

    /// Presses keys.
    mutating func press(_ keys: String) { for key in keys.utf8 { demo.press(key) } }

    /// The row of a bar.
    func row(_ label: String) -> Substring {
      screen.text.split(separator: "\n").first { $0.hasPrefix(label) } ?? ""
    }

    /// Where the video is shown, in seconds.
    func shown(_ label: String = "line") -> Double {
      Double(row(label).split(separator: " ").dropLast().last ?? "") ?? .nan
    }
  }

  @Test func `A pipe gets every look as a line`() {
    let lines = BarDemoRenderer.gallery(style: .gray).split(separator: "\n").map(String.init)
    #expect(lines == Self.gallery)
    #expect(BarDemoRenderer.gallery(style: .ascii).utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `Nothing is drawn in the first moment`() {
    var demo = BarDemoRenderer(style: .gray)
    var output: [UInt8] = []
    let size = TerminalSize(columns: 60, rows: 24)
    demo.frame(at: .milliseconds(199), size: size, into: &output)
    #expect(output.isEmpty)
    demo.frame(at: .milliseconds(200), size: size, into: &output)
    #expect(!output.isEmpty)
  }

  @Test func `Bars glide between reports, and Space stops every one exactly`() {
    var stage = Stage()
    stage.play(2)
    var last = stage.shown()
    for _ in 0..<10 {
      stage.play(0.04)
      // A new place in each frame, between the reports too.
      #expect(stage.shown() > last && stage.shown() < last + 0.06)
      last = stage.shown()
    }
    stage.press(" ")
    stage.play(0.04)
    let picture = stage.screen.text
    #expect(picture.contains("paused · Space resumes"))
    stage.play(5)
    #expect(stage.screen.text == picture)
    let paused = stage.shown()
    stage.press(" ")
    stage.play(0.2)
    #expect(stage.shown() > paused && stage.shown() < paused + 0.3)
  }

  @Test func `Arrows move the video, and every bar goes there`() {
    var stage = Stage()
    stage.play(2)
    let before = stage.shown("dot and gap")
    for _ in 0..<4 { stage.press("\u{1B}[C") }
    stage.play(0.04)
    for label in ["line", "dot and gap", "right to left"] {
      #expect(abs(stage.shown(label) - before - 2) < 0.1, "\(stage.screen.text)")
    }
    stage.press("\u{1B}OD")
    stage.press("\u{1B}[H")
    stage.play(0.6)
    #expect(stage.shown() < 1)
  }

  @Test func `It ends with the video, later after a key, and with q at once`() {
    var stage = Stage()
    stage.play(11)
    #expect(!stage.demo.isOver)
    stage.play(2)
    #expect(stage.demo.isOver)
    var pressed = Stage()
    pressed.press("x ")
    pressed.play(0.04)
    pressed.press(" ")
    pressed.play(30)
    #expect(!pressed.demo.isOver)
    pressed.play(40)
    #expect(pressed.demo.isOver)
    var quit = Stage()
    quit.play(1)
    quit.press("q")
    quit.play(0.04)
    #expect(quit.demo.isOver)
    var output: [UInt8] = []
    quit.demo.withdraw(into: &output)
    quit.screen.write(output)
    #expect(quit.screen.text.contains("eighths"))
  }

  @Test(arguments: [(1, 1), (2, 3), (10, 5), (30, 4), (300, 50)])
  func `No size is too small`(columns: Int, rows: Int) {
    var stage = Stage(columns: columns, rows: rows)
    stage.play(1)
    #expect(stage.screen.scrollback.isEmpty)
    #expect(stage.screen.isCursorVisible)
  }

  /// Every look at 46 %.
  private static let gallery = [
    "A video that reports four times a second, and bars that glide",
    "line           ━━━━━━━━━━━━━━━━━━━━━━━━━╸──────────────────────────────  5.52 s",
    "eighths        █████████████████████████▊                                5.52 s",
    "own colors     █████████████████████████▊                                5.52 s",
    "ASCII          #########################-------------------------------  5.52 s",
    "right to left                                ▐█████████████████████████  5.52 s",
    "dot and gap    ━━━━━━━━━━━━━━━━━━━━━━━━╸● ─────────────────────────────  5.52 s",
    "ranges, marks  ━━━━━━━━━━━━━━━━┃━━━━━━━━╸════════────────══════──┃─────  5.52 s",
    "own shapes     ━━━━━━━━━━━━━━ sea ━━━━━━╸────────── hills ─────────────  5.52 s",
    "unknown        ─────────────━━━━━━━━━━━━━━━━━──────────────────────────",
  ]
}
