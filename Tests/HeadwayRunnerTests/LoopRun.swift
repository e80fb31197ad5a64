import HeadwayForecast
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import HeadwayTime

@testable import HeadwayRunner
@testable import HeadwayState

/// A run of a plan on a virtual machine.
final class LoopRun {
  let plan: Plan
  let graph: LaunchGraph
  let machine: VirtualMachine
  let workers: Int
  /// The events, in order.
  var events: [RunEvent] { updates.flatMap(\.events) }
  /// What the listeners were given at once, with the time of the run.
  private(set) var updates: [(time: Duration, events: [RunEvent])] = []
  /// The number of calls of `viewHasLeft()`.
  private(set) var viewLosses = 0
  /// The result of the loop.
  private(set) var warnings: [String] = []
  private(set) var endSignal: Int32?
  /// The state at the end.
  private(set) var state = RunState(taskCount: 0)
  private let work: RunWork
  private let schedule: ForecastEmitter.Schedule
  private let earlier: EarlierRuns?
  private let policy: FailurePolicy
  /// The worker that carries out the attempts, nil if the machine does so itself.
  private(set) var worker: WorkerMachine?
  /// The durations of earlier runs.
  var past = DurationHistory()

  /// The path of a state folder that cannot be created.
  static let noState = "/dev/null/none"

  /// The environment of this process, which no virtual task uses.
  private static func work(
    _ plan: Plan, _ statePath: String, isForced: Bool, _ secrets: [String]
  ) throws -> RunWork {
    RunWork(
      plan: plan,
      state: statePath == noState
        ? try StateFolder(existing: statePath, plan: plan.name)
        : try StateFolder(path: statePath, plan: plan.name),
      environment: EnvironmentBlock(), isForced: isForced,
      secrets: secrets.isEmpty
        ? nil
        : Secrets(
          mask: SecretMask(secrets.map { Array($0.utf8) }), key: [1], names: [], outerNames: [],
          digests: [:]))
  }

  /// Prepares a run.
  init(
    _ tasks: [Plan.Task], pools: [Int] = [], workers: Int = 2, policy: FailurePolicy = .stop,
    statePath: String = LoopRun.noState, isForced: Bool = false,
    schedule: ForecastEmitter.Schedule = .never, earlier: EarlierRuns? = nil,
    secrets: [String] = []
  ) throws {
    self.earlier = earlier
    plan = Plan(
      name: "plan", workers: workers,
      pools: pools.enumerated().map { TaskPool(name: "pool\($0.offset)", limit: $0.element) },
      tasks: tasks)
    graph = PlanRunner.graph(of: plan)
    machine = try VirtualMachine()
    self.workers = workers
    self.policy = policy
    self.schedule = schedule
    work = try Self.work(plan, statePath, isForced: isForced, secrets)
  }

  /// Lets a worker carry out the attempts, on the same machine.
  ///
  /// - Parameter piece: The size of the next piece in which a message arrives.
  func useWorker(_ piece: @escaping () -> Int) {
    worker = WorkerMachine(machine, places: workers, piece: piece)
  }

  /// Lets two workers carry out the attempts, on the same machine, whose connections may be cut.
  ///
  /// - Parameters:
  ///   - faults: What happens to the connections.
  ///   - patience: How long the workers may hear nothing.
  ///   - piece: The size of the next piece in which a message arrives.
  func useWorkers(
    _ faults: [(at: Duration, worker: Int, WorkerMachine.Fault)], patience: Duration,
    _ piece: @escaping () -> Int
  ) {
    worker = WorkerMachine(
      machine, places: (workers + 1) / 2, workers: 2, patience: patience, piece: piece)
    worker?.faults = faults.sorted { $0.at < $1.at }
    // What may be alive on a worker is looked for until its lease has ended.
    machine.mostWaits = 100_000
  }

  /// Runs to the end.
  ///
  /// - Parameter isStored: Whether the run is stored in the history of its state folder.
  func run(isStored: Bool = false) {
    let journal = Journal(in: work.state.runFolder, names: plan.tasks.map(\.name))
    let history = isStored ? history : nil
    history?.begin(header)
    let loop = RunLoop(
      core: PlanRunner.core(of: graph, workers: workers, policy: policy), work: work,
      executor: worker?.executor ?? machine, host: worker ?? machine, checker: machine,
      clock: machine.clock, control: machine.control, listener: self, journal: journal,
      history: history,
      resumption: earlier.map { Resumption(header, plan, $0) },
      emitter: ForecastEmitter(
        RunForecaster(
          graph, workers: workers, history: past, mayBeUpToDate: work.isForced ? [] : withInputs),
        schedule
      ) { .zero })
    warnings = loop.run()
    worker?.finish()
    endSignal = loop.endSignal
    state = loop.events.state
    history?.finish(loop.events.state)
  }

  /// The tasks that may be up to date.
  private var withInputs: Set<Int> {
    Set(plan.tasks.indices.filter { !plan.tasks[$0].inputs.isEmpty })
  }

  /// Reads the durations of the earlier runs that are stored in the state folder.
  func readPast() { past = history.read() }

  /// The history that stores this run.
  private var history: RunHistory {
    // As for a run of the tool: by them the forecast finds a task again.
    let kinds = graph.names.indices.map { graph.settings(of: TaskID($0)).kind }
    return RunHistory(work, kinds: kinds, workers: workers)
  }

  /// The header of this run.
  private(set) lazy var header: RunHeader = {
    var options = RunOptions()
    options.earlier = earlier
    return work.header(history.run, usual: plan.tasks.map { _ in nil }, options)
  }()

  /// The journal of this run.
  var journal: [UInt8] {
    work.state.runFolder?.contents(of: Journal.fileName, most: 1 << 24) ?? []
  }

  /// The outcome of a task, nil if it has none.
  func outcome(_ index: Int) -> Outcome? {
    for event in events {
      if case .taskEnded(let task, let outcome, _, _) = event.kind, task.index == index {
        return outcome
      }
    }
    return nil
  }

  /// When a task ended.
  func end(_ index: Int) -> Duration? {
    events.first {
      if case .taskEnded(let task, _, _, _) = $0.kind { task.index == index } else { false }
    }?.time
  }

  /// The log of a task.
  func log(_ index: Int) -> String {
    let name = StateFolder.logName(plan.tasks[index].name, index: index)
    let bytes = work.state.logs?.contents(of: name, most: 1 << 20) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension LoopRun: RunListener {
  func show(_ events: [RunEvent], _ state: RunState, _ forecast: RunForecast?) {
    updates.append((machine.clock.now, events))
    machine.noteUpdate()
  }

  func viewHasLeft() { viewLosses += 1 }
}

extension Plan.Task {
  /// A task that runs a command.
  static func make(
    _ name: String, after: [Int] = [], _ change: (inout Plan.Task) -> Void = { _ in }
  ) -> Plan.Task {
    var task = Plan.Task(name: name, base: name)
    task.command = .program(["true"])
    task.after = after
    change(&task)
    return task
  }
}
