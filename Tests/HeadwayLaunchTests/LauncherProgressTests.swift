import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import HeadwayTime
import Testing

@testable import HeadwayLaunch

/// The progress of a run.
struct LauncherProgressTests {
  @Test func `A run is one tree, and what a task calls reports to it by itself`() throws {
    /// Knows nothing of launchers.
    @Sendable
    func library(_ launch: VirtualLaunch) async throws {
      let progress = ProgressNode.joinCurrent("Reading", total: 4)
      for _ in 0..<4 {
        try await launch.sleep(1)
        progress.complete(1)
      }
    }
    let snapshot = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("load") { _ in try await library(launch) }
      graph.add("other") { context in
        context.progress.total = 10
        context.progress.complete(5)
        try await launch.sleep(9)
      }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await launch.clock.sleep(for: .milliseconds(1_500))
      let snapshot = launcher.progress.snapshot()
      _ = await result
      #expect(launcher.progress.isFinished)
      return snapshot
    }
    #expect(snapshot.total == 2)
    #expect(snapshot.fraction == 0.375)
    #expect(snapshot.children.map(\.label).sorted() == ["load", "other"])
    let load = snapshot.children.first { $0.label == "load" }
    #expect(load?.children.map(\.label) == ["Reading"])
    #expect(load?.fraction == 0.25)
  }

  @Test func `Tasks that report nothing count when they end`() throws {
    let fractions = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      for number in 0..<4 { graph.add("\(number)") { _ in try await launch.sleep(number + 1) } }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      var fractions: [Double] = []
      for _ in 0..<4 {
        try await launch.clock.sleep(for: .milliseconds(999))
        fractions.append(launcher.progress.fraction)
        try await launch.clock.sleep(for: .milliseconds(1))
      }
      _ = await result
      return fractions
    }
    #expect(fractions == [0, 0.25, 0.5, 0.75])
  }

  @Test func `Silent tasks move by what is expected of them, and stay below their end`() throws {
    let fractions = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("silent") { _ in try await launch.sleep(100) }
      var options = launch.options()
      options.expected = [.seconds(10)]
      let launcher = try Launcher(graph, options: options)
      async let result = launcher.run()
      var fractions: [Double] = []
      for seconds in [1, 4, 45] {
        try await launch.sleep(seconds)
        fractions.append((launcher.progress.fraction * 100).rounded() / 100)
      }
      _ = await result
      return fractions
    }
    #expect(fractions == [0.1, 0.5, 0.95])
  }

  @Test func `A task that begins to report is believed more than the clock`() throws {
    let fractions = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("late reporter") { context in
        try await launch.sleep(6)
        context.progress.total = 10
        context.progress.complete(1)
        try await launch.sleep(100)
      }
      var options = launch.options()
      options.expected = [.seconds(10)]
      let launcher = try Launcher(graph, options: options)
      async let result = launcher.run()
      try await launch.sleep(5)
      let before = launcher.progress.fraction
      try await launch.sleep(5)
      let after = launcher.progress.fraction
      let shown = launcher.progress.shownFraction
      _ = await result
      return [before, after, shown]
    }
    #expect(abs(fractions[0] - 0.5) < 1e-5)
    #expect(fractions[1] == 0.1)
    #expect(fractions[2] == fractions[0])
  }

  @Test func `An attempt that is followed by another takes its progress back`() throws {
    let fractions = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(4)))
      graph.add("stubborn", settings: settings) { context in
        context.progress.total = 2
        context.progress.complete(1)
        try await launch.sleep(2)
        if context.attempt == 1 { throw Mishap(description: "") }
      }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      var fractions: [Double] = []
      for _ in 0..<3 {
        try await launch.clock.sleep(for: .milliseconds(2_500))
        fractions.append(launcher.progress.fraction)
      }
      #expect(await result.isSuccess)
      return fractions + [launcher.progress.fraction]
    }
    #expect(fractions == [0, 0, 0.5, 1])
  }

  @Test func `Tasks that are skipped and removed are done`() throws {
    let (fraction, total) = try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      let first = try queue.add("first") { _ in try await launch.sleep(1) }
      try queue.add("second", after: [first]) { _ in }
      queue.remove(first)
      try queue.add("third") { _ in try await launch.sleep(100) }
      queue.start()
      try await launch.sleep(1)
      defer { queue.cancel() }
      return (queue.progress.fraction, queue.progress.total)
    }
    #expect(total == 3)
    #expect(fraction == 2.0 / 3)
  }

  @Test func `A task counts before it can end`() async throws {
    let queue = Launcher.makeQueue(workers: 4, policy: .keepGoing)
    queue.start()
    let isBehind = Guarded(false)
    for number in 0..<1_000 {
      try queue.add(
        "\(number)",
        .immediate { _ in
          let node = queue.progress
          // The task itself is not complete, so neither is the run.
          if node.completed >= node.total ?? 0 { isBehind.withLock { $0 = true } }
        })
    }
    try await queue.waitUntilEmpty()
    #expect(!isBehind.withLock { $0 })
    #expect(queue.progress.total == 1_000 && queue.progress.completed == 1_000)
    #expect(throws: LaunchError.self) {
      try queue.add("x", after: [TaskID(9_999, name: "unknown")]) { _ in }
    }
    #expect(queue.progress.total == 1_000)
  }

  @Test func `A queue without tasks is not complete, whatever was tried`() throws {
    let queue = Launcher.makeQueue()
    #expect(throws: LaunchError.self) { try queue.add("x", after: [TaskID(9)]) { _ in } }
    #expect(queue.removeAll() == 0)
    #expect(queue.progress.total == nil && queue.progress.isIndeterminate)
    try queue.add("a") { _ in }
    #expect(throws: LaunchError.self) { try queue.add("a") { _ in } }
    #expect(queue.progress.total == 1)
  }

  /// What asks for the end of a run.
  enum CancelRequest: CaseIterable { case progress, bodyFirst, outerRun }

  @Test(arguments: CancelRequest.allCases)
  func `A run whose progress is cancelled is cancelled, and clean-ups run`(
    request: CancelRequest
  ) throws {
    let cleanUps = Box(0)
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first") { context in
        if request == .bodyFirst {
          // What is called before the run is told: the body has seen it, and throws.
          context.launcher.progress.cancel()
          throw CancellationError()
        }
        try await launch.sleep(60)
      }
      graph.add("second", after: [first]) { _ in }
      graph.add("clean-up", after: [first], settings: TaskSettings(alwaysRuns: true)) { _ in
        try await launch.sleep(1)
        cleanUps.change { $0 += 1 }
      }
      let launcher = try launch.launcher(graph)
      var outer: Launcher?
      if request == .outerRun {
        var graph = LaunchGraph()
        graph.add(launcher)
        outer = try launch.launcher(graph)
      }
      let whole = outer ?? launcher
      whole.start()
      try await launch.sleep(1)
      if request != .bodyFirst { whole.progress.cancel() }
      _ = await whole.result
      return await launcher.result
    }
    #expect(result.endReason == .cancelled)
    #expect(result["first"]?.outcome == .cancelled && result["second"]?.outcome.isSuccess == false)
    #expect(cleanUps.value == 1)
  }

  @Test func `Cancelling a run after its progress is no second cancel`() throws {
    let cleanUps = Box(0)
    try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("clean-up", settings: TaskSettings(alwaysRuns: true)) { _ in
        try await launch.sleep(9)
        cleanUps.change { $0 += 1 }
      }
      let launcher = try launch.launcher(graph)
      launcher.progress.cancel()
      launcher.cancel()
      #expect(await launcher.result.endReason == .cancelled)
      let other = try launch.launcher(graph)
      other.progress.cancel()
      other.cancel()
      other.cancel()
      #expect(await other.result.endReason == .cancelledImmediately)
    }
    #expect(cleanUps.value == 1)
  }

  @Test func `Retries wait alike, whichever way they are written`() {
    #expect(PlannedTask("a") { _ in }.retries(2).settings.retries == RetryPolicy(limit: 2))
  }

  @Test func `A task that is cancelled finds its node cancelled`() throws {
    let isCancelled = Box(false)
    try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("slow", settings: TaskSettings(timeout: .seconds(1))) { context in
        let node = context.progress
        do { try await launch.sleep(9) } catch { isCancelled.change { $0 = node.isCancelled } }
      }
      _ = try await launch.launcher(graph).run()
    }
    #expect(isCancelled.value)
  }
}
