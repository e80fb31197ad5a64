/// A timer that has expired, as `advance` passes it to its closure.
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
@frozen
public enum AdvanceResult: Hashable, Sendable {
  /// Every timer that was due has expired.
  case caughtUp
  /// The limit stopped the call; the next call continues there.
  case limitReached
}
