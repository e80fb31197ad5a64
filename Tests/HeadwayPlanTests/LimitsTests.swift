import HeadwayPlan
import Testing

/// Large plans, and files that exceed a limit.
struct LimitsTests {
  @Test func `A plan of 10,000 tasks is read`() throws {
    var text = "tasks:\n"
    for task in 0..<10_000 {
      let after = task.isMultiple(of: 10) ? "" : ", after: [task\(task - 1)]"
      text += "  task\(task): { run: echo \(task)\(after) }\n"
    }
    let plan = try plan(text)
    #expect(plan.tasks.count == 10_000)
    #expect(plan.tasks[9999].after == [9998])
    #expect(PlanGraphText(plan).tree().utf8.count < 300_000)
  }

  @Test func `A chain of 100,000 tasks is read, selected and drawn`() throws {
    let plan = try plan(chain(100_000, last: ""))
    #expect(plan.tasks.count == 100_000)
    #expect(try plan.selection(of: ["t99999"]).tasks.count == 100_000)
    #expect(PlanGraphText(plan).tree().utf8.count < 100_000 * 100)
  }

  @Test func `A cycle of 100,000 tasks is reported with its first names`() {
    let path = (0..<8).map { "t\($0)" }.reversed().joined(separator: " -> ")
    let rendered = diagnostics(in: chain(100_000, last: ", after: t99999"))
    #expect(rendered.hasPrefix("plan.yaml:2:3: dependency cycle: t0 -> t99999 -> t99998 -> "))
    #expect(rendered.contains(" -> (99,992 more) -> t0; remove one of these dependencies\n"))
    #expect(!rendered.contains(path))
  }

  @Test func `1,000,000 tasks are read, and the next one is an error`() {
    let values = (0..<1000).map(String.init).joined(separator: ",")
    var text = "tasks:\n  t0: &t { run: x, matrix: { v: [\(values)] } }\n"
    for task in 1..<1000 { text += "  t\(task): *t\n" }
    text += "  last: { run: x }\n"
    let rendered = """
      plan.yaml:1002:3: the plan has more than 1,000,000 tasks; make it smaller
        last: { run: x }
        ^
      """
    #expect(diagnostics(in: text) == rendered)
  }

  /// Returns the text of a chain of tasks.
  private func chain(_ count: Int, last: String) -> String {
    var text = "tasks:\n"
    for task in 0..<count {
      text += "  t\(task): { run: x\(task == 0 ? last : ", after: t\(task - 1)") }\n"
    }
    return text
  }

  @Test func `Exponential aliases are one error`() {
    var text = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
    for level in 1..<9 {
      let aliases = Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ",")
      text += "x\(level): &x\(level) [\(aliases)]\n"
    }
    let rendered = """
      plan.yaml:7:22: the plan has more than 5,000,000 values after aliases are expanded; make it smaller
      x6: &x6 [*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5]
                           ^
      """
    #expect(diagnostics(in: text) == rendered)
  }

  @Test func `Aliases of a long text cannot exhaust memory`() {
    var text = "tasks:\n  a: { run: &x \"\(String(repeating: "y", count: 1_000_000))\" }\n"
    for task in 0..<1000 { text += "  t\(task): { run: *x }\n" }
    #expect(diagnostics(in: text).contains("the plan has more than 5,000,000 values"))
  }

  @Test func `Aliases cannot nest without limit`() {
    var text = "a0: &a0 [x]\n"
    for level in 1..<70 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
    #expect(diagnostics(in: text).contains("aliases nest lists and maps more than 64 levels deep"))
  }

  @Test func `Lists cannot nest without limit`() {
    let rendered = diagnostics(in: "tasks: " + String(repeating: "[", count: 5000))
    #expect(
      rendered.hasPrefix(
        "plan.yaml:1:71: lists and maps are nested more than 64 levels deep; flatten them\n"))
  }

  @Test func `The message for too many dependencies suggests a task between groups`() {
    var text = "tasks:\n"
    let values = (0..<1000).map(String.init).joined(separator: ",")
    for group in 0..<6 { text += "  g\(group): { run: x, matrix: { v: [\(values)] } }\n" }
    for task in 0..<1000 { text += "  t\(task): { run: x, after: [g0, g1, g2, g3, g4, g5] }\n" }
    let rendered = """
      plan.yaml:841:3: the plan has more than 5,000,000 dependencies; \
      put a task without "run" between two large groups, so that each task depends on one
        t833: { run: x, after: [g0, g1, g2, g3, g4, g5] }
        ^
      """
    #expect(diagnostics(in: text) == rendered)
  }

  @Test func `Matrices that expand to too much text are one error`() {
    // Long values in words of a program, because each byte of a text for the shell is looked at.
    let values = (0..<10).map { "\($0)" + String(repeating: "z", count: 5_000) }
    let word = String(repeating: "{v}", count: 20)
    let numbers = (0..<10).map(String.init).joined(separator: ",")
    var text = "tasks:\n"
    for group in 0..<10 {
      text +=
        "  g\(group): { run: [\"\(word)\", \"{n}\"], matrix: "
        + "{ v: [\(values.joined(separator: ","))], n: [\(numbers)] } }\n"
    }
    let rendered = diagnostics(in: text)
    #expect(
      rendered.hasPrefix(
        "plan.yaml:8:3: the matrices expand to more than 64 MiB of text; use fewer")
    )
    #expect(rendered.split(separator: "\n").count == 3)
  }

  @Test func `A file of more than 64 MiB is not read`() {
    let bytes = [UInt8](repeating: 0x20, count: 64 << 20 + 1)
    let rendered =
      "plan.yaml: the file is larger than 64 MiB; split the plan, or move data out of it"
    #expect(diagnostics(in: bytes) == rendered)
  }

  @Test func `Invalid UTF-8 is reported with its location`() {
    let bytes = Array("tasks:\n  ä: { run: ".utf8) + [0xFF, 0x20, 0x7D]
    let rendered =
      "plan.yaml:2:13: invalid UTF-8; save the file as UTF-8\n  ä: { run: \u{FFFD} }\n            ^"
    #expect(diagnostics(in: bytes) == rendered)
    #expect(diagnostics(in: [0xFF, 0xFE, 0x61, 0x00]).contains("invalid UTF-8"))
  }

  @Test func `A hundred errors are reported and the rest counted`() throws {
    var text = "tasks:\n"
    for task in 0..<1003 { text += "  t\(task): { run: x, bad: 1 }\n" }
    let lines = diagnostics(in: text).split(separator: "\n")
    #expect(lines.count == 301)
    #expect(lines[297].hasPrefix("plan.yaml:101:"))
    #expect(lines.last == "and 903 more errors")
  }

  @Test func `Errors are reported in the order of the file`() {
    let text = "tasks:\n  a: { run: x, after: b }\n  b: { run: x, after: a }\n  c: { rnu: x }\n"
    let lines = diagnostics(in: "wrkers: 1\n" + text).split(separator: "\n").filter {
      $0.hasPrefix("plan")
    }
    #expect(lines.map { $0.prefix(11) } == ["plan.yaml:1", "plan.yaml:3", "plan.yaml:5"])
  }
}
