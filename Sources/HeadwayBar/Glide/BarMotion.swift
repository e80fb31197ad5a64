/// How a shown value moves from now on if nothing new is heard: three numbers, and where they change.
///
/// ```
///   value                          ______________  rest: stopped, and on the value where it stopped
///     │                     ___----
///     │              ___----       brake: evenly slower, for `brakeDuration`
///     │       ___----  cruise: value + rate · (t − turnTime)
///     │   _--'
///     │ _/  catch up: value + catchUpRate · (t − time)
///     └─┬───┬───────────────────┬─────────┬────▶ time
///      time turnTime         brakeTime  restTime
/// ```
///
/// In the first three phases the value is a polynomial of the time, so a surface needs no timer: it can hand a phase to
/// whatever draws it, a compositor for one, with the two ends. Times are seconds on the time line of the bar; before
/// `time` the value is the one at `time`.
///
/// A pure value; everything is O(1).
public struct BarMotion: Hashable, Sendable {
  /// A stretch of time in which the value moves in one way.
  public struct Phase: Hashable, Sendable {
    /// When it begins, in seconds.
    public let start: Double
    /// When it ends, in seconds; infinite for the last.
    public let end: Double
    /// The value at its beginning.
    public let from: Double
    /// The value at its end, that of its beginning where it never ends and rests.
    public let to: Double
    /// Whether the speed falls evenly to zero; the speed is constant otherwise.
    public let isBraking: Bool
  }

  /// When the motion begins, in seconds.
  public private(set) var time: Double
  /// The value at that time.
  public private(set) var value: Double
  /// The rate up to `turnTime`, in units a second.
  public private(set) var catchUpRate: Double
  /// When the rate changes to the lasting one.
  public private(set) var turnTime: Double
  /// The lasting rate, in units a second.
  public private(set) var rate: Double
  /// When it begins to slow down; infinite for never.
  public private(set) var brakeTime: Double
  /// For how many seconds it slows down; 0 stops at once.
  public private(set) var brakeDuration: Double
  /// The values that it does not leave.
  public private(set) var bounds: ClosedRange<Double>

  /// Creates a value that stands still.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - time: Since when, in seconds.
  @inline(never) public init(resting value: Double, at time: Double = 0) {
    self.init(
      value, at: time, catchUpRate: 0, until: time, rate: 0, brakeTime: time, brakeDuration: 0,
      bounds: value...value)
  }

  /// Creates a motion at an even speed that ends on a value.
  ///
  /// - Parameters:
  ///   - value: The value at the beginning.
  ///   - target: The value at the end.
  ///   - time: The beginning, in seconds.
  ///   - duration: How long it takes, in seconds; above zero and finite.
  init(from value: Double, to target: Double, at time: Double, for duration: Double) {
    self.init(
      value, at: time, catchUpRate: 0, until: time, rate: (target - value) / duration,
      brakeTime: time + duration, brakeDuration: 0,
      bounds: min(value, target)...max(value, target))
  }

  /// Creates a motion of all phases.
  @inline(never) init(
    _ value: Double, at time: Double, catchUpRate: Double, until turnTime: Double, rate: Double,
    brakeTime: Double, brakeDuration: Double, bounds: ClosedRange<Double>
  ) {
    self.value = value
    self.time = time
    self.catchUpRate = catchUpRate
    self.turnTime = min(max(turnTime, time), brakeTime)
    self.rate = rate
    self.brakeTime = brakeTime
    self.brakeDuration = brakeDuration
    self.bounds = bounds
    brakeBeforeBound()
  }

  // MARK: Queries

  /// The value at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The value, within `bounds`.
  public func value(at now: Double) -> Double {
    min(max(free(at: now), bounds.lowerBound), bounds.upperBound)
  }

  /// The speed at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: Units a second; zero where the value rests on a bound.
  public func speed(at now: Double) -> Double {
    let free = free(at: now)
    let speed = freeSpeed(at: now)
    if free >= bounds.upperBound, speed > 0 { return 0 }
    return free <= bounds.lowerBound && speed < 0 ? 0 : speed
  }

  /// When the value stops for good, in seconds; infinite for never.
  public var restTime: Double {
    var end = brakeTime + brakeDuration
    if let reached = reachesBound() { end = min(end, reached) }
    return freeSpeed(at: time) == 0 && rate == 0 ? time : end
  }

  /// Tells whether the value moves no more.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: Whether it rests from that time on.
  public func isResting(at now: Double) -> Bool { now >= restTime }

  /// The phase at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The phase from that time on, which ends where the value reaches a bound.
  public func phase(at now: Double) -> Phase {
    let start = max(now, time)
    let from = value(at: start)
    let rest = restTime
    // Where no time is left of a phase, the next one has begun.
    let soon = start + BarLimits.shortest
    guard soon < rest else {
      return Phase(start: start, end: .infinity, from: from, to: from, isBraking: false)
    }
    let isBraking = soon >= brakeTime
    let end = min(soon < turnTime ? turnTime : (isBraking ? rest : brakeTime), rest)
    return Phase(
      start: start, end: end, from: from, to: end.isFinite ? value(at: end) : from,
      isBraking: isBraking)
  }

  // MARK: Changes

  /// Changes the values that it does not leave, from the value and the speed of a time on.
  ///
  /// - Parameters:
  ///   - new: The bounds, with the value in them.
  ///   - now: The time in seconds.
  ///   - usual: For how many seconds it slows down where there is room, unless it does already.
  mutating func setBounds(_ new: ClosedRange<Double>, at now: Double, braking usual: Double) {
    let isBraking = now > brakeTime
    self = BarMotion(
      value(at: now), at: now, catchUpRate: catchUpRate, until: turnTime,
      rate: isBraking ? speed(at: now) : rate, brakeTime: max(brakeTime, now),
      brakeDuration: isBraking ? brakeTime + brakeDuration - now : usual, bounds: new)
  }

  /// Slows down faster where the way to the bound is shorter than the usual one, so that no bound stops it at once.
  private mutating func brakeBeforeBound() {
    guard rate != 0, brakeTime.isFinite, brakeDuration > 0 else { return }
    let way = (rate > 0 ? bounds.upperBound : bounds.lowerBound) - free(at: brakeTime)
    brakeDuration = min(brakeDuration, max(2 * way / rate, 0))
  }

  /// The value without the bounds.
  private func free(at now: Double) -> Double {
    let now = max(now, time)
    let turned = value + catchUpRate * (min(now, turnTime) - time)
    guard now > turnTime else { return turned }
    let cruised = turned + rate * (min(now, brakeTime) - turnTime)
    guard now > brakeTime, brakeDuration > 0 else { return cruised }
    let braking = min(now - brakeTime, brakeDuration)
    return cruised + rate * (braking - braking * braking / (2 * brakeDuration))
  }

  /// The speed without the bounds.
  private func freeSpeed(at now: Double) -> Double {
    if now < turnTime { return catchUpRate }
    if now < brakeTime { return rate }
    guard brakeDuration > 0, now < brakeTime + brakeDuration else { return 0 }
    return rate * (1 - (now - brakeTime) / brakeDuration)
  }

  /// When the value meets a bound at an even speed, nil where it does not or meets it braking.
  private func reachesBound() -> Double? {
    if let met = meets(from: value, at: time, rate: catchUpRate, until: turnTime) { return met }
    let turned = value + catchUpRate * (turnTime - time)
    return meets(from: turned, at: turnTime, rate: rate, until: brakeTime)
  }

  /// When a value that moves evenly meets a bound, nil where it does not in that time.
  private func meets(from value: Double, at start: Double, rate: Double, until end: Double)
    -> Double?
  {
    guard rate != 0 else { return nil }
    let bound = rate > 0 ? bounds.upperBound : bounds.lowerBound
    let time = start + max((bound - value) / rate, 0)
    return time <= end ? time : nil
  }
}
