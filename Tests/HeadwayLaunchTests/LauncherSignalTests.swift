import Glibc
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// Signals that cancel runs, on virtual time and without the kernel.
struct LauncherSignalTests {
  /// A service that does not end by itself within an hour.
  private static func stuck(
    _ launch: VirtualLaunch
  ) -> @Sendable (RunningService<Void>) async throws -> Void {
    let executor = launch.executor
    return { service in
      service.ready()
      await service.waitForShutdown()
      await Task(executorPreference: executor) { try? await launch.sleep(3_600) }.value
    }
  }

  @Test func `The first signal ends services in reverse order, each with its grace period`() throws
  {
    let result = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      let first = graph.addService(
        "first", settings: TaskSettings(grace: .seconds(2)), Self.stuck(launch))
      let stuck = Self.stuck(launch)
      graph.addService("second", after: first, settings: TaskSettings(grace: .seconds(3))) {
        service, _ in try await stuck(service)
      }
      let launcher = try Launcher(graph, options: process.options(launch.options()))
      launcher.start()
      try await launch.sleep(10)
      process.receive(.sigterm)
      return await launcher.result
    }
    #expect(result.signal == .sigterm && result.endReason == .cancelled)
    #expect(result["second"]?.ended == .seconds(13) && result["first"]?.ended == .seconds(15))
    #expect(result.duration == .seconds(15) && result.failures.isEmpty && !result.isSuccess)
    #expect(LaunchFailure(result: result).description == "the run was cancelled by SIGTERM")
  }

  /// What asks for the end of a run.
  enum Request: Hashable, Sendable {
    case signal(LauncherSignal)
    case cancel
  }

  /// Runs a stuck service with a grace period of 60 seconds, and a clean-up of 1 second, with requests at some times.
  private func run(_ requests: [(Request, at: Double)]) throws -> LaunchResult {
    try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      let service = graph.addService(
        "stuck", settings: TaskSettings(grace: .seconds(60)), Self.stuck(launch))
      graph.add("clean", after: [service.task], settings: TaskSettings(alwaysRuns: true)) { _ in
        try await launch.sleep(1)
      }
      let launcher = try Launcher(graph, options: process.options(launch.options()))
      launcher.start()
      let start = launch.clock.now
      for (request, second) in requests {
        let moment = start.advanced(by: .milliseconds(Int64(second * 1_000)))
        try await launch.clock.sleep(until: moment)
        switch request {
        case .signal(let signal): process.receive(signal, at: 100 + second)
        case .cancel: launcher.cancel()
        }
      }
      return await launcher.result
    }
  }

  @Test(
    arguments: [
      [.signal(.sigterm)],
      // A service manager, and a person who presses Ctrl-C.
      [.signal(.sigterm), .signal(.sigint)],
      // A session that ends.
      [.signal(.sigterm), .signal(.sighup), .signal(.sighup)],
      [.signal(.sighup), .signal(.sigterm)],
      // Two parts of the program.
      [.signal(.sigterm), .cancel],
      [.cancel, .signal(.sigterm)],
      [.signal(.sigint), .cancel, .signal(.sigterm)],
    ] as [[Request]])
  func `Each way to ask for the end asks for no more than an end in order`(
    requests: [Request]
  ) throws {
    let result = try run(requests.enumerated().map { ($1, at: Double($0 + 1)) })
    #expect(result.endReason == .cancelled)
    #expect(result.duration == .seconds(62))
    #expect(result["clean"]?.outcome == .succeeded)
    let first = requests.compactMap { request -> LauncherSignal? in
      if case .signal(let signal) = request { signal } else { nil }
    }
    #expect(result.signal == first.first)
  }

  @Test(
    arguments: [
      [.signal(.sigterm), .signal(.sigterm)],
      [.signal(.sigint), .signal(.sigterm), .signal(.sigint)],
      [.signal(.sigterm), .cancel, .signal(.sigterm)],
      [.signal(.sigterm), .cancel, .cancel],
      [.cancel, .signal(.sigterm), .signal(.sigterm)],
      [.cancel, .signal(.sigterm), .cancel],
    ] as [[Request]])
  func `What asks again ends everything immediately`(requests: [Request]) throws {
    let result = try run(requests.enumerated().map { ($1, at: Double($0 + 1)) })
    #expect(result.endReason == .cancelledImmediately)
    #expect(result.duration == .seconds(requests.count))
    #expect(result["clean"]?.outcome == .cancelled)
  }

  @Test func `A copy of a signal asks for nothing`() throws {
    // As `timeout` sends it to the process and to its group.
    let result = try run([(.signal(.sigterm), at: 1), (.signal(.sigterm), at: 1.019)])
    #expect(result.endReason == .cancelled && result.duration == .seconds(62))
    let again = try run([(.signal(.sigterm), at: 1), (.signal(.sigterm), at: 1.02)])
    #expect(again.endReason == .cancelledImmediately)
  }

  @Test func `A signal that comes after a failure is in the result`() throws {
    let result = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      graph.add("bad") { _ in throw Mishap(description: "no") }
      graph.add("long") { _ in try await launch.sleep(100) }
      let launcher = try Launcher(graph, options: process.options(launch.options()))
      launcher.start()
      try await launch.sleep(5)
      process.receive(.sigint)
      return await launcher.result
    }
    #expect(result.signal == .sigint && result.endReason == .cancelled)
    #expect(result.duration == .seconds(5) && result.failures.map(\.name) == ["bad"])
    #expect(LaunchFailure(result: result).description == "failed: 'bad' (no)")
  }

  @Test func `A signal ends a paused run`() throws {
    let result = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      graph.add("long") { _ in try await launch.sleep(100) }
      let launcher = try Launcher(graph, options: process.options(launch.options()))
      launcher.start()
      try await launch.sleep(1)
      launcher.pause()
      try await launch.sleep(50)
      process.receive(.sigterm)
      return await launcher.result
    }
    #expect(result.signal == .sigterm && result.duration == .seconds(1))
  }

  @Test func `A queue watches signals while it is empty, and while it is closing`() throws {
    let results = try withVirtualLaunch { launch in
      let process = SignalProcess()
      let empty = Launcher.makeQueue(options: process.options(launch.options()))
      let closing = Launcher.makeQueue(options: process.options(launch.options()))
      try closing.add("long") { _ in try await launch.sleep(100) }
      empty.start()
      // It has not been started.
      closing.close()
      try await launch.sleep(1)
      process.receive(.sigterm)
      let results = [await empty.result, await closing.result]
      #expect(process.handlers.installed.isEmpty)
      return results
    }
    #expect(results.map(\.signal) == [.sigterm, .sigterm])
    #expect(results.map(\.duration) == [.seconds(1), .seconds(1)])
  }

  @Test func `Two runs at once both end, and one that does not watch the signal goes on`() throws {
    let results = try withVirtualLaunch { launch in
      let process = SignalProcess()
      let signals: [Set<LauncherSignal>] = [[.sigterm], [.sigterm, .sigint], [.sigint]]
      let launchers = try signals.map { signals in
        var graph = LaunchGraph()
        graph.add("long") { _ in try await launch.sleep(100) }
        return try Launcher(graph, options: process.options(signals, launch.options()))
      }
      for launcher in launchers { launcher.start() }
      try await launch.sleep(1)
      process.receive(.sigterm)
      var results: [LaunchResult] = []
      for launcher in launchers { results.append(await launcher.result) }
      #expect(process.handlers.sent.isEmpty && process.handlers.installed.isEmpty)
      return results
    }
    #expect(results.map(\.signal) == [.sigterm, .sigterm, nil])
    #expect(results.map(\.duration) == [.seconds(1), .seconds(1), .seconds(100)])
  }

  @Test func `A launcher leaves a signal to the one that it is a task of`() throws {
    let (outer, inner, closing) = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      graph.add("long") { _ in try await launch.sleep(100) }
      let inner = try Launcher(
        graph, name: "inner", options: process.options(launch.options()))
      // Between the two is one that watches nothing.
      let middle = try Launcher(LaunchGraph { inner }, name: "middle", options: launch.options())
      var clean = LaunchGraph()
      clean.add("flush") { _ in try await launch.sleep(7) }
      let closing = try Launcher(
        clean, name: "closing", options: process.options(launch.options()))
      let outer = try Launcher(
        LaunchGraph {
          middle
          closing.planned.after("middle").always()
        }, options: process.options(launch.options()))
      outer.start()
      try await launch.sleep(1)
      process.receive(.sigterm)
      // What always runs is not cancelled by a signal of another kind, either.
      try await launch.sleep(1)
      process.receive(.sigint)
      return (await outer.result, await inner.result, await closing.result)
    }
    #expect(outer.signal == .sigterm && outer.endReason == .cancelled)
    #expect(inner.signal == nil && inner.endReason == .cancelled && inner.duration == .seconds(1))
    #expect(closing.signal == nil && closing.isSuccess)
    #expect(outer.duration == .seconds(8))
  }

  @Test func `A launcher takes the signals that the one around it does not watch`() throws {
    let (outer, inner) = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      graph.add("long") { _ in try await launch.sleep(100) }
      let inner = try Launcher(
        graph, name: "inner", options: process.options([.sigterm], launch.options()))
      let outer = try Launcher(
        LaunchGraph { inner.planned.optional() },
        options: process.options([.sigint], launch.options()))
      outer.start()
      try await launch.sleep(1)
      process.receive(.sigterm)
      return (await outer.result, await inner.result)
    }
    #expect(inner.signal == .sigterm && outer.signal == nil && outer.isSuccess)
    #expect((outer["inner"]?.error as? LaunchFailure)?.result.signal == .sigterm)
  }

  @Test func `A launcher that outlives the one around it takes signals itself`() throws {
    let (outer, inner) = try withVirtualLaunch { launch in
      let process = SignalProcess()
      var graph = LaunchGraph()
      graph.addService(
        "stuck", settings: TaskSettings(grace: .seconds(600)), Self.stuck(launch))
      let inner = try Launcher(
        graph, name: "inner", options: process.options(launch.options()))
      let outer = try Launcher(
        LaunchGraph { inner.planned.timeout(.seconds(1), grace: .seconds(1)) },
        options: process.options(launch.options()))
      outer.start()
      let result = await outer.result
      // It was cancelled with its task, and is still ending.
      process.receive(.sigterm, at: 100)
      process.receive(.sigterm, at: 101)
      return (result, await inner.result)
    }
    #expect(outer["inner"]?.outcome == .timedOut(limit: .seconds(1)))
    #expect(outer.signal == nil)
    #expect(inner.signal == .sigterm && inner.endReason == .cancelledImmediately)
    #expect(inner.duration == .seconds(2))
  }

  @Test func `Without signals none is watched`() async throws {
    let process = SignalProcess()
    var graph = LaunchGraph()
    graph.add("short") { _ in }
    let result = await (try Launcher(graph, options: process.options([]))).run()
    #expect(result.isSuccess && result.signal == nil && process.handlers.log.isEmpty)
  }

  @Test func `A signal has a number and a name`() {
    #expect(LauncherSignal(number: SIGTERM) == .sigterm)
    #expect(LauncherSignal.sigint.number == SIGINT && "\(LauncherSignal.sigint)" == "SIGINT")
    for signal in LauncherSignal.allCases {
      #expect(LauncherSignal(number: signal.number) == signal)
    }
    for number in [SIGKILL, SIGSTOP, SIGSEGV, SIGPIPE, SIGCHLD, SIGTSTP, 0, -1, 1_000] {
      #expect(LauncherSignal(number: number) == nil)
    }
  }
}
