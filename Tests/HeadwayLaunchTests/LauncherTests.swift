import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Repetitions
import Testing

/// Graphs that run inside the program, on virtual time.
struct LauncherTests {
  @Test func `Tasks run when what they need has succeeded, and the result says when`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let network = graph.add("network") { _ in try await launch.sleep(2) }
      let data = graph.add("data", after: [network]) { _ in try await launch.sleep(3) }
      graph.add("version", after: [network]) { _ in try await launch.sleep(1) }
      graph.add("show", after: [data], .immediate { _ in })
      return try await launch.launcher(graph).run()
    }
    #expect(result.isSuccess)
    #expect(result.duration == .seconds(5))
    #expect(result.tasks.map(\.name) == ["network", "data", "version", "show"])
    #expect(result.tasks.map(\.began) == [.zero, .seconds(2), .seconds(2), .seconds(5)])
    #expect(result.tasks.map(\.ended) == [.seconds(2), .seconds(5), .seconds(3), .seconds(5)])
  }

  @Test func `No more tasks run at once than there are workers`() throws {
    let most = Box((now: 0, most: 0))
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      for number in 0..<20 {
        graph.add("\(number)") { _ in
          most.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          try await launch.sleep(1)
          most.change { $0.now -= 1 }
        }
      }
      return try await launch.launcher(graph, workers: 3).run()
    }
    #expect(most.value.most == 3)
    #expect(result.duration == .seconds(7))
  }

  @Test(arguments: ["asynchronous", "immediate", "blocking", "reporting"])
  func `What a task throws is kept, and what needs it is skipped`(form: String) async throws {
    let body: TaskBody =
      switch form {
      case "immediate": .immediate { _ in throw Mishap(description: "no") }
      case "blocking": .blocking { _ in throw Mishap(description: "no") }
      case "reporting": .reporting { _, report in report.fail(Mishap(description: "no")) }
      default: .asynchronous { _ in throw Mishap(description: "no") }
      }
    var graph = LaunchGraph()
    let bad = graph.add("bad", body)
    graph.add("needs it", after: [bad]) { _ in }
    let result = try await Launcher(graph).run()
    #expect(!result.isSuccess)
    #expect(result["bad"]?.outcome == .failed(.threw("no")))
    #expect(result["bad"]?.error as? Mishap == Mishap(description: "no"))
    #expect(result["needs it"]?.outcome == .skipped(.needs(bad)))
    #expect(result.failures.map(\.name) == ["bad"])
  }

  @Test func `A failed optional task lets the rest go on`() async throws {
    var graph = LaunchGraph()
    let bad = graph.add("bad", settings: TaskSettings(isOptional: true)) { _ in
      throw Mishap(description: "")
    }
    graph.add("next", after: [bad]) { _ in }
    let result = try await Launcher(graph).run()
    #expect(result.isSuccess)
    #expect(result["bad"]?.outcome.isSuccess == false)
    #expect(result["next"]?.outcome == .succeeded)
  }

  @Test func `A task is tried again after its backoff, and knows which attempt it is`() throws {
    let attempts = Box<[Int]>([])
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 2, backoff: .seconds(4)))
      graph.add("stubborn", settings: settings) { context in
        attempts.change { $0.append(context.attempt) }
        if context.attempt < 3 { throw Mishap(description: "not yet") }
      }
      return try await launch.launcher(graph).run()
    }
    #expect(attempts.value == [1, 2, 3])
    #expect(result.duration == .seconds(12))
    #expect(result["stubborn"]?.attempts == 3)
    #expect(result["stubborn"]?.error == nil)
  }

  @Test func `A task whose time is up is cancelled`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("slow", settings: TaskSettings(timeout: .seconds(3))) { _ in
        try await launch.sleep(60)
      }
      return try await launch.launcher(graph).run()
    }
    #expect(result["slow"]?.outcome == .timedOut(limit: .seconds(3)))
    #expect(result.duration == .seconds(3))
  }

  @Test func `A task that does not listen is given up after the grace, and its end is not heard`()
    throws
  {
    let result = try withVirtualLaunch { launch in
      let isOver = Box(false)
      var graph = LaunchGraph()
      let settings = TaskSettings(timeout: .seconds(3), grace: .seconds(2))
      graph.add("deaf", settings: settings) { _ in
        let task = Task(executorPreference: launch.executor) { try await launch.sleep(60) }
        try await task.value
        isOver.change { $0 = true }
      }
      let result = try await launch.launcher(graph).run()
      try await launch.sleep(100)
      #expect(isOver.value)
      return result
    }
    #expect(result["deaf"]?.outcome == .timedOut(limit: .seconds(3)))
    #expect(result.duration == .seconds(5))
  }

  @Test func `A task that asks for more time gets it`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("long", settings: TaskSettings(timeout: .seconds(3))) { context in
        for _ in 0..<5 {
          try await launch.sleep(2)
          #expect(context.extendDeadline(by: .seconds(3)))
        }
      }
      return try await launch.launcher(graph).run()
    }
    #expect(result.isSuccess)
    #expect(result.duration == .seconds(10))
  }

  @Test func `A task that asks for less time than it has keeps its deadline`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("long", settings: TaskSettings(timeout: .seconds(10))) { context in
        #expect(context.extendDeadline(by: .seconds(1)))
        try await launch.sleep(9)
      }
      // All deadlines that have passed are looked at when this one passes.
      graph.add("short", settings: TaskSettings(timeout: .seconds(5))) { _ in
        try await launch.sleep(60)
      }
      return try await launch.launcher(graph).run()
    }
    #expect(result["long"]?.outcome == .succeeded)
  }

  @Test func `An attempt that was given up cannot give more time to the next one`() throws {
    let answers = Box<[Bool]>([])
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(
        timeout: .seconds(2), grace: .seconds(1),
        retries: RetryPolicy(limit: 1, backoff: .seconds(1)))
      graph.add("deaf", settings: settings) { context in
        guard context.attempt == 1 else { return try await launch.sleep(60) }
        // Given up after three seconds; it goes on during the next attempt, which begins a second later.
        let task = Task(executorPreference: launch.executor) { try await launch.sleep(5) }
        try await task.value
        let answer = context.extendDeadline(by: .seconds(100))
        answers.change { $0.append(answer) }
      }
      return try await launch.launcher(graph).run()
    }
    #expect(answers.value == [false])
    #expect(result["deaf"]?.outcome == .timedOut(limit: .seconds(2)))
    #expect(result.duration == .seconds(6))
  }

  @Test func `A node that is first used after the end of its task has finished`() async throws {
    let kept = Box<LaunchContext?>(nil)
    var graph = LaunchGraph()
    graph.add("quick") { context in kept.change { $0 = context } }
    let launcher = try Launcher(graph)
    _ = await launcher.run()
    #expect(kept.value?.progress.isFinished == true)
    #expect(launcher.progress.isFinished)
  }

  @Test func `The run has a deadline of its own`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let slow = graph.add("slow") { _ in try await launch.sleep(60) }
      graph.add("next", after: [slow]) { _ in }
      graph.add("clean", after: [slow], settings: TaskSettings(alwaysRuns: true)) { _ in }
      return try await launch.launcher(graph, deadline: .seconds(7)).run()
    }
    #expect(result.endReason == .deadline(.seconds(7)))
    #expect(result.duration == .seconds(7))
    #expect(!result.isSuccess)
    #expect(result.outcomes == ["slow": .cancelled, "next": .cancelled, "clean": .succeeded])
  }

  @Test func `Cancelling the task that waits cancels the run`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("endless") { _ in try await launch.sleep(1_000_000) }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await launch.sleep(1)
      launcher.cancel()
      return await result
    }
    #expect(result.endReason == .cancelled)
    #expect(result.duration == .seconds(1))
  }

  @Test func `A pause starts nothing, pauses the tree and lets deadlines stand still`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first", settings: TaskSettings(timeout: .seconds(5))) { context in
        for _ in 0..<4 {
          try await launch.sleep(1)
          try await context.checkpoint()
        }
      }
      graph.add("second", after: [first]) { _ in }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await clockSleep(launch, .milliseconds(1_500))
      #expect(launcher.pause())
      #expect(!launcher.pause())
      #expect(launcher.progress.isPaused)
      try await launch.sleep(100)
      #expect(launcher.resume())
      #expect(!launcher.resume())
      return await result
    }
    #expect(result.isSuccess)
    // The pause of 100 seconds counts nowhere: the body slept from the third second on when the pause began.
    #expect(result["first"]?.ended == .milliseconds(3_500))
    #expect(result.duration == .milliseconds(3_500))
  }

  @Test func `A cancel ends a pause, so that what always runs comes to its end`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first") { context in
        try await launch.sleep(1)
        try await context.checkpoint()
      }
      graph.add("clean", after: [first], settings: TaskSettings(alwaysRuns: true)) { context in
        try await context.checkpoint()
      }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await clockSleep(launch, .milliseconds(500))
      launcher.pause()
      try await launch.sleep(9)
      launcher.cancel()
      return await result
    }
    #expect(result.outcomes == ["first": .cancelled, "clean": .succeeded])
  }

  /// Sleeps on the clock of a launch.
  private func clockSleep(_ launch: VirtualLaunch, _ duration: Duration) async throws {
    try await launch.clock.sleep(for: duration)
  }

  @Test func `A report that comes twice is told, and one that never comes is a failure`() throws {
    let events = Box<[RunEvent.Kind]>([])
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add(
        "twice",
        .reporting { _, report in
          #expect(report.succeed())
          #expect(!report.fail(Mishap(description: "late")))
        })
      graph.add(
        "later",
        .reporting { _, report in
          Task(executorPreference: launch.executor) {
            try await launch.sleep(3)
            report.succeed()
          }
        })
      graph.add("never", .reporting { _, _ in })
      let launcher = try launch.launcher(graph, policy: .keepGoing)
      let listener = launcher.events()
      let result = await launcher.run()
      for await event in listener { events.change { $0.append(event.kind) } }
      return result
    }
    #expect(result["twice"]?.outcome == .succeeded)
    #expect(result["later"]?.ended == .seconds(3))
    #expect(result["never"]?.error is NeverReported)
    #expect(events.value.contains(.taskReportedAgain(TaskID(0))))
  }

  @Test func `Chains of 100,000 tasks take no stack`() async throws {
    for body in [TaskBody.nothing, .immediate { _ in }] {
      var graph = LaunchGraph()
      var last = graph.add("0", body)
      for number in 1..<100_000 { last = graph.add("\(number)", after: [last], body) }
      let result = try await Launcher(graph).run()
      #expect(result.isSuccess)
    }
  }

  @Test func `A run without workers has one`() async throws {
    var graph = LaunchGraph()
    graph.add("one") { _ in }
    var options = LauncherOptions()
    options.workers = 0
    #expect(try await Launcher(graph, options: options).run().isSuccess)
  }

  @Test func `An empty graph is over at once`() async throws {
    let result = try await Launcher(LaunchGraph()).run()
    #expect(result.isSuccess && result.tasks.isEmpty)
  }

  @Test func `A cycle is refused with its path`() {
    var graph = LaunchGraph()
    let first = graph.add("first") { _ in }
    let second = graph.add("second", after: [first]) { _ in }
    graph.addDependency(of: first, on: second)
    #expect(throws: GraphError.cycle([first, second])) { _ = try Launcher(graph) }
  }

  @Test func `A body on the main actor runs there`() async throws {
    var graph = LaunchGraph()
    graph.add("window", .on(MainActor.shared) { _, _ in MainActor.assertIsolated() })
    #expect(try await Launcher(graph).run().isSuccess)
  }
}

/// Graphs of a size that nobody draws.
struct LargeGraphTests {
  @Test func `A very large graph runs`() async throws {
    let count = repetitions(100_000, real: 1_000_000, underSanitizer: 50_000)
    var graph = LaunchGraph()
    for place in 0..<count {
      let task = graph.add("\(place)", .nothing)
      if place >= 1_000 { graph.addDependency(of: task, on: TaskID(place - 1_000)) }
    }
    let result = try await Launcher(graph).run()
    #expect(result.isSuccess)
    #expect(result.tasks.count == count)
  }
}
