import HeadwayTestSupport
import HeadwayText
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Labels in Hebrew and Arabic.
///
/// Terminals that reorder text (UAX #9) mirror the bar and the counts behind such a label, unless there is a left-to-right
/// mark in between.
struct RightToLeftTests {
  private func text(of row: Row) -> String {
    var bytes: [UInt8] = []
    row.encode(color: false, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func written(by scene: BoardScene) -> String {
    String(decoding: scene.written, as: UTF8.self)
  }

  // MARK: Rows

  @Test(arguments: [
    ("שלום עולם", "שלום עולם\u{200E}"), ("مرحبا", "مرحبا\u{200E}"), ("ܫܠܡܐ", "ܫܠܡܐ\u{200E}"),
    ("𐤔𐤋𐤌", "𐤔𐤋𐤌\u{200E}"),
    // Numbers and signs behind a letter are reordered with it.
    ("שלום 12 (3)", "שלום 12 (3)\u{200E}"), ("תמונה.png", "תמונה.png\u{200E}"),
    // Points and accents are in the same cell as their letter.
    ("שָׁלוֹםּ", "שָׁלוֹםּ\u{200E}"), ("שלום 👨‍👩‍👧", "שלום 👨‍👩‍👧\u{200E}"),
    ("label", "label"), ("文档 é", "文档 é"), ("e\u{301} 12", "e\u{301} 12"),
  ])
  func `Right-to-left text ends with a mark where something follows`(text: String, marked: String) {
    let width = TextWidth.columns(of: text)
    var padded = Row(text)
    padded.pad(to: width + 2)
    padded.append("55%")
    #expect(self.text(of: padded) == marked + "  55%")
    #expect(padded.columns == width + 5)
    var single = Row(text)
    single.append("─" as Unicode.Scalar, .plain)
    #expect(self.text(of: single) == marked + "─")
    var joined = Row("é\u{301} ")
    joined.append(Row(text))
    joined.append(Row(" 55%"))
    #expect(self.text(of: joined) == "é\u{301} " + marked + " 55%")
    var ended = Row(text)
    ended.append("5 / 9", endingAt: width + 7)
    #expect(self.text(of: ended) == marked + "  5 / 9")
  }

  @Test func `Each text has its own mark, before the blanks at its end`() {
    var row = Row("שלום  ")
    row.append("عربي")
    row.append(" · ")
    row.append("12")
    #expect(text(of: row) == "שלום\u{200E}  عربي\u{200E} · 12")
    #expect(row.columns == 15)
  }

  @Test func `Text with nothing behind it is printed as it is`() {
    #expect(text(of: Row("שלום")) == "שלום")
    var output: [UInt8] = []
    Row.print([Row("abc שלום  ")], color: true, into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "abc שלום\n")
  }

  @Test(arguments: [
    (9, "שלום\u{200E} 55%"), (8, "שלום\u{200E} 55%"), (7, "שלום\u{200E} 5…"), (4, "שלו…"),
  ])
  func `A row that is cut keeps the mark with its letter`(width: Int, cut: String) {
    var row = Row("שלום")
    row.append(" 55%")
    row.cut(to: width, ellipsis: "…")
    #expect(text(of: row) == cut)
  }

  @Test func `A wrapped row keeps the mark with its letter`() {
    var row = Row("שלום")
    row.append(" עולם")
    row.append(" 55%")
    let (head, rest) = row.split(at: 5)
    #expect(text(of: head) == "שלום\u{200E} " && text(of: rest) == "עולם\u{200E} 55%")
  }

  // MARK: Bars

  @Test func `The bar and the texts behind such a label stay where they are`() {
    var scene = BoardScene()
    let bar = scene.board.add("שלום עולם", total: 20, at: scene.now)
    let nested = scene.board.add("تنزيل", total: 4, in: bar, at: scene.now)
    scene.board.setFacts(["קובץ"], of: nested)
    scene.board.report(10, of: bar, at: scene.now)
    scene.draw()
    #expect(
      scene.screen.text == """
        שלום עולם  ━━━━━━━━━╸─────────   50%  10 / 20
        • تنزيل    ───────────────────    0%  קובץ · 0 / 4
        """)
    #expect(written(by: scene).contains("שלום עולם\u{200E}  ━"))
    #expect(written(by: scene).contains("تنزيل\u{200E}    ─"))
    #expect(written(by: scene).contains("קובץ\u{200E} · 0 / 4"))
    // A row is written whole, so that no mark is lost.
    scene.board.report(12, of: bar, at: scene.now)
    scene.draw()
    #expect(written(by: scene).contains("\rשלום עולם\u{200E}  ━"))
    #expect(written(by: scene).contains("12 / 20"))
    scene.end(bar, .succeeded)
    scene.draw()
    #expect(written(by: scene).contains("✓ שלום עולם\u{200E}  0.2s  12"))
  }

  @Test func `A long label is cut before its mark`() {
    var scene = BoardScene(columns: 50)
    _ = scene.add("تنزيل الملفات من الخادم البعيد", 0.5)
    scene.draw()
    #expect(written(by: scene).contains("تنزيل الملفات م…\u{200E}  ━"))
    #expect(TextWidth.columns(of: scene.screen.text) <= 49)
  }

  @Test func `Other labels have no mark, and rows that change are not written whole`() {
    var scene = BoardScene()
    let bar = scene.add("文档 fetch", 0.2)
    scene.draw()
    scene.set(bar, 0.6)
    scene.draw()
    #expect(!written(by: scene).contains("fetch") && !written(by: scene).contains("\u{200E}"))
  }

  @Test func `Lines and printed text have no marks`() {
    var scene = BoardScene(.gray, .lines)
    let bar = scene.add("שלום", 0.2)
    scene.board.print("עולם 12")
    scene.end(bar, .succeeded)
    scene.draw()
    #expect(written(by: scene) == "עולם 12\nשלום: done in 0.0s\n")
  }
}
