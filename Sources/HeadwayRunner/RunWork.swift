internal import HeadwayFiles
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

/// The commands of a run: for each task of the plan, what to start and which files to look at.
struct RunWork {
  /// The plan; its indices of tasks are those of the graph.
  let plan: Plan
  /// The plan without secrets: all that is shown or stored of it is made of this one.
  let shown: Plan
  let state: StateFolder
  /// The environment of all tasks.
  let environment: EnvironmentBlock
  /// The beginning of `HEADWAY_TASK_ID` in this run.
  let identity: String
  /// Whether tasks run that are up to date.
  let isForced: Bool
  /// The secrets of the plan, nil if it has none.
  let secrets: Secrets?
  /// Whether other machines carry out the tasks, except for services.
  let isElsewhere: Bool
  /// Whether files are copied to some machines.
  let copiesFiles: Bool
  /// Whether the run says why tasks ran that could have been up to date.
  let explains: Bool

  /// The variables that the runner sets for each attempt.
  enum Variable {
    /// The name of the task.
    static let task = "HEADWAY_TASK"
    /// The name of the task, too.
    static let taskName = "HEADWAY_TASK_NAME"
    /// The number of the attempt, from 1.
    static let attempt = "HEADWAY_ATTEMPT"
    /// Identifies the task and its run, by which a process is found that has left its session.
    static let identity = "HEADWAY_TASK_ID"
    /// The names of the secrets of the run and of those around it, with commas; only where there are some.
    static let secrets = "HEADWAY_SECRETS"
    /// Where programs of the task report their progress.
    static let progress = "HEADWAY_PROGRESS"

    /// The descriptor of the pipe for programs that report as those written in Zig do.
    static let zig = "ZIG_PROGRESS"
    /// The number of that descriptor in each task: that of Zig itself before 0.16.
    static let zigDescriptor = "3"

    static let all: Set<String> = FollowUp.Variable.all.union([
      task, taskName, attempt, identity, secrets, progress, zig,
    ])
  }

  /// The beginning of `HEADWAY_TASK_ID` in the services of a run whose other tasks run elsewhere.
  ///
  /// Another one than that of the tasks, because one of the hosts may be this machine, and a new worker ends what its predecessor has left.
  static func identityOfServices(in run: String) -> String { "\(run)+services" }

  /// Creates the commands of a plan.
  init(
    plan: Plan, state: StateFolder, environment: EnvironmentBlock, isForced: Bool = false,
    explains: Bool = false, secrets: Secrets? = nil, isElsewhere: Bool = false,
    copiesFiles: Bool = false
  ) {
    self.isElsewhere = isElsewhere
    self.copiesFiles = copiesFiles
    self.secrets = secrets
    self.explains = explains
    self.isForced = isForced
    self.plan = plan
    shown = secrets.map { plan.masked(by: $0.mask) } ?? plan
    self.state = state
    self.environment = environment
    // A run inside a task of another run is part of both.
    identity =
      environment[Variable.identity].flatMap { $0.isEmpty ? nil : "\($0)/\(state.run)" }
      ?? state.run
  }

  /// The log of a task.
  func log(of task: TaskID) -> TaskLog {
    TaskLog(
      state, name: plan.tasks[task.index].name, index: task.index, mask: secrets?.mask,
      limit: plan.tasks[task.index].logLimit)
  }

  /// The number of tasks as an executor counts them: the second half is for commands that check whether services are ready.
  var attemptedTasks: Int { plan.tasks.count * 2 }

  /// What workers on other machines have to know.
  ///
  /// - Parameters:
  ///   - folder: The folder of the plan.
  ///   - options: The options of the run.
  /// - Returns: The set-up, including the values of secrets.
  /// - Throws: `RunnerError.worker` if a value is not UTF-8.
  func workerSetup(folder: String, _ options: RunOptions) throws(RunnerError) -> WorkerSetup {
    var variables: [(String, String)] = []
    for variable in plan.exportedVariables + plan.dotenv {
      variables.append((variable.name, try value(of: variable.name) ?? variable.value))
    }
    for name in secrets?.names ?? [] { variables.append((name, try value(of: name) ?? "")) }
    return WorkerSetup(
      folder: folder, identity: identity, taskCount: attemptedTasks,
      names: variables.map(\.0), values: variables.map(\.1),
      patience: options.machines.patience ?? WorkerLease.usualPatience,
      earlier: (options.earlier?.runs ?? []).flatMap {
        [$0.header.identity, Self.identityOfServices(in: $0.header.identity)]
      })
  }

  /// The value of a variable as other machines get it, nil if it is not set.
  private func value(of name: String) throws(RunnerError) -> String? {
    guard let bytes = environment.bytes(of: name) else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    throw .worker(
      "other machines",
      "the value of '\(name)' in the environment is not UTF-8; set another one, or run the plan without --on"
    )
  }

  /// Hides the secrets in a text that nobody has cut or quoted.
  func masked(_ text: String) -> String { secrets?.mask.masked(text) ?? text }

  /// Hides the secrets in an event.
  func masked(_ event: RunEvent) -> RunEvent { secrets.map { event.masked(by: $0.mask) } ?? event }

  /// The path of a task's log, nil if the task has written nothing.
  func logPath(of task: TaskID) -> String? {
    let name = logName(task)
    guard let logs = state.logs, logs.hasFile(name) else { return nil }
    return "\(logs.path)/\(name)"
  }

  /// The command that decides whether a task runs, nil if none does.
  func conditionRequest(for attempt: Attempt) -> AttemptRequest? {
    let task = plan.tasks[attempt.task.index]
    guard case .command(let command) = task.condition else { return nil }
    var request = request(for: attempt)
    request?.arguments = arguments(of: command, task)
    // It has made nothing yet.
    request?.files?.outputs = []
    return request
  }

  /// Identifies the command that checks whether a service is ready, beside the attempt at the service.
  func readinessAttempt(of task: TaskID, number: Int) -> Attempt {
    Attempt(task: TaskID(plan.tasks.count + task.index), number: number)
  }

  /// The service that a command checks; nil for the attempt at a task.
  func service(of id: TaskID) -> TaskID? {
    id.index < plan.tasks.count ? nil : TaskID(id.index - plan.tasks.count)
  }

  /// The command that checks whether a service is ready, nil if none does.
  func readinessRequest(for task: TaskID) -> AttemptRequest? {
    let planned = plan.tasks[task.index]
    guard case .command(let command) = planned.service?.readiness else { return nil }
    var request = request(for: Attempt(task: task, number: 1))
    request?.arguments = arguments(of: command, planned)
    return request
  }

  /// The log of the commands that check whether a service is ready.
  func readinessLog(of task: TaskID) -> TaskLog {
    TaskLog(
      state, fileName: StateFolder.readinessLogName(plan.tasks[task.index].name, index: task.index),
      mask: secrets?.mask, limit: plan.tasks[task.index].logLimit)
  }

  /// The file name of the log of the commands that check a service, nil if they have written nothing.
  func readinessLogName(of task: TaskID) -> String? {
    let name = StateFolder.readinessLogName(plan.tasks[task.index].name, index: task.index)
    return state.logs?.hasFile(name) ?? false ? name : nil
  }

  /// The name of a task's log.
  func logName(_ task: TaskID) -> String {
    StateFolder.logName(plan.tasks[task.index].name, index: task.index)
  }

  /// The command of an attempt, nil for a task that only groups others.
  func request(for attempt: Attempt) -> AttemptRequest? {
    let task = plan.tasks[attempt.task.index]
    guard let command = task.command else { return nil }
    var variables: [(name: String, value: String)] = []
    variables.reserveCapacity(task.environment.count + Variable.all.count)
    if task.isDetached, let secrets {
      // It writes its log itself, where nothing hides them.
      variables += (secrets.names + secrets.outerNames).lazy.map { ($0, "") }
    }
    variables += task.environment.lazy.map { ($0.name, $0.value) }
    variables.append((Variable.task, task.name))
    if task.isAlways { variables.append((Variable.taskName, task.name)) }
    variables.append((Variable.attempt, "\(attempt.number)"))
    let identity =
      isElsewhere && task.service != nil ? Self.identityOfServices(in: identity) : identity
    variables.append((Variable.identity, "\(identity).\(attempt.task.index)"))
    if let secrets {
      let names = secrets.names + secrets.outerNames
      variables.append((Variable.secrets, names.joined(separator: ",")))
    }
    var request = AttemptRequest(
      arguments: arguments(of: command, task), variables: variables,
      directory: task.directory)
    request.isService = task.service != nil
    if copiesFiles { request.files = TaskFiles(inputs: task.inputs, outputs: task.outputs) }
    return request
  }

  /// What decides whether a task is up to date, nil for a task that always runs.
  func subject(of id: TaskID) -> ContentsRecord.Subject? {
    let task = plan.tasks[id.index]
    guard let command = task.command, !task.inputs.isEmpty else { return nil }
    return state.subject(
      task.name, index: id.index, command: arguments(of: command, task),
      directory: task.directory ?? ".", variables: variables(of: command, task),
      inputs: task.inputs, outputs: task.outputs, key: secrets?.key)
  }

  /// The variables that decide what a command of a task does, in a fixed order.
  private func variables(of command: Plan.Command, _ task: Plan.Task) -> [ContentsRecord.Variable] {
    let own = task.environment.map {
      ContentsRecord.Variable(name: $0.name, text: "\($0.name)=\($0.value)")
    }
    var names = ShellVariables.names(in: command.texts)
    if !task.environmentInputs.isEmpty {
      names.formUnion(environment.names(matching: task.environmentInputs))
    }
    if names.isEmpty, own.isEmpty { return [] }
    let mentioned =
      names
      .subtracting(task.environment.map(\.name)).subtracting(Variable.all)
      // A variable that is not set differs from an empty one.
      .map { name in
        let text =
          secrets?.digests[name].map { "\(name) \($0)" }
          ?? environment[name].map { "\(name)=\($0)" }
          ?? environment.bytes(of: name).map { "\(name):\(OutsideText.escaped($0))" } ?? name
        return ContentsRecord.Variable(name: name, text: text)
      }
    return (own + mentioned).sorted { $0.text < $1.text }
  }

  /// A digest of all that decides what a task does, empty for a task that only groups others.
  ///
  /// A task whose digest is another one than in an earlier run is not the same task any more.
  func digest(of task: Plan.Task) -> String {
    guard let command = task.command else { return "" }
    var digest = ContentDigest()
    digest.add(arguments(of: command, task))
    digest.add(task.directory ?? ".")
    digest.add(variables(of: command, task).map(\.text))
    digest.add(task.inputs)
    digest.add(task.outputs)
    return digest.text(under: secrets?.key)
  }

  /// The hash of a task's command in the history, 0 for a task without one.
  ///
  /// Secrets are no part of it, so that the history knows a task again after they have changed. A command with secrets is hashed
  /// under the key.
  func fingerprint(of index: Int) -> UInt64 {
    guard let command = shown.tasks[index].command else { return 0 }
    let plain = TaskIdentity.fingerprint(of: command.texts)
    guard let key = secrets?.key, command != plan.tasks[index].command else { return plain }
    let keyed = KeyedDigest.text(of: Array("\(plain)".utf8), key: key)
    return UInt64(keyed.prefix(16), radix: 16) ?? plain
  }

  /// The program and arguments of a command of a task.
  private func arguments(of command: Plan.Command, _ task: Plan.Task) -> [String] {
    switch command {
    case .shell(let text):
      PlainCommand.arguments(
        for: text, shell: task.shell,
        positional: task.usesArguments && ShellVariables.namesArguments(text) ? plan.arguments : [])
    case .program(let words): words
    }
  }
}
