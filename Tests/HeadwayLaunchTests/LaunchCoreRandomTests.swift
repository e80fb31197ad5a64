import HeadwayLaunch
import HeadwayRun
import Repetitions
import Testing

/// A small generator of numbers that are the same in every run.
struct SeededRandom: RandomNumberGenerator {
  /// The state.
  private var state: UInt64

  /// Creates a generator from a seed.
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
  }

  /// Whether something happens that does so once in `n` times.
  mutating func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}

/// The engine on random graphs with random failures and ends: what must hold in every log.
struct LaunchCoreRandomTests {
  /// A random graph, with edges from earlier to later tasks only.
  private func graph(_ generator: inout SeededRandom) -> LaunchGraph {
    var graph = LaunchGraph()
    let pool = graph.addPool(limit: 1)
    for place in 0..<Int.random(in: 1...30, using: &generator) {
      let settings = TaskSettings(
        timeout: generator.once(in: 3) ? .seconds(Int.random(in: 1...5, using: &generator)) : nil,
        grace: .seconds(Int.random(in: 0...2, using: &generator)),
        retries: RetryPolicy(limit: generator.once(in: 3) ? 2 : 0, backoff: .seconds(1)),
        pool: generator.once(in: 4) ? pool : nil, isOptional: generator.once(in: 5),
        alwaysRuns: generator.once(in: 8),
        deadline: generator.once(in: 4) ? .seconds(Int.random(in: 0...8, using: &generator)) : nil,
        delay: generator.once(in: 4) ? .seconds(Int.random(in: 1...4, using: &generator)) : .zero)
      let task = graph.add("t\(place)", settings: settings)
      for earlier in 0..<place where generator.once(in: 6) {
        graph.addDependency(of: task, on: TaskID(earlier))
      }
    }
    return graph
  }

  /// Random scripts for the tasks of a graph.
  private func scripts(_ graph: LaunchGraph, _ generator: inout SeededRandom) -> [TaskID:
    [VirtualRun.Script]]
  {
    var scripts: [TaskID: [VirtualRun.Script]] = [:]
    for place in 0..<graph.count {
      scripts[TaskID(place)] = (0..<3).map { _ in
        VirtualRun.Script(
          duration: .seconds(Int.random(in: 0...6, using: &generator)),
          result: generator.once(in: 5) ? .failed(.exited(code: 1)) : .succeeded,
          obedience: generator.once(in: 3)
            ? nil : .seconds(Int.random(in: 0...3, using: &generator)),
          leftovers: generator.once(in: 8) ? .seconds(1) : nil, cannotStart: generator.once(in: 20))
      }
    }
    return scripts
  }

  /// A random run.
  private func run(seed: UInt64) throws -> VirtualRun {
    var generator = SeededRandom(seed)
    let graph = graph(&generator)
    let policies: [FailurePolicy] = [.stop, .keepGoing, .failFast]
    var requests: [(at: Duration, LaunchCore.Urgency)] = []
    if generator.once(in: 3) {
      requests.append((.seconds(Int.random(in: 0...9, using: &generator)), .graceful))
    }
    if generator.once(in: 5) {
      requests.append((.seconds(Int.random(in: 0...9, using: &generator)), .immediate))
    }
    let run = try VirtualRun(
      graph, workers: Int.random(in: 1...4, using: &generator),
      policy: seed % 5 == 4 ? .hold : policies[Int.random(in: 0..<3, using: &generator)],
      scripts: scripts(graph, &generator),
      requests: requests,
      cancels: (0..<(generator.once(in: 3) ? 2 : 0)).map { _ in
        (
          .seconds(Int.random(in: 0...9, using: &generator)),
          TaskID(Int.random(in: 0..<graph.count, using: &generator))
        )
      }, decisions: seed % 5 == 4 ? [] : nil)
    _ = run.run()
    return run
  }

  @Test func `Every log of random runs keeps the promises of the engine`() throws {
    for seed in 0..<repetitions(2_000, real: 10_000) {
      let run = try run(seed: UInt64(seed))
      check(run, seed)
    }
  }

  @Test func `The same seed gives the same log`() throws {
    for seed in 0..<50 {
      #expect(try run(seed: UInt64(seed)).log == run(seed: UInt64(seed)).log)
    }
  }

  /// Checks the log of a run.
  private func check(_ run: VirtualRun, _ seed: Int) {
    let graph = run.graph
    var outcomes: [TaskID: Outcome] = [:]
    var ends: [TaskID: Duration] = [:]
    var firstStarts: [TaskID: Duration] = [:]
    var needs: [TaskID: [TaskID]] = [:]
    for edge in graph.edges { needs[TaskID(edge.after), default: []].append(TaskID(edge.before)) }
    // Edges lead from earlier to later places, so what comes before a task is known when it is its turn.
    var ancestors = Array(repeating: Set<TaskID>(), count: graph.count)
    for place in 0..<graph.count {
      for earlier in needs[TaskID(place)] ?? [] {
        ancestors[place].formUnion(ancestors[earlier.index].union([earlier]))
      }
    }
    var last = Duration.zero
    var running: Set<TaskID> = []
    for event in run.events {
      #expect(event.time >= last, "time goes back in run \(seed)")
      last = event.time
      switch event.kind {
      case .taskStarted(let id, let attempt):
        let settings = graph.settings(of: id)
        let ready = (needs[id] ?? []).compactMap { ends[$0] }.max() ?? .zero
        let first = firstStarts[id] ?? event.time
        firstStarts[id] = first
        #expect(
          attempt > 1 || event.time >= ready + settings.delay,
          "started before its delay in run \(seed)")
        // A person may let a task run again that has failed.
        #expect(
          attempt == 1 || run.core.holdsFailedTasks
            || settings.deadline.map { event.time <= first + $0 } ?? true,
          "started after its deadline in run \(seed)")
        #expect(running.insert(id).inserted, "started twice in run \(seed)")
        #expect(outcomes[id] == nil, "started after its end in run \(seed)")
        let before = ancestors[id.index]
        #expect(
          running.isDisjoint(with: before), "started beside what comes before it in run \(seed)")
        for earlier in needs[id] ?? [] {
          #expect(outcomes[earlier] != nil, "started before what it needs in run \(seed)")
          guard let outcome = outcomes[earlier], !graph.settings(of: id).alwaysRuns else {
            continue
          }
          let isForgiven = outcome.isFailure && graph.settings(of: earlier).isOptional
          #expect(outcome.isSuccess || isForgiven, "started without what it needs in run \(seed)")
        }
      case .taskRetrying(let id, _, _, _):
        running.remove(id)
      case .taskEnded(let id, let outcome, _, _):
        running.remove(id)
        ends[id] = event.time
        #expect(outcomes.updateValue(outcome, forKey: id) == nil, "two outcomes in run \(seed)")
      case .runStarted, .taskReady, .taskOverdue, .runEnding, .runEnded, .taskAdded, .taskExtended,
        .taskPlaced, .workersWaiting, .taskReportedAgain, .runPaused, .runResumed, .runHeld,
        .runProceeding,
        .queueEmptied, .forecast, .missed:
        break
      }
      #expect(running.count <= run.core.workers, "too many at once in run \(seed)")
      let pooled = running.filter { graph.settings(of: $0).pool != nil }
      #expect(pooled.count <= 1, "too many of a pool at once in run \(seed)")
    }
    #expect(outcomes.count == graph.count, "a task without outcome in run \(seed)")
    #expect(run.events.last?.kind == .runEnded, "something after the end in run \(seed)")
  }
}
