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
/// 1. *It runs down.* Both ends of the range and the median are moments of the end; what remains falls by a second each
///    second as long as those stand.
/// 2. *Small changes are no news.* A moment stands while the forecast differs from it by less than a sixteenth of
///    the range, and at most a quarter of itself.
/// 3. *Large ones are eased in and not hidden*, up as well as down. The half time is a twentieth of the time that
///    remains, at least one second and at most fifteen: after it half of a lasting change is taken over, and 95 % of it
///    after some three of them, so within 50 s. After a gap between looks that is long beside this, the forecast is
///    shown as it is.
/// 4. *It is a range when unsure*: from a range whose upper end is 2.2 times the lower one on until it is less than 1.8
///    times; both ends count as three seconds more than they are, as nobody minds four seconds beside one.
/// 5. *It is rounded* to 1 s up to 10 s, to 5 s up to a minute, to 1, 5, 15, 30 and 60 minutes up to ten minutes, one
///    hour, three, six and a day, and to half days and days; a range to the steps of its upper end. A step is left only
///    when the time is well beside it.
/// 6. *It does not lie.* What comes from earlier runs is shown at once. In a first run the first forecasts are as long
///    as the run is old and grow with it, so nothing is shown until the end that is forecast has moved by less than a
///    factor of 1.3 while the run became twice as old, with ends that are within a factor of ten. From then on there is
///    always a value, never below one second, until every expectation has passed: the clock has been at zero for two
///    seconds and no forecast says more.
///
/// The time is an argument, on the line of the forecast: it stands while the run is paused, and one before the latest
/// counts as that. A line that counts the time in which a computer slept brings a gap, after which the forecast is
/// shown as it is, so no time is counted down that the forecast does not take off too; use a clock that stands
/// while the computer sleeps, and there is none.
///
/// A pure value. Not thread safe.
public struct ShownRemaining: Hashable, Sendable {
  /// The parameters, each with its reason.
  struct Parameters: Hashable, Sendable {
    /// The part of the range by which a forecast may differ and be no news: far within what it says of itself.
    var tolerance = 0.0625
    /// The same as a part of what is steered, for ranges that say little.
    var maximumTolerance = 0.25
    /// The half time of a change as a part of the time that remains: long ones may take longer to learn of.
    var easing = 0.05
    /// The least half time in seconds, short enough for the last seconds.
    var minimumHalfTime = 1.0
    /// The longest half time in seconds, so that a change that lasts is shown within a minute.
    var maximumHalfTime = 15.0
    /// The factor between the ends from which a range is shown.
    var wide = 2.2
    /// The factor below which it is no longer shown.
    var narrow = 1.8
    /// The factor between the ends beyond which a forecast of a first run says nothing.
    var empty = 10.0
    /// What both ends are taken to be longer for the first two factors, in seconds.
    var leeway = 3.0
    /// How many times as old the run has to become before an estimate counts that was not there at first.
    var older = 2.0
    /// By what factor the end may have moved in that time.
    var steady = 1.3
    /// The least age of the run for that, in seconds.
    var minimumAge = 1.0
    /// How long the clock stands at one second before it is late, in seconds: the end of a run takes a moment.
    var lateDelay = 2.0
    /// The longest time that is shown in seconds: a hundred years.
    var maximum = 3_155_760_000.0
  }

  /// Whether what is forecast is worth showing.
  private enum Trust: Hashable {
    /// Not yet: nothing is known that says something.
    case none
    /// Not yet: it has to stand from when the run was so old, with the end that was expected then.
    case onTrial(age: Double, end: Double)
    /// It is.
    case full
  }

  /// The value to show.
  public private(set) var value = RoundedRemaining.unknown
  private let parameters: Parameters
  /// The latest time that was seen, in seconds.
  private var latest = 0.0
  /// The end that is reached one time in ten.
  private var low = SteeredClock()
  /// The end that is expected.
  private var median = SteeredClock()
  /// The end that is reached nine times in ten.
  private var high = SteeredClock()
  /// Whether what is forecast is worth showing.
  private var trust = Trust.none
  /// Whether the value has two ends.
  private var isRange = false
  /// The single time on its step.
  private var single = ReadableTime()
  /// The lower end on its step.
  private var lower = ReadableTime()
  /// The upper end on its step.
  private var upper = ReadableTime()

  /// Creates the value of a run that has not begun.
  public init() { parameters = Parameters() }

  init(parameters: Parameters) { self.parameters = parameters }

  /// What remains according to the clocks, neither rounded nor below zero, nil while nothing is known.
  public var remaining: RemainingTime? {
    exact.map {
      RemainingTime(
        low: Duration(clamping: $0.low), median: Duration(clamping: $0.median),
        high: Duration(clamping: $0.high))
    }
  }

  /// Moves on to a time.
  ///
  /// - Parameters:
  ///   - now: The time since the run began, without pauses.
  ///   - forecast: What is forecast to remain, nil while nothing is known.
  ///   - hasHistory: Whether any of that comes from earlier runs; what does not has to prove itself.
  /// - Returns: The value to show.
  /// - Complexity: O(1), without allocation.
  @discardableResult
  public mutating func advance(
    to now: Duration, forecast: RemainingTime?, hasHistory: Bool = true
  ) -> RoundedRemaining {
    latest = max(latest, now.nonnegativeSeconds)
    if trust != .full { trust = trust(in: forecast, hasHistory) }
    if trust == .full, let forecast { take(forecast) }
    low.run(to: latest)
    median.run(to: latest)
    high.run(to: latest)
    value = said(hasMore: forecast.map { $0.high > .zero } ?? false)
    return value
  }

  /// The seconds that remain, in order, nil while nothing is known.
  private var exact: (low: Double, median: Double, high: Double)? {
    guard let median = median.remaining(at: latest).map({ max(0, $0) }),
      let low = low.remaining(at: latest), let high = high.remaining(at: latest)
    else { return nil }
    return (min(max(0, low), median), median, max(median, high))
  }

  /// Decides whether a forecast is worth showing.
  ///
  /// Without earlier runs the first forecasts are as long as the run is old and grow with it; one is worth showing when
  /// its end has hardly moved while the run has become twice as old.
  private func trust(in forecast: RemainingTime?, _ hasHistory: Bool) -> Trust {
    guard let forecast else { return .none }
    if hasHistory { return .full }
    let saysLittle = seconds(forecast.high) > parameters.empty * seconds(forecast.low)
    guard !saysLittle, latest >= parameters.minimumAge else { return .none }
    let end = latest + seconds(forecast.median)
    guard case .onTrial(let age, let before) = trust else { return .onTrial(age: latest, end: end) }
    guard latest >= parameters.older * age else { return trust }
    let isSteady = max(end, before) <= parameters.steady * min(end, before)
    return isSteady ? .full : .onTrial(age: latest, end: end)
  }

  /// Steers the clocks towards a forecast.
  private mutating func take(_ forecast: RemainingTime) {
    let middle = seconds(forecast.median)
    let least = min(seconds(forecast.low), middle)
    let most = max(seconds(forecast.high), middle)
    let shown = median.remaining(at: latest)
    // At zero there is nothing to be steered to: what is late stays late.
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
  /// - Parameter hasMore: Whether the forecast says that something remains.
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

  /// How many times the upper end is the lower one, both a little longer.
  private func factor(_ low: Double, _ high: Double) -> Double {
    (high + parameters.leeway) / (low + parameters.leeway)
  }

  /// The seconds of a forecast, within what is shown.
  private func seconds(_ time: Duration) -> Double {
    min(time.nonnegativeSeconds, parameters.maximum)
  }
}
