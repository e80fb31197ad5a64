internal import CTime
internal import HeadwaySystem

extension TimeoutRunner {
  /// What a runner may use, and its policies.
  public struct Configuration: Sendable {
    /// How long a caller waits that says nothing else.
    public var timeout: Duration
    /// The most functions that run at once, stuck ones aside; twice the number of processors, and at least
    /// four, by default.
    public var threads: Int
    /// The most stuck functions whose thread is replaced by another, 64 by default; while there are more,
    /// nothing is taken.
    public var stuckLimit: Int
    /// The most tasks that wait for a thread; 100,000 by default, each of which is nearly a kilobyte.
    public var queueLimit: Int
    /// What a key does that is queued or running already; `join` by default.
    public var repeatedKey: RepeatedKeyPolicy
    /// Whether a function is started again after a time-out; `never` by default.
    public var restart: RestartPolicy
    /// Where completions run that name no executor; by default a thread of the runner's own, one after the
    /// other.
    public var executor: CompletionExecutor?
    /// The timers, which must not be shut down before the runner.
    public var timers: TimerService
    /// What is told the results that answer nobody; it runs where completions run that name no executor.
    public var lateResult: (@Sendable (LateResult) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - timeout: How long a caller waits that says nothing else.
    ///   - threads: The most functions that run at once, stuck ones aside.
    ///   - stuckLimit: The most stuck functions whose thread is replaced by another.
    ///   - queueLimit: The most tasks that wait for a thread.
    ///   - repeatedKey: What a key does that is queued or running already.
    ///   - restart: Whether a function is started again after a time-out.
    ///   - executor: Where completions run that name no executor.
    ///   - timers: The timers.
    ///   - lateResult: What is told the results that answer nobody.
    public init(
      timeout: Duration, threads: Int = TimeoutDefaults.threads,
      stuckLimit: Int = TimeoutDefaults.stuckLimit, queueLimit: Int = TimeoutDefaults.queueLimit,
      repeatedKey: RepeatedKeyPolicy = .join, restart: RestartPolicy = .never,
      executor: CompletionExecutor? = nil, timers: TimerService = .continuous,
      lateResult: (@Sendable (LateResult) -> Void)? = nil
    ) {
      self.timeout = timeout
      self.threads = threads
      self.stuckLimit = stuckLimit
      self.queueLimit = queueLimit
      self.repeatedKey = repeatedKey
      self.restart = restart
      self.executor = executor
      self.timers = timers
      self.lateResult = lateResult
    }

    /// Traps on what no runner can work with.
    func check() {
      precondition(threads >= 1, "a runner needs a thread: threads is \(threads)")
      precondition(stuckLimit >= 0, "stuckLimit is negative: \(stuckLimit)")
      precondition(queueLimit >= 0, "queueLimit is negative: \(queueLimit)")
      if case .again(let limit) = restart {
        precondition(limit >= 0, "the limit of restarts is negative: \(limit)")
      }
    }
  }

  /// What a function returned when nobody waited for it any longer.
  public struct LateResult: Sendable {
    /// The key of the function.
    public let key: Key
    /// Which start of the function it was, from 1.
    public let attempt: Int
    /// What it returned or threw.
    public let outcome: Outcome
    /// How long after its deadline it came; zero when it was in time, but its callers had been answered
    /// otherwise.
    public let overdue: Duration
  }

  /// A function that has not returned by its deadline.
  public struct StuckFunction: Sendable {
    /// The key of the function.
    public let key: Key
    /// Which start of the function it is, from 1.
    public let attempt: Int
    /// How long it has run.
    public let running: Duration
    /// How long its deadline has passed.
    public let overdue: Duration

    /// Describes a run.
    init(_ run: RunnerPool<Key, Value>.Core.Run, _ now: UInt64) {
      key = run.key
      attempt = run.attempt
      running = .nanoseconds(Int64(clamping: now - min(now, run.start)))
      overdue = .nanoseconds(Int64(clamping: now - min(now, run.deadline)))
    }
  }
}

/// The limits of a `TimeoutRunner` that says nothing else.
public enum TimeoutDefaults {
  /// Threads: twice the number of processors, because functions that block seldom use one, and at least four.
  public static let threads: Int = max(4, 2 * Processors.count)
  /// Stuck functions: few enough for any system's limit of threads.
  public static let stuckLimit: Int = 64
  /// Tasks in the queue: nearly a kilobyte each, so less than 100 megabytes.
  public static let queueLimit: Int = 100_000
}

/// The numbers of a `TimeoutRunner`, all of the same moment.
///
/// Every submission is in exactly one of the numbers from `finished` to `noThread`, or is `waiting`: together
/// they are `submitted`.
public struct TimeoutStatistics: Hashable, Sendable {
  /// Calls of `submit` and `run`, but for those that were cancelled before.
  public let submitted: Int
  /// Callers that were told a value.
  public let finished: Int
  /// Callers that were told the function's error.
  public let failed: Int
  /// Callers whose deadline passed before a thread was free.
  public let timedOutQueued: Int
  /// Callers whose deadline passed while the function ran.
  public let timedOutRunning: Int
  /// Submissions that were not taken.
  public let refused: Int
  /// Callers whose place a later submission of the same key has taken.
  public let replaced: Int
  /// Callers that were cancelled.
  public let cancelled: Int
  /// Callers that were waiting when the runner was shut down.
  public let shutDown: Int
  /// Callers for whom the system had no thread.
  public let noThread: Int
  /// Callers that wait for their answer now.
  public let waiting: Int
  /// Submissions that joined a function that was queued or running.
  public let joined: Int
  /// Calls of functions, those after a time-out among them.
  public let started: Int
  /// Calls of functions after a time-out.
  public let restarted: Int
  /// Functions that returned with nobody to answer.
  public let late: Int
  /// Functions that wait for a thread now.
  public let queued: Int
  /// Functions that run now, stuck ones among them.
  public let running: Int
  /// Functions that run now and are past their deadline.
  public let stuck: Int
  /// The threads that functions run on.
  public let threads: Int

  /// Reads the numbers of a core.
  init<Key, Body, Caller, Timer>(_ core: borrowing TimeoutCore<Key, Body, Caller, Timer>) {
    let counts = core.counts
    submitted = counts.submitted
    finished = counts.finished
    failed = counts.failed
    timedOutQueued = counts.timedOutQueued
    timedOutRunning = counts.timedOutRunning
    refused = counts.refused
    replaced = counts.replaced
    cancelled = counts.cancelled
    shutDown = counts.shutDown
    noThread = counts.noThread
    waiting = core.callers.count
    joined = counts.joined
    started = counts.started
    restarted = counts.restarted
    late = counts.late
    queued = core.queue.count
    running = core.runs.count
    stuck = core.stuckCount
    threads = core.hands.count
  }
}
