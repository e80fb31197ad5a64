/// A remaining time that counts down a second each second, and follows estimates gradually.
///
/// It stores the moment at which the work is expected to end. While that does not change, the remaining time counts
/// down like a clock. A difference from an estimate beyond a tolerance is reduced by *d / (d + h)* in a time *d*, with
/// the half time *h*: half of it in one step after *h*, 95 % in small steps after three times *h*, and nearly all of it
/// in one step after a long time.
struct SteeredClock: Hashable, Sendable {
  /// The moment of the end, in seconds of work, nil before the first estimate.
  private var end: Double?
  /// The time of the latest call, in seconds of work.
  private var latest = 0.0

  /// Discards the value, so that the next estimate is shown as it is.
  mutating func clear() { end = nil }

  /// The seconds until the end, negative when it has passed, nil before the first estimate.
  func remaining(at time: Double) -> Double? { end.map { $0 - time } }

  /// Advances to a time without an estimate.
  mutating func run(to time: Double) { latest = time }

  /// Steers towards an estimate.
  ///
  /// - Parameters:
  ///   - estimate: The estimated remaining seconds.
  ///   - tolerance: The difference in seconds that is ignored.
  ///   - halfTime: The half time *h* in seconds, above zero.
  ///   - time: The time, in seconds of work; not before that of the previous call.
  ///   - standing: For how many seconds up to now the work has stood still.
  /// - Returns: The seconds to show.
  /// - Complexity: O(1).
  @discardableResult
  mutating func steer(
    to estimate: Double, tolerance: Double, halfTime: Double, at time: Double,
    standing: Double = 0
  ) -> Double {
    let passed = time - latest
    latest = time
    guard var end else {
      end = time + estimate
      return estimate
    }
    end += min(passed, standing)
    let difference = time + estimate - end
    let news = max(0, abs(difference) - tolerance)
    let step = news * passed / (passed + halfTime)
    end += difference < 0 ? -step : step
    self.end = end
    return max(0, end - time)
  }
}
