import HeadwayPlan
import Testing

/// Mistakes in the keys of a plan and in what stands under them.
struct StructureErrorTests {
  /// Files with what is told about them.
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "an empty file",
      "",
      #"""
      plan.yaml: the file holds no plan; write at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a file of comments",
      #"""
      # nothing
      """#,
      #"""
      plan.yaml: the file holds no plan; write at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a document without content",
      #"""
      ---
      """#,
      #"""
      plan.yaml: the file holds no plan; write at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a text in place of a plan",
      #"""
      just text
      """#,
      #"""
      plan.yaml:1:1: a plan is written as a map of keys and values, such as tasks: { hello: { run: echo hello } }
      just text
      ^
      """#),
    DiagnosticCase(
      "a list in place of a plan",
      #"""
      - a
      """#,
      #"""
      plan.yaml:1:1: a plan is written as a map of keys and values, such as tasks: { hello: { run: echo hello } }
      - a
      ^
      """#),
    DiagnosticCase(
      "no tasks",
      #"""
      name: x
      """#,
      #"""
      plan.yaml:1:1: the plan has no tasks; write at least one under "tasks:"
      name: x
      ^
      """#),
    DiagnosticCase(
      "an empty map of tasks",
      #"""
      tasks: {}
      """#,
      #"""
      plan.yaml:1:1: the plan has no tasks; write at least one under "tasks:"
      tasks: {}
      ^
      """#),
    DiagnosticCase(
      "tasks without a value",
      #"""
      tasks:
      """#,
      #"""
      plan.yaml:1:7: "tasks" is written as a map of keys and values, such as tasks: { hello: { run: echo hello } }
      tasks:
            ^
      """#),
    DiagnosticCase(
      "a list of tasks",
      #"""
      tasks: [a]
      """#,
      #"""
      plan.yaml:1:8: "tasks" is written as a map of keys and values, such as tasks: { hello: { run: echo hello } }
      tasks: [a]
             ^
      """#),
    DiagnosticCase(
      "an unknown key of the plan",
      #"""
      task:
        a: { run: x }
      """#,
      #"""
      plan.yaml:1:1: a plan has no key "task"; did you mean "tasks"?
      task:
      ^
      """#),
    DiagnosticCase(
      "unknown keys of tasks",
      #"""
      tasks:
        a: { rnu: x }
        b: { depends_on: a, run: y }
        c: { run: y, zzzzzz: 1 }
      """#,
      #"""
      plan.yaml:2:8: a task has no key "rnu"; did you mean "run"?
        a: { rnu: x }
             ^
      plan.yaml:3:8: a task has no key "depends_on"; did you mean "after"?
        b: { depends_on: a, run: y }
             ^
      plan.yaml:4:16: a task has no key "zzzzzz"; its keys are run, after, env, dir, timeout, grace, retries, pool, matrix, inputs, outputs, optional, always, detach, kind, expect
        c: { run: y, zzzzzz: 1 }
                     ^
      """#),
    DiagnosticCase(
      "unknown keys of defaults",
      #"""
      defaults: { time: 3s, pool: x }
      tasks: { a: { run: x } }
      """#,
      #"""
      plan.yaml:1:13: "defaults" has no key "time"; did you mean "timeout"?
      defaults: { time: 3s, pool: x }
                  ^
      plan.yaml:1:23: "defaults" has no key "pool"; its keys are timeout, grace, retries
      defaults: { time: 3s, pool: x }
                            ^
      """#),
    DiagnosticCase(
      "a task with nothing",
      #"""
      tasks:
        a:
        b: {}
        c: { after: [] }
        d: { env: { A: b } }
      """#,
      #"""
      plan.yaml:2:3: the task "a" has nothing to do; give it "run", or "after" with the tasks that it gathers
        a:
        ^
      plan.yaml:3:3: the task "b" has nothing to do; give it "run", or "after" with the tasks that it gathers
        b: {}
        ^
      plan.yaml:4:3: the task "c" has nothing to do; give it "run", or "after" with the tasks that it gathers
        c: { after: [] }
        ^
      plan.yaml:5:3: the task "d" has nothing to do; give it "run", or "after" with the tasks that it gathers
        d: { env: { A: b } }
        ^
      """#),
    DiagnosticCase(
      "a text in place of a task",
      #"""
      tasks:
        a: echo hi
      """#,
      #"""
      plan.yaml:2:6: the task "a" is written as a map of keys and values, such as a: { run: echo hello }
        a: echo hi
           ^
      """#),
    DiagnosticCase(
      "a list in place of a task",
      #"""
      tasks:
        a: [x]
      """#,
      #"""
      plan.yaml:2:6: the task "a" is written as a map of keys and values, such as a: { run: echo hello }
        a: [x]
           ^
      """#),
    DiagnosticCase(
      "commands that are none",
      #"""
      tasks:
        a: { run: }
        b: { run: "" }
        c: { run: "  " }
        d: { run: [] }
        e: { run: {a: b} }
        f: { run: ["", x] }
        g: {run: [a, [b]]}
        h:
          run:
            - a
            -
      """#,
      #"""
      plan.yaml:2:13: "run" is empty; write a text, or leave the key out
        a: { run: }
                  ^
      plan.yaml:3:13: "run" is empty; write a text, or leave the key out
        b: { run: "" }
                  ^
      plan.yaml:4:13: "run" is empty; write a command, or leave the key out
        c: { run: "  " }
                  ^
      plan.yaml:5:13: "run" needs a program as its first entry, such as run: [echo, hello]
        d: { run: [] }
                  ^
      plan.yaml:6:13: "run" must be one text; if this is text, quote it: write "{a: b}"
        e: { run: {a: b} }
                  ^
      plan.yaml:7:13: "run" needs a program as its first entry, such as run: [echo, hello]
        f: { run: ["", x] }
                  ^
      plan.yaml:8:16: an entry of "run" must be one text; if this is text, quote it: write "[b]"
        g: {run: [a, [b]]}
                     ^
      plan.yaml:12:8: an entry of "run" has no value; write "" for an empty argument
            -
             ^
      """#),
  ]

  /// A file and what is told.
  @Test(arguments: cases) func `Each mistake in the structure is told`(_ mistake: DiagnosticCase) {
    #expect(mistake.rendered() == mistake.told)
  }
}
