extension ListSchedule {
  /// The columns of the schedule in which ready tasks have ranks and pools have limits.
  struct Ranked: Sendable {
    /// The ready tasks as a heap of their keys: the rank, or the number of those ready before.
    var heap = ContiguousArray<Int32>()
    /// The task of each key.
    var taskOfKey = ContiguousArray<Int32>()
    /// The key behind each key in the line before its full pool, -1 at the end.
    var next = ContiguousArray<Int32>()
    /// The first key in the line before each pool, -1 where nobody waits.
    var firstOfPool = ContiguousArray<Int32>()
    /// The last key in the line before each pool.
    var lastOfPool = ContiguousArray<Int32>()
    /// How many tasks of each pool run.
    var inPool = ContiguousArray<Int32>()
    /// The number of entries of the heap.
    var count = 0
    /// The number of keys given out to tasks as they became ready.
    var given: Int32 = 0

    /// Makes room and forgets the draw before.
    mutating func begin(_ rest: Rest, taskCount: Int) {
      if heap.count != taskCount + 1 || next.count != taskCount + 1 {
        heap = ContiguousArray(repeating: 0, count: taskCount + 1)
        taskOfKey = heap
        next = heap
      }
      if firstOfPool.count != rest.poolLimits.count {
        firstOfPool = ContiguousArray(repeating: -1, count: rest.poolLimits.count)
        lastOfPool = firstOfPool
        inPool = firstOfPool
      }
      for pool in rest.poolLimits.indices {
        firstOfPool[pool] = -1
        inPool[pool] = 0
      }
      (count, given) = (0, 0)
    }

    /// Puts a task among the ready ones.
    mutating func makeReady(_ task: Int32, _ rest: Rest) {
      var key = given
      if rest.ranks.isEmpty { given += 1 } else { key = rest.ranks[Int(task)] }
      taskOfKey[Int(key)] = task
      push(key)
    }

    /// Takes the ready task out that starts next; those whose pool is full go to its line.
    mutating func nextToStart(_ rest: Rest) -> Int32? {
      while count > 0 {
        let key = pop()
        let task = taskOfKey[Int(key)]
        let pool = rest.pools.isEmpty ? -1 : Int(rest.pools[Int(task)])
        guard pool >= 0 else { return task }
        if inPool[pool] < rest.poolLimits[pool] {
          inPool[pool] += 1
          return task
        }
        queue(key, before: pool)
      }
      return nil
    }

    /// Lets go of the place in a pool that a task held, and lets the first in line try again.
    mutating func release(_ task: Int32, _ rest: Rest) {
      guard !rest.pools.isEmpty, rest.pools[Int(task)] >= 0 else { return }
      let pool = Int(rest.pools[Int(task)])
      inPool[pool] -= 1
      let first = firstOfPool[pool]
      guard first >= 0 else { return }
      firstOfPool[pool] = next[Int(first)]
      push(first)
    }

    /// Counts a running task into its pool.
    mutating func occupy(_ task: Int32, _ rest: Rest) {
      guard !rest.pools.isEmpty, rest.pools[Int(task)] >= 0 else { return }
      inPool[Int(rest.pools[Int(task)])] += 1
    }

    /// Puts a key in the line before a pool, in order; mostly at its end.
    private mutating func queue(_ key: Int32, before pool: Int) {
      var earlier: Int32 = -1
      var later = firstOfPool[pool]
      if later >= 0, lastOfPool[pool] < key {
        (earlier, later) = (lastOfPool[pool], -1)
      }
      while later >= 0, later < key { (earlier, later) = (later, next[Int(later)]) }
      next[Int(key)] = later
      if earlier >= 0 { next[Int(earlier)] = key } else { firstOfPool[pool] = key }
      if later < 0 { lastOfPool[pool] = key }
    }

    /// Puts a key into the heap.
    private mutating func push(_ key: Int32) {
      var place = count
      count += 1
      while place > 0, key < heap[(place - 1) >> 1] {
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
      }
      heap[place] = key
    }

    /// Takes the least key out of the heap.
    private mutating func pop() -> Int32 {
      let least = heap[0]
      count -= 1
      let key = heap[count]
      var place = 0
      while true {
        var below = 2 * place + 1
        guard below < count else { break }
        if below + 1 < count, heap[below + 1] < heap[below] { below += 1 }
        guard heap[below] < key else { break }
        heap[place] = heap[below]
        place = below
      }
      heap[place] = key
      return least
    }
  }
}
