import HeadwayLaunch
import HeadwayView
import Testing

/// The examples beside the declarations.
struct SnippetTests {

  @Test func `A console shows failures only`() async throws {
    var graph = LaunchGraph()
    graph.add("compile") { _ in }
    let launcher = try Launcher(graph)
    let events = launcher.events()
    let console = RunConsole("start", graph, mode: RunConsole.Mode.quiet)
    launcher.start()
    for await event in events { console.receive(event) }
    console.finish()
    #expect(await launcher.result.isSuccess)
  }
}
