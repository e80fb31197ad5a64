/// How the shown value follows work, which tells how far it is and how fast it goes on.
extension BarGlide {
  /// Takes a forecast of work in.
  ///
  /// - Parameters:
  ///   - value: How far the work is.
  ///   - rate: How fast it goes on, in units a second; nil for what the reports tell.
  ///   - time: The time of the bar.
  mutating func forecast(_ value: Double, rate: Double?, at time: Double) {
    reported = value
    hasReport = true
    endTransition(finished: false)
    if line.latestValue != value { line.add(value, at: time) }
    let shown = motion.value(at: time)
    pace = max(rate ?? line.rate(nominal: nil) ?? learnedUnits ?? 0, 0)
    if snaps {
      motion = BarMotion(resting: max(shown, value).limited(to: range), at: time)
      return
    }
    guard value < range.upperBound else {
      // Told of its end again, it is on its way there already.
      let rest = motion.restTime
      if rest <= time + Law.catchUpTime, motion.value(at: rest) == value { return }
      return move(to: range.upperBound, at: time, for: Law.catchUpTime)
    }
    pursue(from: shown, at: time)
  }

  /// Goes on from a shown value to where the work is, and with it.
  @inline(never) mutating func pursue(from shown: Double, at time: Double) {
    let error = reported - shown
    guard error < 0 else {
      let turn = time + Law.catchUpTime
      motion = working(
        from: shown, at: time, catchUpRate: pace + error / Law.catchUpTime, until: turn, rate: pace)
      return
    }
    let creep = Law.creep * pace
    let turn = pace > 0 ? time - error / (pace - creep) : .infinity
    motion = working(from: shown, at: time, catchUpRate: creep, until: turn, rate: pace)
  }

  /// A motion that slows down before the end, which only the work itself can reach.
  @inline(never) func working(
    from value: Double, at time: Double, catchUpRate: Double, until turnTime: Double, rate: Double
  ) -> BarMotion {
    let span = range.upperBound - range.lowerBound
    let cap = max(range.upperBound - Law.reserve * span, value)
    let turned = value + catchUpRate * (turnTime - time)
    guard rate > 0, turnTime.isFinite, turned < cap else {
      let end = catchUpRate > 0 ? time + (cap - value) / catchUpRate : time
      return BarMotion(
        value, at: time, catchUpRate: catchUpRate, until: min(turnTime, end), rate: 0,
        brakeTime: min(turnTime, end), brakeDuration: 0, bounds: value...cap)
    }
    let rest = cap - turned
    let brakeTime = turnTime + Law.cruisingPart * rest / rate
    return BarMotion(
      value, at: time, catchUpRate: catchUpRate, until: turnTime, rate: rate,
      brakeTime: brakeTime, brakeDuration: 2 * (1 - Law.cruisingPart) * rest / rate,
      bounds: value...cap)
  }
}
