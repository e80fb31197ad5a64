/// The recent reports of a source, and the line on which its value moves.
///
/// A late report shows an old value, which is too low; none is too high. So the line runs through the
/// report with the least delay, which is the one furthest along, with the slope of all of them:
///
/// ```
///   value        ●  ← least delay: the line runs here
///     │      ●  ·  ●
///     │  ●  ·  ●         a late report changes nothing
///     └──────────────▶ time
/// ```
///
/// NTP reads a clock over a network by the same rule: of the recent samples it uses the one with the least delay. See
/// "Improved Algorithms for Synchronizing Computer Network Clocks" (Mills, 1995).
///
/// A pure value of fixed size; everything is O(`capacity`).
struct ReportLine: Sendable {
  /// The number of stored reports: four seconds at four reports a second, enough to fit a slope.
  static let capacity = SixteenNumbers.count
  /// The interval that is assumed before the second report, in seconds: that of most players.
  static let defaultPeriod = 0.25
  /// The greatest relative deviation of the slope from the given speed.
  private static let maximumDrift = 0.05
  /// The prior standard deviation of the relative speed: that of sound card clocks and frame rates.
  private static let likelyDrift = 0.01
  /// The smallest standard deviation of delays that is assumed, in seconds.
  private static let likelyDelay = 0.012
  /// The number of reports that must agree before the source is taken to have moved back a little.
  private static let reportsToRefute = 4
  /// The minimum delay of a report that counts towards it, in seconds.
  private static let longDelay = 0.1

  /// The times of the reports in seconds, oldest first.
  private var times = SixteenNumbers()
  private var values = SixteenNumbers()
  private(set) var count = 0
  /// The smoothed interval between reports in seconds, or nil before the second report.
  private var interval: Double?
  /// Whether the latest interval was so long that it may be a stall.
  private var wasLong = false

  /// The usual interval between reports, in seconds.
  var period: Double { interval ?? Self.defaultPeriod }

  var latestTime: Double? { count > 0 ? times[count - 1] : nil }

  var latestValue: Double? { count > 0 ? values[count - 1] : nil }

  /// Removes the reports and keeps the usual interval.
  mutating func clear() { count = 0 }

  mutating func add(_ value: Double, at time: Double) {
    if let latestTime, time > latestTime { learn(period: time - latestTime) }
    if count == Self.capacity { drop(1) }
    times[count] = time
    values[count] = value
    count += 1
  }

  /// Updates the usual interval.
  ///
  /// The first interval is used as it is, later ones with a weight of a quarter, since one late report does not mean a slower
  /// source. An interval so long that it may be a stall is used only when another one follows.
  ///
  /// - Parameter period: The time between two reports, in seconds.
  mutating func learn(period: Double) {
    let new = min(max(period, Self.shortestPeriod), Self.longestPeriod)
    guard let old = interval else {
      interval = new
      return
    }
    let isLong = new > Self.longInterval * old
    if !isLong {
      interval = old + (new - old) / 4
    } else if wasLong {
      interval = new
    }
    wasLong = isLong
  }

  mutating func dropAllButNewest() { drop(count - 1) }

  /// The number of usual intervals without a new report after which the source may hang.
  static let silentPeriods = 1.5
  /// An interval more than this many times the usual one may be a stall.
  private static let longInterval = 3.0
  /// The shortest interval that is assumed, in seconds: a source that reports in each frame may miss several.
  private static let shortestPeriod = 0.1
  /// The smallest sum of squared deviations of times that gives a speed: that of two reports in the shortest interval.
  private static let minimumSpread = shortestPeriod * shortestPeriod / 2
  /// The longest interval that is assumed, in seconds.
  private static let longestPeriod = 5.0

  /// Drops the older reports if the newest ones agree that the value is further back.
  ///
  /// - Parameters:
  ///   - rate: The speed in units per second, not zero.
  ///   - pace: Its magnitude.
  mutating func dropRefutedReports(rate: Double, pace: Double) {
    guard count > Self.reportsToRefute else { return }
    let now = times[count - 1]
    let best = value(at: now, rate: rate)
    for index in (count - Self.reportsToRefute)..<count {
      let behind = (best - extrapolated(index, to: now, rate: rate)) * (rate < 0 ? -1 : 1)
      if behind < Self.longDelay * pace { return }
    }
    drop(count - Self.reportsToRefute)
  }

  /// The value of the line at a time.
  ///
  /// - Parameters:
  ///   - now: The time in seconds.
  ///   - rate: The slope in units per second.
  /// - Returns: The value, or 0 without reports.
  func value(at now: Double, rate: Double) -> Double {
    guard count > 0 else { return 0 }
    return unsafe times.read { times in
      unsafe values.read { values in
        var best = unsafe values[0] + rate * (now - times[0])
        for index in 1..<max(count, 1) {
          let other = unsafe values[index] + rate * (now - times[index])
          if rate < 0 ? other < best : other > best { best = other }
        }
        return best
      }
    }
  }

  /// The slope of the line.
  ///
  /// It is the least-squares slope, shrunk towards the nominal speed: with a prior variance *p²* and the variance *s²* of
  /// the slope, which follows from the residuals, its weight is *p² / (p² + s²)*.
  ///
  /// - Parameter nominal: The given speed in units per second, or nil.
  /// - Returns: Units per second, or nil if no speed is given and there are fewer than two reports.
  func rate(nominal: Double?) -> Double? {
    guard count > 1 else { return nominal }
    var (meanTime, meanValue) = (0.0, 0.0)
    for index in 0..<count {
      meanTime += times[index]
      meanValue += values[index]
    }
    meanTime /= Double(count)
    meanValue /= Double(count)
    var (spread, product) = (0.0, 0.0)
    for index in 0..<count {
      let away = times[index] - meanTime
      spread += away * away
      product += away * (values[index] - meanValue)
    }
    // Reports at nearly the same time give no speed, however far apart their values are.
    guard spread >= Self.minimumSpread, (product / spread).isFinite else { return nominal }
    guard let nominal else { return product / spread }
    guard nominal != 0, count > 3 else { return nominal }
    let slope = product / spread
    var noise = Self.likelyDelay * Self.likelyDelay
    var squares = 0.0
    for index in 0..<count {
      let off = (values[index] - meanValue - slope * (times[index] - meanTime)) / nominal
      squares += off * off
    }
    noise = max(noise, squares / Double(count - 2)) / spread
    let prior = Self.likelyDrift * Self.likelyDrift
    let drift = (slope / nominal - 1) * prior / (prior + noise)
    return nominal * (1 + min(max(drift, -Self.maximumDrift), Self.maximumDrift))
  }

  /// Extrapolates a report to another time.
  @inline(never) private func extrapolated(_ index: Int, to now: Double, rate: Double) -> Double {
    values[index] + rate * (now - times[index])
  }

  /// Drops the oldest reports.
  private mutating func drop(_ dropped: Int) {
    times.moveToFront(from: dropped, to: count)
    values.moveToFront(from: dropped, to: count)
    count -= dropped
  }
}
