/// A task that ends with whoever holds this.
final class FollowingTask: Sendable {
  /// The task.
  private let task: Task<Void, Never>

  /// Takes a task over.
  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}
