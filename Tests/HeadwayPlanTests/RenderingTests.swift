import HeadwayPlan
import Testing

/// Mistakes as people read them.
struct RenderingTests {
  /// Renders one mistake.
  private func rendered(_ source: String, column: Int) -> [String] {
    let mistake = PlanDiagnostic(line: 3, column: column, message: "wrong", source: source)
    let text = PlanDiagnostics(file: "p.yaml", diagnostics: [mistake]).rendered()
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Lines with carets.
  @Test(arguments: [
    ("abc", 1, "^"), ("abc", 3, "  ^"), ("abc", 4, "   ^"), ("\tabc", 3, "\t ^"),
    ("日本: x", 5, "      ^"),
    ("a\u{301}b", 3, " ^"), ("🚀 x", 3, "   ^"), ("äöü", 3, "  ^"),
  ])
  func `A caret stands under the column`(source: String, column: Int, caret: String) {
    #expect(rendered(source, column: column) == ["p.yaml:3:\(column): wrong", source, caret])
  }

  /// A line that is too long to show.
  @Test func `A long line is cut around the column`() {
    let lines = rendered(String(repeating: "0123456789", count: 50), column: 251)
    let middle = String(repeating: "0123456789", count: 10)
    #expect(lines[1] == "…\(middle)…")
    #expect(lines[2] == String(repeating: " ", count: 51) + "^")
  }

  /// Signs that would change a terminal.
  @Test func `Control characters are not shown`() {
    #expect(rendered("a\u{1B}[31m\u{202E}b", column: 1)[1] == "a\u{FFFD}[31m\u{FFFD}b")
    // Found by fuzzing: the corrected text of a message quoted the end of the line as it was.
    let told = mistakes(in: Array("tasks:\n  a: b c: d ".utf8) + [0xE1, 0x1A])
    let quoted =
      "plan.yaml:2:6: text with \": \" must be quoted: write \"b c: d \u{FFFD}\u{FFFD}\"\n"
    #expect(told.hasPrefix(quoted))
    #expect(!told.unicodeScalars.contains("\u{1A}"))
    let escaped = mistakes(in: "tasks:\n  \"\\e[31m\": y\n")
    #expect(escaped.contains("plan.yaml:2:13: task \"\\u{1b}[31m\" must be a map"))
    #expect(!escaped.unicodeScalars.contains("\u{1B}"))
  }

  /// Mistakes that belong to no line.
  @Test func `A mistake without a line names the file alone`() {
    let mistake = PlanDiagnostic(line: 0, column: 0, message: "wrong", source: "")
    let mistakes = PlanDiagnostics(file: "p.yaml", diagnostics: [mistake], omitted: 1)
    #expect(mistakes.rendered() == "p.yaml: wrong\nand 1 more error")
    #expect(mistakes.description == mistakes.rendered())
  }
}
