import HeadwayBar
import HeadwayTerminal
import Testing

/// The examples beside the declarations.
struct SnippetTests {
  @Test func `A board is a value that draws into bytes`() {
    let style = TerminalStyle(color: false, unicode: true)
    var board = BarBoard(style: style, interface: BarsInterface.live)
    let fetch: BarBoard.ID = board.add("fetch", total: 214, at: .zero)
    board.report(60, of: fetch, at: .seconds(2))
    var bytes: [UInt8] = []
    board.frame(at: .seconds(2), size: TerminalSize(columns: 80, rows: 24), into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).contains("60 / 214"))
    board.end(fetch, BarBoard.Outcome.stopped, at: .seconds(3))
  }

  @Test func `A style says what a terminal can show`() {
    var style = TerminalStyle(color: true, unicode: true)
    style.colors = TerminalColors.all
    style.language = TerminalLanguage.chinese
    let bars = LiveBars(style: style, usesOwnColors: true)
    #expect(bars.finish())
  }

  @Test func `Glyphs can be changed`() {
    var glyphs = BarGlyphs.eighths
    glyphs.track = "·"
    let bars = LiveBars(glyphs: glyphs)
    #expect(bars.finish())
  }

  @Test func `A bar becomes a row of cells`() {
    var bar = ProgressBar()
    bar.isReadOnly = true
    bar.layout = BarLayout(width: 20, height: 1)
    bar.setStyle(.cells, at: .zero)
    bar.setValue(0.46, at: .zero)
    let cells = CellBar(.eighths)
    let text = cells.text(of: bar, at: 0)  // "█████████▏          "
    #expect(text == "█████████▏          ")
  }

  @Test func `A function gets the bar that it reports to`() {
    var opened: [String] = []
    func open(_ file: String) { opened.append(file) }
    func load(_ files: [String], on bar: LiveBars.Bar) {
      for file in files.reporting(to: bar) { open(file) }
    }
    let bars = LiveBars(interface: .hidden)
    load(["a", "b"], on: bars.add("load", total: 2))
    #expect(opened == ["a", "b"])
    bars.finish()
  }
}
