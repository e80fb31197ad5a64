internal import HeadwayForecast
package import HeadwayProgress
internal import HeadwayText

/// The counts of a bar, and what they say beside it: `3.9 / 5.0 MB`, `1.2 MB/s`, `4 s left`.
///
/// Counts are shown with each frame; the speed and the remaining time are computed once a second, because texts that
/// change ten times a second cannot be read. Neither is shown in a pause, once all is done, and while the work stands
/// still for longer than is usual for it. After ten seconds they are replaced by the time without progress.
///
/// A pure value; not thread safe.
package struct CountedWork: Sendable {
  /// What one frame says, in the order of importance.
  private struct Texts: Hashable, Sendable {
    var amount = ""
    var speed = ""
    var remaining = ""
    var isPaused = false
    /// How long nothing was counted: `no progress for 12 s`.
    var silence = ""
  }

  /// The interval at which the speed and the remaining time are computed.
  private static let interval = Duration.seconds(1)
  /// The minimum time without a count that is shown.
  private static let leastSilence = Duration.seconds(10)
  /// More than the error of seconds as numbers, so that 12 s are not shown as 11 s.
  private static let error = Duration.microseconds(1)
  /// The maximum count: every integer of 64 bits is a count.
  private static let mostCount = 0x1p64

  package let kind: WorkKind
  private var estimator: RateEstimator
  /// The count that is shown; it never decreases.
  private(set) var completed: Double
  /// The count at the beginning, which no work was needed for.
  private let initial: Double
  private var texts = Texts()
  /// The texts of the latest frame.
  private var shown = Texts()
  /// The counts that `texts.amount` says, nil for none.
  private var said: (completed: Double, total: Double?)?
  /// When the speed and the remaining time are due again, nil as long as they do not change.
  private(set) var due: Duration?
  /// Whether something was counted or changed since `due` was computed.
  private var isStale = true
  /// Whether the work stood still when the speed and the remaining time were computed.
  private var isStanding = false
  /// The units that took no work, as far as they were reported together.
  private var skipped = 0.0
  /// The units since the beginning that took no work.
  private var passedOver = 0.0
  /// The remaining time that the work itself says, nil for none.
  private var ownRemaining: Duration?
  /// The time until which work inside this work was shown, nil for never.
  var innerWork: Duration?

  /// Creates work that begins now.
  ///
  /// - Parameters:
  ///   - kind: The kind of work, which says whether units are bytes.
  ///   - total: All units, nil if unknown; a negative number or one that is not finite counts as nil.
  ///   - completed: The units that are already done.
  ///   - now: The time.
  package init(_ kind: WorkKind, total: Double?, completed: Double, at now: Duration) {
    self.kind = kind
    self.completed = Self.count(completed) ?? 0
    initial = self.completed
    estimator = RateEstimator(
      total: total, completed: self.completed, at: now)
  }

  /// All units, nil if unknown.
  var total: Double? { estimator.total }

  /// Whether the units are parts of one, or made up, so that only the percentage says something.
  private var isFraction: Bool { !kind.hasCounts || total.map { $0 <= 1 } ?? false }

  /// Whether all is done; 0 of 0 is.
  var isComplete: Bool { total.map { completed >= $0 } ?? false }

  var isPaused: Bool { estimator.isPaused }

  // MARK: Changes

  /// Reports the units that are done.
  ///
  /// - Parameters:
  ///   - value: All units; NaN and infinite numbers change nothing, and the count does not decrease.
  ///   - shown: The units to show, if the others are those of parts of the work.
  ///   - now: The time.
  package mutating func report(_ value: Double, shown: Double? = nil, at now: Duration) {
    guard let value = Self.count(value) else { return }
    estimator.report(max(value, estimator.completed), at: now)
    completed = max(completed, shown ?? value)
    isStale = true
    if isComplete || (isStanding && estimator.silence(at: now)?.time == .zero) { due = nil }
  }

  /// Notes units that took no work and are completed already.
  mutating func noteKnown(skipped: Double) { self.skipped = skipped }

  /// Reports all units so far that took no work, such as files that were up to date.
  mutating func noteSkipped(_ count: Double, at now: Duration) {
    skip(count - skipped, at: now)
    skipped = max(skipped, count)
  }

  /// Reports units that took no work, such as files that were up to date.
  ///
  /// - Parameters:
  ///   - count: The units that were skipped since the last report.
  ///   - now: The time.
  mutating func skip(_ count: Double, at now: Duration) {
    guard count.isFinite, count > 0 else { return }
    let before = estimator.completed
    estimator.skip(to: before + count, at: now)
    passedOver += estimator.completed - before
    completed = max(completed, estimator.completed)
    (isStale, due) = (true, nil)
  }

  /// Sets the number of all units.
  package mutating func setTotal(_ total: Double?) {
    guard total != estimator.total else { return }
    estimator.total = total
    (isStale, due) = (true, nil)
  }

  /// Sets the remaining time that the work itself says; it is shown instead of one that follows from the counts.
  package mutating func setRemaining(_ remaining: Duration?) {
    guard remaining != ownRemaining else { return }
    ownRemaining = remaining
    (isStale, due) = (true, nil)
  }

  /// Begins again from 0, with the same total.
  mutating func reset(at now: Duration) {
    self = CountedWork(kind, total: total, completed: 0, at: now)
  }

  /// Stops the clock of the work, or continues it.
  package mutating func setPaused(_ isPaused: Bool, at now: Duration) {
    guard isPaused != estimator.isPaused else { return }
    if isPaused { estimator.pause(at: now) } else { estimator.resume(at: now) }
    texts.isPaused = isPaused
    (isStale, due) = (true, nil)
  }

  // MARK: Texts

  /// The texts beside the bar, the most important first.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - detail: What to say in place of the counts and the speed, nil for these.
  /// - Returns: The texts of the latest `update(at:_:)`.
  package func facts(_ words: BoardWords, detail: String? = nil) -> [String] {
    [
      detail ?? texts.amount, texts.isPaused ? words.paused : detail == nil ? texts.speed : "",
      texts.remaining, texts.silence,
    ]
    .filter { !$0.isEmpty }
  }

  /// Computes the texts of a frame.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - words: The words.
  /// - Returns: Whether something other is to be shown than before.
  package mutating func update(at now: Duration, _ words: BoardWords) -> Bool {
    let isDue = due.map { now >= $0 } ?? isStale
    guard isStale || isDue else { return false }
    isStale = false
    let before = shown
    if said?.completed != completed || said?.total != total {
      said = (completed, total)
      texts.amount = amount()
    }
    if isDue { updateTimes(at: now, words) }
    shown = texts
    return shown != before
  }

  /// Computes the speed and the remaining time, and when they are due again.
  private mutating func updateTimes(at now: Duration, _ words: BoardWords) {
    (texts.speed, texts.remaining, texts.silence, due) = ("", "", "", nil)
    isStanding = false
    guard !isComplete, !estimator.isPaused else { return }
    defer {
      if let ownRemaining { texts.remaining = words.left(TimeAmount(roundingUp: ownRemaining)) }
    }
    // Without a count there is no speed, and without a speed nothing to wait for. What is estimated has no speed.
    guard kind.hasCounts, estimator.completed > initial else { return }
    if let silence = silence(at: now), silence.start <= now {
      isStanding = true
      let time = silence.time + Self.error
      texts.silence = words.noProgress(for: TimeAmount(time))
      // From a minute on, the text changes once a minute at most.
      let step: Int64 = time < .seconds(60) ? 1 : 60
      due = now + .seconds((time.components.seconds / step + 1) * step) - silence.time
      return
    }
    guard estimator.standstill(at: now) == nil else {
      isStanding = true
      due = silence(at: now)?.start
      return
    }
    due = now + Self.interval
    if !isFraction, let rate = estimator.rate(at: now) {
      texts.speed = words.speed(rate, isBytes: kind.countsBytes)
    }
    if let left = estimator.remaining(at: now) {
      texts.remaining = words.left(TimeAmount(roundingUp: left))
    }
  }

  /// The time without a count, and when it begins to be shown if nothing is counted until then.
  ///
  /// The time begins again with each bar inside this one that ends, because there was progress until then.
  ///
  /// - Parameter now: The time.
  /// - Returns: Nil before the first count, in a pause, and at the end.
  func silence(at now: Duration) -> (time: Duration, start: Duration)? {
    guard estimator.completed > initial, let silence = estimator.silence(at: now) else {
      return nil
    }
    let time = min(silence.time, innerWork.map { max(now - $0, .zero) } ?? silence.time)
    let left = max(silence.limit, Self.leastSilence) - time
    // Whoever wakes at the start must not find that it is an error later.
    return (time, left <= Self.error ? min(now, now + left) : now + left)
  }

  /// The counts as text, empty for a fraction and for nothing of an unknown total.
  private func amount() -> String {
    if isFraction || (total == nil && completed <= 0) { return "" }
    if kind.countsBytes {
      return total.map { byteCount(completed, of: $0) } ?? byteCount(Int(clamped: completed))
    }
    let done = grouped(magnitude: UInt(clamped: completed))
    return total.map { "\(done) / \(grouped(magnitude: UInt(clamped: $0)))" } ?? done
  }

  /// What the line of an ended bar says by itself: what was done and how fast.
  ///
  /// - Parameters:
  ///   - isWhole: Whether the work was done to its end.
  ///   - now: The time.
  ///   - words: The words.
  /// - Returns: The texts, none for a fraction.
  func summary(isWhole: Bool, at now: Duration, _ words: BoardWords) -> [String] {
    guard !isFraction, completed > initial else { return [] }
    guard isWhole else { return [amount()] }
    let done =
      kind.countsBytes
      ? byteCount(Int(clamped: completed)) : grouped(magnitude: UInt(clamped: completed))
    let seconds = estimator.workTime(at: now) / .seconds(1)
    let worked = completed - initial - passedOver
    // The mean speed of a moment says nothing, and what took no work has none.
    guard seconds >= 1, worked > 0 else { return [done] }
    return [done, words.speed(worked / seconds, isBytes: kind.countsBytes)]
  }

  // MARK: Limits

  private static func count(_ value: Double) -> Double? {
    value.isFinite ? min(max(value, 0), mostCount) : nil
  }
}

extension Int {
  /// The whole part of a number that is not negative.
  fileprivate init(clamped value: Double) { self = Int(Swift.min(value, 1e18)) }
}

extension UInt {
  /// The whole part of a number that is not negative.
  ///
  /// The largest integers are rounded up to powers of two when they become a `Double`. As nobody counts so many things,
  /// such a power stands for the largest integer itself, with which a program says that there is no limit.
  fileprivate init(clamped value: Double) {
    switch value {
    case 0x1p64...: self = .max
    case 0x1p63: self = Int.max.magnitude
    default: self = UInt(value)
    }
  }
}
