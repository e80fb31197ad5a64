import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport
import Repetitions
import Testing

/// Launchers on random graphs with random failures, cancels, additions and removals.
struct LauncherRandomTests {
  /// What came of a run.
  private struct Course: Sendable {
    /// All that happened.
    var events: [RunEvent]
    /// The result.
    var result: LaunchResult
    /// What each task that was added or in the graph needs.
    var needs: [Int: [Int]]
    /// The pool of each task that is in one.
    var pools: [Int: Int] = [:]
    /// How many tasks of each pool may run at once.
    var poolLimits: [Int] = []
    /// The tasks that may fail without harm.
    var optional: Set<Int>
    /// The tasks that always run.
    var always: Set<Int>
    /// The workers.
    var workers: Int
  }

  /// A random body.
  private static func body(_ launch: VirtualLaunch, _ generator: inout SeededRandom) -> TaskBody {
    let seconds = Int.random(in: 0...6, using: &generator)
    let fails = generator.once(in: 5)
    let isDeaf = generator.once(in: 8)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      return .immediate { _ in if fails { throw Mishap(description: "now") } }
    case 1:
      return .reporting { _, report in
        Task(executorPreference: launch.executor) {
          try? await launch.sleep(seconds)
          if fails { report.fail(Mishap(description: "told")) } else { report.succeed() }
        }
      }
    case 2:
      return .nothing
    default:
      return .asynchronous { _ in
        if isDeaf { try? await launch.sleep(seconds) } else { try await launch.sleep(seconds) }
        if fails { throw Mishap(description: "later") }
      }
    }
  }

  /// Random settings.
  private static func settings(_ generator: inout SeededRandom) -> TaskSettings {
    TaskSettings(
      timeout: generator.once(in: 3) ? .seconds(Int.random(in: 1...5, using: &generator)) : nil,
      grace: .seconds(Int.random(in: 0...2, using: &generator)),
      retries: RetryPolicy(limit: generator.once(in: 4) ? 2 : 0, backoff: .seconds(1), jitter: 0.5),
      isOptional: generator.once(in: 5), alwaysRuns: generator.once(in: 9),
      priority: Int32.random(in: -1...1, using: &generator))
  }

  /// Runs a random graph.
  private func course(seed: UInt64) throws -> Course {
    try withVirtualLaunch(seed: seed) { launch in
      var generator = SeededRandom(seed)
      var graph = LaunchGraph()
      var course = Course(
        events: [], result: try await Launcher(LaunchGraph(), options: launch.options()).run(),
        needs: [:], optional: [],
        always: [], workers: Int.random(in: 1...4, using: &generator))
      func earlier(_ count: Int) -> [TaskID] {
        (0..<count).filter { _ in generator.once(in: 6) }.map { TaskID($0) }
      }
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        course.poolLimits.append(Int.random(in: 1...2, using: &generator))
      }
      let pools = course.poolLimits.map { graph.addPool(limit: $0) }
      func settings() -> TaskSettings {
        var settings = Self.settings(&generator)
        if generator.once(in: 2) { settings.pool = pools.randomElement(using: &generator) }
        return settings
      }
      func note(_ id: TaskID, _ before: [TaskID], _ settings: TaskSettings) {
        course.pools[id.index] = settings.pool?.index
        course.needs[id.index] = before.map(\.index)
        if settings.isOptional { course.optional.insert(id.index) }
        if settings.alwaysRuns { course.always.insert(id.index) }
      }
      for place in 0..<Int.random(in: 1...20, using: &generator) {
        let (before, settings) = (earlier(place), settings())
        let id = graph.add(
          "t\(place)", after: before, settings: settings, Self.body(launch, &generator))
        note(id, before, settings)
      }
      let policies: [FailurePolicy] = [.stop, .keepGoing, .failFast]
      var options = launch.options(
        workers: course.workers, policy: policies[Int.random(in: 0..<3, using: &generator)],
        deadline: generator.once(in: 6) ? .seconds(9) : nil)
      options.seed = seed
      let launcher = try Launcher(graph, options: options)
      let events = launcher.events()
      async let list = events.reduce(into: [RunEvent]()) { $0.append($1) }
      async let result = launcher.run()
      for number in 0..<Int.random(in: 0...6, using: &generator) {
        try await launch.sleep(Int.random(in: 0...2, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: launcher.cancel()
        case 1, 2: launcher.remove(TaskID(Int.random(in: 0..<graph.count, using: &generator)))
        case 3:
          launcher.pause()
          try await launch.sleep(3)
          launcher.resume()
        default:
          let (before, settings) = (earlier(graph.count), settings())
          let id = try? launcher.add(
            "added \(number)", after: before, settings: settings, Self.body(launch, &generator))
          if let id { note(id, before, settings) }
        }
      }
      course.result = await result
      course.events = await list
      return course
    }
  }

  @Test func `Every log of random runs keeps the promises of a launcher`() throws {
    for seed in 0..<UInt64(repetitions(1_000, real: 10_000, underSanitizer: 100)) {
      let course = try course(seed: seed)
      check(course, seed)
      #expect(course.events == (try self.course(seed: seed)).events, "another log, seed \(seed)")
    }
  }

  /// Checks the log of a run.
  private func check(_ course: Course, _ seed: UInt64) {
    var outcomes: [TaskID: Outcome] = [:]
    var running: Set<TaskID> = []
    var isPaused = false
    for event in course.events {
      switch event.kind {
      case .taskStarted(let id, _):
        #expect(!isPaused, "started in a pause, seed \(seed)")
        #expect(running.insert(id).inserted, "started twice at once, seed \(seed)")
        #expect(outcomes[id] == nil, "started after its end, seed \(seed)")
        for before in course.needs[id.index] ?? [] where !course.always.contains(id.index) {
          let outcome = outcomes[TaskID(before)]
          let isForgiven = outcome?.isFailure == true && course.optional.contains(before)
          #expect(outcome?.isSuccess == true || isForgiven, "started too early, seed \(seed)")
        }
      case .taskRetrying(let id, _, _, _): running.remove(id)
      case .taskEnded(let id, let outcome, _, _):
        running.remove(id)
        #expect(outcomes.updateValue(outcome, forKey: id) == nil, "two outcomes, seed \(seed)")
      case .runPaused: isPaused = true
      case .runResumed: isPaused = false
      default: break
      }
      #expect(running.count <= course.workers, "too many at once, seed \(seed)")
      for (pool, limit) in course.poolLimits.enumerated() {
        let count = running.count { course.pools[$0.index] == pool }
        #expect(count <= limit, "too many of a pool at once, seed \(seed)")
      }
    }
    #expect(course.events.last?.kind == .runEnded, "something after the end, seed \(seed)")
    #expect(outcomes.count == course.result.tasks.count, "a task without outcome, seed \(seed)")
    for task in course.result.tasks {
      #expect(outcomes[task.id] == task.outcome, "another outcome in the result, seed \(seed)")
    }
  }
}
