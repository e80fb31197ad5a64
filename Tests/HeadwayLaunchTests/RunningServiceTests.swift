import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport
import Testing

/// Services in a program, on virtual time.
struct RunningServiceTests {
  /// What happened, with the times.
  private final class Diary: Sendable {
    private let lines = Box<[String]>([])
    private let launch: VirtualLaunch
    private let start: Duration

    init(_ launch: VirtualLaunch) {
      self.launch = launch
      start = launch.clock.now.offset
    }

    func note(_ line: String) {
      let seconds = Int((launch.clock.now.offset - start) / .seconds(1))
      lines.change { $0.append("\(line) at \(seconds)") }
    }

    var all: [String] { lines.value }
  }

  /// A service that takes a second to get ready.
  private static func service(
    _ name: String, _ launch: VirtualLaunch, _ diary: Diary
  ) -> @Sendable (RunningService<String>) async throws -> Void {
    { service in
      try await launch.sleep(1)
      diary.note("\(name) ready")
      service.ready(name)
      await service.waitForShutdown()
      diary.note("\(name) closes")
    }
  }

  @Test func `What needs a service starts when it is ready, and it ends after the last`() throws {
    let (result, diary, value) = try withVirtualLaunch { launch in
      let diary = Diary(launch)
      let executor = StepExecutor.current
      var graph = LaunchGraph()
      let database = graph.addService(
        "database", providing: String.self, Self.service("database", launch, diary))
      let cache = graph.addService("cache", providing: Int.self, after: database) {
        service, database in
        diary.note("cache has \(database)")
        service.ready(database.count)
        await service.waitForShutdown()
        await Task(executorPreference: executor) { try? await launch.sleep(1) }.value
        diary.note("cache closes")
      }
      let sum = graph.add("count", after: database, cache) { database, cache in
        try await launch.sleep(3)
        diary.note("counted")
        return "\(database) \(cache)"
      }
      let result = try await launch.launcher(graph, workers: 1).run()
      return (result, diary.all, result[sum])
    }
    #expect(result.isSuccess && value == "database 8")
    #expect(
      diary == [
        "database ready at 1", "cache has database at 1", "counted at 4", "cache closes at 5",
        "database closes at 5",
      ])
    #expect(result.tasks.allSatisfy { $0.outcome == .succeeded && $0.error == nil })
  }

  @Test func `A run of services alone stays until it is cancelled, and closes them in order`()
    throws
  {
    let (result, diary) = try withVirtualLaunch { launch in
      let diary = Diary(launch)
      var graph = LaunchGraph()
      let first = graph.addService("first") { service in
        service.ready()
        await service.waitForShutdown()
        diary.note("first closes")
      }
      graph.addService("second", after: first) { service, _ in
        diary.note("second starts")
        service.ready()
        await service.waitForShutdown()
        diary.note("second closes")
      }
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(100)
      diary.note("cancelled")
      launcher.cancel()
      return (await launcher.result, diary.all)
    }
    #expect(
      diary == [
        "second starts at 0", "cancelled at 100", "second closes at 100", "first closes at 100",
      ])
    #expect(result.endReason == .cancelled && result.failures.isEmpty)
  }

  @Test func `A service that returns although it is needed has failed`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let service = graph.addService("short") { service in
        service.ready()
        try await launch.sleep(2)
      }
      graph.add("user", after: service) { _ in try await launch.sleep(60) }
      return try await launch.launcher(graph).run()
    }
    let error = result["short"]?.error as? ServiceEnded
    #expect(error?.description.contains("waitForShutdown()") == true)
    #expect(result["short"]?.outcome.isFailure == true && !result.isSuccess)
    // What runs goes on, as after any failure; it fails by itself if it needs the service.
    #expect(result.duration == .seconds(60))
  }

  @Test func `A service is started again, and what needs it goes on`() throws {
    let (result, attempts, value) = try withVirtualLaunch { launch in
      let attempts = Box<[Int]>([])
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 3, backoff: .seconds(1)))
      let address = graph.addService("server", providing: Int.self, settings: settings) { service in
        attempts.change { $0.append(service.context.attempt) }
        service.ready(8_000 + service.context.attempt)
        if service.context.attempt < 3 {
          try await launch.sleep(2)
          throw Mishap(description: "fell over")
        }
        await service.waitForShutdown()
      }
      let user = graph.add("user", after: address) { address in
        try await launch.sleep(20)
        return address
      }
      let result = try await launch.launcher(graph).run()
      return (result, attempts.value, [result[user], result[address]])
    }
    #expect(result.isSuccess && attempts == [1, 2, 3])
    // It keeps what it has got.
    #expect(value == [8_001, 8_001] && result["server"]?.outcome == .succeeded)
  }

  @Test func `A service that is not ready in time has failed`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let slow = graph.addService("slow", settings: TaskSettings(timeout: .seconds(5))) { service in
        await service.waitForShutdown()
        // Too late: it is being ended.
        service.ready()
      }
      graph.add("user", after: slow) { _ in }
      let result = try await launch.launcher(graph).run()
      #expect(result[slow] == nil)
      return result
    }
    #expect(result["slow"]?.outcome == .timedOut(limit: .seconds(5)))
    #expect(result["user"]?.outcome.isSuccess == false && result.duration == .seconds(5))
  }

  @Test func `A service that does not close is given up after its grace`() throws {
    let result = try withVirtualLaunch { launch in
      let executor = StepExecutor.current
      var graph = LaunchGraph()
      let settings = TaskSettings(grace: .seconds(3))
      let stuck = graph.addService("stuck", settings: settings) { service in
        service.ready()
        await service.waitForShutdown()
        await Task(executorPreference: executor) { try? await launch.sleep(50) }.value
      }
      graph.add("user", after: stuck) { _ in try await launch.sleep(1) }
      return try await launch.launcher(graph).run()
    }
    #expect(result.duration == .seconds(4))
    #expect(result.isSuccess)
  }

  @Test func `A job that is added to a run of services leaves them up`() throws {
    let (result, diary) = try withVirtualLaunch { launch in
      let diary = Diary(launch)
      var graph = LaunchGraph()
      let server = graph.addService("server") { service in
        service.ready()
        await service.waitForShutdown()
        diary.note("server closes")
      }
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(1)
      try launcher.add("job", after: [server.task]) { _ in
        try await launch.sleep(2)
        diary.note("job done")
      }
      try launcher.add("other job") { _ in try await launch.sleep(1) }
      try await launch.sleep(10)
      diary.note("cancelled")
      launcher.cancel()
      return (await launcher.result, diary.all)
    }
    #expect(diary == ["job done at 3", "cancelled at 11", "server closes at 11"])
    #expect(result["job"]?.outcome == .succeeded && result["other job"]?.outcome == .succeeded)
  }

  @Test func `A job that is added keeps up the service that it needs`() throws {
    let diary = try withVirtualLaunch { launch in
      let diary = Diary(launch)
      var graph = LaunchGraph()
      let server = graph.addService("server") { service in
        try await launch.sleep(1)
        service.ready()
        await service.waitForShutdown()
        diary.note("server closes")
      }
      graph.add("first", after: server) { context, _ in
        // The server is ready, and the job is the only one that needs it after this task.
        try context.launcher.add("job", after: [server.task]) { _ in
          try await launch.sleep(5)
          diary.note("job done")
        }
      }
      let launcher = try launch.launcher(graph)
      launcher.start()
      // Added before the server is ready.
      try launcher.add("early", after: [server.task]) { _ in diary.note("early") }
      _ = await launcher.result
      return diary.all
    }
    #expect(diary == ["early at 1", "job done at 6", "server closes at 6"])
  }

  @Test func `Services are ready and closed on real threads`() async throws {
    for _ in 0..<50 {
      var graph = LaunchGraph()
      let open = Box(0)
      var services: [TaskOutput<Int>] = []
      for place in 0..<4 {
        services.append(
          graph.addService("service \(place)", providing: Int.self) { service in
            open.change { $0 += 1 }
            service.ready(place)
            await service.waitForShutdown()
            open.change { $0 -= 1 }
          })
      }
      let sum = graph.add("sum", after: services[0], services[1], services[2], services[3]) {
        #expect(open.value == 4)
        return $0 + $1 + $2 + $3
      }
      let result = try await Launcher(graph, options: LauncherOptions(workers: 2)).run()
      #expect(result[sum] == 6 && open.value == 0)
    }
  }
}
