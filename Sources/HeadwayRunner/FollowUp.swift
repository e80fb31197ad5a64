internal import HeadwayPlan
internal import HeadwayRun

/// How the tasks ended that a task comes after, for the variables of `always`, `on_failure` and `on_end`.
struct FollowUp {
  /// The longest list of failed tasks in bytes; the system limits the length of a variable.
  private static let listBytes = 65_536

  /// The names of the variables.
  enum Variable {
    static let outcome = "HEADWAY_OUTCOME"
    static let failed = "HEADWAY_FAILED"
    static let log = "HEADWAY_LOG"

    static let all: Set = [outcome, failed, log]
  }

  /// The outcome of all of them together: that of the first failure, otherwise whether any was cancelled.
  private(set) var outcome = Outcome.Kind.succeeded
  /// The required tasks that failed or timed out, in the order of the plan.
  private(set) var failed: [TaskID] = []

  /// Looks at all tasks that a task comes after, directly or through others.
  ///
  /// - Parameters:
  ///   - task: The index of the task.
  ///   - plan: The plan.
  ///   - outcomeOf: The outcome of each task.
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* dependencies.
  init(of task: Int, in plan: Plan, outcomeOf: (TaskID) -> Outcome?) {
    var isSeen = [Bool](repeating: false, count: plan.tasks.count)
    var open = plan.tasks[task].after
    while let next = open.popLast() {
      guard !isSeen[next] else { continue }
      isSeen[next] = true
      open += plan.tasks[next].after.lazy.filter { !isSeen[$0] }
    }
    for index in plan.tasks.indices where isSeen[index] {
      add(TaskID(index), outcomeOf(TaskID(index)), isOptional: plan.tasks[index].isOptional)
    }
  }

  /// Takes one outcome into account.
  private mutating func add(_ task: TaskID, _ ended: Outcome?, isOptional: Bool) {
    guard let ended else { return }
    switch ended {
    case .failed, .timedOut:
      guard !isOptional else { return }
      if failed.isEmpty { outcome = ended.kind }
      failed.append(task)
    case .lost:
      if failed.isEmpty, !isOptional { outcome = .lost }
    case .cancelled, .skipped(.stopped):
      if failed.isEmpty { outcome = .cancelled }
    case .succeeded, .skipped(.upToDate), .skipped(.doneEarlier), .skipped(.condition),
      .skipped(.removed),
      .skipped(.needs):
      break
    }
  }

  /// The variables.
  func variables(_ work: RunWork) -> [(name: String, value: String)] {
    var names = ""
    for task in failed {
      let name = work.plan.tasks[task.index].name
      guard names.utf8.count + name.utf8.count < Self.listBytes else { break }
      names += (names.isEmpty ? "" : "\n") + name
    }
    return [
      (Variable.outcome, outcome.rawValue), (Variable.failed, names),
      (Variable.log, failed.first.flatMap(work.logPath) ?? ""),
    ]
  }
}
