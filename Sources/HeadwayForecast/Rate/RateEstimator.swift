/// The remaining time of work that is counted, such as bytes or items, without jumps.
///
/// Report the count whenever it changes, as often as you like, and read the remaining time whenever you draw.
///
/// ```swift
/// var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)  // a download that begins at 40 %
/// estimator.report(430, at: .seconds(3))
/// estimator.rate(at: .seconds(3))         // 10 a second: the first 400 are no speed
/// estimator.remaining(at: .seconds(3))    // 57 s
/// estimator.remaining(at: .seconds(4))    // 56 s: nothing was reported, and the clock runs down
/// ```
///
/// There are two remaining times. ``estimate(at:)`` follows from the counts: the remaining units, divided by a speed
/// whose horizon grows with the job and restarts when the speed changes for good, minus the time since the last count,
/// as long as such a gap is usual for this job. ``remaining(at:)`` is the value to show: it counts down a second each
/// second and follows the estimate. A difference of less than the standard error of the estimate is ignored as noise; a
/// larger one is reduced by *d / (d + 4 s)* in a time *d*, so by half within four seconds.
///
/// ```
/// counts ──▶ gaps and stretches ──▶ speed ──▶ estimate ──▶ steered clock ──▶ remaining
///              standing still,        growing     less usual      ±1 standard error
///              lasting changes        horizon     gaps            is no news
/// ```
///
/// Four things do not count for the speed: units that were completed at the start, units added by ``skip(to:at:)``,
/// reports during a pause, and a start that takes longer than the next counts. Pauses do not count as time, and neither does the
/// first gap that is much longer than usual for this job. During such a gap the remaining time does not change, and ``standstill(at:)`` returns how long
/// there has been no count.
///
/// Every input has a defined result. The time is an argument, with any origin; a time before the latest one counts as
/// the latest one. A count that is not finite is ignored, a negative one counts as zero, and one above 2⁶⁴ as 2⁶⁴. The
/// count may decrease; units that are done again count as work. The total may be unknown, grow and shrink; if it is not
/// above the count, nothing remains.
///
/// A pure value without a clock. Not thread safe. Every call takes O(1) time and memory and does not allocate; the
/// value is slightly smaller than a kilobyte.
///
/// Exponentially weighted means are textbook knowledge, and many programs count down between estimates. `headway-bench
/// rate` compares this formula with those of tqdm, rich, indicatif and GNU parallel.
public struct RateEstimator: Hashable, Sendable {
  /// The maximum count and total: 2⁶⁴.
  private static let mostCount = 0x1p64
  /// The time in which half of a difference is corrected, in seconds.
  private static let halfTime = 4.0

  /// The clock of the work, without pauses.
  private var line: RateTimeLine
  private var count: Double
  /// The total, nil if it is unknown.
  private var knownTotal: Double?
  private var speed = RateSpeed()
  /// The time of the last count, in seconds of work.
  private var lastGrowth = 0.0
  private var clock = SteeredClock()

  /// Creates an estimator for work that begins now.
  ///
  /// - Parameters:
  ///   - total: The number of units, nil if it is unknown; a negative number or one that is not finite counts as nil.
  ///   - completed: The number of units that are already done, such as the part of a resumed download.
  ///   - now: The time.
  public init(total: Double? = nil, completed: Double = 0, at now: Duration) {
    line = RateTimeLine(from: now)
    count = Self.count(completed) ?? 0
    self.total = total
  }

  /// The completed units, from 0 to 2⁶⁴.
  public var completed: Double { count }

  /// The total, from 0 to 2⁶⁴ units, nil if it is unknown.
  ///
  /// It can be set at any time; a negative number or one that is not finite counts as nil.
  public var total: Double? {
    get { knownTotal }
    set {
      knownTotal = newValue.flatMap { $0 < 0 ? nil : Self.count($0) }
      if knownTotal == nil { clock.clear() }
    }
  }

  /// The completed part of the total, from 0 to 1, nil if the total is unknown.
  public var fraction: Double? {
    knownTotal.map { count >= $0 ? 1 : count / $0 }
  }

  /// Whether everything is done.
  package var isFinished: Bool { knownTotal.map { count >= $0 } ?? false }

  /// Whether the work is paused.
  package var isPaused: Bool { line.isPaused }

  /// The time of work so far, without pauses.
  ///
  /// - Parameter now: The time.
  /// - Returns: The time, at least zero.
  package func workTime(at now: Duration) -> Duration { .seconds(line.seconds(at: now)) }

  /// Whether the time until the first count is known to be a slow start, and not a part of the speed.
  package var hasSlowStart: Bool { speed.hasExcusedFirst }

  /// The number of lasting changes of speed so far.
  package var speedChanges: Int { speed.changes }

  /// The relative standard error of the speed, 1 if it is unknown.
  ///
  /// - Complexity: O(1).
  package var uncertainty: Double { min(1, speed.blocks.relativeError) }

  /// A count limited to the supported range, nil if it is not finite.
  private static func count(_ value: Double) -> Double? {
    value.isFinite ? min(max(0, value), mostCount) : nil
  }
}

// MARK: - Reports

extension RateEstimator {
  /// Reports the completed units.
  ///
  /// Units that are reported at the moment of the start, or during a pause, do not affect the speed.
  ///
  /// - Parameters:
  ///   - completed: All completed units, including earlier ones.
  ///   - now: The time.
  /// - Returns: Whether the value was used; false if it is not finite.
  /// - Complexity: O(1), without allocation.
  @discardableResult
  public mutating func report(_ completed: Double, at now: Duration) -> Bool {
    guard let value = Self.count(completed) else { return false }
    let time = line.advance(to: now)
    let growth = value - count
    count = value
    guard growth > 0, !line.isPaused, time > 0 else { return true }
    let wasExcused = speed.hasExcusedFirst
    speed.add(growth, after: time - lastGrowth)
    lastGrowth = time
    // What was shown before was wrong, and is not corrected bit by bit.
    if speed.hasExcusedFirst != wasExcused { clock.clear() }
    return true
  }

  /// Reports completed units that took no work, such as items that were up to date.
  ///
  /// - Parameters:
  ///   - completed: All completed units, including earlier ones.
  ///   - now: The time.
  /// - Returns: Whether the value was used; false if it is not finite.
  /// - Complexity: O(1), without allocation.
  @discardableResult
  public mutating func skip(to completed: Double, at now: Duration) -> Bool {
    guard let value = Self.count(completed) else { return false }
    // The time that it took to skip is no work, and what was shown before is not true any more.
    lastGrowth = line.advance(to: now)
    if value != count { clock.clear() }
    count = value
    return true
  }

  /// Stops the clock; the remaining time stays the same until the work resumes.
  ///
  /// No effect during a pause.
  ///
  /// - Parameter now: The time.
  public mutating func pause(at now: Duration) { line.pause(at: now) }

  /// Continues after a pause.
  ///
  /// No effect unless paused.
  ///
  /// - Parameter now: The time.
  public mutating func resume(at now: Duration) { line.resume(at: now) }
}

// MARK: - Reading

extension RateEstimator {
  /// The longest remaining time, in seconds: 100 years, treated as infinite.
  private static let longest = 3_155_760_000.0

  /// The speed of the work, nil in the first second and before the first count.
  ///
  /// - Parameter now: The time.
  /// - Returns: The units per second of work, above zero.
  /// - Complexity: O(1).
  public func rate(at now: Duration) -> Double? {
    speed.secondsPerUnit(after: line.seconds(at: now) - lastGrowth).map { 1 / $0 }
  }

  /// The remaining time that follows from the counts; nil if the total or the speed is unknown, zero at the end.
  ///
  /// It changes with every count. Show ``remaining(at:)`` instead.
  ///
  /// - Parameter now: The time.
  /// - Returns: At most a hundred years.
  /// - Complexity: O(1).
  public func estimate(at now: Duration) -> Duration? {
    if isFinished { return .zero }
    return estimatedSeconds(at: line.seconds(at: now)).map { .seconds($0) }
  }

  /// The range that contains the actual remaining time in 80 % of cases if the work continues as before.
  ///
  /// The mean speed of a long time varies less than that of the short remaining time. With the estimate *e*, the
  /// relative standard error *s* of the speed, and the time *T* from which it was computed, the range is from *e / (1 +
  /// 1.38 r)* to *e · (1 + 1.38 r)* with *r = s · √(1.8 + T / e)*. The first term is for the speed, which is less
  /// certain by 9/5 because of its decreasing weights; the second one is for the remaining work. 1.38 is Student's
  /// factor for ten blocks. The range does not predict a lasting change of speed.
  ///
  /// - Parameter now: The time.
  /// - Returns: The range; nil if there is no estimate, or before four blocks of at least a second.
  /// - Complexity: O(1).
  public func range(at now: Duration) -> ClosedRange<Duration>? {
    if isFinished { return .zero ... .zero }
    let blocks = speed.blocks
    guard blocks.count >= 4, let estimate = estimatedSeconds(at: line.seconds(at: now)) else {
      return nil
    }
    guard estimate > 0 else { return .zero ... .zero }
    let error = blocks.relativeError * (1.8 + blocks.whole.seconds / estimate).root
    let factor = 1 + 1.38 * error
    return .seconds(estimate / factor) ... .seconds(min(Self.longest, estimate * factor))
  }

  /// The time since the last count if it is unusually long for this job, nil while counts arrive.
  ///
  /// A gap is usual if it is at most a second, or at most four times the longest recent one. Before eight counts, every
  /// gap is usual.
  ///
  /// - Parameter now: The time.
  /// - Returns: The time since the last count, without pauses.
  /// - Complexity: O(1).
  public func standstill(at now: Duration) -> Duration? {
    let gap = line.seconds(at: now) - lastGrowth
    return !isFinished && gap > speed.grace ? .seconds(min(gap, Self.longest)) : nil
  }

  /// The time since the last count, and the length from which that is long for this job.
  ///
  /// Unlike ``standstill(at:)`` it also has a length before the usual gaps are known, because someone who waits wants to
  /// know that nothing happens, even if that is not news for the speed.
  ///
  /// - Parameter now: The time.
  /// - Returns: Both without pauses; nil before the first count, in a pause, and at the end.
  package func silence(at now: Duration) -> (time: Duration, limit: Duration)? {
    guard !isFinished, !isPaused, let limit = speed.longGap else { return nil }
    let gap = min(max(0, line.seconds(at: now) - lastGrowth), Self.longest)
    return (.seconds(gap), .seconds(min(limit, Self.longest)))
  }

  /// The remaining time to show; nil if the total or the speed is unknown, zero when all is done.
  ///
  /// It counts down a second each second, does not change during a pause or a standstill, and follows the estimate: in
  /// a time *d* between two calls, it changes by at most *d / (d + 4 s)* of the difference in addition. The first value
  /// is the estimate, and so is the one after units were skipped, and the one after it turned out that the start was slow.
  ///
  /// - Parameter now: The time.
  /// - Returns: From one second to a hundred years while units remain.
  /// - Complexity: O(1), without allocation.
  public mutating func remaining(at now: Duration) -> Duration? {
    let time = line.advance(to: now)
    if isFinished {
      clock.clear()
      return .zero
    }
    guard let estimate = estimatedSeconds(at: time) else {
      clock.clear()
      return nil
    }
    let standing = max(0, time - lastGrowth - speed.grace)
    let shown = clock.steer(
      to: estimate, tolerance: estimate * uncertainty, halfTime: Self.halfTime, at: time,
      standing: standing)
    return .seconds(min(max(1, shown), Self.longest))
  }

  /// The remaining seconds that follow from the counts.
  ///
  /// The time since the last count is subtracted, up to the longest usual gap. A count that is overdue is expected to
  /// take as long again as it is overdue, up to the gap that counts as a standstill.
  private func estimatedSeconds(at time: Double) -> Double? {
    guard let knownTotal else { return nil }
    let gap = time - lastGrowth
    guard let unit = speed.secondsPerUnit(after: gap) else { return nil }
    let usual = speed.longestGap
    let late = max(0, min(gap, speed.grace) - usual)
    let seconds = max((knownTotal - count) * unit - min(gap, usual), late)
    return min(seconds, Self.longest)
  }
}
