/// A remaining time that counts down a second each second and is steered, not set.
///
/// It holds the moment at which the work is expected to end. As long as nothing is new that moment stands, and what is
/// shown runs down like a clock. News is what an estimate differs by beyond a tolerance; of that, a time *d* takes back
/// *d / (d + h)* with the half time *h*: half of it in one look after *h*, 95 % in looks that are close together after
/// three times *h*, and nearly all in one look after a long time.
struct SteeredClock: Hashable, Sendable {
  /// The moment of the end, in seconds of work, nil before the first one.
  private var end: Double?
  /// When it was last steered, in seconds of work.
  private var latest = 0.0

  /// Forgets what is shown, so that the next estimate is shown as it is.
  mutating func clear() { end = nil }

  /// The seconds until the end, negative when it has passed, nil before the first estimate.
  func remaining(at time: Double) -> Double? { end.map { $0 - time } }

  /// Runs on to a time without an estimate.
  mutating func run(to time: Double) { latest = time }

  /// Steers towards an estimate.
  ///
  /// - Parameters:
  ///   - estimate: The remaining seconds that were estimated.
  ///   - tolerance: The seconds of difference that are no news.
  ///   - halfTime: The half time *h* in seconds, above zero.
  ///   - time: The time, in seconds of work; not before the one of the last call.
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
