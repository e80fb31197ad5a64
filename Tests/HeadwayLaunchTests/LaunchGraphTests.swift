import HeadwayLaunch
import HeadwayRun
import Testing

/// Graphs, and what can be wrong with them.
struct LaunchGraphTests {
  @Test func `Names are looked up wherever they stand`() async throws {
    let order = Box<[String]>([])
    @Sendable
    func body(_ name: String) -> TaskBody { .immediate { _ in order.change { $0.append(name) } } }
    let graph = LaunchGraph(pools: ["disk": 1]) {
      PlannedTask("last", body("last")).after("middle", "first")
      PlannedTask("middle", body("middle")).after("first").pool("disk")
      for number in 0..<2 {
        PlannedTask("loop \(number)", body("loop \(number)")).after("last")
      }
      if order.value.isEmpty { PlannedTask("first", body("first")).priority(1) }
    }
    let result = try await Launcher(graph, options: LauncherOptions(workers: 1)).run()
    #expect(result.isSuccess)
    #expect(order.value == ["first", "middle", "last", "loop 0", "loop 1"])
  }

  @Test func `Dependencies that are given one after the other all count`() async throws {
    let order = Box<[String]>([])
    @Sendable
    func body(_ name: String) -> TaskBody { .immediate { _ in order.change { $0.append(name) } } }
    let graph = LaunchGraph {
      PlannedTask("last", body("last")).after("unimportant").after("important")
      PlannedTask("unimportant", body("unimportant")).priority(-1)
      PlannedTask("important", body("important")).priority(1)
    }
    let result = try await Launcher(graph, options: LauncherOptions(workers: 1)).run()
    #expect(result.isSuccess)
    #expect(order.value == ["important", "unimportant", "last"])
  }

  @Test func `A name that is not there is told with the task that needs it`() {
    let graph = LaunchGraph { PlannedTask("data", .nothing).after("netwrok") }
    let error = GraphError.unknownTask("netwrok", neededBy: TaskID(0))
    #expect(throws: error) { try graph.validate() }
    #expect(throws: error) { _ = try Launcher(graph) }
    #expect(
      GraphError.unknownTask("netwrok", neededBy: TaskID(0, name: "data")).description
        == "task 'data' depends on 'netwrok', which is not in the graph: add it, or correct the name"
    )
  }

  @Test func `Two tasks of a name are told`() {
    let graph = LaunchGraph {
      PlannedTask("data", .nothing)
      PlannedTask("other", .nothing)
      PlannedTask("data", .nothing)
    }
    #expect(throws: GraphError.duplicateName(first: TaskID(0), second: TaskID(2))) {
      try graph.validate()
    }
  }

  @Test func `A cycle is shown as a path`() {
    let graph = LaunchGraph {
      PlannedTask("a", .nothing).after("c")
      PlannedTask("b", .nothing).after("a")
      PlannedTask("c", .nothing).after("b")
      PlannedTask("beside", .nothing).after("a")
    }
    do throws(GraphError) {
      try graph.validate()
      Issue.record("no cycle was found")
    } catch {
      #expect(
        error.description
          == "dependency cycle: 'a' needs 'c' needs 'b' needs 'a'; "
          + "remove one of these dependencies")
    }
  }

  @Test func `A task that depends on itself is a cycle`() {
    let graph = LaunchGraph { PlannedTask("a", .nothing).after("a") }
    #expect(throws: GraphError.cycle([TaskID(0)])) { try graph.validate() }
  }

  @Test func `Many names are told apart`() throws {
    var graph = LaunchGraph()
    for number in 0..<100_000 { graph.add("\(number)", .nothing) }
    try graph.validate()
    graph.add("77777", .nothing)
    #expect(throws: GraphError.duplicateName(first: TaskID(77_777), second: TaskID(100_000))) {
      try graph.validate()
    }
  }

  @Test func `Jitter shortens pauses, and one seed gives the same ones`() throws {
    @Sendable
    func duration(_ seed: UInt64) throws -> Duration {
      try withVirtualLaunch { launch in
        let graph = LaunchGraph {
          PlannedTask("stubborn") { _ in throw Mishap(description: "") }
            .retries(3, backoff: .seconds(8), jitter: 0.5)
        }
        var options = launch.options()
        options.seed = seed
        return try await Launcher(graph, options: options).run().duration
      }
    }
    let durations = try (0..<20).map { try duration(UInt64($0)) }
    #expect(durations.allSatisfy { $0 >= .seconds(28) && $0 <= .seconds(56) })
    #expect(Set(durations).count > 10)
    #expect(try duration(3) == durations[3])
  }
}
