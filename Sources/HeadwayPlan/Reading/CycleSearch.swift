/// Finds dependency cycles with Tarjan's algorithm for strongly connected components, without recursion.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972).
struct CycleSearch {
  private let tasks: [Plan.Task]
  /// The order in which tasks were first visited, from 1; 0 for tasks not visited.
  private var order: [Int32]
  /// The earliest order that each task reaches among those without a component.
  private var low: [Int32]
  /// The component of each finished task, from 1; 0 for tasks without one.
  private var component: [Int32]
  /// The visited tasks without a component.
  private var stack: [Int] = []
  /// The tasks from the root of the search to the current one, each with its next position in `after`.
  private var path: [(task: Int, next: Int)] = []
  private var visitedCount: Int32 = 0
  private var componentCount: Int32 = 0
  /// The first task of each component that contains a cycle.
  private var starts: [Int] = []

  private init(_ tasks: [Plan.Task]) {
    self.tasks = tasks
    order = Array(repeating: 0, count: tasks.count)
    low = order
    component = order
  }

  /// Returns, for each component with a cycle, a shortest cycle through its first task, which is at both ends.
  ///
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* dependencies.
  static func cycles(in tasks: [Plan.Task]) -> [[Int]] {
    var search = CycleSearch(tasks)
    for task in tasks.indices where search.order[task] == 0 { search.explore(from: task) }
    return search.starts.sorted().map { search.shortestCycle(from: $0) }
  }

  /// Visits a task and everything that it depends on.
  private mutating func explore(from first: Int) {
    enter(first)
    while let (task, next) = path.last {
      if next < tasks[task].after.count {
        path[path.count - 1].next += 1
        let dependency = tasks[task].after[next]
        if order[dependency] == 0 {
          enter(dependency)
        } else if component[dependency] == 0 {
          low[task] = min(low[task], order[dependency])
        }
      } else {
        path.removeLast()
        if low[task] == order[task] { closeComponent(at: task) }
        if let above = path.last?.task { low[above] = min(low[above], low[task]) }
      }
    }
  }

  /// Starts to visit a task.
  private mutating func enter(_ task: Int) {
    visitedCount += 1
    order[task] = visitedCount
    low[task] = visitedCount
    stack.append(task)
    path.append((task, 0))
  }

  /// Pops a finished component off the stack.
  private mutating func closeComponent(at task: Int) {
    componentCount += 1
    var first = task
    var size = 0
    while let member = stack.popLast() {
      component[member] = componentCount
      first = min(first, member)
      size += 1
      if member == task { break }
    }
    if size > 1 || tasks[task].after.contains(task) { starts.append(first) }
  }

  /// Returns a shortest path from a task back to itself, found by breadth-first search.
  private func shortestCycle(from start: Int) -> [Int] {
    var origin: [Int: Int] = [:]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let task = queue[head]
      head += 1
      for dependency in tasks[task].after where component[dependency] == component[start] {
        if dependency == start { return path(to: task, from: start, origin) + [start] }
        if origin.updateValue(origin[dependency] ?? task, forKey: dependency) == nil {
          queue.append(dependency)
        }
      }
    }
    preconditionFailure("task \(start) is in a component without a cycle")
  }

  /// Returns the path by which the search reached a task.
  private func path(to end: Int, from start: Int, _ origin: [Int: Int]) -> [Int] {
    var path = [end]
    while let last = path.last, last != start, let before = origin[last] { path.append(before) }
    return path.reversed()
  }
}
