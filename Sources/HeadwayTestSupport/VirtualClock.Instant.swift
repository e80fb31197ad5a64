internal import HeadwayTime

extension VirtualClock {
  /// An instant of a virtual clock, as a distance from the clock's zero.
  ///
  /// ```swift
  /// let begin: VirtualClock.Instant = .zero
  /// let later = begin.advanced(by: .seconds(90))
  /// let offset = later.offset  // 90 seconds
  /// ```
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The distance from ``zero``.
    public let offset: Duration

    /// Creates an instant.
    ///
    /// - Parameter offset: The distance from ``zero``, which may be negative.
    public init(offset: Duration) { self.offset = offset }

    /// The instant at which every virtual clock starts.
    public static let zero = Instant(offset: .zero)

    /// The last instant that a clock can reach, 584 years after ``zero``.
    public static let last = Instant(tick: Timeline.last)

    /// Returns the instant a duration later.
    ///
    /// - Parameter duration: The duration, which may be negative.
    /// - Returns: The instant, limited to the range of `Duration`.
    public func advanced(by duration: Duration) -> Instant {
      let (sum, overflow) = offset.attoseconds.addingReportingOverflow(duration.attoseconds)
      if overflow { return Instant(offset: Duration(attoseconds: duration < .zero ? .min : .max)) }
      return Instant(offset: Duration(attoseconds: sum))
    }

    /// Returns the duration from this instant to another one.
    ///
    /// - Parameter other: The other instant.
    /// - Returns: The duration, negative if the other instant is earlier, limited to the range of `Duration`.
    public func duration(to other: Instant) -> Duration {
      let (difference, overflow) = other.offset.attoseconds.subtractingReportingOverflow(
        offset.attoseconds)
      if overflow { return Duration(attoseconds: other < self ? .min : .max) }
      return Duration(attoseconds: difference)
    }

    /// Whether an instant is before another one.
    ///
    /// - Parameters:
    ///   - left: An instant.
    ///   - right: Another instant.
    /// - Returns: Whether `left` is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }
}

extension VirtualClock.Instant: CustomStringConvertible {
  /// The distance from zero, as `Duration` describes it.
  public var description: String { offset.description }
}

extension VirtualClock.Instant {
  init(tick: UInt64) { self.init(offset: .nanoseconds(tick)) }

  /// The first tick that is not before the instant.
  var tick: UInt64 { offset.nanosecondsUp }
}
