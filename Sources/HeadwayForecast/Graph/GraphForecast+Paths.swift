internal import HeadwayRun

extension GraphForecast {
  /// A task that has run longer than 95 % of such tasks take.
  public struct OverdueTask: Hashable, Sendable {
    /// The index of the task.
    public var task: Int
    /// The time that it has run.
    public var elapsed: Duration
    /// The time that it usually takes.
    public var usual: Duration
    /// The time by which it is late.
    public var late: Duration { elapsed - usual }
  }

  /// The overdue task, the latest one if there are several; nil if there is none.
  ///
  /// A task that never succeeded in an earlier run is never overdue, because its usual duration is unknown.
  ///
  /// - Complexity: O(tasks).
  public mutating func overdue(at now: Duration) -> OverdueTask? {
    let now = seconds(now)
    updateOrder()
    gather()
    let outlook = cachedOutlook(at: now)
    var worst: (task: Int, elapsed: Double, usual: Double)?
    for index in remainingGraph.running.map(Int.init) where !tasks.medians[index].isNaN {
      let elapsed = now - tasks.starts[index]
      let center = center(of: index, outlook)
      let kind = Int(tasks.kinds[index])
      let spread =
        (spreadSquare(of: index, outlook) + outlook.shiftSpreads[kind] * outlook.shiftSpreads[kind]
        + outlook.speedSpread * outlook.speedSpread).root
      // 5 % of a normal distribution are above 1.645 standard deviations.
      guard elapsed > Logarithms.exp(center + 1.645 * spread) else { continue }
      let (whole, usual) = (self.elapsed(index, at: now), usualSeconds(index))
      if whole - usual > worst.map({ $0.elapsed - $0.usual }) ?? 0 {
        worst = (index, whole, usual)
      }
    }
    return worst.map {
      OverdueTask(
        task: $0.task, elapsed: Duration(clamping: $0.elapsed), usual: Duration(clamping: $0.usual))
    }
  }

  /// The unfinished tasks on the critical path, each before the one that depends on it.
  ///
  /// - Complexity: O(tasks + edges).
  public mutating func criticalPath(at now: Duration) -> [Int] {
    let now = seconds(now)
    updateOrder()
    gather()
    let outlook = outlook(at: now)
    var expected = [Double](repeating: 0, count: tasks.count)
    progress.unfinished.removeAll { tasks.states[Int($0)] == .ended }
    for index in progress.unfinished.lazy.map(Int.init) {
      let whole = Logarithms.exp(center(of: index, outlook))
      expected[index] =
        tasks.states[index] == .running
        ? remainder(of: whole, elapsed: now - tasks.starts[index]) : whole
    }
    let lengths = criticalPathLengths(expected)
    var path: [Int] = []
    var next = (remainingGraph.running + remainingGraph.ready).lazy.map(Int.init)
      .max { (lengths[$0], $1) < (lengths[$1], $0) }
    while let index = next {
      path.append(index)
      next = nil
      for position in 0..<remainingGraph.graph.dependentCount(of: index) {
        let dependent = remainingGraph.graph.dependent(position, of: index)
        // The length is zero for a finished task, and for one on a cycle, which never runs.
        if lengths[dependent] > next.map({ lengths[$0] }) ?? 0 { next = dependent }
      }
    }
    return path
  }

  /// The expected remaining duration of a running task, at least a tenth of the time that it has run.
  func remainder(of expected: Double, elapsed: Double) -> Double {
    max(expected - elapsed, 0.1 * max(0, elapsed))
  }

  /// The critical-path length of each unfinished task, zero for finished ones.
  private func criticalPathLengths(_ durations: [Double]) -> [Double] {
    remainingGraph.graph.criticalPathLengths(
      order: workspace.order.filter { tasks.states[Int($0)] != .ended }, durations: durations)
  }

  /// Ranks the tasks: by priority, then by critical-path length, the longest first, then by index.
  mutating func rank() {
    let lengths = criticalPathLengths(
      progress.hasHistory
        ? tasks.centers.map { Logarithms.exp($0) } : Array(repeating: 1, count: tasks.count))
    let priorities = tasks.priorities
    let sorted = tasks.indices.sorted { left, right in
      if priorities[left] != priorities[right] { return priorities[left] > priorities[right] }
      if lengths[left] != lengths[right] { return lengths[left] > lengths[right] }
      return left < right
    }
    remainingGraph.ranks = ContiguousArray(repeating: 0, count: tasks.count)
    remainingGraph.taskOfRank = ContiguousArray(sorted.map { Int32($0) })
    for (rank, task) in sorted.enumerated() { remainingGraph.ranks[task] = Int32(rank) }
  }

  /// The expected logarithm of a task's seconds.
  func center(of index: Int, _ outlook: RunOutlook) -> Double {
    level(of: index, outlook) + outlook.shifts[Int(tasks.kinds[index])]
      + hostShift(of: index, outlook.hostShifts)
  }

  /// The expected logarithm of a task's seconds without the shift of its kind.
  @inline(__always)
  func level(of index: Int, _ outlook: RunOutlook) -> Double {
    guard progress.hasHistory else { return 0 }
    let center = tasks.centers[index]
    guard tasks.sources[index] == .name else { return center }
    let kind = Int(tasks.kinds[index])
    let pivot = kinds.priors[kind].center
    return pivot + outlook.slopes[kind] * (center - pivot)
  }

  /// The variance of a task's logarithm, without that of its kind and run.
  func spreadSquare(of index: Int, _ outlook: RunOutlook) -> Double {
    let kind = Int(tasks.kinds[index])
    let spread =
      outlook.taskSpreads.map { $0[kind] } ?? tasks.spreads[index] * outlook.spreadRatios[kind]
    return max(spread, parameters.minimumSpread) * max(spread, parameters.minimumSpread)
  }
}
