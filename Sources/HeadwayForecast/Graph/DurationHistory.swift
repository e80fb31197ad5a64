public import HeadwayRun

/// What earlier runs of a plan say: how long its tasks took, and how wrong the forecasts were.
///
/// A value that whoever keeps the history fills in, the oldest run first. A task is recognised by its name and kind.
/// What failed or was cancelled took *at least* so long, and is never taken for how long the task takes.
public struct DurationHistory: Hashable, Sendable {
  /// How long a task took in an earlier run.
  public struct Sample: Hashable, Sendable {
    /// The name of the task, the same in every run.
    public var name: String
    /// What sort of task it is: tasks of one kind resemble each other.
    public var kind: String
    /// How long it took, from the beginning of its first attempt; negative counts as zero.
    public var duration: Duration
    /// How long the last attempt of it took, nil where there was one only.
    public var lastAttempt: Duration?
    /// Whether it was ended before its time, so that the duration is a lower bound.
    public var isCensored: Bool

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - kind: The kind of the task; empty where there are none.
    ///   - duration: How long it took, from the beginning of its first attempt.
    ///   - lastAttempt: How long its last attempt took, nil where there was one only.
    ///   - isCensored: Whether it failed or was cancelled.
    public init(
      name: String, kind: String, duration: Duration, lastAttempt: Duration? = nil,
      isCensored: Bool = false
    ) {
      self.name = name
      self.kind = kind
      self.duration = duration
      self.lastAttempt = lastAttempt
      self.isCensored = isCensored
    }
  }

  /// How wrong one forecast of an earlier run was.
  public struct Miss: Hashable, Sendable {
    /// The remaining times that were told: one run in ten is shorter, half are, nine in ten are.
    public var predicted: RemainingTime
    /// The time that really remained.
    public var actual: Duration

    /// Creates a comparison of what was told with the truth.
    public init(predicted: RemainingTime, actual: Duration) {
      self.predicted = predicted
      self.actual = actual
    }
  }

  /// An earlier run.
  public struct Run: Hashable, Sendable {
    /// How long its tasks took; those that were skipped or up to date are left out.
    public var samples: [Sample]
    /// How many tasks ran at a time, nil when it is not known.
    public var workers: Int?
    /// How wrong its forecasts were: some ten of them spread evenly over the run, of those that had history.
    public var misses: [Miss]

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - samples: How long its tasks took.
    ///   - workers: How many ran at a time.
    ///   - misses: How wrong its forecasts were.
    public init(samples: [Sample], workers: Int? = nil, misses: [Miss] = []) {
      self.samples = samples
      self.workers = workers
      self.misses = misses
    }
  }

  /// The earlier runs, the oldest first.
  public var runs: [Run]

  /// Creates a history.
  ///
  /// - Parameter runs: The earlier runs, the oldest first; none for the first run of a plan.
  public init(runs: [Run] = []) { self.runs = runs }
}
