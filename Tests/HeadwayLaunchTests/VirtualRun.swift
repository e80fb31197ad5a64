import HeadwayLaunch
import HeadwayRun
import HeadwayTime

/// A run on virtual time: tasks are scripts, the clock jumps from one moment of interest to the next.
///
/// The same scripts give the same log, to the letter.
final class VirtualRun {
  /// What an attempt at a task does.
  struct Script {
    /// How long it takes by itself.
    var duration: Duration = .seconds(1)
    /// How it ends by itself.
    var result: Outcome = .succeeded
    /// How long it takes to end when it is asked to; nil when it does not listen.
    var obedience: Duration? = .zero
    /// How long what it leaves behind takes to end when asked to; nil when it leaves nothing.
    var leftovers: Duration?
    /// Whether it cannot even be started.
    var cannotStart = false
  }

  /// What becomes of an attempt.
  enum Moment {
    /// Its own process ends.
    case ends(TaskID, serial: Int)
    /// What it left behind ends.
    case vanishes(TaskID, serial: Int)
    /// The run is ended.
    case request(LaunchCore.Urgency)
    /// A task is cancelled.
    case cancel(TaskID)
    /// A failed task runs again, or the run goes on without it.
    case decide(TaskID, retries: Bool)
  }

  /// The graph that is run.
  let graph: LaunchGraph
  /// The engine.
  private(set) var core: LaunchCore
  /// What the attempts do: by task, then by attempt, the last one for all further attempts.
  private let scripts: [TaskID: [Script]]
  /// What is to come.
  private var moments = DeadlineWheel<Moment>()
  /// The serial number of the attempt that each task is at; moments of earlier ones are void.
  private var serial: [TaskID: Int] = [:]
  /// The attempts under way, with their script and whether only leftovers are left.
  private var running: [TaskID: (script: Script, isLeft: Bool)] = [:]
  /// The failed tasks that have run again because nobody had decided.
  private var decided: Set<TaskID> = []
  /// The time.
  private(set) var now = Duration.zero
  /// What has happened.
  private(set) var events: [RunEvent] = []
  /// The most attempts that ever ran at once.
  private(set) var mostRunning = 0

  /// Creates a run.
  init(
    _ graph: LaunchGraph, workers: Int = 2, policy: FailurePolicy = .stop,
    scripts: [TaskID: [Script]] = [:], requests: [(at: Duration, LaunchCore.Urgency)] = [],
    cancels: [(at: Duration, TaskID)] = [],
    decisions: [(at: Duration, TaskID, retries: Bool)]? = nil
  ) throws {
    self.graph = graph
    core = try LaunchCore(graph: graph, workers: workers, policy: policy)
    self.scripts = scripts
    for request in requests { moments.schedule(.request(request.1), at: request.at) }
    core.holdsFailedTasks = decisions != nil
    for decision in decisions ?? [] {
      moments.schedule(.decide(decision.1, retries: decision.retries), at: decision.at)
    }
    for cancel in cancels { moments.schedule(.cancel(cancel.1), at: cancel.at) }
  }

  /// Runs to the end.
  ///
  /// - Returns: The log, a line an event.
  func run() -> [String] {
    core.begin(at: now)
    carryOut()
    while !core.isFinished {
      guard let next = [core.nextDeadline, moments.earliest].compactMap({ $0 }).min() else {
        // Nobody has decided: the first failed task runs again once, and then the run goes on without it.
        if let failed = core.undecidedTasks.first {
          happen(.decide(failed, retries: decided.insert(failed).inserted))
          continue
        }
        preconditionFailure("the run hangs: \(log)")
      }
      now = max(now, next)
      while let moment = moments.popExpired(at: now) { happen(moment) }
      core.advance(to: now)
      carryOut()
    }
    return log
  }

  /// The log so far.
  var log: [String] { events.map(describe) }

  /// Makes something happen.
  private func happen(_ moment: Moment) {
    switch moment {
    case .request(let urgency): core.end(urgency, at: now)
    case .decide(let id, let retries):
      let isFailed = core.undecidedTasks.contains(id)
      let isDone = retries ? core.retry(id, at: now) : core.skip(id, at: now)
      precondition(!isFailed || isDone, "a decision about a failed task was ignored")
    case .cancel(let id):
      let hadEnded = core.outcome(of: id) != nil
      let isDone = core.cancel(id, at: now)
      precondition(!hadEnded || !isDone, "a task that has ended was cancelled")
    case .ends(let id, let number):
      guard serial[id] == number, let attempt = running[id], !attempt.isLeft else { return }
      if attempt.script.leftovers != nil {
        running[id]?.isLeft = true
        core.attemptLingers(id, result: attempt.script.result, at: now)
      } else {
        end(id)
      }
    case .vanishes(let id, let number):
      if serial[id] == number && running[id] != nil { end(id) }
    }
    carryOut()
  }

  /// Ends an attempt.
  private func end(_ id: TaskID) {
    guard let attempt = running.removeValue(forKey: id) else { return }
    core.attemptEnded(id, result: attempt.script.result, at: now)
  }

  /// Does what the engine commands.
  private func carryOut() {
    while let command = core.nextCommand() {
      switch command {
      case .start(let id, let attempt): start(id, attempt)
      case .terminate(let id):
        guard let attempt = running[id] else { continue }
        if let time = attempt.isLeft ? attempt.script.leftovers : attempt.script.obedience {
          moments.schedule(.vanishes(id, serial: serial[id] ?? 0), at: now + time)
        }
      case .kill(let id):
        moments.schedule(.vanishes(id, serial: serial[id] ?? 0), at: now)
      }
    }
    events += core.takeEvents()
  }

  /// Starts an attempt.
  private func start(_ id: TaskID, _ attempt: Int) {
    let list = scripts[id] ?? [Script()]
    let script = list[min(attempt, list.count) - 1]
    if script.cannotStart {
      return core.attemptEnded(id, result: .failed(.notStarted(reason: "no such program")), at: now)
    }
    serial[id, default: 0] += 1
    running[id] = (script, false)
    mostRunning = max(mostRunning, running.count)
    core.attemptBegan(id, at: now)
    moments.schedule(.ends(id, serial: serial[id] ?? 0), at: now + script.duration)
  }

  /// An event in words.
  private func describe(_ event: RunEvent) -> String {
    let name = { [graph] (task: TaskID) in graph.names[task.index] }
    let text =
      switch event.kind {
      case .runStarted(let tasks, let workers): "run of \(tasks) with \(workers)"
      case .taskStarted(let id, let attempt): "\(name(id)) starts" + (attempt > 1 ? " again" : "")
      case .taskReady(let id, _, _): "\(name(id)) is ready"
      case .taskOverdue(let id, _, _): "\(name(id)) is overdue"
      case .taskRetrying(let id, _, let delay, let because):
        "\(name(id)) \(words(because)), again in \(delay.components.seconds)"
      case .taskEnded(let id, let outcome, _, _): "\(name(id)) \(words(outcome))"
      case .runEnding(.failure(let id)): "ending because of \(name(id))"
      case .runEnding(.cancelled): "ending in order"
      case .runEnding(.cancelledImmediately): "ending at once"
      case .runEnding(.deadline(let limit)): "ending after \(limit.components.seconds)"
      case .taskAdded(let id): "\(id.name) is added"
      case .workersWaiting(let workers): "\(workers.count) wait"
      case .taskExtended(let id, let time): "\(name(id)) gets \(time.components.seconds) more"
      case .taskPlaced(let id, let host): "\(name(id)) is on \(host)"
      case .taskReportedAgain(let id): "\(name(id)) reports again"
      case .runPaused: "paused"
      case .runResumed: "resumed"
      case .runHeld(let id): "held by \(name(id))"
      case .runProceeding: "proceeding"
      case .queueEmptied: "nothing to do"
      case .missed(let count, _): "missed \(count)"
      case .forecast: "forecast"
      case .runEnded: "over"
      }
    return "\(event.time.components.seconds) \(text)"
  }

  /// An outcome in words.
  private func words(_ outcome: Outcome) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .skipped(.upToDate): "up to date"
    case .skipped(.doneEarlier): "done earlier"
    case .failed(let failure):
      switch failure.cause {
      case .exited(let code): "failed \(code)"
      case .signalled(let number): "failed by signal \(number)"
      case .notStarted(let reason), .threw(let reason): "failed: \(reason)"
      }
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .skipped(.needs(let id)): "skipped, needs \(graph.names[id.index])"
    case .skipped(.stopped(let id)): "skipped, stopped by \(graph.names[id.index])"
    case .skipped(.removed): "removed"
    case .skipped(.condition): "condition"
    case .lost: "lost"
    }
  }
}

extension LaunchGraph {
  /// Creates a graph of tasks, each with the names of those it waits for.
  init(_ tasks: [(String, after: [String], TaskSettings)], pools: [Int] = []) {
    self.init()
    for limit in pools { _ = addPool(limit: limit) }
    var ids: [String: TaskID] = [:]
    for task in tasks { ids[task.0] = add(task.0, settings: task.2) }
    for task in tasks {
      for name in task.after {
        guard let id = ids[task.0], let earlier = ids[name] else { preconditionFailure(name) }
        addDependency(of: id, on: earlier)
      }
    }
  }
}
