public import HeadwayRun

extension GraphForecast {
  /// The expected duration of a task before this run is considered: from earlier runs, or from its hint.
  ///
  /// - Parameter task: The index of the task.
  /// - Returns: The median, nil if neither the task nor its kind is known and there is no hint.
  /// - Complexity: O(1).
  package func expected(_ task: Int) -> Duration? {
    guard tasks.indices.contains(task), isExpected(task) else { return nil }
    return Duration(clamping: Logarithms.exp(tasks.centers[task]))
  }

  /// The usual duration of a task in the earlier runs in which it succeeded, regardless of others of its kind; longer if it
  /// computes and shares processors in this run, and shorter if it did so in those.
  ///
  /// - Parameter task: The index of the task.
  /// - Returns: The median, nil if the task never succeeded in an earlier run.
  /// - Complexity: O(1).
  public func usual(_ task: Int) -> Duration? {
    guard tasks.indices.contains(task), !tasks.medians[task].isNaN else { return nil }
    return Duration(clamping: usualSeconds(task))
  }

  /// The remaining duration of a running task, given how long it has run and the fraction that it has reported.
  ///
  /// - Parameters:
  ///   - task: The index of the task.
  ///   - now: The time.
  /// - Returns: The range; nil if the task is not running, or if it has no estimate and has not reported a fraction.
  /// - Complexity: O(tasks) for the first call with a time, O(1) for further ones.
  public mutating func remaining(of task: Int, at now: Duration) -> RemainingTime? {
    let now = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] == .running,
      isFamiliar(task) || tasks.reports[task] != nil
    else { return nil }
    let outlook = cachedOutlook(at: now)
    var center = center(of: task, outlook)
    let shiftSpread = outlook.shiftSpreads[Int(tasks.kinds[task])]
    let square =
      spreadSquare(of: task, outlook) + shiftSpread * shiftSpread
      + outlook.speedSpread * outlook.speedSpread
    var scale = square.root / Logarithms.logisticDeviation
    if let report = tasks.reports[task] { apply(report, of: task, to: &center, &scale) }
    let distribution = DurationDistribution(
      center: center, scale: scale, level: secondLevel(of: task),
      tailPart: model.tailPart, parameters)
    // Below zero before another attempt.
    let elapsed = now - tasks.starts[task]
    let value = elapsed > 0 ? Logarithms.log(elapsed) : nil
    let pace = pace(of: task)
    /// The remaining time that is exceeded with a given probability.
    func exceeded(by part: Double) -> Duration {
      Duration(clamping: (distribution.quantile(above: value, exceededBy: part) - elapsed) * pace)
    }
    return RemainingTime(
      low: exceeded(by: 0.9), median: exceeded(by: 0.5), high: exceeded(by: 0.1))
  }

  /// The second level of a task's durations, nil if there is none or the task reports its progress.
  func secondLevel(of index: Int) -> SecondLevel? {
    tasks.reports[index] == nil ? tasks.secondLevels[index] : nil
  }

  /// Whether history or a hint gives the duration of a task.
  func isExpected(_ index: Int) -> Bool {
    tasks.sources[index].isExpectation
  }

  /// Whether anything is known of a task's duration.
  func isFamiliar(_ index: Int) -> Bool {
    let kind = Int(tasks.kinds[index])
    return isExpected(index) || observations.kinds[kind].count > 0 && kinds.indices[""] != kind
  }

  /// The outlook at a time, computed once for all tasks at that time.
  mutating func cachedOutlook(at now: Double) -> RunOutlook {
    if let cached = answers.outlook, cached.time == now { return cached.outlook }
    updateOrder()
    gather()
    let outlook = outlook(at: now)
    answers.outlook = (now, outlook)
    return outlook
  }
}
