import HeadwayText
import Testing

@testable import HeadwayTerminal

/// Rows of characters and the columns that they are divided into.
struct RegionTests {
  /// A row as text without styles.
  private func text(of row: Row) -> String {
    var bytes: [UInt8] = []
    row.encode(color: false, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (8, "abc文档"), (7, "abc文档"), (6, "abc文…"), (5, "abc…"), (4, "abc…"), (3, "ab…"), (1, "a"),
  ])
  func `A row with wide characters keeps as many as fit when it is cut`(width: Int, cut: String) {
    var row = Row("abc文档")
    row.cut(to: width, ellipsis: "…")
    #expect(text(of: row) == cut)
    #expect(row.columns == TextWidth.columns(of: cut))
  }

  @Test func `Joined rows keep their characters of several code points`() {
    var row = Row("👩‍👩‍👧 is ")
    row.append(Row("e\u{301} and 👨‍👨‍👦"))
    row.append(Row(", o\u{308}"))
    #expect(text(of: row) == "👩‍👩‍👧 is e\u{301} and 👨‍👨‍👦, o\u{308}")
  }

  @Test func `Bars need forty-eight columns and the one that stays free`() {
    let narrow = RegionColumns(columns: 48, longestName: 60)
    #expect(narrow.barWidth == 0 && narrow.nameWidth == 39)
    let wide = RegionColumns(columns: 49, longestName: 60)
    #expect(wide.barWidth == 8 && wide.nameWidth == 14)
  }

  @Test(arguments: [(100, 24), (200, 49), (300, 64)])
  func `Bars use a quarter of the width, up to a limit`(columns: Int, bar: Int) {
    #expect(RegionColumns(columns: columns, longestName: 10).barWidth == bar)
  }
}
