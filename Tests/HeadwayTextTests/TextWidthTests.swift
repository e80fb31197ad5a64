import HeadwayText
import Testing

/// The width of text in columns.
struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("文档", 4), ("ｶﾅ", 2), ("한국", 4), ("e\u{301}", 1), ("👨‍👩‍👧", 2), ("🇨🇭", 2),
    ("❤\u{FE0F}", 2), ("⌚", 2), ("━", 1), ("\u{200B}", 0), ("a\u{AD}b", 3), ("𠀀", 2), ("，", 2),
    ("\u{1160}", 0), ("\u{1161}", 0), ("\u{11FF}", 0), ("\u{1100}", 2),
  ])
  func `A text has the columns that terminals give it`(text: String, columns: Int) {
    #expect(TextWidth.columns(of: text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("文档文档", 6, "文档…"), ("文档", 1, "…"),
    ("abc", 0, ""), ("abc", -1, ""), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `Truncation keeps whole characters`(text: String, columns: Int, expected: String) {
    #expect(TextWidth.truncated(text, to: columns) == expected)
  }

  @Test func `An ellipsis without room is left out`() {
    #expect(TextWidth.truncated("abcdef", to: 2, ellipsis: "...") == "ab")
  }
}
