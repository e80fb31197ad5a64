internal import HeadwayCollections

/// The ready tasks, for each pool in the order in which they start.
///
/// The tasks of a graph are ranked once, with the tasks of one pool side by side in the order in which they start. A
/// ready task is a bit at its rank. Ready tasks that were added later are in a heap of their pool.
///
/// ```
///   rank    0    1    2    3    4    5
///   task   t2   t0   t5   t1   t3   t4
///           no pool      │  pool 1
/// ```
struct ReadyTasks: Sendable {
  /// The key that decides which of two ready tasks starts first.
  struct Key: Comparable, Sendable {
    /// The priority; the higher one first.
    var priority: Int32
    /// The critical-path length; the longer one first.
    var criticalPathLength: Int64
    /// The index of the task; the lower one first.
    var index: Int32

    static func < (left: Key, right: Key) -> Bool {
      if left.priority != right.priority { return left.priority > right.priority }
      if left.criticalPathLength != right.criticalPathLength {
        return left.criticalPathLength > right.criticalPathLength
      }
      return left.index < right.index
    }
  }

  /// The ready tasks of the graph, by rank.
  private var ready: BitSet
  /// The rank of each task of the graph; empty if it equals the index.
  private let ranks: [Int32]
  /// The task of each rank; empty if it equals the rank.
  private let tasks: [Int32]
  /// The first rank of each pool, and the end.
  private let starts: [Int]
  /// The ready tasks that were added later, by pool.
  private var late: [Heap<Key>]

  /// Ranks the tasks of a graph.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - poolCount: The number of pools, including the one for tasks without a pool.
  ///   - pool: Returns the pool of a task.
  ///   - key: Returns the key of a task.
  /// - Complexity: O(tasks) if the tasks are in order or there are few different keys, otherwise O(tasks · log tasks).
  init(count: Int, poolCount: Int, pool: (Int) -> Int, key: (Int) -> Key) {
    var starts = Array(repeating: 0, count: poolCount + 1)
    var isInOrder = true
    if poolCount == 1 {
      starts[1] = count
    } else {
      for index in 0..<count { starts[pool(index) + 1] += 1 }
      for index in 0..<poolCount { starts[index + 1] += starts[index] }
      isInOrder = starts[1] == count
    }
    if isInOrder, count > 1 {
      var last = key(0)
      for index in 1..<count {
        let next = key(index)
        if next < last {
          isInOrder = false
          break
        }
        last = next
      }
    }
    self.starts = starts
    ready = BitSet(capacity: count)
    late = Array(repeating: Heap<Key>(), count: poolCount)
    if isInOrder {
      (ranks, tasks) = ([], [])
    } else {
      let tasks = Self.ranked(count: count, starts: starts, pool: pool, key: key)
      var ranks = Array(repeating: Int32(0), count: count)
      for (rank, task) in tasks.enumerated() { ranks[Int(task)] = Int32(rank) }
      (self.ranks, self.tasks) = (ranks, tasks)
    }
  }

  /// The tasks by rank.
  private static func ranked(
    count: Int, starts: [Int], pool: (Int) -> Int, key: (Int) -> Key
  ) -> [Int32] {
    var tasks = Array(repeating: Int32(0), count: count)
    var next = starts
    for index in 0..<count {
      let pool = pool(index)
      tasks[next[pool]] = Int32(index)
      next[pool] += 1
    }
    let keys = (0..<count).map(key)
    for pool in 0..<(starts.count - 1) {
      KeyOrder.sort(&tasks, starts[pool]..<starts[pool + 1], keys)
    }
    return tasks
  }

  /// Adds a ready task of the graph.
  ///
  /// - Returns: Whether it is a task of the graph; for others, call `insertLate`.
  /// - Complexity: O(1).
  @inline(__always)
  mutating func insert(_ index: Int) -> Bool {
    guard index < starts[starts.count - 1] else { return false }
    ready.insert(ranks.isEmpty ? index : Int(ranks[index]))
    return true
  }

  /// Adds a ready task that was added to the run.
  ///
  /// - Complexity: O(log late).
  mutating func insertLate(_ key: Key, pool: Int) { late[pool].insert(key) }

  /// Removes a task; one that was added later stays until it would start.
  mutating func remove(_ index: Int) {
    if index < starts[starts.count - 1] {
      ready.remove(ranks.isEmpty ? index : Int(ranks[index]))
    }
  }

  /// The next task of a pool among those of the graph, nil if there is none.
  @inline(__always)
  func first(of pool: Int) -> Int? {
    guard let rank = ready.first(from: starts[pool]), rank < starts[pool + 1] else { return nil }
    return tasks.isEmpty ? rank : Int(tasks[rank])
  }

  /// The next task of a pool among those that were added later, nil if there is none.
  @inline(__always)
  func firstLate(of pool: Int) -> Key? { late[pool].min }

  /// Removes the next task of a pool.
  mutating func removeFirst(_ index: Int, pool: Int) {
    if index < starts[starts.count - 1] { remove(index) } else { late[pool].popMin() }
  }
}

/// Sorting by key.
enum KeyOrder {
  /// Sorts a range of tasks that are in the order of their indices.
  ///
  /// - Complexity: O(n) if the path lengths are numbers of tasks, otherwise O(n · log n).
  static func sort(_ tasks: inout [Int32], _ range: Range<Int>, _ keys: [ReadyTasks.Key]) {
    guard let first = range.first else { return }
    let priority = keys[Int(tasks[first])].priority
    var most: Int64 = 0
    var isPlain = true
    for rank in range {
      let key = keys[Int(tasks[rank])]
      most = max(most, key.criticalPathLength)
      isPlain = isPlain && key.priority == priority && key.criticalPathLength >= 0
    }
    guard isPlain, most <= 4 * Int64(range.count) else {
      return tasks[range].sort { keys[Int($0)] < keys[Int($1)] }
    }
    // A stable counting sort, the longest first.
    var next = Array(repeating: range.lowerBound, count: Int(most) + 2)
    for rank in range { next[Int(most - keys[Int(tasks[rank])].criticalPathLength) + 1] += 1 }
    for index in 1..<next.count { next[index] += next[index - 1] - range.lowerBound }
    let before = Array(tasks[range])
    for task in before {
      let index = Int(most - keys[Int(task)].criticalPathLength)
      tasks[next[index]] = task
      next[index] += 1
    }
  }
}
