import HeadwayProgress
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The live list of what runs, on a terminal in memory.
struct WatchRendererTests {
  /// A renderer with its inbox and terminal.
  private struct Stage {
    let inbox = WatchInbox()
    var renderer: WatchRenderer
    var screen: TerminalScreen
    var written: [UInt8] = []

    init(
      columns: Int = 80, rows: Int = 24, style: TerminalStyle = .gray, endsWithWork: Bool = false
    ) {
      renderer = WatchRenderer(inbox, style: style, endsWithWork: endsWithWork)
      screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
    }

    /// Takes the news and draws a frame.
    mutating func draw(_ seconds: Double) {
      written = []
      renderer.update(into: &written)
      renderer.frame(at: .seconds(1) * seconds, size: screen.size, into: &written)
      screen.write(written)
    }

    mutating func press(_ keys: String) { for key in keys.utf8 { renderer.press(key) } }

    mutating func withdraw() {
      written = []
      renderer.withdraw(into: &written)
      screen.write(written)
    }
  }

  private func stage(columns: Int = 80, rows: Int = 24, style: TerminalStyle = .gray) -> Stage {
    let stage = Stage(columns: columns, rows: rows, style: style)
    stage.inbox.update(
      work(
        "4711.1", "release", completed: 46, detail: "5 of 11 tasks",
        parts: ["build", "test", "lint", "docs"], remaining: .about(.seconds(12))))
    stage.inbox.update(work("4800.1", "photos", completed: 71, detail: "copying", isPaused: true))
    stage.inbox.update(work("4900.1", "backup", end: .lost("its process ended")))
    return stage
  }

  @Test func `Work is a row with its bar, some of its parts, and the keys`() {
    var stage = stage(columns: 100)
    stage.draw(0.1)
    #expect(stage.written.isEmpty)
    stage.draw(0.2)
    #expect(
      stage.screen.text == """
        ▸ release  ━━━━━━━━━━━─────────────   46%  4711.1 · about 12 s left · 5 of 11 tasks
          • build  ──━━━━━━━───────────────
          • test   ──━━━━━━━───────────────
          • lint   ──━━━━━━━───────────────
          photos   ━━━━━━━━━━━━━━━━━───────   71%  4800.1 · paused · copying
          backup   ✗ its process ended  4900.1
        ↑↓ choose · p pauses · c cancels · q leaves
        """)
  }

  @Test func `Where there is little room, the ID and a short time stay`() {
    var stage = stage(columns: 60)
    stage.draw(0.2)
    #expect(
      stage.screen.text.split(separator: "\n").first
        == "▸ release  ━━━╸────   46%  4711.1 · 12s left · 5 of 11 tas…")
    var narrow = self.stage(columns: 30)
    narrow.draw(0.2)
    #expect(narrow.screen.text.split(separator: "\n").first == "▸ release   46%  4711.1")
  }

  @Test func `More work than rows is counted, and the chosen one is always seen`() {
    var stage = Stage(rows: 8)
    for number in 1...20 { stage.inbox.update(work("\(number).1", "work\(number)")) }
    stage.draw(0.2)
    var rows = stage.screen.text.split(separator: "\n")
    #expect(rows.count == 7)
    #expect(rows[0].hasPrefix("▸ work1 "))
    #expect(rows[5] == "  … and 15 more")
    stage.press(String(repeating: "j", count: 9))
    stage.draw(0.4)
    rows = stage.screen.text.split(separator: "\n")
    #expect(rows.count == 7)
    #expect(rows[4].hasPrefix("▸ work10 "))
    stage.press(String(repeating: "k", count: 30))
    stage.draw(0.6)
    #expect(stage.screen.text.hasPrefix("▸ work1 "))
    #expect(stage.screen.scrollback.isEmpty)
  }

  @Test(arguments: [(1, 1), (2, 3), (10, 5), (30, 4), (300, 50), (80, 2)])
  func `No size is too small`(columns: Int, rows: Int) {
    var stage = stage(columns: columns, rows: rows)
    stage.draw(0.2)
    stage.press("c")
    stage.draw(0.4)
    #expect(stage.screen.scrollback.isEmpty)
  }

  @Test func `Without work there is one line`() {
    var stage = Stage()
    stage.draw(0.2)
    #expect(stage.screen.text == "nothing is running; published work appears here")
    #expect(stage.renderer.nextFrame(after: .seconds(1)) == nil)
  }

  @Test func `A question takes the place of the keys, and y asks for the end`() async {
    var stage = stage()
    let requests = stage.inbox.requests(for: "4711.1")
    stage.draw(0.2)
    stage.press("c")
    stage.draw(0.4)
    #expect(
      stage.screen.text.hasSuffix(
        "cancel release (4711.1)? y cancels it, any other key does not"))
    stage.press("yp")
    stage.draw(0.6)
    #expect(stage.screen.text.hasSuffix("q leaves"))
    var iterator = requests.makeAsyncIterator()
    #expect(await iterator.next() == .cancel)
    #expect(await iterator.next() == .pause)
  }

  @Test func `A refusal is shown in one line for a while`() {
    var stage = stage()
    stage.draw(0.2)
    stage.inbox.show(message: "release: no\n\u{1B}[2Jpause")
    stage.draw(0.4)
    #expect(stage.screen.text.hasSuffix("\nrelease: no pause"))
    stage.draw(0.5 + WatchList.messageTime / .seconds(1))
    #expect(stage.screen.text.hasSuffix("q leaves"))
  }

  @Test func `A line that stays is printed above the rows`() {
    var stage = Stage()
    stage.draw(0.2)
    stage.inbox.print("headway: a problem")
    stage.draw(0.4)
    #expect(
      stage.screen.text == "headway: a problem\nnothing is running; published work appears here")
  }

  @Test func `Ended work goes by itself`() {
    var stage = Stage()
    stage.inbox.update(work("1.1", "copy", completed: 100, end: .finished))
    stage.inbox.update(work("2.1", "scan", end: .cancelled))
    stage.draw(0.2)
    #expect(stage.screen.text.hasPrefix("▸ copy  ✓ finished  1.1\n  scan  ⊘ cancelled  2.1"))
    #expect(stage.renderer.nextFrame(after: .seconds(1)) == .seconds(0.2) + WatchList.farewell)
    stage.draw(0.2 + WatchList.farewell / .seconds(1))
    #expect(stage.screen.text == "nothing is running; published work appears here")
  }

  @Test func `Watching one ends with it, and its end stays`() {
    var stage = Stage(endsWithWork: true)
    stage.inbox.update(work("1.1", "copy", completed: 50))
    stage.draw(0.2)
    #expect(!stage.renderer.isOver)
    stage.inbox.update(work("1.1", "copy", completed: 50, end: .cancelled))
    stage.draw(0.4)
    #expect(stage.renderer.isOver)
    stage.withdraw()
    #expect(stage.screen.text == "⊘ cancelled  copy")
  }

  @Test func `Who leaves leaves no rows`() {
    var stage = stage()
    stage.draw(0.2)
    stage.press("q")
    stage.draw(0.4)
    #expect(stage.renderer.isOver)
    stage.withdraw()
    #expect(stage.screen.text == "")
  }

  @Test func `A frame in which nothing changed writes nothing, and nothing wakes up`() {
    var stage = Stage()
    stage.inbox.update(work("1.1", "copy", completed: 50))
    stage.draw(0.2)
    stage.draw(1)
    #expect(stage.written.isEmpty)
    #expect(stage.renderer.nextFrame(after: .seconds(1)) == nil)
    // Unknown progress moves.
    stage.inbox.update(work("2.1", "scan", total: nil))
    stage.draw(2)
    #expect(stage.renderer.nextFrame(after: .seconds(2)) == .milliseconds(2_100))
  }

  @Test func `Esc leaves without another key`() {
    var stage = Stage()
    stage.draw(0.2)
    stage.press("\u{1B}")
    stage.draw(1)
    #expect(!stage.renderer.isOver)
    #expect(stage.renderer.nextFrame(after: .seconds(1)) == .seconds(1) + WatchKeys.patience)
    stage.draw(1.1)
    #expect(stage.renderer.isOver)
  }

  @Test func `ASCII is enough`() {
    var stage = stage(columns: 100, style: .ascii)
    stage.draw(0.2)
    #expect(stage.screen.text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `Work that changes often is passed on once`() {
    let inbox = WatchInbox()
    for completed in 1...50 { inbox.update(work("1.1", "copy", completed: completed)) }
    inbox.update(work("2.1", "scan"))
    let news = inbox.take()
    #expect(news.works.map(\.snapshot.completed) == [50, 0])
    #expect(inbox.take().works.isEmpty)
  }
}
