import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Testing

/// Tasks that are added and removed while a run goes on.
struct LauncherChangesTests {
  @Test func `A task may add others, which run before the end`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("first") { context in
        try await launch.sleep(1)
        let second = try context.launcher.add("second", after: [context.task]) { _ in
          try await launch.sleep(1)
        }
        try context.launcher.add("third", after: [second], .immediate { _ in })
      }
      return try await launch.launcher(graph).run()
    }
    #expect(result.isSuccess)
    #expect(result.tasks.map(\.name) == ["first", "second", "third"])
    #expect(result.tasks.map(\.ended) == [.seconds(1), .seconds(2), .seconds(2)])
  }

  @Test func `A task that is added to need a failed one is skipped`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let bad = graph.add("bad") { _ in throw Mishap(description: "") }
      graph.add("slow") { context in
        try await launch.sleep(1)
        try context.launcher.add("late", after: [bad]) { _ in }
      }
      return try await launch.launcher(graph, policy: .keepGoing).run()
    }
    #expect(result["late"]?.outcome == .skipped(.needs(TaskID(0))))
  }

  @Test func `What cannot be added is refused and changes nothing`() async throws {
    var graph = LaunchGraph()
    graph.add("one") { _ in }
    let launcher = try Launcher(graph)
    #expect(throws: LaunchError.duplicateName("one")) { try launcher.add("one") { _ in } }
    #expect(throws: LaunchError.unknownTask("number 7")) {
      try launcher.add("two", after: [TaskID(7)]) { _ in }
    }
    #expect(throws: LaunchError.unknownPool("two")) {
      try launcher.add("two", settings: TaskSettings(pool: PoolID(3))) { _ in }
    }
    let result = await launcher.run()
    #expect(result.tasks.count == 1)
    #expect(throws: LaunchError.hasEnded) { try launcher.add("two") { _ in } }
    #expect(launcher.progress.total == 1)
  }

  @Test func `A task that has not started is removed, and what needs it is skipped`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first") { _ in try await launch.sleep(5) }
      let second = graph.add("second", after: [first]) { _ in }
      graph.add("third", after: [second]) { _ in }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await launch.sleep(1)
      #expect(launcher.remove(second))
      #expect(!launcher.remove(second))
      #expect(!launcher.remove(TaskID(99)))
      #expect(!launcher.remove(named: "second"))
      return await result
    }
    #expect(
      result.outcomes == [
        "first": .succeeded, "second": .skipped(.removed), "third": .skipped(.removed),
      ])
  }

  @Test func `A task that runs is cancelled when it is removed`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let first = graph.add("first") { _ in try await launch.sleep(5) }
      graph.add("second", after: [first]) { _ in }
      let launcher = try launch.launcher(graph)
      async let result = launcher.run()
      try await launch.sleep(1)
      #expect(launcher.remove(named: "first"))
      return await result
    }
    #expect(result.outcomes == ["first": .cancelled, "second": .skipped(.needs(TaskID(0)))])
    #expect(result.duration == .seconds(1))
  }

  @Test func `A run whose tasks are all removed before it begins is over when it begins`()
    async throws
  {
    var graph = LaunchGraph()
    for number in 0..<3 { graph.add("\(number)") { _ in } }
    let launcher = try Launcher(graph)
    let events = launcher.events()
    #expect(launcher.removeAll() == 3)
    let result = await launcher.run()
    #expect(result.isSuccess && result.tasks.count == 3)
    var ends = 0
    for await event in events { ends += event.kind == .runEnded ? 1 : 0 }
    #expect(ends == 1)
    #expect(launcher.progress.isFinished)
  }

  @Test func `Who does not know the tasks of a run removes all that wait`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      for number in 0..<5 { graph.add("\(number)") { _ in try await launch.sleep(2) } }
      let launcher = try launch.launcher(graph, workers: 2)
      async let result = launcher.run()
      try await launch.sleep(1)
      #expect(launcher.removeAll() == 3)
      return await result
    }
    #expect(result.tasks.count { $0.outcome == .succeeded } == 2)
    #expect(result.tasks.count { $0.outcome == .skipped(.removed) } == 3)
  }
}

/// What a launcher holds, and for how long.
struct LauncherLifeTests {
  /// Tells when it is let go of.
  private final class Sentinel: Sendable {
    /// What is done then.
    private let atEnd: @Sendable () -> Void

    /// Creates a sentinel.
    init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

    deinit { atEnd() }
  }

  @Test func `A run that nobody holds goes on to its end`() throws {
    let isDone = Box(false)
    try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(60)))
      graph.add("stubborn", settings: settings) { context in
        if context.attempt == 1 { throw Mishap(description: "") }
        isDone.change { $0 = true }
      }
      try launch.launcher(graph).start()
      try await launch.sleep(100)
    }
    #expect(isDone.value)
  }

  @Test func `What a task held may call back when it is let go of`() throws {
    let names = Box<[String]>([])
    try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      let forms: [(Sentinel) -> TaskBody] = [
        { held in .asynchronous { _ in withExtendedLifetime(held) {} } },
        { held in .immediate { _ in withExtendedLifetime(held) {} } },
        { held in
          .reporting { _, report in
            withExtendedLifetime(held) { _ = report.succeed() }
          }
        },
        { held in .asynchronous { _ in throw Failing(held) } },
      ]
      for (number, form) in forms.enumerated() {
        let sentinel = Sentinel { [weak queue] in
          names.change { $0.append("\(number)") }
          _ = queue?.pause()
          queue?.resume()
        }
        try queue.add(
          "\(number)", settings: TaskSettings(isOptional: true), form(sentinel))
      }
      queue.start()
      try await launch.sleep(1)
      #expect(names.value.prefix(3) == ["0", "1", "2"])
      queue.cancel()
    }
    #expect(names.value.sorted() == ["0", "1", "2", "3"])
  }

  /// An error that holds something.
  private struct Failing: Error {
    /// What it holds.
    let held: Sentinel

    /// Creates an error.
    init(_ held: Sentinel) { self.held = held }
  }

  @Test func `A launcher is let go of after its run`() throws {
    weak var gone: Launcher?
    try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("one", settings: TaskSettings(timeout: .seconds(5))) { _ in
        try await launch.sleep(1)
      }
      _ = try await launch.launcher(graph).run()
    }
    do {
      let launcher = try Launcher(LaunchGraph())
      gone = launcher
    }
    #expect(gone == nil)
  }
}
