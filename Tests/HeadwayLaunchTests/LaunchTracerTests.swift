import HeadwayLock
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// The spans of attempts.
struct LaunchTracerTests {
  /// Writes down the calls, and makes the name of the span current.
  private struct Recorder: LaunchTracer {
    @TaskLocal static var current: String?

    let lines = Box<[String]>([])
    /// The time, for lines.
    var now: @Sendable () -> Int = { 0 }
    /// Called at the start of each span.
    var onStart: @Sendable (String) -> Void = { _ in }
    /// Called at the end of each span, before the line is written.
    var onEnd: @Sendable (String) -> Void = { _ in }

    func startSpan(for attempt: LaunchContext) -> String {
      let name = "\(attempt.task.name) \(attempt.attempt)"
      onStart(name)
      lines.change { [now] in $0.append("\(now()) start \(name)") }
      return name
    }

    func withSpan(_ span: String, _ body: () -> Void) {
      Self.$current.withValue(span) { body() }
    }

    func withSpan(_ span: String, _ body: () async -> Void) async {
      await Self.$current.withValue(span) { await body() }
    }

    func endSpan(_ span: String, outcome: Outcome, error: (any Error)?) {
      onEnd(span)
      let reason = error.map { " \($0)" } ?? ""
      lines.change { [now] in
        $0.append("\(now()) end \(span): \(outcome.kind.rawValue)\(reason)")
      }
    }
  }

  /// A tracer on virtual time.
  private func recorder(_ launch: VirtualLaunch) -> Recorder {
    Recorder(now: { Int(VirtualClock.Instant.zero.duration(to: launch.clock.now) / .seconds(1)) })
  }

  @Test(arguments: ["asynchronous", "immediate", "blocking", "reporting", "on"])
  func `A task runs inside its span, whatever its form`(form: String) async throws {
    let current = Box<[String?]>([])
    let note: @Sendable () -> Void = {
      let name = Recorder.current
      current.change { $0.append(name) }
    }
    let body: TaskBody =
      switch form {
      case "immediate": .immediate { _ in note() }
      case "blocking": .blocking { _ in note() }
      case "reporting":
        .reporting { _, report in
          note()
          report.succeed()
        }
      case "on": .on(MainActor.shared) { _, _ in note() }
      default:
        .asynchronous { _ in
          await Task.yield()
          note()
        }
      }
    var graph = LaunchGraph()
    let first = graph.add("first", body)
    graph.add("second", after: [first], body)
    graph.add("group", after: [first])
    var options = LauncherOptions()
    let tracer = Recorder()
    options.tracer = tracer
    let result = await (try Launcher(graph, options: options)).run()
    #expect(result.isSuccess)
    #expect(current.value == ["first 1", "second 1"])
    // On another thread, the second task may begin before the tracer hears of the end of the first one.
    for task in ["first", "second"] {
      #expect(
        tracer.lines.value.filter { $0.contains(task) } == [
          "0 start \(task) 1", "0 end \(task) 1: succeeded",
        ])
    }
    #expect(tracer.lines.value.count == 4)
  }

  @Test func `Each attempt has a span of its own, with what it threw`() throws {
    let lines = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 2, backoff: .seconds(10))
      graph.add("flaky", settings: TaskSettings(retries: retries)) { context in
        try await launch.sleep(1)
        if context.attempt < 3 { throw Mishap(description: "no") }
      }
      let bad = graph.add("bad", settings: TaskSettings(retries: retries)) { _ in
        throw NonRetryable(Mishap(description: "x"))
      }
      graph.add("never", after: [bad]) { _ in }
      var options = launch.options(policy: .keepGoing)
      let tracer = recorder(launch)
      options.tracer = tracer
      _ = await (try Launcher(graph, options: options)).run()
      return tracer.lines.value
    }
    #expect(
      lines == [
        "0 start bad 1", "0 end bad 1: failed x", "0 start flaky 1", "1 end flaky 1: failed no",
        "11 start flaky 2", "12 end flaky 2: failed no", "32 start flaky 3",
        "33 end flaky 3: succeeded",
      ])
  }

  @Test func `A span ends with the time limit, with the cancel, or without the function`() throws {
    let (lines, duration) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let limit = TaskSettings(timeout: .seconds(2), grace: .seconds(3), isOptional: true)
      graph.add("obeys", settings: limit) { _ in try await launch.sleep(100) }
      graph.add("stays", settings: limit) { _ in
        // A function that does not respond to cancellation.
        await Task { try? await launch.sleep(50) }.value
      }
      graph.add("long") { _ in try await launch.sleep(100) }
      var options = launch.options()
      let tracer = recorder(launch)
      options.tracer = tracer
      let launcher = try Launcher(graph, options: options)
      async let result = launcher.run()
      try await launch.sleep(7)
      launcher.cancel()
      let duration = await result.duration
      try await launch.sleep(60)
      return (tracer.lines.value, duration)
    }
    #expect(
      lines == [
        "0 start obeys 1", "0 start stays 1", "0 start long 1",
        "2 end obeys 1: timed_out CancellationError()", "5 end stays 1: timed_out",
        "7 end long 1: cancelled CancellationError()",
      ])
    #expect(duration == .seconds(7))
  }

  @Test func `The delegate and the listeners get the end of a traced run`() throws {
    final class Ends: LauncherDelegate {
      let count = Box(0)
      func launcher(_ launcher: Launcher, didEnd result: LaunchResult) {
        count.change { $0 += 1 }
      }
    }
    let count = try withVirtualLaunch { launch in
      let ends = Ends()
      var options = launch.options()
      options.tracer = recorder(launch)
      let queue = Launcher.makeQueue(options: options)
      queue.setDelegate(ends)
      try queue.add("one") { _ in try await launch.sleep(1) }
      let events = queue.events()
      queue.start()
      queue.close()
      _ = await queue.result
      var last: RunEvent?
      for await event in events { last = event }
      #expect(last?.kind == .runEnded)
      try await launch.sleep(1)
      return ends.count.value
    }
    #expect(count == 1)
  }

  @Test func `A run has no result before its spans have ended`() throws {
    let (slowEnds, fastEnds) = (Semaphore(), Semaphore())
    let launcher = Box<Launcher?>(nil)
    let hadResult = Box<Bool?>(nil)
    var graph = LaunchGraph()
    graph.add("slow", .blocking { _ in })
    graph.add("fast", .blocking { _ in slowEnds.wait() })
    var tracer = Recorder()
    tracer.onEnd = { name in
      guard name == "slow 1" else { return fastEnds.post() }
      // Both tasks have ended, and this is the last span.
      slowEnds.post()
      fastEnds.wait()
      hadResult.change { $0 = launcher.value?.resultIfEnded != nil }
    }
    var options = LauncherOptions(workers: 2)
    options.tracer = tracer
    let run = try Launcher(graph, options: options)
    launcher.change { $0 = run }
    let result = run.runBlocking()
    #expect(result.isSuccess)
    #expect(hadResult.value == false)
    #expect(tracer.lines.value.count == 4)
    launcher.change { $0 = nil }
  }

  @Test func `The span of an attempt that is abandoned while it starts ends at once`() throws {
    let (starts, mayStart, called) = (Semaphore(), Semaphore(), Semaphore())
    var tracer = Recorder()
    tracer.onStart = { _ in
      starts.post()
      mayStart.wait()
    }
    var graph = LaunchGraph()
    graph.add(
      "late",
      .blocking { context in
        #expect(context.isCancelled)
        called.post()
      })
    var options = LauncherOptions()
    options.tracer = tracer
    let launcher = try Launcher(graph, options: options)
    launcher.start()
    starts.wait()
    launcher.cancel()
    launcher.cancel()
    // The run does not wait for a function that was given up.
    #expect(launcher.runBlocking()["late"]?.outcome == .cancelled)
    mayStart.post()
    called.wait()
    #expect(tracer.lines.value == ["0 start late 1", "0 end late 1: cancelled"])
  }

  @Test func `A thousand tasks on real threads have a thousand spans at the end`() async throws {
    var graph = LaunchGraph()
    for number in 0..<1_000 {
      graph.add(
        "\(number)", number.isMultiple(of: 2) ? .immediate { _ in } : .asynchronous { _ in })
    }
    var options = LauncherOptions(workers: 8)
    let tracer = Recorder()
    options.tracer = tracer
    let result = await (try Launcher(graph, options: options)).run()
    #expect(result.isSuccess)
    #expect(tracer.lines.value.count == 2_000)
    #expect(tracer.lines.value.filter { $0.hasSuffix(": succeeded") }.count == 1_000)
  }

  /// A tracer that does not do what it must.
  private struct Careless: LaunchTracer {
    /// How often the function is called.
    let calls: Int

    func startSpan(for attempt: LaunchContext) -> Int { 0 }

    func withSpan(_ span: Int, _ body: () -> Void) { for _ in 0..<calls { body() } }

    func withSpan(_ span: Int, _ body: () async -> Void) async {
      for _ in 0..<calls { await body() }
    }

    func endSpan(_ span: Int, outcome: Outcome, error: (any Error)?) {}
  }

  @Test(arguments: [0, 2], [false, true])
  func `A tracer that does not call the function once traps`(
    calls: Int, isAsynchronous: Bool
  ) async {
    await #expect(processExitsWith: .failure) { [calls, isAsynchronous] in
      var graph = LaunchGraph()
      graph.add("task", isAsynchronous ? .asynchronous { _ in } : .immediate { _ in })
      var options = LauncherOptions()
      options.tracer = Careless(calls: calls)
      _ = await (try Launcher(graph, options: options)).run()
    }
  }
}
