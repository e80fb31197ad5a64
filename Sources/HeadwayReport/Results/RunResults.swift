package import HeadwayRun

/// The results of a run that has just ended, for the files that programs and CI services read.
package struct RunResults: Sendable {
  /// The name of the plan.
  package let name: String
  /// The names of the tasks, by index.
  package let tasks: [String]
  /// The run after its end.
  package let state: RunState
  /// When it began, in milliseconds since 1970.
  package let began: Int64
  /// The duration that was predicted when it began; nil if there was no prediction.
  package let predicted: Duration?
  /// The tasks without which the run may succeed.
  package var optional: Set<TaskID> = []
  /// The tasks that are services.
  package var services: Set<TaskID> = []
  /// The tasks that run after a failure only.
  package var failureHooks: Set<TaskID> = []
  /// How long the services that got ready took for that.
  package var readyAfter: [TaskID: Duration] = [:]
  /// The commands of the tasks in words, by index; empty if they are unknown.
  private let commands: [String]
  /// The logs of the tasks.
  private let logs: any TaskLogs

  /// Creates the results of a run whose tasks are all required.
  package init(
    name: String, tasks: [String], commands: [String] = [], state: RunState, began: Int64,
    predicted: Duration? = nil, logs: any TaskLogs
  ) {
    self.name = name
    self.tasks = tasks
    self.commands = commands
    self.state = state
    self.began = began
    self.predicted = predicted
    self.logs = logs
  }

  /// Whether the run may succeed without a task.
  func isOptional(_ task: TaskID) -> Bool { optional.contains(task) }

  /// Whether a task is a service.
  func isService(_ task: TaskID) -> Bool { services.contains(task) }

  /// The facts about a failed task, with or without the end of its output.
  func failure(_ task: TaskID, withOutput: Bool) -> TaskFailure {
    TaskFailure(
      outcome: state.outcome(of: task),
      command: commands.indices.contains(task.index) ? commands[task.index] : "",
      end: withOutput ? logs.tail(task, most: FailureLimits.bytes) : [],
      log: logs.shownPath(task))
  }

  /// The tasks of the run, without one that was not needed because nothing had failed.
  var ids: [TaskID] { tasks.indices.map { TaskID($0) }.filter { !isUnneeded($0) } }

  /// Whether a task runs after a failure only, and nothing had failed.
  private func isUnneeded(_ task: TaskID) -> Bool {
    failureHooks.contains(task) && state.outcome(of: task) == .skipped(.condition)
  }

  /// The number of tasks with an outcome, without one that was not needed.
  func count(_ kind: Outcome.Kind) -> Int {
    state.counts[kind] - (kind == .skipped ? tasks.count - ids.count : 0)
  }

  /// How long a task took; a service counts until it was ready, as how long it stays is not its own doing.
  func duration(of task: TaskID) -> Duration { readyAfter[task] ?? state.tasks[task.index].ran }

  /// The outcome of a task; one without an outcome counts as cancelled.
  func outcome(of task: TaskID) -> Outcome { state.outcome(of: task) ?? .cancelled }

  /// The tasks that failed or timed out, the required ones first.
  var failures: [TaskID] {
    let failed = ids.filter { outcome(of: $0).isFailure }
    return failed.filter { !isOptional($0) } + failed.filter { isOptional($0) }
  }

  /// Why a task was not run, in words.
  func reason(_ outcome: Outcome) -> String {
    switch outcome {
    case .skipped(.needs(let task)): "needs \(name(of: task)), which did not succeed"
    case .skipped(.stopped(let task)): "the run stopped when \(name(of: task)) failed"
    case .skipped(.removed): "removed"
    case .skipped(.condition): "its condition is false"
    case .lost: "its run died, so its end is unknown"
    default: outcome.kind.words
    }
  }

  /// The name of a task.
  func name(of task: TaskID) -> String {
    tasks.indices.contains(task.index) ? tasks[task.index] : "task \(task.index)"
  }
}

/// Reads the output of failures until a file has enough of it.
struct OutputBudget {
  private var left = FailureLimits.totalBytes

  /// Creates a budget.
  init(_ bytes: Int = FailureLimits.totalBytes) { left = bytes }

  /// The facts about a failure, with the end of its output if there is room.
  mutating func failure(_ task: TaskID, of results: RunResults) -> TaskFailure {
    let failure = results.failure(task, withOutput: left > 0)
    left -= failure.output.reduce(0) { $0 + $1.utf8.count + 1 } + failure.command.utf8.count
    return failure
  }
}
