extension GraphForecast {
  /// A task that takes longer than nineteen in twenty like it do.
  public struct OverdueTask: Hashable, Sendable {
    /// The place of the task.
    public var task: Int
    /// How long it has run.
    public var elapsed: Duration
    /// How long it usually takes.
    public var usual: Duration
    /// By how much it is late.
    public var late: Duration { elapsed - usual }
  }

  /// The task that is overdue, the one that is latest where there are several; nil when none is.
  ///
  /// A task that never did its work in an earlier run is never overdue: nobody knows what it usually takes.
  ///
  /// - Complexity: O(tasks).
  public mutating func overdue(at now: Duration) -> OverdueTask? {
    let now = seconds(now)
    putInOrder()
    gather()
    let outlook = outlook(at: now)
    var worst: (task: Int, elapsed: Double, usual: Double)?
    for place in rest.running.map(Int.init) where !levels[place].isNaN {
      let elapsed = now - begins[place]
      let center = center(of: place, outlook)
      let kind = Int(kinds[place])
      let spread =
        (spreadSquare(of: place, outlook) + outlook.shiftSpreads[kind] * outlook.shiftSpreads[kind]
        + outlook.speedSpread * outlook.speedSpread).root
      // 1.645 standard deviations leave one in twenty above.
      guard elapsed > Logarithms.exp(center + 1.645 * spread) else { continue }
      let usual = Logarithms.exp(Double(levels[place]))
      if elapsed - usual > worst.map({ $0.elapsed - $0.usual }) ?? 0 {
        worst = (place, elapsed, usual)
      }
    }
    return worst.map {
      OverdueTask(
        task: $0.task, elapsed: Duration(reckoned: $0.elapsed), usual: Duration(reckoned: $0.usual))
    }
  }

  /// The tasks of the longest chain that is left, each with the one behind it that waits for it.
  ///
  /// - Complexity: O(tasks + edges).
  public mutating func criticalPath(at now: Duration) -> [Int] {
    let now = seconds(now)
    putInOrder()
    gather()
    let outlook = outlook(at: now)
    var expected = ContiguousArray(repeating: 0.0, count: states.count)
    left.removeAll { states[Int($0)] == .ended }
    for place in left.lazy.map(Int.init) {
      let whole = Logarithms.exp(center(of: place, outlook))
      expected[place] =
        states[place] == .running ? remainder(of: whole, elapsed: now - begins[place]) : whole
    }
    let tails = tails(expected)
    var path: [Int] = []
    var next = (rest.running + rest.ready).lazy.map(Int.init)
      .max { (tails[$0], $1) < (tails[$1], $0) }
    while let place = next {
      path.append(place)
      next = nil
      for edge in Int(rest.childStarts[place])..<Int(rest.childStarts[place + 1]) {
        let child = Int(rest.children[edge])
        // Zero is the tail of what is over, and of what stands on a cycle and never runs.
        if tails[child] > next.map({ tails[$0] }) ?? 0 { next = child }
      }
    }
    return path
  }

  /// What is left of an expectation: the rest of it, but for one that is nearly over or past a tenth of what has gone.
  func remainder(of expected: Double, elapsed: Double) -> Double {
    max(expected - elapsed, 0.1 * max(0, elapsed))
  }

  /// The time from the start of each unfinished task to the end of all that waits for it, zero for the finished ones.
  ///
  /// - Parameter expected: How long each task takes, or for a running one how much longer.
  /// - Returns: The times, in seconds.
  func tails(_ expected: ContiguousArray<Double>) -> ContiguousArray<Double> {
    var tails = ContiguousArray(repeating: 0.0, count: states.count)
    for task in topological.reversed() {
      let place = Int(task)
      guard states[place] != .ended else { continue }
      var longest = 0.0
      for edge in Int(rest.childStarts[place])..<Int(rest.childStarts[place + 1]) {
        longest = max(longest, tails[Int(rest.children[edge])])
      }
      tails[place] = expected[place] + longest
    }
    return tails
  }

  /// Puts the tasks in an order in which each stands before those that wait for it; those of a cycle are left out.
  mutating func sortTopologically() {
    var waits = ContiguousArray(repeating: Int32(0), count: states.count)
    for child in rest.children { waits[Int(child)] += 1 }
    topological.removeAll(keepingCapacity: true)
    for place in states.indices where waits[place] == 0 { topological.append(Int32(place)) }
    var first = 0
    while first < topological.count {
      let place = Int(topological[first])
      first += 1
      for edge in Int(rest.childStarts[place])..<Int(rest.childStarts[place + 1]) {
        let child = rest.children[edge]
        waits[Int(child)] -= 1
        if waits[Int(child)] == 0 { topological.append(child) }
      }
    }
  }

  /// Ranks the tasks: the highest priority first, then the longest expected path to the end, then the lowest place.
  mutating func rank() {
    let tails = tails(
      isWarm
        ? ContiguousArray(centers.map { Logarithms.exp($0) })
        : ContiguousArray(repeating: 1, count: states.count))
    let sorted = states.indices.sorted { left, right in
      if priorities[left] != priorities[right] { return priorities[left] > priorities[right] }
      if tails[left] != tails[right] { return tails[left] > tails[right] }
      return left < right
    }
    rest.ranks = ContiguousArray(repeating: 0, count: states.count)
    rest.taskOfRank = ContiguousArray(sorted.map { Int32($0) })
    for (rank, place) in sorted.enumerated() { rest.ranks[place] = Int32(rank) }
  }

  /// The expected logarithm of a task's seconds.
  func center(of place: Int, _ outlook: RunOutlook) -> Double {
    level(of: place, outlook) + outlook.shifts[Int(kinds[place])]
  }

  /// The expected logarithm of a task's seconds without the shift of its kind.
  @inline(__always)
  func level(of place: Int, _ outlook: RunOutlook) -> Double {
    guard isWarm else { return 0 }
    let center = centers[place]
    guard sources[place] == .name else { return center }
    let kind = Int(kinds[place])
    let pivot = kindPriors[kind].center
    return pivot + outlook.slopes[kind] * (center - pivot)
  }

  /// The variance of a task's logarithm, without that of its kind and run.
  func spreadSquare(of place: Int, _ outlook: RunOutlook) -> Double {
    let spread =
      outlook.taskSpreads.map { $0[Int(kinds[place])] } ?? spreads[place]
      * outlook.spreadRatios[Int(kinds[place])]
    return max(spread, law.leastSpread) * max(spread, law.leastSpread)
  }
}
