/// The dependencies between tasks: a directed graph in compressed sparse rows.
///
/// Tasks are identified by their indices, from 0. For each task the graph contains its *dependents*, the tasks that
/// wait for it, one row after another; tasks that are added later are kept separately until ``pack()``.
///
/// ```
///   starts    [0, 2, 3, 3]          task 0 has two dependents, task 1 has one, task 2 has none
///   targets   [1, 2, 2]
/// ```
///
/// A graph may contain cycles, see ``topologicalOrder()`` and ``cycles()``; code that runs it must reject them. Not
/// thread safe.
package struct TaskGraph: Sendable {
  /// A dependency: the task `after` waits for the task `before`.
  package struct Edge: Hashable, Sendable {
    @usableFromInline let beforeIndex: Int32
    @usableFromInline let afterIndex: Int32

    /// Creates a dependency.
    ///
    /// - Parameters:
    ///   - before: The index of the task that comes first.
    ///   - after: The index of the task that waits for it.
    @inlinable package init(before: Int, after: Int) {
      beforeIndex = Int32(before)
      afterIndex = Int32(after)
    }

    /// The index of the task that comes first.
    @inlinable package var before: Int { Int(beforeIndex) }
    /// The index of the task that waits for it.
    @inlinable package var after: Int { Int(afterIndex) }
  }

  /// The start of each row in `targets`, with the end of the last row as one more element.
  @usableFromInline package private(set) var starts: [Int32] = [0]
  /// The dependents of each task, one row after another.
  @usableFromInline package private(set) var targets: [Int32] = []
  /// The number of dependencies of each task.
  @usableFromInline package private(set) var dependencyCounts: [Int32] = []
  /// Dependents that were added since the rows were packed, by the task that they wait for.
  @usableFromInline private(set) var added: [Int: [Int32]] = [:]

  /// Creates a graph without tasks.
  package init() {}

  /// Creates a graph.
  ///
  /// - Parameters:
  ///   - taskCount: The number of tasks.
  ///   - edges: The dependencies; the indices must be below `taskCount`.
  /// - Complexity: O(tasks + edges).
  package init(taskCount: Int, edges: [Edge] = []) {
    var dependencyCounts = [Int32](repeating: 0, count: taskCount)
    var starts = [Int32](repeating: 0, count: taskCount + 2)
    for edge in edges {
      dependencyCounts[edge.after] += 1
      starts[edge.before + 2] += 1
    }
    for index in 0..<taskCount { starts[index + 2] += starts[index + 1] }
    var targets = [Int32](repeating: 0, count: edges.count)
    for edge in edges {
      targets[Int(starts[edge.before + 1])] = edge.afterIndex
      starts[edge.before + 1] += 1
    }
    starts.removeLast()
    self.starts = starts
    self.targets = targets
    self.dependencyCounts = dependencyCounts
  }

  /// The number of tasks.
  @inlinable package var count: Int { dependencyCounts.count }

  /// The number of dependencies.
  package var edgeCount: Int { targets.count + added.values.reduce(0) { $0 + $1.count } }

  /// The dependencies, ordered by the task that comes first.
  package var edges: [Edge] {
    (0..<count).flatMap { before in
      (0..<dependentCount(of: before)).map {
        Edge(before: before, after: dependent($0, of: before))
      }
    }
  }

  /// The graph with all edges reversed, whose rows contain the dependencies of each task.
  ///
  /// - Complexity: O(tasks + edges).
  package var reversed: TaskGraph {
    TaskGraph(
      taskCount: count, edges: edges.map { Edge(before: $0.after, after: $0.before) })
  }

  /// Whether all dependents are in the rows.
  package var isPacked: Bool { added.isEmpty && starts.count == count + 1 }

  /// Adds a task.
  ///
  /// - Parameter dependencies: The indices of the tasks that it waits for, each below `count`.
  /// - Returns: Its index.
  /// - Complexity: O(dependencies), amortized.
  @discardableResult
  package mutating func addTask(after dependencies: some Sequence<Int> = EmptyCollection()) -> Int {
    let task = count
    dependencyCounts.append(0)
    for before in dependencies {
      precondition(before < task, "task \(before) is not in this graph of \(task) tasks")
      added[before, default: []].append(Int32(task))
      dependencyCounts[task] += 1
    }
    return task
  }

  /// Moves the dependents that were added into the rows.
  ///
  /// - Complexity: O(tasks + edges) if anything was added, O(1) otherwise.
  package mutating func pack() {
    if isPacked { return }
    self = TaskGraph(taskCount: count, edges: edges)
  }

  /// The number of dependents of a task.
  @inlinable package func dependentCount(of task: Int) -> Int {
    rowCount(task) + (added.isEmpty ? 0 : added[task]?.count ?? 0)
  }

  /// A dependent of a task.
  ///
  /// - Parameters:
  ///   - position: Its position, from 0 to below `dependentCount(of:)`.
  ///   - task: The index of the task.
  /// - Returns: Its index.
  @inlinable package func dependent(_ position: Int, of task: Int) -> Int {
    let inRow = rowCount(task)
    return Int(
      position < inRow
        ? targets[Int(starts[task]) + position] : added[task, default: []][position - inRow])
  }

  /// The number of dependents in the row of a task.
  @inlinable func rowCount(_ task: Int) -> Int {
    task + 1 < starts.count ? Int(starts[task + 1] - starts[task]) : 0
  }
}

// MARK: - Order

extension TaskGraph {
  /// The tasks, each after all its dependencies; tasks on a cycle, or that depend on one, are missing.
  ///
  /// Kahn, "Topological sorting of large networks", Communications of the ACM 5 (1962).
  ///
  /// - Complexity: O(tasks + edges).
  package func topologicalOrder() -> [Int32] {
    var open = dependencyCounts
    var order: [Int32] = []
    order.reserveCapacity(count)
    for task in open.indices where open[task] == 0 { order.append(Int32(task)) }
    var next = 0
    while next < order.count {
      let task = Int(order[next])
      next += 1
      for position in 0..<dependentCount(of: task) {
        let dependent = dependent(position, of: task)
        open[dependent] -= 1
        if open[dependent] == 0 { order.append(Int32(dependent)) }
      }
    }
    return order
  }

  /// The critical-path lengths: the time from the start of each task to the end of everything that depends on it.
  ///
  /// - Parameters:
  ///   - order: The tasks in topological order; missing tasks get 0.
  ///   - durations: The duration of each task, by index, at least 0.
  /// - Returns: The lengths, by index.
  /// - Complexity: O(tasks + edges).
  package func criticalPathLengths(order: [Int32], durations: [Double]) -> [Double] {
    var lengths = [Double](repeating: 0, count: count)
    for task in order.reversed() {
      let task = Int(task)
      var longest = 0.0
      for position in 0..<dependentCount(of: task) {
        longest = max(longest, lengths[dependent(position, of: task)])
      }
      lengths[task] = durations[task] + longest
    }
    return lengths
  }
}
