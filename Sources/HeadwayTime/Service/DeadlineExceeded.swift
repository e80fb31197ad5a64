/// The error for work that did not end by its deadline, from `withDeadline` and from ``TimeoutRunner``.
public struct DeadlineExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The time that was allowed, from the call to the deadline.
  ///
  /// For a deadline at an instant it is the time that was left. If a ``TimeoutRunner`` restarts functions, it is the
  /// time that each attempt was allowed.
  public let limit: Duration
  /// The number of times the work was started before the deadline.
  ///
  /// It is 0 if no thread of a ``TimeoutRunner`` was free. Then the function did not start for this caller, and will
  /// not. Otherwise the function of a runner is still running, because it cannot be stopped. For `withDeadline` it is
  /// 1.
  public let attempts: Int
  /// The error that the work has thrown because it was cancelled, nil if it has not ended.
  ///
  /// It does not count when errors are compared.
  public let underlying: (any Error)?

  /// Creates the error.
  ///
  /// - Parameters:
  ///   - limit: The time that was allowed.
  ///   - attempts: The number of times the work was started.
  ///   - underlying: The error that the work has thrown because it was cancelled, nil if it has not ended.
  public init(limit: Duration, attempts: Int = 1, underlying: (any Error)? = nil) {
    self.limit = limit
    self.attempts = attempts
    self.underlying = underlying
  }

  /// Whether two errors say the same of the deadline.
  public static func == (left: Self, right: Self) -> Bool {
    left.limit == right.limit && left.attempts == right.attempts
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(limit)
    hasher.combine(attempts)
  }

  /// A message with the time that was allowed.
  public var description: String {
    if limit <= .zero { return "the deadline had passed before the work began" }
    return switch attempts {
    case 0: "the deadline of \(limit) passed before a thread was free"
    case 1: "the deadline of \(limit) has passed"
    default: "each of \(attempts) attempts exceeded the deadline of \(limit)"
    }
  }
}
