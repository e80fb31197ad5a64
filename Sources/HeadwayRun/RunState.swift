/// The state of a run after its events so far: what a renderer needs, and the result at the end.
///
/// A pure value that folds `RunEvent`s. Not thread safe.
///
/// ```swift
/// let counts: RunState.Counts = state.counts
/// let atWork: [RunState.Task] = state.tasks.filter { $0.phase == .running }
/// show("\(counts[.succeeded]) succeeded, \(counts[.failed]) failed, \(atWork.count) at work")
/// ```
public struct RunState: Hashable, Sendable {
  /// The state of a task.
  public struct Task: Hashable, Sendable {
    /// The phase of the task.
    public package(set) var phase: Phase = .waiting
    /// The number of attempts so far.
    public package(set) var attempts: Int = 0
    /// When the first attempt began, since the run began.
    package var firstStart: Duration = .zero
    /// When the latest attempt began, since the run began.
    public package(set) var latestStart: Duration = .zero
    /// The time from the first attempt to the end, zero until then.
    public package(set) var ran: Duration = .zero
    /// Whether it is a service that is ready.
    public package(set) var isReady = false
    /// Whether it is a service that is ready or was, before it was started again.
    package var wasReady = false
    /// The other machine that carries out its latest attempt, nil for that of the run.
    public package(set) var host: String?
    /// What its latest attempt has used, nil if that runs or it is unknown.
    public package(set) var usage: ResourceUsage?

    /// Creates the state of a task that has not been started.
    package init(
      phase: Phase = .waiting, attempts: Int = 0, firstStart: Duration = .zero,
      latestStart: Duration = .zero, ran: Duration = .zero, isReady: Bool = false,
      host: String? = nil, usage: ResourceUsage? = nil
    ) {
      self.phase = phase
      self.attempts = attempts
      self.firstStart = firstStart
      self.latestStart = latestStart
      self.ran = ran
      self.isReady = isReady
      wasReady = isReady
      self.host = host
      self.usage = usage
    }

    /// What the attempt used with which the task has ended: an earlier attempt is another one.
    package func usage(after event: RunEvent, attempts: Int) -> ResourceUsage? {
      event.usage ?? (attempts == self.attempts ? usage : nil)
    }
  }

  /// The phases of a task.
  public enum Phase: Hashable, Sendable {
    /// No attempt has started.
    case waiting
    /// An attempt is running.
    case running
    /// An attempt has exceeded its time limit and is being ended.
    case overdue
    /// An attempt failed, and the next one starts at the given time since the run began.
    case backingOff(until: Duration)
    /// The task has ended with an outcome.
    case ended(Outcome)
  }

  /// The number of tasks with each outcome.
  public struct Counts: Hashable, Sendable {
    /// The numbers, in the order of `Outcome.Kind.allCases`.
    private var numbers = SIMD8<Int>()

    package init() {}

    /// The number of tasks that ended with an outcome.
    public package(set) subscript(kind: Outcome.Kind) -> Int {
      get { numbers[kind.number] }
      set { numbers[kind.number] = newValue }
    }

    /// The number of tasks that have ended.
    public var ended: Int { Outcome.Kind.allCases.reduce(0) { $0 + self[$1] } }
  }

  /// The states of the tasks, by index.
  public package(set) var tasks: [Task]
  /// The tasks that run or wait for another attempt, in the order in which they began.
  public package(set) var active: [TaskID] = []
  /// The number of tasks with each outcome.
  public package(set) var counts = Counts()
  /// The number of tasks that may run at once.
  public package(set) var workers = 0
  /// Why the run ends early, nil if it does not.
  public package(set) var ending: RunEvent.EndReason?
  /// Whether the run is paused: no further task starts and no deadline passes.
  public package(set) var isPaused = false
  /// The task whose failure holds the run until someone decides, nil if it is not held.
  public package(set) var heldBy: TaskID?
  /// The machines that have not started, nil if none wait.
  public package(set) var waiting: RunEvent.WorkersWaiting?
  /// The duration of the run, nil until it has ended.
  public package(set) var total: Duration?

  /// What the latest attempts at all tasks have used: their times together, and the memory of the largest process; nil if that is
  /// unknown of all.
  ///
  /// - Complexity: O(tasks).
  package var usage: ResourceUsage? {
    tasks.lazy.compactMap(\.usage).reduce(nil) { $0?.followed(by: $1) ?? $1 }
  }

  /// Creates the state of a run that has not begun.
  ///
  /// - Parameter taskCount: The number of tasks in the graph; 0 for an empty queue.
  public init(taskCount: Int) {
    tasks = Array(repeating: Task(), count: taskCount)
  }

  /// Applies an event.
  ///
  /// Events about a task that has ended, or that the run does not have, are ignored. The run has the tasks that
  /// `taskCount` counts and those that were added since. A listener that starts late begins with the complete state,
  /// see `Launcher.events(keeping:beginningWithState:)`.
  ///
  /// - Parameter event: The next event of the run.
  /// - Complexity: O(1); O(active tasks) for the end of a task.
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
      tasks[id.index].usage = nil
    case .taskReady(let id, _, _):
      tasks[id.index].isReady = true
      tasks[id.index].wasReady = true
    case .taskOverdue(let id, _, _):
      tasks[id.index].phase = .overdue
    case .taskRetrying(let id, let attempt, let delay, _):
      // An attempt that could not be started has no event for its start.
      if tasks[id.index].phase == .waiting {
        tasks[id.index].firstStart = event.time
        active.append(id)
      }
      tasks[id.index].attempts = attempt - 1
      tasks[id.index].usage = event.usage
      tasks[id.index].isReady = false
      tasks[id.index].phase = .backingOff(until: event.time + delay)
    case .taskEnded(let id, let outcome, let attempts, let ran):
      tasks[id.index].phase = .ended(outcome)
      tasks[id.index].usage = tasks[id.index].usage(after: event, attempts: attempts)
      tasks[id.index].attempts = attempts
      tasks[id.index].ran = ran
      tasks[id.index].isReady = false
      if let index = active.firstIndex(of: id) { active.remove(at: index) }
      counts[outcome.kind] += 1
    case .taskAdded: tasks.append(Task())
    case .taskPlaced(let id, let host): tasks[id.index].host = host
    case .workersWaiting(let workers): waiting = workers.count > 0 ? workers : nil
    case .taskExtended, .taskReportedAgain: break
    case .runPaused: isPaused = true
    case .runResumed: isPaused = false
    case .runHeld(let id): heldBy = id
    case .runProceeding: heldBy = nil
    case .runEnding(let reason):
      ending = reason
      waiting = nil
      heldBy = nil
    case .queueEmptied, .forecast: break
    case .missed(_, let state): self = state
    case .runEnded:
      total = event.time
    }
  }

  /// Gives the tasks that are under way the outcome `lost`, because the run has died.
  ///
  /// - Parameters:
  ///   - last: The time of the last event that is known.
  ///   - failed: The tasks that waited between two attempts, with the outcome of the last one, which is theirs.
  /// - Complexity: O(active tasks).
  package mutating func loseActiveTasks(
    at last: Duration, failed: [TaskID: Outcome] = [:]
  ) {
    for id in active {
      let outcome = failed[id] ?? .lost
      tasks[id.index].ran = last - tasks[id.index].firstStart
      tasks[id.index].phase = .ended(outcome)
      tasks[id.index].isReady = false
      counts[outcome.kind] += 1
    }
    active = []
  }

  /// Whether an event is about the run, or about a task of it that has not ended.
  package func knows(_ kind: RunEvent.Kind) -> Bool {
    // Tasks are added one after the other.
    if case .taskAdded(let id) = kind { return id.index == tasks.count }
    guard let task = kind.task else { return true }
    return tasks.indices.contains(task.index) && outcome(of: task) == nil
  }

  /// The outcome of the run or, before its end, the outcome if it ended now.
  ///
  /// - Parameter isOptional: Whether the run may succeed without the task with an index.
  /// - Returns: `cancelled` if the run was cancelled or exceeded its deadline; otherwise `failed` or, if tasks only timed
  ///   out, `timedOut` if a required task did so; otherwise `lost` if the end of one is unknown, `cancelled` if one was, and else `succeeded`.
  /// - Complexity: O(tasks).
  package func outcome(isOptional: (Int) -> Bool) -> Outcome.Kind {
    switch ending {
    case .cancelled, .cancelledImmediately, .deadline: return .cancelled
    case .failure, nil: return worstOutcome(isOptional: isOptional)
    }
  }

  /// The worst outcome of the required tasks that have ended: `failed`, `timedOut`, `lost`, `cancelled` or `succeeded`.
  ///
  /// - Parameter isOptional: Whether the run may succeed without the task with an index.
  /// - Returns: That outcome.
  /// - Complexity: O(tasks).
  package func worstOutcome(isOptional: (Int) -> Bool) -> Outcome.Kind {
    var worst = Outcome.Kind.succeeded
    for index in tasks.indices where !isOptional(index) {
      switch outcome(of: TaskID(index))?.kind {
      case .failed: return .failed
      case .timedOut: worst = .timedOut
      case .lost: worst = worst == .timedOut ? worst : .lost
      case .cancelled: worst = worst == .succeeded ? .cancelled : worst
      case .succeeded, .upToDate, .doneEarlier, .skipped, nil: break
      }
    }
    return worst
  }

  /// The outcome of a task, nil if it has none or is not in the run.
  public func outcome(of id: TaskID) -> Outcome? {
    guard tasks.indices.contains(id.index), case .ended(let outcome) = tasks[id.index].phase else {
      return nil
    }
    return outcome
  }
}
