/// The search for tasks that wait for each other: Tarjan's strongly connected components, without recursion.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972).
struct CycleSearch {
  /// What each task waits for.
  private let tasks: [Plan.Task]
  /// When each task was first seen, from 1; 0 for not yet.
  private var order: [Int32]
  /// The earliest task that each one reaches among those still open.
  private var low: [Int32]
  /// The group of each finished task, 0 for none yet.
  private var group: [Int32]
  /// The tasks seen whose group is still open.
  private var stack: [Int] = []
  /// The tasks on the way down, each with the place in `after` where its search goes on.
  private var path: [(task: Int, next: Int)] = []
  /// The number of tasks seen.
  private var seen: Int32 = 0
  /// The number of groups.
  private var groups: Int32 = 0
  /// For each group that holds a cycle, its first task.
  private var starts: [Int] = []

  /// Prepares a search.
  init(_ tasks: [Plan.Task]) {
    self.tasks = tasks
    order = Array(repeating: 0, count: tasks.count)
    low = order
    group = order
  }

  /// Gives a shortest cycle through the first task of each group of tasks that wait for each other.
  ///
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* waits.
  static func cycles(in tasks: [Plan.Task]) -> [[Int]] {
    var search = CycleSearch(tasks)
    for task in tasks.indices where search.order[task] == 0 { search.explore(from: task) }
    return search.starts.sorted().map { search.shortestCycle(from: $0) }
  }

  /// Follows everything that a task waits for.
  private mutating func explore(from first: Int) {
    enter(first)
    while let (task, next) = path.last {
      if next < tasks[task].after.count {
        path[path.count - 1].next += 1
        let need = tasks[task].after[next]
        if order[need] == 0 {
          enter(need)
        } else if group[need] == 0 {
          low[task] = min(low[task], order[need])
        }
      } else {
        path.removeLast()
        if low[task] == order[task] { closeGroup(at: task) }
        if let above = path.last?.task { low[above] = min(low[above], low[task]) }
      }
    }
  }

  /// Begins with a task.
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
    if size > 1 || tasks[task].after.contains(task) { starts.append(first) }
  }

  /// Gives the tasks of a shortest way from a task back to itself, the task at both ends.
  private func shortestCycle(from start: Int) -> [Int] {
    var origin: [Int: Int] = [:]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let task = queue[head]
      head += 1
      for need in tasks[task].after where group[need] == group[start] {
        if need == start { return way(to: task, from: start, origin) + [start] }
        if origin.updateValue(origin[need] ?? task, forKey: need) == nil { queue.append(need) }
      }
    }
    preconditionFailure("task \(start) is in a group without a cycle")
  }

  /// Follows the search back from a task to its start.
  private func way(to end: Int, from start: Int, _ origin: [Int: Int]) -> [Int] {
    var way = [end]
    while let last = way.last, last != start, let before = origin[last] { way.append(before) }
    return way.reversed()
  }
}

extension PlanReader {
  /// Tells every group of tasks that wait for each other, with one cycle as a path.
  mutating func findCycles() {
    for cycle in CycleSearch.cycles(in: tasks) {
      let task = cycle[0]
      let shown = cycle.prefix(PlanLimits.listedNames).map {
        tasks[$0].name.prefix(PlanLimits.nameBytes)
      }
      var path = shown.joined(separator: " -> ")
      if cycle.count > shown.count {
        path += " -> (\(grouped(cycle.count - shown.count - 1)) more) -> \(tasks[task].name)"
      }
      let waiter = cycle.dropLast().first { tasks[$0].isAlways && origins[$0].needs == nil }
      let reason = waiter.map {
        "; \(quoted(tasks[$0].name)) is \"always\" without \"after\" and so waits for all others"
      }
      let message =
        cycle.count == 2
        ? "the task \(quoted(tasks[task].name)) waits for itself: \(path)\(reason ?? "")"
        : "tasks wait for each other: \(path)\(reason ?? "; remove one of these waits")"
      mistake(Int(origins[task].node), message)
    }
  }
}
