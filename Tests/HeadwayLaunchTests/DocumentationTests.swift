import DocumentedPages
import HeadwayLaunch
import HeadwayProgress
import Testing

/// The examples of the documentation, as they stand there.
struct DocumentationTests {
  @Test func `A graph is built, run and has a result`() async throws {
    let graph = LaunchGraph {
      PlannedTask("choose network") { context in
        context.progress.total = 2  // what it reports is part of the run's progress
        for _ in 0..<2 { context.progress.complete() }
      }
      PlannedTask("load data") { context in
        try await context.checkpoint()  // throws when it is cancelled, waits while it is paused
      }
      .after("choose network")
      .timeout(.seconds(10))
      .retries(2, backoff: .seconds(1), jitter: 0.5)
      PlannedTask("check version", .blocking { _ in })  // on a thread of its own
        .optional()  // the run succeeds without it
    }
    let launcher = try Launcher(graph)
    let result = await launcher.run()
    let isReady = result.isSuccess  // true
    #expect(isReady)
    #expect(launcher.progress.isFinished)
  }

  @Test func `Every example of the first page stands in these tests`() throws {
    let missing = try DocumentedPages(of: "HeadwayLaunch")
      .examplesNotRun(of: "HeadwayLaunch", in: "DocumentationTests")
    #expect(missing.isEmpty)
  }
}
