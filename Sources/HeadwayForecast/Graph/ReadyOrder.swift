internal import HeadwayCollections

/// The order in which the ready tasks of a simulation start; the tasks themselves are in a span.
protocol ReadyOrder {
  /// Forgets the previous simulation.
  mutating func reset(for remaining: RemainingGraph)
  /// Adds a ready task.
  mutating func insert(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
  /// Removes and returns the task that starts next, nil if none may start.
  mutating func popFirst(from ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
    -> Int32?
  /// Records a task that has started before the simulation.
  mutating func didStart(_ task: Int32, _ remaining: RemainingGraph)
  /// Records the end of a task.
  mutating func didEnd(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
}

extension ReadyOrder {
  @inline(__always)
  mutating func didStart(_ task: Int32, _ remaining: RemainingGraph) {}
  @inline(__always)
  mutating func didEnd(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {}
}

/// Starts tasks in the order in which they became ready.
struct ReadyQueue: ReadyOrder, Sendable {
  private var first = 0
  private var end = 0

  @inline(__always)
  mutating func reset(for remaining: RemainingGraph) { (first, end) = (0, 0) }

  @inline(__always)
  mutating func insert(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {
    ready[end] = task
    end &+= 1
  }

  @inline(__always)
  mutating func popFirst(from ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
    -> Int32?
  {
    guard first < end else { return nil }
    defer { first &+= 1 }
    return ready[first]
  }
}

/// Starts tasks by rank.
struct RankedTasks: ReadyOrder, Sendable {
  private var count = 0

  @inline(__always)
  mutating func reset(for remaining: RemainingGraph) { count = 0 }

  @inline(__always)
  mutating func insert(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {
    ready.insertIntoHeap(remaining.ranks[Int(task)], count: &count)
  }

  @inline(__always)
  mutating func popFirst(from ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
    -> Int32?
  {
    guard count > 0 else { return nil }
    return remaining.taskOfRank[Int(ready.popFromHeap(count: &count))]
  }
}

/// Starts tasks in pools of limited size; those of a full pool wait in its line.
struct PooledTasks: ReadyOrder, Sendable {
  /// The number of ready tasks, a heap of keys: the rank, or the number of tasks that were ready before.
  private var count = 0
  /// The task of each key.
  private var taskOfKey = ContiguousArray<Int32>()
  /// The keys that wait for each pool.
  private var lines: [Heap<Int32>] = []
  /// The number of tasks of each pool that run.
  private var runningCounts: [Int32] = []
  /// The number of keys in use, without ranks.
  private var keyCount: Int32 = 0

  mutating func reset(for remaining: RemainingGraph) {
    let taskCount = remaining.openDependencies.count
    if taskOfKey.count != taskCount {
      taskOfKey = ContiguousArray(repeating: 0, count: taskCount)
    }
    let poolCount = remaining.poolLimits.count
    if lines.count != poolCount {
      lines = Array(repeating: Heap(), count: poolCount)
      runningCounts = Array(repeating: 0, count: poolCount)
    }
    for pool in lines.indices {
      lines[pool].removeAll()
      runningCounts[pool] = 0
    }
    count = 0
    keyCount = 0
  }

  mutating func insert(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {
    var key = keyCount
    if remaining.ranks.isEmpty { keyCount += 1 } else { key = remaining.ranks[Int(task)] }
    taskOfKey[Int(key)] = task
    ready.insertIntoHeap(key, count: &count)
  }

  mutating func popFirst(from ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
    -> Int32?
  {
    while count > 0 {
      let key = ready.popFromHeap(count: &count)
      let task = taskOfKey[Int(key)]
      let pool = Int(remaining.pools[Int(task)])
      guard pool >= 0 else { return task }
      if runningCounts[pool] < remaining.poolLimits[pool] {
        runningCounts[pool] += 1
        return task
      }
      lines[pool].insert(key)
    }
    return nil
  }

  mutating func didStart(_ task: Int32, _ remaining: RemainingGraph) {
    let pool = Int(remaining.pools[Int(task)])
    if pool >= 0 { runningCounts[pool] += 1 }
  }

  mutating func didEnd(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {
    let pool = Int(remaining.pools[Int(task)])
    guard pool >= 0 else { return }
    runningCounts[pool] -= 1
    if let first = lines[pool].popMin() { ready.insertIntoHeap(first, count: &count) }
  }
}
