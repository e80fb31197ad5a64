/// The progress and remaining time of a run at one moment: what every display shows and the history stores.
///
/// Show the values as they are: the fraction never decreases and is 1 only at the end, and the remaining time is
/// rounded and counts down. A `RunForecaster` computes it.
///
/// ```swift
/// func line(of forecast: RunForecast) -> String {
///   if let late: RunForecast.LateTask = forecast.late {
///     return "\(late.task.name) usually takes \(late.usual)"
///   }
///   let tasks: [RunForecast.Task] = forecast.tasks
///   return "\(Int(forecast.fraction * 100)) %, \(tasks.count) at work"
/// }
/// ```
public struct RunForecast: Hashable, Sendable {
  /// The fraction of the run's time that has passed, from 0 to 1.
  public var fraction: Double
  /// The remaining time, rounded for people.
  public var shown: RoundedRemaining
  /// The remaining time with its 80% interval, nil if there is no estimate.
  public var remaining: RemainingTime?
  /// The task that takes much longer than it usually does, nil if none does.
  public var late: LateTask?
  /// The time for which it was computed, since the run began; not part of the encoded form, whose event has it.
  public var time: Duration = .zero
  /// The running tasks that began first, at most 64; not part of the encoded form.
  public var tasks: [Task] = []
  /// The duration of the whole run by the first forecast that knew it, if that came before any task ended; not part of
  /// the encoded form.
  package var predicted: Duration?

  /// The forecast of a running task, from the same computation as that of the run.
  public struct Task: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// The fraction of its attempt that is done, below 1; nil if there is no estimate.
    public var fraction: Double?
    /// The remaining time of its attempt, nil if there is no estimate.
    public var remaining: RemainingTime?
    /// Whether `fraction` is what the program of the task reports, and not an estimate.
    public var isReported = false
    /// What the program of the task says that it is doing, nil if it says nothing.
    public var detail: String?

    /// Creates the forecast of a task.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - fraction: The fraction of its attempt that is done.
    ///   - remaining: The remaining time of its attempt.
    package init(_ id: TaskID, fraction: Double? = nil, remaining: RemainingTime? = nil) {
      self.id = id
      self.fraction = fraction
      self.remaining = remaining
    }
  }

  /// A task that takes longer than 95% of its earlier runs.
  public struct LateTask: Hashable, Sendable {
    /// The task.
    public var task: TaskID
    /// The time since its attempt began.
    public var elapsed: Duration
    /// Its usual duration.
    public var usual: Duration

    /// Creates the description of a late task.
    package init(task: TaskID, elapsed: Duration, usual: Duration) {
      self.task = task
      self.elapsed = elapsed
      self.usual = usual
    }
  }

  /// Creates a forecast.
  ///
  /// - Parameters:
  ///   - fraction: The fraction of the run's time that has passed, from 0 to 1.
  ///   - shown: The remaining time, rounded for people.
  ///   - remaining: The remaining time, nil if there is no estimate.
  ///   - late: The task that takes much longer than it usually does.
  package init(
    fraction: Double, shown: RoundedRemaining = .unknown, remaining: RemainingTime? = nil,
    late: LateTask? = nil
  ) {
    self.fraction = fraction
    self.shown = shown
    self.remaining = remaining
    self.late = late
  }

  /// The forecast of a task, nil if it does not run or is not among `tasks`.
  package subscript(task: TaskID) -> Task? { tasks.first { $0.id == task } }
}
