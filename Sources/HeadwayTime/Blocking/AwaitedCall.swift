internal import HeadwayLock

/// A task that waits for a runner's answer: the continuation, and the caller's number once it is known.
final class AwaitedCall<Value: Sendable>: Sendable {
  /// Where the call stands.
  private struct State: Sendable {
    /// What continues the task, nil when it has gone on.
    var continuation: CheckedContinuation<Value, any Error>?
    /// The number of the caller, once it is submitted.
    var caller: UInt64?
    /// Whether the task was cancelled.
    var isCancelled = false
  }

  /// Where the call stands.
  private let state = Guarded(State())

  /// Notes what continues the task.
  func park(_ continuation: CheckedContinuation<Value, any Error>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Notes the caller's number.
  ///
  /// - Parameter caller: The number.
  /// - Returns: Whether the task was cancelled before, so that nobody has told the runner.
  func isCancelled(noting caller: UInt64) -> Bool {
    state.withLock { state in
      state.caller = caller
      return state.isCancelled
    }
  }

  /// Notes that the task was cancelled.
  ///
  /// - Returns: The caller's number, nil when it is not known yet.
  func cancel() -> UInt64? {
    state.withLock { state in
      state.isCancelled = true
      return state.caller
    }
  }

  /// Continues the task; the runner answers once.
  func end(_ result: Result<Value, any Error>) {
    let continuation = state.withLock { $0.continuation.take() }
    continuation?.resume(with: result)
  }
}
