/// An error wrapper that sets the delay before the next attempt at a task, for servers that say when to come back.
///
/// ```swift
/// let retries = RetryPolicy(limit: 5, backoff: .seconds(1))
/// graph.add("upload", settings: TaskSettings(retries: retries)) { _ in
///   let response = try await upload()
///   if response.status == 429 {
///     throw RetryAfter(.seconds(response.retryAfter), TooManyRequests())
///   }
/// }
/// ```
///
/// It only sets the delay: whether there is another attempt depends on ``TaskSettings/retries`` as usual, so it has no effect on a
/// task without retries. For this one attempt the delay replaces ``RetryPolicy/backoff``: it may be longer than
/// ``RetryPolicy/maximumDelay``, and has no random part. If it goes beyond ``TaskSettings/deadline``, the task fails at once. The run,
/// its result and its events contain the inner error.
public struct RetryAfter: Error, Sendable, CustomStringConvertible {
  /// The delay before the next attempt; less than zero counts as zero.
  public let delay: Duration
  /// The reason of the failure.
  public let error: any Error

  /// Wraps an error.
  ///
  /// - Parameters:
  ///   - delay: The delay before the next attempt.
  ///   - error: The reason of the failure.
  public init(_ delay: Duration, _ error: any Error) {
    self.delay = delay
    self.error = error
  }

  /// The description of the inner error.
  public var description: String { "\(error)" }
}
