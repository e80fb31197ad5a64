/// A timing wheel whose ticks are microseconds of a time line that begins at zero: what a pure engine keeps
/// its deadlines in.
///
/// It knows no clock; whoever holds it passes the time in.
///
/// ```swift
/// var wheel = DeadlineWheel<String>()
/// let handle = wheel.arm(at: .seconds(5), payload: "fetch")
/// wheel.earliest                      // 5 seconds
/// wheel.cancel(handle)                // "fetch"
/// wheel.popExpired(at: .seconds(9))   // nil: it was cancelled
/// ```
///
/// Not thread safe; a deadline expires never early, and those of one microsecond always in the same order for
/// the same calls.
@usableFromInline
package struct DeadlineWheel<Payload>: ~Copyable {
  /// Names one armed deadline; a handle whose deadline is gone is stale and does nothing.
  @usableFromInline
  package typealias Handle = TimingWheel<Payload>.Handle

  /// The deadlines, in microseconds.
  @usableFromInline var wheel: TimingWheel<Payload>

  /// Creates a wheel with nothing armed.
  @inlinable
  package init() { wheel = TimingWheel() }

  /// The number of armed deadlines.
  ///
  /// - Complexity: O(1).
  @inlinable package var count: Int { wheel.count }

  /// A moment that no deadline comes before, nil when nothing is armed: the one to look again at.
  ///
  /// - Complexity: O(1) amortized.
  @inlinable package var earliest: Duration? {
    mutating get { wheel.nextExpiry.map { .microseconds(Int64(clamping: $0)) } }
  }

  /// Arms a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The moment it expires, on the caller's time line; one that has passed expires at once.
  ///   - payload: What `popExpired(at:)` hands out.
  /// - Returns: The handle that cancels it.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func arm(at deadline: Duration, payload: Payload) -> Handle {
    arm(atNanoseconds: deadline.nanosecondsUp, payload: payload)
  }

  /// Arms a deadline, like `arm(at:payload:)`.
  ///
  /// - Parameters:
  ///   - deadline: The moment in nanoseconds.
  ///   - payload: What `popExpired(at:)` hands out.
  /// - Returns: The handle that cancels it.
  @inlinable
  @discardableResult
  package mutating func arm(atNanoseconds deadline: UInt64, payload: Payload) -> Handle {
    wheel.schedule(payload, at: Self.tick(deadline))
  }

  /// Moves a deadline that is armed.
  ///
  /// - Parameters:
  ///   - handle: What `arm(at:payload:)` returned.
  ///   - deadline: The new moment in nanoseconds.
  /// - Returns: Whether it was armed.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func move(_ handle: Handle, toNanoseconds deadline: UInt64) -> Bool {
    wheel.reschedule(handle, to: Self.tick(deadline))
  }

  /// The moment at which an armed deadline expires, in nanoseconds; nil when it has expired or was cancelled.
  @inlinable
  package func deadline(of handle: Handle) -> UInt64? {
    wheel.deadline(of: handle).map { $0.multipliedReportingOverflow(by: 1000) }
      .map { $0.overflow ? .max : $0.partialValue }
  }

  /// The microsecond in which a moment is over.
  @inlinable
  static func tick(_ nanoseconds: UInt64) -> UInt64 {
    nanoseconds / 1000 + (nanoseconds % 1000 == 0 ? 0 : 1)
  }

  /// Takes an armed deadline away.
  ///
  /// - Parameter handle: What `arm(at:payload:)` returned.
  /// - Returns: The payload, or nil when the deadline has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  package mutating func cancel(_ handle: Handle) -> Payload? { wheel.cancel(handle) }

  /// Takes one deadline that has expired; they come in their order.
  ///
  /// - Parameter now: The time on the caller's time line.
  /// - Returns: Its payload, or nil when none has expired.
  /// - Complexity: O(1) amortized.
  @inlinable
  package mutating func popExpired(at now: Duration) -> Payload? {
    popExpired(atNanoseconds: now.nanosecondsDown)
  }

  /// Takes one deadline that has expired, like `popExpired(at:)`.
  ///
  /// - Parameter now: The time in nanoseconds.
  /// - Returns: Its payload, or nil when none has expired.
  @inlinable
  package mutating func popExpired(atNanoseconds now: UInt64) -> Payload? {
    let tick = now / 1000
    var expired: Payload?
    // One entry a call: what the caller does with it may take away the next.
    while expired == nil {
      let result = wheel.advance(to: tick, limit: 1) { _, timer in expired = timer.payload }
      if result == .caughtUp { break }
    }
    return expired
  }
}

extension DeadlineWheel: Sendable where Payload: Sendable {}
