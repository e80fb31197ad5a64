import HeadwayPlan
import Testing

/// Signs with a meaning in YAML and lines that fit nowhere, told in words about what people write.
struct SignMistakesTests {
  /// Files with what is told about them.
  private static let cases: [MistakeCase] = [
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
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
    MistakeCase(
      "a control character",
      #"""
      tasks: { a: { run: x\#u{7}y } }
      """#,
      #"""
      plan.yaml:1:21: a control character stands here; remove it, or write it as an escape such as "\x1B" in double quotes
      tasks: { a: { run: x�y } }
                          ^
      """#),
    MistakeCase(
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
  @Test(arguments: cases) func `Each sign out of place is told`(_ mistake: MistakeCase) {
    #expect(mistake.rendered() == mistake.told)
  }
}
