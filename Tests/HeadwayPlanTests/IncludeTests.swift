import HeadwayPlan
import HeadwayRun
import Testing

/// Plans that include other files.
struct IncludeTests {
  /// Files in memory.
  private struct Files: PlanSources {
    var texts: [String: String]

    func contents(of path: String) throws(PlanSourceError) -> [UInt8] {
      guard let text = texts[path] else { throw PlanSourceError(reason: "cannot be read: gone") }
      return Array(text.utf8)
    }

    func files(matching pattern: String) throws(PlanSourceError) -> [String] { [] }
  }

  private func read(_ text: String, _ files: [String: String]) throws -> Plan {
    try Plan.read(Array(text.utf8), file: "plan.yaml", sources: Files(texts: files))
  }

  /// The errors of a plan without their source lines.
  private func errors(_ text: String, _ files: [String: String]) -> String {
    do {
      return "no error in \(try read(text, files).tasks.count) tasks"
    } catch let error as PlanDiagnostics {
      return error.diagnostics.map {
        "\($0.file ?? error.file):\($0.line):\($0.column): \($0.message)"
      }.joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  private let web = """
    pools: { net: 2 }
    env: { A: web }
    defaults: { timeout: 5s }
    tasks:
      build: { run: make, inputs: "src/*.c", outputs: /tmp/out }
      test: { run: [make, "{v}"], after: build, pool: net, dir: t, matrix: { v: [a, b] } }
      clean: { run: rm x, always: true }
    """

  @Test func `Tasks of an included file have a prefix, and refer to each other without it`() throws
  {
    let plan = try read(
      "include: { web: web/p.yaml }\ntasks: { all: { after: web:test }, one: { after: 'web:test[b]' } }",
      ["web/p.yaml": web])
    #expect(
      plan.tasks.map(\.name)
        == ["all", "one", "web:build", "web:test[a]", "web:test[b]", "web:clean"])
    #expect(try plan.dependencies(of: "all") == ["web:test[a]", "web:test[b]"])
    #expect(try plan.dependencies(of: "one") == ["web:test[b]"])
    #expect(try plan.dependencies(of: "web:test[b]") == ["web:build"])
    #expect(
      try plan.dependencies(of: "web:clean") == ["web:build", "web:test[a]", "web:test[b]"])
    #expect(try plan.task("web:build").file == "web/p.yaml")
    #expect(try plan.task("web:build").line == 5)
    #expect(try plan.task("all").file == nil)
  }

  @Test func `An included file keeps its own settings, and its paths are relative to its folder`()
    throws
  {
    let plan = try read(
      "env: { B: top }\ninclude: { web: web/p.yaml }\npools: { net: 1 }\ntasks: { a: { run: x } }",
      ["web/p.yaml": web])
    let test = try plan.task("web:test[a]")
    #expect(test.environment.map(\.name) == ["v", "A"])
    #expect(test.timeout == .seconds(5))
    #expect(plan.pools.map(\.name) == ["net", "web:net"])
    #expect(test.pool == 1)
    #expect(test.directory == "web/t")
    let build = try plan.task("web:build")
    #expect(build.directory == "web")
    #expect(build.inputs == ["web/src/*.c"])
    #expect(build.outputs == ["/tmp/out"])
    #expect(try plan.task("a").timeout == nil)
  }

  @Test func `The folder of included tasks can be chosen, and its name is no pattern`() throws {
    let files = ["lib/p.yaml": "tasks: { a: { run: x, inputs: f } }"]
    let here = try read("include: { l: { file: lib/p.yaml, dir: . } }", files)
    #expect(here.tasks[0].directory == nil)
    #expect(here.tasks[0].inputs == ["f"])
    let odd = try read("include: { l: { file: lib/p.yaml, dir: 'a[1]' } }", files)
    #expect(odd.tasks[0].directory == "a[1]")
    #expect(odd.tasks[0].inputs == ["a\\[1]/f"])
  }

  @Test func `Included files include others, relative to their own folder`() throws {
    let plan = try read(
      "include: { a: a/p.yaml }",
      [
        "a/p.yaml": "include: { b: ../b/p.yaml }\ntasks: { x: { after: b:y } }",
        "b/p.yaml": "tasks: { y: { run: z } }",
      ])
    #expect(plan.tasks.map(\.name) == ["a:x", "a:b:y"])
    #expect(try plan.dependencies(of: "a:x") == ["a:b:y"])
    #expect(try plan.task("a:b:y").directory == "b")
  }

  @Test func `A task that always runs waits for included tasks`() throws {
    let plan = try read(
      "include: { a: p.yaml }\ntasks: { end: { run: x, always: true } }",
      ["p.yaml": "tasks: { y: { run: z } }"])
    #expect(try plan.dependencies(of: "end") == ["a:y"])
  }

  @Test(arguments: [
    (
      "include: { a: none.yaml }",
      "plan.yaml:1:15: the included file \"none.yaml\" cannot be read: gone"
    ),
    (
      "include: { a: ../up.yaml }",
      "plan.yaml:1:15: \"../up.yaml\" is outside the folder of the plan; use a relative path inside it, or put the plan into a folder above both"
    ),
    (
      "include: { a: /etc/passwd }",
      "plan.yaml:1:15: \"/etc/passwd\" is outside the folder of the plan; use a relative path inside it, or put the plan into a folder above both"
    ),
    (
      "include: { a: plan.yaml }",
      "plan.yaml:1:15: files include each other: plan.yaml -> plan.yaml; remove one of these includes"
    ),
    (
      "include: { a: b/circle.yaml }",
      "circle.yaml:1:15: files include each other: b/circle.yaml -> circle.yaml -> b/circle.yaml; remove one of these includes"
    ),
    (
      "include: { a: bad.yaml, b: bad.yaml }\ntasks: { x: { after: a:t, rum: y } }",
      """
      plan.yaml:2:27: unknown key "rum" in a task; did you mean "run"?
      bad.yaml:2:9: unknown task "z"; did you mean "t"?
      """
    ),
    (
      "include: { a: ok.yaml }\ntasks: { 'a:t': { run: x } }",
      "plan.yaml:1:12: duplicate task \"a:t\", also defined by \"ok.yaml\"; use another name for the include"
    ),
    ("include: {}", "plan.yaml:1:1: the plan has no tasks; add at least one under \"tasks:\""),
    (
      "include: { a: empty.yaml }",
      "empty.yaml:0:0: the file contains no plan; add at least one task under \"tasks:\""
    ),
    ("include: { a: { dir: . } }", "plan.yaml:1:15: an include needs a \"file\""),
    (
      "include: [a.yaml]",
      "plan.yaml:1:10: \"include\" must be a map of keys and values, such as include: { web: web/headway.yaml }"
    ),
    (
      "include: { a: ok.yaml }\ntasks: { b: { after: a:s } }",
      "plan.yaml:2:22: unknown task \"a:s\"; did you mean \"a:t\"?"
    ),
  ])
  func `Errors in includes name the file, line and column`(plan: String, expected: String) {
    let files = [
      "b/circle.yaml": "include: { a: ../circle.yaml }",
      "circle.yaml": "include: { a: b/circle.yaml }",
      "bad.yaml": "tasks: { t: { run: x,\n after: z } }",
      "empty.yaml": "", "ok.yaml": "tasks: { t: { run: x } }",
    ]
    #expect(errors(plan, files) == expected)
  }

  @Test func `The number of files in a row is limited`() {
    var files: [String: String] = [:]
    for level in 0..<20 { files["\(level)"] = "include: { n: '\(level + 1)' }" }
    #expect(
      errors("include: { n: '0' }", files)
        == "7:1:15: too many included files; the maximum is 200 in all and 8 in a row")
  }

  @Test func `The number of all files is limited, so that doubling ends`() {
    var files: [String: String] = ["7": "tasks: { t: { run: x } }"]
    for level in 0..<7 {
      files["\(level)"] = "include: { a: '\(level + 1)', b: '\(level + 1)', c: '\(level + 1)' }"
    }
    #expect(errors("include: { n: '0' }", files).contains("the maximum is 200 in all"))
  }
}
