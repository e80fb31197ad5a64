internal import HeadwayLaunch
package import HeadwayPlan
internal import HeadwayRun

/// The tasks that a run would start, without starting them.
package struct DryRun {
  /// A task that would be started.
  package struct Step: Sendable {
    /// The name of the task.
    package let name: String
    /// The command as the user would type it; empty for a task that only groups others.
    package let command: String
    /// Whether the task is up to date with the present files.
    package let isUpToDate: Bool
  }

  /// The tasks in the order in which one worker would start them.
  package let steps: [Step]

  /// Simulates a run.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - folder: The directory of the plan.
  ///   - stateFolder: The state folder, nil for `.headway` beside the plan.
  /// - Throws: `RunnerError` if the plan's directory cannot be entered, or the state folder cannot be used.
  package init(plan: Plan, folder: String, stateFolder: String?) throws(RunnerError) {
    let statePath = absolutePath(stateFolder ?? "\(folder)/.headway")
    try enterFolder(folder)
    let work = RunWork(
      plan: plan, state: try StateFolder(existing: statePath, plan: plan.name),
      environment: EnvironmentBlock())
    steps = Self.order(of: plan).map { id in
      let isUpToDate = work.subject(of: id).map { subject in
        ContentsRecord.state(of: subject).map { ContentsRecord.isUpToDate($0, subject) } ?? false
      }
      let task = plan.tasks[id.index]
      return Step(
        name: task.name, command: Self.words(task.command), isUpToDate: isUpToDate ?? false)
    }
  }

  /// The order in which the engine starts tasks if each succeeds at once.
  private static func order(of plan: Plan) -> [TaskID] {
    var core = PlanRunner.core(of: PlanRunner.graph(of: plan), workers: 1, policy: .stop)
    var order: [TaskID] = []
    core.begin(at: .zero)
    while let command = core.nextCommand() {
      guard case .start(let id, _) = command else { continue }
      order.append(id)
      core.attemptEnded(id, result: .succeeded, at: .zero)
    }
    return order
  }

  /// A command as the user would type it.
  private static func words(_ command: Plan.Command?) -> String {
    switch command {
    case .shell(let text): text
    case .program(let words): words.map(quoted).joined(separator: " ")
    case nil: ""
    }
  }

  /// A word, quoted for a shell if necessary.
  private static func quoted(_ word: String) -> String {
    if PlainCommand.split("x \(word)")?.count == 2 { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
