import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayView

/// Services in the live region.
struct ScreenRendererServiceTests {
  /// A run of two services, and of tasks that use them.
  private func start(tasks: [String] = [], columns: Int = 80) -> Rehearsal {
    let sample = sample(["db", "web"] + tasks) { graph in
      graph = LaunchGraph()
      for name in ["db", "web"] + tasks {
        var settings = TaskSettings()
        if !tasks.contains(name) { (settings.role, settings.timeout) = (.service, .seconds(5)) }
        _ = graph.add(name, settings: settings)
      }
    }
    var run = Rehearsal(sample, style: .gray, columns: columns)
    run.play(0, .runStarted(tasks: 2 + tasks.count, workers: 2))
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(2, .taskReady(0, attempt: 1, after: .seconds(2)))
    return run
  }

  @Test func `Services alone show their states in place of a bar and a remaining time`() {
    var run = start()
    run.draw(8)
    #expect(
      run.screen.text == """
        release    2 services: 1 ready, 1 waiting · 8s · Ctrl-C ends them
        • db       ready for 6s
        """)
    run.play(12, .taskStarted(1, attempt: 1))
    run.draw(15)
    #expect(
      run.screen.text == """
        release    2 services: 1 ready, 1 starting · 15s · Ctrl-C ends them
        • db       ready for 13s
        • web      starting · 3s · limit in 2s
        """)
  }

  @Test func `A service that is started again says so until it is ready`() {
    var run = start()
    run.play(2, .taskStarted(1, attempt: 1))
    run.play(
      4, .taskRetrying(1, attempt: 2, delay: .seconds(3), because: .failed(.exited(code: 7))))
    run.draw(5)
    #expect(
      run.screen.text == """
        ↻ web                failed with exit 7, attempt 2 in 3s
        release    2 services: 1 ready, 1 restarting · 5s · Ctrl-C ends them
        • db       ready for 3s
        ↻ web      restarting, attempt 2 in 2s
        """)
    run.play(7, .taskStarted(1, attempt: 2))
    run.draw(8)
    #expect(run.screen.text.hasSuffix("\n• web      restarting, attempt 2 · 1s"))
    run.play(9, .taskReady(1, attempt: 2, after: .seconds(2)))
    run.draw(74)
    #expect(run.screen.text.contains("release    2 services: 2 ready · 1m14s · Ctrl-C ends them\n"))
    #expect(run.screen.text.hasSuffix("\n• web      ready for 1m05s · attempt 2"))
  }

  @Test func `Services that are being ended say so`() {
    var run = start(columns: 100)
    run.play(2, .taskStarted(1, attempt: 1))
    run.play(3, .taskReady(1, attempt: 1, after: .seconds(1)))
    run.play(9, .runEnding(.cancelled))
    run.draw(9)
    #expect(
      run.screen.text == """
        cancelling: running tasks are asked to end; a second Ctrl-C ends them immediately
        release    2 services: 2 ending · cancelling · 9s
        • db       ending…
        • web      ending…
        """)
    run.play(10, .taskEnded(1, .succeeded, attempts: 1, ran: .seconds(8)))
    run.draw(10)
    #expect(run.screen.text.contains("\nrelease    2 services: 1 ending · cancelling · 10s\n"))
  }

  @Test func `Ctrl-C is not offered where it does not end the run`() {
    var sample = sample(["db"]) { graph in
      graph = LaunchGraph()
      var settings = TaskSettings()
      settings.role = .service
      _ = graph.add("db", settings: settings)
    }
    sample.description.interruptEndsRun = false
    var run = Rehearsal(sample, style: .gray, columns: 100)
    run.play(0, .runStarted(tasks: 1, workers: 1))
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(1)
    #expect(!run.screen.text.contains("Ctrl-C"))
    run.play(2, .runEnding(.cancelled))
    run.draw(2)
    #expect(run.screen.text.hasPrefix("cancelling: running tasks are asked to end\n"))
  }

  @Test func `A paused run of services says so in place of how to end it`() {
    var run = start()
    run.play(2, .taskStarted(1, attempt: 1))
    run.play(3, .runPaused)
    run.draw(3)
    #expect(run.screen.text.hasPrefix("release    2 services: 1 ready, 1 starting · 3s · paused\n"))
  }

  @Test func `A service that failed is counted beside those that stay`() {
    var run = start()
    run.play(2, .taskStarted(1, attempt: 1))
    run.play(7, .taskOverdue(1, attempt: 1, limit: .seconds(5)))
    run.draw(7)
    #expect(run.screen.text.hasSuffix("\n• web      ending…"))
    run.play(8, .taskEnded(1, .timedOut(limit: .seconds(5)), attempts: 1, ran: .seconds(6)))
    run.draw(8)
    #expect(
      run.screen.text == """
        ✗ web          6.0s  not ready after 5s
        release    2 services: 1 ready · 1 timed out · 8s · Ctrl-C ends them
        • db       ready for 6s
        """)
  }

  @Test(arguments: [
    (70, "release    2 services: 1 ready, 1 starting · 9s · Ctrl-C ends them"),
    (62, "release    2 services: 1 ready, 1 starting · Ctrl-C ends them"),
    (61, "release    1 ready, 1 starting · Ctrl-C ends them"),
    (40, "release 1 ready, 1 starting"),
    (20, "release 1 ready, 1…"),
  ])
  func `A narrow terminal keeps the states of services`(columns: Int, header: String) {
    var run = start(columns: columns)
    run.play(6, .taskStarted(1, attempt: 1))
    run.draw(9)
    #expect(run.screen.text.split(separator: "\n").first.map { String($0) } == header)
  }

  @Test func `Beside tasks the header stays, and what is left after them has no percentage`() {
    var run = start(tasks: ["test"])
    run.play(2, .taskStarted(1, attempt: 1))
    run.play(2, .taskStarted(2, attempt: 1))
    run.draw(4)
    #expect(
      run.screen.text == """
        release    ━━━━━━━━╸──────────   44%  0 of 3 · 4s · first run, no estimate yet
        • db       ready for 2s
        • web      starting · 2s
        • test     ─────────━━━━━╸────    2s
        """)
    run.play(6, .taskReady(1, attempt: 1, after: .seconds(4)))
    run.play(9, .taskEnded(2, .succeeded, attempts: 1, ran: .seconds(7)))
    run.draw(10)
    #expect(
      run.screen.text == """
        ✓ test         7.0s
        release    2 services: 2 ending · 10s
        • db       ending…
        • web      ending…
        """)
  }

  @Test func `A service that was not ready in time is not said to have timed out`() {
    let sample = start().description
    var output = ""
    var state = RunState(taskCount: 2)
    var renderer = LineRenderer(sample, style: .gray)
    let events: [RunEvent.Kind] = [
      .taskStarted(0, attempt: 1), .taskOverdue(0, attempt: 1, limit: .seconds(5)),
      .taskRetrying(
        0, attempt: 2, delay: .seconds(1), because: .timedOut(limit: .seconds(5))),
      .taskStarted(0, attempt: 2),
      .taskEnded(0, .timedOut(limit: .seconds(5)), attempts: 2, ran: .seconds(11)),
      .taskEnded(1, .skipped(.needs(0)), attempts: 0, ran: .zero), .runEnded,
    ]
    for kind in events {
      let event = RunEvent(time: .seconds(11), kind: kind)
      state.apply(event)
      var update = RunUpdate()
      update.events = [RunUpdate.Event(event, state)]
      update.snapshot = RunSnapshot(state, nil)
      var bytes: [UInt8] = []
      renderer.update(update, into: &bytes)
      output += String(decoding: bytes, as: UTF8.self)
    }
    #expect(
      output == """
        db started
        db is not ready after 5s and is being ended
        db not ready after 5s, attempt 2 in 1s
        db started, attempt 2
        db not ready after 5s, attempt 2
        web skipped: needs db, which was not ready in time

          task  state        time  attempts
        ✗ db    not ready   11.0s         2  limit of 5s
        ○ web   skipped         –         –  needs db, which was not ready in time

        release: 1 timed out, 1 skipped in 11.0s

        """)
  }
}
