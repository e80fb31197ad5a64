package import HeadwayRun

/// Makes the record of a run from its events: live, and when a journal is read.
///
/// A pure value.
package struct RunRecorder: Hashable, Sendable {
  /// The tasks that have ended, in the order in which they ended.
  package private(set) var records: [TaskRecord] = []
  /// The forecasts of the run.
  package private(set) var forecasts: [ForecastRecord] = []
  /// The usual durations of the tasks in earlier runs, by index.
  private let usual: [Duration?]
  /// What each task is to the run, by index.
  private let roles: [TaskRecord.Role]
  /// How long each service took to become ready.
  private var readyAfter: [TaskID: Duration] = [:]
  /// When the tasks failed that are retried without a delay; such a retry may be waiting for a decision of the user.
  private var failedSince: [TaskID: Duration] = [:]
  /// How long each task has waited for decisions, which does not count as its own time.
  private var undecided: [TaskID: Duration] = [:]

  /// Creates a recorder of a run without tasks.
  package init() { (usual, roles) = ([], []) }

  /// Creates a recorder.
  ///
  /// - Parameter header: The header of the run.
  package init(_ header: RunHeader) {
    usual = header.tasks.map(\.usual)
    roles = header.tasks.map(\.role)
    records.reserveCapacity(header.tasks.count)
  }

  /// Collects the record of an event.
  ///
  /// - Parameters:
  ///   - event: The next event of the run.
  ///   - state: The state of the run before the event.
  package mutating func collect(_ event: RunEvent, before state: RunState) {
    guard state.knows(event.kind) else { return }
    switch event.kind {
    case .taskReady(let task, _, let time): readyAfter[task] = readyAfter[task] ?? time
    case .taskRetrying(let task, _, .zero, _): failedSince[task] = event.time
    case .taskStarted(let task, _): noteDecision(task, at: event.time)
    case .taskEnded(let task, let outcome, let attempts, let ran):
      noteDecision(task, at: event.time)
      let own = ran - (undecided.removeValue(forKey: task) ?? .zero)
      records.append(
        record(of: task, outcome, attempts, own, state.tasks[task.index], event))
    case .forecast(let forecast):
      forecasts.append(
        ForecastRecord(
          at: event.time, fraction: forecast.fraction, remaining: forecast.remaining))
    default: break
    }
  }

  /// Ends the wait of a task for a decision.
  private mutating func noteDecision(_ task: TaskID, at now: Duration) {
    guard let since = failedSince.removeValue(forKey: task) else { return }
    undecided[task, default: .zero] += now - since
  }

  /// Records the tasks that were under way when the run died.
  ///
  /// - Parameters:
  ///   - state: The state of the run after its last event.
  ///   - last: The time of that event.
  ///   - failed: The tasks that waited between two attempts, with the outcome of the last one, which is theirs.
  mutating func loseActiveTasks(
    of state: RunState, at last: Duration, failed: [TaskID: Outcome] = [:]
  ) {
    for task in state.active {
      let known = state.tasks[task.index]
      records.append(
        TaskRecord(
          index: task.index, outcome: failed[task]?.kind ?? .lost, began: known.firstStart,
          ran: last - known.firstStart,
          took: nil, attempts: known.attempts, expected: expected(task), role: role(task)))
      // Nobody knows how long it would have taken.
      records[records.count - 1].took = nil
    }
  }

  /// The record of a task that has ended.
  private mutating func record(
    of task: TaskID, _ outcome: Outcome, _ attempts: Int, _ ran: Duration,
    _ known: RunState.Task, _ event: RunEvent
  ) -> TaskRecord {
    let didRun = known.phase != .waiting
    // A service counts until it is ready: how long it stays is not its own doing.
    let readyAfter = readyAfter.removeValue(forKey: task)
    let isUnderWay = known.phase == .running || known.phase == .overdue
    return TaskRecord(
      index: task.index, outcome: outcome.kind, began: didRun ? known.firstStart : nil,
      ran: readyAfter ?? ran,
      took: readyAfter ?? (isUnderWay ? event.time - known.latestStart : nil),
      attempts: attempts, expected: expected(task), role: role(task),
      host: didRun ? known.host : nil, usage: known.usage(after: event, attempts: attempts))
  }

  /// The usual duration of a task.
  private func expected(_ task: TaskID) -> Duration? {
    usual.indices.contains(task.index) ? usual[task.index] : nil
  }

  /// What a task is to the run.
  private func role(_ task: TaskID) -> TaskRecord.Role {
    roles.indices.contains(task.index) ? roles[task.index] : .task
  }
}
