import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// The delay before a task, the limit of all its attempts, and delays that failures ask for.
struct TaskLimitsTests {
  /// Starts of attempts and ends of tasks with their times in seconds.
  private static func log(of launcher: Launcher) async -> [String] {
    let events = launcher.events()
    launcher.start()
    return await events.reduce(into: []) { lines, event in
      let time = event.time / .seconds(1)
      switch event.kind {
      case .taskStarted(let task, let attempt): lines.append("\(time) \(task.name) \(attempt)")
      case .taskRetrying(let task, _, let delay, because: _):
        lines.append("\(time) \(task.name) again in \(delay / .seconds(1))")
      case .taskOverdue(let task, _, let limit):
        lines.append("\(time) \(task.name) longer than \(limit / .seconds(1))")
      case .taskEnded(let task, let outcome, attempts: _, ran: _):
        lines.append("\(time) \(task.name) \(outcome.kind)")
      default: break
      }
    }
  }

  @Test func `A failure may set the delay before the next attempt`() throws {
    let (log, result) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 3, backoff: .seconds(1), jitter: 1)
      graph.add("upload", settings: TaskSettings(retries: retries)) { context in
        switch context.attempt {
        case 1: throw RetryAfter(.seconds(1_000), Mishap(description: "busy"))
        case 2: throw RetryAfter(.seconds(-1), Mishap(description: "busy"))
        case 3: throw NonRetryable(RetryAfter(.seconds(5), Mishap(description: "gone")))
        default: break
        }
      }
      let launcher = try launch.launcher(graph)
      return (await Self.log(of: launcher), await launcher.result)
    }
    #expect(
      log == [
        "0.0 upload 1", "0.0 upload again in 1000.0", "1000.0 upload 2",
        "1000.0 upload again in 0.0", "1000.0 upload 3", "1000.0 upload failed",
      ])
    #expect(result["upload"]?.error as? Mishap == Mishap(description: "gone"))
    #expect(result["upload"]?.outcome == .failed(.threw("gone")))
    #expect(result["upload"]?.isRetryable == false)
  }

  @Test func `A run decides by the error whether there is another attempt, and when`() throws {
    let (log, result) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 2, backoff: .seconds(1)))
      for name in ["missing", "busy", "broken"] {
        graph.add(name, settings: settings) { _ in throw Mishap(description: name) }
      }
      var options = launch.options(workers: 1, policy: .keepGoing)
      options.mapError = { error in
        switch "\(error)" {
        case "missing": NonRetryable(error)
        case "busy": RetryAfter(.seconds(30), error)
        default: error
        }
      }
      options.describeError = { "it is \($0)" }
      let launcher = try Launcher(graph, options: options)
      return (await Self.log(of: launcher), await launcher.result)
    }
    #expect(log.filter { $0.contains("missing") } == ["0.0 missing 1", "0.0 missing failed"])
    #expect(log.contains("0.0 busy again in 30.0") && log.contains("0.0 broken again in 1.0"))
    #expect(result["busy"]?.outcome == .failed(.threw("it is busy")))
    #expect(result["missing"]?.error as? Mishap == Mishap(description: "missing"))
    #expect(result["missing"]?.isRetryable == false && result["busy"]?.isRetryable == true)
  }

  @Test func `A policy takes everything at once`() {
    let constant = RetryPolicy(limit: 3, backoff: .seconds(2), factor: 1)
    #expect((2...4).map { constant.delay(before: $0) / .seconds(1) } == [2, 2, 2])
    let slow = RetryPolicy(limit: 3, backoff: .seconds(2), factor: 3, maximumDelay: .seconds(10))
    #expect((2...4).map { slow.delay(before: $0) / .seconds(1) } == [2, 6, 10])
    #expect(RetryPolicy(limit: 3) == RetryPolicy(limit: 3, backoff: .seconds(1), jitter: 0))
  }

  @Test func `Delays between attempts grow up to a maximum`() {
    var retries = RetryPolicy(limit: 9, backoff: .seconds(100))
    #expect((2...5).map { retries.delay(before: $0) / .seconds(1) } == [100, 200, 300, 300])
    retries.maximumDelay = .seconds(3_600)
    #expect(
      (4...8).map { retries.delay(before: $0) / .seconds(1) } == [400, 800, 1600, 3200, 3600])
    retries.maximumDelay = .seconds(10)
    #expect((2...4).map { retries.delay(before: $0) / .seconds(1) } == [100, 100, 100])
  }

  @Test func `Delays between attempts have no value that ends the program`() {
    let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
    var retries = RetryPolicy(limit: .max, backoff: .seconds(-1))
    #expect(retries.delay(before: 1_000) == .zero)
    retries.backoff = .zero
    // It has nothing to multiply, however late the attempt is.
    #expect(retries.delay(before: .max) == .zero)
    retries.backoff = .seconds(1)
    for factor in [1e30, .infinity] {
      retries.factor = factor
      #expect((2...4).map { retries.delay(before: $0) / .seconds(1) } == [1, 300, 300])
    }
    retries.maximumDelay = longest
    retries.factor = 2
    #expect(retries.delay(before: 1_000) == longest)
    retries.factor = .nan
    #expect(retries.delay(before: 1_000) == .seconds(1))
  }

  @Test func `An attempt without a limit has all the time that it requests`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let server = graph.addService("server", providing: Int.self) { service in
        service.ready(80)
        #expect(service.context.extendDeadline(by: .seconds(5)))
        await service.waitForShutdown()
        #expect(!service.context.extendDeadline(by: .seconds(5)))
      }
      graph.add("ask it", after: server) { context, _ in
        #expect(context.extendDeadline(by: .seconds(5)))
        try await launch.sleep(60)
      }
      return await (try launch.launcher(graph)).run()
    }
    #expect(result.isSuccess)
  }

  @Test func `All attempts of a task share its deadline`() throws {
    let (log, result) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 9, backoff: .seconds(2))
      let settings = TaskSettings(
        timeout: .seconds(3), grace: .seconds(1), retries: retries, deadline: .seconds(9))
      graph.add("slow", settings: settings) { _ in try await launch.sleep(60) }
      let launcher = try launch.launcher(graph)
      return (await Self.log(of: launcher), await launcher.result)
    }
    // The second attempt begins at 5 and has 3 seconds; the third would begin at 12, after the deadline.
    #expect(
      log == [
        "0.0 slow 1", "3.0 slow longer than 3.0", "3.0 slow again in 2.0", "5.0 slow 2",
        "8.0 slow longer than 3.0", "8.0 slow timedOut",
      ])
    #expect(result["slow"]?.outcome == .timedOut(limit: .seconds(3)))
  }

  @Test func `An attempt ends at the deadline of its task`() throws {
    let (log, result) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 9, backoff: .seconds(1))
      let settings = TaskSettings(retries: retries, deadline: .seconds(10))
      graph.add("slow", settings: settings) { context in
        if context.attempt == 1 { throw Mishap(description: "again") }
        // There are 9 seconds left.
        #expect(context.extendDeadline(by: .seconds(5)))
        #expect(context.extendDeadline(by: .seconds(9)))
        #expect(!context.extendDeadline(by: .seconds(10)))
        try await launch.sleep(60)
      }
      let launcher = try launch.launcher(graph)
      return (await Self.log(of: launcher), await launcher.result)
    }
    #expect(
      log == [
        "0.0 slow 1", "0.0 slow again in 1.0", "1.0 slow 2", "10.0 slow longer than 10.0",
        "10.0 slow timedOut",
      ])
    #expect(result["slow"]?.outcome == .timedOut(limit: .seconds(10)))
  }

  @Test func `A task that waits for a worker until its deadline keeps its failure`() throws {
    let (log, result) = try withVirtualLaunch { launch in
      let graph = LaunchGraph {
        PlannedTask("flaky") { context in throw Mishap(description: "try \(context.attempt)") }
          .retries(9, backoff: .seconds(2)).deadline(.seconds(5))
        PlannedTask("long") { _ in try await launch.sleep(60) }
      }
      let launcher = try launch.launcher(graph, workers: 1, policy: .keepGoing)
      return (await Self.log(of: launcher), await launcher.result)
    }
    #expect(
      log == [
        "0.0 flaky 1", "0.0 flaky again in 2.0", "0.0 long 1", "5.0 flaky failed",
        "60.0 long succeeded",
      ])
    #expect(result["flaky"]?.outcome == .failed(.threw("try 1")))
  }

  @Test func `A deadline without end is none`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let never = Duration(secondsComponent: .max, attosecondsComponent: 0)
      graph.add("sleep", settings: TaskSettings(timeout: .seconds(1), deadline: never)) { context in
        #expect(context.extendDeadline(by: never))
        try await launch.sleep(1_000)
      }
      return await (try launch.launcher(graph)).run()
    }
    #expect(result.isSuccess)
  }

  @Test func `A task starts after its delay, without keeping a worker`() throws {
    let log = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first") { _ in try await launch.sleep(1) }
      graph.add("late", after: [first], settings: TaskSettings(priority: 9, delay: .seconds(5))) {
        context in
        if context.attempt == 1 { throw NonRetryable(Mishap(description: "no")) }
      }
      graph.add("other", after: [first]) { _ in try await launch.sleep(3) }
      let launcher = try launch.launcher(graph, workers: 1, policy: .keepGoing)
      return await Self.log(of: launcher)
    }
    #expect(
      log == [
        "0.0 first 1", "1.0 first succeeded", "1.0 other 1", "4.0 other succeeded", "6.0 late 1",
        "6.0 late failed",
      ])
  }

  @Test func `Only the first attempt is delayed`() throws {
    let log = try withVirtualLaunch { launch in
      let graph = LaunchGraph {
        PlannedTask("late") { context in
          if context.attempt == 1 { throw Mishap(description: "no") }
        }
        .delay(.seconds(5)).retries(1).deadline(.seconds(3))
      }
      return await Self.log(of: try launch.launcher(graph))
    }
    // The deadline counts from the first attempt.
    #expect(
      log == ["5.0 late 1", "5.0 late again in 1.0", "6.0 late 2", "6.0 late succeeded"])
  }

  @Test func `A task that waits for its delay is waiting, and can be removed and cancelled`() throws
  {
    let outcomes = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(delay: .seconds(60))
      let removed = graph.add("removed", settings: settings) { _ in }
      graph.add("after it", after: [removed]) { _ in }
      graph.add("cancelled", settings: settings) { _ in }
      var always = settings
      always.alwaysRuns = true
      let first = graph.add("first") { _ in }
      graph.add("clean up", after: [first], settings: always) { _ in }
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(1)
      let state = launcher.state
      #expect(state.tasks.prefix(1).allSatisfy { $0.phase == .waiting && $0.attempts == 0 })
      #expect(state.active.isEmpty)
      #expect(launcher.remove(removed))
      launcher.cancel()
      let result = await launcher.result
      #expect(result.duration == .seconds(60))
      return result.outcomes
    }
    #expect(outcomes["removed"] == .skipped(.removed))
    #expect(outcomes["after it"] == .skipped(.removed))
    #expect(outcomes["cancelled"] == .cancelled)
    #expect(outcomes["clean up"] == .succeeded)
  }

  @Test func `A pause stops the delay`() throws {
    let ended = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("late", settings: TaskSettings(delay: .seconds(5))) { _ in }
      let launcher = try launch.launcher(graph)
      let begin = launch.clock.now
      launcher.start()
      try await launch.sleep(3)
      launcher.pause()
      try await launch.sleep(100)
      launcher.resume()
      #expect(await launcher.result.duration == .seconds(5))
      return begin.duration(to: launch.clock.now)
    }
    #expect(ended == .seconds(105))
  }

  @Test func `A task is skipped if its service fails during the delay`() throws {
    let (outcomes, log) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let server = graph.addService("server", providing: Int.self) { service in
        service.ready(80)
        try await launch.sleep(2)
        throw Mishap(description: "crashed")
      }
      let late = graph.add("late", after: server, settings: TaskSettings(delay: .seconds(60))) {
        _ in 1
      }
      graph.add("last", after: late) { _ in }
      let launcher = try launch.launcher(graph, policy: .keepGoing)
      return (await launcher.run().outcomes, await Self.log(of: launcher))
    }
    #expect(outcomes["server"] == .failed(.threw("crashed")))
    #expect(outcomes["late"] == .skipped(.needs(TaskID(0))))
    #expect(outcomes["last"] == .skipped(.needs(TaskID(0))))
    #expect(log.isEmpty)
  }
}

/// Why attempts are cancelled, as their bodies see it.
struct CancellationReasonTests {
  /// Runs a task that is cancelled, and returns the reason.
  private static func reason(
    _ settings: TaskSettings = TaskSettings(), policy: FailurePolicy = .stop,
    deadline: Duration? = nil,
    _ act: @escaping @Sendable (Launcher, VirtualLaunch, TaskID) async throws -> Void = { _, _, _ in
    }
  ) throws -> CancellationReason? {
    try withVirtualLaunch { launch in
      let reason = Box(CancellationReason?.none)
      var graph = LaunchGraph()
      graph.add("fails", settings: TaskSettings(isOptional: policy == .stop)) { _ in
        try await launch.sleep(3)
        throw Mishap(description: "no")
      }
      let task = graph.add("sleeps", settings: settings) { context in
        #expect(context.cancellationReason == nil)
        defer { reason.change { $0 = context.cancellationReason } }
        try await launch.sleep(9)
      }
      let launcher = try launch.launcher(graph, policy: policy, deadline: deadline)
      launcher.start()
      try await launch.sleep(1)
      try await act(launcher, launch, task)
      _ = await launcher.result
      return reason.value
    }
  }

  @Test func `A body sees why it was cancelled`() throws {
    #expect(try Self.reason() == nil)
    let limited = TaskSettings(timeout: .seconds(2))
    #expect(try Self.reason(limited) == .timeout(.seconds(2)))
    #expect(try Self.reason(TaskSettings(deadline: .seconds(2))) == .timeout(.seconds(2)))
    #expect(try Self.reason { launcher, _, task in launcher.remove(task) } == .removed)
    #expect(
      try Self.reason { launcher, _, _ in launcher.cancel() } == .runEnding(.cancelled))
    #expect(
      try Self.reason(deadline: .seconds(2)) == .runEnding(.deadline(.seconds(2))))
    #expect(
      try Self.reason(policy: .failFast) == .runEnding(.failure(TaskID(0, name: "fails"))))
  }

  @Test func `The first reason stays`() throws {
    let reason = try Self.reason(TaskSettings(grace: .seconds(5))) { launcher, launch, task in
      launcher.remove(task)
      launcher.cancel()
    }
    #expect(reason == .removed)
  }

  @Test func `A task that is removed from a run that is ending was removed`() throws {
    let reason = try withVirtualLaunch { launch in
      let reason = Box(CancellationReason?.none)
      var graph = LaunchGraph()
      let task = graph.add("sleeps") { context in
        defer { reason.change { $0 = context.cancellationReason } }
        try await launch.sleep(9)
      }
      graph.add("fails") { _ in throw Mishap(description: "no") }
      let launcher = try launch.launcher(graph, workers: 2, policy: .stop)
      launcher.start()
      try await launch.sleep(1)
      #expect(launcher.state.ending == .failure(TaskID(1)))
      #expect(launcher.remove(task))
      _ = await launcher.result
      return reason.value
    }
    #expect(reason == .removed)
  }

  @Test func `An abandoned body sees the reason, too`() throws {
    let reason = try withVirtualLaunch { launch in
      let reason = Box(CancellationReason?.none)
      var graph = LaunchGraph()
      graph.add("deaf", settings: TaskSettings(timeout: .seconds(1), grace: .zero)) { context in
        // Not cancelled with the body.
        await Task(executorPreference: launch.executor) { try? await launch.sleep(5) }.value
        reason.change { $0 = context.cancellationReason }
      }
      _ = await (try launch.launcher(graph)).run()
      try await launch.sleep(10)
      return reason.value
    }
    #expect(reason == .timeout(.seconds(1)))
  }

  @Test func `A service ends because nothing needs it`() throws {
    let reason = try withVirtualLaunch { launch in
      let reason = Box(CancellationReason?.none)
      var graph = LaunchGraph()
      let server = graph.addService("server", providing: Int.self) { service in
        service.ready(80)
        await service.waitForShutdown()
        reason.change { $0 = service.context.cancellationReason }
      }
      graph.add("ask it", after: server) { _ in try await launch.sleep(1) }
      let result = await (try launch.launcher(graph)).run()
      #expect(result.isSuccess)
      return reason.value
    }
    #expect(reason == .notNeeded)
  }

  @Test func `Reasons are sentences`() {
    let task = TaskID(0, name: "build")
    let reasons: [CancellationReason] = [
      .timeout(.seconds(2)), .removed, .runEnding(.failure(task)), .runEnding(.cancelled),
      .runEnding(.cancelledImmediately), .runEnding(.deadline(.seconds(3))), .notNeeded,
    ]
    #expect(
      reasons.map { "\($0)" } == [
        "it took longer than 2.0 seconds", "it was removed",
        "the run ends because 'build' failed", "the run was cancelled", "the run was cancelled",
        "the run took longer than 3.0 seconds", "nothing needs it any more",
      ])
  }
}
