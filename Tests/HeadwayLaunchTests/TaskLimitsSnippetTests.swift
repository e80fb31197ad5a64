import Foundation
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Testing

/// The examples of the documentation about failures, limits and queues.
struct TaskLimitsSnippetTests {
  /// An answer of a server.
  private struct Response {
    var status = 200
    var retryAfter = 0
  }

  /// The server is busy.
  private struct TooManyRequests: Error {}

  @Test func `A server says when to come back`() throws {
    let result = try withVirtualLaunch { launch in
      let calls = Box(0)
      @Sendable func upload() async throws -> Response {
        calls.change { $0 += 1 }
        return calls.value == 1 ? Response(status: 429, retryAfter: 30) : Response()
      }
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 5, backoff: .seconds(1))
      graph.add("upload", settings: TaskSettings(retries: retries)) { _ in
        let response = try await upload()
        if response.status == 429 {
          throw RetryAfter(.seconds(response.retryAfter), TooManyRequests())
        }
      }
      return await (try launch.launcher(graph)).run()
    }
    #expect(result.duration == .seconds(30))
  }

  @Test func `A body looks why it was cancelled`() throws {
    let isSaved = try withVirtualLaunch { launch in
      let isSaved = Box(false)
      @Sendable func saveHowFarItCame() throws { isSaved.change { $0 = true } }
      @Sendable func importAll(_ context: LaunchContext) async throws { try await launch.sleep(90) }
      var graph = LaunchGraph()
      graph.add("import", settings: TaskSettings(timeout: .seconds(60))) { context in
        defer {
          if case .timeout = context.cancellationReason { try? saveHowFarItCame() }
        }
        try await importAll(context)
      }
      _ = await (try launch.launcher(graph)).run()
      return isSaved.value
    }
    #expect(isSaved)
  }

  @Test func `A summary in a line for each task`() async throws {
    let lines = Box<[String]>([])
    @Sendable func show(_ line: String) { lines.change { $0.append(line) } }
    let graph = LaunchGraph {
      PlannedTask("load") { _ in throw Mishap(description: "no connection") }
      PlannedTask("serve") { _ in }.after("load")
    }
    let launcher = try Launcher(graph)
    let result = await launcher.run()
    for task in result.tasks { show("\(task.name): \(task.outcome)") }
    #expect(
      lines.value == [
        "load: failed: no connection", "serve: skipped because 'load' did not succeed",
      ])
  }

  @Test func `Independent jobs`() async throws {
    let urls = ["a", "b", "c"]
    let loaded = Box<Set<String>>([])
    @Sendable func load(_ url: String, _ progress: ProgressNode) async throws {
      loaded.change { $0.insert(url) }
    }
    let jobs = Launcher.makeQueue(workers: 4, policy: .keepGoing)
    jobs.start()
    for url in urls { try jobs.add(url) { context in try await load(url, context.progress) } }
    try await jobs.waitUntilEmpty()
    #expect(loaded.value == ["a", "b", "c"])
    jobs.close()
    #expect(await jobs.result.isSuccess)
  }

  @Test func `Foundation describes errors for people`() async throws {
    struct NoSpace: LocalizedError {
      var errorDescription: String? { "The disk is full." }
    }
    var options = LauncherOptions()
    options.describeError = { error in
      (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    }
    var graph = LaunchGraph()
    graph.add("save") { _ in throw NoSpace() }
    let result = try await Launcher(graph, options: options).run()
    #expect(result["save"]?.outcome == .failed(.threw("The disk is full.")))
  }
}
