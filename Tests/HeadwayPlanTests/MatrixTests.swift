import HeadwayPlan
import Testing

@testable import HeadwayPlan

/// Matrix tasks, their names and the braces in their texts.
struct MatrixTests {
  @Test func `The first key of a matrix varies slowest`() throws {
    let plan = try plan(
      "tasks:\n  t: { run: x, matrix: { mode: [debug, release], cpu: [x86, arm] } }\n")
    let names = ["t[debug,x86]", "t[debug,arm]", "t[release,x86]", "t[release,arm]"]
    #expect(plan.tasks.map(\.name) == names)
  }

  @Test func `A dependency is all variants, one variant, or the one with the same value`() throws {
    let text = """
      tasks:
        test: { run: x, matrix: { v: [debug, release] } }
        all: { after: test }
        one: { run: x, after: "test[debug]" }
        each: { run: x, matrix: { v: [debug, release] }, after: "test[{v}]" }
        block:
          run: x
          after: test[release]
        mixed: { run: x, after: [one, "test[release]", test, one] }
      """
    let plan = try plan(text)
    #expect(try plan.dependencies(of: "all") == ["test[debug]", "test[release]"])
    #expect(try plan.dependencies(of: "one") == ["test[debug]"])
    #expect(try plan.dependencies(of: "block") == ["test[release]"])
    #expect(try plan.dependencies(of: "each[release]") == ["test[release]"])
    #expect(try plan.dependencies(of: "mixed") == ["test[debug]", "test[release]", "one"])
  }

  @Test func `Templates are expanded in every text of a task`() throws {
    let text = """
      tasks:
        t:
          run: [make, "{v}"]
          matrix: { v: [a] }
          env: { V: "{v}", "{v}": x }
          dir: out/{v}
          inputs: "{v}.c"
          outputs: ["{v}.o", "{v}.d"]
      """
    let task = try plan(text).tasks[0]
    #expect(task.command == .program(["make", "a"]))
    #expect(task.environment.map(\.value) == ["a", "a", "x"])
    #expect(task.environment.map(\.name) == ["v", "V", "{v}"])
    #expect(task.directory == "out/a")
    #expect(task.inputs == ["a.c"])
    #expect(task.outputs == ["a.o", "a.d"])
  }

  @Test(arguments: [
    ("{v}", "1"), ("a{v}b{w}{v}", "a1b21"), ("${v}", "${v}"), ("$ {v}", "$ 1"), ("{x}", "{x}"),
    ("{{v}", "{v}"), ("{{{v}}", "{1}"), ("{{{{v}}", "{{v}}"), ("}}", "}}"), ("{", "{"),
    ("{v", "{v"), ("a{{", "a{"), ("{{", "{"), ("{{{", "{{"),
    ("{ v }", "{ v }"), ("{}", "{}"), ("awk '{print $1}'", "awk '{print $1}'"), ("ä{v}ö", "ä1ö"),
    ("find . -exec cat {} +", "find . -exec cat {} +"), ("${{v}", "${v}"), ("", ""),
  ])
  func `Braces are keys of the matrix, an escape, or literal`(text: String, result: String) {
    #expect(Template(keys: ["v", "w"], values: ["1", "2"]).expanded(text) == result)
  }

  @Test func `Without a matrix, single braces stay and double ones are an escape`() throws {
    let plan = try plan("tasks:\n  a:\n    run: echo {v} ${HOME} {{x}}\n")
    #expect(plan.tasks[0].command == .shell("echo {v} ${HOME} {x}}"))
  }

  @Test func `A matrix may expand to a thousand tasks`() throws {
    let ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    let plan = try plan("tasks: { t: { run: x, matrix: { a: \(ten), b: \(ten), c: \(ten) } } }")
    #expect(plan.tasks.count == 1000)
    #expect(plan.tasks[537].name == "t[5,3,7]")
  }
}
