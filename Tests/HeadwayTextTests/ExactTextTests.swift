import HeadwayText
import Testing

/// Texts that are equal only if their bytes are.
struct ExactTextTests {
  /// Texts that Swift calls equal.
  private static let twins = [
    ("\u{E9}", "e\u{301}"), ("\u{C5}", "\u{212B}"), ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}"),
  ]

  @Test(arguments: twins)
  func `Texts that are equal for Unicode only are two`(_ first: String, _ second: String) {
    #expect(first == second)
    #expect(!first.isExactly(second))
    #expect(ExactText(first) != ExactText(second))
    #expect(Set([first, second, first].map { ExactText($0) }).count == 2)
    #expect(ExactText("\(first)/x".dropLast(2)) == ExactText(first))
  }

  @Test func `A part of a character is the beginning of its bytes`() {
    #expect("e\u{301}".startsExactly(with: "e") && !"e\u{301}".hasPrefix("e"))
    #expect(!"\u{E9}".startsExactly(with: "e\u{301}"))
    #expect("a".startsExactly(with: "") && !"".startsExactly(with: "a"))
  }
}
