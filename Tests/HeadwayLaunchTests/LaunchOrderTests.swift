import HeadwayLaunch
import HeadwayRun
import Testing

/// Which of several ready tasks starts first.
struct LaunchOrderTests {
  /// The names of tasks in the order in which one worker starts them.
  private func order(_ graph: LaunchGraph, expected: [Duration?] = []) throws -> [String] {
    var core = try LaunchCore(graph: graph, workers: 1, policy: .stop, expected: expected)
    var order: [String] = []
    core.begin(at: .zero)
    while case .start(let id, _)? = core.nextCommand() {
      order.append(id.name)
      core.attemptBegan(id, at: .zero)
      core.attemptEnded(id, result: .succeeded, at: .zero)
    }
    let isFinished = core.isFinished
    #expect(isFinished)
    return order
  }

  @Test func `A higher priority comes first`() throws {
    var graph = LaunchGraph()
    _ = graph.add("low", settings: TaskSettings(priority: -1))
    _ = graph.add("plain")
    _ = graph.add("high", settings: TaskSettings(priority: 7))
    #expect(try order(graph) == ["high", "plain", "low"])
  }

  @Test func `The longest way to the end comes first`() throws {
    var graph = LaunchGraph()
    _ = graph.add("alone")
    let first = graph.add("first")
    let second = graph.add("second")
    graph.addDependency(of: second, on: first)
    let third = graph.add("third")
    graph.addDependency(of: third, on: second)
    _ = graph.add("also alone")
    #expect(try order(graph) == ["first", "second", "alone", "third", "also alone"])
  }

  @Test func `Expected durations decide which way is the longest`() throws {
    var graph = LaunchGraph()
    let quick = graph.add("quick")
    let last = graph.add("last")
    graph.addDependency(of: last, on: quick)
    _ = graph.add("slow")
    let expected: [Duration?] = [.seconds(1), .seconds(1), .seconds(60)]
    #expect(try order(graph, expected: expected) == ["slow", "quick", "last"])
    // What is not known is the mean of what is.
    #expect(try order(graph, expected: [nil, nil, .seconds(60)]) == ["quick", "last", "slow"])
  }

  @Test func `Of pools with room the task that comes first starts`() throws {
    var graph = LaunchGraph()
    let pool = graph.addPool(limit: 1)
    _ = graph.add("a")
    _ = graph.add("b", settings: TaskSettings(pool: pool, priority: 1))
    _ = graph.add("c", settings: TaskSettings(pool: pool))
    _ = graph.add("d", settings: TaskSettings(priority: 2))
    #expect(try order(graph) == ["d", "b", "a", "c"])
  }

  @Test func `Random orders are those of a sort`() throws {
    for seed in 0..<200 {
      var generator = SeededRandom(UInt64(seed))
      var graph = LaunchGraph()
      let pools = [nil, graph.addPool(limit: 9), graph.addPool(limit: 9)]
      var keys: [(priority: Int32, expected: Int, name: String)] = []
      let hasPriorities = generator.once(in: 2)
      for place in 0..<Int.random(in: 1...80, using: &generator) {
        let priority = hasPriorities ? Int32.random(in: -1...1, using: &generator) : 0
        let settings = TaskSettings(
          pool: pools.randomElement(using: &generator) ?? nil, priority: priority)
        _ = graph.add("\(place)", settings: settings)
        keys.append((priority, Int.random(in: 1...5, using: &generator), "\(place)"))
      }
      let wanted = keys.enumerated().sorted {
        ($1.element.priority, $1.element.expected, $0.offset)
          < ($0.element.priority, $0.element.expected, $1.offset)
      }
      let found = try order(graph, expected: keys.map { .seconds($0.expected) })
      #expect(found == wanted.map(\.element.name), "seed \(seed)")
    }
  }
}
