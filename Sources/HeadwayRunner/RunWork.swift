internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// What a run consists of: for each task of the plan the process to start and the files to look at.
struct RunWork {
  /// The plan; task places are those of the graph.
  let plan: Plan
  /// Where logs and records are.
  let state: StateFolder
  /// The environment that every task gets.
  let environment: EnvironmentBlock
  /// What `HEADWAY_TASK` begins with in this run.
  let identity: String
  /// Whether tasks run that are up to date.
  let isForced: Bool

  /// Creates the work of a plan.
  init(
    plan: Plan, state: StateFolder, environment: EnvironmentBlock, isForced: Bool = false
  ) {
    self.isForced = isForced
    self.plan = plan
    self.state = state
    self.environment = environment
    // A run inside a task of another run is known to both.
    identity = environment["HEADWAY_TASK"].map { "\($0)/\(state.run)" } ?? state.run
  }

  /// The log of a task.
  func log(of id: TaskID) -> TaskLog {
    TaskLog(state, name: plan.tasks[id.index].name, place: id.index)
  }

  /// The process of a task, nil for a task that runs nothing.
  func request(for id: TaskID, attempt: Int) -> Spawner.Request? {
    let task = plan.tasks[id.index]
    guard let command = task.command else { return nil }
    var variables = task.environment.map { ($0.name, $0.value) }
    variables.append(("HEADWAY_TASK", "\(identity).\(id.index)"))
    variables.append(("HEADWAY_ATTEMPT", "\(attempt)"))
    return Spawner.Request(
      arguments: Self.arguments(of: command), variables: variables, directory: task.directory,
      output: -1)
  }

  /// What decides whether a task is up to date, nil for a task that always runs.
  func subject(of id: TaskID) -> ContentsRecord.Subject? {
    let task = plan.tasks[id.index]
    guard let command = task.command, !task.inputs.isEmpty else { return nil }
    let variables = task.environment.map { "\($0.name)=\($0.value)" }.sorted()
    return ContentsRecord.Subject(
      command: Self.arguments(of: command) + ["", task.directory ?? "."] + variables,
      inputs: task.inputs, outputs: task.outputs,
      path: state.contentsPath(task.name, place: id.index))
  }

  /// The program and arguments of a command.
  private static func arguments(of command: Plan.Command) -> [String] {
    switch command {
    case .shell(let text): PlainCommand.arguments(for: text)
    case .program(let words): words
    }
  }
}
