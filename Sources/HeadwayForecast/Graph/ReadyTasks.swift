internal import HeadwayCollections

/// The ready tasks of a simulation, in the order in which they start.
protocol ReadyTasks {
  /// Forgets the simulation before.
  mutating func reset(for remaining: RemainingGraph)
  /// Adds a ready task.
  mutating func insert(_ task: Int32, _ remaining: RemainingGraph)
  /// Removes and returns the task that starts next, nil if none may start.
  mutating func popFirst(_ remaining: RemainingGraph) -> Int32?
  /// Records a task that has started before the simulation.
  mutating func didStart(_ task: Int32, _ remaining: RemainingGraph)
  /// Records the end of a task.
  mutating func didEnd(_ task: Int32, _ remaining: RemainingGraph)
}

extension ReadyTasks {
  @inline(__always)
  mutating func didStart(_ task: Int32, _ remaining: RemainingGraph) {}
  @inline(__always)
  mutating func didEnd(_ task: Int32, _ remaining: RemainingGraph) {}
}

/// Ready tasks that start in the order in which they became ready.
struct ReadyQueue: ReadyTasks, Sendable {
  private var tasks: [Int32] = []
  private var next = 0

  init() {}

  mutating func reset(for remaining: RemainingGraph) {
    tasks.removeAll(keepingCapacity: true)
    next = 0
  }

  @inline(__always)
  mutating func insert(_ task: Int32, _ remaining: RemainingGraph) { tasks.append(task) }

  @inline(__always)
  mutating func popFirst(_ remaining: RemainingGraph) -> Int32? {
    guard next < tasks.count else { return nil }
    defer { next &+= 1 }
    return tasks[next]
  }
}

/// Ready tasks that start by rank.
struct RankedTasks: ReadyTasks, Sendable {
  private var ranks = Heap<Int32>()

  init() {}

  mutating func reset(for remaining: RemainingGraph) { ranks.removeAll() }

  @inline(__always)
  mutating func insert(_ task: Int32, _ remaining: RemainingGraph) {
    ranks.insert(remaining.ranks[Int(task)])
  }

  @inline(__always)
  mutating func popFirst(_ remaining: RemainingGraph) -> Int32? {
    ranks.popMin().map { remaining.taskOfRank[Int($0)] }
  }
}

/// Ready tasks in pools of limited size; those of a full pool wait in its line.
struct PooledTasks: ReadyTasks, Sendable {
  /// The ready tasks by key: the rank, or the number of tasks that were ready before.
  private var ready = Heap<Int32>()
  /// The task of each key.
  private var taskOfKey = ContiguousArray<Int32>()
  /// The keys that wait for each pool.
  private var lines: [Heap<Int32>] = []
  /// The number of tasks of each pool that run.
  private var runningCounts: [Int32] = []
  /// The number of keys in use, without ranks.
  private var keyCount: Int32 = 0

  init() {}

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
    ready.removeAll()
    keyCount = 0
  }

  mutating func insert(_ task: Int32, _ remaining: RemainingGraph) {
    var key = keyCount
    if remaining.ranks.isEmpty { keyCount += 1 } else { key = remaining.ranks[Int(task)] }
    taskOfKey[Int(key)] = task
    ready.insert(key)
  }

  mutating func popFirst(_ remaining: RemainingGraph) -> Int32? {
    while let key = ready.popMin() {
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

  mutating func didEnd(_ task: Int32, _ remaining: RemainingGraph) {
    let pool = Int(remaining.pools[Int(task)])
    guard pool >= 0 else { return }
    runningCounts[pool] -= 1
    if let first = lines[pool].popMin() { ready.insert(first) }
  }
}
