import DocumentedPages
import HeadwayBar
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// The picture of the guide to bars in a terminal.
struct BarGuideTests {
  /// A bar of work.
  private func work(_ total: Double?, done: Double = 0) -> ProgressBar {
    var bar = ProgressBar(range: 0...(total ?? 1), source: .forecast)
    bar.isReadOnly = true
    bar.isIndeterminate = total == nil
    if done > 0 { bar.report(done, at: 0) }
    return bar
  }

  @Test func `The guide shows what its example draws`() throws {
    var board = BarBoard(style: .gray, interface: .live)
    let size = TerminalSize(columns: 80, rows: 24)
    var screen = TerminalScreen(size: size)
    var output: [UInt8] = []
    let release = board.add("release", work(11, done: 5), at: .zero)
    let fetch = board.add("fetch", work(20), in: release, at: .zero)
    let build = board.add("build", work(214, done: 60), in: release, at: .zero)
    _ = board.add("tests", work(nil), in: release, at: .zero)
    board.setFacts(["5 of 11"], of: release)
    board.setFacts(["3.2 MB/s"], of: build)
    board.end(fetch, note: "20 files", at: .seconds(2))
    board.print("main.c: a warning")
    board.frame(at: .seconds(2), size: size, into: &output)
    screen.write(output)
    let page = try DocumentedPages(of: "HeadwayTerminal").page("ShowingBarsInATerminal")
    for line in screen.text.split(separator: "\n") {
      let isShown = page.contains(line.description)
      #expect(isShown, "\(screen.text)")
    }
  }
}
