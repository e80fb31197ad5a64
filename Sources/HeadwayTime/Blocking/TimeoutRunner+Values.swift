extension TimeoutRunner {
  /// The limits and policies of a runner.
  public struct Configuration: Sendable {
    /// The time-out of calls that do not pass one.
    public var timeout: Duration
    /// The maximum number of functions that run at once, not counting stuck ones.
    ///
    /// 64 by default, on every machine: functions that block need threads and not processors. A thread is started only if
    /// a function waits and no other thread is free. Beyond the limit functions wait in the queue, where their time runs.
    public var threads: Int
    /// The maximum number of stuck functions whose threads are replaced; 64 by default.
    ///
    /// While more are stuck, the runner accepts nothing.
    public var stuckLimit: Int
    /// The maximum number of functions that wait for a thread; 100,000 by default.
    ///
    /// Each takes nearly a kilobyte.
    public var queueLimit: Int
    /// What happens if a key is submitted that is already queued or running; `join` by default.
    public var repeatedKey: RepeatedKeyPolicy
    /// How often a function is restarted after a time-out; 0 by default.
    ///
    /// The function is started again with the same time-out, while the first call continues as a stuck one. A caller
    /// waits up to `restartLimit + 1` times its time-out, if the function was running at its first deadline, and gets
    /// the result of whichever call returns first. No function is restarted while more than ``stuckLimit`` are stuck.
    public var restartLimit: Int
    /// Where completion handlers run if the call does not say so.
    ///
    /// By default they run one after the other on a thread of the runner.
    public var executor: CompletionExecutor?
    /// The timers, which must not be shut down before the runner.
    public var timers: TimerService
    /// The handler for results that no caller waits for; it runs on ``executor``.
    public var lateResult: (@Sendable (LateResult) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - timeout: The time-out of calls that do not pass one.
    ///   - threads: The maximum number of functions that run at once, not counting stuck ones.
    ///   - stuckLimit: The maximum number of stuck functions whose threads are replaced.
    ///   - queueLimit: The maximum number of functions that wait for a thread.
    ///   - repeatedKey: What happens if a key is submitted that is already queued or running.
    ///   - restartLimit: How often a function is restarted after a time-out.
    ///   - executor: Where completion handlers run if the call does not say so.
    ///   - timers: The timers.
    ///   - lateResult: The handler for results that no caller waits for.
    public init(
      timeout: Duration, threads: Int = 64, stuckLimit: Int = 64,
      queueLimit: Int = 100_000, repeatedKey: RepeatedKeyPolicy = .join, restartLimit: Int = 0,
      executor: CompletionExecutor? = nil, timers: TimerService = .continuous,
      lateResult: (@Sendable (LateResult) -> Void)? = nil
    ) {
      self.timeout = timeout
      self.threads = threads
      self.stuckLimit = stuckLimit
      self.queueLimit = queueLimit
      self.repeatedKey = repeatedKey
      self.restartLimit = restartLimit
      self.executor = executor
      self.timers = timers
      self.lateResult = lateResult
    }

    /// Traps if a value is out of range.
    func validate() {
      precondition(threads >= 1, "threads must be at least 1, but is \(threads).")
      precondition(stuckLimit >= 0, "stuckLimit must not be negative, but is \(stuckLimit).")
      precondition(queueLimit >= 0, "queueLimit must not be negative, but is \(queueLimit).")
      precondition(restartLimit >= 0, "restartLimit must not be negative, but is \(restartLimit).")
    }
  }

  /// The result of a function that returned when no caller waited for it any more.
  ///
  /// ```swift
  /// configuration.lateResult = { (late: TimeoutRunner<String, Int>.LateResult) in
  ///   show("\(late.key) came \(late.overdue) too late")
  /// }
  /// ```
  public struct LateResult: Sendable {
    /// The key of the function.
    public let key: Key
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The value that the function returned, or the error that it threw.
    public let result: Result<Value, any Error>
    /// The time since the deadline; zero if the function was in time, but its callers had been cancelled or replaced.
    public let overdue: Duration
  }

  /// A function that has not returned by its deadline.
  ///
  /// ```swift
  /// let stuck: [TimeoutRunner<String, Int>.StuckFunction] = runner.stuck
  /// for function in stuck {
  ///   show("\(function.key) has run for \(function.running)")
  /// }
  /// ```
  public struct StuckFunction: Sendable {
    /// The key of the function.
    public let key: Key
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The time since the function was started.
    public let running: Duration
    /// The time since its deadline.
    public let overdue: Duration

    init(_ run: WorkerPool<Key, Value>.Core.Run, _ now: UInt64) {
      key = run.key
      attempt = run.attempt
      running = .nanoseconds(now - min(now, run.start))
      overdue = .nanoseconds(now - min(now, run.deadline))
    }
  }
}

/// The counts of a ``TimeoutRunner``, all read at the same moment.
///
/// ``submitted`` is the sum of ``waiting`` and the counts from ``finished`` to ``noThread``: each submission is in
/// exactly one of them.
///
/// ```swift
/// let statistics: TimeoutRunnerStatistics = runner.statistics
/// show("\(statistics.finished) of \(statistics.submitted) in time, \(statistics.stuck) stuck")
/// ```
public struct TimeoutRunnerStatistics: Hashable, Sendable {
  /// The number of submissions, not counting those that were cancelled before.
  public internal(set) var submitted: Int = 0
  /// The number of callers that got a value.
  public internal(set) var finished: Int = 0
  /// The number of callers that got the error of the function.
  public internal(set) var failed: Int = 0
  /// The number of callers whose deadline passed before a thread was free.
  public internal(set) var timedOutQueued: Int = 0
  /// The number of callers whose deadline passed while the function was running.
  public internal(set) var timedOutRunning: Int = 0
  /// The number of submissions that were not accepted.
  public internal(set) var refused: Int = 0
  /// The number of callers that a later submission of the same key replaced.
  public internal(set) var replaced: Int = 0
  /// The number of callers that were cancelled.
  public internal(set) var cancelled: Int = 0
  /// The number of callers that were waiting when the runner was shut down.
  public internal(set) var shutDown: Int = 0
  /// The number of callers that failed because the system could not create a thread.
  public internal(set) var noThread: Int = 0
  /// The number of callers that are waiting now.
  public internal(set) var waiting: Int = 0
  /// The number of submissions that joined a queued or running function.
  package internal(set) var joined: Int = 0
  /// The number of calls of functions, including restarts.
  package internal(set) var started: Int = 0
  /// The number of restarts after a time-out.
  package internal(set) var restarted: Int = 0
  /// The number of functions that returned when no caller waited any more.
  public internal(set) var late: Int = 0
  /// The number of functions that are waiting for a thread now.
  public internal(set) var queued: Int = 0
  /// The number of functions that are running now, including stuck ones.
  public internal(set) var running: Int = 0
  /// The number of functions that are running now and have passed their deadline.
  public internal(set) var stuck: Int = 0
  /// The number of threads now.
  public internal(set) var threads: Int = 0
}
