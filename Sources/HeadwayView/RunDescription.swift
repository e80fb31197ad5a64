package import HeadwayRun
package import HeadwaySystem
internal import HeadwayText

/// What the display of a run needs besides its events: names, limits, earlier durations and logs.
package struct RunDescription: Sendable {
  /// The name of the run.
  package var name: String
  /// The names of the tasks, by index.
  package var names: [String]
  /// The time-outs of the tasks, by index; empty if there are none.
  package var timeouts: [Duration?]
  /// Whether the run may succeed without a task, by index; empty if no task is optional.
  package var optional: [Bool]
  /// The usual durations of the tasks in earlier runs, by index; empty if there are none.
  package var usual: [Duration?]
  /// The logs of the tasks, nil if there are none, as in a program of its own.
  package var logs: (any TaskLogs)?
  /// The tasks that run after a failure only; nobody misses one that was not needed.
  package var failureHooks: Set<TaskID> = []
  /// The indices of the tasks that each one comes after, by index; empty if that is not shown.
  package var after: [[Int]] = []
  /// What tasks wait for that could start otherwise.
  package var limits = StartLimits()
  /// The name by which commands find the run, and with which people decide on failures; nil in a program of its own.
  package var run: String?
  /// Whether Ctrl-C in the terminal that shows the run ends it, and a second one does so at once.
  package var interruptEndsRun = false
  /// The tasks that are services.
  package var services: Set<TaskID> = []
  /// The tasks that may use services, empty without services.
  package var serviceUsers: Set<TaskID> = []
  /// Whether services stay until the run is ended, because no task needs them.
  package var servicesStay = false
  /// Notices when a log grows; nil if nothing does, so that the logs are read at intervals.
  package var logWatch: FolderWatch?
  /// The name of the earlier run that this one goes on with, nil for none.
  package var resumes: String?
  /// How the output of tasks is shown.
  package var output = OutputOptions()

  /// Creates the description of a run.
  package init(
    name: String, names: [String], timeouts: [Duration?] = [], optional: [Bool] = [],
    usual: [Duration?] = [], logs: (any TaskLogs)? = nil
  ) {
    self.name = name
    self.names = names
    self.timeouts = timeouts
    self.optional = optional
    self.usual = usual
    self.logs = logs
  }

  /// The name of a task.
  func name(of task: TaskID) -> String {
    if !task.name.isEmpty { return task.name }
    return names.indices.contains(task.index) ? names[task.index] : "task \(task.index)"
  }

  /// The time-out of a task, nil if it has none.
  func timeout(of task: TaskID) -> Duration? {
    timeouts.indices.contains(task.index) ? timeouts[task.index] : nil
  }

  /// The tasks that a task comes after.
  func dependencies(of task: TaskID) -> [TaskID] {
    after.indices.contains(task.index) ? after[task.index].map { TaskID($0) } : []
  }

  /// The end of a task's log, at most a number of bytes; empty if there is none.
  func tail(_ task: TaskID, _ most: Int) -> [UInt8] { logs?.tail(task, most: most) ?? [] }

  /// A part of a task's log from an offset, at most a number of bytes.
  func log(_ task: TaskID, _ offset: Int, _ most: Int) -> [UInt8] {
    logs?.bytes(of: task, from: offset, most: most) ?? []
  }

  /// The number of bytes of a task's log, 0 if there is none.
  func logSize(_ task: TaskID) -> Int { logs?.size(of: task) ?? 0 }

  /// The path of a task's log, as a person would type it; nil if the task has written nothing.
  package func logPath(_ task: TaskID) -> String? { logs?.shownPath(task) }

  /// The path of a task's log, the short one if the other is too long for a number of columns.
  func logPath(_ task: TaskID, fitting columns: Int?) -> String? {
    guard let path = logPath(task) else { return nil }
    guard let columns, TextWidth.columns(of: path) > columns else { return path }
    return logs?.shortPath(task) ?? path
  }

  /// Whether a task had nothing to do, because it runs after a failure only and nothing has failed.
  func isUnneeded(_ task: TaskID, _ outcome: Outcome?) -> Bool {
    outcome == .skipped(.condition) && failureHooks.contains(task)
  }

  /// Whether the run may succeed without a task.
  func isOptional(_ task: TaskID) -> Bool {
    optional.indices.contains(task.index) && optional[task.index]
  }

  /// The usual duration of a task, nil if unknown.
  func usual(_ task: TaskID) -> Duration? {
    usual.indices.contains(task.index) ? usual[task.index] : nil
  }
}
