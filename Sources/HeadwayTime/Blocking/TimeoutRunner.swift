/// Runs functions that block and cannot be cancelled, and answers each caller exactly once, at its deadline at the
/// latest.
///
/// ```swift
/// let runner = TimeoutRunner<String, Address>(timeout: .seconds(10))
/// let address = try await runner.run("example.org") { try resolve("example.org") }
///
/// try runner.submit("example.org", on: .main) {
///   try resolve("example.org")
/// } completion: { result in
///   switch result {
///   case .success(let address): show(address)
///   case .failure(let error): show(error)   // DeadlineExceeded after 10 seconds
///   }
/// }
/// ```
///
/// For asynchronous work, which can be cancelled, use `withDeadline(in:)`.
///
/// **Results.** Each caller gets exactly one result: the value of the function, its error, or ``DeadlineExceeded``.
/// The time-out counts from the submission. If no thread is free before the deadline, the function never starts, and
/// ``DeadlineExceeded/attempts`` is 0. If the function is running at the deadline, it continues, because nothing can
/// stop it. When it returns and no caller waits any more, its result is passed to the handler for late results and
/// counted. A result at the deadline or later is late, whichever thread was first. Completion handlers run on the
/// executor that the caller chooses, for results and time-outs alike, and never inside a lock. They never run inside
/// `submit` either, except if the system cannot create a thread for them.
///
/// **Threads.** Functions run on the runner's own threads, never on those of Swift's tasks. Threads start when they
/// are needed, at most as many as the configuration allows, and then sleep until the runner ends. A function that has
/// not returned by its deadline is *stuck*: it is listed in ``stuck`` and keeps its thread, and another thread may
/// take its place so that other functions are not starved. While more than `stuckLimit` functions are stuck, `submit`
/// throws ``TimeoutRunnerError/tooManyStuck(limit:keys:)``, and queued functions wait for the remaining threads or
/// time out. So there are never more than `threads + stuckLimit` threads. When a stuck function returns after all,
/// its thread ends, unless it is needed again.
///
/// **Keys.** ``RepeatedKeyPolicy`` decides what happens if a key is submitted that is already queued or running. A key
/// that is not in use takes no memory.
///
/// **The end.** A runner that is shut down or released fails all waiting callers with ``TimeoutRunnerError/shutDown``.
/// Running functions continue, their results are late, and then their threads end. No thread is killed.
///
/// All members are safe from any thread, also inside functions and completion handlers. A submission costs a few short
/// locks and a timer.
public final class TimeoutRunner<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The threads and the state; threads and timers retain the pool and not the runner.
  private let pool: WorkerPool<Key, Value>

  /// Creates a runner; its threads start with the first submissions.
  ///
  /// - Parameter configuration: The limits and policies. `threads` must be at least 1, and no limit may be negative.
  public init(_ configuration: Configuration) {
    configuration.validate()
    pool = WorkerPool(configuration)
  }

  /// Creates a runner with the default configuration.
  ///
  /// - Parameter timeout: The time-out of calls that do not pass one.
  public convenience init(timeout: Duration) { self.init(Configuration(timeout: timeout)) }

  deinit { pool.shutDown() }

  /// Submits a function and passes its result to a completion handler.
  ///
  /// - Parameters:
  ///   - key: The key that identifies the function.
  ///   - timeout: The time-out from now, or nil for that of the configuration. If it is zero or less, nothing runs, and
  ///     the handler gets ``DeadlineExceeded``.
  ///   - executor: Where the handler runs, or nil for the executor of the configuration.
  ///   - body: The function, which is called on a thread of the runner.
  ///   - completion: The handler, which is called once.
  /// - Throws: ``TimeoutRunnerError`` if the submission is not accepted; then the handler is not called.
  /// - Complexity: O(1).
  public func submit(
    _ key: Key, timeout: Duration? = nil, on executor: CompletionExecutor? = nil,
    body: @escaping @Sendable () throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) throws(TimeoutRunnerError) {
    _ = try pool.submit(key, timeout: timeout, on: executor, body: body, completion: completion)
  }

  /// Submits a task and passes its result to a completion handler.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - timeout: The time-out from now, or nil for that of the configuration.
  ///   - executor: Where the handler runs, or nil for the executor of the configuration.
  ///   - completion: The handler, which is called once.
  /// - Throws: ``TimeoutRunnerError`` if the submission is not accepted; then the handler is not called.
  /// - Complexity: O(1).
  public func submit<Task: BlockingTask<Key, Value>>(
    _ task: Task, timeout: Duration? = nil, on executor: CompletionExecutor? = nil,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) throws(TimeoutRunnerError) {
    try submit(
      task.key, timeout: timeout, on: executor, body: { try task.run() }, completion: completion)
  }

  /// Runs a function and waits for its result without blocking the caller's thread.
  ///
  /// A caller that is cancelled stops waiting at once. If the function is running, it continues, and its result is
  /// late. If it is queued and no one else waits for it, it never starts.
  ///
  /// - Parameters:
  ///   - key: The key that identifies the function.
  ///   - timeout: The time-out from now, or nil for that of the configuration.
  ///   - body: The function, which is called on a thread of the runner.
  /// - Returns: The value that the function returns.
  /// - Throws: The error of the function, ``DeadlineExceeded``, ``TimeoutRunnerError``, or `CancellationError`.
  /// - Complexity: O(1).
  public func run(
    _ key: Key, timeout: Duration? = nil, body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let call = AwaitedCall<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        call.park(continuation)
        do {
          let id = try pool.submit(key, timeout: timeout, on: .immediate, body: body) {
            call.resume(with: $0)
          }
          if call.submitted(as: id) { pool.cancel(id) }
        } catch {
          call.resume(with: .failure(error))
        }
      }
    } onCancel: {
      if let id = call.cancel() { pool.cancel(id) }
    }
  }

  /// Runs a task and waits for its result without blocking the caller's thread.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - timeout: The time-out from now, or nil for that of the configuration.
  /// - Returns: The value that the task returns.
  /// - Throws: The error of the task, ``DeadlineExceeded``, ``TimeoutRunnerError``, or `CancellationError`.
  /// - Complexity: O(1).
  public func run<Task: BlockingTask<Key, Value>>(
    _ task: Task, timeout: Duration? = nil
  ) async throws -> Value {
    try await run(task.key, timeout: timeout) { try task.run() }
  }

  /// The current counts of the runner, all read at the same moment.
  ///
  /// - Complexity: O(1).
  public var statistics: TimeoutRunnerStatistics {
    pool.read { core, _ in core.statistics }
  }

  /// The functions that have not returned by their deadline, the longest overdue first.
  ///
  /// - Complexity: O(n log n) in the number of running functions.
  public var stuck: [StuckFunction] {
    pool.read { core, now in
      core.runs.values.filter(\.isStuck).sorted { $0.deadline < $1.deadline }
        .map { StuckFunction($0, now) }
    }
  }

  /// Shuts the runner down: fails all waiting callers, starts no more functions, and ends each thread when it is free.
  ///
  /// Later submissions are refused. Shutting down twice has no further effect.
  ///
  /// - Complexity: O(n log n) in the number of waiting callers.
  public func shutDown() { pool.shutDown() }
}

/// A runner for functions that return values of different types.
extension TimeoutRunner where Value == any Sendable {
  /// Runs a function of a type of its own, and waits for its result without blocking the caller's thread.
  ///
  /// ```swift
  /// let runner = TimeoutRunner<String, any Sendable>(timeout: .seconds(10))
  /// let address = try await runner.run("example.org", as: Address.self) { try resolve("example.org") }
  /// let size = try await runner.run("/mnt/backup", as: Int.self) { try freeSpace("/mnt/backup") }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key that identifies the function.
  ///   - type: The type of the value.
  ///   - timeout: The time-out from now, or nil for that of the configuration.
  ///   - body: The function, which is called on a thread of the runner.
  /// - Returns: The value that the function returns.
  /// - Throws: The error of the function, ``DeadlineExceeded``, ``TimeoutRunnerError`` or `CancellationError`;
  ///   ``TimeoutRunnerError/differentType(key:expected:actual:)`` if a function of the same key was joined that has returned a
  ///   value of another type.
  /// - Complexity: O(1).
  public func run<Result: Sendable>(
    _ key: Key, as type: Result.Type, timeout: Duration? = nil,
    body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let value = try await run(key, timeout: timeout, body: { try body() as any Sendable })
    guard let result = value as? Result else {
      throw TimeoutRunnerError.differentType(
        key: "\(key)", expected: "\(type)", actual: "\(Swift.type(of: value))")
    }
    return result
  }
}
