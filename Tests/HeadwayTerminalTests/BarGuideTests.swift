import DocumentedPages
import HeadwayProgress
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// The picture of the guide to bars in a terminal.
struct BarGuideTests {
  @Test func `The guide shows what its example draws`() throws {
    var board = BarBoard(style: .gray, interface: .live)
    let size = TerminalSize(columns: 80, rows: 24)
    var screen = TerminalScreen(size: size)
    var output: [UInt8] = []
    let end = Duration.seconds(2)
    let release = board.add("release", total: 11, at: .zero)
    let fetch = board.add(
      "fetch", total: 5_000_000, kind: .file(.downloading), in: release, at: .zero)
    let build = board.add("build", total: 214, in: release, at: .zero)
    _ = board.add("tests", total: nil, in: release, at: .zero)
    board.report(60, of: build, at: end)
    board.complete(5_000_000, of: fetch, at: end)
    board.end(fetch, at: end)
    board.print("main.c: a warning")
    board.setFacts(["2.1.0"], of: release)
    board.report(5, of: release, at: end)
    board.frame(at: .seconds(2), size: size, into: &output)
    screen.write(output)
    let page = try DocumentedPages(of: "HeadwayTerminal").page("ShowingBarsInATerminal")
    for line in screen.text.split(separator: "\n") {
      let isShown = page.contains(line.description)
      #expect(isShown, "\(screen.text)")
    }
  }

  @Test func `The guide shows the row of a loop`() throws {
    var board = BarBoard(style: .gray, interface: .live)
    let size = TerminalSize(columns: 80, rows: 24)
    var screen = TerminalScreen(size: size)
    let loop = board.add("resize", total: 200, at: .zero)
    for photo in 1...86 {
      let now = Duration.seconds(1) / 12 * photo
      board.report(Double(photo), of: loop, at: now)
      var output: [UInt8] = []
      board.frame(at: now, size: size, into: &output)
      // The frame of the last report is due a tenth of a second after the one before.
      board.frame(at: now + .milliseconds(100), size: size, into: &output)
      screen.write(output)
    }
    let page = try DocumentedPages(of: "HeadwayTerminal").page("ShowingBarsInATerminal")
    #expect(page.contains(screen.text), "\(screen.text)")
  }
}
