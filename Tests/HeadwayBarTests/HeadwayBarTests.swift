import HeadwayBar
import Testing

/// Bars as text.
struct BarPictureTests {
  /// Draws a bar.
  private func draw(_ fraction: Double, _ columns: Int, _ glyphs: BarGlyphs) -> String {
    var line: [UInt8] = []
    BarPicture(glyphs: glyphs).draw(fraction: fraction, columns: columns, into: &line)
    return String(decoding: line, as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "────"), (-1, "────"), (.nan, "────"), (.infinity, "━━━━"), (-.infinity, "────"),
      (1e-9, "╸───"), (0.25, "━───"), (0.5, "━━──"), (0.9999, "━━━╸"), (1, "━━━━"), (7, "━━━━"),
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
    for columns in [0, -1, .min] { #expect(draw(0.5, columns, .eighths).isEmpty) }
    #expect(draw(0.3, 1, .eighths) == "▎")
  }
}
