/// The state of a run as its events tell it: what a surface needs to draw, and the result at the end.
///
/// A pure value that folds `RunEvent`s. Not thread safe; each listener keeps its own.
public struct RunState: Hashable, Sendable {
  /// What is known of one task.
  public struct Task: Hashable, Sendable {
    /// Where the task stands.
    public package(set) var phase: Phase = .waiting
    /// The attempts begun so far.
    public package(set) var attempts: Int = 0
    /// When the first attempt began, since the run began.
    package var firstStart: Duration = .zero
    /// When the latest attempt began, since the run began.
    public package(set) var latestStart: Duration = .zero
    /// The time from the first attempt to the end, zero until then.
    public package(set) var ran: Duration = .zero

    /// Creates the state of a task that has not been started.
    package init(
      phase: Phase = .waiting, attempts: Int = 0, firstStart: Duration = .zero,
      latestStart: Duration = .zero, ran: Duration = .zero
    ) {
      self.phase = phase
      self.attempts = attempts
      self.firstStart = firstStart
      self.latestStart = latestStart
      self.ran = ran
    }
  }

  /// Where a task stands.
  public enum Phase: Hashable, Sendable {
    /// It has not been started.
    case waiting
    /// An attempt is under way.
    case running
    /// An attempt ran out of time and is being ended.
    case overdue
    /// An attempt went wrong and the next one starts at the given time since the run began.
    case backingOff(until: Duration)
    /// It is over.
    case ended(Outcome)
  }

  /// How many tasks ended with each outcome.
  public struct Counts: Hashable, Sendable {
    /// The numbers, in the order of `Outcome.Kind.allCases`.
    private var numbers = SIMD8<Int>()

    package init() {}

    /// The number of tasks that ended with an outcome.
    public package(set) subscript(kind: Outcome.Kind) -> Int {
      get { numbers[kind.index] }
      set { numbers[kind.index] = newValue }
    }

    /// The number of tasks that have ended.
    public var ended: Int { Outcome.Kind.allCases.reduce(0) { $0 + self[$1] } }
  }

  /// The tasks, by place in the graph.
  public package(set) var tasks: [Task]
  /// The tasks with an attempt under way or to come, in the order in which they began.
  public package(set) var active: [TaskID] = []
  /// How many tasks ended in which way.
  public package(set) var counts = Counts()
  /// The number of tasks that may run at once.
  public package(set) var workers = 0
  /// Why the run ends early, nil while it does not.
  public package(set) var ending: RunEvent.EndReason?
  /// Whether no further task is started and deadlines stand still.
  public package(set) var isPaused = false
  /// The task whose failure holds the run until somebody decides, nil while none does.
  public package(set) var heldBy: TaskID?
  /// How long the run took, nil until it has ended.
  public package(set) var total: Duration?

  /// Creates the state of a run that has not begun.
  ///
  /// - Parameter taskCount: The number of tasks of the graph; 0 for a queue to which nothing was added yet.
  public init(taskCount: Int) {
    tasks = Array(repeating: Task(), count: taskCount)
  }

  /// Takes an event in.
  ///
  /// What is told of a task that is over, or that the run does not have, is not counted: it has those that `taskCount`
  /// counts, and those that were added since. Who begins to listen late begins with a state that has all of them, see
  /// `Launcher.events(keeping:beginningWithState:)`.
  ///
  /// - Parameter event: The next event of the run.
  /// - Complexity: O(1), O(active tasks) for the end of a task.
  public mutating func apply(_ event: RunEvent) {
    guard knows(event.kind) else { return }
    switch event.kind {
    case .runStarted(_, let workers):
      self.workers = workers
    case .taskStarted(let id, let attempt):
      if tasks[id.index].phase == .waiting { active.append(id) }
      if attempt == 1 { tasks[id.index].firstStart = event.time }
      tasks[id.index].attempts = attempt
      tasks[id.index].latestStart = event.time
      tasks[id.index].phase = .running
    case .taskOverdue(let id, _, _):
      tasks[id.index].phase = .overdue
    case .taskRetrying(let id, let attempt, let delay, _):
      // An attempt that could not even start was never told as started.
      if tasks[id.index].phase == .waiting {
        tasks[id.index].firstStart = event.time
        active.append(id)
      }
      tasks[id.index].attempts = attempt - 1
      tasks[id.index].phase = .backingOff(until: event.time + delay)
    case .taskEnded(let id, let outcome, let attempts, let ran):
      tasks[id.index].phase = .ended(outcome)
      tasks[id.index].attempts = attempts
      tasks[id.index].ran = ran
      if let place = active.firstIndex(of: id) { active.remove(at: place) }
      counts[outcome.kind] += 1
    case .taskAdded: tasks.append(Task())
    case .taskExtended, .taskReportedAgain: break
    case .runPaused: isPaused = true
    case .runResumed: isPaused = false
    case .runHeld(let id): heldBy = id
    case .runProceeding: heldBy = nil
    case .runEnding(let reason):
      ending = reason
      heldBy = nil
    case .queueEmptied, .forecast: break
    case .missed(_, let state): self = state
    case .runEnded:
      total = event.time
    }
  }

  /// Whether an event is about the run, or about a task of it that is not over.
  package func knows(_ kind: RunEvent.Kind) -> Bool {
    // Tasks are added one after the other.
    if case .taskAdded(let id) = kind { return id.index == tasks.count }
    guard let task = kind.task else { return true }
    return tasks.indices.contains(task.index) && outcome(of: task) == nil
  }

  /// How the run ended or, before its end, how it would end now.
  ///
  /// - Parameter isOptional: Whether the run may succeed without the task of an index.
  /// - Returns: `cancelled` if the run was cancelled or exceeded its deadline; otherwise `failed` or, if tasks only timed
  ///   out, `timedOut` if a required task did so; otherwise `succeeded`.
  /// - Complexity: O(tasks).
  package func outcome(isOptional: (Int) -> Bool) -> Outcome.Kind {
    switch ending {
    case .cancelled, .cancelledImmediately, .deadline: return .cancelled
    case .failure, nil: return worstOutcome(isOptional: isOptional)
    }
  }

  /// The worst outcome of the required tasks that have ended: `failed`, `timedOut` or `succeeded`.
  ///
  /// - Parameter isOptional: Whether the run may succeed without the task of an index.
  /// - Returns: That outcome.
  /// - Complexity: O(tasks).
  package func worstOutcome(isOptional: (Int) -> Bool) -> Outcome.Kind {
    var worst = Outcome.Kind.succeeded
    for index in tasks.indices where !isOptional(index) {
      switch outcome(of: TaskID(index))?.kind {
      case .failed: return .failed
      case .timedOut: worst = .timedOut
      case .succeeded, .upToDate, .cancelled, .skipped, nil: break
      }
    }
    return worst
  }

  /// The outcome of a task, nil while it has none and for one that the run does not have.
  public func outcome(of id: TaskID) -> Outcome? {
    guard tasks.indices.contains(id.index), case .ended(let outcome) = tasks[id.index].phase else {
      return nil
    }
    return outcome
  }
}
