import HeadwayPlan
import Testing

/// Special characters of YAML in plain text, and misplaced lines.
struct SpecialCharacterErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "a colon without quotes",
      #"""
      tasks:
        a:
          run: echo a: b
      """#,
      #"""
      plan.yaml:3:10: text with ": " must be quoted: write "echo a: b"
          run: echo a: b
               ^
      """#),
    DiagnosticCase(
      "a colon without quotes in a map",
      #"""
      tasks:
        a: { run: echo a: b }
      """#,
      #"""
      plan.yaml:2:19: expected "," or "}"; quote text that contains ": "
        a: { run: echo a: b }
                        ^
      """#),
    DiagnosticCase(
      "a key below text",
      #"""
      tasks:
        a:
          run: x
            after: y
      """#,
      #"""
      plan.yaml:4:12: a key is not allowed here; check the indentation, and the colon of the line before
            after: y
                 ^
      """#),
    DiagnosticCase(
      "inconsistent indentation",
      #"""
      tasks:
        a:
          run: x
         after: y
      """#,
      #"""
      plan.yaml:4:4: inconsistent indentation; align this line with the lines around it
         after: y
         ^
      """#),
    DiagnosticCase(
      "a character that cannot start text",
      #"""
      tasks:
        a:
          run: @x
      """#,
      #"""
      plan.yaml:3:10: text that starts with "@" must be quoted: write "@x"
          run: @x
               ^
      """#),
    DiagnosticCase(
      "a backtick",
      #"""
      tasks:
        a: { run: `x`, dir: y }
      """#,
      #"""
      plan.yaml:2:13: text that starts with "`" must be quoted: write "`x`"
        a: { run: `x`, dir: y }
                  ^
      """#),
    DiagnosticCase(
      "a percent sign",
      #"""
      tasks:
        a: { run: %x }
      """#,
      #"""
      plan.yaml:2:13: text that starts with "%" must be quoted: write "%x"
        a: { run: %x }
                  ^
      """#),
    DiagnosticCase(
      "an asterisk in a map",
      #"""
      tasks:
        a: { run: x, inputs: *.c }
      """#,
      #"""
      plan.yaml:2:24: text that starts with "*" must be quoted: write "*.c"
        a: { run: x, inputs: *.c }
                             ^
      """#),
    DiagnosticCase(
      "an asterisk in a list",
      #"""
      tasks:
        a: { run: x, inputs: [*.c, b] }
      """#,
      #"""
      plan.yaml:2:25: text that starts with "*" must be quoted: write "*.c"
        a: { run: x, inputs: [*.c, b] }
                              ^
      """#),
    DiagnosticCase(
      "an ampersand",
      #"""
      tasks:
        a:
          run: & x
      """#,
      #"""
      plan.yaml:3:10: text that starts with "&" must be quoted: write "& x"
          run: & x
               ^
      """#),
    DiagnosticCase(
      "an exclamation mark",
      #"""
      tasks:
        c: { run: !x!y z }
      """#,
      #"""
      plan.yaml:2:13: text that starts with "!" must be quoted: write "!x!y z"
        c: { run: !x!y z }
                  ^
      """#),
    DiagnosticCase(
      "a greater-than sign",
      #"""
      tasks:
        a:
          run: > out
      """#,
      #"""
      plan.yaml:3:10: text that starts with ">" must be quoted: write "> out", or start the text on the next line
          run: > out
               ^
      """#),
    DiagnosticCase(
      "a comma",
      #"""
      tasks:
        a:
          run: , x
      """#,
      #"""
      plan.yaml:3:10: text that starts with "," must be quoted: write ", x"
          run: , x
               ^
      """#),
    DiagnosticCase(
      "an unclosed list that ends with a comma",
      #"""
      tasks:
        a:
          run: [x,
      """#,
      #"""
      plan.yaml:3:10: unclosed list; add the missing "]"
          run: [x,
               ^
      """#),
    DiagnosticCase(
      "text after a quote",
      #"""
      tasks:
        a:
          run: "x" y
      """#,
      #"""
      plan.yaml:3:10: text that starts with a quote, bracket or brace must be quoted: write '"x" y'
          run: "x" y
               ^
      """#),
    DiagnosticCase(
      "a key without a colon",
      #"""
      tasks:
        a
        b: { run: x }
      """#,
      #"""
      plan.yaml:3:4: a key is not allowed here; check the indentation, and the colon of the line before
        b: { run: x }
         ^
      """#),
    DiagnosticCase(
      "a last line without a colon",
      #"""
      tasks:
        a: { run: x }
        b
      """#,
      #"""
      plan.yaml:3:3: missing ":" after "b"; write "key: value", or indent text that continues a value
        b
        ^
      """#),
    DiagnosticCase(
      "an unknown escape",
      #"""
      tasks:
        a: { run: "\d" }
      """#,
      #"""
      plan.yaml:2:14: unknown escape in double quotes; write "\\" for a backslash, or use single quotes
        a: { run: "\d" }
                   ^
      """#),
    DiagnosticCase(
      "a dash in a map",
      #"""
      tasks:
        a: { run: x, inputs: - b }
      """#,
      #"""
      plan.yaml:2:24: a list with dashes must start on a new line; to write it on one line, use brackets
        a: { run: x, inputs: - b }
                             ^
      """#),
    DiagnosticCase(
      "a dash after a key",
      #"""
      tasks:
        a:
          inputs: - b
      """#,
      #"""
      plan.yaml:3:13: a list with dashes must start on a new line; to write it on one line, use brackets
          inputs: - b
                  ^
      """#),
    DiagnosticCase(
      "a key in a list",
      #"""
      tasks:
        a:
          run: x
          inputs:
            - b
            c: d
      """#,
      #"""
      plan.yaml:6:7: expected a list entry; start the line with "- ", or indent it like the key of the list
            c: d
            ^
      """#),
    DiagnosticCase(
      "an unmatched bracket",
      #"""
      tasks:
        a: { run: x }}
      """#,
      #"""
      plan.yaml:2:16: unexpected "}"; remove it, or quote the text
        a: { run: x }}
                     ^
      """#),
    DiagnosticCase(
      "a missing entry",
      #"""
      tasks:
        a: { run: x, after: [b, ,c] }
      """#,
      #"""
      plan.yaml:2:27: missing entry before this comma; remove the comma
        a: { run: x, after: [b, ,c] }
                                ^
      """#),
    DiagnosticCase(
      "text after the end",
      #"""
      tasks:
        a: { run: x }
      ...
      more
      """#,
      #"""
      plan.yaml:4:1: this line is outside the plan; indent it like the first key, or remove it
      more
      ^
      """#),
    DiagnosticCase(
      "a control character",
      #"""
      tasks: { a: { run: x\#u{7}y } }
      """#,
      #"""
      plan.yaml:1:21: control character; remove it, or write an escape such as "\x1B" in double quotes
      tasks: { a: { run: x�y } }
                          ^
      """#),
    DiagnosticCase(
      "another version of YAML",
      #"""
      %YAML 3.0
      ---
      tasks: {}
      """#,
      #"""
      plan.yaml:1:1: invalid YAML: found incompatible YAML document
      %YAML 3.0
      ^
      """#),
  ]

  @Test(arguments: cases) func `Each misplaced character is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
