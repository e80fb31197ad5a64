public import HeadwayRun

/// The earlier runs of a plan: the durations of its tasks, and the errors of its forecasts.
///
/// A task is recognized by its name and kind. The duration of a failed or cancelled task is only a lower bound.
///
/// ```swift
/// let predicted = RemainingTime(low: .seconds(8), median: .seconds(10), high: .seconds(14))
/// var run = DurationHistory.Run(
///   samples: [DurationHistory.Sample(name: "compile", kind: "cc", duration: .seconds(12))],
///   workers: 8,
///   misses: [DurationHistory.Miss(predicted: predicted, actual: .seconds(12))])
/// run.upToDate = [DurationHistory.Task(name: "fetch", kind: "git")]
/// let elsewhere = DurationHistory.Kind(name: "cc", typical: .seconds(4), spread: 0.5, count: 20)
/// let history = DurationHistory(runs: [run], kinds: [elsewhere])
/// ```
public struct DurationHistory: Hashable, Sendable {
  /// The duration of a task in an earlier run.
  public struct Sample: Hashable, Sendable {
    /// The name of the task, the same in every run.
    public var name: String
    /// The kind of task; tasks of one kind take similar times.
    public var kind: String
    /// The duration from the start of the first attempt; a negative one counts as zero.
    public var duration: Duration
    /// The duration of the last attempt, nil if there was only one.
    public var lastAttempt: Duration?
    /// Whether the task failed or was cancelled, so that the duration is a lower bound.
    public var isCensored: Bool
    /// The name of the host on which its last attempt ran, nil for that of the run.
    public var host: String?
    /// The time that processors spent on its last attempt, nil if that is unknown.
    ///
    /// It says for which part of its time the task computes, so that it takes longer beside others that do.
    public var cpuTime: Duration?
    /// When its last attempt began, since the run began; nil if that is unknown.
    ///
    /// It says which tasks shared the processors of the run.
    public var start: Duration?

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - kind: The kind of the task, empty if it has none.
    ///   - duration: The duration from the start of the first attempt.
    ///   - lastAttempt: The duration of the last attempt, nil if there was only one.
    ///   - isCensored: Whether the task failed or was cancelled.
    ///   - host: The name of the host on which its last attempt ran, nil for that of the run.
    public init(
      name: String, kind: String, duration: Duration, lastAttempt: Duration? = nil,
      isCensored: Bool = false, host: String? = nil
    ) {
      self.name = name
      self.kind = kind
      self.duration = duration
      self.lastAttempt = lastAttempt
      self.isCensored = isCensored
      self.host = host
    }
  }

  /// The identity of a task.
  public struct Task: Hashable, Sendable {
    /// The name of the task, the same in every run.
    public var name: String
    /// The kind of the task, empty if it has none.
    public var kind: String

    /// Creates an identity.
    public init(name: String, kind: String) {
      self.name = name
      self.kind = kind
    }
  }

  /// How long the tasks of a kind take in other plans.
  public struct Kind: Hashable, Sendable {
    /// The name of the kind.
    public var name: String
    /// The geometric mean of the durations.
    public var typical: Duration
    /// The standard deviation of their natural logarithms: 0.1 is about ten percent.
    public var spread: Double
    /// The number of durations.
    public var count: Int

    /// Creates a summary.
    public init(name: String, typical: Duration, spread: Double, count: Int) {
      self.name = name
      self.typical = typical
      self.spread = spread
      self.count = count
    }
  }

  /// A forecast of an earlier run beside the actual remaining time.
  public struct Miss: Hashable, Sendable {
    /// The predicted remaining time.
    public var predicted: RemainingTime
    /// The actual remaining time.
    public var actual: Duration

    /// Creates a comparison.
    public init(predicted: RemainingTime, actual: Duration) {
      self.predicted = predicted
      self.actual = actual
    }
  }

  /// An earlier run.
  public struct Run: Hashable, Sendable {
    /// The durations of its tasks, without those that were skipped or up to date.
    public var samples: [Sample]
    /// The tasks that were up to date.
    public var upToDate: [Task] = []
    /// The number of workers, nil if it is not known.
    public var workers: Int?
    /// The number of processors of its machine, nil if it is not known.
    public var processors: Int?
    /// About ten of its forecasts, spread evenly over the run, of those that used history.
    public var misses: [Miss]

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - samples: The durations of its tasks.
    ///   - workers: The number of workers.
    ///   - misses: Some of its forecasts beside the actual remaining times.
    public init(samples: [Sample], workers: Int? = nil, misses: [Miss] = []) {
      self.samples = samples
      self.workers = workers
      self.misses = misses
    }
  }

  /// The earlier runs, the oldest first.
  public var runs: [Run]
  /// How long tasks take in other plans, used for kinds that are in no earlier run of this plan.
  public var kinds: [Kind]

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - runs: The earlier runs, the oldest first; none for the first run of a plan.
  ///   - kinds: How long tasks take in other plans.
  public init(runs: [Run] = [], kinds: [Kind] = []) {
    self.runs = runs
    self.kinds = kinds
  }
}
