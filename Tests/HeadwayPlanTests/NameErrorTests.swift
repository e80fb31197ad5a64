import HeadwayPlan
import Testing

/// Errors in names of tasks, variants and pools, and dependency cycles.
struct NameErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "an unknown task with a similar one",
      #"""
      tasks:
        unpack: { run: x }
        b: { run: x, after: unpak }
      """#,
      #"""
      plan.yaml:3:23: unknown task "unpak"; did you mean "unpack"?
        b: { run: x, after: unpak }
                            ^
      """#),
    DiagnosticCase(
      "an unknown task in a small plan",
      #"""
      tasks:
        unpack: { run: x }
        c: { run: x, after: [zzz, unpack] }
      """#,
      #"""
      plan.yaml:3:24: unknown task "zzz"; valid tasks: "unpack", "c"
        c: { run: x, after: [zzz, unpack] }
                             ^
      """#),
    DiagnosticCase(
      "an unknown task in a larger plan",
      #"""
      tasks:
        task0: { run: x }
        task1: { run: x }
        task2: { run: x }
        task3: { run: x }
        task4: { run: x }
        task5: { run: x }
        task6: { run: x }
        task7: { run: x }
        task8: { run: x }
        b: { run: x, after: zzz }
      """#,
      #"""
      plan.yaml:11:23: unknown task "zzz"; "after" must name tasks of this plan
        b: { run: x, after: zzz }
                            ^
      """#),
    DiagnosticCase(
      "unknown variants",
      #"""
      tasks:
        test: { run: x, matrix: { v: [debug, release] } }
        b: { run: x, after: "test[debg]" }
        c: { run: x, after: "b[x]" }
        d: { run: x, after: "test[zzzzzzzz]" }
      """#,
      #"""
      plan.yaml:3:23: task "test" has no variant "test[debg]"; did you mean "test[debug]"?
        b: { run: x, after: "test[debg]" }
                            ^
      plan.yaml:4:23: task "b" has no variant "b[x]"; it has no matrix
        c: { run: x, after: "b[x]" }
                            ^
      plan.yaml:5:23: task "test" has no variant "test[zzzzzzzz]"; valid variants: "test[debug]", "test[release]"
        d: { run: x, after: "test[zzzzzzzz]" }
                            ^
      """#),
    DiagnosticCase(
      "an unknown variant made of braces",
      #"""
      tasks:
        build: { run: x, matrix: { v: [debug, release] } }
        t: { run: x, matrix: { v: [debug, fast] }, after: "build[{v}]" }
      """#,
      #"""
      plan.yaml:3:53: task "build" has no variant "build[fast]"; valid variants: "build[debug]", "build[release]"
        t: { run: x, matrix: { v: [debug, fast] }, after: "build[{v}]" }
                                                          ^
      """#),
    DiagnosticCase(
      "one error for all variants",
      #"""
      tasks:
        a: { run: x, matrix: { v: [p, q] }, after: "nope[{v}]" }
      """#,
      #"""
      plan.yaml:2:46: unknown task "nope[p]"; valid tasks: "a"
        a: { run: x, matrix: { v: [p, q] }, after: "nope[{v}]" }
                                                   ^
      """#),
    DiagnosticCase(
      "unknown pools",
      #"""
      pools: { disk: 1, net: 2 }
      tasks:
        a: { run: x, pool: disc }
        b: { run: x, pool: tape }
      """#,
      #"""
      plan.yaml:3:22: unknown pool "disc"; did you mean "disk"?
        a: { run: x, pool: disc }
                           ^
      plan.yaml:4:22: unknown pool "tape"; valid pools: "disk", "net"
        b: { run: x, pool: tape }
                           ^
      """#),
    DiagnosticCase(
      "a pool in a plan without pools",
      #"""
      tasks:
        a: { run: x, pool: tape }
      """#,
      #"""
      plan.yaml:2:22: unknown pool "tape"; define it in the plan, as in pools: { tape: 1 }
        a: { run: x, pool: tape }
                           ^
      """#),
    DiagnosticCase(
      "cycles",
      #"""
      tasks:
        a: { run: x, after: b }
        b: { run: x, after: c }
        c: { run: x, after: a }
        d: { run: x, after: d }
        e: { run: x, after: a }
      """#,
      #"""
      plan.yaml:2:3: dependency cycle: a -> b -> c -> a; remove one of these dependencies
        a: { run: x, after: b }
        ^
      plan.yaml:5:3: task "d" depends on itself: d -> d
        d: { run: x, after: d }
        ^
      """#),
    DiagnosticCase(
      "a cycle of variants",
      #"""
      tasks:
        a: { run: x, matrix: { v: [p, q] }, after: b }
        b: { run: x, after: "a[q]" }
      """#,
      #"""
      plan.yaml:2:3: dependency cycle: a[q] -> b -> a[q]; remove one of these dependencies
        a: { run: x, matrix: { v: [p, q] }, after: b }
        ^
      """#),
    DiagnosticCase(
      "a shortest cycle among several",
      #"""
      tasks:
        a: { run: x, after: [b, c] }
        b: { run: x, after: d }
        d: { run: x, after: a }
        c: { run: x, after: a }
      """#,
      #"""
      plan.yaml:2:3: dependency cycle: a -> c -> a; remove one of these dependencies
        a: { run: x, after: [b, c] }
        ^
      """#),
    DiagnosticCase(
      "a cycle through a task that always runs",
      #"""
      tasks:
        clean: { run: x, always: true }
        b: { run: x, after: clean }
      """#,
      #"""
      plan.yaml:2:3: dependency cycle: clean -> b -> clean; "clean" has "always" but no "after", so it depends on all other tasks
        clean: { run: x, always: true }
        ^
      """#),
  ]

  @Test(arguments: cases) func `Each invalid name is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
