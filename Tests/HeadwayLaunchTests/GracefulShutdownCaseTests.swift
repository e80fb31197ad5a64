import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport
import Testing

/// Cases of swift-service-lifecycle's graceful shutdown (`Tests/ServiceLifecycleTests/GracefulShutdownTests.swift`,
/// `AsyncCancelOnGracefulShutdownSequenceTests.swift`); a comment names each case.
///
/// There, a service is asked to end by a notice of its own; here its Swift task is cancelled.
struct GracefulShutdownCaseTests {
  /// Runs a service, cancels the run after five seconds, and returns what the service noted.
  private func lines(
    _ body:
      @escaping @Sendable (RunningService<Void>, VirtualLaunch, ServiceDiary) async throws ->
      Void
  ) throws -> [String] {
    try withVirtualLaunch { launch in
      let diary = ServiceDiary(launch)
      var graph = LaunchGraph()
      graph.addService("service") { service in
        service.ready()
        try await body(service, launch, diary)
      }
      let launcher = try launch.launcher(graph)
      launcher.start()
      try await launch.sleep(5)
      launcher.cancel()
      let outcome = await launcher.result["service"]?.outcome
      return diary.all + (outcome == .succeeded ? [] : ["\(String(describing: outcome))"])
    }
  }

  // testWithGracefulShutdownHandler, testWithGracefulShutdownHandler_whenNested.
  @Test func `The handlers of a service and of its child tasks are called when it is told to end`()
    throws
  {
    let lines = try lines { service, _, diary in
      await withTaskCancellationHandler {
        await withTaskGroup { group in
          for number in 1...2 {
            group.addTask {
              await withTaskCancellationHandler {
                await service.waitForShutdown()
              } onCancel: {
                diary.note("child \(number) is told")
              }
            }
          }
        }
        diary.note("all have ended")
      } onCancel: {
        diary.note("service is told")
      }
    }
    #expect(
      lines.sorted() == [
        "5 all have ended", "5 child 1 is told", "5 child 2 is told", "5 service is told",
      ])
    #expect(lines.last == "5 all have ended")
  }

  // testWithGracefulShutdownHandler_whenAlreadyShuttingDown, testWaitForGracefulShutdown_WhenAlreadyShutdown.
  @Test
  func `Who waits for the shutdown after it began does not wait, and a handler is called at once`()
    throws
  {
    let lines = try lines { service, launch, diary in
      await service.waitForShutdown()
      await Task(executorPreference: launch.executor) { try? await launch.sleep(2) }.value
      await service.waitForShutdown()
      diary.note("waited twice")
      await withTaskCancellationHandler {
        diary.note("work")
      } onCancel: {
        diary.note("handler")
      }
    }
    #expect(lines == ["7 waited twice", "7 handler", "7 work"])
  }

  // testTaskGroupShutdownGracefully, testThrowingTaskGroupShutdownGracefully, testWaitForGracefulShutdown.
  @Test func `Child tasks of a service can wait for the shutdown`() throws {
    let lines = try lines { service, _, diary in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...3 {
          group.addTask {
            await service.waitForShutdown()
            diary.note("child \(number) closes")
          }
        }
        try await group.waitForAll()
      }
      diary.note("service closes")
    }
    #expect(
      lines.sorted() == [
        "5 child 1 closes", "5 child 2 closes", "5 child 3 closes", "5 service closes",
      ])
    #expect(lines.last == "5 service closes")
  }

  // testTaskShutdownGracefully: there, a notice reaches unstructured tasks.
  @Test func `A Swift task that a service makes is told by the service`() throws {
    let lines = try lines { service, launch, diary in
      let task = Task(executorPreference: launch.executor) {
        await service.waitForShutdown()
        diary.note("task closes")
      }
      await service.waitForShutdown()
      try? await launch.clock.sleep(for: .seconds(60))
      diary.note("service closes")
      task.cancel()
      await task.value
    }
    #expect(lines == ["5 service closes", "5 task closes"])
  }

  // testCancelWhenGracefulShutdown.
  @Test func `A service that only sleeps ends when it is told, and has not failed`() throws {
    let lines = try lines { _, launch, diary in
      do {
        try await launch.sleep(1_000_000)
      } catch {
        diary.note("\(error)")
        throw error
      }
    }
    #expect(lines == ["5 CancellationError()"])
  }

  // testIsShuttingDownGracefully.
  @Test func `A service can ask whether it was told to end`() throws {
    let lines = try lines { service, launch, diary in
      for _ in 0..<3 {
        diary.note("\(service.context.isCancelled)")
        try? await launch.sleep(2)
      }
      await service.waitForShutdown()
      diary.note("\(service.context.isCancelled)")
    }
    #expect(lines == ["0 false", "2 false", "4 false", "5 true"])
  }

  // testCancelOnGracefulShutdown_finishesWhenShutdown, testCancelOnGracefulShutdown_finishesBaseFinishes.
  @Test(arguments: [false, true])
  func `A loop over a stream ends with the stream or with the shutdown`(isFinished: Bool) throws {
    let lines = try lines { service, launch, diary in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      continuation.yield(1)
      if isFinished { continuation.finish() }
      for await number in stream { diary.note("got \(number)") }
      diary.note("loop ends")
      await service.waitForShutdown()
    }
    #expect(lines == ["0 got 1", "\(isFinished ? 0 : 5) loop ends"])
  }

  // testCancelWhenGracefulShutdownSurvivesCancellation, testCancelWhenGracefulShutdownSurvivesErrorThrown.
  @Test(arguments: [false, true])
  func `A service that must not be interrupted finishes a step after it was told`(throwsError: Bool)
    throws
  {
    let lines = try lines { service, launch, diary in
      await service.waitForShutdown()
      await Task(executorPreference: launch.executor) {
        try? await launch.sleep(1)
        diary.note("saved")
      }.value
      if throwsError { throw Mishap(description: "after all") }
    }
    #expect(lines == ["6 saved"])
  }
}
