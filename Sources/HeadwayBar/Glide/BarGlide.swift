/// The reported and the shown value, and how the second follows the first.
///
/// All times are seconds on the bar's timeline, which stops during a pause. A pure value without allocation; every
/// operation is O(1).
struct BarGlide: Sendable {
  var reported: Double
  var motion: BarMotion
  /// The recent reports.
  var line = ReportLine()
  var range: ClosedRange<Double>
  /// The units of the source per second at normal speed, or nil to learn them.
  var unitsPerSecond: Double?
  /// The playback rate: 1 is normal speed, a negative rate plays backwards.
  private(set) var playbackRate: Double = 1
  /// The transition in progress.
  private(set) var transition: BarTransition?
  /// The ends of transitions that `takeEnded()` has not returned yet.
  private(set) var ended: [BarEvent] = []
  private var nextTransition = 1
  /// The source's own time of its latest report.
  private var latestStamp: Double?
  var hasReport = false
  /// When the reports were last cleared, in seconds.
  private var start = 0.0
  /// The latest forecast speed, in units per second.
  var forecastRate = 0.0
  var source = ProgressBar.Source.reports
  /// Whether values are shown as they are reported, without gliding.
  var snaps = false

  /// Creates a glide that rests at the beginning of its range.
  init(range: ClosedRange<Double>) {
    self.range = range
    reported = range.lowerBound
    motion = BarMotion(resting: range.lowerBound)
  }

  // MARK: Queries

  /// The given or learned speed, in units per second; nil while it is unknown.
  var nominalRate: Double? {
    @inline(never) get { units.map { $0 * playbackRate } }
  }

  /// The given or learned units per second at normal speed; nil while they are unknown.
  private var units: Double? { unitsPerSecond ?? learnedUnits }

  /// The units per second at normal speed that the reports show, or showed before they were cleared.
  var learnedUnits: Double? {
    @inline(never) get {
      guard playbackRate != 0, let rate = line.rate(nominal: nil) else { return storedUnits }
      return rate / playbackRate
    }
  }

  /// The units per second that were learned before the reports were cleared.
  private var storedUnits: Double?

  /// The difference from which a report is a seek, in units.
  private var seekThreshold: Double {
    @inline(never) get {
      // If the source has never moved, its speed is unknown and every change counts as a seek.
      min(
        abs(units ?? 0) * Parameters.seek,
        (range.upperBound - range.lowerBound) * Parameters.seekPart)
    }
  }

  /// Returns whether a report may be of a source that has moved on from a place at its speed, or has stayed there.
  ///
  /// It is mutating only so that the web core reads the glide in place instead of copying it.
  ///
  /// - Parameters:
  ///   - place: Where the source was, and since when it may have moved on.
  ///   - value: The reported value.
  ///   - time: The time of the report.
  /// - Returns: Whether the value lies between the place and where the source may be by now.
  @inline(never) mutating func goesOn(
    from place: TimedValue, with value: Double, at time: Double
  ) -> Bool {
    let threshold = seekThreshold
    let slack =
      threshold > 0 ? threshold : (range.upperBound - range.lowerBound) * Parameters.endReserve
    let end = place.value + (nominalRate ?? 0) * (time - place.time)
    return value >= min(place.value, end) - slack && value <= max(place.value, end) + slack
  }

  /// The time of the latest new report, or when the reports were cleared since, in seconds.
  var latestTime: Double {
    @inline(never) get { line.latestTime ?? start }
  }

  // MARK: Values without animation

  /// Sets the reported value while another one is shown.
  mutating func setReported(_ value: Double) { (reported, hasReport) = (value, true) }

  @inline(never) mutating func set(_ value: Double, at time: Double) {
    reported = value
    hasReport = true
    stop(at: value, time)
  }

  /// Jumps to a value and moves on from there.
  mutating func seek(to value: Double, at time: Double) {
    let moves = motion.speed(at: time) != 0 || !hasReport && !snaps
    let rate = nominalRate
    reported = value
    hasReport = true
    endTransition(finished: false)
    clearReports(at: time)
    // As after a report, the value moves on until the source has stalled.
    guard let rate, rate != 0, moves else { return stop(at: value, time) }
    motion = cruising(from: value, at: time, catchUpRate: rate, until: time, rate: rate)
  }

  /// Stops at a value and clears the target.
  @inline(never) mutating func stop(at value: Double, _ time: Double) {
    endTransition(finished: false)
    clearReports(at: time)
    motion = BarMotion(resting: value.clamped(to: range), at: time)
  }

  mutating func setPlaybackRate(_ new: Double, at time: Double) {
    let old = playbackRate
    let shown = motion.value(at: time)
    let speed = motion.speed(at: time)
    storedUnits = learnedUnits
    playbackRate = new
    line.clear()
    (start, latestStamp) = (time, nil)
    guard transition == nil, speed != 0, old != 0 else { return }
    let rate = unitsPerSecond.map { $0 * new } ?? speed * (new / old)
    guard rate.isFinite else { return }
    motion = cruising(from: shown, at: time, catchUpRate: rate, until: time, rate: rate)
  }

  // MARK: Reports of a clock

  /// Handles a report of a source that is a clock, such as a player.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - ahead: The seconds from now until the value is due.
  ///   - stamp: The source's own time of the report, by which old reports are recognized.
  ///   - time: The time of the bar.
  ///   - isPaused: Whether the timeline is paused, so that only a seek changes the shown value.
  mutating func report(
    _ value: Double, ahead: Double, stamp: Double?, at time: Double, isPaused: Bool
  ) {
    let due = value - (nominalRate ?? 0) * ahead
    let isSeek = isSeek(value, due: due, ahead: ahead, at: time)
    let isPaused = isPaused || playbackRate == 0
    if let stamp, let latestStamp, !isSeek,
      playbackRate < 0 ? stamp >= latestStamp : stamp <= latestStamp
    {
      return
    }
    latestStamp = stamp ?? latestStamp
    let isRepeated = hasReport && value == reported && !isSeek
    reported = value
    // A source that hangs repeats its last value.
    if isRepeated { return isPaused ? () : stallIfSilent(at: time) }
    defer { hasReport = true }
    guard hasReport else { return begin(with: value, ahead: ahead, at: time, isPaused: isPaused) }
    if isPaused {
      if isSeek { seek(to: due, at: time) }
      return
    }
    endTransition(finished: false)
    if snaps {
      let shown = motion.value(at: time)
      let isBehind = ((nominalRate ?? 0) < 0 ? shown - due : due - shown) < 0
      motion = BarMotion(resting: isBehind && !isSeek ? shown : due.clamped(to: range), at: time)
      return
    }
    if isSeek, nominalRate != nil { return jump(to: due, value, ahead: ahead, at: time) }
    let hasStalled = motion.brakeDuration > 0 && time >= motion.brakeTime
    if hasStalled { storeLearnedRate() }
    line.add(value, at: time + ahead)
    // Reports from before a stall lie on a line that the source has left.
    if hasStalled { line.dropAllButNewest() }
    guard let nominal = nominalRate, nominal != 0 else {
      // A speed needs two reports. Until then the value moves to the reported one.
      return move(to: value, at: time, over: max(ahead, line.period))
    }
    steer(nominal: nominal, at: time)
  }

  /// Returns whether a report is so far from the shown value that the source must have jumped.
  ///
  /// A source that was silent or repeats itself may have hung, and is then anywhere between its last position and the one
  /// it would have reached. The bar does not jump back because it moved on alone, nor while it waits for a source that
  /// keeps to its line.
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

  /// Slows down if the source has repeated itself for so long that it must hang.
  private mutating func stallIfSilent(at time: Double) {
    if isSilent(at: time), time < motion.brakeTime { stall(at: time) }
  }

  /// Whether the last new report is so old that the source may hang.
  @inline(never) private func isSilent(at time: Double) -> Bool {
    time - latestTime >= ReportLine.silentPeriods * line.period
  }

  @inline(never) private mutating func begin(
    with value: Double, ahead: Double, at time: Double, isPaused: Bool
  ) {
    let rate = unitsPerSecond.map { $0 * playbackRate }
    guard let rate, rate != 0, !isPaused, !snaps else {
      motion = BarMotion(resting: value.clamped(to: range), at: time)
      if !isPaused { line.add(value, at: time + ahead) }
      return
    }
    jump(to: value - rate * ahead, value, ahead: ahead, at: time)
  }

  /// Moves on from the value to which the source has jumped.
  @inline(never) private mutating func jump(
    to due: Double, _ value: Double, ahead: Double, at time: Double
  ) {
    let rate = nominalRate ?? 0
    let (latestTime, stamp) = (line.latestTime, latestStamp)
    clearReports(at: time)
    latestStamp = stamp
    line.add(value, at: time + ahead)
    // A jump makes a report early, never late.
    if let latestTime, time + ahead - latestTime > line.period {
      line.learn(period: time + ahead - latestTime)
    }
    // A value that is due later is awaited at the beginning of the range.
    let wait = rate == 0 ? 0 : (due.clamped(to: range) - due) / rate
    motion = cruising(from: due, at: time, catchUpRate: 0, until: time + wait, rate: rate)
  }

  /// Corrects the speed slightly, so that the shown value meets the line of the reports.
  private mutating func steer(nominal: Double, at time: Double) {
    let pace = abs(nominal)
    line.dropRefutedReports(rate: nominal, pace: pace)
    let rate = line.rate(nominal: unitsPerSecond == nil ? nil : nominal) ?? nominal
    let shown = motion.value(at: time)
    let error = line.value(at: time, rate: rate) - shown
    let limits = (1 - Parameters.maximumSteering) * pace...(1 + Parameters.maximumSteering) * pace
    let direction: Double = nominal < 0 ? -1 : 1
    if error != 0, motion.speed(at: time) == 0 {
      // The speed of a start is not noticed: a bar ahead of its source waits, one behind it moves at twice the speed.
      let seconds = error / nominal
      motion = cruising(
        from: shown, at: time, catchUpRate: seconds < 0 ? 0 : 2 * nominal,
        until: time + abs(seconds), rate: nominal)
      return
    }
    let wanted = (rate + error / Parameters.steeringTime) * direction
    let steered = wanted.clamped(to: limits) * direction
    let correction = steered - rate
    // At a speed that was limited, the correction takes longer.
    let needed = correction == 0 || error / correction < 0 ? 0 : error / correction
    motion = cruising(
      from: shown, at: time, catchUpRate: steered,
      until: time + max(needed, needed == 0 ? Parameters.steeringTime : 0),
      rate: (rate * direction).clamped(to: limits) * direction)
  }

  /// A motion that lasts until the source has stalled.
  @inline(never) private func cruising(
    from value: Double, at time: Double, catchUpRate: Double, until turnTime: Double, rate: Double
  ) -> BarMotion {
    if source == .forecast {
      return working(
        from: value, at: time, catchUpRate: catchUpRate, until: turnTime, rate: max(rate, 0))
    }
    return BarMotion(
      value.clamped(to: range), at: time, catchUpRate: catchUpRate, until: turnTime, rate: rate,
      brakeTime: time + Parameters.stallPeriods * line.period, brakeDuration: line.period,
      bounds: range)
  }

  /// Slows to a stop within one period.
  mutating func stall(at time: Double) {
    // This includes a value that waits for its source.
    guard !motion.isResting(at: time), transition == nil else { return }
    motion = BarMotion(
      motion.value(at: time), at: time, catchUpRate: 0, until: time, rate: motion.speed(at: time),
      brakeTime: time, brakeDuration: line.period, bounds: motion.bounds)
  }

  // MARK: Transitions

  /// Moves to a value at constant speed.
  ///
  /// - Returns: The transition, which identifies its end.
  mutating func animate(
    to value: Double, over duration: Double, at time: Double
  ) -> BarTransition {
    endTransition(finished: false)
    clearReports(at: time)
    reported = value
    hasReport = true
    let new = BarTransition(number: nextTransition)
    nextTransition += 1
    transition = new
    move(to: value, at: time, over: duration)
    finish(at: time)
    return new
  }

  /// Ends the transition if it has reached its target.
  mutating func finish(at time: Double) {
    guard transition != nil, motion.isResting(at: time) else { return }
    // Rest exactly on the target, which rounding misses by a little.
    let (bounds, isBackwards) = (motion.bounds, motion.rate < 0)
    motion = BarMotion(resting: isBackwards ? bounds.lowerBound : bounds.upperBound, at: time)
    endTransition(finished: true)
  }

  /// Returns and removes the ends of transitions since the last call.
  mutating func takeEnded() -> [BarEvent] {
    guard !ended.isEmpty else { return [] }
    defer { ended = [] }
    return ended
  }

  @inline(never) mutating func endTransition(finished: Bool) {
    guard let ending = transition else { return }
    transition = nil
    ended.append(
      .transitionEnded(BarTransitionEnd(transition: ending, isFinished: finished)))
  }

  // MARK: The whole

  /// Restores the initial state, except for the range and the given speed.
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

  mutating func setRange(_ new: ClosedRange<Double>, at time: Double) {
    let (old, shown, speed) = (
      range, motion.value(at: time), motion.speed(at: time)
    )
    range = new
    reported = reported.clamped(to: new)
    guard old != new else { return }
    let kept = shown.clamped(to: new)
    if source == .forecast, transition == nil, hasReport, reported < new.upperBound {
      return pursue(from: kept, at: time)
    }
    guard kept == shown, speed != 0 else {
      if kept != shown { stop(at: kept, time) }
      return
    }
    // A transition keeps its target, unless the new range excludes it.
    let isFree = transition == nil
    motion.setBounds(
      isFree ? new : motion.bounds.clamped(to: new), at: time,
      braking: isFree && nominalRate != nil ? line.period : 0)
  }

  @inline(never) mutating func move(to value: Double, at time: Double, over duration: Double) {
    let (from, target) = (motion.value(at: time), value.clamped(to: range))
    guard duration >= BarLimits.shortest, duration.isFinite, from != target else {
      motion = BarMotion(resting: target, at: time)
      return
    }
    motion = BarMotion(from: from, to: target, at: time, over: duration)
  }

  /// Clears the reports but keeps the speed that was learned from them.
  @inline(never) mutating func clearReports(at time: Double) {
    start = time
    storeLearnedRate()
    line.clear()
    latestStamp = nil
  }

  @inline(never) private mutating func storeLearnedRate() {
    storedUnits = learnedUnits
  }
}
