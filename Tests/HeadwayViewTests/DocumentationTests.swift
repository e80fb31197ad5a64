import DocumentedPages
import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import HeadwayView
import ProcessFixtures
import TerminalFixtures
import Testing

/// The examples of the documentation, as they stand there.
struct DocumentationTests {
  /// Two tasks, one after the other.
  private var graph: LaunchGraph {
    LaunchGraph {
      PlannedTask("load") { _ in }
      PlannedTask("serve") { _ in }.after("load")
    }
  }

  @Test func `A run of a launcher is shown`() async throws {
    let graph = graph
    let launcher = try Launcher(graph)
    let result = await RunConsole("start", graph).run(launcher)
    #expect(result.isSuccess)
  }

  @Test func `A program looks at the events itself`() async throws {
    let graph = graph
    let launcher = try Launcher(graph)
    let console = RunConsole("start", graph)
    console.showReports(of: launcher)
    let events = launcher.events()  // before the run begins, so that none is missed
    launcher.start()
    for await event in events { console.receive(event) }
    console.finish()
    #expect(await launcher.result.isSuccess)
  }

  @Test func `A console forecasts from earlier runs and shares the terminal`() {
    func runEditor() {}
    let graph = graph
    let history = DurationHistory()
    let forecaster = RunForecaster(graph, workers: 4, history: history)
    let console = RunConsole("start", graph, forecaster: forecaster)
    console.suspend()
    runEditor()
    console.resume()
    #expect(console.finish())
  }

  @Test func `The lines of the page are what a console prints`() throws {
    let pipe = Pipe()
    let console = RunConsole("start", graph, output: pipe.writer, style: .gray)
    let (load, serve) = (TaskID(0), TaskID(1))
    let (first, second) = (Duration.milliseconds(1_200), Duration.milliseconds(300))
    let events: [(Duration, RunEvent.Kind)] = [
      (.zero, .runStarted(tasks: 2, workers: 1)), (.zero, .taskStarted(load, attempt: 1)),
      (first, .taskEnded(load, .succeeded, attempts: 1, ran: first)),
      (first, .taskStarted(serve, attempt: 1)),
      (first + second, .taskEnded(serve, .succeeded, attempts: 1, ran: second)),
      (first + second, .runEnded),
    ]
    for (time, kind) in events { console.receive(RunEvent(time: time, kind: kind)) }
    console.finish()
    let lines = pipe.readAll().split(separator: "\n", omittingEmptySubsequences: false)
    let page = try DocumentedPages(of: "HeadwayView").page("ShowingARun")
    let start = try #require(page.firstIndex(of: "load started"))
    // The page is read without the blanks at the beginnings of its lines.
    let shown = lines.dropLast().map { $0.drop { $0 == " " } }
    #expect(shown.elementsEqual(page[start...].prefix(shown.count)) { $0 == $1 }, "\(lines)")
  }

  @Test func `Every example of the page stands here`() throws {
    let missing = try DocumentedPages(of: "HeadwayView")
      .examplesNotRun(of: "ShowingARun", in: "DocumentationTests")
    #expect(missing.isEmpty)
  }
}
