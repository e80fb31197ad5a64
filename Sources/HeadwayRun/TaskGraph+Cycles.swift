extension TaskGraph {
  /// A shortest dependency cycle through the first task of each group of tasks that depend on each other.
  ///
  /// - Returns: For each group a path of indices in which each task depends on the next one; the first task is also the
  ///   last. Empty for a graph without cycles.
  /// - Complexity: O(tasks + edges).
  package func cycles() -> [[Int]] {
    if topologicalOrder().count == count { return [] }
    // Rows of dependencies in place of dependents.
    var search = CycleSearch(reversed)
    return search.cycles()
  }
}

/// Finds the groups of tasks that depend on each other: strongly connected components, without recursion.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1 (1972).
private struct CycleSearch {
  /// The graph, whose rows hold the dependencies of each task.
  private let graph: TaskGraph
  /// When each task was first seen, from 1; 0 for not yet.
  private var order: [Int32]
  /// The earliest task that each one reaches among those on the stack.
  private var low: [Int32]
  /// The group of each finished task, 0 for none yet.
  private var group: [Int32]
  /// The tasks that were seen and have no group yet.
  private var stack: [Int] = []
  /// The tasks of the depth-first path, each with the position at which its search goes on.
  private var path: [(task: Int, next: Int)] = []
  /// The number of tasks seen.
  private var seen: Int32 = 0
  /// The number of groups.
  private var groups: Int32 = 0
  /// The first task of each group that has a cycle.
  private var starts: [Int] = []

  init(_ graph: TaskGraph) {
    self.graph = graph
    order = Array(repeating: 0, count: graph.count)
    low = order
    group = order
  }

  /// See `TaskGraph.cycles()`.
  mutating func cycles() -> [[Int]] {
    for task in 0..<graph.count where order[task] == 0 { explore(from: task) }
    return starts.sorted().map { shortestCycle(from: $0) }
  }

  /// Visits everything that a task depends on.
  private mutating func explore(from first: Int) {
    enter(first)
    while let (task, next) = path.last {
      if next < graph.dependentCount(of: task) {
        path[path.count - 1].next += 1
        let dependency = graph.dependent(next, of: task)
        if order[dependency] == 0 {
          enter(dependency)
        } else if group[dependency] == 0 {
          low[task] = min(low[task], order[dependency])
        }
      } else {
        path.removeLast()
        if low[task] == order[task] { closeGroup(at: task) }
        if let above = path.last?.task { low[above] = min(low[above], low[task]) }
      }
    }
  }

  /// Puts a task on the path.
  private mutating func enter(_ task: Int) {
    seen += 1
    order[task] = seen
    low[task] = seen
    stack.append(task)
    path.append((task, 0))
  }

  /// Takes a finished group from the stack.
  private mutating func closeGroup(at task: Int) {
    groups += 1
    var first = task
    var size = 0
    while let member = stack.popLast() {
      group[member] = groups
      first = min(first, member)
      size += 1
      if member == task { break }
    }
    let dependsOnItself = (0..<graph.dependentCount(of: task)).contains {
      graph.dependent($0, of: task) == task
    }
    if size > 1 || dependsOnItself { starts.append(first) }
  }

  /// The tasks of a shortest path from a task back to itself, by breadth-first search.
  private func shortestCycle(from start: Int) -> [Int] {
    var origin: [Int: Int] = [:]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let task = queue[head]
      head += 1
      for position in 0..<graph.dependentCount(of: task) {
        let dependency = graph.dependent(position, of: task)
        guard group[dependency] == group[start] else { continue }
        if dependency == start { return path(to: task, from: start, origin) + [start] }
        if origin.updateValue(origin[dependency] ?? task, forKey: dependency) == nil {
          queue.append(dependency)
        }
      }
    }
    preconditionFailure("task \(start) is in a group without a cycle")
  }

  /// The tasks from the start of the search to one that it reached.
  private func path(to end: Int, from start: Int, _ origin: [Int: Int]) -> [Int] {
    var path = [end]
    while let last = path.last, last != start, let before = origin[last] { path.append(before) }
    return path.reversed()
  }
}
