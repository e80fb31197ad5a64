import HeadwayLaunch
import HeadwayRun
import Testing

/// What tasks need of their machines.
struct PlacementTests {
  /// Tasks that take a second each, on machines whose tasks are counted.
  private final class Run {
    var core: LaunchCore
    /// The tasks that run, in the order in which they were started.
    var running: [TaskID] = []
    /// The tasks in the order in which they were started, with their machines.
    var started: [(name: String, machine: Int?)] = []

    init(
      _ tasks: [(String, Resources?)], on machines: [Resources], workers: Int = 100,
      pool limit: Int? = nil, expectsMachines: Bool = false
    ) throws {
      var graph = LaunchGraph()
      let pool = limit.map { graph.addPool(limit: $0) }
      for (name, needs) in tasks {
        var settings = TaskSettings()
        settings.needs = needs
        settings.pool = pool
        _ = graph.add(name, settings: settings)
      }
      core = try LaunchCore(graph: graph, workers: workers, policy: .keepGoing)
      for machine in machines { core.placement?.addMachine(machine) }
      core.placement?.expectsMachines = expectsMachines
      core.begin(at: .zero)
      start()
    }

    /// Starts what can be started.
    func start() {
      while case .start(let id, _)? = core.nextCommand() {
        core.attemptBegan(id, at: .zero)
        started.append((id.name, core.placement?.machine(of: id.index)))
        running.append(id)
      }
    }

    /// Ends a task, and starts what can be started.
    func end(_ name: String) {
      guard let index = running.firstIndex(where: { $0.name == name }) else {
        Issue.record("\(name) does not run")
        return
      }
      core.attemptEnded(running.remove(at: index), result: .succeeded, at: .zero)
      start()
    }

    func machine(of index: Int) -> Int? { core.placement?.machine(of: index) }

    func gpus(of index: Int) -> [Int] { core.placement?.gpus(of: index) ?? [] }

    func unmetNeeds(of index: Int) -> Resources? { core.unmetNeeds(of: TaskID(index)) }

    func machine(of name: String) -> Int? { started.last { $0.name == name }?.machine }

    var names: [String] { started.map(\.name) }
  }

  private static let gibibyte = 1 << 30

  @Test func `Each task needs a CPU`() throws {
    let run = try Run(
      [("a", Resources(cpus: 2)), ("b", nil), ("c", nil)], on: [Resources(cpus: 3)])
    #expect(run.names == ["a", "b"])
  }

  @Test func `A task goes to the machine with the most free CPUs, and to one with GPUs last`()
    throws
  {
    let run = try Run(
      [("a", nil), ("b", nil), ("c", nil), ("g", Resources(gpus: 1))],
      on: [Resources(cpus: 2), Resources(cpus: 3), Resources(cpus: 8, gpus: 1)])
    #expect(run.started.map(\.machine) == [1, 0, 1, 2])
    let full = try Run(
      [("a", nil), ("b", nil), ("g", Resources(gpus: 1))],
      on: [Resources(cpus: 1), Resources(cpus: 8, gpus: 1)])
    #expect(full.started.map(\.machine) == [0, 1, 1])
  }

  @Test func `Memory and labels decide where a task can run`() throws {
    let run = try Run(
      [
        ("large", Resources(memory: 6 * Self.gibibyte)),
        ("medium", Resources(memory: 3 * Self.gibibyte)),
        ("small", Resources(memory: Self.gibibyte)), ("fast", Resources(labels: ["fast"])),
      ],
      on: [
        Resources(cpus: 8, memory: 8 * Self.gibibyte),
        Resources(cpus: 2, memory: 2 * Self.gibibyte, labels: ["fast", "near"]),
      ])
    #expect(run.machine(of: "large") == 0)
    #expect(run.machine(of: "small") == 0)
    #expect(run.machine(of: "fast") == 1)
    #expect(!run.names.contains("medium"))
  }

  @Test func `Each task has GPUs of its own`() throws {
    let run = try Run(
      [("a", Resources(gpus: 2)), ("b", Resources(gpus: 1)), ("c", Resources(gpus: 2))],
      on: [Resources(cpus: 8, gpus: 4)])
    #expect((0..<3).map { run.gpus(of: $0) } == [[0, 1], [2], []])
    run.end("a")
    #expect(run.gpus(of: 2) == [0, 1])
  }

  @Test func `The needs of ready tasks are counted up to the limits of workers and pools`()
    throws
  {
    let large = Resources(cpus: 4)
    let tasks: [(String, Resources?)] = [
      ("a", nil), ("b", large), ("c", nil), ("group", Resources(cpus: 0)), ("d", nil),
    ]
    let run = try Run(tasks, on: [], expectsMachines: true)
    // A group needs no machine.
    #expect(run.names == ["group"])
    #expect(run.machine(of: "group") == nil && run.unmetNeeds(of: 3) == nil)
    let needs = run.core.readyNeeds(most: 10)
    #expect(needs.map(\.needs) == [Resources(), large])
    #expect(needs.map(\.count) == [3, 1])
    #expect(run.core.readyNeeds(most: 2).map(\.count) == [2])
    #expect(run.core.readyNeeds(most: 4).map(\.count) == [3, 1])
    let few = try Run(tasks, on: [], workers: 3, expectsMachines: true)
    #expect(few.core.readyNeeds(most: 10).map(\.count) == [2])
    let pooled = try Run(tasks, on: [], pool: 1, expectsMachines: true)
    #expect(pooled.core.readyNeeds(most: 10).isEmpty)
    pooled.end("group")
    #expect(pooled.core.readyNeeds(most: 10).map(\.count) == [1])
    run.core.placement?.addMachine(Resources())
    run.start()
    #expect(run.core.readyNeeds(most: 10).map(\.needs) == [large, Resources()])
    #expect(run.core.readyNeeds(most: 10).map(\.count) == [1, 2])
  }

  @Test func `A machine that was made for a task gets one task that needs the same`() throws {
    let large = Resources(cpus: 4)
    let run = try Run([("a", nil), ("b", nil), ("c", large)], on: [], expectsMachines: true)
    run.core.placement?.addMachine(large, own: large)
    run.core.placement?.addMachine(Resources(labels: ["x"]), own: Resources())
    run.start()
    #expect(run.machine(of: "c") == 0 && run.machine(of: "a") == 1)
    #expect(!run.names.contains("b"))
  }

  @Test func `What fits on no machine that can be made is hopeless`() throws {
    let run = try Run(
      [("small", nil), ("large", Resources(cpus: 9)), ("fast", Resources(labels: ["fast"]))],
      on: [],
      expectsMachines: true)
    run.core.placement?.largestDedicatedMachine = Resources(cpus: 8)
    run.start()
    #expect(run.names.isEmpty)
    run.core.placement?.expectsMachines = false
    run.start()
    #expect(run.names == ["large", "fast"])
    #expect(run.unmetNeeds(of: 1) == Resources(cpus: 9))
    run.core.placement?.largestDedicatedMachine = nil
    run.start()
    #expect(run.names.last == "small")
  }

  @Test func `A large task is overtaken only so often`() throws {
    let tasks =
      [("first", nil), ("second", nil), ("large", Resources(cpus: 2))]
      + (0..<20).map { ("small\($0)", nil as Resources?) }
    let run = try Run(tasks, on: [Resources(cpus: 2)], workers: 5)
    #expect(run.names == ["first", "second"])
    var overtakers = 0
    while !run.names.contains("large") {
      run.end(try #require(run.running.first).name)
      overtakers = run.names.count { $0.hasPrefix("small") }
    }
    #expect(overtakers == 5)
  }

  @Test func `A full pool does not forget the large task`() throws {
    let tasks = [("large", Resources(cpus: 4))] + (0..<20).map { ("s\($0)", Resources(cpus: 2)) }
    let run = try Run(
      [("first", Resources(cpus: 2))] + tasks, on: [Resources(cpus: 4)], workers: 3, pool: 2)
    // The pool is full after each start.
    var ended = 0
    while !run.names.contains("large"), let task = run.running.first {
      run.end(task.name)
      ended += 1
    }
    #expect(run.names.contains("large") && ended < 8, "\(run.names)")
  }

  @Test func `A task that was handed back is handed out again, as the same attempt`() throws {
    var graph = LaunchGraph()
    let task = graph.add("a")
    _ = graph.add("b")
    var core = try LaunchCore(graph: graph, workers: 1, policy: .keepGoing)
    core.begin(at: .zero)
    guard case .start(task, let attempt)? = core.nextCommand() else {
      Issue.record("not started")
      return
    }
    core.handBack(task, at: .zero)
    // Meanwhile the worker is free for another one.
    guard case .start(let other, _)? = core.nextCommand() else {
      Issue.record("the worker is not free")
      return
    }
    core.attemptBegan(other, at: .zero)
    core.attemptEnded(other, result: .succeeded, at: .zero)
    let deadline = core.nextDeadline
    let next = try #require(deadline)
    core.advance(to: next)
    guard case .start(task, attempt)? = core.nextCommand() else {
      Issue.record("not started again")
      return
    }
    core.attemptBegan(task, at: next)
    core.attemptEnded(task, result: .succeeded, at: next)
    #expect(core.outcome(of: task) == .succeeded)
  }

  @Test func `Only what the large task needs is kept for it`() throws {
    let tasks: [(String, Resources?)] =
      [("gpu1", Resources(gpus: 1)), ("gpu2", Resources(gpus: 2))]
      + (0..<4).map { ("gpu\($0 + 3)", Resources(gpus: 1)) } + (0..<9).map { ("small\($0)", nil) }
    let run = try Run(tasks, on: [Resources(cpus: 9, gpus: 2)], workers: 3)
    #expect(run.names == ["gpu1", "gpu3", "small0"])
    run.end("gpu1")
    // The third one that overtakes it is the last one that takes a GPU.
    #expect(run.names.last == "gpu4")
    run.end("gpu3")
    // But there are enough CPUs for others.
    #expect(run.names.last == "small1")
    run.end("gpu4")
    #expect(run.names.last == "gpu2")
    while let task = run.running.first { run.end(task.name) }
    #expect(run.names.count == tasks.count)
  }

  @Test func `Tasks wait while more machines may come, and then fail`() throws {
    let run = try Run([("a", Resources(gpus: 1)), ("b", nil)], on: [Resources(cpus: 2)])
    // Nobody expects more, so it is handed out without a machine, to fail.
    #expect(run.machine(of: "a") == nil)
    #expect(run.unmetNeeds(of: 0) == Resources(gpus: 1))
    #expect(run.unmetNeeds(of: 1) == nil)

    var graph = LaunchGraph()
    var settings = TaskSettings()
    settings.needs = Resources(gpus: 1)
    _ = graph.add("a", settings: settings)
    run.core = try LaunchCore(graph: graph, workers: 4, policy: .stop)
    run.core.placement?.addMachine(Resources(cpus: 2))
    run.core.placement?.expectsMachines = true
    run.core.begin(at: .zero)
    var command = run.core.nextCommand()
    #expect(command == nil)
    run.core.placement?.addMachine(Resources(cpus: 1, gpus: 1))
    command = run.core.nextCommand()
    #expect(command == .start(TaskID(0), attempt: 1))
    #expect(run.machine(of: 0) == 1)
  }

  @Test func `Nothing starts on a machine that is closed`() throws {
    let run = try Run(
      [("a", Resources(cpus: 2)), ("b", Resources(cpus: 2)), ("c", Resources(cpus: 2))],
      on: [Resources(cpus: 2), Resources(cpus: 2)])
    #expect(run.started.map(\.machine) == [0, 1])
    run.core.placement?.setOpen(0, false)
    run.end("a")
    #expect(run.names == ["a", "b"])
    run.end("b")
    #expect(run.machine(of: "c") == 1)
  }

  @Test func `Random tasks never need more than there is, and all of them run`() throws {
    for seed in 0..<500 {
      var random = SeededRandom(UInt64(seed))
      let machines = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Resources(
          cpus: Int.random(in: 2...8, using: &random),
          memory: Int.random(in: 4...16, using: &random),
          gpus: random.once(in: 3) ? 2 : 0, labels: random.once(in: 2) ? ["fast"] : [])
      }
      var tasks: [(String, Resources?)] = []
      while tasks.count < 60 {
        let needs =
          random.once(in: 3)
          ? nil
          : Resources(
            cpus: Int.random(in: 1...8, using: &random),
            memory: Int.random(in: 0...8, using: &random),
            gpus: random.once(in: 4) ? Int.random(in: 1...2, using: &random) : 0,
            labels: random.once(in: 4) ? ["fast"] : [])
        if machines.contains(where: { $0.fits(needs ?? Resources()) }) {
          tasks.append(("t\(tasks.count)", needs))
        }
      }
      let workers = Int.random(in: 1...9, using: &random)
      let run = try Run(tasks, on: machines, workers: workers)
      while let ended = run.running.randomElement(using: &random) {
        var free = machines
        for task in run.running {
          let machine = try #require(run.machine(of: task.index))
          let needs = tasks[task.index].1 ?? Resources()
          #expect(free[machine].fits(needs), "seed \(seed)")
          free[machine] = free[machine].subtracting(needs)
        }
        #expect(run.running.count <= workers)
        run.end(ended.name)
      }
      #expect(run.started.count == tasks.count, "seed \(seed)")
    }
  }
}
