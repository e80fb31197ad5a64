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

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("it's", #"it'\''s"#), ("'", #"'\''"#), ("''", #"'\'''\''"#),
    // One character, but a quote for a shell.
    ("'\u{301}", "'\\''\u{301}"), ("\u{1F600}'", "\u{1F600}'\\''"),
  ])
  func `A shell reads what is inside of single quotes as it was`(text: String, quoted: String) {
    #expect(text.insideSingleQuotes == quoted)
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

  @Test(arguments: [
    (0.0, 0.0, "0 / 0 bytes"), (390, 950, "390 / 950 bytes"), (999, 1000, "0 / 1 kB"),
    (3_999_999, 5e6, "3.9 / 5.0 MB"), (5e6, 5e6, "5.0 / 5.0 MB"), (6e6, 5e6, "6.0 / 5.0 MB"),
    (12.7e6, 214e6, "12 / 214 MB"), (3.94e9, 50e9, "3.9 / 50.0 GB"), (1, 999.6e6, "0.0 / 1.0 GB"),
    (4e15, 5e15, "4,000 / 5,000 TB"), (9.2e18, 9.2e18, "9,200,000 / 9,200,000 TB"),
  ])
  func `A part of a number of bytes is in the unit of the whole, and rounded down`(
    part: Double, whole: Double, text: String
  ) {
    #expect(byteCount(part, of: whole) == text)
  }

  @Test(arguments: [
    (1.0, "1.0", TimeAmount.Unit.second), (9.94, "9.9", .second), (9.96, "10", .second),
    (12_345.4, "12,345", .second), (1_234_567, "1.2M", .second), (999_999.6, "1.0M", .second),
    (4e9, "4.0G", .second), (0.5, "30", .minute), (1.0 / 60, "1.0", .minute), (0.01, "36", .hour),
    (1e-9, "0.0", .hour), (0.951, "1.0", .second), (0.949, "57", .minute),
    (0.951 / 60, "1.0", .minute),
  ])
  func `A speed is told in the unit of time in which it is not too small`(
    rate: Double, number: String, time: TimeAmount.Unit
  ) {
    let shown = rateNumber(rate)
    #expect(shown.number == number && shown.time == time)
  }

  @Test(arguments: [
    (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.seconds(59), "59 s"),
    (.milliseconds(59_001), "1 min"), (.seconds(60), "1 min"), (.seconds(61), "2 min"),
    (.seconds(3_540), "59 min"), (.seconds(3_541), "1 h"), (.seconds(3_901), "1 h 6 min"),
    (.seconds(86_399), "1 d"), (.seconds(90_001), "1 d 2 h"), (.seconds(-5), "0 s"),
  ])
  func `A time that is rounded up is never too short`(time: Duration, text: String) {
    #expect(TimeAmount(roundingUp: time).text(isShort: false) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (UInt.max, "18,446,744,073,709,551,615"),
  ])
  func `Thousands are separated up to the largest number`(number: UInt, text: String) {
    #expect(grouped(magnitude: number) == text)
    if let number = Int(exactly: number), number > 0 { #expect(grouped(-number) == "-" + text) }
  }

  @Test(
    arguments: [
      ("א", true), ("ب", true), ("٣", true), ("ﷺ", true), ("ﻼ", true), ("𐤀", true),
      ("𞤀", true), ("a", false), ("1", false), ("é", false), ("文", false), ("…", false),
      ("ऄ", false),
      ("\u{FEFF}", false), ("👨", false),
    ] as [(Unicode.Scalar, Bool)])
  func `Hebrew, Arabic and their relatives are written from right to left`(
    scalar: Unicode.Scalar, isRightToLeft: Bool
  ) {
    #expect(scalar.isRightToLeft == isRightToLeft)
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
