public import HeadwayRun

/// The remaining time to show: it counts down one second each second unless the forecast changes.
///
/// Advance it with the forecast at every redraw, with the same time:
///
/// ```swift
/// var shown = ShownRemaining()
/// let first = RemainingTime(low: .seconds(100), median: .seconds(120), high: .seconds(150))
/// shown.advance(to: .zero, forecast: first)  // about 2 min
/// shown.advance(to: .seconds(60), forecast: nil)  // about 1 min: no news, and the clock runs down
/// ```
///
/// ```
///   low, median, high ──▶ steered clocks ──▶ one time or two ──▶ steps ──▶ value
///                          a sixteenth of        as wide as        2 min, not 1 min 53 s
///                          the range is          a factor of 2
///                          no news
/// ```
///
/// 1. *It counts down.* Both ends of the range and the median are moments at which the run may end; the remaining time
///   decreases by a second each second while these do not change.
/// 2. *Small changes are ignored.* A moment stays the same while the forecast differs from it by less than a sixteenth
///   of the range, and at most a quarter of the remaining time.
/// 3. *Large changes are followed gradually*, up as well as down. The half time is a twentieth of the remaining time,
///   at least one second and at most fifteen: after it half of a lasting change is shown, and 95 % after about three
///   half times, so within 50 s. If the forecast is advanced after a much longer time than that, it is shown as it is.
/// 4. *It is a range if it is uncertain*: from a ratio of the ends of 2.2 until the ratio is below 1.8. For the ratio,
///   both ends count as three seconds longer, because nobody minds four seconds instead of one.
/// 5. *It is rounded* to 1 s up to 10 s, to 5 s up to a minute, to 1, 5, 15, 30 and 60 minutes up to ten minutes, one
///   hour, three, six and a day, and to half days and days; a range is rounded to the steps of its upper end. The
///   rounded value changes only when the time is clearly beyond it.
/// 6. *It is honest.* A forecast is shown at once; in a first run it is a wide range. From then on there is always a
///   value of at least one second, until the run takes longer than every estimate: the clock has been at zero for two
///   seconds and no forecast is longer.
///
/// The time is an argument, on the clock of the forecast. It stops while the run is paused, and a time before the
/// latest one counts as the latest one. If the clock continues while the computer sleeps, there is a gap after which
/// the forecast is shown as it is; with a clock that stops there is no gap.
///
/// A pure value. Not thread safe.
public struct ShownRemaining: Hashable, Sendable {
  /// The parameters, each with its reason.
  struct Parameters: Hashable, Sendable {
    /// The part of the range by which a forecast may differ without a change: far within its own uncertainty.
    var tolerance = 0.0625
    /// The same as a part of the remaining time, for very wide ranges.
    var maximumTolerance = 0.25
    /// The half time of a change as a part of the remaining time: a long time may change more slowly.
    var easing = 0.05
    /// The minimum half time in seconds, short enough for the last seconds.
    var minimumHalfTime = 1.0
    /// The maximum half time in seconds, so that a lasting change is shown within a minute.
    var maximumHalfTime = 15.0
    /// The ratio of the ends from which a range is shown.
    var wide = 2.2
    /// The ratio of the ends below which it is no longer shown.
    var narrow = 1.8
    /// The seconds that are added to both ends for the first two ratios.
    var leeway = 3.0
    /// How long the time stays at one second before the run is late, in seconds: the end of a run takes a moment.
    var lateDelay = 2.0
    /// The maximum time that is shown, in seconds: a hundred years.
    var maximum = 3_155_760_000.0
  }

  /// The value to show.
  public private(set) var value = RoundedRemaining.unknown
  private let parameters: Parameters
  /// The latest time, in seconds.
  private var latest = 0.0
  /// The end that is reached in 10 % of cases.
  private var low = SteeredClock()
  /// The expected end.
  private var median = SteeredClock()
  /// The end that is reached in 90 % of cases.
  private var high = SteeredClock()
  /// Whether a range is shown.
  private var isRange = false
  /// The single time, rounded.
  private var single = ReadableTime()
  /// The lower end, rounded.
  private var lower = ReadableTime()
  /// The upper end, rounded.
  private var upper = ReadableTime()

  /// Creates the value of a run that has not begun.
  public init() { parameters = Parameters() }

  init(parameters: Parameters) { self.parameters = parameters }

  /// The remaining time that is shown, before rounding and at least zero, nil if there is no estimate.
  public var remaining: RemainingTime? {
    exact.map {
      RemainingTime(
        low: Duration(clamping: $0.low), median: Duration(clamping: $0.median),
        high: Duration(clamping: $0.high))
    }
  }

  /// Advances to a time.
  ///
  /// - Parameters:
  ///   - now: The time since the run began, without pauses.
  ///   - forecast: The forecast remaining time, nil if there is none.
  /// - Returns: The value to show.
  /// - Complexity: O(1), without allocation.
  @discardableResult
  public mutating func advance(to now: Duration, forecast: RemainingTime?) -> RoundedRemaining {
    latest = max(latest, now.nonnegativeSeconds)
    if let forecast { take(forecast) }
    low.run(to: latest)
    median.run(to: latest)
    high.run(to: latest)
    value = said(hasMore: forecast.map { $0.high > .zero } ?? false)
    return value
  }

  /// The remaining seconds in ascending order, nil if there is no estimate.
  private var exact: (low: Double, median: Double, high: Double)? {
    guard let median = median.remaining(at: latest).map({ max(0, $0) }),
      let low = low.remaining(at: latest), let high = high.remaining(at: latest)
    else { return nil }
    return (min(max(0, low), median), median, max(median, high))
  }

  /// Steers the clocks towards a forecast.
  private mutating func take(_ forecast: RemainingTime) {
    let middle = seconds(forecast.median)
    let least = min(seconds(forecast.low), middle)
    let most = max(seconds(forecast.high), middle)
    let shown = median.remaining(at: latest)
    // At zero there is nothing to steer to: a late run stays late.
    guard most > 0 || shown ?? 1 > 0 else { return }
    if value == .late { (low, median, high) = (SteeredClock(), SteeredClock(), SteeredClock()) }
    let noise = parameters.tolerance * (most - least)
    let left = min(middle, max(0, shown ?? middle))
    let halfTime = min(
      max(parameters.easing * left, parameters.minimumHalfTime), parameters.maximumHalfTime)
    func steer(_ clock: inout SteeredClock, to end: Double) {
      let tolerance = min(noise, parameters.maximumTolerance * end)
      clock.steer(to: end, tolerance: tolerance, halfTime: halfTime, at: latest)
    }
    steer(&low, to: least)
    steer(&median, to: middle)
    steer(&high, to: most)
  }

  /// The value to show now.
  ///
  /// - Parameter hasMore: Whether the forecast is above zero.
  /// - Returns: The value, on its steps.
  private mutating func said(hasMore: Bool) -> RoundedRemaining {
    guard let exact, let left = median.remaining(at: latest) else { return .unknown }
    guard hasMore || left > -parameters.lateDelay else { return .late }
    isRange = factor(exact.low, exact.high) >= (isRange ? parameters.narrow : parameters.wide)
    guard isRange else {
      (lower, upper) = (ReadableTime(), ReadableTime())
      return .about(.seconds(single.show(exact.median)))
    }
    single = ReadableTime()
    let most = upper.show(exact.high)
    let least = lower.show(exact.low, step: ReadableTime.step(below: most))
    guard least < most else { return .about(.seconds(most)) }
    return .between(.seconds(least), .seconds(most))
  }

  /// The ratio of the ends, both a little longer.
  private func factor(_ low: Double, _ high: Double) -> Double {
    (high + parameters.leeway) / (low + parameters.leeway)
  }

  /// The seconds of a forecast, within what is shown.
  private func seconds(_ time: Duration) -> Double {
    min(time.nonnegativeSeconds, parameters.maximum)
  }
}
