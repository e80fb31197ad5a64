/// The latest reports of a source, and the line on which its value moves.
///
/// A report that comes late says too little for the time at which it comes, and none says too much. So the line runs
/// through the report that was delayed least, which is the one furthest along, and its slope is that of all of them:
///
/// ```
///   value        ●  ← least delayed: the line runs here
///     │      ●  ·  ●
///     │  ●  ·  ●         a late report moves nothing
///     └──────────────▶ time
/// ```
///
/// It is the rule by which NTP reads a clock over a network, taken from "Improved Algorithms for Synchronizing Computer
/// Network Clocks" (Mills, 1995): of the recent samples the one with the least delay tells the time.
///
/// A pure value of fixed size; everything is O(`capacity`).
struct ReportLine: Sendable {
  /// The most reports that are kept: four seconds of a player, long enough for a slope and short enough to forget.
  static let capacity = 16
  /// The gap between reports that is assumed before two have come, in seconds: that of most players.
  static let usualPeriod = 0.25
  /// By how much the slope may differ from the speed that the source states.
  private static let mostDrift = 0.05
  /// The spread of true speeds round the stated one that is thought likely: clocks of sound cards and frame rates.
  private static let likelyDrift = 0.01
  /// The least spread of delays that is thought likely, in seconds.
  private static let likelyDelay = 0.012
  /// The reports that have to say the same before a source is believed to have moved back a little.
  private static let witnesses = 4
  /// From which delay on reports bear such witness, in seconds.
  private static let longDelay = 0.1

  /// The times of the reports in seconds, the oldest first.
  private var times = [16 of Double](repeating: 0)
  /// Their values.
  private var values = [16 of Double](repeating: 0)
  /// How many there are.
  private(set) var count = 0
  /// The usual gap between reports in seconds, nil before two have come.
  private var gap: Double?
  /// Whether the latest gap was long as after a stall.
  private var wasLong = false

  /// Creates a line without reports.
  init() {}

  /// The usual gap between reports, in seconds.
  var period: Double { gap ?? Self.usualPeriod }

  /// The time of the latest report, nil before the first.
  var latestTime: Double? { count > 0 ? times[count - 1] : nil }

  /// The value of the latest report, nil before the first.
  var latestValue: Double? { count > 0 ? values[count - 1] : nil }

  /// Forgets the reports, not how often they come.
  mutating func clear() { count = 0 }

  /// Takes a report in.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - time: When it held, in seconds.
  mutating func add(_ value: Double, at time: Double) {
    if let latestTime, time > latestTime { learn(period: time - latestTime) }
    if count == Self.capacity { drop(1) }
    times[count] = time
    values[count] = value
    count += 1
  }

  /// Takes a gap between two reports in.
  ///
  /// The first is believed, later ones by a quarter: one late report is not a slower source. A gap that is long as after
  /// a stall is believed when another one follows.
  ///
  /// - Parameter period: The gap in seconds.
  mutating func learn(period: Double) {
    let new = min(max(period, Self.shortestPeriod), Self.longestPeriod)
    guard let old = gap else {
      gap = new
      return
    }
    let isLong = new > Self.longGap * old
    if !isLong {
      gap = old + (new - old) / 4
    } else if wasLong {
      gap = new
    }
    wasLong = isLong
  }

  /// Forgets all reports but the newest.
  mutating func forgetOlder() { drop(count - 1) }

  /// After how many usual gaps without news the source may hang.
  static let silentPeriods = 1.5
  /// From how many usual gaps on one is long as after a stall.
  private static let longGap = 3.0
  /// The shortest gap that is believed, in seconds: who reports in each frame may miss several.
  private static let shortestPeriod = 0.1
  /// The least sum of squares of times from their mean that tells a speed: that of two reports in the shortest gap.
  private static let leastSpread = shortestPeriod * shortestPeriod / 2
  /// The longest gap that is believed, in seconds.
  private static let longestPeriod = 5.0

  /// Forgets all but the newest reports when those agree that the value is further back than the older ones tell.
  ///
  /// - Parameters:
  ///   - rate: The speed, in units a second; not zero.
  ///   - pace: The units of a second at that speed; above zero.
  mutating func forgetWhatIsRefuted(rate: Double, pace: Double) {
    guard count > Self.witnesses else { return }
    let now = times[count - 1]
    let best = value(at: now, rate: rate)
    for index in (count - Self.witnesses)..<count {
      let behind = (best - along(index, at: now, rate: rate)) * (rate < 0 ? -1 : 1)
      if behind < Self.longDelay * pace { return }
    }
    drop(count - Self.witnesses)
  }

  /// The value of the line at a time.
  ///
  /// - Parameters:
  ///   - now: The time in seconds.
  ///   - rate: The slope, in units a second.
  /// - Returns: The value; 0 without reports.
  func value(at now: Double, rate: Double) -> Double {
    guard count > 0 else { return 0 }
    var best = along(0, at: now, rate: rate)
    for index in 1..<max(count, 1) {
      let other = along(index, at: now, rate: rate)
      if rate < 0 ? other < best : other > best { best = other }
    }
    return best
  }

  /// The slope.
  ///
  /// The slope of least squares is believed the more the more time it has seen: with a prior spread *p* and that of the
  /// slope *s*, which the reports' distances from it tell, by *p² / (p² + s²)*.
  ///
  /// - Parameter nominal: The speed that the source states, in units a second; nil where it states none.
  /// - Returns: Units a second; nil where nothing is stated and fewer than two reports have come.
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
    // Reports within one moment tell no speed, however far apart they are.
    guard spread >= Self.leastSpread, (product / spread).isFinite else { return nominal }
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
    return nominal * (1 + min(max(drift, -Self.mostDrift), Self.mostDrift))
  }

  /// Takes a report along to a time.
  @inline(never) private func along(_ index: Int, at now: Double, rate: Double) -> Double {
    values[index] + rate * (now - times[index])
  }

  /// Forgets the oldest reports.
  private mutating func drop(_ number: Int) {
    for index in number..<count {
      times[index - number] = times[index]
      values[index - number] = values[index]
    }
    count -= number
  }
}
