internal import HeadwayRun

/// The simulation of tasks that share processors, whose pace changes with each start and end.
extension ListSchedule {
  /// Simulates the remaining tasks once, on a machine whose processors they share.
  ///
  /// - Parameters:
  ///   - remaining: The remaining tasks.
  ///   - durations: How long each task takes with a processor to itself, and each running one from now on.
  ///   - times: Receives how long each task that starts takes; empty if nobody wants to know.
  /// - Returns: The time until the last task ends.
  /// - Complexity: O((tasks + edges) · (workers + log tasks)).
  mutating func lengthOnSharedProcessors(
    of remaining: RemainingGraph, durations: ContiguousArray<Double>,
    times: inout ContiguousArray<Double>
  ) -> Double {
    if !remaining.pools.isEmpty {
      return Self.share(
        remaining, durations, &openDependencies, &sharing, &ready, &pooled, &times)
    }
    if !remaining.ranks.isEmpty {
      return Self.share(
        remaining, durations, &openDependencies, &sharing, &ready, &ranked, &times)
    }
    return Self.share(remaining, durations, &openDependencies, &sharing, &ready, &queue, &times)
  }

  private static func share(
    _ remaining: RemainingGraph, _ durations: ContiguousArray<Double>,
    _ openDependencies: inout ContiguousArray<Int32>,
    _ sharing: inout ContiguousArray<SharedProcessors.RunningTask>,
    _ readyTasks: inout ContiguousArray<Int32>, _ order: inout some ReadyOrder,
    _ times: inout ContiguousArray<Double>
  ) -> Double {
    var open = openDependencies.mutableSpan
    var ready = readyTasks.mutableSpan
    let (allTargets, allStarts) = (remaining.graph.targets[...], remaining.graph.starts[...])
    let dependents = allTargets.span
    let starts = allStarts.span
    for task in remaining.waiting { open[Int(task)] = remaining.openDependencies[Int(task)] }
    order.reset(&ready, for: remaining)
    for task in remaining.ready { order.insert(task, into: &ready, remaining) }
    var now = 0.0
    sharing.removeAll(keepingCapacity: true)
    func running(_ task: Int32) -> SharedProcessors.RunningTask {
      SharedProcessors.RunningTask(
        task: task, share: Double(remaining.shares[Int(task)]), left: durations[Int(task)],
        begin: now)
    }
    for task in remaining.running {
      order.didStart(task, remaining)
      sharing.append(running(task))
    }
    while true {
      while sharing.count < remaining.workers,
        let task = order.popFirst(from: &ready, remaining)
      {
        sharing.append(running(task))
      }
      guard !sharing.isEmpty else { return now }
      let factor = SharedProcessors.factor(sharing.span, processors: remaining.processors)
      var step = Double.infinity
      for task in sharing { step = min(step, task.left * task.pace(factor)) }
      now += step
      // All tasks that end at one moment end before another one starts, as in the launcher.
      var position = 0
      while position < sharing.count {
        let task = sharing[position]
        let left = task.left - step / task.pace(factor)
        guard left <= 1e-9 else {
          sharing[position].left = left
          position += 1
          continue
        }
        sharing.swapAt(position, sharing.count - 1)
        sharing.removeLast()
        if !times.isEmpty { times[Int(task.task)] = now - task.begin }
        order.didEnd(task.task, into: &ready, remaining)
        for edge in Int(starts[Int(task.task)])..<Int(starts[Int(task.task) + 1]) {
          let dependent = dependents[edge]
          open[Int(dependent)] -= 1
          if open[Int(dependent)] == 0 { order.insert(dependent, into: &ready, remaining) }
        }
      }
    }
  }
}
