import HeadwayText
import Testing

/// Words and numbers for people.
struct TextTests {
  @Test(arguments: [
    ("plain text", "plain text"), ("e\u{301} 文档 👨‍👩‍👧", "e\u{301} 文档 👨‍👩‍👧"),
    ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\nb\tc", "a\u{FFFD}b\u{FFFD}c"), ("\u{85}", "\u{FFFD}"),
    ("\u{202E}txt", "\u{FFFD}txt"), ("a\u{2028}b", "a\u{FFFD}b"), ("\u{FEFF}x", "\u{FFFD}x"),
    ("\u{61C}\u{200B}\u{2060}", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("\u{E0041}", "\u{FFFD}"),
    ("\u{FFF9}", "\u{FFFD}"), ("a\u{7F}", "a\u{FFFD}"),
  ])
  func `Sanitized text cannot change a terminal or hide other text`(text: String, safe: String) {
    #expect(text.sanitized == safe)
  }

  @Test func `No control character is safe`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: #expect(scalar.isUnsafeInText)
      default: break
      }
    }
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
  ])
  func `Thousands are separated`(number: Int, text: String) {
    #expect(grouped(number) == text)
  }

  @Test(arguments: [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (1_200, "1,200 tasks")])
  func `A noun follows its number`(number: Int, text: String) {
    #expect(counted(number, "task") == text)
  }

  @Test(arguments: [
    (0, "0%"), (0.29, "29%"), (0.999, "99%"), (1, "100%"), (2, "100%"), (-1, "0%"), (.nan, "0%"),
  ])
  func `A percentage reaches 100 only at the end`(fraction: Double, text: String) {
    #expect(PercentText.whole(fraction) == text)
  }

  @Test(arguments: [(0, "0.0%"), (0.0324, "3.2%"), (0.0996, "10%"), (0.456, "46%"), (1.5, "150%")])
  func `A small share has one more digit`(share: Double, text: String) {
    #expect(PercentText.measured(share) == text)
  }

  @Test(arguments: [
    ("tset", "test"), ("buld", "build"), ("comp", "compile"), ("Test", "test"), ("xyzzy", nil),
  ])
  func `A misspelled name finds the one that was meant`(wrong: String, suggestion: String?) {
    var search = SpellingSuggestion()
    #expect(search.name(for: wrong, in: ["test", "build", "compile"]) == suggestion)
  }

  @Test func `A search compares no more names than its budget`() {
    var search = SpellingSuggestion(budget: 1)
    #expect(search.name(for: "tset", in: ["build", "test"]) == nil)
    #expect(search.name(for: "tset", in: ["test"]) == nil)
  }

  @Test func `A delay says when something comes, or that it is next`() {
    #expect(DurationText.delay(.seconds(3)) == "in 3s")
    #expect(DurationText.delay(.zero) == "next")
  }
}
