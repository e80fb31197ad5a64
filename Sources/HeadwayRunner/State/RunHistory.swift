internal import Glibc
internal import HeadwayForecast
internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayStore

/// The history of a plan during a run: provides the durations of earlier runs, and stores this one.
///
/// Records are stored before anyone receives their events, so no task is lost whose end was announced. The run itself is
/// stored with the first of them, when its first task has started; a run that is killed before leaves no record. Used only
/// on the thread of the run; problems with the file never stop a run.
final class RunHistory {
  /// The file.
  private let store: HistoryStore
  /// This run, without its tasks' records.
  private var record: RunRecord
  /// The usual durations of the tasks in earlier runs, by index; set before the run.
  var expected: [Duration?] = []
  /// Warnings about the history that was read.
  private var notices: [String] = []
  /// Whether each task is optional, by index.
  private let optional: [Bool]
  /// What each task is to the run, by index.
  private let roles: [TaskRecord.Role]
  /// Whether the store knows of the run.
  private var hasBegun = false
  /// The records that are not written yet.
  private var records: [TaskRecord] = []
  /// The forecasts that are not written yet.
  private var forecasts: [ForecastRecord] = []

  /// Opens the history in a state folder.
  ///
  /// - Parameters:
  ///   - state: The state folder.
  ///   - plan: The plan.
  ///   - kinds: The kinds of its tasks.
  ///   - workers: The number of tasks that run at once.
  init(_ state: StateFolder, plan: Plan, kinds: [String], workers: Int) {
    store = HistoryStore(path: state.historyPath)
    let tasks = plan.tasks.indices.map { index in
      TaskIdentity(
        name: plan.tasks[index].name, kind: kinds[index],
        fingerprint: Self.fingerprint(of: plan.tasks[index].command))
    }
    record = RunRecord(
      plan: plan.name, name: state.run, began: 0, workers: workers,
      machine: MachineIdentity(cores: Machine.cores),
      tasks: tasks, graph: plan.tasks.graph)
    optional = plan.tasks.map(\.isOptional)
    roles = plan.tasks.map { task in
      if task.service != nil { return .service }
      return task.hook == .onFailure ? .failureHook : .task
    }
  }

  /// A hash of a command.
  private static func fingerprint(of command: Plan.Command?) -> UInt64 {
    let words: [String] =
      switch command {
      case .shell(let text): [text]
      case .program(let words): words
      case nil: []
      }
    return TaskIdentity.fingerprint(of: words)
  }

  /// Warnings for the user, each a line.
  var warnings: [String] { notices + store.warnings }

  /// Reads the durations of earlier runs.
  ///
  /// - Returns: The history.
  /// - Complexity: That of ``HistoryStore/past(of:tasks:on:)``.
  func read() -> DurationHistory {
    let past = store.past(of: record.plan, tasks: record.tasks, on: record.machine)
    notices = past.notices
    return past.history
  }

  /// Collects the record of an event.
  ///
  /// - Parameters:
  ///   - event: The next event of the run.
  ///   - state: The state of the run before the event.
  ///   - readyAfter: How long the services that got ready took for that.
  func collect(
    _ event: RunEvent, before state: RunState, _ readyAfter: [TaskID: Duration] = [:]
  ) {
    switch event.kind {
    case .runStarted:
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      record.began = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    case .taskEnded(let task, let outcome, let attempts, let ran):
      records.append(
        record(
          of: task, outcome, attempts, ran, state.tasks[task.index], readyAfter[task],
          at: event.time))
    case .forecast(let forecast):
      forecasts.append(
        ForecastRecord(
          at: event.time, fraction: forecast.fraction, remaining: forecast.remaining))
    default: break
    }
  }

  /// Stores the collected records before listeners receive their events; the first call begins the run in the store.
  ///
  /// - Parameter state: The state of the run after the events.
  func write(_ state: RunState) {
    if !hasBegun {
      hasBegun = true
      store.begin(record)
    }
    for forecast in forecasts { store.append(forecast) }
    forecasts.removeAll(keepingCapacity: true)
    if !records.isEmpty {
      store.append(records)
      records.removeAll(keepingCapacity: true)
    }
    if let total = state.total { store.end(total: total, outcome: state.outcome { optional[$0] }) }
  }

  /// The record of a task that has ended.
  private func record(
    of task: TaskID, _ outcome: Outcome, _ attempts: Int, _ ran: Duration,
    _ known: RunState.Task, _ readyAfter: Duration?, at now: Duration
  ) -> TaskRecord {
    let didRun = known.phase != .waiting
    // A service counts until it is ready: how long it stays is not its own doing.
    let isUnderWay = known.phase == .running || known.phase == .overdue
    return TaskRecord(
      index: task.index, outcome: outcome.kind, began: didRun ? known.firstStart : nil,
      ran: readyAfter ?? ran,
      took: readyAfter ?? (isUnderWay ? now - known.latestStart : nil), attempts: attempts,
      expected: expected.indices.contains(task.index) ? expected[task.index] : nil,
      role: roles[task.index])
  }
}
