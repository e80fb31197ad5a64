import Glibc
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import ProcessFixtures
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The console of a program's own run.
struct RunConsoleTests {
  /// A console that prints a line for each event.
  private func console(_ pipe: Pipe, mode: RunConsole.Mode? = nil) -> RunConsole {
    var graph = LaunchGraph()
    _ = graph.add("fetch")
    return RunConsole("release", graph, output: pipe.writer, mode: mode, style: .ascii)
  }

  /// The start of the only task.
  private static let started = RunEvent(time: .zero, kind: .taskStarted(0, attempt: 1))

  @Test func `What was posted is written before the end`() {
    let pipe = Pipe()
    let console = console(pipe)
    for _ in 0..<3 { console.receive(Self.started) }
    #expect(console.finish())
    #expect(console.finish())
    #expect(pipe.readAll() == "fetch started\nfetch started\nfetch started\n")
  }

  @Test func `A reader that never reads does not hold up who posts`() {
    let pipe = Pipe()
    let console = console(pipe)
    for _ in 0..<20_000 { console.receive(Self.started) }
    #expect(!console.finish(within: .milliseconds(1)))
    #expect(pipe.readAll().utf8.count < 200_000)
  }

  @Test func `A reader that is gone ends the report and nothing else`() {
    let pipe = Pipe()
    close(pipe.reader)
    let console = console(pipe)
    for _ in 0..<100 { console.receive(Self.started) }
    #expect(console.finish())
    close(pipe.writer)
  }

  @Test func `While suspended nothing is written`() {
    let pipe = Pipe()
    let console = console(pipe)
    #expect(console.suspend(within: .seconds(60)))
    console.receive(Self.started)
    #expect(console.suspend(within: .seconds(60)))
    _ = unsafe write(pipe.writer, "elsewhere\n", 10)
    console.resume()
    #expect(console.finish())
    #expect(pipe.readAll() == "elsewhere\nfetch started\n")
  }

  @Test func `The time of a paused run stands still`() {
    let pipe = Pipe()
    let console = console(pipe, mode: .screen)
    // Nothing is drawn before the pause. After it, the least time would complete the first second.
    #expect(console.suspend(within: .seconds(60)))
    console.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 1, workers: 1)))
    console.receive(Self.started)
    console.receive(RunEvent(time: .nanoseconds(999_999_999), kind: .runPaused))
    console.resume()
    let begun = pipe.read(until: "paused")
    #expect(console.finish())
    let shown = begun + pipe.readAll()
    #expect(shown.contains("paused") && shown.contains(" 0s") && !shown.contains(" 1s"), "\(shown)")
  }

  @Test func `The environment does not bring colors into a pipe`() async {
    await #expect(processExitsWith: .success) {
      _ = unsafe setenv("TERM", "xterm-256color", 1)
      _ = unsafe unsetenv("NO_COLOR")
      let pipe = Pipe()
      var graph = LaunchGraph()
      _ = graph.add("fetch")
      let console = RunConsole("release", graph, output: pipe.writer)
      let failed = Outcome.failed(.exited(code: 1))
      for kind: RunEvent.Kind in [
        .taskStarted(0, attempt: 1), .taskEnded(0, failed, attempts: 1, ran: .seconds(1)),
      ] {
        console.receive(RunEvent(time: .seconds(1), kind: kind))
      }
      console.finish()
      let isPlain = pipe.readAll() == "fetch started\nfetch failed with exit 1 after 1.0s\n"
      exit(isPlain ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
