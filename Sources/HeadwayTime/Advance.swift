/// A timer that has expired, as the callback of an advance gets it.
public struct ExpiredTimer<Payload> {
  /// What it carries.
  public let payload: Payload
  /// The tick at which it was to expire.
  public let deadline: UInt64

  /// Creates a timer that has expired.
  @inlinable
  init(payload: consuming Payload, deadline: UInt64) {
    self.payload = payload
    self.deadline = deadline
  }
}

extension ExpiredTimer: Sendable where Payload: Sendable {}

/// How far an `advance` came.
@frozen
public enum AdvanceResult: Hashable, Sendable {
  /// Every timer whose deadline has come has expired.
  case caughtUp
  /// The limit was reached before that: the next call goes on there.
  case limitReached
}
