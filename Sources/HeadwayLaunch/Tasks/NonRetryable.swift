/// An error wrapper that prevents retries of a task, for failures that would happen again.
///
/// ```swift
/// let retries = RetryPolicy(limit: 3, backoff: .seconds(1))
/// graph.add("open the database", settings: TaskSettings(retries: retries)) { _ in
///   guard fileExists(path) else { throw NonRetryable(NoDatabase()) }
/// }
/// ```
///
/// The run, its result and its events contain the inner error. A launcher that is a task of another one passes it on: that task
/// is not retried either. It also counts if the attempt throws it after its time limit has passed. See ``RetryAfter`` for failures that
/// need a longer delay.
public struct NonRetryable: Error, Sendable, CustomStringConvertible {
  /// The reason of the failure.
  public let error: any Error

  /// Wraps an error.
  ///
  /// - Parameter error: The reason of the failure.
  public init(_ error: any Error) { self.error = error }

  /// The description of the inner error.
  public var description: String { "\(error)" }
}
