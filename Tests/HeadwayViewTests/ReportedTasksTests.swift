import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import HeadwayTime
import ProcessFixtures
import TerminalFixtures
import Testing

import class Foundation.Thread

@testable import HeadwayView

/// What tasks of a program report, beside them on the screen.
struct ReportedTasksTests {
  /// The rows of a run at some times.
  ///
  /// - Parameters:
  ///   - times: The times in whole seconds, ascending.
  ///   - bodies: The tasks, which all start at once.
  /// - Returns: The rows of the tasks at each time.
  /// - Throws: The error of the launcher.
  private static func rows(
    at times: [Int],
    _ bodies: [(name: String, @Sendable (LaunchContext, VirtualClock) async throws -> Void)]
  ) throws -> [[String]] {
    try withVirtualTime { clock in
      var graph = LaunchGraph()
      for (name, body) in bodies { graph.add(name) { try await body($0, clock) } }
      let launcher = try Launcher(
        graph,
        options: LauncherOptions(
          workers: bodies.count, timers: TimerService(clock: clock, tick: .microseconds(1)),
          executor: StepExecutor.current))
      var reported = ReportedTasks(launcher)
      var run = Rehearsal(sample(bodies.map(\.name)), style: .gray)
      run.play(0, .runStarted(tasks: bodies.count, workers: bodies.count))
      for index in bodies.indices { run.play(0, .taskStarted(TaskID(index), attempt: 1)) }
      launcher.start()
      var shown: [[String]] = []
      for second in 0...(times.last ?? 0) {
        // A moment later, so that the tasks have reported.
        try await clock.sleep(for: .milliseconds(second == 0 ? 500 : 1_000))
        run.draw(Double(second) + 0.5, &reported)
        if times.contains(second) {
          // Without the row of the run.
          shown.append(run.screen.text.split(separator: "\n").dropFirst().map { String($0) })
        }
      }
      launcher.cancel()
      _ = await launcher.result
      return shown
    }
  }

  @Test func `Counts, speed and remaining time of what a task reports`() throws {
    let rows = try Self.rows(
      at: [0, 8, 9],
      [
        (
          "index",
          { context, clock in
            context.progress.total = 1_000
            while true {
              try await clock.sleep(for: .seconds(1))
              context.progress.complete(50)
            }
          }
        ),
        ("silent", { _, clock in try await clock.sleep(for: .seconds(60)) }),
      ])
    #expect(
      rows == [
        [
          "• index    ───────────────────    0s  0 / 1,000", "• silent   ────╺━━━━━─────────    0s",
        ],
        [
          "• index    ━━━━━━━╸───────────    8s  400 / 1,000, 50/s, 12 s left",
          "• silent   ────╺━━━━━─────────    8s",
        ],
        [
          "• index    ━━━━━━━━╸──────────    9s  450 / 1,000, 50/s, 11 s left",
          "• silent   ────╺━━━━━─────────    9s",
        ],
      ])
  }

  @Test func `Bytes, words of the task, and work of an unknown length`() throws {
    let rows = try Self.rows(
      at: [5],
      [
        (
          "load",
          { context, clock in
            context.progress.kind = .file(.downloading)
            context.progress.total = 5_000_000
            for _ in 0..<4 {
              try await clock.sleep(for: .seconds(1))
              context.progress.complete(1_000_000)
            }
            try await clock.sleep(for: .seconds(60))
          }
        ),
        (
          "link",
          { context, clock in
            context.progress.total = 4
            context.progress.detail = "linking headway"
            context.progress.complete(1)
            try await clock.sleep(for: .seconds(60))
          }
        ),
        (
          "scan",
          { context, clock in
            context.progress.complete(31)
            try await clock.sleep(for: .seconds(60))
          }
        ),
        (
          "copy",
          { context, clock in
            context.progress.total = 1  // a part of one is no count
            try await clock.sleep(for: .seconds(60))
          }
        ),
      ])
    #expect(
      rows == [
        [
          "• load     ━━━━━━━━━━━━━━━━━━╸    5s  4.0 / 5.0 MB, 1.0 MB/s, 1 s left",
          "• link     ━━━━╸──────────────    5s  linking headway",
          "• scan     ────╺━━━━━─────────    5s  31", "• copy     ───────────────────    5s",
        ]
      ])
  }

  @Test func `Another attempt begins anew`() async throws {
    try withVirtualTime { clock in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 1, backoff: .seconds(1))
      let task = graph.add("load", settings: TaskSettings(retries: retries)) { context in
        context.progress.total = 10
        context.progress.complete(context.attempt == 1 ? 9 : 1)
        try await clock.sleep(for: .seconds(2))
        if context.attempt == 1 { throw CancellationError() }
      }
      let launcher = try Launcher(
        graph,
        options: LauncherOptions(
          timers: TimerService(clock: clock, tick: .microseconds(1)),
          executor: StepExecutor.current))
      var forecaster: RunForecaster? = RunForecaster(graph, workers: 1)
      for kind: RunEvent.Kind in [
        .runStarted(tasks: 1, workers: 1), .taskStarted(task, attempt: 1),
      ] {
        forecaster?.receive(RunEvent(time: .zero, kind: kind))
      }
      var reported = ReportedTasks(launcher)
      var details: [String?] = []
      launcher.start()
      for second in 0..<5 {
        try await clock.sleep(for: .milliseconds(second == 0 ? 500 : 1_000))
        let now = Duration.milliseconds(second * 1_000 + 500)
        _ = reported.read(for: &forecaster, at: now)
        var forecast: RunForecast? = RunForecast(fraction: 0)
        reported.add(to: &forecast)
        details.append(forecast?[task]?.detail)
      }
      #expect(details == ["9 / 10", "9 / 10", nil, "1 / 10", "1 / 10"])
      _ = await launcher.result
      #expect(reported.read(for: &forecaster, at: .seconds(6)) == false)
      var forecast: RunForecast? = RunForecast(fraction: 0)
      reported.add(to: &forecast)
      #expect(forecast?.tasks.isEmpty == true)
    }
  }

  @Test func `A console runs a launcher to its end`() async throws {
    let pipe = Pipe()
    var graph = LaunchGraph()
    graph.add("load") { context in context.progress.total = 3 }
    let launcher = try Launcher(graph)
    let result = await RunConsole("start", graph, output: pipe.writer, style: .gray).run(launcher)
    #expect(result.isSuccess)
    let lines = pipe.readAll().split(separator: "\n")
    #expect(lines.first == "load started")
    #expect(lines.last?.hasPrefix("start: 1 succeeded in") == true)
  }

  @Test func `A console that is cancelled cancels the run, and shows that`() async throws {
    let pipe = Pipe()
    var graph = LaunchGraph()
    let began = AsyncStream.makeStream(of: Never.self)
    graph.add("wait") { context in
      began.continuation.finish()
      // Ends with the cancellation of the task.
      let (never, continuation) = AsyncStream.makeStream(of: Never.self)
      for await _ in never {}
      continuation.finish()
      try Task.checkCancellation()
    }
    let launcher = try Launcher(graph)
    let console = RunConsole("start", graph, output: pipe.writer, style: .gray)
    let run = Task { await console.run(launcher) }
    for await _ in began.stream {}
    run.cancel()
    #expect(await run.value.endReason == .cancelled)
    #expect(pipe.readAll().contains("wait cancelled"))
  }

  @Test func `A program without an asynchronous main blocks`() async throws {
    let pipe = Pipe()
    var graph = LaunchGraph()
    graph.add("load") { _ in }
    let launcher = try Launcher(graph)
    let console = RunConsole("start", graph, output: pipe.writer, style: .gray)
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: console.runBlocking(launcher)) }
    }
    #expect(result.isSuccess)
    #expect(pipe.readAll().hasPrefix("load started\n"))
  }
}
