/// An event of a run: the single source of truth of all renderers, records and tests.
///
/// The events of a run are in order. Each task has any number of `taskStarted`, `taskPlaced`, `taskReady`, `taskOverdue` and
/// `taskRetrying`, and exactly one `taskEnded`. `runEnded` is the last event, and `runStarted` the first one, except for changes before the
/// run began: tasks added or removed, and a pause.
///
/// An event is encoded as one flat object, in the stable format that `headway run --ui json` prints and
/// `docs/events.md` describes. Times below 97 days are decoded to the exact nanosecond.
///
/// ```swift
/// func line(of event: RunEvent) -> String? {
///   switch event.kind {
///   case .taskEnded(let task, let outcome, attempts: _, ran: _): "\(task.name): \(outcome.kind)"
///   case .runEnding(.deadline(let limit)): "the run has taken longer than \(limit)"
///   default: nil
///   }
/// }
/// ```
public struct RunEvent: Hashable, Sendable {
  /// The time since the run began, without pauses.
  public let time: Duration
  /// What happened.
  public let kind: Kind
  /// What the attempt used that the event is the end of, of `taskEnded` and `taskRetrying`; nil if that is unknown, or no
  /// attempt has ended.
  ///
  /// `headway run` knows it of each process; an attempt at a Swift function shares its process with others.
  public var usage: ResourceUsage?

  /// The version of the event format that is written; older versions are read as well.
  package static let formatVersion = 2

  /// Creates an event, for programs that run tasks with their own scheduler and forecast with `RunForecaster`.
  ///
  /// - Parameters:
  ///   - time: The time since the run began, without pauses.
  ///   - kind: What happened.
  ///   - usage: What the attempt used that the event is the end of, nil if that is unknown.
  public init(time: Duration, kind: Kind, usage: ResourceUsage? = nil) {
    self.time = time
    self.kind = kind
    self.usage = usage
  }

  /// The kinds of events.
  public enum Kind: Hashable, Sendable {
    /// The run began.
    case runStarted(tasks: Int, workers: Int)
    /// An attempt at a task began; attempts count from 1.
    case taskStarted(TaskID, attempt: Int)
    /// Another machine carries out the attempt at a task, `host` in the words of the run; emitted by `headway run`, not by a launcher.
    case taskPlaced(TaskID, host: String)
    /// Machines that the run has asked for have not started, or none wait any more; emitted by `headway run`, not by a launcher.
    case workersWaiting(WorkersWaiting)
    /// A service is ready `after` this time since its attempt began; what waits for it may start.
    case taskReady(TaskID, attempt: Int, after: Duration)
    /// An attempt exceeded its time limit and is being ended.
    case taskOverdue(TaskID, attempt: Int, limit: Duration)
    /// An attempt failed with `because`; the next one, whose number is `attempt`, starts after `delay`.
    case taskRetrying(TaskID, attempt: Int, delay: Duration, because: Outcome)
    /// A task was added to the run.
    case taskAdded(TaskID)
    /// A running task extended its deadline to this time from now.
    case taskExtended(TaskID, by: Duration)
    /// A task reported its end more than once; the further report was ignored.
    case taskReportedAgain(TaskID)
    /// A task ended; `ran` is the time since its first attempt began, zero if none did.
    case taskEnded(TaskID, Outcome, attempts: Int, ran: Duration)
    /// The run is ending: no further tasks start except those that always run.
    case runEnding(EndReason)
    /// The run was paused: no task starts and no deadline passes.
    case runPaused
    /// The run continues after a pause.
    case runResumed
    /// The run is held after the failure of a task until it is continued or ended.
    case runHeld(by: TaskID)
    /// The run continues after it was held.
    case runProceeding
    /// All tasks of a queue have ended; more may be added.
    case queueEmptied
    /// A listener fell behind and lost events: their number, and the state of the run after them.
    case missed(Int, RunState)
    /// A new forecast; emitted by `headway run`, not by a launcher.
    case forecast(RunForecast)
    /// The run ended, and every task has an outcome.
    case runEnded
  }

  /// The machines that a run has asked for and that have not started, such as jobs in the queue of a cluster.
  ///
  /// ```swift
  /// func line(for waiting: RunEvent.WorkersWaiting) -> String {
  ///   "\(waiting.count) not started (\(waiting.reason))" + (waiting.advice.map { ": \($0)" } ?? "")
  /// }
  /// ```
  public struct WorkersWaiting: Hashable, Sendable {
    /// Their number, 0 when all have started.
    public let count: Int
    /// Why most of them wait, in the words of the cluster; empty if it does not say.
    public let reason: String
    /// When the cluster expects the first of them to start, since the run began; nil if it does not say.
    public let start: Duration?
    /// Whether they wait for a person, and how to let them start; nil if they start by themselves.
    public let advice: String?
    /// How many more tasks could run at once if all of them had started, 0 if that is unknown.
    public let places: Int

    /// Creates a description.
    package init(
      count: Int, reason: String, start: Duration?, advice: String?, places: Int = 0
    ) {
      self.count = count
      self.reason = reason
      self.start = start
      self.advice = advice
      self.places = places
    }
  }

  /// The reason for which a run ends early.
  public enum EndReason: Hashable, Sendable {
    /// A task that is not optional failed.
    case failure(TaskID)
    /// The run was cancelled; tasks that always run still do.
    case cancelled
    /// The run was cancelled at once, including tasks that always run.
    case cancelledImmediately
    /// The run exceeded its time limit.
    case deadline(Duration)
  }
}

extension RunEvent.Kind {
  /// The task of the event, nil if it is about the run.
  public var task: TaskID? {
    switch self {
    case .taskStarted(let task, _), .taskPlaced(let task, _), .taskReady(let task, _, _),
      .taskOverdue(let task, _, _),
      .taskRetrying(let task, _, _, _),
      .taskEnded(let task, _, _, _), .taskAdded(let task), .taskExtended(let task, _),
      .taskReportedAgain(let task):
      task
    case .runStarted, .runEnding, .runEnded, .runPaused, .runResumed, .runHeld, .runProceeding,
      .queueEmptied, .missed, .forecast, .workersWaiting:
      nil
    }
  }
}
