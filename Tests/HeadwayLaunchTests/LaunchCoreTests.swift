import HeadwayLaunch
import HeadwayRun
import Testing

/// The engine on virtual time: each test reads the whole log of a run.
struct LaunchCoreTests {
  /// Settings that say nothing.
  private let plain = TaskSettings()
  /// A failed attempt.
  private let fails = VirtualRun.Script(result: .failed(.exited(code: 7)))

  /// Runs a graph and returns its log without the first and the last line.
  private func log(
    _ tasks: [(String, after: [String], TaskSettings)], pools: [Int] = [], workers: Int = 2,
    policy: FailurePolicy = .stop, scripts: [Int: [VirtualRun.Script]] = [:],
    requests: [(at: Duration, LaunchCore.Urgency)] = []
  ) throws -> [String] {
    var byTask: [TaskID: [VirtualRun.Script]] = [:]
    for (place, script) in scripts { byTask[TaskID(place)] = script }
    let run = try VirtualRun(
      LaunchGraph(tasks, pools: pools), workers: workers, policy: policy, scripts: byTask,
      requests: requests)
    return Array(run.run().dropFirst().dropLast())
  }

  @Test func `Tasks start in the order of the graph, as many as there are workers`() throws {
    let log = try log([("a", [], plain), ("b", [], plain), ("c", [], plain)])
    #expect(
      log == [
        "0 a starts", "0 b starts", "1 a succeeded", "1 c starts", "1 b succeeded", "2 c succeeded",
      ])
  }

  @Test func `A task waits for all that it needs`() throws {
    let log = try log(
      [("c", ["a", "b"], plain), ("a", [], plain), ("b", [], plain)],
      scripts: [2: [.init(duration: .seconds(3))]])
    #expect(
      log == [
        "0 a starts", "0 b starts", "1 a succeeded", "3 b succeeded", "3 c starts", "4 c succeeded",
      ])
  }

  @Test func `A pool bounds its tasks and holds no worker from the others`() throws {
    let pooled = TaskSettings(pool: PoolID(0))
    let log = try log([("a", [], pooled), ("b", [], pooled), ("c", [], plain)], pools: [1])
    #expect(
      log == [
        "0 a starts", "0 c starts", "1 a succeeded", "1 b starts", "1 c succeeded", "2 b succeeded",
      ])
  }

  @Test func `A failure stops further starts, lets the rest end and skips with the cause`() throws {
    let log = try log(
      [
        ("a", [], plain), ("b", [], plain), ("c", ["a"], plain), ("d", ["c"], plain),
        ("e", [], plain),
      ],
      scripts: [0: [fails], 1: [.init(duration: .seconds(2))]])
    #expect(
      log == [
        "0 a starts", "0 b starts", "1 a failed 7", "1 c skipped, needs a", "1 d skipped, needs a",
        "1 ending because of a", "1 e skipped, stopped by a", "2 b succeeded",
      ])
  }

  @Test func `Keeping going runs all that does not need the failed task`() throws {
    let log = try log(
      [("a", [], plain), ("b", ["a"], plain), ("c", [], plain)], workers: 1, policy: .keepGoing,
      scripts: [0: [fails]])
    #expect(
      log == [
        "0 a starts", "1 a failed 7", "1 b skipped, needs a", "1 c starts", "2 c succeeded",
      ])
  }

  @Test func `Failing fast ends what runs`() throws {
    let log = try log(
      [("a", [], plain), ("b", [], plain)], policy: .failFast,
      scripts: [0: [fails], 1: [.init(duration: .seconds(9))]])
    #expect(
      log == [
        "0 a starts", "0 b starts", "1 a failed 7", "1 ending because of a", "1 b cancelled",
      ])
  }

  @Test func `Dependents of a failed optional task run`() throws {
    let log = try log(
      [("a", [], TaskSettings(isOptional: true)), ("b", ["a"], plain)], scripts: [0: [fails]])
    #expect(log == ["0 a starts", "1 a failed 7", "1 b starts", "2 b succeeded"])
  }

  @Test func `Dependents of a skipped optional task are skipped`() throws {
    let log = try log(
      [("a", [], plain), ("b", ["a"], TaskSettings(isOptional: true)), ("c", ["b"], plain)],
      policy: .keepGoing, scripts: [0: [fails]])
    #expect(
      log == ["0 a starts", "1 a failed 7", "1 b skipped, needs a", "1 c skipped, needs a"])
  }

  @Test func `A task that always runs does so after a failure`() throws {
    let log = try log(
      [
        ("a", [], plain), ("b", ["a"], plain), ("clean", ["b"], TaskSettings(alwaysRuns: true)),
      ], scripts: [0: [fails]])
    #expect(
      log == [
        "0 a starts", "1 a failed 7", "1 b skipped, needs a", "1 ending because of a",
        "1 clean starts", "2 clean succeeded",
      ])
  }

  @Test func `A task that always runs is skipped if nothing before it was started`() throws {
    let log = try log(
      [
        ("a", [], plain), ("b", [], TaskSettings(priority: -1)), ("c", ["b"], plain),
        ("clean", ["c"], TaskSettings(alwaysRuns: true)),
      ], workers: 1, scripts: [0: [fails]])
    #expect(!log.contains { $0.contains("clean starts") })
    #expect(log.contains { $0.contains("clean skipped") })
  }

  @Test func `A false condition does not stop what depends on it`() throws {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], plain), ("b", ["a"], plain)]), workers: 1, policy: .stop)
    core.begin(at: .zero)
    #expect(core.nextCommand() == .start(TaskID(0), attempt: 1))
    core.attemptEnded(TaskID(0), result: .skipped(.condition), at: .zero)
    #expect(core.nextCommand() == .start(TaskID(1), attempt: 1))
  }

  @Test func `A task that runs out of time is asked, then forced, and is timed out`() throws {
    let slow = TaskSettings(timeout: .seconds(2), grace: .seconds(3))
    let log = try log(
      [("a", [], slow)], scripts: [0: [.init(duration: .seconds(99), obedience: nil)]])
    #expect(log == ["0 a starts", "2 a is overdue", "5 a timed out"])
  }

  @Test func `A task without a grace period is killed when its time is up, without being asked`()
    throws
  {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], TaskSettings(timeout: .seconds(2), grace: .zero))]),
      workers: 1, policy: .stop)
    core.begin(at: .zero)
    _ = core.nextCommand()
    core.attemptBegan(TaskID(0), at: .zero)
    core.advance(to: .seconds(2))
    let (first, second) = (core.nextCommand(), core.nextCommand())
    #expect(first == .kill(TaskID(0)))
    #expect(second == nil)
  }

  @Test func `A run that is ending is not paused, so its tasks are killed after their grace`()
    throws
  {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], TaskSettings(grace: .seconds(3)))]), workers: 1, policy: .stop)
    core.begin(at: .zero)
    _ = core.nextCommand()
    core.attemptBegan(TaskID(0), at: .zero)
    core.end(.graceful, at: .seconds(1))
    core.pause(at: .seconds(1))
    let (asked, isPaused) = (core.nextCommand(), core.isPaused)
    core.advance(to: .seconds(4))
    let killed = core.nextCommand()
    #expect(asked == .terminate(TaskID(0)))
    #expect(!isPaused)
    #expect(killed == .kill(TaskID(0)))
  }

  @Test func `A success after the time-out is still a time-out`() throws {
    let slow = TaskSettings(timeout: .seconds(2), grace: .seconds(3))
    let log = try log(
      [("a", [], slow)], scripts: [0: [.init(duration: .seconds(3), obedience: nil)]])
    #expect(log == ["0 a starts", "2 a is overdue", "3 a timed out"])
  }

  @Test func `A success that is being written down is neither timed out nor cancelled`() throws {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], TaskSettings(timeout: .seconds(2)))]), workers: 1, policy: .stop
    )
    core.begin(at: .zero)
    let first = core.nextCommand()
    #expect(first == .start(TaskID(0), attempt: 1))
    core.attemptBegan(TaskID(0), at: .zero)
    let counts = core.attemptSucceeds(TaskID(0), result: .succeeded)
    #expect(counts)
    core.advance(to: .seconds(9))
    core.end(.graceful, at: .seconds(9))
    core.end(.immediate, at: .seconds(9))
    let further = core.nextCommand()
    #expect(further == nil)
    core.attemptEnded(TaskID(0), result: .succeeded, at: .seconds(10))
    let events = core.takeEvents()
    #expect(
      events.contains {
        $0.kind == .taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(10))
      })
  }

  @Test func `An attempt that was being ended does not count as a success`() throws {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], TaskSettings(timeout: .seconds(2)))]), workers: 1, policy: .stop
    )
    core.begin(at: .zero)
    _ = core.nextCommand()
    core.attemptBegan(TaskID(0), at: .zero)
    core.advance(to: .seconds(2))
    let counts = core.attemptSucceeds(TaskID(0), result: .succeeded)
    #expect(!counts)
  }

  @Test func `A retry follows after a backoff that doubles`() throws {
    let stubborn = TaskSettings(retries: RetryPolicy(limit: 2, backoff: .seconds(4)))
    let log = try log([("a", [], stubborn)], scripts: [0: [fails, fails, .init()]])
    #expect(
      log == [
        "0 a starts", "1 a failed 7, again in 4", "5 a starts again", "6 a failed 7, again in 8",
        "14 a starts again", "15 a succeeded",
      ])
  }

  @Test func `A time-out is retried and its success counts`() throws {
    let settings = TaskSettings(
      timeout: .seconds(2), retries: RetryPolicy(limit: 1, backoff: .seconds(1)))
    let log = try log(
      [("a", [], settings)], scripts: [0: [.init(duration: .seconds(9)), .init()]])
    #expect(
      log == [
        "0 a starts", "2 a is overdue", "2 a timed out, again in 1", "3 a starts again",
        "4 a succeeded",
      ])
  }

  @Test func `A task that cannot be started fails without having started`() throws {
    let log = try log([("a", [], plain)], scripts: [0: [.init(cannotStart: true)]])
    #expect(log.first == "0 a failed: no such program")
  }

  @Test func `What a task leaves behind is ended before its success counts`() throws {
    let log = try log(
      [("a", [], plain), ("b", ["a"], plain)], scripts: [0: [.init(leftovers: .seconds(2))]])
    #expect(log == ["0 a starts", "3 a succeeded", "3 b starts", "4 b succeeded"])
  }

  @Test
  func `A task that succeeded before a cancel has succeeded, also if it left something behind`()
    throws
  {
    let log = try log(
      [("a", [], plain)], scripts: [0: [.init(leftovers: .seconds(2))]],
      requests: [(.seconds(2), .graceful)])
    #expect(log == ["0 a starts", "2 ending in order", "3 a succeeded"])
  }

  @Test func `A task that fails while the run is ending is not tried again`() throws {
    let stubborn = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(1)))
    let late = VirtualRun.Script(duration: .seconds(2), result: .failed(.exited(code: 7)))
    let failed = try log(
      [("a", [], plain), ("b", [], stubborn)], scripts: [0: [fails], 1: [late]])
    #expect(
      failed == [
        "0 a starts", "0 b starts", "1 a failed 7", "1 ending because of a", "2 b failed 7",
      ])
    let lingering = VirtualRun.Script(result: .failed(.exited(code: 7)), leftovers: .seconds(2))
    let cancelled = try log(
      [("a", [], stubborn)], scripts: [0: [lingering]], requests: [(.seconds(2), .graceful)])
    #expect(cancelled == ["0 a starts", "2 ending in order", "3 a failed 7"])
  }

  @Test func `A cancel in order ends what runs, drops the rest and runs what always runs`() throws {
    let log = try log(
      [
        ("a", [], plain), ("b", ["a"], plain), ("clean", ["b"], TaskSettings(alwaysRuns: true)),
      ], scripts: [0: [.init(duration: .seconds(9))]], requests: [(.seconds(2), .graceful)])
    #expect(
      log == [
        "0 a starts", "2 ending in order", "2 b cancelled", "2 a cancelled", "2 clean starts",
        "3 clean succeeded",
      ])
  }

  @Test func `A clean-up waits for what runs before a skipped task`() throws {
    let log = try log(
      [
        ("a", [], plain), ("slow", [], plain), ("b", ["a", "slow"], plain),
        ("clean", ["b"], TaskSettings(alwaysRuns: true)),
      ], scripts: [0: [fails], 1: [.init(duration: .seconds(5))]])
    #expect(
      log == [
        "0 a starts", "0 slow starts", "1 a failed 7", "1 b skipped, needs a",
        "1 ending because of a", "5 slow succeeded", "5 clean starts", "6 clean succeeded",
      ])
  }

  @Test func `A second cancel ends everything at once`() throws {
    let log = try log(
      [("a", [], plain), ("clean", ["a"], TaskSettings(alwaysRuns: true))],
      scripts: [0: [.init(duration: .seconds(9), obedience: nil)]],
      requests: [(.seconds(2), .graceful), (.seconds(3), .immediate)])
    #expect(
      log == [
        "0 a starts", "2 ending in order", "3 ending at once", "3 clean cancelled", "3 a cancelled",
      ])
  }

  @Test func `A cancel during a backoff ends the task`() throws {
    let stubborn = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(60)))
    let log = try log(
      [("a", [], stubborn)], scripts: [0: [fails]], requests: [(.seconds(2), .graceful)])
    #expect(
      log == ["0 a starts", "1 a failed 7, again in 60", "2 ending in order", "2 a cancelled"])
  }

  @Test func `An empty graph is over at once`() throws {
    let run = try VirtualRun(LaunchGraph())
    #expect(run.run() == ["0 run of 0 with 2", "0 over"])
  }

  @Test func `A cycle is refused with its path`() throws {
    let graph = LaunchGraph([("a", ["c"], plain), ("b", ["a"], plain), ("c", ["b"], plain)])
    #expect(throws: GraphError.cycle([TaskID(0), TaskID(2), TaskID(1)])) {
      _ = try LaunchCore(graph: graph, workers: 1, policy: .stop)
    }
  }

  @Test func `A chain of 100,000 tasks is skipped without recursion`() throws {
    var graph = LaunchGraph()
    var last = graph.add("first")
    for place in 1..<100_000 {
      let next = graph.add("t\(place)")
      graph.addDependency(of: next, on: last)
      last = next
    }
    let run = try VirtualRun(graph, scripts: [TaskID(0): [fails]])
    #expect(run.run().count == 100_000 + 3)
  }

  @Test func `Backoff doubles up to its limit`() {
    let policy = RetryPolicy(limit: 99, backoff: .seconds(100))
    let delays = [2, 3, 4, 99].map { policy.delay(before: $0) }
    #expect(delays == [.seconds(100), .seconds(200), .seconds(300), .seconds(300)])
  }

  @Test func `A factor of 1 keeps the delay before each attempt`() {
    var policy = RetryPolicy(limit: 100, backoff: .seconds(400))
    policy.factor = 1
    #expect(
      [2, 3, 99].map { policy.delay(before: $0) } == [.seconds(400), .seconds(400), .seconds(400)])
    policy.backoff = .seconds(1)
    policy.factor = 3
    #expect([2, 3, 4].map { policy.delay(before: $0) } == [.seconds(1), .seconds(3), .seconds(9)])
  }

  @Test func `Nothing is told after the end of a run, not even that it goes on`() throws {
    var graph = LaunchGraph()
    let only = graph.add("only")
    var core = try LaunchCore(graph: graph, workers: 1, policy: .stop)
    core.begin(at: .zero)
    _ = core.nextCommand()
    core.attemptBegan(only, at: .zero)
    core.pause(at: .zero)
    core.attemptEnded(only, result: .succeeded, at: .zero)
    core.resume(at: .zero)
    let (events, isPaused) = (core.takeEvents(), core.isPaused)
    #expect(events.last?.kind == .runEnded)
    #expect(!isPaused)
  }

  // MARK: Ends without a worker

  /// An engine that has begun.
  private func begun(
    _ tasks: [(String, after: [String], TaskSettings)], pools: [Int] = [], workers: Int = 1,
    policy: FailurePolicy = .stop
  ) throws -> LaunchCore {
    var core = try LaunchCore(
      graph: LaunchGraph(tasks, pools: pools), workers: workers, policy: policy)
    core.begin(at: .zero)
    return core
  }

  @Test func `A ready task ends without a worker, and its dependents are ready`() throws {
    let pooled = TaskSettings(pool: PoolID(0))
    var core = try begun(
      [("a", [], pooled), ("b", [], pooled), ("c", ["b"], pooled)], pools: [1])
    var commands = [core.nextCommand(), core.nextCommand()]
    core.attemptBegan(TaskID(1), at: .zero)
    let ready = [0, 1, 2].filter { core.isReady(TaskID($0)) }
    #expect(ready == [0])
    var early: [Bool] = []
    for index in [0, 0, 1, 2] {
      early.append(core.endReady(TaskID(index), result: .skipped(.upToDate), at: .seconds(1)))
    }
    #expect(early == [true, false, false, false])
    commands.append(core.nextCommand())
    core.attemptEnded(TaskID(1), result: .succeeded, at: .seconds(2))
    commands.append(core.nextCommand())
    #expect(
      commands == [.start(TaskID(1), attempt: 1), nil, nil, .start(TaskID(2), attempt: 1)])
    core.attemptEnded(TaskID(2), result: .succeeded, at: .seconds(3))
    let isFinished = core.isFinished
    #expect(isFinished)
    let ends = core.takeEvents().compactMap { event in
      if case .taskEnded(let task, let outcome, let attempts, let ran) = event.kind {
        "\(task.index) \(outcome.kind) \(attempts) \(ran)"
      } else {
        nil
      }
    }
    // As if its first attempt had found that.
    #expect(ends.first == "0 upToDate 1 \(Duration.zero)")
    #expect(ends.count == 3)
  }

  @Test func `While a run is paused, no task ends without a worker`() throws {
    var core = try begun([("a", [], plain)])
    core.pause(at: .zero)
    var ended = [core.endReady(TaskID(0), result: .skipped(.upToDate), at: .zero)]
    core.resume(at: .zero)
    ended.append(core.endReady(TaskID(0), result: .skipped(.upToDate), at: .zero))
    #expect(ended == [false, true])
    let command = core.nextCommand()
    #expect(command == nil)
  }

  @Test func `A clean-up runs after a task that was up to date`() throws {
    var core = try begun([("a", [], plain), ("b", ["a"], TaskSettings(alwaysRuns: true))])
    let hasEnded = core.endReady(TaskID(0), result: .skipped(.upToDate), at: .zero)
    let command = core.nextCommand()
    #expect(hasEnded && command == .start(TaskID(1), attempt: 1))
  }
}
