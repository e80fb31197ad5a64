internal import HeadwaySystem
public import HeadwayTime

/// How a graph is run.
public struct LauncherOptions: Sendable {
  /// The number of tasks that may run at once, at least 1; by default one for each core.
  ///
  /// A task that only waits takes a worker as well: where most wait for a network or a disk, allow more.
  public var workers: Int
  /// What a failure of a task means that the run needs.
  public var policy: FailurePolicy
  /// The time that the whole run may take, nil for no limit.
  public var deadline: Duration?
  /// How long each task is expected to take, by index; longer ways to the end start first.
  public var expected: [Duration?]
  /// Measures deadlines and pauses between attempts.
  public var timers: TimerService
  /// Runs the tasks that are not bound to an actor; nil for the executor that all tasks share.
  public var executor: (any TaskExecutor)?
  /// What pauses between attempts are drawn from, where they are left to chance; nil for another one in each run.
  public var seed: UInt64?
  /// The priority of the Swift tasks that run them.
  public var priority: TaskPriority?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - workers: The number of tasks that may run at once; nil for one for each core.
  ///   - policy: What a failure means.
  ///   - deadline: The time that the whole run may take.
  ///   - timers: Measures the time; in tests those of a virtual clock.
  ///   - executor: Runs the tasks.
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
