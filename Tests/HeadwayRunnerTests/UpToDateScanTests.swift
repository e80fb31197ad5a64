import Glibc
import HeadwayCollections
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Repetitions
import Testing

@testable import HeadwayRunner

/// Which tasks end as up to date before a worker has them, and when.
struct UpToDateScanTests {
  /// A run of tasks with inputs, of which some have changed; each is given by its dependencies.
  private func run(
    _ after: [[Int]], changed: Set<Int> = [], workers: Int = 1, policy: FailurePolicy = .stop,
    isForced: Bool = false, schedule: ForecastEmitter.Schedule = .never
  ) throws -> LoopRun {
    let tasks = after.enumerated().map { index, after in
      Plan.Task.make("t\(index)", after: after) { $0.inputs = ["in\(index)"] }
    }
    let run = try LoopRun(
      tasks, workers: workers, policy: policy, isForced: isForced, schedule: schedule)
    for index in after.indices { run.machine.isUpToDate[TaskID(index)] = !changed.contains(index) }
    return run
  }

  private func started(_ run: LoopRun) -> [Int] { run.machine.started.map(\.attempt.task.index) }

  @Test func `A run in which nothing has changed starts nothing and reads each task's files once`()
    throws
  {
    let run = try run([[], [0], [1], [], [3], [2, 4]])
    run.run()
    #expect(run.machine.started.isEmpty)
    #expect((0..<6).allSatisfy { run.outcome($0) == .skipped(.upToDate) })
    let read = run.machine.looked.map(\.task) + run.machine.checkedTasks
    #expect(read.map(\.index).sorted() == [0, 1, 2, 3, 4, 5])
    #expect(run.machine.violations == [])
  }

  @Test func `Tasks that are up to date end while the only worker is busy`() throws {
    let run = try run([[], [], [], [2]], changed: [0])
    run.machine.scripts[TaskID(0)] = [.init(leader: .init(duration: .seconds(100)))]
    run.run()
    #expect(started(run) == [0])
    for index in 1...3 {
      #expect(run.outcome(index) == .skipped(.upToDate))
      #expect(try #require(run.end(index)) < .seconds(1))
    }
  }

  @Test func `A task whose pool is full ends if it is up to date, and the pool keeps its limit`()
    throws
  {
    let tasks = (0..<4).map { index in
      Plan.Task.make("t\(index)") { task in
        task.inputs = ["in"]
        task.pool = 0
      }
    }
    let run = try LoopRun(tasks, pools: [1], workers: 4)
    for index in [0, 3] { run.machine.isUpToDate[TaskID(index)] = false }
    run.run()
    #expect(started(run) == [0, 3])
    #expect(try #require(run.end(1)) < .seconds(1))
    #expect(run.end(3) == run.end(0).map { $0 + .seconds(1) + .milliseconds(2) })
  }

  @Test func `A look at a task that waits does not end it`() throws {
    let run = try run([[], [0]], changed: [0])
    run.machine.rewrites[TaskID(0)] = [TaskID(1)]
    run.run()
    #expect(started(run) == [0, 1])
    #expect(run.machine.looked.map(\.task.index) == [1])
    #expect(run.machine.checkedTasks.map(\.index) == [0, 1])
  }

  @Test func `A task behind one that runs is looked at again if no worker is free`() throws {
    let run = try run([[], [0], [0], [1, 2]], changed: [0, 1])
    run.run()
    #expect(started(run) == [0, 1])
    #expect(try #require(run.end(2)) < #require(run.end(1)))
    #expect(run.outcome(2) == .skipped(.upToDate))
    #expect(run.outcome(3) == .skipped(.upToDate))
  }

  @Test func `A look that begins before a dependency writes does not count after it`() throws {
    let run = try run([[], [0]], changed: [0])
    run.machine.rewrites[TaskID(0)] = [TaskID(1)]
    run.machine.lookDelay = .seconds(100)
    run.run()
    #expect(started(run) == [0, 1])
    #expect(run.machine.withdrawn.map(\.index) == [1])
  }

  @Test func `A look that is under way becomes the check of a worker`() throws {
    let run = try run([[], []], changed: [0])
    run.machine.lookDelay = .milliseconds(1500)
    run.run()
    #expect(run.machine.looked.map(\.task.index) == [1])
    #expect(run.machine.withdrawn.isEmpty)
    #expect(run.outcome(1) == .skipped(.upToDate))
    #expect(run.end(1) == .milliseconds(1500))
  }

  @Test func `With --force nothing is looked at`() throws {
    let run = try run([[], [0], [1]], isForced: true)
    run.run()
    #expect(started(run) == [0, 1, 2])
    #expect(run.machine.looked.isEmpty)
  }

  @Test func `A task without inputs runs, and so does a task behind it that it changes`() throws {
    let tasks: [Plan.Task] = [
      .make("first"), .make("second", after: [0]) { $0.inputs = ["in"] },
      .make("third", after: [1]) { $0.inputs = ["in"] },
    ]
    let run = try LoopRun(tasks, workers: 1)
    run.machine.rewrites[TaskID(0)] = [TaskID(1)]
    run.run()
    #expect(started(run) == [0, 1])
    #expect(run.outcome(2) == .skipped(.upToDate))
  }

  @Test func `A task behind a condition that was false is looked at again`() throws {
    let tasks: [Plan.Task] = [
      .make("busy"),
      .make("never") { $0.condition = .equal("a", "b") },
      .make("last", after: [1]) { $0.inputs = ["in"] },
      .make("busy2", after: [0]), .make("busy3", after: [3]),
    ]
    let run = try LoopRun(tasks, workers: 1)
    run.run()
    #expect(run.outcome(1) == .skipped(.condition))
    #expect(run.outcome(2) == .skipped(.upToDate))
    #expect(run.machine.looked.count + run.machine.checkedTasks.count == 2)
  }

  @Test func `During a pause no task ends, and after it the files are looked at again`() throws {
    let run = try run([[], [], []], changed: [0])
    run.machine.lookDelay = .milliseconds(500)
    run.machine.schedule(.togglePause, at: .milliseconds(100))
    run.machine.schedule(.togglePause, at: .seconds(60))
    run.run()
    #expect(started(run) == [0])
    // The clock of the run stands still during the pause.
    #expect(try #require(run.end(1)) >= .milliseconds(100))
    #expect(run.machine.looked.map(\.task.index).count { $0 == 1 } == 2)
    #expect(run.machine.violations == [])
  }

  @Test func `While the run is held nothing ends`() throws {
    let run = try run([[], [], []], changed: [0], policy: .hold)
    run.machine.scripts[TaskID(0)] = [
      .init(leader: .init(duration: .milliseconds(10)), result: .failed(.exited(code: 1)))
    ]
    run.machine.lookDelay = .seconds(1)
    run.machine.schedule(
      .signal(SIGTERM, isForwarded: true),
      at: .seconds(10))
    run.run()
    #expect(run.outcome(1) == .cancelled)
    #expect(run.outcome(2) == .cancelled)
  }

  @Test func `A run that is cancelled waits for no look`() throws {
    let run = try run([[], [], []], changed: [0])
    run.machine.lookDelay = .seconds(1000)
    run.machine.schedule(
      .signal(SIGTERM, isForwarded: true),
      at: .milliseconds(500))
    run.run()
    #expect(run.outcome(1) == .cancelled)
    #expect(Set(run.machine.withdrawn.map(\.index)).isSuperset(of: [1, 2]))
    #expect(try #require(run.events.last).time == .milliseconds(500))
  }

  @Test func `A task that is cancelled while it is looked at stays cancelled`() throws {
    let run = try run([[], []], changed: [0])
    run.machine.lookDelay = .milliseconds(800)
    run.machine.schedule(.ask(.cancelTask("t1")), at: .milliseconds(100))
    run.run()
    #expect(run.outcome(1) == .cancelled)
    #expect(run.machine.withdrawn.map(\.index) == [1])
  }

  @Test func `The first forecast after the looks comes at once`() throws {
    let run = try run([[], [], []], changed: [0], schedule: .events)
    run.machine.lookDelay = .milliseconds(100)
    run.run()
    let times = run.events.compactMap { event in
      if case .forecast = event.kind { event.time } else { nil }
    }
    #expect(times.starts(with: [.zero, .milliseconds(200)]))
  }

  @Test func `Many tasks are looked at a few at a time, the cheapest first`() throws {
    var tasks = (0..<100).map { index in
      Plan.Task.make("t\(index)") { $0.inputs = ["in\(index)"] }
    }
    tasks[1].inputs = ["src/**/*.c"]
    let run = try LoopRun(tasks, workers: 1)
    run.machine.isUpToDate[TaskID(0)] = false
    run.run()
    let looked = run.machine.looked
    #expect(looked.map(\.task.index) == Array(2..<100) + [1])
    #expect(looked.count { $0.at == .zero } == 32)
    #expect(started(run) == [0])
  }
}

/// Random runs with and without looks.
struct UpToDateScanRandomTests {
  /// A random run in which tasks change files of those behind them.
  private func make(_ seed: Int, looks: Bool) throws -> LoopRun {
    var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed)))
    func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    let count = Int.random(in: 1...16, using: &random)
    let tasks: [Plan.Task] = (0..<count).map { index in
      .make("t\(index)", after: (0..<index).filter { _ in once(in: 5) }) { task in
        if !once(in: 5) { task.inputs = [once(in: 3) ? "src/**" : "in"] }
        if once(in: 4) { task.pool = 0 }
        if once(in: 12) { task.command = nil }
        if once(in: 8) { task.condition = .equal("a", once(in: 2) ? "a" : "b") }
        task.isAlways = once(in: 10)
      }
    }
    let run = try LoopRun(
      tasks, pools: [1], workers: Int.random(in: 1...3, using: &random), policy: .keepGoing)
    let machine = run.machine
    for index in 0..<count {
      machine.isUpToDate[TaskID(index)] = !once(in: 3)
      var script = VirtualMachine.AttemptScript()
      script.leader.duration = .milliseconds(Int.random(in: 0...500, using: &random))
      if once(in: 10) { script.result = .failed(.exited(code: 1)) }
      machine.scripts[TaskID(index)] = [script]
      // A task changes only files of tasks that come after it, at once or through others.
      var behind: Set<Int> = [index]
      for other in index..<count where tasks[other].after.contains(where: behind.contains) {
        behind.insert(other)
      }
      machine.rewrites[TaskID(index)] = behind.sorted().dropFirst().filter { _ in once(in: 3) }
        .map { TaskID($0) }
    }
    machine.checkDelay = .milliseconds(Int.random(in: 0...300, using: &random))
    machine.lookDelay = .milliseconds(Int.random(in: 0...300, using: &random))
    if !looks { machine.lookDelay = nil }
    if once(in: 4) {
      let begin = Duration.milliseconds(Int.random(in: 0...1000, using: &random))
      machine.schedule(.togglePause, at: begin)
      machine.schedule(.togglePause, at: begin + .seconds(1))
    }
    return run
  }

  @Test(arguments: 0..<4) func `Looks change neither what runs nor what is recorded`(part: Int)
    throws
  {
    for seed in seeds(of: part, usual: 100, real: 500) {
      let with = try make(seed, looks: true)
      let without = try make(seed, looks: false)
      for run in [with, without] { run.run() }
      #expect(with.machine.violations == [], "run \(seed)")
      let tasks = with.plan.tasks.indices
      // Which of several failures skips a task depends on their times.
      #expect(
        tasks.map { with.outcome($0)?.kind } == tasks.map { without.outcome($0)?.kind },
        "run \(seed)")
      func work(_ run: LoopRun) -> Set<TaskID> { Set(run.machine.started.map(\.attempt.task)) }
      #expect(work(with) == work(without), "run \(seed)")
      #expect(Set(with.machine.kept) == Set(without.machine.kept), "run \(seed)")
      #expect(isInOrder(with), "run \(seed)")
    }
  }

  /// Whether each task started after the end of those that it comes after.
  private func isInOrder(_ run: LoopRun) -> Bool {
    var ended: Set<Int> = []
    for event in run.events {
      if case .taskEnded(let task, _, _, _) = event.kind { ended.insert(task.index) }
      guard case .taskStarted(let task, _) = event.kind else { continue }
      if !ended.isSuperset(of: run.plan.tasks[task.index].after) { return false }
    }
    return true
  }
}
