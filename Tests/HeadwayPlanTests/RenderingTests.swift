import Testing

@testable import HeadwayPlan

/// The text of diagnostics.
struct RenderingTests {
  /// Returns the lines of a diagnostic.
  private func rendered(_ source: String, column: Int) -> [String] {
    let diagnostic = PlanDiagnostic(line: 3, column: column, message: "wrong", source: source)
    let text = PlanDiagnostics(file: "p.yaml", diagnostics: [diagnostic]).rendered()
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test(arguments: [
    ("abc", 1, "^"), ("abc", 3, "  ^"), ("abc", 4, "   ^"), ("\tabc", 3, "\t ^"),
    ("日本: x", 5, "      ^"),
    ("a\u{301}b", 3, " ^"), ("🚀 x", 3, "   ^"), ("👩\u{200D}👧 x", 5, "   ^"), ("äöü", 3, "  ^"),
  ])
  func `A caret stands under the column`(source: String, column: Int, caret: String) {
    #expect(rendered(source, column: column) == ["p.yaml:3:\(column): wrong", source, caret])
  }

  @Test func `A long line is cut around the column`() {
    let lines = rendered(String(repeating: "0123456789", count: 50), column: 251)
    let middle = String(repeating: "0123456789", count: 10)
    #expect(lines[1] == "…\(middle)…")
    #expect(lines[2] == String(repeating: " ", count: 51) + "^")
  }

  @Test func `Control characters are replaced`() {
    #expect(rendered("a\u{1B}[31m\u{202E}b", column: 1)[1] == "a\u{FFFD}[31m\u{FFFD}b")
    // Found by fuzzing: a suggestion contained the control characters of its line.
    let rendered = diagnostics(in: Array("tasks:\n  a: b c: d ".utf8) + [0xE1, 0x1A])
    let quoted =
      "plan.yaml:2:6: text with \": \" must be quoted: write \"b c: d \u{FFFD}\u{FFFD}\"\n"
    #expect(rendered.hasPrefix(quoted))
    #expect(!rendered.unicodeScalars.contains("\u{1A}"))
    let escaped = diagnostics(in: "tasks:\n  \"\\e[31m\": y\n")
    #expect(escaped.contains("plan.yaml:2:13: task \"\\u{1b}[31m\" must be a map"))
    #expect(!escaped.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `A diagnostic without a line has only the name of the file`() {
    let diagnostic = PlanDiagnostic(line: 0, column: 0, message: "wrong", source: "")
    let error = PlanDiagnostics(file: "p.yaml", diagnostics: [diagnostic], omitted: 1)
    #expect(error.rendered() == "p.yaml: wrong\nand 1 more error")
    #expect(error.description == error.rendered())
  }
}
