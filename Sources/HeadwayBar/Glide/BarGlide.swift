/// The reported value and the shown one, and the law by which the second follows the first.
///
/// Everything is in seconds of the bar's own time line, which stands in a pause: the law knows of none. A pure value
/// without allocation; each operation is O(1).
struct BarGlide: Sendable {
  /// What the source has said last.
  var reported: Double
  /// How the shown value moves.
  var motion: BarMotion
  /// The reports of late.
  var line = ReportLine()
  /// The values from the beginning to the end.
  var range: ClosedRange<Double>
  /// The units of the source in a second at normal speed, nil where they are learned.
  var unitsPerSecond: Double?
  /// How fast the source plays: 1 is normal, negative backwards.
  private(set) var playbackRate: Double = 1
  /// The transition that is on its way, nil for none.
  private(set) var transition: BarTransition?
  /// The transitions that have ended and that nobody was told of.
  private(set) var ended: [BarEvent] = []
  /// The number of the next transition.
  private var nextTransition = 1
  /// The stamp of the source on its latest report.
  private var latestStamp: Double?
  /// Whether anything was reported yet.
  var hasReport = false
  /// Since when nothing was heard but what is in the line, in seconds.
  private var start = 0.0
  /// The speed of work that was forecast last, in units a second.
  var pace = 0.0
  /// What the reports are about.
  var source = ProgressBar.Source.reports
  /// Whether values are shown as they are reported, without anything between.
  var snaps = false

  /// Creates a glide that rests at the beginning of its range.
  init(range: ClosedRange<Double>) {
    self.range = range
    reported = range.lowerBound
    motion = BarMotion(resting: range.lowerBound)
  }

  // MARK: Queries

  /// The speed that is stated or was learned, in units a second; nil while it is unknown.
  private var nominalRate: Double? {
    @inline(never) get {
      (unitsPerSecond ?? learnedUnits).map { $0 * playbackRate }
    }
  }

  /// The units of the source in a second at normal speed, as the reports tell it, or as they told it before they were
  /// forgotten.
  var learnedUnits: Double? {
    @inline(never) get {
      guard playbackRate != 0, let rate = line.rate(nominal: nil) else { return keptUnits }
      return rate / playbackRate
    }
  }

  /// The units of the source that were learned before the reports were forgotten.
  private var keptUnits: Double?

  /// The difference from which on it is a seek, in units.
  private var seekThreshold: Double {
    @inline(never) get {
      let pace =
        unitsPerSecond ?? nominalRate.map { abs(playbackRate) > 0 ? $0 / playbackRate : $0 }
      // What never moved has no seconds: then every change is one that the source made.
      return abs(pace ?? 0) * Law.seek
    }
  }

  /// Whether a report says that the source has gone where a person sent it.
  ///
  /// - Parameters:
  ///   - value: The report.
  ///   - target: Where it was sent.
  ///   - elapsed: For how many seconds it may have gone on from there.
  /// - Returns: Whether the value lies between the target and where the source may be by now.
  func agree(_ value: Double, _ target: Double, after elapsed: Double) -> Bool {
    let threshold = seekThreshold
    let slack = threshold > 0 ? threshold : (range.upperBound - range.lowerBound) * Law.reserve
    let end = target + (nominalRate ?? 0) * elapsed
    return value >= min(target, end) - slack && value <= max(target, end) + slack
  }

  // MARK: Values without animation

  /// Notes what the source says while something else is shown.
  mutating func remember(_ value: Double) { (reported, hasReport) = (value, true) }

  /// Shows a value at once.
  @inline(never) mutating func set(_ value: Double, at time: Double) {
    reported = value
    hasReport = true
    stop(at: value, time)
  }

  /// Goes on from a value: what a person or the source has jumped to.
  mutating func seek(to value: Double, at time: Double) {
    let moves = motion.speed(at: time) != 0 || !hasReport && !snaps
    let rate = nominalRate
    reported = value
    hasReport = true
    endTransition(finished: false)
    forgetReports(at: time)
    // As if just reported: it goes on at its speed until the source has stalled.
    guard let rate, rate != 0, moves else { return stop(at: value, time) }
    motion = cruising(from: value, at: time, catchUpRate: rate, until: time, rate: rate)
  }

  /// Stays at the value that is shown, and forgets where it was going.
  @inline(never) mutating func stop(at value: Double, _ time: Double) {
    endTransition(finished: false)
    forgetReports(at: time)
    motion = BarMotion(resting: value.limited(to: range), at: time)
  }

  /// Changes how fast the source plays, from the shown value on.
  mutating func setPlaybackRate(_ new: Double, at time: Double) {
    let old = playbackRate
    let shown = motion.value(at: time)
    let speed = motion.speed(at: time)
    keptUnits = learnedUnits
    playbackRate = new
    line.clear()
    (start, latestStamp) = (time, nil)
    guard transition == nil, speed != 0, old != 0 else { return }
    let rate = unitsPerSecond.map { $0 * new } ?? speed * (new / old)
    guard rate.isFinite else { return }
    motion = cruising(from: shown, at: time, catchUpRate: rate, until: time, rate: rate)
  }

  // MARK: Reports of a clock

  /// Takes a report of a source that is a clock, such as a player.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - ahead: In how many seconds from now the value is due.
  ///   - stamp: The source's own time of the report, for telling old ones; nil for none.
  ///   - time: The time of the bar.
  ///   - isHeld: Whether the time line stands, so that only a seek moves anything.
  mutating func report(
    _ value: Double, ahead: Double, stamp: Double?, at time: Double, isHeld: Bool
  ) {
    let due = value - (nominalRate ?? 0) * ahead
    let isSeek = isSeek(value, due: due, ahead: ahead, at: time)
    let isHeld = isHeld || playbackRate == 0
    if let stamp, let latestStamp, !isSeek,
      playbackRate < 0 ? stamp >= latestStamp : stamp <= latestStamp
    {
      return
    }
    latestStamp = stamp ?? latestStamp
    let isRepeated = hasReport && value == reported && !isSeek
    reported = value
    // The same again is no sign of life: a source that hangs repeats itself.
    if isRepeated { return isHeld ? () : doubt(at: time) }
    defer { hasReport = true }
    guard hasReport else { return begin(with: value, ahead: ahead, at: time, isHeld: isHeld) }
    if isHeld {
      if isSeek { seek(to: due, at: time) }
      return
    }
    endTransition(finished: false)
    if snaps {
      let shown = motion.value(at: time)
      let isBehind = ((nominalRate ?? 0) < 0 ? shown - due : due - shown) < 0
      motion = BarMotion(resting: isBehind && !isSeek ? shown : due.limited(to: range), at: time)
      return
    }
    if isSeek, nominalRate != nil { return jump(to: due, value, ahead: ahead, at: time) }
    let hasStalled = motion.brakeDuration > 0 && time >= motion.brakeTime
    if hasStalled { keepLearnedRate() }
    line.add(value, at: time + ahead)
    // What was said before a stall tells of a time that the source has lost.
    if hasStalled { line.forgetOlder() }
    guard let nominal = nominalRate, nominal != 0 else {
      // Two reports tell a speed. Until then the value goes where it is known to be.
      return move(to: value, at: time, for: max(ahead, line.period))
    }
    steer(nominal: nominal, at: time)
  }

  /// Whether a report is so far from what is shown that the source must have jumped.
  ///
  /// A source that was silent or says the same again may have hung. Then it may be anywhere from where it was to where it
  /// would be, and no bar jumps back because it went on alone; nor while it waits for a source that goes on as it said.
  @inline(never) private func isSeek(_ value: Double, due: Double, ahead: Double, at time: Double)
    -> Bool
  {
    let (threshold, distance) = (seekThreshold, due - motion.value(at: time))
    guard abs(distance) > threshold else { return false }
    let latest = line.latestValue ?? reported
    guard hasReport, let rate = nominalRate, distance * rate < 0,
      value == latest || isSilent(at: time + ahead)
        || abs(due - line.value(at: time, rate: rate)) < threshold
    else { return true }
    return (value - latest) * (rate < 0 ? -1 : 1) < -threshold
  }

  /// Slows down when the source has said the same for so long that it must hang.
  private mutating func doubt(at time: Double) {
    if isSilent(at: time), time < motion.brakeTime { stall(at: time) }
  }

  /// Whether nothing new was heard for so long that the source may hang.
  @inline(never) private func isSilent(at time: Double) -> Bool {
    time - (line.latestTime ?? start) >= ReportLine.silentPeriods * line.period
  }

  /// Shows the first report of all.
  @inline(never) private mutating func begin(
    with value: Double, ahead: Double, at time: Double, isHeld: Bool
  ) {
    let rate = unitsPerSecond.map { $0 * playbackRate }
    guard let rate, rate != 0, !isHeld, !snaps else {
      motion = BarMotion(resting: value.limited(to: range), at: time)
      if !isHeld { line.add(value, at: time + ahead) }
      return
    }
    jump(to: value - rate * ahead, value, ahead: ahead, at: time)
  }

  /// Goes on from where the source has jumped to.
  @inline(never) private mutating func jump(
    to due: Double, _ value: Double, ahead: Double, at time: Double
  ) {
    let rate = nominalRate ?? 0
    let (latestTime, stamp) = (line.latestTime, latestStamp)
    forgetReports(at: time)
    latestStamp = stamp
    line.add(value, at: time + ahead)
    // A jump brings a report before its time, never one later.
    if let latestTime, time + ahead - latestTime > line.period {
      line.learn(period: time + ahead - latestTime)
    }
    // What is due only later is waited for where the range begins.
    let wait = rate == 0 ? 0 : (due.limited(to: range) - due) / rate
    motion = cruising(from: due, at: time, catchUpRate: 0, until: time + wait, rate: rate)
  }

  /// Changes the speed a little, so that the shown value meets the line of the reports.
  private mutating func steer(nominal: Double, at time: Double) {
    let pace = abs(nominal)
    line.forgetWhatIsRefuted(rate: nominal, pace: pace)
    let rate = line.rate(nominal: unitsPerSecond == nil ? nil : nominal) ?? nominal
    let shown = motion.value(at: time)
    let error = line.value(at: time, rate: rate) - shown
    let limits = (1 - Law.mostSteering) * pace...(1 + Law.mostSteering) * pace
    let direction: Double = nominal < 0 ? -1 : 1
    if error != 0, motion.speed(at: time) == 0 {
      // Nobody sees how fast a bar begins: one that stands ahead of its source waits, one behind goes twice as fast.
      let seconds = error / nominal
      motion = cruising(
        from: shown, at: time, catchUpRate: seconds < 0 ? 0 : 2 * nominal,
        until: time + abs(seconds), rate: nominal)
      return
    }
    let wanted = (rate + error / Law.steeringTime) * direction
    let steered = wanted.limited(to: limits) * direction
    let correction = steered - rate
    // At a speed that was cut down to what is allowed the error takes longer to go.
    let needed = correction == 0 || error / correction < 0 ? 0 : error / correction
    motion = cruising(
      from: shown, at: time, catchUpRate: steered,
      until: time + max(needed, needed == 0 ? Law.steeringTime : 0),
      rate: (rate * direction).limited(to: limits) * direction)
  }

  /// A motion that goes on until the source has stalled.
  @inline(never) private func cruising(
    from value: Double, at time: Double, catchUpRate: Double, until turnTime: Double, rate: Double
  ) -> BarMotion {
    if source == .forecast {
      return working(
        from: value, at: time, catchUpRate: catchUpRate, until: turnTime, rate: max(rate, 0))
    }
    return BarMotion(
      value.limited(to: range), at: time, catchUpRate: catchUpRate, until: turnTime, rate: rate,
      brakeTime: time + Law.stallPeriods * line.period, brakeDuration: line.period, bounds: range)
  }

  /// Slows to a stop within a period: the source says that it hangs.
  mutating func stall(at time: Double) {
    // One that waits for its source goes on no more either.
    guard !motion.isResting(at: time), transition == nil else { return }
    motion = BarMotion(
      motion.value(at: time), at: time, catchUpRate: 0, until: time, rate: motion.speed(at: time),
      brakeTime: time, brakeDuration: line.period, bounds: motion.bounds)
  }

  // MARK: Transitions

  /// Moves evenly to a value in a given time.
  ///
  /// - Returns: The number of the transition, by which its end is told.
  mutating func animate(
    to value: Double, for duration: Double, at time: Double
  ) -> BarTransition {
    endTransition(finished: false)
    forgetReports(at: time)
    reported = value
    hasReport = true
    let new = BarTransition(rawValue: nextTransition)
    nextTransition += 1
    transition = new
    move(to: value, at: time, for: duration)
    finish(at: time)
    return new
  }

  /// Ends a transition whose time has come.
  mutating func finish(at time: Double) {
    guard transition != nil, motion.isResting(at: time) else { return }
    // Exactly on its target: the way there, computed from a clock that has run for days, ends a hair beside it.
    let (bounds, isBackwards) = (motion.bounds, motion.rate < 0)
    motion = BarMotion(resting: isBackwards ? bounds.lowerBound : bounds.upperBound, at: time)
    endTransition(finished: true)
  }

  /// Takes the transitions that have ended since the last call.
  mutating func takeEnded() -> [BarEvent] {
    guard !ended.isEmpty else { return [] }
    defer { ended = [] }
    return ended
  }

  /// Tells of a transition that is on its way that it has ended.
  @inline(never) mutating func endTransition(finished: Bool) {
    guard let ending = transition else { return }
    transition = nil
    ended.append(
      .transitionEnded(BarTransitionEnd(transition: ending, isFinished: finished)))
  }

  // MARK: The whole

  /// Forgets everything but the range, and shows its beginning.
  mutating func reset(at time: Double) {
    let (range, units, next, ended) = (range, unitsPerSecond, nextTransition, ended)
    let interrupted = transition
    self = BarGlide(range: range)
    (unitsPerSecond, nextTransition, self.ended) = (units, next, ended)
    motion = BarMotion(resting: range.lowerBound, at: time)
    if let interrupted {
      self.ended.append(
        .transitionEnded(BarTransitionEnd(transition: interrupted, isFinished: false)))
    }
  }

  /// Keeps what is shown within a new range.
  mutating func setRange(_ new: ClosedRange<Double>, at time: Double) {
    let (old, shown, speed) = (
      range, motion.value(at: time), motion.speed(at: time)
    )
    range = new
    reported = reported.limited(to: new)
    guard old != new else { return }
    let kept = shown.limited(to: new)
    if source == .forecast, transition == nil, hasReport, reported < new.upperBound {
      return pursue(from: kept, at: time)
    }
    guard kept == shown, speed != 0 else {
      if kept != shown { stop(at: kept, time) }
      return
    }
    // A transition keeps its target, which only a smaller range can cut off.
    let isFree = transition == nil
    motion.setBounds(
      isFree ? new : motion.bounds.clamped(to: new), at: time,
      braking: isFree && nominalRate != nil ? line.period : 0)
  }

  /// Moves evenly to a value.
  @inline(never) mutating func move(to value: Double, at time: Double, for duration: Double) {
    let (from, target) = (motion.value(at: time), value.limited(to: range))
    guard duration >= BarLimits.shortest, duration.isFinite, from != target else {
      motion = BarMotion(resting: target, at: time)
      return
    }
    motion = BarMotion(from: from, to: target, at: time, for: duration)
  }

  /// Forgets the reports, and keeps the speed that they told.
  @inline(never) mutating func forgetReports(at time: Double) {
    start = time
    keepLearnedRate()
    line.clear()
    latestStamp = nil
  }

  /// Keeps the speed that the reports have told.
  @inline(never) private mutating func keepLearnedRate() {
    keptUnits = learnedUnits
  }
}
