import Glibc
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayConsole

/// The console of a program's own run.
struct RunConsoleTests {
  /// A console that prints a line for each event.
  private func console(_ pipe: Pipe) -> RunConsole {
    var graph = LaunchGraph()
    _ = graph.add("fetch")
    return RunConsole("release", graph, output: pipe.writer, style: .ascii)
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
}
