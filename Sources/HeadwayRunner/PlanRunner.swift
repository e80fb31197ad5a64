internal import Glibc
package import HeadwayLaunch
package import HeadwayPlan

/// What a run tells those who listen; all is called on the thread of the run loop and must return at once.
package struct RunHooks {
  /// Takes what has happened.
  package var event: (LaunchEvent) -> Void
  /// Takes a live region away, because the program is about to stop.
  package var suspend: () -> Void
  /// Draws again, because the program goes on.
  package var resume: () -> Void
  /// Puts the terminal right, because the program ends without further ado.
  package var restoreTerminal: () -> Void

  /// Creates hooks.
  package init(
    event: @escaping (LaunchEvent) -> Void, suspend: @escaping () -> Void,
    resume: @escaping () -> Void, restoreTerminal: @escaping () -> Void
  ) {
    self.event = event
    self.suspend = suspend
    self.resume = resume
    self.restoreTerminal = restoreTerminal
  }
}

/// How a run of a plan is made.
package struct RunOptions: Sendable {
  /// The number of tasks that may run at once, nil for what the plan or the machine says.
  package var workers: Int?
  /// What a failure means for the rest.
  package var policy: FailurePolicy = .stop
  /// The folder for logs and records, nil for `.headway` beside the plan.
  package var stateFolder: String?
  /// Whether tasks run that are up to date.
  package var isForced = false

  /// Creates options that say nothing.
  package init() {}
}

/// What came of a run.
package struct RunResult: Sendable {
  /// How each task ended.
  package let status: RunStatus
  /// The signal that asked for the end, nil when none did.
  package let endSignal: Int32?
  /// What else a person should know, each a line.
  package let remarks: [String]
}

/// Runs a plan of commands, once.
///
/// It holds the pieces together: the graph that the engine runs, the state folder, the loop.
package final class PlanRunner {
  /// The graph of the plan; tasks have the same places.
  package let graph: LaunchGraph
  /// How long each task took when it last succeeded, by place.
  package let expected: [Duration?]
  /// The time line of the run.
  package let clock = RunClock()
  /// The number of tasks that may run at once.
  package let workers: Int
  /// What a person may ask of the run while it goes on.
  package let control: RunControl
  /// The logs, for those who show them.
  package let logs: RunLogs
  /// The work.
  private let work: RunWork
  /// What a failure means for the rest.
  private let policy: FailurePolicy
  /// What is known of durations.
  private var durations: Durations
  /// Where durations are kept.
  private let durationsPath: String

  /// Makes a run ready: enters the plan's folder and makes the state folder.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - folder: The folder of the plan, in which its tasks run.
  ///   - options: How the run is made.
  /// - Throws: `RunnerError` when a folder cannot be used.
  package init(plan: Plan, folder: String, options: RunOptions) throws(RunnerError) {
    control = try RunControl()
    let environment = EnvironmentBlock()
    let home = currentFolder()
    let statePath = absolutePath(options.stateFolder ?? "\(folder)/.headway")
    try enterFolder(folder)
    environment.set("PWD", currentFolder())
    let state = try StateFolder(path: statePath, plan: plan.name)
    work = RunWork(
      plan: plan, state: state, environment: environment, isForced: options.isForced)
    logs = RunLogs(state: state, names: plan.tasks.map(\.name), home: home)
    graph = Self.graph(of: plan)
    let wanted = options.workers ?? plan.workers ?? Machine.cores
    workers = Machine.allowDescriptors(for: wanted)
    policy = options.policy
    durationsPath = state.durationsPath
    let durations = Durations(path: durationsPath)
    expected = plan.tasks.map { durations[$0.name] }
    self.durations = durations
  }

  /// Runs the plan.
  ///
  /// - Parameters:
  ///   - keeper: The other process.
  ///   - hooks: Who listens.
  /// - Returns: What came of it.
  /// - Throws: `RunnerError` when the machine refuses what the runner needs.
  package func run(keeper: Keeper, hooks: RunHooks) throws(RunnerError) -> RunResult {
    var status = RunStatus(taskCount: graph.count)
    let told = hooks.event
    var listening = hooks
    listening.event = { event in
      status.apply(event)
      told(event)
    }
    let loop = try RunLoop(
      core: Self.core(of: graph, workers: workers, policy: policy), work: work, keeper: keeper,
      clock: clock, hooks: listening, control: control)
    let remarks = loop.run()
    keepDurations(status)
    return RunResult(status: status, endSignal: loop.endSignal, remarks: remarks)
  }

  /// Keeps how long the tasks took that succeeded.
  private func keepDurations(_ status: RunStatus) {
    for (place, task) in status.tasks.enumerated() where task.phase == .ended(.succeeded) {
      durations[graph.names[place]] = task.ran
    }
    durations.write(path: durationsPath)
  }

  /// The engine for the graph of a plan that was checked.
  static func core(
    of graph: LaunchGraph, workers: Int, policy: FailurePolicy
  ) -> LaunchCore {
    do {
      return try LaunchCore(graph: graph, workers: workers, policy: policy)
    } catch {
      preconditionFailure("a plan that was checked has a circle: \(error)")
    }
  }

  /// The graph of a plan.
  static func graph(of plan: Plan) -> LaunchGraph {
    var graph = LaunchGraph()
    let pools = plan.pools.map { graph.addPool(limit: $0.limit) }
    for task in plan.tasks {
      let settings = TaskSettings(
        timeout: task.timeout, grace: task.grace,
        retries: RetryPolicy(limit: task.retryLimit, backoff: task.backoff),
        pool: task.pool.map { pools[$0] }, isOptional: task.isOptional, isAlways: task.isAlways)
      _ = graph.add(task.name, settings: settings)
    }
    for (place, task) in plan.tasks.enumerated() {
      for earlier in task.after { graph.order(TaskID(place), after: TaskID(earlier)) }
    }
    return graph
  }
}
