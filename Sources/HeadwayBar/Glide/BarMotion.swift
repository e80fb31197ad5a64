/// How a shown value moves if nothing new is reported: three speeds, and the times at which they change.
///
/// ```
///   value                          ______________  rest: the value no longer changes
///     │                     ___----
///     │              ___----       brake: uniform deceleration for `brakeDuration`
///     │       ___----  cruise: value + rate · (t − turnTime)
///     │   _--'
///     │ _/  catch up: value + catchUpRate · (t − time)
///     └─┬───┬───────────────────┬─────────┬────▶ time
///      time turnTime         brakeTime  restTime
/// ```
///
/// In each phase the value is a polynomial of the time, so a surface can hand the two ends of a phase to a compositor and
/// needs no timer. Times are seconds on the bar's timeline; before `time` the value is the one at `time`.
///
/// A pure value; everything is O(1).
package struct BarMotion: Hashable, Sendable {
  /// When the motion begins, in seconds.
  package private(set) var time: Double
  /// The value at that time.
  package private(set) var value: Double
  /// The rate until `turnTime`, in units per second.
  package private(set) var catchUpRate: Double
  /// When the rate changes from `catchUpRate` to `rate`.
  package private(set) var turnTime: Double
  /// The rate from `turnTime` to `brakeTime`, in units per second.
  package private(set) var rate: Double
  /// When the deceleration begins, or infinity.
  package private(set) var brakeTime: Double
  /// The seconds that the deceleration takes; 0 stops at once.
  package private(set) var brakeDuration: Double
  /// The range that the value does not leave.
  package private(set) var bounds: ClosedRange<Double>

  /// Creates a motion that rests at a value.
  @inline(never) package init(resting value: Double, at time: Double = 0) {
    self.init(
      value, at: time, catchUpRate: 0, until: time, rate: 0, brakeTime: time, brakeDuration: 0,
      bounds: value...value)
  }

  /// Creates a motion at constant speed that ends at a value.
  ///
  /// - Parameters:
  ///   - value: The value at the beginning.
  ///   - target: The value at the end.
  ///   - time: The beginning, in seconds.
  ///   - duration: How long it takes, in seconds; above zero and finite.
  init(from value: Double, to target: Double, at time: Double, over duration: Double) {
    self.init(
      value, at: time, catchUpRate: 0, until: time, rate: (target - value) / duration,
      brakeTime: time + duration, brakeDuration: 0,
      bounds: min(value, target)...max(value, target))
  }

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

  /// The value at a time, within `bounds`.
  package func value(at now: Double) -> Double {
    min(max(free(at: now), bounds.lowerBound), bounds.upperBound)
  }

  /// The speed in units per second at a time; zero while the value rests on a bound.
  package func speed(at now: Double) -> Double {
    let free = free(at: now)
    let speed = freeSpeed(at: now)
    if free >= bounds.upperBound, speed > 0 { return 0 }
    return free <= bounds.lowerBound && speed < 0 ? 0 : speed
  }

  /// When the value comes to rest, in seconds, or infinity.
  package var restTime: Double {
    var end = brakeTime + brakeDuration
    if let reached = timeOfBound() { end = min(end, reached) }
    return freeSpeed(at: time) == 0 && rate == 0 ? time : end
  }

  /// Returns whether the value no longer changes from a time on.
  package func isResting(at now: Double) -> Bool { now >= restTime }

  /// The phase from a time on, which ends where the value reaches a bound.
  package func phase(at now: Double) -> BarPhase {
    let start = max(now, time)
    let from = value(at: start)
    let rest = restTime
    // A phase with no time left is skipped.
    let soon = start + BarLimits.shortest
    guard soon < rest else {
      return BarPhase(
        startTime: start, endTime: .infinity, from: from, to: from, isBraking: false)
    }
    let isBraking = soon >= brakeTime
    let end = min(soon < turnTime ? turnTime : (isBraking ? rest : brakeTime), rest)
    return BarPhase(
      startTime: start, endTime: end, from: from, to: end.isFinite ? value(at: end) : from,
      isBraking: isBraking)
  }

  // MARK: Changes

  /// Changes the bounds, keeping the value and the speed at a time.
  ///
  /// - Parameters:
  ///   - new: The bounds, with the value in them.
  ///   - now: The time in seconds.
  ///   - usual: The seconds of deceleration if there is room, unless the value is decelerating already.
  mutating func setBounds(_ new: ClosedRange<Double>, at now: Double, braking usual: Double) {
    let isBraking = now > brakeTime
    self = BarMotion(
      value(at: now), at: now, catchUpRate: catchUpRate, until: turnTime,
      rate: isBraking ? speed(at: now) : rate, brakeTime: max(brakeTime, now),
      brakeDuration: isBraking ? brakeTime + brakeDuration - now : usual, bounds: new)
  }

  /// Shortens the deceleration if the bound is near, so that the bound does not stop the value at once.
  private mutating func brakeBeforeBound() {
    guard rate != 0, brakeTime.isFinite, brakeDuration > 0 else { return }
    let way = (rate > 0 ? bounds.upperBound : bounds.lowerBound) - free(at: brakeTime)
    brakeDuration = min(brakeDuration, max(2 * way / rate, 0))
  }

  /// The value, ignoring the bounds.
  private func free(at now: Double) -> Double {
    let now = max(now, time)
    let turned = value + catchUpRate * (min(now, turnTime) - time)
    guard now > turnTime else { return turned }
    let cruised = turned + rate * (min(now, brakeTime) - turnTime)
    guard now > brakeTime, brakeDuration > 0 else { return cruised }
    let braking = min(now - brakeTime, brakeDuration)
    return cruised + rate * (braking - braking * braking / (2 * brakeDuration))
  }

  /// The speed, ignoring the bounds.
  private func freeSpeed(at now: Double) -> Double {
    if now < turnTime { return catchUpRate }
    if now < brakeTime { return rate }
    guard brakeDuration > 0, now < brakeTime + brakeDuration else { return 0 }
    return rate * (1 - (now - brakeTime) / brakeDuration)
  }

  /// When the value meets a bound at constant speed, or nil if it does not or decelerates there.
  private func timeOfBound() -> Double? {
    if let met = meetingTime(from: value, at: time, rate: catchUpRate, until: turnTime) {
      return met
    }
    let turned = value + catchUpRate * (turnTime - time)
    return meetingTime(from: turned, at: turnTime, rate: rate, until: brakeTime)
  }

  /// When a value at constant speed meets a bound, or nil if it does not in that time.
  private func meetingTime(from value: Double, at start: Double, rate: Double, until end: Double)
    -> Double?
  {
    guard rate != 0 else { return nil }
    let bound = rate > 0 ? bounds.upperBound : bounds.lowerBound
    let time = start + max((bound - value) / rate, 0)
    return time <= end ? time : nil
  }
}

/// A period in which the shown value moves at constant speed or decelerates uniformly.
///
/// ```swift
/// func timingFunction(of phase: BarPhase) -> String { phase.isBraking ? "ease-out" : "linear" }
/// ```
public struct BarPhase: Hashable, Sendable {
  /// When it begins, in seconds.
  package let startTime: Double
  /// When it ends, in seconds, or infinity.
  package let endTime: Double
  /// The value at its start.
  package let from: Double
  /// The value at its end.
  package let to: Double
  /// Whether the value decelerates to a stop; its speed is constant otherwise.
  public let isBraking: Bool
}
