internal import HeadwayCollections
internal import HeadwayRun

/// The ready tasks, for each queue in the order in which they start.
///
/// A queue has the tasks of a pool, or of none; if tasks need something of their machine, those of a pool that need the same. The
/// tasks of a graph are ranked once, with the tasks of one queue side by side in the order in which they start. A ready task is a
/// bit at its rank. Ready tasks that were added later are in a heap of their queue.
///
/// ```
///   rank    0    1    2    3    4    5
///   task   t2   t0   t5   t1   t3   t4
///           no pool      │  pool 1
/// ```
struct ReadyTasks: Sendable {
  /// What the tasks of a queue have in common, if tasks need something of their machine.
  struct Queue: Hashable, Sendable {
    /// The index of the pool plus 1, 0 for none.
    let pool: Int
    /// What each task needs.
    let needs: Resources
  }

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
  /// The first rank of each queue, and the end.
  private let starts: [Int]
  /// The ready tasks that were added later, by queue.
  private var late: [Heap<Key>]
  /// The number of ready tasks that were added later, most often 0.
  private var lateCount = 0

  /// Ranks the tasks of a graph.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - queueCount: The number of queues.
  ///   - queue: Returns the queue of a task.
  ///   - key: Returns the key of a task.
  /// - Complexity: O(tasks) if the tasks are in order or there are few different keys, otherwise O(tasks · log tasks).
  init(count: Int, queueCount: Int, queue: (Int) -> Int, key: (Int) -> Key) {
    var starts = Array(repeating: 0, count: queueCount + 1)
    var isInOrder = true
    if queueCount == 1 {
      starts[1] = count
    } else {
      for index in 0..<count { starts[queue(index) + 1] += 1 }
      for index in 0..<queueCount { starts[index + 1] += starts[index] }
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
    late = Array(repeating: Heap<Key>(), count: queueCount)
    if isInOrder {
      (ranks, tasks) = ([], [])
    } else {
      let tasks = Self.ranked(count: count, starts: starts, queue: queue, key: key)
      var ranks = Array(repeating: Int32(0), count: count)
      for (rank, task) in tasks.enumerated() { ranks[Int(task)] = Int32(rank) }
      (self.ranks, self.tasks) = (ranks, tasks)
    }
  }

  /// The tasks by rank.
  private static func ranked(
    count: Int, starts: [Int], queue: (Int) -> Int, key: (Int) -> Key
  ) -> [Int32] {
    var tasks = Array(repeating: Int32(0), count: count)
    var next = starts
    for index in 0..<count {
      let queue = queue(index)
      tasks[next[queue]] = Int32(index)
      next[queue] += 1
    }
    let keys = (0..<count).map(key)
    for queue in 0..<(starts.count - 1) {
      KeyOrder.sort(&tasks, starts[queue]..<starts[queue + 1], keys)
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
  mutating func insertLate(_ key: Key, queue: Int) {
    late[queue].insert(key)
    lateCount += 1
  }

  /// Removes a task; one that was added later stays until it would start.
  mutating func remove(_ index: Int) {
    if index < starts[starts.count - 1] {
      ready.remove(ranks.isEmpty ? index : Int(ranks[index]))
    }
  }

  /// The next task of a queue among those of the graph, nil if there is none.
  @inline(__always)
  func first(of queue: Int) -> Int? {
    guard let rank = ready.first(from: starts[queue]), rank < starts[queue + 1] else { return nil }
    return tasks.isEmpty ? rank : Int(tasks[rank])
  }

  /// How many tasks of a queue are ready, at most a number.
  ///
  /// - Complexity: O(`most`), and the tasks of the queue that are not ready, 64 at a time.
  func count(of queue: Int, atMost most: Int) -> Int {
    var count = 0
    var rank = starts[queue]
    while count < most, let next = ready.first(from: rank), next < starts[queue + 1] {
      count += 1
      rank = next + 1
    }
    return min(count + late[queue].count, max(most, 0))
  }

  /// The next task of a queue among those that were added later, nil if there is none.
  @inline(__always)
  func firstLate(of queue: Int) -> Key? { lateCount == 0 ? nil : late[queue].min }

  /// Removes the next task of a queue.
  mutating func removeFirst(_ index: Int, queue: Int) {
    if index < starts[starts.count - 1] { return remove(index) }
    late[queue].popMin()
    lateCount -= 1
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
