import BarCases
import HeadwayBar
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Bars in cells.
struct CellBarTests {
  /// Draws a part of a whole.
  private func draw(_ fraction: Double, _ columns: Int, _ glyphs: BarGlyphs) -> String {
    CellBar(glyphs).text(fraction: fraction, columns: columns)
  }

  @Test(
    arguments: [
      (0, "────"), (-1, "────"), (.nan, "────"), (.infinity, "━━━━"), (-.infinity, "────"),
      (1e-5, "╸───"), (0.25, "━───"), (0.5, "━━──"), (0.9999, "━━━╸"), (1 - 1e-9, "━━━╸"),
      (1, "━━━━"), (7, "━━━━"),
    ] as [(Double, String)])
  func `A line is filled in halves`(fraction: Double, picture: String) {
    #expect(draw(fraction, 4, .line) == picture)
  }

  @Test(
    arguments: [
      (0.1, "----"), (0.25, "#---"), (0.99, "###-"), (1, "####"), (.nan, "----"),
    ] as [(Double, String)])
  func `Plain characters are filled in whole cells`(fraction: Double, picture: String) {
    #expect(draw(fraction, 4, .ascii) == picture)
  }

  @Test func `A bar without columns is nothing`() {
    for columns in [0, -1, .min, .max] { #expect(draw(0.5, columns, .eighths).isEmpty) }
    #expect(draw(0.3, 1, .eighths) == "▎")
  }

  // MARK: The table of all surfaces

  /// A case of the table on 20 columns.
  private func cells(of picture: BarCase, offset: Double = 0) -> String {
    var bar = picture.bar()
    bar.layout.width = 20
    bar.layout.height = 1
    bar.layout.offset = offset
    // The lengths of the table are points.
    bar.setStyle(.cells, at: picture.time)
    return CellBar(.eighths).text(of: bar, at: picture.time)
  }

  @Test(arguments: BarCase.all().filter { $0.cells != nil })
  func `The pictures of the table are those of the cells`(picture: BarCase) {
    #expect(cells(of: picture) == picture.cells)
  }

  @Test func `A model that is off by two cells moves the cells by two`() {
    let pictures = BarCase.all()
    let moved = Dictionary(
      uniqueKeysWithValues: pictures.map { ($0.name, cells(of: $0, offset: 2)) })
    #expect(moved["a quarter"] == "███████             ")
    #expect(moved["right to left"] == "             ███████")
    #expect(moved["unknown progress"] == "         ██████     ")
    for picture in pictures where picture.shown > 0 && picture.shown < 0.9 * picture.range[1] {
      guard let cells = picture.cells else { continue }
      #expect(moved[picture.name] != cells, "\(picture)")
    }
  }

  // MARK: Looks

  /// A bar of 20 columns at 46 %.
  private func bar(_ change: (inout ProgressBar) -> Void = { _ in }) -> ProgressBar {
    var bar = ProgressBar(range: 0...100)
    bar.layout = BarLayout(width: 20, height: 1)
    bar.setStyle(.cells, at: 0)
    bar.setValue(46, at: 0)
    change(&bar)
    return bar
  }

  @Test(arguments: [
    (BarGlyphs.eighths, "█████████▏      ░░░│", "│░░░      ▕█████████"),
    (.line, "━━━━━━━━━───────═══┃", "┃═══───────━━━━━━━━━"),
    (.ascii, "#########-------===|", "|===-------#########"),
  ])
  func `What is buffered and marked is seen without color, in both directions`(
    glyphs: BarGlyphs, right: String, left: String
  ) {
    var bar = bar {
      $0.changeStyle(at: 0) {
        $0.bufferedRanges = [80...95]
        $0.marks = [99]
      }
    }
    #expect(CellBar(glyphs).text(of: bar, at: 0) == right)
    bar.layout.direction = .rightToLeft
    #expect(CellBar(glyphs).text(of: bar, at: 0) == left)
  }

  @Test func `A dot stands in the cell where its middle is, with a gap beside it`() {
    var bar = bar {
      $0.changeStyle(at: 0) {
        ($0.dotSize, $0.gap) = (1, 1)
      }
    }
    for (value, picture) in [
      (0, "●───────────────────"), (50, "━━━━━━━━━ ●─────────"), (100, "━━━━━━━━━━━━━━━━━━━●"),
    ] as [(Double, String)] {
      bar.setValue(value, at: 0)
      #expect(CellBar(.line).text(of: bar, at: 0) == picture)
      var mirrored = bar
      mirrored.layout.direction = .rightToLeft
      #expect(CellBar(.line).text(of: mirrored, at: 0) == String(picture.reversed()))
    }
    bar.changeStyle(at: 0) { $0.icon = 1 }
    var renderer = CellBar(.line)
    renderer.icons[1] = "▲"
    #expect(renderer.text(of: bar, at: 0).last == "▲")
  }

  @Test(
    arguments: [
      (2, 3, "━━◆◆◆━━━━───────────"), (2.4, 2.2, "━━◆◆◆━━━━───────────"),
      (2.6, 1.8, "━━━◆━━━━━───────────"), (2.8, 0.1, "━━◆━━━━━━───────────"),
      (0, 20, "◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆"),
    ] as [(Double, Double, String)])
  func `A shape of the program takes each cell whose middle it covers, and at least one`(
    x: Double, width: Double, picture: String
  ) {
    let shape = BarShape(
      .custom, rect: BarRect(x: x, y: 0, width: width, height: 1), color: BarColor(0xFF0000))
    #expect(CellBar(.line).text(of: bar(), adding: [shape], at: 0) == picture)
  }

  @Test func `Colors of its own are given to terminals that have them`() {
    let bar = bar {
      $0.changeStyle(at: 0) {
        ($0.inProgressColor, $0.defaultColor) = (BarColor(0xFF0000), BarColor(0x101010))
      }
    }
    /// What is written to a terminal.
    func bytes(_ glyphs: BarGlyphs, _ colors: TerminalColors) -> String {
      var style = TerminalStyle(color: true, unicode: true)
      style.colors = colors
      var renderer = CellBar(glyphs, style: style, usesOwnColors: true)
      var row = Row()
      renderer.draw(bar, at: 0, .active, into: &row)
      var output: [UInt8] = []
      row.encode(7..<13, color: true, into: &output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(
      bytes(.eighths, .all) == "\u{1B}[38;2;255;0;0m██\u{1B}[0;38;2;255;0;0;48;2;16;16;16m▏"
        + "\u{1B}[0;48;2;16;16;16m   \u{1B}[m")
    #expect(bytes(.line, .palette) == "\u{1B}[38;5;196m━━\u{1B}[0;38;5;233m────\u{1B}[m")
    #expect(bytes(.line, .few) == "\u{1B}[36m━━\u{1B}[0;2m────\u{1B}[m")
  }

  @Test func `From right to left the edge is exact where colors can change places`() {
    var bar = bar()
    bar.layout.direction = .rightToLeft
    var renderer = CellBar(.eighths, style: .full)
    var row = Row()
    renderer.draw(bar, at: 0, .active, into: &row)
    var output: [UInt8] = []
    row.encode(10..<12, color: true, into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "\u{1B}[36;7m▉\u{1B}[0;36m█\u{1B}[m")
  }
}
