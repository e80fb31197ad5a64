internal import HeadwayCollections

/// The order in which the ready tasks of a simulation start; the tasks themselves are in a span.
protocol ReadyOrder {
  /// Forgets the previous simulation.
  mutating func reset(_ ready: inout MutableSpan<Int32>, for remaining: RemainingGraph)
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
  mutating func reset(_ ready: inout MutableSpan<Int32>, for remaining: RemainingGraph) {
    (first, end) = (0, 0)
  }

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
///
/// The ready tasks are a set of bits, one for each rank, in the elements of the span: first the bits of all ranks, then one
/// bit for each of those elements that is not 0. So the lowest rank is found in a few steps, where a heap takes log n.
struct RankedTasks: ReadyOrder, Sendable {
  private var count = 0
  /// The number of elements with the bits of the ranks; those about these elements follow.
  private var wordCount = 0

  @inline(__always)
  mutating func reset(_ ready: inout MutableSpan<Int32>, for remaining: RemainingGraph) {
    count = 0
    wordCount = (remaining.ranks.count &+ 31) &>> 5
    // A graph of n tasks has n + 1 elements, which is always enough.
    for index in 0..<wordCount &+ (wordCount &+ 31) &>> 5 { ready[index] = 0 }
  }

  @inline(__always)
  mutating func insert(
    _ task: Int32, into ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph
  ) {
    let rank = Int(remaining.ranks[Int(task)])
    let word = rank &>> 5
    ready[word] |= 1 &<< Int32(truncatingIfNeeded: rank)
    ready[wordCount &+ word &>> 5] |= 1 &<< Int32(truncatingIfNeeded: word)
    count &+= 1
  }

  @inline(__always)
  mutating func popFirst(from ready: inout MutableSpan<Int32>, _ remaining: RemainingGraph)
    -> Int32?
  {
    guard count > 0 else { return nil }
    count &-= 1
    var group = wordCount
    while ready[group] == 0 { group &+= 1 }
    let word = (group &- wordCount) &<< 5 &+ ready[group].trailingZeroBitCount
    let rank = word &<< 5 &+ ready[word].trailingZeroBitCount
    // Without its lowest bit.
    ready[word] &= ready[word] &- 1
    if ready[word] == 0 { ready[group] &= ready[group] &- 1 }
    return remaining.taskOfRank[rank]
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

  mutating func reset(_ ready: inout MutableSpan<Int32>, for remaining: RemainingGraph) {
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
