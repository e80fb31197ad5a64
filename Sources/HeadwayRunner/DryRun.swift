internal import HeadwayFiles
internal import HeadwayLaunch
package import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// The tasks that a run would start, without starting them.
package struct DryRun {
  /// A task that would be started.
  package struct Step: Sendable {
    /// The name of the task.
    package let name: String
    /// The command as the user would type it; empty for a task that only groups others.
    package let command: String
    /// What decides whether it runs, as in `when git diff --quiet`; nil if it has no condition.
    package let condition: String?
    /// How it would end without running, in words; nil if it would run.
    package let end: String?
    /// Why it would run, in words; nil if it would not.
    package let reason: String?

    static let upToDate = "up to date"
    /// The patterns of inputs that match no file now, although no task that would run before could create one.
    package let unmatchedInputs: [String]
  }

  /// The tasks in the order in which one worker would start them.
  package let steps: [Step]
  /// What a run that goes on with an earlier one would say before it begins, a line each.
  package let lines: [String]

  /// Simulates a run.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - folder: The directory of the plan.
  ///   - options: The options of the run.
  /// - Throws: `RunnerError` if the plan's directory cannot be entered, or the state folder cannot be used.
  package init(plan: Plan, folder: String, options: RunOptions) throws(RunnerError) {
    let statePath = absolutePath(options.stateFolder ?? StateFolder.path(in: folder))
    try enterFolder(folder)
    let environment = EnvironmentBlock()
    environment.set("PWD", currentFolder())
    environment.add(plan)
    let state = try RunnerError.using { () throws(StateError) in
      try StateFolder(existing: statePath, plan: plan.name)
    }
    let work = RunWork(
      plan: plan, state: state, environment: environment, isForced: options.isForced,
      secrets: try Secrets.read(of: plan, in: environment, state, isDry: true))
    var resumption = options.earlier.map {
      Resumption(work.header(RunRecord(of: plan), usual: [], options), plan, $0)
    }
    lines = options.earlier.flatMap { earlier in resumption?.lines(earlier.words) } ?? []
    // Whether each task, or one that it comes after, runs a command, which may create files.
    var mayCreateFiles = [Bool](repeating: false, count: plan.tasks.count)
    steps = Self.order(of: plan).map { id in
      let end = resumption?.endWithoutRunning(id)
      let reason = end == nil ? Self.reason(id, work, resumption) : nil
      let runs = end == nil && reason != nil
      if runs { resumption?.began(id) } else { resumption?.wasUpToDate(id) }
      let task = plan.tasks[id.index]
      let isAfterCreation = task.after.contains { mayCreateFiles[$0] }
      mayCreateFiles[id.index] = isAfterCreation || (task.command != nil && runs)
      return Step(
        name: task.name, command: Self.words(work.shown.tasks[id.index].command),
        condition: Self.words(of: work.shown.tasks[id.index]),
        end: runs ? nil : end ?? Step.upToDate, reason: reason.map(work.masked),
        unmatchedInputs: isAfterCreation || !runs
          ? []
          : task.inputs.filter { FilePattern($0).search().files.isEmpty }.map {
            work.masked(
              ContentsRecord.words(forUnmatched: $0, directory: task.directory ?? "."))
          })
    }
  }

  /// Why a task would run with the present files; nil if it is up to date.
  private static func reason(
    _ id: TaskID, _ work: RunWork, _ resumption: Resumption?
  ) -> String? {
    guard let subject = work.subject(of: id), resumption?.isForced(id) != true else {
      return resumption?.reason(for: id) ?? "it has no inputs"
    }
    if work.isForced { return "forced" }
    guard let state = ContentsRecord.state(of: subject) else { return "its files cannot be read" }
    return ContentsRecord.reason(state, subject)
  }

  /// The order in which the engine starts tasks if each succeeds, and each service is ready, at once.
  private static func order(of plan: Plan) -> [TaskID] {
    var core = PlanRunner.core(of: PlanRunner.graph(of: plan), workers: 1, policy: .stop)
    var order: [TaskID] = []
    core.begin(at: .zero)
    while let command = core.nextCommand() {
      switch command {
      case .start(let id, _):
        order.append(id)
        if plan.tasks[id.index].service != nil {
          core.attemptBegan(id, at: .zero)
          core.serviceReady(id, at: .zero)
        } else {
          core.attemptEnded(id, result: .succeeded, at: .zero)
        }
      // A service that is no longer needed.
      case .terminate(let id), .kill(let id): core.attemptEnded(id, result: .succeeded, at: .zero)
      }
    }
    return order
  }

  /// When a task runs, nil if it always does.
  private static func words(of task: Plan.Task) -> String? {
    if task.hook == .onFailure { return "if a task fails" }
    return task.condition.map { condition in
      switch condition {
      case .command(let command): "when \(words(command))"
      case .equal(let first, let second): "when \(quoted(first)) equals \(quoted(second))"
      case .notEqual(let first, let second):
        "when \(quoted(first)) does not equal \(quoted(second))"
      }
    }
  }

  /// A command as the user would type it.
  package static func words(_ command: Plan.Command?) -> String {
    switch command {
    case .shell(let text): text
    case .program(let words): words.map(quoted).joined(separator: " ")
    case nil: ""
    }
  }

  /// A word, quoted for a shell if necessary.
  private static func quoted(_ word: String) -> String {
    if PlainCommand.isPlainWord(word) { return word }
    return "'\(word.insideSingleQuotes)'"
  }
}

extension RunRecord {
  /// The record of a run of a plan that does not begin.
  fileprivate init(of plan: Plan) {
    let machine = MachineIdentity(cores: Machine.cores)
    self.init(
      plan: plan.name, name: "", began: 0, workers: 1, machine: machine,
      tasks: plan.tasks.map { TaskIdentity(name: $0.name, kind: "", fingerprint: 0) },
      graph: plan.tasks.graph)
  }
}
