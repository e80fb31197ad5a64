import HeadwayPlan
import Testing

/// Conditions of tasks, and the commands of a plan.
struct ConditionTests {
  @Test func `A condition is a command or a comparison, in which braces are expanded`() throws {
    let plan = try plan(
      """
      tasks:
        a: { run: x, when: git diff --quiet }
        b: { run: x, when: [test, -e, "{m}"], matrix: { m: [one] } }
        c: { run: x, when: { equal: ["{m}", one] }, matrix: { m: [one, two] } }
        d: { run: x, when: { not_equal: [one, ""] } }
      """)
    #expect(
      plan.tasks.map(\.condition) == [
        .command(.shell("git diff --quiet")), .command(.program(["test", "-e", "one"])),
        .equal("one", "one"), .equal("two", "one"), .notEqual("one", ""),
      ])
    #expect(plan.tasks.map(\.condition?.value) == [nil, nil, true, false, true])
  }

  @Test(arguments: [
    (
      "a: { run: x, when: {} }",
      #""when" needs one comparison, as in when: { equal: ["{mode}", release] }"#
    ),
    (
      "a: { run: x, when: { equal: [b] } }",
      #""equal" compares two values, as in equal: ["{mode}", release]"#
    ),
    ("a: { run: x, when: { eqal: [b, c] } }", #"did you mean "equal"?"#),
    ("a: { run: x, when: '' }", #""when" is empty; give it a value or remove it"#),
    ("{ b: { run: x }, a: { after: b, when: c } }", #"has "when" but no "run""#),
  ])
  func `Errors of conditions are reported`(tasks: String, message: String) {
    let text = "tasks: \(tasks.hasPrefix("{") ? tasks : "{ \(tasks) }")"
    let error = #expect(throws: PlanDiagnostics.self) { try plan(text) }
    #expect(error?.diagnostics.map(\.message).joined().contains(message) == true)
  }

  @Test(arguments: [
    ("on_end: { dir: x }", #""on_end" needs "run", as in on_end: { run: ./notify }"#),
    ("on_end: { run: x, after: a }", #"unknown key "after" in "on_end""#),
    (#"on_failure: ["", b]"#, #"the first entry of "on_failure" must be a program"#),
    ("on_a: x", #"unknown key "on_a" in a plan"#),
  ])
  func `Errors of a plan's commands are reported`(line: String, message: String) {
    let error = #expect(throws: PlanDiagnostics.self) {
      try plan("\(line)\ntasks: { a: { run: x } }")
    }
    #expect(error?.diagnostics.map(\.message).joined().contains(message) == true)
  }

  @Test func `A task cannot have the name of a plan's command that is used`() throws {
    let error = #expect(throws: PlanDiagnostics.self) {
      try plan("on_end: x\ntasks: { on_end: { run: x } }")
    }
    #expect(error?.diagnostics.map(\.message).joined().contains("rename the task") == true)
    #expect(try plan("tasks: { on_end: { run: x } }").tasks.map(\.name) == ["on_end"])
  }

  @Test func `A graph shows a plan's commands in one line each`() throws {
    let plan = try plan("on_failure: x\non_end: y\ntasks: { a: { run: x }, b: { run: x } }")
    #expect(
      PlanGraphText(plan).tree() == """
        a
        b
        on_failure (if a task fails), after all other tasks
        on_end (always), after all other tasks
        """)
    #expect(!PlanGraphText(plan).dot().contains("->"))
  }
}
