import HeadwayPlan
import Testing

/// Errors in the keys of a plan and the types of their values.
struct StructureErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "an empty file",
      "",
      #"""
      plan.yaml: the file contains no plan; add at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a file of comments",
      #"""
      # nothing
      """#,
      #"""
      plan.yaml: the file contains no plan; add at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a document without content",
      #"""
      ---
      """#,
      #"""
      plan.yaml: the file contains no plan; add at least one task under "tasks:"
      """#),
    DiagnosticCase(
      "a string instead of a plan",
      #"""
      just text
      """#,
      #"""
      plan.yaml:1:1: a plan must be a map of keys and values, such as tasks: { hello: { run: echo hello } }
      just text
      ^
      """#),
    DiagnosticCase(
      "a list instead of a plan",
      #"""
      - a
      """#,
      #"""
      plan.yaml:1:1: a plan must be a map of keys and values, such as tasks: { hello: { run: echo hello } }
      - a
      ^
      """#),
    DiagnosticCase(
      "no tasks",
      #"""
      name: x
      """#,
      #"""
      plan.yaml:1:1: the plan has no tasks; add at least one under "tasks:"
      name: x
      ^
      """#),
    DiagnosticCase(
      "an empty map of tasks",
      #"""
      tasks: {}
      """#,
      #"""
      plan.yaml:1:1: the plan has no tasks; add at least one under "tasks:"
      tasks: {}
      ^
      """#),
    DiagnosticCase(
      "tasks without a value",
      #"""
      tasks:
      """#,
      #"""
      plan.yaml:1:7: "tasks" must be a map of keys and values, such as tasks: { hello: { run: echo hello } }
      tasks:
            ^
      """#),
    DiagnosticCase(
      "a list of tasks",
      #"""
      tasks: [a]
      """#,
      #"""
      plan.yaml:1:8: "tasks" must be a map of keys and values, such as tasks: { hello: { run: echo hello } }
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
      plan.yaml:1:1: unknown key "task" in a plan; did you mean "tasks"?
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
      plan.yaml:2:8: unknown key "rnu" in a task; did you mean "run"?
        a: { rnu: x }
             ^
      plan.yaml:3:8: unknown key "depends_on" in a task; did you mean "after"?
        b: { depends_on: a, run: y }
             ^
      plan.yaml:4:16: unknown key "zzzzzz" in a task; valid keys: description, run, after, env, dir, shell, timeout, grace, retries, pool, matrix, inputs, outputs, optional, always, detach, kind, expect, progress, env_inputs, when, service, log_limit, once, cpus, memory, gpus, labels
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
      plan.yaml:1:13: unknown key "time" in "defaults"; did you mean "timeout"?
      defaults: { time: 3s, pool: x }
                  ^
      plan.yaml:1:23: unknown key "pool" in "defaults"; valid keys: timeout, grace, retries, env_inputs, env, log_limit, cpus, memory, gpus, labels
      defaults: { time: 3s, pool: x }
                            ^
      """#),
    DiagnosticCase(
      "a task with nothing to do",
      #"""
      tasks:
        a:
        b: {}
        c: { after: [] }
        d: { env: { A: b } }
      """#,
      #"""
      plan.yaml:2:3: task "a" has nothing to do; add "run", or "after" to group other tasks
        a:
        ^
      plan.yaml:3:3: task "b" has nothing to do; add "run", or "after" to group other tasks
        b: {}
        ^
      plan.yaml:4:3: task "c" has nothing to do; add "run", or "after" to group other tasks
        c: { after: [] }
        ^
      plan.yaml:5:3: task "d" has nothing to do; add "run", or "after" to group other tasks
        d: { env: { A: b } }
        ^
      """#),
    DiagnosticCase(
      "a string instead of a task",
      #"""
      tasks:
        a: echo hi
      """#,
      #"""
      plan.yaml:2:6: task "a" must be a map of keys and values, such as a: { run: echo hello }
        a: echo hi
           ^
      """#),
    DiagnosticCase(
      "a list instead of a task",
      #"""
      tasks:
        a: [x]
      """#,
      #"""
      plan.yaml:2:6: task "a" must be a map of keys and values, such as a: { run: echo hello }
        a: [x]
           ^
      """#),
    DiagnosticCase(
      "invalid commands",
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
      plan.yaml:2:13: "run" is empty; give it a value or remove it
        a: { run: }
                  ^
      plan.yaml:3:13: "run" is empty; give it a value or remove it
        b: { run: "" }
                  ^
      plan.yaml:4:13: "run" is empty; give it a value or remove it
        c: { run: "  " }
                  ^
      plan.yaml:5:13: the first entry of "run" must be a program, as in run: [echo, hello]
        d: { run: [] }
                  ^
      plan.yaml:6:13: "run" must be a string; to use this as text, write "{a: b}"
        e: { run: {a: b} }
                  ^
      plan.yaml:7:13: the first entry of "run" must be a program, as in run: [echo, hello]
        f: { run: ["", x] }
                  ^
      plan.yaml:8:16: an entry of "run" must be a string; to use this as text, write "[b]"
        g: {run: [a, [b]]}
                     ^
      plan.yaml:12:8: an entry of "run" has no value; write "" for an empty argument
            -
             ^
      """#),
  ]

  @Test(arguments: cases) func `Each error in the structure is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
