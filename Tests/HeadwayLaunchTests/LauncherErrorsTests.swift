import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// What tasks throw, and what the result makes of it.
struct LauncherErrorsTests {
  @Test func `An error that must not be retried ends a task at its first attempt`() throws {
    let (events, result) = try withVirtualLaunch { launch in
      let attempts = Box(0)
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 3, backoff: .seconds(1)))
      graph.add("never again", settings: settings) { _ in
        throw NonRetryable(Mishap(description: "no such folder"))
      }
      graph.add("at the second", settings: settings) { _ in
        attempts.change { $0 += 1 }
        if attempts.value == 2 { throw NonRetryable(Mishap(description: "gone")) }
        throw Mishap(description: "locked")
      }
      let launcher = try launch.launcher(graph, policy: .keepGoing)
      let events = launcher.events()
      let result = await launcher.run()
      return (await events.reduce(into: []) { $0.append($1.kind) }, result)
    }
    #expect(result["never again"]?.attempts == 1)
    #expect(result["never again"]?.outcome == .failed(.threw("no such folder")))
    #expect(result["never again"]?.error as? Mishap == Mishap(description: "no such folder"))
    #expect(result["at the second"]?.attempts == 2)
    #expect(result["at the second"]?.outcome == .failed(.threw("gone")))
    let retries = events.count { if case .taskRetrying = $0 { true } else { false } }
    #expect(retries == 1)
  }

  @Test func `A launcher that its last task retains is released if that task fails`() throws {
    weak let gone = try withVirtualLaunch { launch in
      let own = Box(Launcher?.none)
      var graph = LaunchGraph()
      graph.add("fails") { _ in
        #expect(own.value != nil)
        throw Mishap(description: "no")
      }
      let launcher = try launch.launcher(graph)
      own.change { $0 = launcher }
      #expect(await !launcher.run().isSuccess)
      return launcher
    }
    #expect(gone == nil)
  }

  @Test func `An attempt can be abandoned while its error is described`() throws {
    let result = try withVirtualLaunch { launch in
      let own = Box(Launcher?.none)
      let graph = LaunchGraph {
        PlannedTask("fails") { _ in throw Mishap(description: "no") }
      }
      var options = launch.options()
      options.describeError = { error in
        own.value?.cancel()
        // Abandons what has not ended.
        own.value?.cancel()
        return "\(error)"
      }
      let launcher = try Launcher(graph, options: options)
      own.change { $0 = launcher }
      let result = await launcher.run()
      own.change { $0 = nil }
      return result
    }
    #expect(result["fails"]?.outcome == .cancelled)
    #expect(result["fails"]?.error == nil)
  }

  @Test func `A task that is a launcher is not retried, because a launcher runs only once`() throws
  {
    let (attempts, result) = try withVirtualLaunch { launch in
      let attempts = Box(0)
      var graph = LaunchGraph()
      graph.add("inner") { _ in
        attempts.change { $0 += 1 }
        throw Mishap(description: "no")
      }
      let inner = try Launcher(graph, name: "nested", options: launch.options())
      let outer = LaunchGraph { inner.retries(2) }
      return (attempts, await (try launch.launcher(outer)).run())
    }
    #expect(attempts.value == 1)
    #expect(result["nested"]?.attempts == 1)
    #expect(result["nested"]?.isRetryable == false)
    #expect(result["nested"]?.error is LaunchFailure)
  }

  @Test func `A launcher in a launcher passes on that a retry is useless`() throws {
    let (attempts, error) = try withVirtualLaunch { launch in
      let attempts = Box(0)
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 3, backoff: .seconds(1)))
      graph.add("outer", settings: settings) { context in
        attempts.change { $0 += 1 }
        var inner = LaunchGraph()
        let isLast = attempts.value == 2
        inner.add("inner") { _ in
          let mishap = Mishap(description: "no")
          if isLast { throw NonRetryable(mishap) } else { throw mishap }
        }
        inner.add("never mind", settings: TaskSettings(isOptional: true)) { _ in
          throw NonRetryable(Mishap(description: "optional"))
        }
        let launcher = try launch.launcher(inner, workers: 1, policy: .keepGoing)
        try await launcher.run(context)
      }
      let result = await (try launch.launcher(graph)).run()
      return (attempts.value, result["outer"]?.error as? LaunchFailure)
    }
    #expect(attempts == 2)
    #expect(error?.isRetryable == false)
    #expect(error?.result["inner"]?.isRetryable == false)
    #expect(error?.result.failures.map(\.name) == ["inner"])
  }

  @Test func `A program may describe errors in its own words`() throws {
    let (result, texts) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("upload") { _ in throw NonRetryable(Mishap(description: "429")) }
      var options = launch.options()
      options.describeError = { "the server is busy (\($0))" }
      let launcher = try Launcher(graph, options: options)
      let events = launcher.events()
      let result = await launcher.run()
      let texts = await events.reduce(into: [String]()) { texts, event in
        if case .taskEnded(_, .failed(let failure), attempts: _, ran: _) = event.kind {
          texts.append("\(failure)")
        }
      }
      return (result, texts)
    }
    #expect(texts == ["the server is busy (429)"])
    #expect(result["upload"]?.outcome == .failed(.threw("the server is busy (429)")))
    #expect(
      LaunchFailure(result: result).description
        == "failed: 'upload' (the server is busy (429))")
  }

  @Test func `A time-out among the failures has its limit in the message`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("slow", settings: TaskSettings(timeout: .seconds(2))) { _ in
        try await launch.sleep(60)
      }
      return await (try launch.launcher(graph)).run()
    }
    #expect(LaunchFailure(result: result).description == "failed: 'slow' (timed out after 2s)")
    #expect(LaunchFailure(result: result).isRetryable)
  }

  @Test func `A blocking function may report later`() async throws {
    let kept = Box<[TaskReport]>([])
    var graph = LaunchGraph()
    graph.add("good", .blocking { _, report in kept.change { $0.append(report) } })
    graph.add(
      "bad",
      .blocking { context, report in
        context.progress.setCompleted(1)
        report.fail(Mishap(description: "no"))
        report.succeed()
      })
    graph.add("forgotten", .blocking { _, _ in })
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 3, policy: .keepGoing))
    let events = launcher.events()
    launcher.start()
    var (again, ended) = (0, 0)
    for await event in events {
      switch event.kind {
      case .taskReportedAgain(let task): again += task.name == "bad" ? 1 : 0
      case .taskEnded: ended += 1
      default: break
      }
      // The function has returned long ago, or is about to keep its report.
      if ended == 2, again == 1 {
        while kept.value.isEmpty { await Task.yield() }
        kept.value.first?.succeed()
      }
    }
    let result = await launcher.result
    #expect(again == 1)
    #expect(result["good"]?.outcome == .succeeded)
    #expect(result["bad"]?.outcome == .failed(.threw("no")))
    #expect(result["forgotten"]?.error is NeverReported)
  }

  @Test func `Failures are those that the run needs`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("may fail", settings: TaskSettings(isOptional: true)) { _ in
        throw Mishap(description: "never mind")
      }
      graph.add("must not fail") { _ in throw Mishap(description: "alas") }
      graph.add("works") { _ in }
      return await (try launch.launcher(graph, policy: .keepGoing)).run()
    }
    #expect(result.failures.map(\.name) == ["must not fail"])
    #expect(result["may fail"]?.isOptional == true)
    #expect(!result.isSuccess)
    #expect(LaunchFailure(result: result).description == "failed: 'must not fail' (alas)")
  }

  @Test func `A blocking task of a type of its own runs on a thread of its own`() async throws {
    struct Blocking: PlannedTaskConvertible {
      let name: String
      let isBad: Bool
      var planned: PlannedTask {
        PlannedTask(
          name,
          .blocking { context in
            if isBad { throw Mishap(description: context.task.name) }
          })
      }
    }
    let graph = LaunchGraph {
      Blocking(name: "good", isBad: false)
      Blocking(name: "bad", isBad: true).after("good")
    }
    let result = await (try Launcher(graph, options: LauncherOptions(policy: .keepGoing))).run()
    #expect(
      result.outcomes == [
        "good": .succeeded, "bad": .failed(.threw("bad")),
      ])
  }

  @Test func `The own task of a queue may have settings`() throws {
    struct Own: LaunchTask {
      let name = "own"
      func run(_ context: LaunchContext) async throws {
        if context.attempt < 3 { throw Mishap(description: "not yet") }
      }
    }
    let result = try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(
        Own(), settings: TaskSettings(retries: RetryPolicy(limit: 2, backoff: .seconds(1))),
        options: launch.options())
      queue.start()
      queue.close()
      return await queue.result
    }
    #expect(result["own"]?.attempts == 3)
    #expect(result.isSuccess)
  }

  @Test func `What was given up has thrown nothing, and of namesakes the latest is told`() throws {
    let result = try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      let settings = TaskSettings(timeout: .seconds(1), grace: .zero)
      try queue.add("deaf", settings: settings) { _ in
        await Task(executorPreference: launch.executor) { try? await launch.sleep(5) }.value
      }
      queue.start()
      try await launch.sleep(2)
      queue.proceed()
      try queue.add("deaf") { _ in }
      queue.close()
      return await queue.result
    }
    #expect(result.tasks.map(\.outcome) == [.timedOut(limit: .seconds(1)), .succeeded])
    #expect(result.tasks[0].error == nil)
    #expect(result["deaf"]?.outcome == .succeeded)
  }

  @Test func `The events of a run tell its end as its result and its status do`() throws {
    for seed in 0..<50 as Range<UInt64> {
      try withVirtualLaunch(seed: seed) { launch in
        var graph = LaunchGraph()
        let settings = TaskSettings(
          retries: RetryPolicy(limit: 2, backoff: .milliseconds(10), jitter: 0.7))
        graph.add("flaky", settings: settings) { context in
          if context.attempt < 3 { throw Mishap(description: "not yet") }
        }
        let launcher = try launch.launcher(graph)
        let events = launcher.events()
        let result = await launcher.run()
        var status = RunState(taskCount: 1)
        for await event in events {
          status.apply(event)
          // Told in whole nanoseconds, also where chance has drawn it.
          if case .taskRetrying(_, _, let delay, _) = event.kind {
            #expect(delay.components.attoseconds % 1_000_000_000 == 0)
          }
        }
        #expect(status == launcher.state)
        #expect(status.total == result.duration)
      }
    }
  }
}
