import HeadwayCollections
import Testing

@testable import HeadwayRun

/// `TaskGraph` against a model of lists and sets.
struct TaskGraphTests {
  /// The dependents of each task, in the order in which they were added.
  private struct Model {
    var dependents: [[Int]] = []

    var edges: [TaskGraph.Edge] {
      dependents.enumerated().flatMap { before, dependents in
        dependents.map { TaskGraph.Edge(before: before, after: $0) }
      }
    }

    /// The tasks that a task reaches by one dependency or more.
    func reached(from start: Int) -> Set<Int> {
      var reached: Set<Int> = []
      var open = dependents[start]
      while let task = open.popLast() {
        if reached.insert(task).inserted { open += dependents[task] }
      }
      return reached
    }

    /// The number of dependencies on a shortest cycle through a task, nil if there is none.
    func shortestCycle(through start: Int) -> Int? {
      var frontier: Set<Int> = [start]
      for length in 1...max(1, dependents.count) {
        frontier = Set(frontier.flatMap { dependents[$0] })
        if frontier.contains(start) { return length }
      }
      return nil
    }
  }

  /// A random graph, built at once or task by task; later tasks depend on earlier ones unless cycles are allowed.
  private func random(
    _ numbers: inout SplitMix64, allowsCycles: Bool
  ) -> (graph: TaskGraph, model: Model) {
    let count = Int.random(in: 0...24, using: &numbers)
    var model = Model(dependents: Array(repeating: [], count: count))
    var edges: [TaskGraph.Edge] = []
    if count > 0 {
      for _ in 0..<Int.random(in: 0...(2 * count), using: &numbers) {
        var before = Int.random(in: 0..<count, using: &numbers)
        var after = Int.random(in: 0..<count, using: &numbers)
        if !allowsCycles {
          if before == after { continue }
          (before, after) = (min(before, after), max(before, after))
        }
        edges.append(TaskGraph.Edge(before: before, after: after))
      }
    }
    guard !allowsCycles, numbers.once(in: 2) else {
      for edge in edges { model.dependents[edge.before].append(edge.after) }
      return (TaskGraph(taskCount: count, edges: edges), model)
    }
    var graph = TaskGraph()
    for task in 0..<count {
      let dependencies = edges.filter { $0.after == task }.map(\.before)
      #expect(graph.addTask(after: dependencies) == task)
      for before in dependencies { model.dependents[before].append(task) }
      if numbers.once(in: 5) { graph.pack() }
    }
    return (graph, model)
  }

  private func expectEqual(_ graph: TaskGraph, _ model: Model) {
    #expect(graph.count == model.dependents.count)
    #expect(graph.edgeCount == model.edges.count)
    #expect(graph.edges == model.edges)
    for task in 0..<graph.count {
      let dependents = (0..<graph.dependentCount(of: task)).map { graph.dependent($0, of: task) }
      #expect(dependents == model.dependents[task])
      #expect(Int(graph.dependencyCounts[task]) == model.edges.count { $0.after == task })
    }
  }

  @Test(arguments: 0..<400)
  func `A random graph has the dependents that were added, packed or not`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    var (graph, model) = random(&numbers, allowsCycles: seed % 2 == 0)
    expectEqual(graph, model)
    graph.pack()
    #expect(graph.isPacked)
    expectEqual(graph, model)
  }

  @Test(arguments: 0..<400)
  func `The topological order has each task after all that it depends on`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    let (graph, model) = random(&numbers, allowsCycles: seed % 2 == 0)
    let order = graph.topologicalOrder().map { Int($0) }
    let onCycle = Set((0..<graph.count).filter { model.reached(from: $0).contains($0) })
    let missing = onCycle.union(onCycle.flatMap { model.reached(from: $0) })
    #expect(order.count == Set(order).count)
    #expect(Set(order) == Set(0..<graph.count).subtracting(missing))
    var positions: [Int: Int] = [:]
    for (position, task) in order.enumerated() { positions[task] = position }
    for edge in model.edges {
      guard let after = positions[edge.after] else { continue }
      #expect(positions[edge.before].map { $0 < after } ?? false)
    }
  }

  @Test(arguments: 0..<400)
  func `There is a shortest cycle for each group of tasks that depend on each other`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    let (graph, model) = random(&numbers, allowsCycles: seed % 4 != 0)
    let reached = (0..<graph.count).map { model.reached(from: $0) }
    let onCycle = (0..<graph.count).filter { reached[$0].contains($0) }
    // The first task of each group, in ascending order.
    let firsts = onCycle.filter { task in
      !onCycle.contains { $0 < task && reached[$0].contains(task) && reached[task].contains($0) }
    }
    let cycles = graph.cycles()
    #expect(cycles.map(\.first) == firsts)
    for cycle in cycles {
      #expect(cycle.first == cycle.last)
      #expect(cycle.first.map { model.shortestCycle(through: $0) } == cycle.count - 1)
      for (task, dependency) in zip(cycle, cycle.dropFirst()) {
        #expect(model.dependents[dependency].contains(task))
      }
    }
  }

  @Test func `Self-loops and separate groups each have a cycle of their own`() {
    let pairs = [(0, 0), (1, 2), (2, 3), (3, 1), (3, 4), (5, 4), (4, 5), (6, 1)]
    let graph = TaskGraph(
      taskCount: 7, edges: pairs.map { TaskGraph.Edge(before: $0.0, after: $0.1) })
    #expect(graph.cycles() == [[0, 0], [1, 3, 2, 1], [4, 5, 4]])
    #expect(graph.topologicalOrder() == [6])
  }

  @Test(arguments: 0..<400)
  func `A critical-path length is the longest way to the end`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    let (graph, model) = random(&numbers, allowsCycles: false)
    let durations = (0..<graph.count).map { _ in
      Double(Int.random(in: 0...100, using: &numbers))
    }
    func longest(from task: Int) -> Double {
      durations[task] + (model.dependents[task].map { longest(from: $0) }.max() ?? 0)
    }
    let lengths = graph.criticalPathLengths(order: graph.topologicalOrder(), durations: durations)
    #expect(lengths.count == graph.count)
    for task in 0..<graph.count { #expect(lengths[task] == longest(from: task)) }
  }

  @Test func `Tasks that are missing from the order have no critical-path length`() {
    let graph = TaskGraph(
      taskCount: 3, edges: [.init(before: 0, after: 1), .init(before: 1, after: 2)])
    #expect(graph.criticalPathLengths(order: [0, 1], durations: [1, 2, 4]) == [3, 2, 0])
  }

  @Test func `An empty graph has no order, no edges and no cycles`() {
    var graph = TaskGraph()
    #expect(graph.isPacked && graph.count == 0 && graph.edgeCount == 0 && graph.edges.isEmpty)
    #expect(graph.topologicalOrder().isEmpty && graph.cycles().isEmpty)
    graph.addTask()
    #expect(graph.count == 1 && graph.topologicalOrder() == [0])
  }
}
