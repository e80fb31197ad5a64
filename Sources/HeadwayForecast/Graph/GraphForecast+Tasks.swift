public import HeadwayRun

extension GraphForecast {
  /// How long a task takes according to earlier runs, or else to its hint, before this run says anything.
  ///
  /// - Parameter task: The place of the task.
  /// - Returns: The median, nil where neither the task nor its kind nor a hint is known.
  /// - Complexity: O(1).
  public func expected(_ task: Int) -> Duration? {
    guard states.indices.contains(task), isForetold(task) else { return nil }
    return Duration(reckoned: Logarithms.exp(centers[task]))
  }

  /// How long a task usually took in earlier runs when it did its work, whatever others of its kind took.
  ///
  /// - Parameter task: The place of the task.
  /// - Returns: The median, nil where it never did its work in an earlier run.
  /// - Complexity: O(1).
  public func usual(_ task: Int) -> Duration? {
    guard states.indices.contains(task), !levels[task].isNaN else { return nil }
    return Duration(reckoned: Logarithms.exp(Double(levels[task])))
  }

  /// How much longer a running task takes, given how long it has run and what it told of itself.
  ///
  /// - Parameters:
  ///   - task: The place of the task.
  ///   - now: The time.
  /// - Returns: The range, nil where the task does not run, or where neither history nor a finished task of this run
  ///   knows it or its kind, and it told nothing.
  /// - Complexity: O(tasks) for the first task at a time, O(1) for the others.
  public mutating func remaining(of task: Int, at now: Duration) -> RemainingTime? {
    let now = seconds(now)
    guard states.indices.contains(task), states[task] == .running,
      isFamiliar(task) || reports[task] != nil
    else { return nil }
    let outlook = lookedOutlook(at: now)
    var center = center(of: task, outlook)
    let shiftSpread = outlook.shiftSpreads[Int(kinds[task])]
    let square =
      spreadSquare(of: task, outlook) + shiftSpread * shiftSpread
      + outlook.speedSpread * outlook.speedSpread
    var scale = square.root / Logarithms.logisticDeviation
    if let report = reports[task] { take(report, of: task, into: &center, &scale) }
    // Below zero before another attempt.
    let elapsed = now - begins[task]
    let above =
      elapsed > 0 ? Logarithms.survival((Logarithms.log(elapsed) - center) / scale) : 1
    /// The remaining time that is exceeded in a part of the cases.
    func exceeded(by part: Double) -> Duration {
      let part = max(above * part, 1e-300)
      let whole = Logarithms.exp(center + scale * Logarithms.logit(1 - part))
      return Duration(reckoned: whole - elapsed)
    }
    return RemainingTime(
      low: exceeded(by: 0.9), median: exceeded(by: 0.5), high: exceeded(by: 0.1))
  }

  /// Whether history or a hint says how long a task takes.
  func isForetold(_ place: Int) -> Bool {
    switch sources[place] {
    case .nothing, .all: false
    case .kind, .hint, .name: true
    }
  }

  /// Whether anything is known of a task's duration.
  func isFamiliar(_ place: Int) -> Bool {
    isForetold(place) || evidence.kinds[Int(kinds[place])].count > 0
  }

  /// What is believed of durations, the same for all tasks that are asked for at one time.
  private mutating func lookedOutlook(at now: Double) -> RunOutlook {
    if let looked, looked.time == now { return looked.outlook }
    putInOrder()
    gather()
    let outlook = outlook(at: now)
    looked = (now, outlook)
    return outlook
  }
}
