/// How the shown value follows work with a forecast.
extension BarGlide {
  /// Handles a report of work.
  ///
  /// - Parameters:
  ///   - value: The progress of the work.
  ///   - rate: Its forecast speed, in units per second; nil to use the speed of the reports.
  ///   - time: The time of the bar.
  mutating func forecast(_ value: Double, rate: Double?, at time: Double) {
    reported = value
    hasReport = true
    endTransition(finished: false)
    if line.latestValue != value { line.add(value, at: time) }
    let shown = motion.value(at: time)
    forecastRate = max(rate ?? line.rate(nominal: nil) ?? learnedUnits ?? 0, 0)
    if snaps {
      motion = BarMotion(resting: max(shown, value).clamped(to: range), at: time)
      return
    }
    guard value < range.upperBound else {
      // On a repeated report of the end, the value is already moving there.
      let rest = motion.restTime
      if rest <= time + Parameters.catchUpTime, motion.value(at: rest) == value { return }
      return move(to: range.upperBound, at: time, over: Parameters.catchUpTime)
    }
    pursue(from: shown, at: time)
  }

  /// Moves from a shown value to the position of the work, and then with it.
  @inline(never) mutating func pursue(from shown: Double, at time: Double) {
    let error = reported - shown
    guard error < 0 else {
      let all = Parameters.catchUpPart * (range.upperBound - range.lowerBound)
      let catchUpTime =
        forecastRate > 0 ? min(Parameters.catchUpTime, all / forecastRate) : Parameters.catchUpTime
      motion = working(
        from: shown, at: time, catchUpRate: forecastRate + error / catchUpTime,
        until: time + catchUpTime, rate: forecastRate)
      return
    }
    let creep = Parameters.creep * forecastRate
    let turn = forecastRate > 0 ? time - error / (forecastRate - creep) : .infinity
    motion = working(from: shown, at: time, catchUpRate: creep, until: turn, rate: forecastRate)
  }

  /// A motion that slows down before the end of the range, which only a report of the end reaches.
  @inline(never) func working(
    from value: Double, at time: Double, catchUpRate: Double, until turnTime: Double, rate: Double
  ) -> BarMotion {
    let span = range.upperBound - range.lowerBound
    let cap = max(range.upperBound - Parameters.endReserve * span, value)
    let turned = value + catchUpRate * (turnTime - time)
    guard rate > 0, turnTime.isFinite, turned < cap else {
      let end = catchUpRate > 0 ? time + (cap - value) / catchUpRate : time
      return BarMotion(
        value, at: time, catchUpRate: catchUpRate, until: min(turnTime, end), rate: 0,
        brakeTime: min(turnTime, end), brakeDuration: 0, bounds: value...cap)
    }
    let rest = cap - turned
    let brakeTime = turnTime + Parameters.cruisingFraction * rest / rate
    return BarMotion(
      value, at: time, catchUpRate: catchUpRate, until: turnTime, rate: rate,
      brakeTime: brakeTime, brakeDuration: 2 * (1 - Parameters.cruisingFraction) * rest / rate,
      bounds: value...cap)
  }
}
