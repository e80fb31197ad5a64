/// A time that remains, as a median and the range that holds the truth four times in five.
public struct RemainingTime: Hashable, Sendable {
  /// One time in ten less than this remains.
  public var low: Duration
  /// As often more as less than this remains.
  public var median: Duration
  /// One time in ten more than this remains.
  public var high: Duration

  /// Creates a range; the three are in order.
  public init(low: Duration, median: Duration, high: Duration) {
    self.low = low
    self.median = median
    self.high = high
  }
}
