/// Runs functions that block and cannot be cancelled, and answers each caller exactly once: by its deadline
/// at the latest.
///
/// ```swift
/// let runner = TimeoutRunner<String, Address>(timeout: .seconds(10))
/// let address = try await runner.run("example.org") { try resolve("example.org") }
///
/// try runner.submit("example.org", on: .main) {
///   try resolve("example.org")
/// } completion: { outcome in
///   switch outcome {
///   case .finished(let address): show(address)
///   case .failed(let error): show(error)
///   case .timedOut(let timeOut): show(timeOut)
///   }
/// }
/// ```
///
/// For asynchronous work, which can be cancelled, use `withDeadline(in:)`.
///
/// **Answers.** A caller is told one thing, once: the function's value, its error, or that the deadline has
/// passed. The deadline counts from the submission. A function that has no thread by then is never started,
/// and ``TimeOut/queued`` says so. One that is running goes on, as nothing can stop it; when it returns with
/// nobody to answer, its result goes to the handler for late results and is counted. A result that comes at
/// the deadline or after it is late, whichever thread was first. Completions run on the executor that the
/// caller names, results and time-outs alike, and never inside `submit` or a lock (but inside `submit` where the system has no
/// thread left for them).
///
/// **Threads.** Functions run on threads of the runner alone, never on those of Swift's tasks. They start
/// when they are needed, at most as many as the configuration allows, and then stay and sleep until the
/// runner ends. A function that is past its deadline is *stuck*: it is listed in ``stuck``, keeps its thread,
/// and another thread may take its place, so that it does not starve the others. When more are stuck than
/// `stuckLimit`, no new function is taken: `submit` throws ``TimeoutRunnerError/tooManyStuck(limit:keys:)``,
/// and what is queued is left to the threads that remain, or times out. So there are never more than `threads
/// + stuckLimit` threads. The thread of a stuck function that returns after all ends, or takes the place of
/// one that is missing.
///
/// **Keys.** What happens to a key that is queued or running already is the choice of ``RepeatedKeyPolicy``.
/// A key that is not used again costs nothing after its answer.
///
/// **The end.** A runner that is shut down or dropped answers who waits with ``TimeoutRunnerError/shutDown``,
/// queued or running. Running functions go on to their end, their results are late, and then their threads
/// end. No thread is killed.
///
/// All members are safe from any thread, inside functions and completions too. A submission costs a few short
/// locks and a timer.
public final class TimeoutRunner<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The one thing that a caller is told.
  public enum Outcome: Sendable {
    /// The function has returned in time.
    case finished(Value)
    /// The function has thrown in time, or the runner could not keep the submission: ``TimeoutRunnerError``.
    case failed(any Error)
    /// The deadline has passed.
    case timedOut(TimeOut)

    /// Returns the value, or throws what has come in its place.
    ///
    /// - Returns: The value of the function.
    /// - Throws: The error, or the ``TimeOut``.
    public func get() throws -> Value {
      switch self {
      case .finished(let value): return value
      case .failed(let error): throw error
      case .timedOut(let timeOut): throw timeOut
      }
    }
  }

  /// The threads and the state; threads and timers hold it, not the runner.
  private let pool: RunnerPool<Key, Value>

  /// Creates a runner; its threads start with the first submissions.
  ///
  /// - Parameter configuration: What it may use, and its policies. `threads` must be at least 1, the limits
  ///   must not be negative.
  public init(_ configuration: Configuration) {
    configuration.check()
    pool = RunnerPool(configuration)
  }

  /// Creates a runner with the usual configuration.
  ///
  /// - Parameter timeout: How long a caller waits that says nothing else.
  public convenience init(timeout: Duration) { self.init(Configuration(timeout: timeout)) }

  deinit { pool.shutDown() }

  /// Submits a function and tells a handler the outcome.
  ///
  /// - Parameters:
  ///   - key: What tells the function from others.
  ///   - timeout: How long the caller waits from now on; nil is what the configuration says. Zero and less
  ///     has passed already: the handler is told ``TimeOut/queued``, and nothing is run.
  ///   - executor: Where the handler runs; nil is what the configuration says.
  ///   - body: The function, called on a thread of the runner.
  ///   - completion: The handler, called once.
  /// - Throws: ``TimeoutRunnerError`` when the submission is not taken; then the handler is not called.
  /// - Complexity: O(1).
  public func submit(
    _ key: Key, timeout: Duration? = nil, on executor: CompletionExecutor? = nil,
    body: @escaping @Sendable () throws -> Value,
    completion: @escaping @Sendable (Outcome) -> Void
  ) throws(TimeoutRunnerError) {
    let caller = RunnerPool<Key, Value>.Caller(
      key: key, executor: executor, completion: completion)
    _ = try pool.submit(key, timeout: timeout, caller: caller, body: body)
  }

  /// Submits a task and tells a handler the outcome.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
  ///   - executor: Where the handler runs; nil is what the configuration says.
  ///   - completion: The handler, called once.
  /// - Throws: ``TimeoutRunnerError`` when the submission is not taken; then the handler is not called.
  /// - Complexity: O(1).
  public func submit<Task: BlockingTask<Key, Value>>(
    _ task: Task, timeout: Duration? = nil, on executor: CompletionExecutor? = nil,
    completion: @escaping @Sendable (Outcome) -> Void
  ) throws(TimeoutRunnerError) {
    try submit(
      task.key, timeout: timeout, on: executor, body: { try task.run() }, completion: completion)
  }

  /// Runs a function and waits for it without holding the caller's thread.
  ///
  /// A cancelled caller stops waiting at once. A function that runs goes on then, and its result is late; one
  /// that is queued and that nobody else waits for is never started. A caller that is cancelled before is not
  /// submitted.
  ///
  /// - Parameters:
  ///   - key: What tells the function from others.
  ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
  ///   - body: The function, called on a thread of the runner.
  /// - Returns: What the function returns.
  /// - Throws: What the function throws, ``TimeOut``, ``TimeoutRunnerError``, or `CancellationError`.
  /// - Complexity: O(1).
  public func run(
    _ key: Key, timeout: Duration? = nil, body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let call = AwaitedCall<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        call.park(continuation)
        let caller = RunnerPool<Key, Value>.Caller(key: key, executor: .immediate) { outcome in
          call.end(Result { try outcome.get() })
        }
        do {
          let id = try pool.submit(key, timeout: timeout, caller: caller, body: body)
          if call.isCancelled(noting: id) { pool.cancel(id) }
        } catch {
          call.end(.failure(error))
        }
      }
    } onCancel: {
      if let id = call.cancel() { pool.cancel(id) }
    }
  }

  /// Runs a task and waits for it without holding the caller's thread.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
  /// - Returns: What the task's function returns.
  /// - Throws: What the function throws, ``TimeOut``, ``TimeoutRunnerError``, or `CancellationError`.
  /// - Complexity: O(1).
  public func run<Task: BlockingTask<Key, Value>>(
    _ task: Task, timeout: Duration? = nil
  ) async throws -> Value {
    try await run(task.key, timeout: timeout) { try task.run() }
  }

  /// The numbers of the runner at this moment, all of the same moment.
  ///
  /// - Complexity: O(1).
  public var statistics: TimeoutStatistics { pool.read { core, _ in TimeoutStatistics(core) } }

  /// The functions that are past their deadline and have not returned, the longest overdue first.
  ///
  /// - Complexity: O(n log n) in the functions that run.
  public var stuck: [StuckFunction] {
    pool.read { core, now in
      core.runs.values.filter(\.isStuck).sorted { $0.deadline < $1.deadline }
        .map { StuckFunction($0, now) }
    }
  }

  /// Ends the runner: answers who waits, starts nothing more, and lets each thread end when it is free.
  ///
  /// What is submitted afterwards is refused. Doing it twice does nothing more.
  ///
  /// - Complexity: O(n log n) in the callers that wait.
  public func shutDown() { pool.shutDown() }
}
