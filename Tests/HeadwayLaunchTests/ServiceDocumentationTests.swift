import DocumentedPages
import Glibc
import HeadwayLaunch
import HeadwayLock
import HeadwayRun
import Testing

/// The examples of the pages about services, as they stand there.
struct ServiceDocumentationTests {
  final class Pool: Sendable {
    private let isClosed = Guarded(false)

    static func open(_ path: String) async throws -> Pool { Pool() }

    func count(_ table: String) async throws -> Int { isClosed.withLock { $0 } ? 0 : 3 }

    func close() async { isClosed.withLock { $0 = true } }
  }

  @Test(arguments: ["RunningServices", "ComingFromSwiftServiceLifecycle"])
  func `Every example of a page stands in these tests`(page: String) throws {
    let missing = try DocumentedPages(of: "HeadwayLaunch")
      .examplesNotRun(of: page, in: "ServiceDocumentationTests")
    #expect(missing.isEmpty)
  }
}

// MARK: - Running services

extension ServiceDocumentationTests {
  @Test func `A service stays while a task needs it`() async throws {
    var graph = LaunchGraph()
    let database = graph.addService("database", providing: Pool.self) { service in
      let pool = try await Pool.open("shop.db")
      service.ready(pool)  // what needs it starts now
      await service.waitForShutdown()
      await pool.close()
    }
    let orders = graph.add("count the orders", after: database) { pool in
      try await pool.count("orders")
    }
    let result = try await Launcher(graph).run()
    let count = result[orders]  // 3; the pool is closed
    #expect(count == 3)
    #expect(try await result[database]?.count("orders") == 0)
  }

  @Test func `A signal ends a program of services in order`() async {
    // In a process of its own, to which a signal is sent.
    await #expect(processExitsWith: .success) {
      signal(SIGTERM, SIG_DFL)
      var graph = LaunchGraph()
      graph.addService("server") { service in
        service.ready()
        kill(getpid(), SIGTERM)
        await service.waitForShutdown()
      }
      var options = LauncherOptions()
      options.cancellationSignals = [.sigterm, .sigint]
      let result = try await Launcher(graph, options: options).run()
      if let signal = result.signal { print("ended by \(signal)") }  // ended by SIGTERM
      #expect(result.signal == .sigterm)
    }
  }
}

// MARK: - Coming from swift-service-lifecycle

extension ServiceDocumentationTests {
  /// A server that receives one request and SIGTERM, and answers the request when it no longer listens.
  ///
  /// SIGTERM does not come before the server is ready: a service that never was would be cancelled.
  final class Server: Sendable {
    static let answers = Guarded<[String]>([])

    private let requests = AsyncStream<String>.makeStream()

    static func listen(for pool: Pool) async throws -> Server { Server() }

    func answerRequests() async throws {
      requests.continuation.yield("request")
      kill(getpid(), SIGTERM)
      var received: [String] = []
      for await request in requests.stream { received.append(request) }
      try Task.checkCancellation()
      Self.answers.withLock { $0 = received }
    }

    func stopListening() { requests.continuation.finish() }
  }

  @Test func `A server answers what has come before SIGTERM`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGTERM, SIG_DFL)
      var graph = LaunchGraph()
      let database = graph.addService("database", providing: Pool.self) { service in
        let pool = try await Pool.open("shop.db")
        service.ready(pool)
        await service.waitForShutdown()
        await pool.close()
      }
      graph.addService("server", after: database) { service, pool in
        let server = try await Server.listen(for: pool)
        service.ready()
        let requests = Task { try await server.answerRequests() }  // not cancelled with the service
        try await withTaskCancellationHandler {
          try await requests.value
        } onCancel: {
          server.stopListening()  // it answers what has come
        }
      }
      var options = LauncherOptions()
      options.cancellationSignals = [.sigterm, .sigint]
      let result = try await Launcher(graph, options: options).run()
      if !result.failures.isEmpty { throw LaunchFailure(result: result) }
      #expect(result.signal == .sigterm && result.tasks.allSatisfy { $0.outcome == .succeeded })
      #expect(Server.answers.withLock { $0 } == ["request"])
      #expect(try await result[database]?.count("orders") == 0)
    }
  }

  struct LauncherService: Service {
    let launcher: Launcher

    func run() async throws {
      let result = await withGracefulShutdownHandler {
        await launcher.run()
      } onGracefulShutdown: {
        launcher.cancel()
      }
      // A run that was told to end has not failed.
      if !result.isSuccess, result.endReason != .cancelled || !result.failures.isEmpty {
        throw LaunchFailure(result: result)
      }
    }
  }

  @Test func `A launcher is a service of a group`() async throws {
    let closed = Box<[String]>([])
    let (isReady, continuation) = AsyncStream<Void>.makeStream()
    var graph = LaunchGraph()
    let database = graph.addService("database") { service in
      service.ready()
      await service.waitForShutdown()
      closed.change { $0.append("database") }
    }
    graph.addService("server", after: database) { service, _ in
      service.ready()
      continuation.yield()
      await service.waitForShutdown()
      closed.change { $0.append("server") }
    }
    let service = LauncherService(launcher: try Launcher(graph))
    let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
    async let end: Void = group.run()
    for await _ in isReady { break }
    await group.triggerGracefulShutdown()
    try await end
    #expect(closed.value == ["server", "database"])
  }

  @Test func `A launcher that fails is a service that throws`() async throws {
    var graph = LaunchGraph()
    graph.add("bad") { _ in throw Mishap(description: "no") }
    let service = LauncherService(launcher: try Launcher(graph))
    let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
    await #expect { try await group.run() } throws: { error in
      "\(error)" == "failed: 'bad' (no)"
    }
  }

  /// A service that only knows graceful shutdown, and cannot be cancelled in order.
  struct Telemetry: Service {
    let notes: Box<[String]>
    let onStart: @Sendable () -> Void

    func run() async throws {
      onStart()
      try await gracefulShutdown()
      notes.change { $0.append(Task.isCancelled ? "cancelled" : "flushed") }
    }
  }

  @Test func `A service of a group is one of a graph`() async throws {
    let notes = Box<[String]>([])
    let (isRunning, continuation) = AsyncStream<Void>.makeStream()
    let telemetry = Telemetry(notes: notes) { continuation.yield() }
    let logger = Logger(label: "test")
    var graph = LaunchGraph()
    graph.addService("telemetry") { service in
      let group = ServiceGroup(services: [telemetry], logger: logger)
      let run = Task { try await group.run() }  // not cancelled with this function
      service.ready()
      try await withTaskCancellationHandler {
        try await run.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    }
    let launcher = try Launcher(graph)
    launcher.start()
    for await _ in isRunning { break }
    launcher.cancel()
    let result = await launcher.result
    #expect(notes.value == ["flushed"] && result["telemetry"]?.outcome == .succeeded)
  }

  @Test func `The failure of a service ends the others in order, unless it is optional`()
    async throws
  {
    for isOptional in [false, true] {
      let closed = Box<[String]>([])
      let (mayFail, continuation) = AsyncStream<Void>.makeStream()
      var graph = LaunchGraph()
      let database = graph.addService("database") { service in
        service.ready()
        await service.waitForShutdown()
        closed.change { $0.append("database") }
      }
      graph.addService("server", after: database) { service, _ in
        service.ready()
        continuation.yield()
        await service.waitForShutdown()
        closed.change { $0.append("server") }
      }
      graph.addService("telemetry", settings: TaskSettings(isOptional: isOptional)) { service in
        service.ready()
        for await _ in mayFail { break }
      }
      let launcher = try Launcher(graph)
      let events = launcher.events()
      launcher.start()
      if isOptional {
        // The others go on after it.
        for await event in events {
          if case .taskEnded = event.kind { break }
        }
        #expect(closed.value == [])
        launcher.cancel()
      }
      let result = await launcher.result
      #expect(closed.value == ["server", "database"])
      #expect(result["telemetry"]?.error is ServiceEnded)
      #expect(result.failures.map(\.name) == (isOptional ? [] : ["telemetry"]))
    }
  }
}
