/// Something that happened in a run: the single source of truth of every surface, record and test.
///
/// The events of a run come in order, each task's as `taskStarted`, `taskOverdue` or `taskRetrying` any number
/// of times and `taskEnded` exactly once. `runEnded` is the last of all, and `runStarted` the first, but for what was done
/// to a run before it began: tasks added or removed, a pause.
///
/// An event is encoded as one flat object, in the stable format that `headway run --ui json` prints and
/// `docs/events.md` describes. Times come back to the nanosecond below 97 days.
public struct RunEvent: Hashable, Sendable {
  /// When it happened, since the run began; the time stands still while the run is paused.
  public let time: Duration
  /// What happened.
  public let kind: Kind

  /// The version of the event format that is written; older versions are read as well.
  public static let formatVersion = 2

  /// Creates an event.
  public init(time: Duration, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// What can happen in a run.
  public enum Kind: Hashable, Sendable {
    /// The run began.
    case runStarted(tasks: Int, workers: Int)
    /// An attempt at a task began; attempts count from 1.
    case taskStarted(TaskID, attempt: Int)
    /// An attempt ran longer than allowed and is being ended.
    case taskOverdue(TaskID, attempt: Int, limit: Duration)
    /// An attempt went wrong as told and another one follows after the delay.
    case taskRetrying(TaskID, attempt: Int, delay: Duration, because: Outcome)
    /// A task was added to the run.
    case taskAdded(TaskID)
    /// A running task asked for more time: from now on as much as is told.
    case taskExtended(TaskID, by: Duration)
    /// A task reported its end a second time, which changed nothing.
    case taskReportedAgain(TaskID)
    /// A task is over; `ran` is the time since its first attempt began, zero if none did.
    case taskEnded(TaskID, Outcome, attempts: Int, ran: Duration)
    /// No further task is started, but for those that always run.
    case runEnding(EndReason)
    /// No further task is started until the run goes on, and deadlines stand still.
    case runPaused
    /// The run goes on after a pause.
    case runResumed
    /// A task failed, and no further one is started until somebody decides.
    case runHeld(by: TaskID)
    /// The run goes on after a failure at which it was held.
    case runProceeding
    /// Every task has an outcome, and more may be added.
    case queueEmptied
    /// A listener fell behind and lost events; the state of the run after them.
    case missed(Int, RunState)
    /// What is to be expected of the run by now; told by who forecasts, such as `headway run`, and not by a launcher.
    case forecast(RunForecast)
    /// The run is over and every task has an outcome.
    case runEnded
  }

  /// Why a run ends before its last task.
  public enum EndReason: Hashable, Sendable {
    /// A task failed that the run needs.
    case failure(TaskID)
    /// Somebody asked for the end; tasks that always run still do.
    case cancelled
    /// Somebody asked for the end at once.
    case cancelledImmediately
    /// The whole run took longer than allowed.
    case deadline(Duration)
  }
}

extension RunEvent.Kind {
  /// The task that the event is about, nil when it is about the run.
  public var task: TaskID? {
    switch self {
    case .taskStarted(let task, _), .taskOverdue(let task, _, _), .taskRetrying(let task, _, _, _),
      .taskEnded(let task, _, _, _), .taskAdded(let task), .taskExtended(let task, _),
      .taskReportedAgain(let task):
      task
    case .runStarted, .runEnding, .runEnded, .runPaused, .runResumed, .runHeld, .runProceeding,
      .queueEmptied, .missed, .forecast:
      nil
    }
  }
}
