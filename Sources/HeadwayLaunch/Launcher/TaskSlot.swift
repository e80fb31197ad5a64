internal import HeadwayLock

/// A Swift task that runs bodies one after the other, and that is cancelled with one of them.
///
/// A task stays cancelled for ever, so after a body that was cancelled it runs no other one: see
/// `RunningTask.claimEnd()`.
///
/// Safe from any thread.
final class TaskSlot: Sendable {
  /// What is guarded by the lock.
  private struct State: Sendable {
    /// The Swift task, once it is known.
    var task: Task<Void, Never>?
    /// Whether it is to be cancelled.
    var isCancelled = false
  }

  /// The state.
  private let state = Guarded(State())

  /// Creates a slot whose task is not known yet.
  init() {}

  /// Notes the Swift task, which may run already.
  func run(in task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the Swift task.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
