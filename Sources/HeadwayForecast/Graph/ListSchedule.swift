/// Runs the rest of a graph in thought: whoever is ready starts when a worker is free.
///
/// List scheduling as Graham described it in 1966. Holds the working memory, so that a draw allocates nothing.
struct ListSchedule: Sendable {
  /// How many tasks each still waits for.
  private var waits = ContiguousArray<Int32>()
  /// The ready tasks: a queue, or a heap by rank.
  private var ready = ContiguousArray<Int32>()
  /// When the running tasks end; a heap together with the next.
  private var ends = ContiguousArray<Double>()
  /// The running tasks.
  private var tasks = ContiguousArray<Int32>()
  /// What is needed besides where ready tasks have ranks or pools.
  private var ranked = Ranked()

  /// Creates the working memory.
  init() {}

  /// Makes room.
  mutating func prepare(for rest: Rest) {
    let taskCount = rest.waits.count
    if waits.count != taskCount {
      waits = ContiguousArray(repeating: 0, count: taskCount)
      ready = ContiguousArray(repeating: 0, count: taskCount + 1)
    }
    // Those that run already may be more than there are workers, where some were taken away.
    let most = min(max(rest.workers, rest.running.count), taskCount) + 1
    if ends.count < most {
      ends = ContiguousArray(repeating: 0, count: most)
      tasks = ContiguousArray(repeating: 0, count: most)
    }
  }

  /// Never starts a task again, as it has started or is over.
  mutating func forget(_ task: Int) {
    // Below zero it never becomes ready, whatever ends before it.
    if task < waits.count { waits[task] = 0 }
  }

  /// How long the rest takes; there must be room for it.
  ///
  /// - Parameters:
  ///   - rest: What is left.
  ///   - durations: How long each task takes, or for a running one how much longer.
  /// - Returns: The time until the last task ends.
  /// - Complexity: O((tasks + edges) · log workers), without allocation.
  mutating func length(of rest: Rest, durations: ContiguousArray<Double>) -> Double {
    if rest.ranks.isEmpty && rest.pools.isEmpty {
      return Self.length(of: rest, durations, &waits, &ready, &ends, &tasks)
    }
    if rest.pools.isEmpty {
      return Self.rankedLength(of: rest, durations, &waits, &ready, &ends, &tasks)
    }
    return pooledLength(of: rest, durations)
  }

  /// How long the rest takes where ready tasks have pools.
  private mutating func pooledLength(
    of rest: Rest, _ durations: ContiguousArray<Double>
  ) -> Double {
    for task in rest.pending { waits[Int(task)] = rest.waits[Int(task)] }
    ranked.begin(rest, taskCount: waits.count)
    for task in rest.ready { ranked.makeReady(task, rest) }
    var running = 0
    for task in rest.running {
      ranked.occupy(task, rest)
      begin(task, until: durations[Int(task)], &running)
    }
    var now = 0.0
    while true {
      while running < rest.workers, let task = ranked.nextToStart(rest) {
        begin(task, until: now + durations[Int(task)], &running)
      }
      guard running > 0 else { return now }
      now = ends[0]
      repeat {
        let task = tasks[0]
        endFirst(&running)
        ranked.release(task, rest)
        for edge in Int(rest.childStarts[Int(task)])..<Int(rest.childStarts[Int(task) + 1]) {
          let child = rest.children[edge]
          waits[Int(child)] &-= 1
          if waits[Int(child)] == 0 { ranked.makeReady(child, rest) }
        }
      } while running > 0 && ends[0] <= now
    }
  }

  /// Puts a task among the running ones.
  private mutating func begin(_ task: Int32, until end: Double, _ running: inout Int) {
    Self.push(end, task, &ends, &tasks, &running)
  }

  /// Takes the running task out that ends first.
  private mutating func endFirst(_ running: inout Int) { Self.pop(&ends, &tasks, &running) }

  /// Puts a task among the running ones, in whole arrays.
  private static func push(
    _ end: Double, _ task: Int32, _ ends: inout ContiguousArray<Double>,
    _ tasks: inout ContiguousArray<Int32>, _ count: inout Int
  ) {
    var endSpan = ends.mutableSpan
    var taskSpan = tasks.mutableSpan
    push(end, task, &endSpan, &taskSpan, &count)
  }

  /// Takes the running task out that ends first, in whole arrays.
  private static func pop(
    _ ends: inout ContiguousArray<Double>, _ tasks: inout ContiguousArray<Int32>,
    _ count: inout Int
  ) {
    var endSpan = ends.mutableSpan
    var taskSpan = tasks.mutableSpan
    pop(&endSpan, &taskSpan, &count)
  }

  /// How long the rest takes, with the columns of the working memory apart from each other.
  private static func length(
    of rest: Rest, _ durations: ContiguousArray<Double>, _ waits: inout ContiguousArray<Int32>,
    _ ready: inout ContiguousArray<Int32>, _ ends: inout ContiguousArray<Double>,
    _ tasks: inout ContiguousArray<Int32>
  ) -> Double {
    var waits = waits.mutableSpan
    var ready = ready.mutableSpan
    var ends = ends.mutableSpan
    var tasks = tasks.mutableSpan
    let durations = durations.span
    let children = rest.children.span
    let starts = rest.childStarts.span
    let initial = rest.waits.span
    let pending = rest.pending.span
    for index in pending.indices { waits[Int(pending[index])] = initial[Int(pending[index])] }
    var (first, last) = (0, 0)
    for place in rest.ready.indices {
      ready[last] = rest.ready[place]
      last &+= 1
    }
    var running = 0
    for place in rest.running.indices {
      let task = rest.running[place]
      Self.push(durations[Int(task)], task, &ends, &tasks, &running)
    }
    var now = 0.0
    let workers = rest.workers
    while true {
      while running < workers, first < last {
        let task = ready[first]
        first &+= 1
        Self.push(now + durations[Int(task)], task, &ends, &tasks, &running)
      }
      guard running > 0 else { return now }
      now = ends[0]
      // All that ends at one moment ends before anything starts, as in the launcher.
      repeat {
        let task = Int(tasks[0])
        Self.pop(&ends, &tasks, &running)
        for edge in Int(starts[task])..<Int(starts[task &+ 1]) {
          let child = children[edge]
          waits[Int(child)] &-= 1
          if waits[Int(child)] == 0 {
            ready[last] = child
            last &+= 1
          }
        }
      } while running > 0 && ends[0] <= now
    }
  }

  /// How long the rest takes where ready tasks have ranks.
  private static func rankedLength(
    of rest: Rest, _ durations: ContiguousArray<Double>, _ waits: inout ContiguousArray<Int32>,
    _ ready: inout ContiguousArray<Int32>, _ ends: inout ContiguousArray<Double>,
    _ tasks: inout ContiguousArray<Int32>
  ) -> Double {
    var waits = waits.mutableSpan
    var ready = ready.mutableSpan
    var ends = ends.mutableSpan
    var tasks = tasks.mutableSpan
    let durations = durations.span
    let children = rest.children.span
    let starts = rest.childStarts.span
    let ranks = rest.ranks.span
    let taskOfRank = rest.taskOfRank.span
    let initial = rest.waits.span
    let pending = rest.pending.span
    for index in pending.indices { waits[Int(pending[index])] = initial[Int(pending[index])] }
    var readyCount = 0
    for place in rest.ready.indices {
      pushRank(ranks[Int(rest.ready[place])], &ready, &readyCount)
    }
    var running = 0
    for place in rest.running.indices {
      let task = rest.running[place]
      Self.push(durations[Int(task)], task, &ends, &tasks, &running)
    }
    var now = 0.0
    let workers = rest.workers
    while true {
      while running < workers, readyCount > 0 {
        let task = taskOfRank[Int(popRank(&ready, &readyCount))]
        Self.push(now + durations[Int(task)], task, &ends, &tasks, &running)
      }
      guard running > 0 else { return now }
      now = ends[0]
      repeat {
        let task = Int(tasks[0])
        Self.pop(&ends, &tasks, &running)
        for edge in Int(starts[task])..<Int(starts[task &+ 1]) {
          let child = Int(children[edge])
          waits[child] &-= 1
          if waits[child] == 0 { pushRank(ranks[child], &ready, &readyCount) }
        }
      } while running > 0 && ends[0] <= now
    }
  }

  /// Puts a rank among the ready ones.
  @inline(__always)
  private static func pushRank(_ rank: Int32, _ ready: inout MutableSpan<Int32>, _ count: inout Int)
  {
    var place = count
    count &+= 1
    while place > 0 {
      let above = (place &- 1) &>> 1
      guard rank < ready[above] else { break }
      ready[place] = ready[above]
      place = above
    }
    ready[place] = rank
  }

  /// Takes the least rank out.
  @inline(__always)
  private static func popRank(_ ready: inout MutableSpan<Int32>, _ count: inout Int) -> Int32 {
    let least = ready[0]
    count &-= 1
    let rank = ready[count]
    var place = 0
    while true {
      var below = 2 &* place &+ 1
      guard below < count else { break }
      if below &+ 1 < count, ready[below &+ 1] < ready[below] { below &+= 1 }
      guard ready[below] < rank else { break }
      ready[place] = ready[below]
      place = below
    }
    ready[place] = rank
    return least
  }

  /// Puts a task among the running ones.
  @inline(__always)
  private static func push(
    _ end: Double, _ task: Int32, _ ends: inout MutableSpan<Double>,
    _ tasks: inout MutableSpan<Int32>, _ count: inout Int
  ) {
    var place = count
    count &+= 1
    while place > 0 {
      let above = (place &- 1) &>> 1
      guard comesBefore(end, task, ends[above], tasks[above]) else { break }
      ends[place] = ends[above]
      tasks[place] = tasks[above]
      place = above
    }
    ends[place] = end
    tasks[place] = task
  }

  /// Takes the running task out that ends first.
  @inline(__always)
  private static func pop(
    _ ends: inout MutableSpan<Double>, _ tasks: inout MutableSpan<Int32>, _ count: inout Int
  ) {
    count &-= 1
    let (end, task) = (ends[count], tasks[count])
    var place = 0
    while true {
      var below = 2 &* place &+ 1
      guard below < count else { break }
      if below &+ 1 < count,
        comesBefore(ends[below &+ 1], tasks[below &+ 1], ends[below], tasks[below])
      {
        below &+= 1
      }
      guard comesBefore(ends[below], tasks[below], end, task) else { break }
      ends[place] = ends[below]
      tasks[place] = tasks[below]
      place = below
    }
    ends[place] = end
    tasks[place] = task
  }

  /// Whether one running task ends before another; the lower place where both end at once.
  @inline(__always)
  private static func comesBefore(
    _ end: Double, _ task: Int32, _ otherEnd: Double, _ other: Int32
  ) -> Bool {
    end < otherEnd || (end == otherEnd && task < other)
  }
}

/// What is left of a run: the graph and where its tasks stand.
struct Rest: Sendable {
  /// The tasks that wait for others, one after another, by what they wait for.
  var children = ContiguousArray<Int32>()
  /// Where the children of each task begin, and the end.
  var childStarts: ContiguousArray<Int32> = [0]
  /// How many unfinished tasks each waits for.
  var waits = ContiguousArray<Int32>()
  /// The tasks that wait for others.
  var pending = ContiguousArray<Int32>()
  /// The ready tasks, the first to start first.
  var ready = ContiguousArray<Int32>()
  /// The running tasks.
  var running = ContiguousArray<Int32>()
  /// How many tasks run at a time.
  var workers = 1
  /// The rank of each task, the least starts first; empty where the first ready does.
  var ranks = ContiguousArray<Int32>()
  /// The task of each rank.
  var taskOfRank = ContiguousArray<Int32>()
  /// The pool of each task, -1 for none; empty where there are none.
  var pools = ContiguousArray<Int32>()
  /// How many tasks of each pool run at a time.
  var poolLimits = ContiguousArray<Int32>()
}
