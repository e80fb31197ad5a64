import HeadwayPlan
import Testing

/// Signs with a meaning in YAML and lines that fit nowhere, told in words about what people write.
struct SpecialCharacterErrorTests {
  /// Files with what is told about them.
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
      plan.yaml:2:19: a comma or "}" belongs here; put text that holds ": " in quotes
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
      plan.yaml:4:12: a key cannot stand here; the line before it holds text already, so check its colon and the indentation
            after: y
                 ^
      """#),
    DiagnosticCase(
      "a line between two indentations",
      #"""
      tasks:
        a:
          run: x
         after: y
      """#,
      #"""
      plan.yaml:4:4: this line is indented unlike the lines around it; align it with its neighbours
         after: y
         ^
      """#),
    DiagnosticCase(
      "signs that start no text",
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
      "a star in a map",
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
      "a star in a list",
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
      plan.yaml:3:10: text that starts with ">" must be quoted: write "> out", or begin it on the next line
          run: > out
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
      plan.yaml:3:10: text goes on after its closing quote; quote all of it, such as '"x" y'
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
      plan.yaml:3:4: a key cannot stand here; the line before it holds text already, so check its colon and the indentation
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
      plan.yaml:3:3: "b" is neither a key nor a value; write a key as "key: value" and indent text
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
      plan.yaml:2:14: double quotes do not know this escape; write "\\" for a backslash, or use single quotes
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
      plan.yaml:2:24: a list with dashes begins on a line of its own under its key; or write it in brackets
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
      plan.yaml:3:13: a list with dashes begins on a line of its own under its key; or write it in brackets
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
      plan.yaml:6:7: this line stands in a list; start it with "- ", or indent it like the key of the list
            c: d
            ^
      """#),
    DiagnosticCase(
      "a bracket too many",
      #"""
      tasks:
        a: { run: x }}
      """#,
      #"""
      plan.yaml:2:16: this "}" closes nothing; remove it, or quote the text
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
      plan.yaml:2:27: an entry is missing before this comma; remove the comma
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
      plan.yaml:1:21: a control character stands here; remove it, or write it as an escape such as "\x1B" in double quotes
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
      plan.yaml:1:1: this is not valid YAML: found incompatible YAML document
      %YAML 3.0
      ^
      """#),
  ]

  /// A file and what is told.
  @Test(arguments: cases) func `Each sign out of place is told`(_ mistake: DiagnosticCase) {
    #expect(mistake.rendered() == mistake.told)
  }
}
