/// A timer that has expired, as `advance` passes it to its closure.
///
/// ```swift
/// var due: [String] = []
/// wheel.advance(to: 100) { (_, timer: consuming ExpiredTimer<String>) in
///   due.append("\(timer.payload) was due at \(timer.deadline)")  // ping was due at 90
/// }
/// ```
public struct ExpiredTimer<Payload> {
  /// The payload of the timer.
  public let payload: Payload
  /// The tick at which the timer was due.
  public let deadline: UInt64

  @inlinable
  init(payload: consuming Payload, deadline: UInt64) {
    self.payload = payload
    self.deadline = deadline
  }
}

extension ExpiredTimer: Sendable where Payload: Sendable {}

/// Whether an `advance` expired all timers that were due.
///
/// ```swift
/// var result = AdvanceResult.limitReached
/// while result == .limitReached {
///   result = wheel.advance(to: 100, limit: 1_000) { _, timer in expired.append(timer.payload) }
///   handleOtherWork()
/// }
/// ```
@frozen
public enum AdvanceResult: Hashable, Sendable {
  /// Every timer that was due has expired.
  case caughtUp
  /// The limit stopped the call; the next call continues there.
  case limitReached
}
