import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// The serial queue of the published start-up manager.
struct LauncherQueueTests {
  /// Writes down what it is told.
  private final class Diary: LauncherDelegate {
    /// The lines.
    private let entries = Guarded<[String]>([])
    /// What follows a failure.
    private let decision: FailureDecision

    /// Creates an empty diary.
    init(_ decision: FailureDecision = .wait) { self.decision = decision }

    /// The lines.
    var lines: [String] { entries.withLock { $0 } }

    /// Adds a line.
    private func note(_ line: String) { entries.withLock { $0.append(line) } }

    func launcher(_ launcher: Launcher, didStart task: TaskID) { note("\(task.name) starts") }
    func launcher(_ launcher: Launcher, didComplete task: TaskID) { note("\(task.name) done") }
    func launcher(
      _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
    ) -> FailureDecision {
      note("\(task.name) failed: \(error.map { "\($0)" } ?? "-")")
      return decision
    }
    func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) {
      note("\(task.name) dropped")
    }
    func launcherDidEmptyQueue(_ launcher: Launcher) { note("empty") }
    func launcher(_ launcher: Launcher, didEnd result: LaunchResult) { note("over") }
  }

  /// A task of a type of its own.
  private struct Step: LaunchTask {
    let name: String
    /// How it ends.
    var error: Mishap?

    func run(_ context: LaunchContext) async throws { if let error { throw error } }
  }

  /// A delegate that does not care.
  private final class Silent: LauncherDelegate {}

  @Test func `Tasks run one at a time in the order in which they were added`() throws {
    let lines = try withVirtualLaunch { launch in
      let diary = Diary()
      let queue = Launcher.makeQueue(options: launch.options())
      queue.setDelegate(diary)
      for name in ["c", "a", "b"] {
        try queue.add(name) { _ in try await launch.sleep(name == "c" ? 9 : 1) }
      }
      queue.start()
      try await launch.sleep(60)
      queue.close()
      #expect(await queue.result.isSuccess)
      try await launch.sleep(1)
      return diary.lines
    }
    #expect(
      lines == [
        "c starts", "c done", "a starts", "a done", "b starts", "b done", "empty", "over",
      ])
  }

  @Test(arguments: [FailureDecision.wait, .proceed, .end])
  func `After a failure the rest stays queued, and the delegate decides`(
    decision: FailureDecision
  ) throws {
    let lines = try withVirtualLaunch { launch in
      let diary = Diary(decision)
      let queue = Launcher.makeQueue(options: launch.options())
      queue.setDelegate(diary)
      try queue.add(Step(name: "bad", error: Mishap(description: "no")))
      try queue.add(Step(name: "next"))
      queue.start()
      try await launch.sleep(1)
      return diary.lines
    }
    let first = ["bad starts", "bad failed: no"]
    switch decision {
    case .wait: #expect(lines == first)
    case .proceed: #expect(lines == first + ["next starts", "next done", "empty"])
    case .end: #expect(lines == first + ["next dropped", "over"])
    }
  }

  @Test func `Without a delegate a held queue goes on when it is told to`() throws {
    let outcomes = try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      try queue.add(Step(name: "bad", error: Mishap(description: "no")))
      try queue.add(Step(name: "next"))
      queue.setDelegate(Silent())
      queue.start()
      try await launch.sleep(1)
      #expect(queue.proceed())
      #expect(!queue.proceed())
      queue.close()
      return await queue.result.outcomes
    }
    #expect(outcomes == ["bad": .failed(.threw("no")), "next": .succeeded])
  }

  @Test func `A task that is added to an idle queue starts at once`() throws {
    let lines = try withVirtualLaunch { launch in
      let diary = Diary()
      let queue = Launcher.makeQueue(options: launch.options())
      queue.setDelegate(diary)
      queue.start()
      try await launch.sleep(5)
      try queue.add(Step(name: "late"))
      try await launch.sleep(5)
      return diary.lines
    }
    #expect(lines == ["empty", "late starts", "late done", "empty"])
  }

  @Test func `Removing all leaves the queue's own task, which is the first`() throws {
    let lines = try withVirtualLaunch { launch in
      let diary = Diary()
      let queue = Launcher.makeQueue(Step(name: "own"), options: launch.options())
      queue.setDelegate(diary)
      try queue.add(Step(name: "gone"))
      #expect(queue.removeAll() == 1)
      try queue.add(Step(name: "kept"))
      queue.start()
      try await launch.sleep(1)
      #expect(queue.removeAll() == 0)
      try await launch.sleep(1)
      return diary.lines
    }
    #expect(
      lines == [
        "gone dropped", "own starts", "own done", "kept starts", "kept done", "empty",
        "own starts", "own done", "empty",
      ])
  }

  @Test func `The delegate is not held`() {
    let queue = Launcher.makeQueue()
    weak var gone: Diary?
    do {
      let diary = Diary()
      gone = diary
      queue.setDelegate(diary)
    }
    #expect(gone == nil)
    queue.cancel()
  }

  @Test func `A second start starts nothing twice`() throws {
    let starts = Box(0)
    try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      try queue.add("one") { _ in
        starts.change { $0 += 1 }
        try await launch.sleep(1)
      }
      queue.start()
      queue.start()
      try await launch.sleep(5)
    }
    #expect(starts.value == 1)
  }

  @Test func `A launcher is a task of another, with its progress below`() throws {
    let (result, fraction) = try withVirtualLaunch { launch in
      var inner = LaunchGraph()
      inner.add("half") { _ in try await launch.sleep(1) }
      inner.add("rest") { _ in try await launch.sleep(3) }
      var outer = LaunchGraph()
      outer.add(try Launcher(inner, name: "inner", options: launch.options()))
      outer.add("beside") { _ in try await launch.sleep(3) }
      let launcher = try launch.launcher(outer)
      async let result = launcher.run()
      try await launch.sleep(2)
      let fraction = launcher.progress.fraction
      return (await result, fraction)
    }
    #expect(result.isSuccess)
    #expect(fraction == 0.25)
  }

  @Test func `The failure of an inner launcher names its tasks`() async throws {
    let queue = Launcher.makeQueue(
      Step(name: "own", error: Mishap(description: "no")), name: "inner")
    var outer = LaunchGraph()
    outer.add(queue)
    let launcher = try Launcher(outer)
    let diary = Diary(.proceed)
    queue.setDelegate(diary)
    let result = await launcher.run()
    #expect(result["inner"]?.outcome == .failed(.threw("failed: 'own' (no)")))
    withExtendedLifetime(diary) {}
  }

  @Test func `There is one shared queue, whoever asks for it first`() async {
    let queues = await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<100 { group.addTask { ObjectIdentifier(Launcher.shared) } }
      return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
    }
    #expect(queues == [ObjectIdentifier(Launcher.shared)])
    #expect(Launcher.shared === Launcher.shared)
  }

  @Test func `A launcher that is a task of another one follows its pauses`() throws {
    let (inner, outer, paused) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("slow", settings: TaskSettings(timeout: .seconds(5))) { context in
        for _ in 0..<4 {
          try await launch.sleep(1)
          try await context.checkpoint()
        }
      }
      let inner = try launch.launcher(graph)
      var outerGraph = LaunchGraph()
      outerGraph.add(inner)
      let outer = try launch.launcher(outerGraph)
      async let result = outer.run()
      try await launch.sleep(1)
      outer.pause()
      try await launch.sleep(100)
      let paused = inner.state.isPaused
      outer.resume()
      return (await inner.result, await result, paused)
    }
    #expect(paused)
    #expect(inner.isSuccess && outer.isSuccess)
    #expect(inner.duration < .seconds(5) && outer.duration < .seconds(5))
  }

  @Test func `An inner launcher whose time is up says so`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("slow") { _ in try await launch.sleep(10) }
      let inner = try launch.launcher(graph, deadline: .seconds(2))
      var outer = LaunchGraph()
      outer.add(inner)
      return await (try launch.launcher(outer)).run()
    }
    #expect(result.tasks[0].outcome == .failed(.threw("the run took longer than 2.0 seconds")))
  }

  @Test func `A delegate that is replaced while it is set is told nothing more`() {
    let reporter = DelegateReporter(Silent())
    reporter.stop()
    let task = Task<Void, Never> {}
    reporter.keep(task)
    #expect(task.isCancelled)
  }
}
