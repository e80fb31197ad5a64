/// Where a completion handler runs: an actor, a task executor, a queue, or the runner's own thread.
///
/// Results and time-outs alike are handed to it, from whichever thread they arise on.
///
/// ```swift
/// try runner.submit("a", on: .main) { work() } completion: { label.show($0) }
/// try runner.submit("b", on: .actor(cache)) { work() } completion: { log($0) }
/// try runner.submit("c", on: CompletionExecutor { queue.async(execute: $0) }) { work() } completion: { log($0) }
/// ```
public struct CompletionExecutor: Sendable {
  /// Hands a piece of work on.
  let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an executor from a function that hands work on, such as that of a dispatch queue or an event
  /// loop.
  ///
  /// - Parameter enqueue: Sees to it that its argument is called once. It is called on threads of the runner
  ///   and of its timers, and on that of the submitter; it should neither block nor call the argument itself.
  public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.enqueue = enqueue
  }

  /// The main actor.
  public static let main = CompletionExecutor { work in _Concurrency.Task { @MainActor in work() } }

  /// An actor; the order of two completions is the actor's choice.
  ///
  /// - Parameter actor: The actor, which is kept until its last completion has run.
  /// - Returns: Its executor.
  public static func actor(_ actor: some Actor) -> CompletionExecutor {
    CompletionExecutor { work in
      _Concurrency.Task { await perform(work, on: actor) }
    }
  }

  /// A task executor, for example an event loop.
  ///
  /// - Parameter executor: The executor.
  /// - Returns: The executor for completions.
  public static func executor(_ executor: some TaskExecutor) -> CompletionExecutor {
    CompletionExecutor { work in _Concurrency.Task(executorPreference: executor) { work() } }
  }

  /// Runs work on an actor.
  private static func perform(_ work: @Sendable () -> Void, on actor: isolated some Actor) {
    work()
  }

  /// The thread that a piece of work arises on: only for work that does no more than to wake somebody.
  static let immediate = CompletionExecutor { $0() }
}
