import HeadwayPlan
import HeadwayRun
import Testing

/// Selection of tasks.
struct SelectionTests {
  private static let text = """
    pools: { disk: 1 }
    tasks:
      lint: { run: x }
      fetch: { run: x }
      test: { run: x, matrix: { v: [debug, release] }, after: fetch, pool: disk }
      pack: { run: x, after: "test[release]" }
      sweep: { run: x, always: true, after: [pack] }
    """

  @Test(arguments: [
    (["pack"], ["fetch", "test[release]", "pack", "sweep"]),
    (["test[debug]"], ["fetch", "test[debug]"]),
    (["test"], ["fetch", "test[debug]", "test[release]"]), (["lint"], ["lint"]),
    (["sweep"], ["fetch", "test[release]", "pack", "sweep"]),
    ([], ["lint", "fetch", "test[debug]", "test[release]", "pack", "sweep"]),
  ])
  func `A selection is the named tasks, their dependencies, and what always runs after them`(
    names: [String], tasks: [String]
  )
    throws
  {
    #expect(try plan(Self.text).selection(of: names).tasks.map(\.name) == tasks)
  }

  @Test func `A selection keeps its dependencies and the pools`() throws {
    let part = try plan(Self.text).selection(of: ["pack"])
    #expect(part.tasks.map(\.after) == [[], [0], [1], [2]])
    #expect(part.tasks[1].pool == 0)
    #expect(part.pools == [TaskPool(name: "disk", limit: 1)])
  }

  @Test(arguments: [
    // A task belongs to what it waits for itself: `down` to `test`.
    (["up"], ["up <", "clean < up", "log < up"]),
    (
      ["test"],
      ["up <", "test < up", "down < test", "clean < down, test, up", "log < test, up"]
    ),
    (["lint"], ["lint <", "log < lint"]),
    // A task that is named brings its dependencies, also one that always runs.
    (["down"], ["up <", "test < up", "down < test", "clean < down, test, up", "log < test, up"]),
  ])
  func `A task that always runs waits for the selected tasks before it`(
    names: [String], tasks: [String]
  ) throws {
    let part = try plan(
      """
      tasks:
        up: { run: x }
        test: { run: x, after: up }
        deploy: { run: x, after: test }
        lint: { run: x }
        down: { run: x, always: true, after: [test] }
        clean: { run: x, always: true, after: [down, deploy, test, up] }
        log: { run: x, always: true }
      """
    ).selection(of: names)
    let lines = part.tasks.map { task in
      let after = task.after.map { part.tasks[$0].name }.sorted().joined(separator: ", ")
      return after.isEmpty ? "\(task.name) <" : "\(task.name) < \(after)"
    }
    #expect(lines == tasks)
  }

  @Test func `A group stands for its tasks in what a task that always runs waits for`() throws {
    let text = """
      tasks:
        a: { run: x }
        b: { run: x }
        all: { after: [a, b] }
        clean: { run: x, always: true, after: all }
      """
    #expect(try plan(text).selection(of: ["a"]).tasks.map(\.name) == ["a", "clean"])
  }

  @Test func `The commands of a plan are part of every selection, and cannot be selected`() throws {
    let plan = try plan(
      """
      on_failure: ./notify
      on_end: [./report, now]
      tasks:
        a: { run: x }
        b: { run: x }
      """)
    let part = try plan.selection(of: ["b"])
    #expect(part.tasks.map(\.name) == ["b", "on_failure", "on_end"])
    #expect(part.tasks.map(\.after) == [[], [0], [0, 1]])
    let error = #expect(throws: UnknownTasks.self) { try plan.selection(of: ["on_end"]) }
    #expect(error?.description == #"unknown task "on_end"; valid tasks: "a", "b""#)
  }

  @Test(arguments: [
    (["pakc"], #"unknown task "pakc" (did you mean "pack"?)"#),
    (["zzz"], #"unknown task "zzz"; valid tasks: "lint", "fetch", "test", "pack", "sweep""#),
    (["lnt", "lint", "zzz", "zzz"], #"unknown tasks "lnt" (did you mean "lint"?), "zzz""#),
    (["test[debg]"], #"unknown task "test[debg]" (did you mean "test[debug]"?)"#),
  ])
  func `Unknown names are reported with a suggestion`(names: [String], message: String) throws {
    let plan = try plan(Self.text)
    let error = #expect(throws: UnknownTasks.self) { try plan.selection(of: names) }
    #expect(error?.description == message)
  }
}
