import HeadwayPlan
import Testing

/// Tabs, quotes and brackets that make a file invalid YAML.
struct SyntaxErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "a tab before a task",
      #"""
      tasks:
      \#ta: { run: x }
      """#,
      #"""
      plan.yaml:2:1: tabs cannot be used for indentation; use spaces
      \#ta: { run: x }
      ^
      """#),
    DiagnosticCase(
      "a tab before a key",
      #"""
      tasks:
        a:
          run: x
      \#tafter: y
      """#,
      #"""
      plan.yaml:4:1: tabs cannot be used for indentation; use spaces
      \#tafter: y
      ^
      """#),
    DiagnosticCase(
      "a tab in a block of text",
      #"""
      tasks:
        a:
          run: |
      \#tx
      """#,
      #"""
      plan.yaml:4:1: tabs cannot be used for indentation; use spaces
      \#tx
      ^
      """#),
    DiagnosticCase(
      "an unterminated string and an error before it",
      #"""
      tasks:
        a: { rnu: x }
        b:
          run: "x
        c: { run: y }
      """#,
      #"""
      plan.yaml:2:8: unknown key "rnu" in a task; did you mean "run"?
        a: { rnu: x }
             ^
      plan.yaml:4:10: unterminated string; add the closing quote, or quote the whole text
          run: "x
               ^
      """#),
    DiagnosticCase(
      "a missing bracket",
      #"""
      tasks:
        a: { run: x, after: [b }
      """#,
      #"""
      plan.yaml:2:26: expected "," or "]"
        a: { run: x, after: [b }
                               ^
      """#),
    DiagnosticCase(
      "an unclosed map",
      #"""
      tasks:
        a: { run: x
        b: { run: y }
      """#,
      #"""
      plan.yaml:2:6: unclosed map; add the missing "}"
        a: { run: x
           ^
      """#),
    DiagnosticCase(
      "an unclosed list",
      #"""
      tasks:
        a:
          after: [b, c
        b: { run: y }
      """#,
      #"""
      plan.yaml:3:12: unclosed list; add the missing "]"
          after: [b, c
                 ^
      """#),
    DiagnosticCase(
      "an unclosed list at the end",
      #"""
      tasks:
        a:
          after: [b, c
      """#,
      #"""
      plan.yaml:3:12: unclosed list; add the missing "]"
          after: [b, c
                 ^
      """#),
    DiagnosticCase(
      "a variant without quotes in a list",
      #"""
      tasks:
        a:
          run: x
          after: [unpack, test[debug]]
      """#,
      #"""
      plan.yaml:4:25: text with braces or brackets must be quoted: write "test[debug]"
          after: [unpack, test[debug]]
                              ^
      """#),
    DiagnosticCase(
      "a variant without quotes in a map",
      #"""
      tasks:
        a: { run: x, after: test[debug] }
      """#,
      #"""
      plan.yaml:2:27: text with braces or brackets must be quoted: write "test[debug]"
        a: { run: x, after: test[debug] }
                                ^
      """#),
    DiagnosticCase(
      "braces without quotes in a map",
      #"""
      tasks:
        a: { run: make VARIANT={variant}, after: x }
      """#,
      #"""
      plan.yaml:2:26: text with braces or brackets must be quoted: write "make VARIANT={variant}"
        a: { run: make VARIANT={variant}, after: x }
                               ^
      """#),
    DiagnosticCase(
      "braces without quotes at the start of a value",
      #"""
      tasks:
        a:
          run: {variant}/x
      """#,
      #"""
      plan.yaml:3:10: text that starts with a quote, bracket or brace must be quoted: write "{variant}/x"
          run: {variant}/x
               ^
      """#),
    DiagnosticCase(
      "braces without quotes as a value",
      #"""
      tasks:
        a:
          run: {variant}
      """#,
      #"""
      plan.yaml:3:10: "run" must be a string; to use this as text, write "{variant}"
          run: {variant}
               ^
      """#),
    DiagnosticCase(
      "braces without quotes at the start of an entry",
      #"""
      tasks:
        a:
          run: x
          outputs: [{variant}.log, b]
      """#,
      #"""
      plan.yaml:4:24: text with braces or brackets must be quoted: write "{variant}.log"
          outputs: [{variant}.log, b]
                             ^
      """#),
    DiagnosticCase(
      "braces without quotes as an entry",
      #"""
      tasks:
        a:
          run: x
          outputs: [{variant}]
      """#,
      #"""
      plan.yaml:4:15: an entry of "outputs" must be a string; to use this as text, write "{variant}"
          outputs: [{variant}]
                    ^
      """#),
    DiagnosticCase(
      "braces without quotes and quotes inside",
      #"""
      tasks:
        a: { run: echo "{v}" 'x' {v} }
      """#,
      #"""
      plan.yaml:2:19: text with braces or brackets must be quoted: write 'echo "{v}" ''x'' {v}'
        a: { run: echo "{v}" 'x' {v} }
                        ^
      """#),
  ]

  @Test(arguments: cases) func `Each syntax error is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
