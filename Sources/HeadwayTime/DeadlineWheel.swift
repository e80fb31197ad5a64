/// A timing wheel with deadlines in `Duration` since a time zero, at microsecond resolution, for cores without a clock.
///
/// ```swift
/// var wheel = DeadlineWheel<String>()
/// let handle = wheel.schedule("fetch", at: .seconds(5))
/// wheel.earliest                      // 5 seconds
/// wheel.cancel(handle)                // "fetch"
/// wheel.popExpired(at: .seconds(9))   // nil: it was cancelled
/// ```
///
/// Not thread safe. A deadline never expires early, and deadlines within the same microsecond always expire in the same
/// order for the same sequence of calls.
@usableFromInline
package struct DeadlineWheel<Payload>: ~Copyable {
  /// A handle of a scheduled deadline; it becomes stale when the deadline expires or is cancelled.
  @usableFromInline
  package typealias Handle = TimingWheel<Payload>.Handle

  /// The deadlines in microseconds.
  @usableFromInline var wheel: TimingWheel<Payload>

  /// Creates an empty wheel.
  @inlinable
  package init() { wheel = TimingWheel() }

  /// The number of scheduled deadlines.
  @inlinable package var count: Int { wheel.count }

  /// The time at which to look again: no deadline expires before it; nil if none is scheduled.
  ///
  /// - Complexity: O(1) amortized.
  @inlinable package var earliest: Duration? {
    mutating get { wheel.nextExpiry.map { .microseconds(Int64(clamping: $0)) } }
  }

  /// Schedules a deadline.
  ///
  /// - Parameters:
  ///   - payload: The value that `popExpired(at:)` returns.
  ///   - deadline: The time at which it expires; one that has passed expires at once.
  /// - Returns: A handle that cancels or reschedules the deadline.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func schedule(_ payload: Payload, at deadline: Duration) -> Handle {
    schedule(payload, atNanoseconds: deadline.nanosecondsUp)
  }

  /// Schedules a deadline that is given in nanoseconds.
  ///
  /// - Parameters:
  ///   - payload: The value that `popExpired(at:)` returns.
  ///   - deadline: The time at which it expires.
  /// - Returns: A handle that cancels or reschedules the deadline.
  @inlinable
  @discardableResult
  package mutating func schedule(_ payload: Payload, atNanoseconds deadline: UInt64) -> Handle {
    wheel.schedule(payload, at: Self.tick(deadline))
  }

  /// Changes the time of a scheduled deadline.
  ///
  /// - Parameters:
  ///   - handle: The handle of the deadline.
  ///   - deadline: The new time in nanoseconds.
  /// - Returns: Whether the deadline was still scheduled.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func reschedule(_ handle: Handle, toNanoseconds deadline: UInt64) -> Bool {
    wheel.reschedule(handle, to: Self.tick(deadline))
  }

  /// Returns the time of a scheduled deadline in nanoseconds; nil if it has expired or was cancelled.
  @inlinable
  package func deadline(of handle: Handle) -> UInt64? {
    wheel.deadline(of: handle).map { $0.multipliedReportingOverflow(by: 1000) }
      .map { $0.overflow ? .max : $0.partialValue }
  }

  /// Converts nanoseconds to microseconds, rounded up.
  @inlinable
  static func tick(_ nanoseconds: UInt64) -> UInt64 {
    nanoseconds / 1000 + (nanoseconds % 1000 == 0 ? 0 : 1)
  }

  /// Cancels a deadline.
  ///
  /// - Parameter handle: The handle of the deadline.
  /// - Returns: The payload, or nil if the deadline has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func cancel(_ handle: Handle) -> Payload? { wheel.cancel(handle) }

  /// Removes the next deadline that has expired.
  ///
  /// - Parameter now: The current time.
  /// - Returns: Its payload, or nil if no deadline has expired.
  /// - Complexity: O(1) amortized.
  @inlinable
  package mutating func popExpired(at now: Duration) -> Payload? {
    popExpired(atNanoseconds: now.nanosecondsDown)
  }

  /// Removes the next deadline that has expired, at a time in nanoseconds.
  ///
  /// - Parameter now: The current time.
  /// - Returns: Its payload, or nil if no deadline has expired.
  @inlinable
  package mutating func popExpired(atNanoseconds now: UInt64) -> Payload? {
    let tick = now / 1000
    var expired: Payload?
    // One entry a call, because the caller may cancel the next deadline before it asks for it.
    while expired == nil {
      let result = wheel.advance(to: tick, limit: 1) { _, timer in expired = timer.payload }
      if result == .caughtUp { break }
    }
    return expired
  }
}

extension DeadlineWheel: Sendable where Payload: Sendable {}
