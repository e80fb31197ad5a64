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

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab…ef"), ("abcdef", 4, "a…ef"), ("abcdef", 1, "…"),
    ("文档文档", 6, "文…档"), ("文档文档", 4, "…档"), ("文档", 1, "…"), ("abc", 0, ""), ("abc", -1, ""),
    ("e\u{301}e\u{301}abe\u{301}", 3, "e\u{301}…e\u{301}"),
  ])
  func `Truncation in the middle keeps whole characters`(
    text: String, columns: Int, expected: String
  ) {
    #expect(TextWidth.truncatedInMiddle(text, to: columns) == expected)
  }

  @Test func `An ellipsis without room is left out`() {
    #expect(TextWidth.truncated("abcdef", to: 2, ellipsis: "...") == "ab")
    #expect(TextWidth.truncatedInMiddle("abcdef", to: 2, ellipsis: "...") == "af")
  }

  @Test func `A simple code point is as wide as a character of its own`() {
    var count = 0
    for value in UInt32(0)..<0x3_0000 {
      guard let scalar = Unicode.Scalar(value), let columns = TextWidth.columns(ofSimple: scalar)
      else { continue }
      count += 1
      #expect(columns == TextWidth.columns(of: Character(scalar)), "U+\(String(value, radix: 16))")
      // Beside others of this kind it remains a character.
      #expect("é\(scalar)\(scalar)中".count == 4, "U+\(String(value, radix: 16))")
    }
    #expect(count == 95 + 0x300 - 0xA1 - 1 + 24 + 160 + 0x5200)
  }

  @Test func `Text of simple code points and of others is as wide as its characters`() {
    let parts: [String] = [
      "a", "é", "e\u{301}", "·", "…", "中", "\u{AD}", "\n", "👍🏽", "─", "\u{200D}", "\u{FE0F}", "☀",
    ]
    for first in parts {
      for second in parts {
        for third in parts {
          let text = first + second + third
          let expected = text.reduce(0) { $0 + TextWidth.columns(of: $1) }
          #expect(TextWidth.columns(of: text) == expected, "\(text.debugDescription)")
        }
      }
    }
  }
}
