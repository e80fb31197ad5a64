import HeadwayPlan
import Testing

/// Errors in a matrix.
struct MatrixErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "a matrix without keys",
      #"""
      tasks:
        b: { run: x, matrix: {} }
      """#,
      #"""
      plan.yaml:2:16: "matrix" needs at least one key with values, such as matrix: { variant: [debug, release] }
        b: { run: x, matrix: {} }
                     ^
      """#),
    DiagnosticCase(
      "a key without values",
      #"""
      tasks:
        a: { run: x, matrix: { v: [] } }
      """#,
      #"""
      plan.yaml:2:29: "v" has no values; add at least one
        a: { run: x, matrix: { v: [] } }
                                  ^
      """#),
    DiagnosticCase(
      "a string instead of a list of values",
      #"""
      tasks:
        c: { run: x, matrix: { v: x } }
      """#,
      #"""
      plan.yaml:2:29: the values of "v" must be a list, such as v: [debug, release], or files: { glob: "*.png" }
        c: { run: x, matrix: { v: x } }
                                  ^
      """#),
    DiagnosticCase(
      "a duplicate value",
      #"""
      tasks:
        d: { run: x, matrix: { v: [a, a] } }
      """#,
      #"""
      plan.yaml:2:33: duplicate value "a" in "v"
        d: { run: x, matrix: { v: [a, a] } }
                                      ^
      """#),
    DiagnosticCase(
      "a key that cannot be in braces",
      #"""
      tasks:
        e: { run: x, matrix: { "v w": [a, "b[c]"] } }
      """#,
      #"""
      plan.yaml:2:26: invalid matrix key "v w"; a key has 1 to 200 letters, digits, "_" or "-"
        e: { run: x, matrix: { "v w": [a, "b[c]"] } }
                               ^
      """#),
    DiagnosticCase(
      "too many combinations",
      #"""
      tasks:
        f:
          run: x
          matrix:
            u: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            v: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            w: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
      """#,
      #"""
      plan.yaml:4:5: the matrix has more than 10,000 combinations; split the task or use fewer values
          matrix:
          ^
      """#),
    DiagnosticCase(
      "too many keys",
      #"""
      tasks:
        f: { run: x, matrix: { a: [1], b: [1], c: [1], d: [1], e: [1], f: [1], g: [1], h: [1], i: [1], j: [1], k: [1], l: [1], m: [1], n: [1], o: [1], p: [1], q: [1] } }
      """#,
      #"""
      plan.yaml:2:16: too many matrix keys: 17; the maximum is 16
        f: { run: x, matrix: { a: [1], b: [1], c: [1], d: [1], e: [1], f: [1], g: [1], h: [1], i: [1], j: …
                     ^
      """#),
    DiagnosticCase(
      "an invalid matrix and its dependents",
      #"""
      tasks:
        a: { run: x, matrix: { v: [] } }
        b: { run: x, after: "a[p]" }
        c: { run: x, after: a }
      """#,
      #"""
      plan.yaml:2:29: "v" has no values; add at least one
        a: { run: x, matrix: { v: [] } }
                                  ^
      """#),
  ]

  @Test(arguments: cases) func `Each error in a matrix is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
