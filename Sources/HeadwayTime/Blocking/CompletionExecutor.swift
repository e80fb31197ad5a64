/// Where completion handlers run: on an actor, a task executor, a queue, or the runner's own thread.
///
/// ```swift
/// try runner.submit("a", on: .main) { work() } completion: { label.show($0) }
/// try runner.submit("b", on: .actor(cache)) { work() } completion: { log($0) }
/// try runner.submit("c", on: CompletionExecutor { queue.async(execute: $0) }) { work() } completion: { log($0) }
/// ```
public struct CompletionExecutor: Sendable {
  let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an executor from a function that enqueues work, for example on a dispatch queue or an event loop.
  ///
  /// - Parameter enqueue: A function that arranges for its argument to be called once. It is called on threads of the
  ///   runner and its timers, and on the thread of the submitter, so it should not block or call the argument directly.
  public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.enqueue = enqueue
  }

  /// The main actor.
  public static let main = CompletionExecutor { work in _Concurrency.Task { @MainActor in work() } }

  /// Returns an executor that runs handlers on an actor, in an order that the actor chooses.
  ///
  /// - Parameter actor: The actor, which is retained until its last handler has run.
  /// - Returns: The executor.
  public static func actor(_ actor: some Actor) -> CompletionExecutor {
    CompletionExecutor { work in
      _Concurrency.Task { await perform(work, on: actor) }
    }
  }

  /// Returns an executor that runs handlers on a task executor, for example an event loop.
  ///
  /// - Parameter executor: The task executor.
  /// - Returns: The executor.
  public static func executor(_ executor: some TaskExecutor) -> CompletionExecutor {
    CompletionExecutor { work in _Concurrency.Task(executorPreference: executor) { work() } }
  }

  private static func perform(_ work: @Sendable () -> Void, on actor: isolated some Actor) {
    work()
  }

  /// Runs work at once on the current thread; only for work that does no more than resume a task.
  static let immediate = CompletionExecutor { $0() }
}
