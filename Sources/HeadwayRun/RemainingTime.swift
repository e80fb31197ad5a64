/// A remaining time: a median, and the range that contains the actual value four times in five.
///
/// ```swift
/// let remaining = RemainingTime(low: .seconds(50), median: .seconds(60), high: .seconds(90))
/// show("probably \(remaining.median), hardly more than \(remaining.high)")
/// ```
public struct RemainingTime: Hashable, Sendable {
  /// The 10th percentile.
  public var low: Duration
  /// The median.
  public var median: Duration
  /// The 90th percentile.
  public var high: Duration

  /// Creates a remaining time; the values must be in ascending order.
  public init(low: Duration, median: Duration, high: Duration) {
    self.low = low
    self.median = median
    self.high = high
  }
}
