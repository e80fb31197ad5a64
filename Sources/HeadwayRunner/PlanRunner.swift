internal import Glibc
package import HeadwayLaunch
package import HeadwayPlan
package import HeadwayRun
internal import HeadwayTime

/// What a run tells those who listen; all is called on the thread of the run loop and must return at once.
package struct RunHooks {
  /// Takes what has happened.
  package var event: (RunEvent) -> Void
  /// Takes a live region away, because the program is about to stop.
  package var suspend: () -> Void
  /// Draws again, because the program goes on.
  package var resume: () -> Void
  /// Puts the terminal right, because the program ends without further ado.
  package var restoreTerminal: () -> Void

  /// Creates hooks.
  package init(
    event: @escaping (RunEvent) -> Void, suspend: @escaping () -> Void,
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
  package let state: RunState
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
  /// Says how far the run is; each listener goes on from a copy of its own.
  package let forecaster: RunForecaster
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
  /// What earlier runs say, and what this one adds.
  private let history: RunHistory
  /// How long each task is expected to take, by place.
  private let expected: [Duration?]

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
    let kinds = graph.names.indices.map { [graph] in graph.settings(of: TaskID($0)).kind }
    history = RunHistory(state, plan: plan, kinds: kinds, workers: workers)
    let forecaster = RunForecaster(
      graph, workers: workers, history: history.read(), expected: plan.tasks.map(\.expect))
    expected = plan.tasks.indices.map { forecaster.expected(TaskID($0)) }
    self.forecaster = forecaster
  }

  /// Runs the plan.
  ///
  /// - Parameters:
  ///   - keeper: The other process.
  ///   - hooks: Who listens.
  /// - Returns: What came of it.
  /// - Throws: `RunnerError` when the machine refuses what the runner needs.
  package func run(keeper: Keeper, hooks: RunHooks) throws(RunnerError) -> RunResult {
    let core = Self.core(of: graph, workers: workers, policy: policy, expected: expected)
    let loop = try RunLoop(
      core: core, work: work, keeper: keeper, clock: clock, hooks: hooks, control: control,
      history: history, teller: ForecastTeller(forecaster) { MonotonicTime.now })
    history.begin(expected: graph.names.indices.map { forecaster.usual(TaskID($0)) })
    let remarks = loop.run()
    return RunResult(
      state: history.state, endSignal: loop.endSignal, remarks: remarks + history.remarks)
  }

  /// The engine for the graph of a plan that was checked.
  static func core(
    of graph: LaunchGraph, workers: Int, policy: FailurePolicy, expected: [Duration?] = []
  ) -> LaunchCore {
    do {
      return try LaunchCore(graph: graph, workers: workers, policy: policy, expected: expected)
    } catch {
      preconditionFailure("a plan that was checked has a circle: \(error)")
    }
  }

  /// What sort of task it is: what the plan says, the task that a matrix multiplied, or else the program that it runs.
  private static func kind(of task: Plan.Task) -> String {
    if let kind = task.kind { return kind }
    if task.base != task.name { return task.base }
    let program: Substring? =
      switch task.command {
      case .program(let words): words.first.map { $0[...] }
      case .shell(let text): PlainCommand.program(of: text)
      case nil: nil
      }
    return program?.split(separator: "/").last.map { String($0) } ?? ""
  }

  /// The graph of a plan.
  static func graph(of plan: Plan) -> LaunchGraph {
    var graph = LaunchGraph()
    let pools = plan.pools.map { graph.addPool(limit: $0.limit) }
    for task in plan.tasks {
      let settings = TaskSettings(
        timeout: task.timeout, grace: task.grace,
        retries: RetryPolicy(limit: task.retryLimit, backoff: task.backoff),
        pool: task.pool.map { pools[$0] }, isOptional: task.isOptional, alwaysRuns: task.isAlways,
        kind: Self.kind(of: task))
      _ = graph.add(task.name, settings: settings)
    }
    for (place, task) in plan.tasks.enumerated() {
      for earlier in task.after { graph.addDependency(of: TaskID(place), on: TaskID(earlier)) }
    }
    return graph
  }
}
