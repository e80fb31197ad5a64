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
  /// The time limit of the whole run, nil for none.
  public var deadline: Duration?
  /// The expected duration of each task, by index; tasks on the critical path start first.
  public var expected: [Duration?]
  /// The timers for deadlines and retries.
  public var timers: TimerService
  /// The executor of tasks that are not isolated to an actor; nil for the global one.
  public var executor: (any TaskExecutor)?
  /// The seed of the random part of delays between attempts; nil for a random seed.
  public var seed: UInt64?
  /// The priority of the Swift tasks that run the bodies.
  public var priority: TaskPriority?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - workers: The number of tasks that may run at once; nil for one for each core.
  ///   - policy: The reaction to a failure.
  ///   - deadline: The time limit of the whole run.
  ///   - timers: The timers; in tests those of a virtual clock.
  ///   - executor: The executor of the tasks.
  public init(
    workers: Int? = nil, policy: FailurePolicy = .stop, deadline: Duration? = nil,
    timers: TimerService = .suspending, executor: (any TaskExecutor)? = nil
  ) {
    self.workers = max(workers ?? Processors.count, 1)
    self.policy = policy
    self.deadline = deadline
    self.timers = timers
    self.executor = executor
    expected = []
    seed = nil
    priority = nil
  }
}
