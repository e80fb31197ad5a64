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
package struct DeadlineWheel<Payload>: ~Copyable {
  /// Names one armed deadline; a handle whose deadline is gone is stale and does nothing.
  package typealias Handle = TimingWheel<Payload>.Handle

  /// The deadlines, in microseconds.
  private var wheel = TimingWheel<Payload>()

  /// Creates a wheel with nothing armed.
  package init() {}

  /// The number of armed deadlines.
  ///
  /// - Complexity: O(1).
  package var count: Int { wheel.count }

  /// A moment that no deadline comes before, nil when nothing is armed: the one to look again at.
  ///
  /// - Complexity: O(1) amortized.
  package var earliest: Duration? {
    mutating get { wheel.nextExpiry.map { .microseconds(Int64(clamping: $0)) } }
  }

  /// Arms a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The moment it expires, on the caller's time line; one that has passed expires at once.
  ///   - payload: What `popExpired(at:)` hands out.
  /// - Returns: The handle that cancels it.
  /// - Complexity: O(1) amortized.
  @discardableResult
  package mutating func arm(at deadline: Duration, payload: Payload) -> Handle {
    let nanoseconds = deadline.nanosecondsUp
    return wheel.schedule(
      payload, at: nanoseconds / 1000 + (nanoseconds % 1000 == 0 ? 0 : 1))
  }

  /// Takes an armed deadline away.
  ///
  /// - Parameter handle: What `arm(at:payload:)` returned.
  /// - Returns: The payload, or nil when the deadline has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @discardableResult
  package mutating func cancel(_ handle: Handle) -> Payload? { wheel.cancel(handle) }

  /// Takes one deadline that has expired; they come in their order.
  ///
  /// - Parameter now: The time on the caller's time line.
  /// - Returns: Its payload, or nil when none has expired.
  /// - Complexity: O(1) amortized.
  package mutating func popExpired(at now: Duration) -> Payload? {
    let tick = now.nanosecondsDown / 1000
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
