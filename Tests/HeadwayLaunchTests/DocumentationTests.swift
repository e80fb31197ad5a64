import DocumentedPages
import Foundation
import HeadwayLaunch
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import Testing

/// The examples of the documentation, as they stand there.
struct DocumentationTests {
  @Test func `A graph is built, run and has a result`() async throws {
    let graph = LaunchGraph {
      PlannedTask("choose network") { context in
        context.progress.total = 2  // what it reports is part of the run's progress
        for _ in 0..<2 { context.progress.complete(1) }
      }
      PlannedTask("load data") { context in
        try await context.checkpoint()  // throws when it is cancelled, waits while it is paused
      }
      .after("choose network")
      .timeout(.seconds(3_600))
      .retries(2, backoff: .seconds(1), jitter: 0.5)
      PlannedTask("check version", .blocking { _ in })  // on a thread of its own
        .optional()  // the run succeeds without it
    }
    let launcher = try Launcher(graph)
    let result = await launcher.run()
    let isReady = result.isSuccess  // true
    #expect(isReady)
    #expect(launcher.progress.isFinished)
  }

  @Test(arguments: [
    "HeadwayLaunch", "WritingATask", "PassingValues", "LaunchingAnApp", "LaunchingAServer",
  ])
  func `Every example of a page stands in these tests`(page: String) throws {
    let missing = try DocumentedPages(of: "HeadwayLaunch")
      .examplesNotRun(of: page, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }
}

// MARK: - Passing values

extension DocumentationTests {
  @Test func `A list of outputs becomes an array`() async throws {
    let files = ["a", "bc"]
    @Sendable func count(_ file: String) async throws -> Int { file.count }
    var graph = LaunchGraph()
    let parts = files.map { file in graph.add("count \(file)") { try await count(file) } }
    let sum = graph.add("sum", after: parts) { counts in counts.reduce(0, +) }
    let result = try await Launcher(graph).run().get()
    #expect(result[sum] == 3)
  }

  /// What a server is told at its start.
  struct Settings: Sendable {
    let path = "shop.db"
    let port = 8_080

    static func read() async throws -> Settings { Settings() }
  }

  final class Database: Sendable {
    let path: String

    init(at path: String) throws { self.path = path }
  }

  struct Cache: Sendable {
    let database: Database

    init(of database: Database, _ progress: ProgressNode) async throws {
      progress.total = 1
      self.database = database
    }
  }

  struct Server: Sendable {
    let port: Int
    let path: String
    let isCached: Bool

    init(port: Int, _ database: Database, _ cache: Cache?) {
      (self.port, path, isCached) = (port, database.path, cache?.database === database)
    }
  }

  @Test func `Values are passed from task to task`() async throws {
    var graph = LaunchGraph()
    let settings = graph.add("read the settings") { try await Settings.read() }
    let database = graph.addBlocking("open the database", after: settings) { settings in
      try Database(at: settings.path)
    }
    let cache = graph.addOptional("warm the cache", after: database) { context, database in
      try await Cache(of: database, context.progress)
    }
    let server = graph.add("listen", after: settings, database, cache) {
      settings, database, cache in
      Server(port: settings.port, database, cache)  // cache is a Cache?
    }
    let result = try await Launcher(graph).run()
    let port = result[server]?.port  // 8080
    #expect(port == 8_080)
    #expect(result[server]?.path == "shop.db" && result[server]?.isCached == true)
  }
}

// MARK: - Writing a task

extension DocumentationTests {
  struct LoadRoutes: LaunchTask {
    let name = "load routes"
    /// What is loaded.
    let files: [String]

    func run(_ context: LaunchContext) async throws {
      context.progress.total = files.count
      for _ in files {
        try await context.checkpoint()  // ends here when the task is cancelled
        context.progress.complete(1)
      }
    }
  }

  final class ChooseNetwork: ReportingTask {
    let name = "choose network"

    func start(_ context: LaunchContext, _ report: TaskReport) {
      Thread.detachNewThread {
        report.succeed()
      }
    }
  }

  @Test func `Tasks of types of their own are run`() async throws {
    let graph = LaunchGraph {
      LoadRoutes(files: ["a", "b"]).after("choose network")
      ChooseNetwork()
    }
    let result = try await Launcher(graph).run()
    #expect(result.isSuccess)
    let context = Box(false)
    var queue = LaunchGraph()
    queue.add("by hand") { other in
      try await ChooseNetwork().run(other)
      context.change { $0 = true }
    }
    #expect(try await Launcher(queue).run().isSuccess)
    #expect(context.value)
  }
}

// MARK: - Launching an app

extension DocumentationTests {
  /// There is no new version.
  struct NoVersion: Error {}

  /// Where a launch screen would show lines.
  final class Screen: Sendable {
    /// What was shown, and who waits for a line.
    private let state = Guarded<
      (lines: [String], waiter: (String, CheckedContinuation<Void, Never>)?)
    >(
      ([], nil))

    /// Shows a line.
    func show(_ line: String) {
      let waiter = state.withLock { state in
        state.lines.append(line)
        return state.waiter?.0 == line ? state.waiter.take() : nil
      }
      waiter?.1.resume()
    }

    /// Waits until a line is shown.
    func wait(for line: String) async {
      await withCheckedContinuation { continuation in
        let isShown = state.withLock { state in
          if state.lines.contains(line) { return true }
          state.waiter = (line, continuation)
          return false
        }
        if isShown { continuation.resume() }
      }
    }

    /// The lines that were shown.
    var lines: [String] { state.withLock { $0.lines } }
  }

  final class Start: LauncherDelegate {
    /// What a launch screen would show.
    let screen = Screen()

    func launcher(_ launcher: Launcher, didStart task: TaskID) { screen.show("\(task.name)…") }

    func launcher(
      _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
    ) -> FailureDecision {
      screen.show("\(task.name) failed")
      return task.name == "look for a new version" ? .proceed : .end
    }

    func launcherDidEmptyQueue(_ launcher: Launcher) { screen.show("ready") }
  }

  @Test func `A queue starts an app`() async throws {
    let start = Start()
    let queue = Launcher.makeQueue(name: "start")
    queue.setDelegate(start)
    try queue.add("choose a network path") { _ in }
    try queue.add("look for a new version") { _ in throw NoVersion() }
    try queue.add("load the first screen") { _ in }
    queue.start()
    await start.screen.wait(for: "ready")
    queue.close()
    _ = await queue.result
    #expect(
      start.screen.lines == [
        "choose a network path…", "look for a new version…", "look for a new version failed",
        "load the first screen…", "ready",
      ])
  }

  @MainActor final class StartView: LauncherDelegate {
    var line = ""

    func launcher(_ launcher: Launcher, didStart task: TaskID) { line = "\(task.name)…" }

    func launcher(
      _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
    ) async -> FailureDecision {
      await ask("\(task.name) failed. Go on?") ? .proceed : .end
    }
  }

  @Test @MainActor func `A queue asks a view`() async throws {
    let view = StartView()
    let queue = Launcher.makeQueue()
    queue.setDelegate(view)
    try queue.add("fail") { _ in throw NoVersion() }
    try queue.add("show the window") { @MainActor _ in #expect(view.line != "shown") }
    queue.start()
    queue.close()
    #expect(await queue.result["show the window"]?.outcome == .succeeded)
    // The run does not wait for its delegate.
    while view.line != "show the window…" { await Task.yield() }
  }

  @Test func `A screen shows how a graph goes`() async throws {
    let screen = Screen()
    let graph = LaunchGraph {
      PlannedTask("load") { context in context.progress.total = 2 }
      PlannedTask("look for a new version") { _ in throw NoVersion() }.optional()
    }
    let launcher = try Launcher(graph, name: "start")
    let bar = Task {
      for await snapshot in launcher.progress.feed(every: .milliseconds(50)) {
        screen.show("\(Int(snapshot.shownFraction * 100)) %")
      }
    }
    let events = launcher.events()  // before the run begins, so that none is missed
    let lines = Task {
      for await event in events {
        guard case .taskEnded(let task, let outcome, _, _) = event.kind else { continue }
        screen.show(outcome.isSuccess ? "\(task.name): done" : "\(task.name): not done")
      }
    }
    let result = await launcher.run()
    await bar.value
    await lines.value
    #expect(result.isSuccess)
    let expected: Set = ["100 %", "load: done", "look for a new version: not done"]
    #expect(expected.isSubset(of: screen.lines))
  }

  @Test func `A graph starts an app`() async throws {
    let graph = LaunchGraph {
      PlannedTask("choose a network path") { _ in }
      PlannedTask("load the first screen") { _ in }
        .after("choose a network path")
        .timeout(.seconds(3_600))
      PlannedTask("look for a new version") { _ in throw NoVersion() }
        .after("choose a network path")
        .optional()
    }
    let result = try await Launcher(graph, name: "start").run()
    let canShow = result["load the first screen"]?.outcome.isSuccess  // true
    #expect(canShow == true)
    #expect(result.isSuccess)
  }
}

// MARK: - A queue with a task of its own

extension DocumentationTests {
  /// The own task of a queue.
  struct CheckVersion: LaunchTask {
    let name = "check the version"

    func run(_ context: LaunchContext) async throws {}
  }

  @Test func `A queue with a task of its own starts an app`() async throws {
    let start = Start()
    let manager = Launcher.makeQueue(CheckVersion(), name: "start")
    manager.setDelegate(start)
    try manager.add(ChooseNetwork())
    try manager.add("load the data") { _ in }
    manager.start()
    manager.close()  // ends when all tasks have ended
    let result = await manager.result
    #expect(result.isSuccess)
    #expect(
      result.tasks.map(\.name) == ["check the version", "choose network", "load the data"])
  }
}

// MARK: - Launching a server

extension DocumentationTests {
  /// A server that notes what it is told to do.
  final class Shop: Sendable {
    /// What was done.
    private let state = Guarded<[String]>([])
    /// What is asked, which is nothing.
    private let questions = AsyncStream<Never> { _ in }

    /// What was done.
    var steps: [String] { state.withLock { $0 } }

    func open() throws { note("open") }
    func migrate() throws { note("migrate") }
    func readSettings() throws { note("read") }
    func warmCache() throws { note("warm") }
    func listen() throws { note("listen") }
    func announce() throws { note("announce") }
    func askItself() throws { note("ask") }
    func close() { note("close") }

    /// Serves until it is cancelled.
    func serve() async {
      for await _ in questions {}
    }

    /// Notes a step.
    private func note(_ step: String) { state.withLock { $0.append(step) } }
  }

  @Test func `A server is started, serves until it is told to end, and is closed`() async throws {
    let shop = Shop()
    let graph = LaunchGraph(pools: ["database": 1]) {
      PlannedTask("open the database", .blocking { _ in try shop.open() })
        .retries(5, backoff: .milliseconds(200), jitter: 0.5)
      PlannedTask("migrate the schema", .blocking { _ in try shop.migrate() })
        .after("open the database")
      PlannedTask("read the settings", .blocking { _ in try shop.readSettings() })
        .after("migrate the schema")
        .pool("database")
        .priority(1)
      PlannedTask("warm the cache", .blocking { _ in try shop.warmCache() })
        .after("migrate the schema")
        .pool("database")
      PlannedTask("listen", .blocking { _ in try shop.listen() })
        .after("read the settings")
      PlannedTask("announce", .blocking { _ in try shop.announce() })
        .after("listen")
        .timeout(.seconds(60), grace: .seconds(5))
        .optional()
      PlannedTask("ready", .blocking { _ in try shop.askItself() })
        .after("listen", "warm the cache")
    }
    let start = try Launcher(
      graph, name: "start", options: LauncherOptions(workers: 4, deadline: .seconds(300)))
    let life = try Launcher(
      LaunchGraph {
        start
        PlannedTask("serve") { _ in await shop.serve() }
          .after("start")
        PlannedTask("close", .blocking { _ in shop.close() })
          .after("serve")
          .always()
      })
    life.start()
    let isReady = await start.result.isSuccess  // true
    #expect(isReady)
    #expect(shop.steps.prefix(3) == ["open", "migrate", "read"])
    #expect(Set(shop.steps.dropFirst(3)) == ["warm", "listen", "announce", "ask"])
    life.cancel()
    let closed = await life.result["close"]?.outcome.isSuccess  // true
    #expect(closed == true)
    #expect(shop.steps.last == "close")
  }
}

extension DocumentationTests.StartView {
  /// Asks the user, who answers after a while.
  fileprivate func ask(_ question: String) async -> Bool {
    await Task.yield()
    line = question
    return true
  }
}
