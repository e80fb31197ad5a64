import Glibc
import HeadwayCollections
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Repetitions
import RunFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

extension SplitMix64 {
  /// Whether something happens that does so once in `n` times.
  fileprivate mutating func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

  /// A time in steps of 10 ms.
  fileprivate mutating func time(upTo milliseconds: Int) -> Duration {
    .milliseconds(Int.random(in: 0...milliseconds / 10, using: &self) * 10)
  }
}

/// The run loop on random graphs, with faults at every step: what must hold in every run.
struct RunLoopRandomTests {
  /// How late waits may end.
  private static let maxLateness = Duration.milliseconds(2)

  private func tasks(_ random: inout SplitMix64) -> [Plan.Task] {
    (0..<Int.random(in: 1...20, using: &random)).map { index in
      .make("t\(index)", after: (0..<index).filter { _ in random.once(in: 6) }) { task in
        if random.once(in: 3) { task.timeout = .milliseconds(10) + random.time(upTo: 4_000) }
        task.grace = random.once(in: 4) ? .zero : random.time(upTo: 2_000)
        if random.once(in: 3) { task.retryLimit = 2 }
        task.backoff = random.time(upTo: 1_000)
        if random.once(in: 4) { task.pool = 0 }
        task.isOptional = random.once(in: 5)
        task.isAlways = random.once(in: 8)
        task.isDetached = random.once(in: 15)
        if random.once(in: 6) { task.inputs = ["in"] }
        if random.once(in: 15) { task.command = nil }
      }
    }
  }

  private func process(_ random: inout SplitMix64, isLeader: Bool) -> VirtualMachine.Script {
    VirtualMachine.Script(
      duration: random.once(in: 12) ? nil : random.time(upTo: isLeader ? 3_000 : 5_000),
      obedience: random.once(in: 4) ? nil : random.time(upTo: 1_000),
      isImmortal: random.once(in: 150), isStopped: random.once(in: 40),
      closesOutput: random.once(in: 4) ? random.time(upTo: 2_000) : nil,
      isHidden: !isLeader && random.once(in: 3))
  }

  private func attempt(
    _ random: inout SplitMix64, hasTimeout: Bool
  ) -> VirtualMachine.AttemptScript {
    var script = VirtualMachine.AttemptScript()
    script.leader = process(&random, isLeader: true)
    if !hasTimeout {
      // Nothing would end it.
      script.leader.duration = script.leader.duration ?? .seconds(2)
      script.leader.isStopped = false
    }
    script.result = random.once(in: 5) ? .failed(.exited(code: 1)) : .succeeded
    script.children = (0..<(random.once(in: 4) ? Int.random(in: 1...3, using: &random) : 0)).map {
      _ in
      process(&random, isLeader: false)
    }
    if random.once(in: 5) {
      script.output = (0..<5).map { (.milliseconds(300 * $0), "line \($0)\n") }
    }
    script.cannotStart = random.once(in: 20)
    return script
  }

  /// A random run that has not begun.
  private func make(
    _ seed: Int, statePath: String, isWritten: Bool = false, isOnWorker: Bool = false,
    hasFaults: Bool = false
  ) throws -> LoopRun {
    var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed)))
    let policies: [FailurePolicy] = [.stop, .keepGoing, .failFast]
    let run = try LoopRun(
      tasks(&random).map { task in
        var task = task
        // What it leaves behind could only run on this machine.
        if isOnWorker { task.isDetached = false }
        if hasFaults, random.once(in: 4) {
          task.isOnce = true
          task.retryLimit = 0
          task.inputs = []
        }
        return task
      }, pools: [1], workers: Int.random(in: 1...4, using: &random),
      policy: policies[Int.random(in: 0..<3, using: &random)],
      // Logs cannot be written in most runs, which also keeps them fast.
      statePath: random.once(in: 10) || isWritten ? statePath : LoopRun.noState,
      isForced: random.once(in: 5))
    let machine = run.machine
    for index in run.plan.tasks.indices {
      machine.scripts[TaskID(index)] = (0..<3).map { _ in
        var script = attempt(&random, hasTimeout: run.plan.tasks[index].timeout != nil)
        if hasFaults {
          // What cannot be killed is alive for ever.
          script.leader.isImmortal = false
          for child in script.children.indices { script.children[child].isImmortal = false }
        }
        return script
      }
      machine.isUpToDate[TaskID(index)] = random.once(in: 3)
    }
    machine.checkDelay = random.time(upTo: 1_500)
    machine.reversesEvents = random.once(in: 2)
    scheduleIncidents(machine, &random)
    var late = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 1)))
    machine.lateness = { _ in
      late.once(in: 3) ? Self.maxLateness * Int.random(in: 1...4, using: &late) / 4 : .zero
    }
    var room = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 2)))
    machine.hasRoom = { !room.once(in: 10) }
    return run
  }

  private func scheduleIncidents(_ machine: VirtualMachine, _ random: inout SplitMix64) {
    if random.once(in: 3) {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let begin = random.time(upTo: 8_000)
        machine.schedule(.togglePause, at: begin)
        machine.schedule(.togglePause, at: begin + random.time(upTo: 5_000))
      }
    }
    let signals: [(number: Int32, rarity: Int)] = [
      (SIGINT, 4), (SIGTERM, 8), (SIGINT, 8), (SIGQUIT, 12),
    ]
    for (number, rarity) in signals where random.once(in: rarity) {
      machine.schedule(
        .signal(number, isForwarded: !random.once(in: 3)), at: random.time(upTo: 9_000))
    }
    for _ in 0..<3 { machine.schedule(.spuriousWake, at: random.time(upTo: 9_000)) }
  }

  @Test(arguments: 0..<20) func `Every random run keeps the promises of the loop`(
    part: Int
  ) throws {
    let folder = Folder()
    for seed in seeds(of: part, usual: 75, real: 500) {
      let run = try make(seed, statePath: folder.path)
      run.run()
      let broken = RunCheck(run, maxLateness: Self.maxLateness).violations
      #expect(broken == [], "run \(seed)")
    }
  }

  @Test func `What a run has written is what it has told, and a part of that is a run that died`()
    throws
  {
    let folder = Folder()
    for seed in 0..<repetitions(100, real: 500) {
      let run = try make(seed, statePath: folder.path, isWritten: true)
      run.run()
      let header = RunHeader.sample(run.plan.tasks.map(\.name))
      let bytes = run.journal
      var reader = JournalReader(header)
      #expect(try reader.append(bytes) == run.events, "run \(seed)")
      #expect(reader.state == run.state && reader.damaged == 0 && !reader.isTorn, "run \(seed)")
      var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 3)))
      var part = JournalReader(header)
      let events = try part.append(
        Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
      #expect(run.events.starts(with: events), "run \(seed)")
      let died = StoredRun(header, part, isRunning: false)
      #expect(died.state.active.isEmpty && died.warnings.isEmpty, "run \(seed)")
      for task in run.plan.tasks.indices.map({ TaskID($0) }) {
        let isActive = part.state.active.contains { $0.index == task.index }
        // Between two attempts, it has the outcome of the last one.
        let failure = events.last { $0.kind.task == task }?.kind.retried
        let outcome = isActive ? failure ?? .lost : part.state.outcome(of: task)
        #expect(died.state.outcome(of: task) == outcome, "run \(seed)")
      }
    }
  }

  @Test(arguments: 0..<20) func `A run on a worker keeps the same promises`(part: Int) throws {
    let folder = Folder()
    for seed in seeds(of: part, usual: 40, real: 250) {
      let run = try make(seed, statePath: folder.path, isOnWorker: true)
      var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 4)))
      run.useWorker { Int.random(in: 1...300, using: &random) }
      run.run()
      let broken = RunCheck(run, maxLateness: Self.maxLateness).violations
      #expect(broken == [], "run \(seed)")
      #expect(run.worker?.violations == [], "run \(seed)")
      #expect(run.worker?.attempts == [], "run \(seed)")
    }
  }

  private func fault(_ random: inout SplitMix64) -> WorkerMachine.Fault {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .closed
    case 1: .cut
    case 2: .deaf
    default: .stopped(random.time(upTo: 60_000))
    }
  }

  @Test(arguments: 0..<10)
  func `A run on workers that are lost has no attempt beside another, and no task ends unknown`(
    part: Int
  ) throws {
    let folder = Folder()
    var losses = 0
    for seed in seeds(of: part, usual: 10, real: 25) {
      let run = try make(seed, statePath: folder.path, isOnWorker: true, hasFaults: true)
      var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 5)))
      let faults = (0..<Int.random(in: 2...5, using: &random)).map { index in
        (at: random.time(upTo: 10_000), worker: index, fault(&random))
      }
      run.useWorkers(faults, patience: .seconds(Int.random(in: 2...20, using: &random))) {
        Int.random(in: 1...300, using: &random)
      }
      run.run()
      // A wait for a heartbeat may end late, too.
      let broken = RunCheck(run, maxLateness: Self.maxLateness * 2).violations
      #expect(broken == [], "run \(seed)")
      #expect(run.worker?.violations == [], "run \(seed)")
      #expect(run.worker?.attempts == [], "run \(seed)")
      losses += run.events.count { event in
        if case .taskRetrying(_, _, _, .lost) = event.kind { true } else { false }
      }
      for task in run.plan.tasks.indices {
        let attempts = run.machine.started.count { $0.attempt.task.index == task }
        if run.plan.tasks[task].isOnce { #expect(attempts <= 1, "run \(seed)") }
        if run.outcome(task) == .lost {
          // Nothing is started again once the run ends.
          let isEnding = run.events.contains {
            if case .runEnding = $0.kind { true } else { false }
          }
          #expect(
            run.plan.tasks[task].isOnce || isEnding || attempts > LaunchCore.mostLosses,
            "run \(seed)")
        }
      }
    }
    // Otherwise nothing was tried.
    #expect(losses > 0)
  }

  @Test func `The same seed gives the same run`() throws {
    let folder = Folder()
    for seed in 0..<100 {
      let runs = try [make(seed, statePath: folder.path), make(seed, statePath: folder.path)]
      for run in runs { run.run() }
      #expect(runs[0].events == runs[1].events)
      #expect(runs[0].machine.signals == runs[1].machine.signals)
      #expect(runs[0].warnings == runs[1].warnings)
    }
  }
}

/// Checks the events and the machine of a run.
private struct RunCheck {
  private(set) var violations: [String]
  private let run: LoopRun
  private let maxLateness: Duration
  private var outcomes: [TaskID: Outcome] = [:]
  private var running: Set<TaskID> = []
  private var starts: [TaskID: Duration] = [:]
  private var ending: RunEvent.EndReason?
  private var isPaused = false

  init(_ run: LoopRun, maxLateness: Duration) {
    self.run = run
    self.maxLateness = maxLateness
    violations = run.machine.violations
    checkEvents()
    checkMachine()
  }

  private mutating func expect(_ condition: Bool, _ words: String) {
    if !condition { violations.append(words) }
  }

  private mutating func checkEvents() {
    for update in run.updates {
      for event in update.events {
        let late = update.time - event.time
        expect(
          late <= EventPipeline.updateInterval + maxLateness,
          "an event is passed on \(late) late")
      }
    }
    var last = Duration.zero
    for event in run.events {
      expect(event.time >= last, "time goes back to \(event.time)")
      last = event.time
      switch event.kind {
      case .taskStarted(let task, _): checkStart(task, at: event.time)
      case .taskOverdue(let task, _, let limit):
        let late = event.time - (starts[task] ?? .zero) - limit
        expect(late >= .zero && late <= maxLateness, "\(task.name)'s time-out is late by \(late)")
      case .taskRetrying(let task, _, _, _): running.remove(task)
      case .taskEnded(let task, let outcome, _, _):
        running.remove(task)
        expect(outcomes.updateValue(outcome, forKey: task) == nil, "\(task.name) ended twice")
      case .runEnding(let reason): ending = reason
      case .runPaused: isPaused = true
      case .runResumed: isPaused = false
      default: break
      }
      expect(running.count <= run.workers, "more tasks than workers")
      let pooled = running.filter { run.plan.tasks[$0.index].pool != nil }
      expect(pooled.count <= 1, "more tasks than the pool allows")
    }
    expect(outcomes.count == run.plan.tasks.count, "a task without outcome")
    expect(run.events.last?.kind == .runEnded, "something after the end")
  }

  private mutating func checkStart(_ task: TaskID, at time: Duration) {
    starts[task] = time
    expect(!isPaused, "\(task.name) started in a pause")
    expect(running.insert(task).inserted, "\(task.name) started twice")
    expect(outcomes[task] == nil, "\(task.name) started after its end")
    let settings = run.plan.tasks[task.index]
    switch ending {
    case .cancelledImmediately: expect(false, "\(task.name) started after an immediate end")
    // Ready before the failure; its files were looked at meanwhile.
    case .failure where !settings.inputs.isEmpty: break
    case .cancelled, .failure, .deadline:
      expect(settings.isAlways, "\(task.name) started although the run ends")
    case nil: break
    }
    for earlier in settings.after {
      guard let outcome = outcomes[TaskID(earlier)] else {
        expect(false, "\(task.name) started before what it needs")
        continue
      }
      let isForgiven = outcome.isFailure && run.plan.tasks[earlier].isOptional
      expect(
        outcome.isSuccess || isForgiven || settings.isAlways,
        "\(task.name) started without its needs")
    }
  }

  private mutating func checkMachine() {
    let machine = run.machine
    expect(machine.unreleased.isEmpty, "not reaped: \(machine.unreleased)")
    let hasDetached = machine.started.contains { run.plan.tasks[$0.attempt.task.index].isDetached }
    let hasImmortals = machine.scripts.values.joined().contains {
      $0.leader.isImmortal || $0.children.contains(where: \.isImmortal)
    }
    if !hasDetached && !hasImmortals {
      expect(machine.survivors.isEmpty, "left alive: \(machine.survivors)")
    }
    for (attempt, _) in machine.started where outcomes[attempt.task] == .skipped(.upToDate) {
      expect(false, "\(attempt.task.name) was started and is up to date")
    }
  }
}

extension RunEvent.Kind {
  /// The failure after which a task is retried, nil for other events.
  fileprivate var retried: Outcome? {
    guard case .taskRetrying(_, _, _, let outcome) = self, outcome.isFailure else { return nil }
    return outcome
  }
}
