import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport
import Testing

/// Cases of swift-service-lifecycle's `ServiceGroup` (`Tests/ServiceLifecycleTests/ServiceGroupTests.swift`,
/// `ServiceGroupAddServiceTests.swift`); a comment names each case.
///
/// A group ends its services in the reverse order of a list; here the order is that of their dependencies.
struct ServiceGroupCaseTests {
  /// A run of services that is over.
  private struct Ended: Sendable {
    var diary: [String]
    var result: LaunchResult

    /// The names of the services that have failed.
    var failures: [String] { result.failures.map(\.name) }
  }

  /// Runs services, and cancels the run after some seconds.
  private func run(
    _ scripts: [ServiceScript], isChain: Bool = true, cancelAt seconds: Int? = nil,
    adding more: (@Sendable (inout LaunchGraph, VirtualLaunch, ServiceDiary) -> Void)? = nil
  ) throws -> Ended {
    try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices(scripts, isChain: isChain, launch, diary)
      more?(&graph, launch, diary)
      let launcher = try launch.launcher(graph, workers: 8)
      launcher.start()
      if let seconds {
        try await launch.sleep(seconds)
        launcher.cancel()
      }
      let result = await launcher.result
      return Ended(diary: diary.all, result: result)
    }
  }
}

// MARK: - Running

extension ServiceGroupCaseTests {
  // testRun_whenAlreadyRunning, testRun_whenAlreadyFinished: there, a second call throws.
  @Test func `A second call of a run waits for the same result and starts nothing`() throws {
    let (diary, durations) = try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices([ServiceScript()], launch, diary)
      let launcher = try launch.launcher(graph)
      async let first = launcher.run()
      async let second = launcher.run()
      try await launch.sleep(5)
      launcher.cancel()
      let results = await [first, second, launcher.run()]
      return (diary.all, results.map(\.duration))
    }
    #expect(diary == ["0 1 runs", "5 1 is told", "6 1 has closed"])
    #expect(durations == [.seconds(6), .seconds(6), .seconds(6)])
  }

  // testRun_whenNoSignal.
  @Test func `Services are told to end when the task that runs them is cancelled`() throws {
    let (diary, reason) = try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices([ServiceScript()], launch, diary)
      let launcher = try launch.launcher(graph)
      let task = Task(executorPreference: launch.executor) { await launcher.run() }
      try await launch.sleep(3)
      task.cancel()
      let reason = await task.value.endReason
      return (diary.all, reason)
    }
    #expect(diary == ["0 1 runs", "3 1 is told", "4 1 has closed"])
    #expect(reason == .cancelled)
  }
}

// MARK: - Services that end early

extension ServiceGroupCaseTests {
  // testRun_whenServiceExitsEarly, testRun_whenServiceExitsEarly_andServiceName.
  @Test func `A service that returns by itself fails the run, which has its name`() throws {
    let ended = try run([ServiceScript(lifetime: 2)])
    #expect(ended.diary == ["0 1 runs", "2 1 ends"])
    #expect(ended.failures == ["1"] && ended.result["1"]?.error is ServiceEnded)
  }

  // testRun_whenServiceExitsEarly_andIgnore, testRun_whenServiceThrows_andIgnore: there, a setting of each service.
  @Test func `Optional services may return and throw, and the others go on`() throws {
    let ended = try run(
      [
        ServiceScript(lifetime: 2, isOptional: true),
        ServiceScript(lifetime: 5, throwsAtEnd: true, isOptional: true),
      ], isChain: false)
    #expect(ended.diary == ["0 1 runs", "0 2 runs", "2 1 ends", "5 2 ends"])
    #expect(ended.result.isSuccess && ended.failures == [])
  }

  // testRun_whenServiceExitsEarly_andShutdownGracefully: there, the end of one service ends the group.
  @Test func `When the last task has ended the services close, the last one first`() throws {
    let ended = try run([ServiceScript(), ServiceScript()]) { graph, launch, diary in
      graph.add("job") { _ in
        try await launch.sleep(2)
        diary.note("job ends")
      }
    }
    #expect(
      ended.diary == [
        "0 1 runs", "0 2 runs", "2 job ends", "2 2 is told", "3 2 has closed", "3 1 is told",
        "4 1 has closed",
      ])
    #expect(ended.result.isSuccess)
  }

  // testRun_whenServiceExitsEarly_andOtherRunningService, testRun_whenServiceThrows.
  @Test(arguments: [false, true])
  func `When a service ends by itself the others are told, and the result has its reason`(
    throwsAtEnd: Bool
  ) throws {
    let ended = try run(
      [ServiceScript(lifetime: 2, throwsAtEnd: throwsAtEnd), ServiceScript()], isChain: false)
    #expect(
      ended.diary == ["0 1 runs", "0 2 runs", "2 1 ends", "2 2 is told", "3 2 has closed"])
    #expect(ended.failures == ["1"])
    let error = ended.result["1"]?.error
    #expect(throwsAtEnd ? error is Mishap : error is ServiceEnded)
    #expect(ended.result["2"]?.outcome == .succeeded)
  }

  // testRun_whenServiceThrows_andShutdownGracefully,
  // testRun_whenServiceThrows_andShutdownGracefully_andOtherServiceThrows.
  @Test(arguments: [false, true])
  func `After a failure the others close in order, and a second failure does not hide the first`(
    throwsAgain: Bool
  ) throws {
    let ended = try run(
      [ServiceScript(throwsAfterClosing: throwsAgain), ServiceScript()]
    ) { graph, launch, diary in
      let script = ServiceScript(lifetime: 2, throwsAtEnd: true)
      graph.addService("x") { service in try await script.run("x", service, launch, diary) }
    }
    #expect(
      ended.diary.suffix(5) == [
        "2 x ends", "2 2 is told", "3 2 has closed", "3 1 is told", "4 1 has closed",
      ])
    #expect(ended.failures == ["x"])
    #expect(ended.result["x"]?.error as? Mishap == Mishap(description: "x broke"))
  }
}

// MARK: - Shutting down

extension ServiceGroupCaseTests {
  // testGracefulShutdownOrdering, testTriggerGracefulShutdown.
  @Test func `Each service stays until the one that needs it has closed`() throws {
    let ended = try run([ServiceScript(), ServiceScript(), ServiceScript()], cancelAt: 5)
    #expect(
      ended.diary == [
        "0 1 runs", "0 2 runs", "0 3 runs", "5 3 is told", "6 3 has closed", "6 2 is told",
        "7 2 has closed", "7 1 is told", "8 1 has closed",
      ])
    #expect(ended.result.endReason == .cancelled && ended.failures == [])
  }

  // testGracefulShutdownOrdering_whenServiceThrows: there, the first service is cancelled at once.
  // testGracefulShutdownOrdering_whenServiceThrows_andServiceGracefullyShutsdown,
  // testTriggerGracefulShutdown_serviceThrows_inOrder_gracefullyShutdownGroup,
  // testTriggerGracefulShutdown_serviceThrows_inOrder_ignore: with these settings it closes in order.
  @Test
  func `A service that throws while it closes has closed, and the others still close in order`()
    throws
  {
    let ended = try run(
      [ServiceScript(), ServiceScript(throwsAfterClosing: true), ServiceScript()], cancelAt: 5)
    #expect(
      ended.diary.suffix(4) == [
        "6 2 is told", "7 2 has closed", "7 1 is told", "8 1 has closed",
      ])
    #expect(ended.failures == [] && ended.result["2"]?.outcome == .succeeded)
  }

  // testGracefulShutdownOrdering_whenServiceExits, testGracefulShutdownOrdering_whenServiceExits_andIgnoringThrows,
  // testTriggerGracefulShutdown_serviceThrows_outOfOrder_gracefullyShutdownGroup,
  // testTriggerGracefulShutdown_serviceThrows_outOfOrder_ignore: there, the middle one is cancelled, or goes on.
  @Test(arguments: [false, true])
  func `A service that ends before its turn leaves the others their time to close`(
    throwsAtEnd: Bool
  ) throws {
    let ended = try run(
      [
        ServiceScript(lifetime: 7, throwsAtEnd: throwsAtEnd), ServiceScript(closing: 3),
        ServiceScript(closing: 3),
      ], cancelAt: 5)
    #expect(
      ended.diary.suffix(5) == [
        "5 3 is told", "7 1 ends", "8 3 has closed", "8 2 is told", "11 2 has closed",
      ])
    #expect(ended.failures == ["1"] && ended.result.endReason == .cancelled)
  }

  // testNestedServiceLifecycle, testTriggerGracefulShutdown_whenNestedGroup.
  @Test func `The services of a run that is a task of another one close before those of the other`()
    throws
  {
    let ended = try run([ServiceScript()], cancelAt: 5) { graph, launch, diary in
      var inner = LaunchGraph()
      for name in ["a", "b"] {
        inner.addService(name) { service in
          try await ServiceScript().run(name, service, launch, diary)
        }
      }
      if let launcher = try? Launcher(inner, name: "inner", options: launch.options()) {
        graph.add(launcher)
      }
    }
    #expect(
      ended.diary == [
        "0 1 runs", "0 a runs", "0 b runs", "5 a is told", "5 b is told", "6 a has closed",
        "6 b has closed", "6 1 is told", "7 1 has closed",
      ])
  }

  // testGracefulShutdownEscalation, testGracefulShutdownEscalation_whenNoCancellationEscalation,
  // testGracefulShutdownWithMaximumDuration.
  @Test(arguments: [(100, 7), (1, 6)])
  func `A service that does not close in its time is given up`(closing: Int, end: Int) throws {
    let ended = try run([ServiceScript(closing: closing, grace: .seconds(2))], cancelAt: 5)
    #expect(ended.result.duration == .seconds(end))
    #expect(ended.diary.contains("6 1 has closed") == (closing == 1))
    #expect(ended.failures == [])
  }

  // testCancellationEscalation, testCancellationSignal_afterGracefulShutdownSignal without its signals.
  @Test func `A second cancel gives up all services at once`() throws {
    let (diary, duration) = try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices([ServiceScript(closing: 3), ServiceScript(closing: 3)], launch, diary)
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(5)
      launcher.cancel()
      try await launch.sleep(1)
      launcher.cancel()
      let duration = await launcher.result.duration
      return (diary.all, duration)
    }
    #expect(diary.filter { !$0.hasSuffix("runs") }.first == "5 2 is told")
    #expect(!diary.contains("8 2 has closed"))
    #expect(duration == .seconds(6))
  }
}

// MARK: - Adding

extension ServiceGroupCaseTests {
  // testAddService_whenShuttingDown, testAddService_whenCancelling.
  @Test func `What is added to a run that ends does not start`() throws {
    let (diary, outcome) = try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices([ServiceScript(closing: 4)], launch, diary)
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(5)
      launcher.cancel()
      try await launch.sleep(1)
      try launcher.add("late") { _ in diary.note("late runs") }
      let outcome = await launcher.result["late"]?.outcome
      return (diary.all, outcome)
    }
    #expect(diary == ["0 1 runs", "5 1 is told", "9 1 has closed"])
    #expect(outcome == .cancelled)
  }

  // testRun_whenAddedServiceThrows.
  @Test func `When what was added fails the services are told`() throws {
    let (diary, failures) = try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addServices([ServiceScript()], launch, diary)
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(5)
      try launcher.add("added") { _ in
        try await launch.sleep(2)
        throw Mishap(description: "added broke")
      }
      let failures = await launcher.result.failures.map(\.name)
      return (diary.all, failures)
    }
    #expect(diary == ["0 1 runs", "7 1 is told", "8 1 has closed"])
    #expect(failures == ["added"])
  }
}
