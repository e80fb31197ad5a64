/// The remaining time of work that is counted, such as bytes or items, which does not jump.
///
/// Report the count whenever it changes, as often as you like, and ask for the remaining time whenever you draw.
///
/// ```swift
/// var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)  // a download that begins at 40 %
/// estimator.report(430, at: .seconds(3))
/// estimator.rate(at: .seconds(3))         // 10 a second: the first 400 are no speed
/// estimator.remaining(at: .seconds(3))    // 57 s
/// estimator.remaining(at: .seconds(4))    // 56 s: nothing was reported, and the clock runs down
/// ```
///
/// There are two remaining times. ``estimate(at:)`` follows from the counts: what is left, divided by a speed whose
/// horizon grows with the job and starts anew where the speed changes for good, less the time since the last count as
/// long as such a gap is usual for this job. ``remaining(at:)`` is the value to show: a clock that counts down a second each
/// second and is steered. It is left alone while it differs from the estimate by less than the estimate's own standard
/// error, because that is noise; a greater difference is taken back by *d / (d + 4 s)* in a time *d*, so
/// half of it within four seconds.
///
/// ```
/// counts ──▶ gaps and stretches ──▶ speed ──▶ estimate ──▶ steered clock ──▶ remaining
///              standing still,        growing     less usual      ±1 standard error
///              lasting changes        horizon     gaps            is no news
/// ```
///
/// Three things do not count as speed: what was completed at the start, what ``skip(to:at:)`` adds, and what is reported in a
/// pause. Paused time is not counted; nor is a gap far longer than this job's usual ones, the first time. In such a gap
/// the remaining time stands, and ``standstill(at:)`` says for how long nothing has come.
///
/// Every input has a defined result. The time is an argument, on any line that you choose; one before the latest that
/// was seen counts as that. A count that is not a finite number is ignored, one below zero is zero, one above 2⁶³ is
/// that. A count may go back: what is done again counts as work. The total may be unknown, grow and shrink; when it is
/// not above what is completed, nothing remains.
///
/// A pure value that reads no clock. Not thread safe. Every call takes O(1) time and memory and allocates nothing; the
/// value has a little less than a kilobyte.
///
/// The mean with exponential weights is textbook knowledge, the standing clock was seen in many programs; the formulas
/// of tqdm, rich, indicatif and GNU parallel stand beside this one in `headway-bench rate`.
public struct RateEstimator: Hashable, Sendable {
  /// The highest count, and the highest total: 2⁶³.
  private static let mostCount = 0x1p63
  /// The time in which half of a difference is taken back, in seconds.
  private static let halfTime = 4.0

  /// The time line of the work.
  private var line: RateTimeLine
  /// How much is done.
  private var count: Double
  /// How much there is to do, nil when that is not known.
  private var knownTotal: Double?
  /// How fast it goes.
  private var speed = RateSpeed()
  /// When the count grew last, in seconds of work.
  private var lastGrowth = 0.0
  /// What is shown.
  private var clock = SteeredClock()

  /// Creates an estimator of work that begins now.
  ///
  /// - Parameters:
  ///   - total: How much there is to do, in units of your choice; nil, a negative number and one that is not finite say
  ///     that it is not known.
  ///   - completed: How much is done already, such as the part of a download that is resumed.
  ///   - now: The time.
  public init(total: Double? = nil, completed: Double = 0, at now: Duration) {
    line = RateTimeLine(from: now)
    count = Self.count(completed) ?? 0
    self.total = total
  }

  /// How much is done, from 0 to 2⁶³ units.
  public var completed: Double { count }

  /// How much there is to do, from 0 to 2⁶³ units, nil when it is not known.
  ///
  /// It may be set at any time. A negative number and one that is not finite say that it is not known.
  public var total: Double? {
    get { knownTotal }
    set {
      knownTotal = newValue.flatMap { $0 < 0 ? nil : Self.count($0) }
      if knownTotal == nil { clock.clear() }
    }
  }

  /// The part of the total that is done, from 0 to 1, nil when the total is not known.
  public var fraction: Double? {
    knownTotal.map { count >= $0 ? 1 : count / $0 }
  }

  /// Whether everything is done.
  package var isFinished: Bool { knownTotal.map { count >= $0 } ?? false }

  /// Whether the work is paused.
  package var isPaused: Bool { line.isPaused }

  /// How often the speed has changed for good, as far as the counts say.
  package var speedChanges: Int { speed.changes }

  /// The standard error of the speed as a part of it, 1 as long as nothing can be said.
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
  /// Reports how much is done.
  ///
  /// What is reported at the very moment of the start, or in a pause, is done and says nothing about the speed.
  ///
  /// - Parameters:
  ///   - completed: How much is done in all, in the units of the total.
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
    speed.add(growth, after: time - lastGrowth)
    lastGrowth = time
    return true
  }

  /// Reports how much is done, if the difference took no work, such as items that were up to date.
  ///
  /// - Parameters:
  ///   - completed: How much is done in all, in the units of the total.
  ///   - now: The time.
  /// - Returns: Whether the value was used; false if it is not finite.
  /// - Complexity: O(1), without allocation.
  @discardableResult
  public mutating func skip(to completed: Double, at now: Duration) -> Bool {
    guard let value = Self.count(completed) else { return false }
    line.advance(to: now)
    count = value
    return true
  }

  /// Stops the time; the remaining time stays the same until the work resumes.
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

  /// The speed of work, nil in the first second and before the first count.
  ///
  /// - Parameter now: The time.
  /// - Returns: The units for each second of work, above zero.
  /// - Complexity: O(1).
  public func rate(at now: Duration) -> Double? {
    speed.secondsPerUnit(after: line.seconds(at: now) - lastGrowth).map { 1 / $0 }
  }

  /// The remaining time that follows from the counts, nil if the total or the speed is not known, zero at the end.
  ///
  /// It moves with every count. Show ``remaining(at:)`` instead.
  ///
  /// - Parameter now: The time.
  /// - Returns: At most a hundred years.
  /// - Complexity: O(1).
  public func estimate(at now: Duration) -> Duration? {
    if isFinished { return .zero }
    return estimatedSeconds(at: line.seconds(at: now)).map { .seconds($0) }
  }

  /// The range in which the remaining time lies eight times in ten if the work goes on as it did.
  ///
  /// Work whose speed varies has varied less in the mean of a long time than it will in the short time that is left:
  /// with the estimate *e*, the standard error *s* of the speed as a part of it, and the time *T* that it was taken
  /// from, the range goes from *e / (1 + 1.38 r)* to *e · (1 + 1.38 r)* with *r = s · √(1.8 + T / e)*. The first term
  /// is for the speed, which is taken with fading weights and so less sure by 9/5, the second for the work that is left.
  /// 1.38 is Student's factor for ten stretches. It does not foresee a lasting change.
  ///
  /// - Parameter now: The time.
  /// - Returns: The range, nil where there is no estimate and before four stretches of at least a second are known.
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

  /// The time since the last count if it is unusually long for this job, nil while the count moves.
  ///
  /// A gap is usual when it is at most a second, or at most four times the longest of late. As long as fewer than eight
  /// counts have come, every gap is.
  ///
  /// - Parameter now: The time.
  /// - Returns: The time of work since the last count, pauses apart.
  /// - Complexity: O(1).
  public func standstill(at now: Duration) -> Duration? {
    let gap = line.seconds(at: now) - lastGrowth
    return !isFinished && gap > speed.grace ? .seconds(min(gap, Self.longest)) : nil
  }

  /// The remaining time to show, nil when the total or the speed is not known, zero when all is done.
  ///
  /// It counts down a second each second, stands in a pause and while the work stands still, and is steered towards the
  /// estimate: in a time *d* since it was last asked it moves beside the clock by at most *d / (d + 4 s)* of the
  /// difference. The first one is the estimate.
  ///
  /// - Parameter now: The time.
  /// - Returns: From one second to a hundred years as long as something is left.
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
  /// The time since the last count is taken off up to the longest usual gap. A count that is overdue is expected to
  /// take as long again as it is late, up to the gap from which the work stands still.
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
