import HeadwayPlan
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
    (["pack"], ["fetch", "test[release]", "pack"]), (["test[debug]"], ["fetch", "test[debug]"]),
    (["test"], ["fetch", "test[debug]", "test[release]"]), (["lint", "fetch"], ["lint", "fetch"]),
    (["sweep"], ["fetch", "test[release]", "pack", "sweep"]),
    ([], ["lint", "fetch", "test[debug]", "test[release]", "pack", "sweep"]),
  ])
  func `A selection is the named tasks and their dependencies`(names: [String], tasks: [String])
    throws
  {
    #expect(try plan(Self.text).selection(of: names).tasks.map(\.name) == tasks)
  }

  @Test func `A selection keeps its dependencies and the pools`() throws {
    let part = try plan(Self.text).selection(of: ["pack"])
    #expect(part.tasks.map(\.after) == [[], [0], [1]])
    #expect(part.tasks[1].pool == 0)
    #expect(part.pools == [Plan.Pool(name: "disk", limit: 1)])
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
