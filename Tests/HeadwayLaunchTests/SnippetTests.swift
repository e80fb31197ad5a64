import HeadwayForecast
import HeadwayLaunch
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import Testing

/// The examples beside the declarations.
struct SnippetTests {
  private let screen = SnippetScreen()

  /// There is no database.
  private struct NoDatabase: Error {}

  /// Something has gone wrong.
  private struct Broken: Error {}

  private struct Settings: Sendable {
    let path = "shop.db"

    static func read() async throws -> Settings { Settings() }
  }

  private struct Database: Sendable {
    let path: String

    static func open(_ path: String) async throws -> Database { Database(path: path) }

    func close() async {}
  }

  private struct Cache: Sendable {
    init(of database: Database) async throws {}
  }

  @Test func `A pool limits its tasks`() async throws {
    var graph = LaunchGraph()
    let downloads: PoolID = graph.addPool(limit: 2)
    for name in ["a.zip", "b.zip", "c.zip"] {
      graph.add(name, settings: TaskSettings(pool: downloads)) { _ in }
    }
    #expect(try await Launcher(graph).run().isSuccess)
  }

  @Test func `A task is tried again`() throws {
    let attempts = Guarded(0)
    @Sendable func connect() throws {
      if attempts.withLock({ count in
        count += 1
        return count < 3
      }) {
        throw Broken()
      }
    }
    var graph = LaunchGraph()
    let retries = RetryPolicy(limit: 3, backoff: .milliseconds(200), jitter: 0.5)
    graph.add("connect", settings: TaskSettings(retries: retries)) { _ in try connect() }
    let planned = graph
    let result = try withVirtualLaunch { launch in try await launch.launcher(planned).run() }
    #expect(result["connect"]?.attempts == 3)
  }

  @Test func `A task has settings`() {
    var graph = LaunchGraph()
    var settings = TaskSettings(timeout: .seconds(10), grace: .seconds(1))
    settings.isOptional = true  // the run succeeds without it
    let task = graph.add("look for a new version", settings: settings) { _ in }
    #expect(graph.settings(of: task).isOptional)
  }

  @Test func `A result lists its failures`() async throws {
    let show = screen.show
    var graph = LaunchGraph()
    graph.add("fail") { _ in throw Broken() }
    let result: LaunchResult = try await Launcher(graph).run()
    let failures: [LaunchResult.Task] = result.failures
    for task in failures { show("\(task.name) failed after \(task.attempts) attempts") }
    #expect(screen.lines == ["fail failed after 1 attempts"])
  }

  @Test func `The failures of a launcher in a launcher are found`() async throws {
    let show = screen.show
    var graph = LaunchGraph()
    graph.add("connect") { _ in throw Broken() }
    let start = try Launcher(graph, name: "start")
    let life = try Launcher(LaunchGraph { start })
    let result = await life.run()
    if let failure = result["start"]?.error as? LaunchFailure {
      show(failure.result.failures.map(\.name).joined(separator: ", "))  // connect
    }
    #expect(screen.lines == ["connect"])
  }

  @Test func `A launcher that has ended takes no tasks`() async throws {
    let show = screen.show
    let launcher = try Launcher(LaunchGraph())
    _ = await launcher.run()
    do throws(LaunchError) {
      try launcher.add("index the files") { _ in }
    } catch {
      show("\(error)")  // the run has ended
    }
    #expect(screen.lines.count == 1)
  }

  @Test func `A function makes tasks for a graph`() async throws {
    @LaunchGraphBuilder func checks(_ names: [String]) -> [PlannedTask] {
      for name in names {
        PlannedTask(name) { _ in }.after("build")
      }
    }
    let graph = LaunchGraph {
      PlannedTask("build") { _ in }
      checks(["lint", "test"])
    }
    #expect(try await Launcher(graph).run().tasks.count == 3)
  }

  @Test func `A type knows its task`() async throws {
    @Sendable func open(_ path: String) throws {}
    struct OpenDatabase: PlannedTaskConvertible {
      let path: String

      var planned: PlannedTask {
        PlannedTask("open \(path)", .blocking { _ in try open(path) }).retries(2)
      }
    }
    let result = try await Launcher(LaunchGraph { OpenDatabase(path: "shop.db") }).run()
    #expect(result["open shop.db"]?.outcome.isSuccess == true)
  }

  @Test func `A task is not tried again if it cannot succeed`() async throws {
    @Sendable func fileExists(_ path: String) -> Bool { false }
    let path = "shop.db"
    var graph = LaunchGraph()
    let retries = RetryPolicy(limit: 3, backoff: .seconds(1))
    graph.add("open the database", settings: TaskSettings(retries: retries)) { _ in
      guard fileExists(path) else { throw NonRetryable(NoDatabase()) }
    }
    let result = try await Launcher(graph).run()
    #expect(result["open the database"]?.attempts == 1)
  }

  @Test func `A report that is forgotten is a failure`() async throws {
    var graph = LaunchGraph()
    graph.add("forgotten", .reporting { _, _ in })  // nobody keeps the report
    let result = try await Launcher(graph).run()
    let isForgotten = result["forgotten"]?.error is NeverReported  // true
    #expect(isForgotten)
  }

  @Test func `An output has a type`() async throws {
    let show = screen.show
    @Sendable func listen(_ database: Database, _ cache: Cache?) async throws {
      show("listens, \(cache == nil ? "without" : "with") a cache")
    }
    var graph = LaunchGraph()
    let settings: TaskOutput<Settings> = graph.add("read settings") { try await Settings.read() }
    let database = graph.add("open database", after: settings) { try await Database.open($0.path) }
    let cache = graph.addOptional("warm the cache", after: database) { try await Cache(of: $0) }
    graph.add("listen", after: database, cache) { database, cache in  // Database, Cache?
      try await listen(database, cache)
    }
    #expect(try await Launcher(graph).run().isSuccess)
    #expect(screen.lines == ["listens, with a cache"])
  }

  @Test func `A task that always runs may miss an output`() async throws {
    let show = screen.show
    var graph = LaunchGraph()
    let build = graph.add("build") { () throws -> Int in throw Broken() }
    graph.add("report", after: build, settings: TaskSettings(alwaysRuns: true)) { size in
      show("\(size) bytes")
    }
    let result = try await Launcher(graph).run()
    if let missing = result["report"]?.error as? MissingOutput {
      show("\(missing.task.name) has no output")  // build
    }
    #expect(screen.lines == ["build has no output"])
  }

  @Test func `A service passes what it has opened`() async throws {
    let show = screen.show
    var graph = LaunchGraph()
    let settings = graph.add("read the settings") { try await Settings.read() }
    @Sendable func serve(_ service: RunningService<Database>, _ settings: Settings) async throws {
      let database = try await Database.open(settings.path)
      service.ready(database)  // what needs the database starts now
      await service.waitForShutdown()
      await database.close()
    }
    let database = graph.addService("database", providing: Database.self, after: settings) {
      try await serve($0, $1)
    }
    graph.add("ask it", after: database) { database in show("asked \(database.path)") }
    #expect(try await Launcher(graph).run().isSuccess)
    #expect(screen.lines == ["asked shop.db"])
  }

  @Test func `A service that returns too early has failed`() async throws {
    /// Waits until it is cancelled.
    @Sendable func ask(_ port: Int) async {
      for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
    }
    var graph = LaunchGraph()
    let server = graph.addService("server", providing: Int.self) { service in service.ready(8080) }
    graph.add("ask it", after: server) { port in await ask(port) }
    let result = try await Launcher(graph, options: LauncherOptions(policy: .failFast)).run()
    let hasEndedEarly = result["server"]?.error is ServiceEnded  // true
    #expect(hasEndedEarly)
  }

  @Test func `Simulated progress runs on a clock`() throws {
    func connect() {}
    let run = SimulatedProgressRun("Signing in", strategy: .average)
    try run.setUp(steps: 3, weights: [0.2, 0.5, 1])
    try run.start(expecting: .seconds(2))
    connect()
    try run.finishStep()
    #expect(run.fraction >= 0.2)
  }
}

/// Keeps what examples show.
private final class SnippetScreen: Sendable {
  private let kept = Guarded<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func show(_ line: String) { kept.withLock { $0.append(line) } }
}
