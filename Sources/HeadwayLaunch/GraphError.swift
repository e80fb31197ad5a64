/// What can be wrong with a graph.
@nonexhaustive
public enum GraphError: Error, Hashable, Sendable {
  /// Tasks wait for each other in a circle: each names the one that it waits for, and the last the first.
  case cycle([TaskID])
}

/// The edges of a graph, arranged so that each task's dependents stand together.
struct Adjacency {
  /// The number of tasks that each task waits for.
  var waitsFor: [Int32]
  /// Where each task's dependents begin, with one more entry at the end.
  var start: [Int32]
  /// The tasks that wait for each task, one after another.
  var dependents: [Int32]

  /// Arranges the edges of a graph.
  ///
  /// - Complexity: O(tasks + edges).
  init(_ graph: LaunchGraph) {
    waitsFor = Array(repeating: 0, count: graph.count)
    start = Array(repeating: 0, count: graph.count + 1)
    dependents = Array(repeating: 0, count: graph.edges.count)
    for edge in graph.edges {
      waitsFor[edge.after.index] += 1
      start[edge.before.index + 1] += 1
    }
    for place in 0..<graph.count { start[place + 1] += start[place] }
    var next = start
    for edge in graph.edges {
      dependents[Int(next[edge.before.index])] = Int32(edge.after.index)
      next[edge.before.index] += 1
    }
  }

  /// Finds tasks that wait for each other in a circle.
  ///
  /// - Returns: The circle, each task followed by one that it waits for; nil when there is none.
  /// - Complexity: O(tasks + edges).
  func cycle() -> [TaskID]? {
    var open = waitsFor
    var stack = open.indices.filter { open[$0] == 0 }
    var settled = 0
    while let place = stack.popLast() {
      settled += 1
      for edge in start[place]..<start[place + 1] {
        let dependent = Int(dependents[Int(edge)])
        open[dependent] -= 1
        if open[dependent] == 0 { stack.append(dependent) }
      }
    }
    guard settled < open.count else { return nil }
    return circle(among: open)
  }

  /// Walks backwards through tasks that can never start until one comes up again.
  private func circle(among open: [Int32]) -> [TaskID] {
    // Every task that is still open waits for another open one: remember one of them for each.
    var waits = Array(repeating: -1, count: open.count)
    for place in open.indices where open[place] > 0 {
      for edge in start[place]..<start[place + 1] { waits[Int(dependents[Int(edge)])] = place }
    }
    var seen: [Int: Int] = [:]
    var path: [Int] = []
    var place = open.firstIndex { $0 > 0 } ?? 0
    while seen[place] == nil {
      seen[place] = path.count
      path.append(place)
      place = waits[place]
    }
    return path[(seen[place] ?? 0)...].map { TaskID($0) }
  }
}
