import HeadwayPlan
import Testing

/// Errors in keys, names, variables and aliases.
struct EntryErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "duplicate keys",
      #"""
      workers: 1
      workers: 3
      pools: { d: 1, d: 2 }
      tasks:
        a: { run: x, run: y, env: { A: 1, A: 2 } }
        a: { run: z }
      """#,
      #"""
      plan.yaml:2:1: duplicate key "workers", first defined on line 1
      workers: 3
      ^
      plan.yaml:3:16: duplicate key "d", first defined on line 3
      pools: { d: 1, d: 2 }
                     ^
      plan.yaml:5:16: duplicate key "run", first defined on line 5
        a: { run: x, run: y, env: { A: 1, A: 2 } }
                     ^
      plan.yaml:5:37: duplicate key "A", first defined on line 5
        a: { run: x, run: y, env: { A: 1, A: 2 } }
                                          ^
      plan.yaml:6:3: duplicate key "a", first defined on line 5
        a: { run: z }
        ^
      """#),
    DiagnosticCase(
      "duplicate keys of a large map",
      #"""
      env: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: 11, l: 12, m: 13, n: 14,
        c: 15, m: 16, o: 17, o: 18 }
      tasks: { t: { run: x } }
      """#,
      #"""
      plan.yaml:2:3: duplicate key "c", first defined on line 1
        c: 15, m: 16, o: 17, o: 18 }
        ^
      plan.yaml:2:10: duplicate key "m", first defined on line 1
        c: 15, m: 16, o: 17, o: 18 }
               ^
      plan.yaml:2:24: duplicate key "o", first defined on line 2
        c: 15, m: 16, o: 17, o: 18 }
                             ^
      """#),
    DiagnosticCase(
      "two merges",
      #"""
      env: &e { A: 1 }
      tasks:
        t: { run: x, env: { <<: *e, <<: *e } }
        u: { run: x, env: { "<<": quoted, <<: *e } }
      """#,
      #"""
      plan.yaml:3:31: duplicate key "<<", first defined on line 3
        t: { run: x, env: { <<: *e, <<: *e } }
                                    ^
      """#),
    DiagnosticCase(
      "lists instead of strings and maps",
      #"""
      tasks:
        a: { run: x, dir: [y] }
        b: { run: x, env: [A=b] }
        c: { run: x, matrix: [a, b] }
        d: { run: x, after: { b: c } }
        e:
          run: x
          dir:
            - y
      """#,
      #"""
      plan.yaml:2:21: "dir" must be a string; to use this as text, write "[y]"
        a: { run: x, dir: [y] }
                          ^
      plan.yaml:3:21: "env" must be a map of keys and values, such as env: { LANG: C }
        b: { run: x, env: [A=b] }
                          ^
      plan.yaml:4:24: "matrix" must be a map of keys and values, such as matrix: { variant: [debug, release] }
        c: { run: x, matrix: [a, b] }
                             ^
      plan.yaml:5:23: "after" must be a string; to use this as text, write "{ b: c }"
        d: { run: x, after: { b: c } }
                            ^
      plan.yaml:9:7: "dir" must be a string, not a list or map
            - y
            ^
      """#),
    DiagnosticCase(
      "keys that are not strings",
      #"""
      tasks:
        ? [a]
        : { run: x }
        {v}: { run: x }
      """#,
      #"""
      plan.yaml:2:5: a key must be a string; quote a key that contains braces or brackets
        ? [a]
          ^
      plan.yaml:4:3: a key must be a string; quote a key that contains braces or brackets
        {v}: { run: x }
        ^
      """#),
    DiagnosticCase(
      "a task whose name cannot be read may be one that another task names",
      #"""
      tasks:
        {v}: { run: x }
        b: { run: x, after: c }
      """#,
      #"""
      plan.yaml:2:3: a key must be a string; quote a key that contains braces or brackets
        {v}: { run: x }
        ^
      """#),
    DiagnosticCase(
      "a pool whose name cannot be read may be one that a task names",
      #"""
      pools: { [disk]: 1 }
      tasks:
        b: { run: x, pool: disk }
      """#,
      #"""
      plan.yaml:1:10: a key must be a string; quote a key that contains braces or brackets
      pools: { [disk]: 1 }
               ^
      """#),
    DiagnosticCase(
      "pools that are not a map may be those that a task names",
      #"""
      pools: [disk]
      tasks:
        b: { run: x, pool: disk }
      """#,
      #"""
      plan.yaml:1:8: "pools" must be a map of keys and values, such as pools: { disk: 1 }
      pools: [disk]
             ^
      """#),
    DiagnosticCase(
      "invalid names",
      #"""
      tasks:
        "": { run: x }
        "-a": { run: x }
        "a[b]": { run: x }
        "a\tb": { run: x }
        "a,b": { run: x }
        "a\u200Bb": { run: x }
      """#,
      #"""
      plan.yaml:2:3: invalid task name ""; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "": { run: x }
        ^
      plan.yaml:3:3: invalid task name "-a"; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "-a": { run: x }
        ^
      plan.yaml:4:3: invalid task name "a[b]"; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "a[b]": { run: x }
        ^
      plan.yaml:5:3: invalid task name "a\u{9}b"; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "a\tb": { run: x }
        ^
      plan.yaml:6:3: invalid task name "a,b"; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "a,b": { run: x }
        ^
      plan.yaml:7:3: invalid task name "a\u{200b}b"; a name has 1 to 200 bytes, does not start with "-", and contains no [ ] { } , and no control or invisible characters
        "a\u200Bb": { run: x }
        ^
      """#),
    DiagnosticCase(
      "invalid variables",
      #"""
      tasks:
        a:
          run: x
          env:
            "A=B": x
            "": y
            "H\0": y
            G: [x]
      """#,
      #"""
      plan.yaml:5:7: a variable name must not be empty or contain "=" or a null byte
            "A=B": x
            ^
      plan.yaml:6:7: a variable name must not be empty or contain "=" or a null byte
            "": y
            ^
      plan.yaml:7:7: a variable name must not be empty or contain "=" or a null byte
            "H\0": y
            ^
      plan.yaml:8:10: variable "G" must be a string; to use this as text, write "[x]"
            G: [x]
               ^
      """#),
    DiagnosticCase(
      "null bytes",
      #"""
      tasks:
        a: { run: "a\0b" }
        b: { run: [a, "\0"] }
        c: { run: x, env: { C: "\0" } }
        d: { run: x, dir: "\0", inputs: "\0" }
      """#,
      #"""
      plan.yaml:2:13: "run" contains a null byte, which cannot be passed to a program; remove it
        a: { run: "a\0b" }
                  ^
      plan.yaml:3:17: an entry of "run" contains a null byte, which cannot be passed to a program; remove it
        b: { run: [a, "\0"] }
                      ^
      plan.yaml:4:26: variable "C" contains a null byte, which cannot be passed to a program; remove it
        c: { run: x, env: { C: "\0" } }
                               ^
      plan.yaml:5:21: "dir" contains a null byte, which cannot be passed to a program; remove it
        d: { run: x, dir: "\0", inputs: "\0" }
                          ^
      plan.yaml:5:35: "inputs" contains a null byte, which cannot be passed to a program; remove it
        d: { run: x, dir: "\0", inputs: "\0" }
                                        ^
      """#),
    DiagnosticCase(
      "consequential errors",
      #"""
      tasks:
        a: { run: x, after: zz }
        b: { rnu: x, after: a }
        c: { after: b, run: [] }
      """#,
      #"""
      plan.yaml:2:23: unknown task "zz"; valid tasks: "a", "b", "c"
        a: { run: x, after: zz }
                            ^
      plan.yaml:3:8: unknown key "rnu" in a task; did you mean "run"?
        b: { rnu: x, after: a }
             ^
      plan.yaml:4:23: the first entry of "run" must be a program, as in run: [echo, hello]
        c: { after: b, run: [] }
                            ^
      """#),
    DiagnosticCase(
      "a merge of something else than a map",
      #"""
      tasks:
        e: { <<: foo, run: y }
        f: { <<: [a], run: y }
      """#,
      #"""
      plan.yaml:2:12: "<<" must be an alias of a map or a list of such aliases, such as <<: *name
        e: { <<: foo, run: y }
                 ^
      plan.yaml:3:12: "<<" must be an alias of a map or a list of such aliases, such as <<: *name
        f: { <<: [a], run: y }
                 ^
      """#),
    DiagnosticCase(
      "an unknown alias",
      #"""
      tasks:
        a: { run: x, env: *e }
      """#,
      #"""
      plan.yaml:2:21: unknown alias "*e"; put "&e" before the value it repeats, or quote the text
        a: { run: x, env: *e }
                          ^
      """#),
    DiagnosticCase(
      "an alias inside its own value",
      #"""
      tasks:
        a: &a { run: x, env: *a }
      """#,
      #"""
      plan.yaml:2:24: alias "*a" is inside the value that it repeats; write the value out
        a: &a { run: x, env: *a }
                             ^
      """#),
    DiagnosticCase(
      "a tag",
      #"""
      tasks:
        a:
          run: !x y
        b: { run: !!binary aGk= }
      """#,
      #"""
      plan.yaml:3:10: unsupported tag "!x"; remove it, or quote text that starts with "!"
          run: !x y
               ^
      plan.yaml:4:13: unsupported tag "tag:yaml.org,2002:binary"; remove it, or quote text that starts with "!"
        b: { run: !!binary aGk= }
                  ^
      """#),
    DiagnosticCase(
      "two documents",
      #"""
      tasks:
        a: { run: x }
      ---
      tasks:
        a: { run: x }
      """#,
      #"""
      plan.yaml:3:1: a plan file must contain a single document; remove this "---" and everything after it
      ---
      ^
      """#),
  ]

  @Test(arguments: cases) func `Each error in an entry is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
