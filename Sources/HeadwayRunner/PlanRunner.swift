package import HeadwayLaunch
internal import HeadwayLibc
package import HeadwayPlan
package import HeadwayRun
package import HeadwayState
internal import HeadwaySystem
internal import HeadwayTime

/// Hears of a run, on the thread of the run loop; what it does must return at once.
package protocol RunListener: AnyObject {
  /// Receives what has happened.
  ///
  /// - Parameters:
  ///   - events: The next events.
  ///   - state: The state of the run after them.
  ///   - forecast: The latest forecast, nil at first.
  func show(_ events: [RunEvent], _ state: RunState, _ forecast: RunForecast?)

  /// The view that has started the run is gone; the run goes on or ends without it.
  func viewHasLeft()
}

/// What a run is asked to do beside its plan: where, how much at once, and what is kept.
package struct RunOptions: Sendable {
  /// The machines that carry out the tasks; what it does not set, the plan decides.
  package var machines = Machines()
  /// The number of tasks that may run at once, nil for that of the plan, or else the number of cores.
  package var workers: Int?
  /// What happens after a failure.
  package var policy: FailurePolicy = .stop
  /// The folder for logs and records, nil for `.headway` beside the plan.
  package var stateFolder: String?
  /// Whether tasks run that are up to date.
  package var isForced = false
  /// Whether the run says why tasks ran that could have been up to date.
  package var explains = false
  /// How the run takes part in a plan that other runs may carry out at the same time.
  package var sharing = PlanSharing()
  /// The run in one of whose tasks this one was started, nil for none.
  package var outer: OuterRun?

  /// What was asked for, for those who repeat or continue the run.
  package var invocation = Invocation()
  /// Which runs are kept; what it does not set, the plan decides.
  package var keep = Plan.Keep()
  /// The earlier runs that this one goes on with, nil for none.
  package var earlier: EarlierRuns?

  /// Creates default options.
  package init() {}
}

/// How a run ended, and what is said about it afterwards.
package struct RunResult: Sendable {
  /// The state at the end, with the outcome of each task.
  package let state: RunState
  /// The duration that was predicted when the run began, nil if there was no prediction.
  package let predicted: Duration?
  /// How long each service took to become ready.
  package let readyAfter: [TaskID: Duration]
  /// The signal that asked for the end, nil if none did.
  package let endSignal: Int32?
  /// Warnings for the user, each a line.
  package let warnings: [String]
}

/// Runs a plan of commands, once.
///
/// Start reading this module here. A runner creates the parts of a run and connects them:
///
/// ```
///                 ┌─ LaunchCore: which task starts, and which ends
///   RunLoop ──────┼─ FileChecks ── ContentsChecker: which tasks are up to date
///   (one thread)  ├─ AttemptTable ── Executor: processes of this machine
///                 ├─ RunHost: waits for processes, output, signals, time
///                 └─ EventPipeline ── Journal, RunHistory, RunPublisher, ViewStream, RunListener: the events of the run
/// ```
package final class PlanRunner {
  /// The graph of the plan, with the same indices of tasks.
  package let graph: LaunchGraph
  /// What was asked for, and as it was written down; nil once it was taken.
  private var header: (value: RunHeader, bytes: [UInt8])?
  /// The forecaster of the run, nil once the run has begun.
  private var forecaster: RunForecaster?
  /// The time of the run.
  package let clock = RunClock()
  /// The number of tasks that may run at once.
  package let workers: Int
  /// The requests of the user during the run.
  package let control: RunControl
  /// The logs of the tasks.
  package let logs: RunLogs
  /// What earlier runs have already done; nil if this run does not resume one.
  private let resumption: Resumption?
  /// Keeps others from going on with the same run.
  private let lock: RunLock?
  /// How the run ended that this one goes on with.
  private let past: String?
  private let work: RunWork
  /// The workers, nil if this machine carries out the tasks.
  private let connections: WorkerConnections?
  /// What this machine has, nil if tasks need nothing of it or other machines carry them out.
  private let resources: Resources?
  private let policy: FailurePolicy
  private let journal: Journal
  private let history: RunHistory
  /// The expected time of each task, by index.
  private let expected: [Duration?]

  /// Prepares a run: enters the plan's directory and creates the state folder.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - folder: The directory of the plan, in which its tasks run.
  ///   - options: The options of the run.
  /// - Throws: `RunnerError` if a directory cannot be used, or there are too few descriptors for a task.
  package init(plan: Plan, folder: String, options: RunOptions) throws(RunnerError) {
    // First, because everything else opens descriptors.
    let local = try Machine.allowDescriptors(
      for: options.workers ?? plan.workers ?? Machine.cores,
      withProgress: plan.tasks.contains { $0.progress != nil })
    control = try RunControl()
    // Tasks do not inherit the descriptor that it names.
    let environment = EnvironmentBlock(without: RunWork.Variable.zig)
    let home = currentFolder()
    let statePath = absolutePath(options.stateFolder ?? StateFolder.path(in: folder))
    try enterFolder(folder)
    environment.set("PWD", currentFolder())
    environment.add(plan)
    var sharing = options.sharing
    if plan.isExclusive { sharing.isExclusive = true }
    sharing.outer = options.outer
    let state = try RunnerError.using { () throws(StateError) in
      try StateFolder(path: statePath, plan: plan.name, sharing: sharing)
    }
    var options = options
    options.machines = options.machines.completed(by: plan.machines)
    let machines = options.machines
    // A connection has three, and each task elsewhere a log.
    let elsewhere = (machines.hosts ?? []).reduce(0) { $0 + 2 * ($1.places ?? Machine.cores) }
    if elsewhere > 0 {
      _ = try Machine.allowDescriptors(
        for: elsewhere, withProgress: plan.tasks.contains { $0.progress != nil })
    }
    work = RunWork(
      plan: plan, state: state, environment: environment, isForced: options.isForced,
      explains: options.explains,
      secrets: try Secrets.read(of: plan, in: environment, state, isDry: false),
      isElsewhere: machines.hosts?.isEmpty == false,
      copiesFiles: machines.hosts?.contains { $0.copiesFiles } ?? false)
    try Self.check(plan, machines.hosts ?? [])
    do throws(RunnerError) {
      connections =
        machines.hosts?.isEmpty != false
        ? nil
        : try WorkerConnections(
          Self.hosts(of: machines, work),
          cluster: Self.cluster(of: machines, work, options.earlier),
          submitted: Self.submittedJobs(of: machines, work),
          try work.workerSetup(folder: currentFolder(), options), run: state.run,
          environment: environment)
    } catch {
      throw error.masked(by: work.masked)
    }
    workers = connections.map { min(options.workers ?? .max, $0.places) } ?? local
    if plan.hasNeeds, connections == nil {
      var resources = Machine.resources(cpus: local)
      // There is only one machine, so it has all labels.
      resources.labels = plan.largestNeeds.labels
      self.resources = resources
      try Self.checkNeeds(of: plan, [(Self.thisRun, resources)], isElsewhere: false)
    } else {
      resources = nil
    }
    if let connections {
      do throws(RunnerError) {
        try Self.checkNeeds(of: plan, connections.machines, isElsewhere: true)
      } catch {
        connections.end()
        throw error
      }
    }
    logs = RunLogs(state: state, names: plan.tasks.map(\.name), home: home)
    graph = Self.graph(
      of: work.shown, choosesForEach: machines.choosesForEach,
      isElsewhere: connections != nil)
    policy = options.policy
    let kinds = graph.names.indices.map { [graph] in graph.settings(of: TaskID($0)).kind }
    history = RunHistory(work, kinds: kinds, workers: workers)
    // After those that died were taken into the history.
    state.removeOldRuns(RunRetention(options.keep, plan.keep))
    let forecaster = RunForecaster(
      graph, workers: workers, history: history.read(), expected: plan.tasks.map(\.expect),
      mayBeUpToDate: options.isForced
        ? [] : Set(plan.tasks.indices.filter { !plan.tasks[$0].inputs.isEmpty }),
      fileEdges: options.isForced ? nil : FileEdges.of(plan, graph.edges),
      // Those of other machines are not those of this one.
      processors: connections == nil ? Machine.cores : nil,
      machines: resources.map { [$0] } ?? connections?.sharedMachines ?? [],
      dedicatedMachines: (connections?.executor.dedicatedMachines).map { ($0.most, $0.largest) })
    expected = plan.tasks.indices.map { forecaster.expected(TaskID($0)) }
    let usual = plan.tasks.indices.map { forecaster.usual(TaskID($0)) }
    self.forecaster = forecaster
    // The journal is locked before the header exists, so that whoever finds the header also finds the lock.
    journal = Journal(in: state.runFolder, names: plan.tasks.map(\.name))
    let header = work.header(history.run, usual: usual, options)
    (past, lock) = (options.earlier?.words, options.earlier?.lock)
    resumption = options.earlier.map { Resumption(header, plan, $0) }
    history.begin(header)
    let bytes = header.bytes(hiding: work.secrets?.mask)
    self.header = (header, bytes)
    let error = state.runFolder?.create(RunHeader.fileName, with: bytes) ?? 0
    if error != 0 {
      throw .state(
        .cannotWrite("\(state.runFolder?.path ?? "")/\(RunHeader.fileName)", error))
    }
    options.earlier?.noteResumption(by: state.run)
  }

  /// The number of tasks from which on the reading of a plan leaves much free memory.
  private static let manyTasks = 1000

  /// How messages call the machine of a run that uses no others.
  static let thisRun = "this run"

  /// Checks that other machines can carry out a plan.
  private static func check(_ plan: Plan, _ hosts: [WorkerHost]) throws(RunnerError) {
    guard !hosts.isEmpty else { return }
    for task in plan.tasks {
      if task.isDetached { throw .notElsewhere(task.name, "it leaves processes behind") }
    }
  }

  /// Where the workers of a run are that need no cluster.
  private static func hosts(of machines: Machines, _ work: RunWork) -> [WorkerPlace] {
    let services: [WorkerPlace] =
      work.plan.tasks.contains { $0.service != nil }
      ? [.services(RunWork.identityOfServices(in: work.identity))] : []
    let hosts = (machines.hosts ?? []).filter { $0.name != WorkerHost.slurm }
    if hosts.isEmpty { return services }
    let program = WorkerProgram()
    return hosts.map { .host($0, program, identity: work.identity) } + services
  }

  /// The cluster of a run, without the jobs of the runs that it goes on with; nil if none takes part.
  private static func cluster(
    of machines: Machines, _ work: RunWork, _ earlier: EarlierRuns?
  ) throws(RunnerError) -> SlurmJobs? {
    let names = (earlier?.runs ?? []).filter(\.header.usedSlurm).map(\.header.run)
    if !names.isEmpty { try SlurmJobs.end(names, work.environment) }
    guard let offer = machines.hosts?.first(where: { $0.name == WorkerHost.slurm }) else {
      return nil
    }
    return try SlurmJobs(
      offer, largest: work.plan.largestNeeds, options: machines.slurmOptions, run: work.state.run,
      identity: work.identity, usesTCP: machines.usesTCP ?? false, environment: work.environment)
  }

  /// Where the workers in the jobs of a cluster connect over TCP, nil if they do not.
  private static func submittedJobs(
    of machines: Machines, _ work: RunWork
  ) throws(RunnerError) -> SubmittedJobs? {
    guard machines.usesTCP == true, let folder = work.state.runFolder,
      machines.hosts?.contains(where: { $0.name == WorkerHost.slurm }) == true
    else { return nil }
    return try SubmittedJobs(
      port: machines.port, run: work.state.run, folder: folder, identity: work.identity,
      token: WorkerConnections.firstSubmissionToken)
  }

  /// Sends the header of the run to a view, because the run begins.
  ///
  /// - Parameter view: The view.
  /// - Returns: What was asked for; the runner does not keep it.
  package func begin(_ view: ViewStream) -> RunHeader {
    guard let header = header.take() else { preconditionFailure("the header was taken before") }
    view.begin(work.state, header: header.bytes)
    return header.value
  }

  /// What to say before the run, a line each: what becomes of an earlier one, and what it waits for.
  package var lines: [String] {
    var lines: [String] = []
    if let resumption, let past { lines = resumption.lines(past) }
    return lines + (connections.flatMap(\.queueLine).map { [$0] } ?? [])
  }

  /// Runs the plan.
  ///
  /// - Parameters:
  ///   - supervisor: The other process.
  ///   - view: The view that has started the run.
  ///   - listener: Hears of the events of the run.
  /// - Returns: The result.
  /// - Throws: `RunnerError` if the system refuses something that the runner needs.
  package func run(
    supervisor: Supervisor, view: ViewStream, listener: any RunListener
  ) throws(RunnerError) -> RunResult {
    guard let forecaster = forecaster.take() else {
      preconditionFailure("a run was started twice")
    }
    header = nil
    if graph.count > Self.manyTasks { releaseFreeMemory() }
    let poller = try Poller.opened()
    let checker = try ContentsChecker()
    let executor: any Executor =
      if let connections {
        connections.executor
      } else {
        try LocalExecutor(
          environment: work.environment, identity: work.identity, taskCount: work.attemptedTasks,
          poller: poller, resources: resources)
      }
    let host = try ProcessHost(
      poller: poller, supervisor: supervisor, answers: checker.wake, control: control,
      view: view, workers: connections)
    let publisher = RunPublisher(work, graph, control)
    let loop = RunLoop(
      core: Self.core(of: graph, workers: workers, policy: policy, expected: expected), work: work,
      executor: executor, host: host, checker: checker, clock: clock, control: control,
      listener: listener, view: view, publisher: publisher, journal: journal, history: history,
      resumption: resumption, emitter: ForecastEmitter(forecaster, .events) { MonotonicTime.now })
    var warnings = loop.run()
    connections?.end()
    warnings += connections?.warnings ?? []
    warnings += resumption?.questions(after: work.state.run) ?? []
    warnings += publisher.finish(loop.events.state, wasCancelled: loop.endSignal != nil)
    // All listeners have heard of the end, and nobody waits for the disk.
    journal.sync()
    history.finish(loop.events.state)
    work.state.noteSize()
    journal.close()
    if let warning = journal.warning { warnings.append(warning) }
    return RunResult(
      state: loop.events.state, predicted: loop.events.predicted,
      readyAfter: loop.events.readyAfter,
      endSignal: loop.endSignal,
      warnings: (warnings + history.warnings).map(work.masked))
  }

  /// The names of the other runs of the plan that went on when this one was created.
  package var others: [String] { work.state.others }

  /// Opens the file for what the run says to people after it was detached.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1.
  package func openMessages() -> Int32 {
    work.state.runFolder?.openForAppending(RunFolder.messages) ?? -1
  }

  /// The plan without secrets, of which all is made that is shown of it.
  package var shownPlan: Plan { work.shown }

  /// The engine for the graph of a valid plan.
  static func core(
    of graph: LaunchGraph, workers: Int, policy: FailurePolicy, expected: [Duration?] = []
  ) -> LaunchCore {
    do {
      var core = try LaunchCore(
        graph: graph, workers: workers, policy: policy, expected: expected)
      core.holdsFailedTasks = policy == .hold
      return core
    } catch {
      preconditionFailure("a valid plan has a cycle: \(error)")
    }
  }

  /// The kind of a task: that of the plan, the base name of a matrix task, or else that of its command.
  private static func kind(of task: Plan.Task) -> String {
    if let kind = task.kind { return kind }
    if task.base != task.name { return task.base }
    return task.command?.kind ?? ""
  }

  /// The graph of a plan.
  ///
  /// - Parameters:
  ///   - plan: The plan, without secrets.
  ///   - choosesForEach: Whether a machine is chosen for each task, also if none says what it needs.
  ///   - isElsewhere: Whether other machines carry out the tasks, except for services.
  /// - Returns: The graph, with the same indices of tasks.
  static func graph(
    of plan: Plan, choosesForEach: Bool = false, isElsewhere: Bool = false
  ) -> LaunchGraph {
    var graph = LaunchGraph()
    graph.reserveCapacity(
      tasks: plan.tasks.count, edges: plan.tasks.reduce(0) { $0 + $1.after.count })
    let pools = plan.pools.map { graph.addPool(limit: $0.limit) }
    let hasNeeds = choosesForEach || plan.hasNeeds
    for task in plan.tasks {
      var retries = RetryPolicy(limit: task.retryLimit, backoff: task.backoff)
      retries.factor = task.backoffFactor
      var settings = TaskSettings(
        timeout: task.timeout, grace: task.grace, retries: retries,
        pool: task.pool.map { pools[$0] }, isOptional: task.isOptional, alwaysRuns: task.isAlways,
        kind: Self.kind(of: task))
      settings.runsOnce = task.isOnce
      if hasNeeds {
        let isPlaced = task.isPlaced(isElsewhere: isElsewhere)
        settings.needs = isPlaced ? task.needs ?? Resources() : Resources(cpus: 0)
      }
      if task.service != nil {
        settings.role = .service
      } else if task.command == nil {
        settings.role = .group
      }
      _ = graph.add(task.name, settings: settings)
    }
    for (index, task) in plan.tasks.enumerated() {
      for earlier in task.after { graph.addDependency(of: TaskID(index), on: TaskID(earlier)) }
    }
    return graph
  }
}
