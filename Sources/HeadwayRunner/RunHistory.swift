internal import HeadwayForecast
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

/// The history of a plan for a run: provides the durations of earlier runs, and stores this one when it has ended.
///
/// A run that dies is stored from its journal by the next command that opens the history. Used only on the thread of the
/// run; problems with the file never stop a run.
final class RunHistory {
  /// The file.
  private let store: HistoryStore
  /// This run, without its tasks' records.
  private var record: RunRecord
  /// The records of the tasks so far.
  private var recorder = RunRecorder()
  /// Warnings about the history that was read.
  private var notices: [String] = []
  /// Whether each task is optional, by index.
  private let optional: [Bool]

  /// Opens the history in a state folder.
  ///
  /// - Parameters:
  ///   - work: The commands of the run.
  ///   - kinds: The kinds of its tasks.
  ///   - workers: The number of tasks that run at once.
  init(_ work: RunWork, kinds: [String], workers: Int) {
    let (state, plan) = (work.state, work.shown)
    store = HistoryStore(path: state.historyPath)
    if let runs = state.runs { RunImport.take(from: runs, into: store, except: state.run) }
    let tasks = plan.tasks.indices.map { index in
      TaskIdentity(
        name: plan.tasks[index].name, kind: kinds[index],
        fingerprint: work.fingerprint(of: index))
    }
    record = RunRecord(
      plan: plan.name, name: state.run, began: currentMilliseconds(), workers: workers,
      machine: MachineIdentity(cores: Machine.cores),
      tasks: tasks, graph: plan.tasks.graph)
    optional = plan.tasks.map(\.isOptional)
  }

  /// Prepares to collect what is known of the run's tasks before it begins.
  ///
  /// - Parameter header: The header of the run.
  func begin(_ header: RunHeader) { recorder = RunRecorder(header) }

  /// This run without its records.
  var run: RunRecord { record }

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
  func collect(_ event: RunEvent, before state: RunState) {
    if case .runStarted = event.kind { record.began = currentMilliseconds() }
    recorder.collect(event, before: state)
  }

  /// Stores the run after its end.
  ///
  /// - Parameter state: The state of the run at its end.
  func finish(_ state: RunState) {
    record.records = recorder.records
    record.forecasts = recorder.forecasts
    record.total = state.total
    record.outcome = state.outcome { optional[$0] }
    store.store(record)
  }
}
