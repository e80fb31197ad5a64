/// How far a run is, and how long it still takes: what every surface shows, and what the records keep.
///
/// All of it is meant to be shown as it is: the fraction never goes back and is 1 only at the end, and the remaining time
/// counts down and is not dressed up. `RunForecaster` makes it.
public struct RunForecast: Hashable, Sendable {
  /// The part of the run that is done, as part of its time, from 0 to 1.
  public var fraction: Double
  /// What is said of the time that remains.
  public var shown: RoundedRemaining
  /// The time that remains, with the range that holds the truth four times in five; nil while nothing is known.
  public var remaining: RemainingTime?
  /// The task that takes much longer than it usually does, nil where none does.
  public var late: LateTask?

  /// A task that takes longer than nineteen in twenty like it do.
  public struct LateTask: Hashable, Sendable {
    /// The task.
    public var task: TaskID
    /// How long its attempt has run.
    public var elapsed: Duration
    /// How long it usually takes.
    public var usual: Duration

    /// Creates the description of a late task.
    public init(task: TaskID, elapsed: Duration, usual: Duration) {
      self.task = task
      self.elapsed = elapsed
      self.usual = usual
    }
  }

  /// Creates a forecast.
  ///
  /// - Parameters:
  ///   - fraction: The part of the run that is done, from 0 to 1.
  ///   - shown: What is said of the time that remains.
  ///   - remaining: The time that remains, nil while nothing is known.
  ///   - late: The task that takes much longer than it usually does.
  public init(
    fraction: Double, shown: RoundedRemaining = .unknown, remaining: RemainingTime? = nil,
    late: LateTask? = nil
  ) {
    self.fraction = fraction
    self.shown = shown
    self.remaining = remaining
    self.late = late
  }
}
