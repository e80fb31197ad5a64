internal import HeadwayLock

/// A Swift task that executes bodies one after the other.
///
/// A cancelled task stays cancelled, so the slot of a cancelled body executes no other body: see
/// `RunningTask.claimEnd()`.
///
/// Safe to use from any thread.
final class TaskSlot: Sendable {
  private struct State: Sendable {
    /// The Swift task, nil until it is known.
    var task: Task<Void, Never>?
    /// Whether the slot was cancelled.
    var isCancelled = false
  }

  private let state = Guarded(State())

  init() {}

  /// Sets the Swift task, which may be running already.
  func run(in task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the Swift task, even if it is set later.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
