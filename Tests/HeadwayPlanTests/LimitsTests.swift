import HeadwayPlan
import Testing

/// Plans that are large, and files that ask for too much.
struct LimitsTests {
  /// A large plan.
  @Test func `A plan of ten thousand tasks is read`() throws {
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

  /// A deep plan.
  @Test func `A chain of a hundred thousand tasks is read, cut and drawn`() throws {
    let plan = try plan(chain(100_000, last: ""))
    #expect(plan.tasks.count == 100_000)
    #expect(try plan.selection(of: ["t99999"]).tasks.count == 100_000)
    #expect(PlanGraphText(plan).tree().utf8.count < 100_000 * 100)
  }

  /// A long cycle.
  @Test func `A cycle of a hundred thousand tasks is told with its first names`() {
    let path = (0..<8).map { "t\($0)" }.reversed().joined(separator: " -> ")
    let told = mistakes(in: chain(100_000, last: ", after: t99999"))
    #expect(told.hasPrefix("plan.yaml:2:3: dependency cycle: t0 -> t99999 -> t99998 -> "))
    #expect(told.contains(" -> (99,992 more) -> t0; remove one of these dependencies\n"))
    #expect(!told.contains(path))
  }

  /// Makes a chain of tasks, with text for the first.
  private func chain(_ count: Int, last: String) -> String {
    var text = "tasks:\n"
    for task in 0..<count {
      text += "  t\(task): { run: x\(task == 0 ? last : ", after: t\(task - 1)") }\n"
    }
    return text
  }

  /// Aliases of aliases.
  @Test func `An alias bomb is one mistake`() {
    var text = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
    for level in 1..<9 {
      let aliases = Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ",")
      text += "x\(level): &x\(level) [\(aliases)]\n"
    }
    let told = """
      plan.yaml:7:22: the plan has more than 5,000,000 values after aliases are expanded; make it smaller
      x6: &x6 [*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5,*x5]
                           ^
      """
    #expect(mistakes(in: text) == told)
  }

  /// An alias of a long text.
  @Test func `An alias of a long text cannot fill the memory`() {
    var text = "tasks:\n  a: { run: &x \"\(String(repeating: "y", count: 1_000_000))\" }\n"
    for task in 0..<1000 { text += "  t\(task): { run: *x }\n" }
    #expect(mistakes(in: text).contains("the plan has more than 5,000,000 values"))
  }

  /// Aliases inside aliases.
  @Test func `Aliases cannot nest without end`() {
    var text = "a0: &a0 [x]\n"
    for level in 1..<70 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
    #expect(mistakes(in: text).contains("aliases nest lists and maps more than 64 levels deep"))
  }

  /// Lists in lists.
  @Test func `Lists cannot nest without end`() {
    let told = mistakes(in: "tasks: " + String(repeating: "[", count: 5000))
    #expect(
      told.hasPrefix(
        "plan.yaml:1:71: lists and maps are nested more than 64 levels deep; flatten them\n"))
  }

  /// Two large groups.
  @Test func `A large group after a large group is told with the way out`() {
    var text = "tasks:\n"
    let values = (0..<1000).map(String.init).joined(separator: ",")
    for group in 0..<6 { text += "  g\(group): { run: x, matrix: { v: [\(values)] } }\n" }
    for task in 0..<1000 { text += "  t\(task): { run: x, after: [g0, g1, g2, g3, g4, g5] }\n" }
    let told = """
      plan.yaml:841:3: the plan has more than 5,000,000 dependencies; \
      put a task without "run" between two large groups, so that each task depends on one
        t833: { run: x, after: [g0, g1, g2, g3, g4, g5] }
        ^
      """
    #expect(mistakes(in: text) == told)
  }

  /// A matrix with long texts.
  @Test func `Matrices that make too much text are one mistake`() {
    let values = (0..<1000).map(String.init).joined(separator: ",")
    let run = "{v}" + String(repeating: "z", count: 10_000)
    var text = "tasks:\n"
    for group in 0..<10 { text += "  g\(group): { run: \"\(run)\", matrix: { v: [\(values)] } }\n" }
    let told = mistakes(in: text)
    #expect(
      told.hasPrefix("plan.yaml:8:3: the matrices expand to more than 64 MiB of text; use fewer")
    )
    #expect(told.split(separator: "\n").count == 3)
  }

  /// The size of a file.
  @Test func `A file of more than 64 MiB is not read`() {
    let bytes = [UInt8](repeating: 0x20, count: 64 << 20 + 1)
    let told = "plan.yaml: the file is larger than 64 MiB; split the plan, or move data out of it"
    #expect(mistakes(in: bytes) == told)
  }

  /// Bytes that are no text.
  @Test func `Bytes that are not UTF-8 are told with their place`() {
    let bytes = Array("tasks:\n  ä: { run: ".utf8) + [0xFF, 0x20, 0x7D]
    let told =
      "plan.yaml:2:13: invalid UTF-8; save the file as UTF-8\n  ä: { run: \u{FFFD} }\n            ^"
    #expect(mistakes(in: bytes) == told)
    #expect(mistakes(in: [0xFF, 0xFE, 0x61, 0x00]).contains("invalid UTF-8"))
  }

  /// Many mistakes.
  @Test func `A hundred mistakes are told and the rest counted`() throws {
    var text = "tasks:\n"
    for task in 0..<1003 { text += "  t\(task): { run: x, bad: 1 }\n" }
    let lines = mistakes(in: text).split(separator: "\n")
    #expect(lines.count == 301)
    #expect(lines[297].hasPrefix("plan.yaml:101:"))
    #expect(lines.last == "and 903 more errors")
  }

  /// Mistakes that are found late.
  @Test func `Mistakes are told in the order of the file`() {
    let text = "tasks:\n  a: { run: x, after: b }\n  b: { run: x, after: a }\n  c: { rnu: x }\n"
    let lines = mistakes(in: "wrkers: 1\n" + text).split(separator: "\n").filter {
      $0.hasPrefix("plan")
    }
    #expect(lines.map { $0.prefix(11) } == ["plan.yaml:1", "plan.yaml:3", "plan.yaml:5"])
  }
}
