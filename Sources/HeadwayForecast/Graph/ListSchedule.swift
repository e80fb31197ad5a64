internal import HeadwayCollections
internal import HeadwayRun

/// Simulates the remaining tasks of a run: a ready task starts as soon as a worker is free.
///
/// List scheduling: Graham, "Bounds for certain multiprocessing anomalies", Bell System Technical Journal 45 (1966).
/// The working memory is reused, so that a simulation allocates nothing.
struct ListSchedule: Sendable {
  /// A running task; the one that ends first is the least.
  struct RunningTask: Comparable, Sendable {
    /// The time of its end.
    var end: Double
    var task: Int32

    @inline(__always)
    static func < (left: RunningTask, right: RunningTask) -> Bool {
      left.end < right.end || (left.end == right.end && left.task < right.task)
    }
  }

  /// The number of unfinished dependencies of each task; 0 for a task that has started or ended.
  var openDependencies = ContiguousArray<Int32>()
  /// The running tasks, as a heap.
  private var running = ContiguousArray<RunningTask>()
  /// The ready tasks, their keys, or a set of their ranks, as the order keeps them.
  var ready = ContiguousArray<Int32>()
  var queue = ReadyQueue()
  var ranked = RankedTasks()
  var pooled = PooledTasks()
  /// The running tasks that share processors.
  var sharing = ContiguousArray<SharedProcessors.RunningTask>()
  /// The free workers of each host, if hosts differ.
  private var hosts = WorkersOfHosts()

  /// Makes room for the tasks of a graph.
  mutating func prepare(for remaining: RemainingGraph) {
    let count = remaining.openDependencies.count
    if openDependencies.count != count {
      openDependencies = ContiguousArray(repeating: 0, count: count)
      ready = ContiguousArray(repeating: 0, count: count + 1)
    }
    // More tasks may run than there are workers, if some workers were removed.
    let maximum = min(max(remaining.workers, remaining.running.count), count) + 1
    if running.count < maximum {
      running = ContiguousArray(repeating: RunningTask(end: 0, task: 0), count: maximum)
    }
  }

  /// Excludes a task that has started or ended from further simulations.
  mutating func exclude(_ task: Int) {
    // Below zero it never becomes ready, whatever ends before it.
    if task < openDependencies.count { openDependencies[task] = 0 }
  }

  /// Simulates the remaining tasks once.
  ///
  /// - Parameters:
  ///   - remaining: The remaining tasks.
  ///   - durations: The duration of each task, and the remaining duration of each running one.
  /// - Returns: The time until the last task ends.
  /// - Complexity: O((tasks + edges) · log tasks).
  mutating func length(
    of remaining: RemainingGraph, durations: ContiguousArray<Double>
  ) -> Double {
    if remaining.processors > 0 {
      var times = ContiguousArray<Double>()
      return lengthOnSharedProcessors(of: remaining, durations: durations, times: &times)
    }
    if remaining.hostFactors.isEmpty {
      var equal = EqualWorkers()
      return simulate(remaining, durations, &equal)
    }
    // Out of this value and back, so that it is not copied.
    var hosts = WorkersOfHosts()
    swap(&hosts, &self.hosts)
    defer { swap(&hosts, &self.hosts) }
    return simulate(remaining, durations, &hosts)
  }

  private mutating func simulate(
    _ remaining: RemainingGraph, _ durations: ContiguousArray<Double>,
    _ workers: inout some FreeWorkers
  ) -> Double {
    // One loop, specialised for each order: sets of ranks cost more than a queue, and pools with their heaps more than sets.
    if !remaining.pools.isEmpty {
      return Self.simulate(
        remaining, durations, &openDependencies, &running, &ready, &pooled, &workers)
    }
    if !remaining.ranks.isEmpty {
      return Self.simulate(
        remaining, durations, &openDependencies, &running, &ready, &ranked, &workers)
    }
    return Self.simulate(
      remaining, durations, &openDependencies, &running, &ready, &queue, &workers)
  }

  /// The arrays are passed one by one, as spans of several properties of one value would overlap.
  private static func simulate(
    _ remaining: RemainingGraph, _ durations: ContiguousArray<Double>,
    _ openDependencies: inout ContiguousArray<Int32>,
    _ runningTasks: inout ContiguousArray<RunningTask>,
    _ readyTasks: inout ContiguousArray<Int32>, _ order: inout some ReadyOrder,
    _ free: inout some FreeWorkers
  ) -> Double {
    var open = openDependencies.mutableSpan
    var running = runningTasks.mutableSpan
    var ready = readyTasks.mutableSpan
    let durations = durations.span
    // Slices, because the span of an array needs macOS 26.
    let (allTargets, allStarts) = (remaining.graph.targets[...], remaining.graph.starts[...])
    let dependents = allTargets.span
    let starts = allStarts.span
    let initial = remaining.openDependencies.span
    let waiting = remaining.waiting.span
    for index in waiting.indices { open[Int(waiting[index])] = initial[Int(waiting[index])] }
    order.reset(&ready, for: remaining)
    free.reset(for: remaining)
    for task in remaining.ready { order.insert(task, into: &ready, remaining) }
    var count = 0
    for task in remaining.running {
      order.didStart(task, remaining)
      running.insertIntoHeap(RunningTask(end: durations[Int(task)], task: task), count: &count)
    }
    let workers = remaining.workers
    var now = 0.0
    while true {
      while count < workers, let task = order.popFirst(from: &ready, remaining) {
        let duration = durations[Int(task)] * free.take(for: task, remaining)
        running.insertIntoHeap(RunningTask(end: now + duration, task: task), count: &count)
      }
      guard count > 0 else { return now }
      now = running[0].end
      // All tasks that end at one moment end before another one starts, as in the launcher.
      repeat {
        let ended = running.popFromHeap(count: &count).task
        order.didEnd(ended, into: &ready, remaining)
        free.giveBack(from: ended)
        let task = Int(ended)
        for edge in Int(starts[task])..<Int(starts[task &+ 1]) {
          let dependent = dependents[edge]
          open[Int(dependent)] &-= 1
          if open[Int(dependent)] == 0 { order.insert(dependent, into: &ready, remaining) }
        }
      } while count > 0 && running[0].end <= now
    }
  }
}

/// The remaining tasks of a run.
struct RemainingGraph: Sendable {
  /// The dependencies between all tasks of the run, packed.
  var graph = TaskGraph()
  /// The number of unfinished dependencies of each task.
  var openDependencies = ContiguousArray<Int32>()
  /// The tasks that wait for others.
  var waiting = ContiguousArray<Int32>()
  /// The ready tasks, in the order in which they became ready.
  var ready = ContiguousArray<Int32>()
  var running = ContiguousArray<Int32>()
  /// The number of tasks that run at once.
  var workers = 1
  /// The number of processors that the tasks share, 0 if there are enough for all.
  var processors = 0.0
  /// The share of its time in which each task computes.
  var shares = ContiguousArray<Float>()
  /// The rank of each task; the lowest starts first; empty if the task that became ready first starts first.
  var ranks = ContiguousArray<Int32>()
  /// The task of each rank.
  var taskOfRank = ContiguousArray<Int32>()
  /// The pool of each task, -1 for none; empty if there are no pools.
  var pools = ContiguousArray<Int32>()
  /// The number of tasks of each pool that run at once.
  var poolLimits = ContiguousArray<Int32>()
  /// The factor by which tasks take longer on each host, the last one for workers whose host is unknown; empty if all are
  /// alike.
  var hostFactors = ContiguousArray<Double>()
  /// The free workers of each host, in the same order.
  var freeWorkers = ContiguousArray<Int32>()
  /// The host of each running task, in the order of `running`.
  var hostsOfRunning = ContiguousArray<Int32>()
}
