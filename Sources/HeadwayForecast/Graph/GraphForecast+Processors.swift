internal import HeadwayRun

/// The time that tasks spend waiting for a processor of the machine.
extension GraphForecast {
  /// Decides whether tasks may have to share processors, after tasks or workers have changed.
  mutating func updateSharing() {
    // What other machines carry out needs no processor of this one.
    guard let processors, hosts.indices.isEmpty,
      Double(remainingGraph.workers) * largestShare > Double(max(processors, 1))
    else {
      remainingGraph.processors = 0
      return
    }
    remainingGraph.processors = Double(max(processors, 1))
  }

  /// The running tasks, with their shares of the processors.
  private var sharingTasks: ContiguousArray<SharedProcessors.RunningTask> {
    ContiguousArray(
      progress.running.lazy.filter {
        // One that is tried again begins later.
        tasks.states[Int($0)] == .running && tasks.starts[Int($0)] <= latest
      }.map {
        SharedProcessors.RunningTask(
          task: $0, share: Double(remainingGraph.shares[Int($0)]), left: 0, begin: 0)
      })
  }

  /// How much longer a running task takes at the moment, because it shares processors with others.
  func pace(of task: Int) -> Double {
    guard remainingGraph.processors > 0 else { return 1 }
    let running = sharingTasks
    let factor = SharedProcessors.factor(running.span, processors: remainingGraph.processors)
    return SharedProcessors.pace(Double(remainingGraph.shares[task]), factor)
  }

  /// Lets time pass in which the running tasks share the processors: what they have waited is not their own time.
  ///
  /// - Complexity: O(running tasks).
  mutating func passTime(_ seconds: Double) {
    let running = sharingTasks
    let factor = SharedProcessors.factor(running.span, processors: remainingGraph.processors)
    guard factor > 1 else { return }
    for task in running {
      let wait = seconds * (1 - 1 / task.pace(factor))
      tasks.starts[Int(task.task)] += wait
      tasks.waits[Int(task.task), default: 0] += wait
    }
  }

  /// Finds out how much longer tasks take in this run than with a processor to themselves, by a simulation with their
  /// usual durations.
  mutating func findUsualPaces() {
    guard remainingGraph.processors > 0, progress.hasHistory else { return }
    updateOrder()
    gather()
    workspace.schedule.prepare(for: remainingGraph)
    remainingGraph.waiting.removeAll(keepingCapacity: true)
    var durations = ContiguousArray(repeating: 0.0, count: tasks.count)
    for index in tasks.indices {
      if tasks.states[index] == .waiting { remainingGraph.waiting.append(Int32(index)) }
      if !tasks.groups.contains(index) { durations[index] = Logarithms.exp(tasks.centers[index]) }
    }
    var times = durations
    _ = workspace.schedule.lengthOnSharedProcessors(
      of: remainingGraph, durations: durations, times: &times)
    usualPaces = ContiguousArray(
      zip(times, durations).map { Float($1 > 0 ? max($0 / $1, 1) : 1) })
  }

  /// The usual seconds of a task in this run, NaN if they are unknown.
  @inline(__always)
  func usualSeconds(_ index: Int) -> Double {
    let median = tasks.medians[index]
    if median.isNaN { return .nan }
    let pace = index < usualPaces.count ? Double(usualPaces[index]) : 1
    return Logarithms.exp(Double(median)) * pace
  }

  /// The least remaining time that agrees with the usual durations of tasks: that of the longest path.
  ///
  /// A task that may turn out to be up to date, that is tried again, or that reports how far it is may need less. What the
  /// run has shown so far counts if its tasks take less than usual.
  ///
  /// - Complexity: O(tasks + edges).
  func pathFloor(_ outlook: RunOutlook, at now: Double) -> Double {
    guard !model.isEmpty else { return 0 }
    let shifts = outlook.shifts.map { Logarithms.exp(min($0, 0)) }
    var durations = [Double](repeating: 0, count: tasks.count)
    var order: [Int32] = []
    order.reserveCapacity(progress.unfinishedCount)
    for task in workspace.order where tasks.states[Int(task)] != .ended {
      order.append(task)
      let index = Int(task)
      let usual = usualSeconds(index)
      guard !usual.isNaN, tasks.reports[index] == nil, !tasks.retried.contains(index),
        upToDate.isEmpty || upToDate.findings[index] == .runs
      else { continue }
      let expected = usual * shifts[Int(tasks.kinds[index])]
      durations[index] =
        tasks.states[index] == .running ? max(expected - elapsed(index, at: now), 0) : expected
    }
    let lengths = remainingGraph.graph.criticalPathLengths(order: order, durations: durations)
    return order.reduce(0) { max($0, lengths[Int($1)]) }
  }

  /// The time for which an attempt has run, with what it has waited for processors.
  func elapsed(_ task: Int, at now: Double) -> Double {
    now - tasks.starts[task] + (tasks.waits.isEmpty ? 0 : tasks.waits[task] ?? 0)
  }
}
