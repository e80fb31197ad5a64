public import HeadwayRun
internal import HeadwaySystem
public import HeadwayTime

/// The options of a launcher.
public struct LauncherOptions: Sendable {
  /// The number of tasks that may run at once, at least 1; by default one for each core.
  ///
  /// A task that only waits occupies a worker, too: allow more if most tasks wait for a network or a disk.
  public var workers: Int
  /// The reaction to the failure of a task that is not optional.
  public var policy: FailurePolicy
  /// The time limit of the whole run, nil for none; that of one task is ``TaskSettings/deadline``.
  public var deadline: Duration?
  /// The expected duration of each task, by index; tasks on the critical path start first.
  public var expected: [Duration?]
  /// The timers for deadlines and retries.
  public var timers: TimerService
  /// The executor of tasks that are not isolated to an actor; nil for the global one.
  public var executor: (any TaskExecutor)?
  /// The seed of the random part of delays between attempts; nil for a random seed.
  public var seed: UInt64?
  /// The priority of the Swift tasks that run the bodies; they run several bodies each, so it is the same for all tasks.
  ///
  /// A body that needs another one waits for a Swift task of its own: `try await Task(priority: .background) { … }.value`.
  public var priority: TaskPriority?
  /// The signals that cancel the run while it goes on; by default none.
  ///
  /// The first signal cancels the run as ``Launcher/cancel()`` does: services are ended in the reverse order of their
  /// dependencies, each with its grace period, and tasks that always run still do. If a signal of the same kind comes again, what
  /// is left ends immediately, without its grace period. Signals of another kind, and copies of a signal such as those of
  /// `timeout`, add nothing. ``LaunchResult/signal`` is the first of all signals.
  ///
  /// Handlers that the program has installed for these signals are replaced during the run, and are installed again when the
  /// last run that watches a signal has ended; so the next signal has its usual effect, which is to end the process. A signal that
  /// is ignored when the run begins stays ignored, as under `nohup`. All runs that watch a signal receive it, except that a
  /// launcher that is a task of another one leaves it to that one if both watch it.
  ///
  /// A signal that all threads of the program block cancels the run nevertheless, and is blocked again after it.
  ///
  /// If the system has no thread or descriptors left to watch them, signals keep the effect that they had.
  public var cancellationSignals: Set<LauncherSignal>
  /// What delivers the signals; tests use one of their own.
  var signalCenter = SignalCenter.shared
  /// Describes the error with which a task failed, for events, results and messages; by default `"\(error)"`.
  ///
  /// A program that uses Foundation may want the texts that Foundation has for people:
  ///
  /// ```swift
  /// options.describeError = { error in
  ///   (error as? any LocalizedError)?.errorDescription ?? "\(error)"
  /// }
  /// ```
  ///
  /// Called on the thread that ended the attempt, outside of all locks, with the inner error of ``NonRetryable`` and ``RetryAfter``;
  /// also for errors of attempts that were cancelled or abandoned, but not for ``ServiceEnded``, which no task has thrown. The time
  /// that it takes is part of the attempt.
  public var describeError: @Sendable (any Error) -> String
  /// Replaces the error with which an attempt failed, before the run looks at it; by default no error is replaced.
  ///
  /// It decides in one place which errors are worth another attempt, and when:
  ///
  /// ```swift
  /// options.mapError = { error in
  ///   switch error {
  ///   case is NotFound: NonRetryable(error)
  ///   case is TooManyRequests: RetryAfter(.seconds(30), error)
  ///   default: error
  ///   }
  /// }
  /// ```
  ///
  /// An error that is in one of these wrappers already is replaced inside of it: what the task has decided stays. Called on the thread
  /// that ended the attempt, outside of all locks, before ``describeError``; also for errors of attempts that were cancelled or abandoned,
  /// but not for ``ServiceEnded``. The time that it takes is part of the attempt.
  public var mapError: @Sendable (any Error) -> any Error
  /// The tracer that starts and ends a span for each attempt at a task, nil for none.
  public var tracer: (any LaunchTracer)?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - workers: The number of tasks that may run at once; nil for one for each core.
  ///   - policy: The reaction to a failure.
  ///   - deadline: The time limit of the whole run.
  ///   - timers: The timers; in tests those of a virtual clock.
  ///   - executor: The executor of the tasks.
  ///   - expected: The expected duration of each task, by index.
  ///   - seed: The seed of the random part of delays between attempts.
  ///   - priority: The priority of the Swift tasks that run the bodies.
  ///   - cancellationSignals: The signals that cancel the run.
  ///   - tracer: The tracer of the attempts.
  ///   - describeError: Describes the error with which a task failed.
  ///   - mapError: Replaces the error with which an attempt failed.
  public init(
    workers: Int? = nil, policy: FailurePolicy = .stop, deadline: Duration? = nil,
    timers: TimerService = .suspending, executor: (any TaskExecutor)? = nil,
    expected: [Duration?] = [], seed: UInt64? = nil, priority: TaskPriority? = nil,
    cancellationSignals: Set<LauncherSignal> = [], tracer: (any LaunchTracer)? = nil,
    describeError: @escaping @Sendable (any Error) -> String = { "\($0)" },
    mapError: @escaping @Sendable (any Error) -> any Error = { $0 }
  ) {
    self.workers = max(workers ?? Processors.count, 1)
    self.policy = policy
    self.deadline = deadline
    self.timers = timers
    self.executor = executor
    self.expected = expected
    self.seed = seed
    self.priority = priority
    self.cancellationSignals = cancellationSignals
    self.tracer = tracer
    self.describeError = describeError
    self.mapError = mapError
  }
}
