extension VirtualClock {
  /// A moment of a virtual clock: how far it is from the clock's zero.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The distance from zero.
    public let offset: Duration

    /// Creates a moment.
    ///
    /// - Parameter offset: The distance from zero; a negative one is a moment before the clock's
    ///   beginning.
    public init(offset: Duration) { self.offset = offset }

    /// The moment at which every clock begins.
    public static let zero = Instant(offset: .zero)

    /// The last moment that comes, 584 years after ``zero``.
    public static let last = Instant(tick: Timeline.last)

    /// The moment that lies a duration later.
    ///
    /// - Parameter duration: How much later; a negative one leads back.
    /// - Returns: The moment; the farthest there is when the sum is beyond what a `Duration` holds.
    public func advanced(by duration: Duration) -> Instant {
      let (sum, overflow) = offset.attoseconds.addingReportingOverflow(duration.attoseconds)
      if overflow { return Instant(offset: Duration(attoseconds: duration < .zero ? .min : .max)) }
      return Instant(offset: Duration(attoseconds: sum))
    }

    /// The duration from this moment to another.
    ///
    /// - Parameter other: The other moment.
    /// - Returns: The duration, negative when the other moment is the earlier one; the longest
    ///   there is when it is beyond that.
    public func duration(to other: Instant) -> Duration {
      let (difference, overflow) = other.offset.attoseconds.subtractingReportingOverflow(
        offset.attoseconds)
      if overflow { return Duration(attoseconds: other < self ? .min : .max) }
      return Duration(attoseconds: difference)
    }

    /// Whether a moment comes before another.
    ///
    /// - Parameters:
    ///   - left: The one.
    ///   - right: The other.
    /// - Returns: Whether the left one comes first.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }
}

extension VirtualClock.Instant: CustomStringConvertible {
  /// The distance from zero, as durations are written.
  public var description: String { offset.description }
}

/// Moments as ticks of the wheel.
extension VirtualClock.Instant {
  /// The moment of a tick.
  init(tick: UInt64) { self.init(offset: Duration(attoseconds: Int128(tick) * 1_000_000_000)) }

  /// The first tick that is not before the moment.
  var tick: UInt64 {
    let (whole, rest) = offset.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return UInt64(clamping: rest > 0 ? whole + 1 : whole)
  }
}
