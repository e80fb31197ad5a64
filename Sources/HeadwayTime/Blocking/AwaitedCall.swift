internal import HeadwayLock

/// A task that waits for a runner: its continuation, and the number of its caller once it is submitted.
final class AwaitedCall<Value: Sendable>: Sendable {
  private struct State: Sendable {
    /// The continuation of the task, nil once it is resumed.
    var continuation: CheckedContinuation<Value, any Error>?
    /// The number of the caller, nil until it is submitted.
    var caller: UInt64?
    var isCancelled = false
  }

  private let state = Guarded(State())

  /// Stores the continuation of the task.
  func park(_ continuation: CheckedContinuation<Value, any Error>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Stores the number of the caller.
  ///
  /// - Parameter caller: The number.
  /// - Returns: Whether the task was cancelled before, so that the runner does not know of the cancellation yet.
  func submitted(as caller: UInt64) -> Bool {
    state.withLock { state in
      state.caller = caller
      return state.isCancelled
    }
  }

  /// Records that the task was cancelled, and returns the number of the caller if it is known.
  func cancel() -> UInt64? {
    state.withLock { state in
      state.isCancelled = true
      return state.caller
    }
  }

  /// Resumes the task.
  func resume(with result: Result<Value, any Error>) {
    let continuation = state.withLock { $0.continuation.take() }
    continuation?.resume(with: result)
  }
}
