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
      @Sendable func savePartialResult() throws { isSaved.change { $0 = true } }
      @Sendable func importAll(_ context: LaunchContext) async throws { try await launch.sleep(90) }
      var graph = LaunchGraph()
      graph.add("import", settings: TaskSettings(timeout: .seconds(60))) { context in
        defer {
          if case .timeout = context.cancellationReason { try? savePartialResult() }
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

  /// Creates queues on virtual time.
  private struct QueueMaker {
    let options: LauncherOptions

    func makeQueue(workers: Int, policy: FailurePolicy) -> Launcher {
      Launcher.makeQueue(workers: workers, policy: policy, options: options)
    }
  }

  /// An answer that is no success.
  private struct UploadFailure: Error {
    init(_ response: Response) {}
  }

  @Test func `Jobs of a queue decide by their errors what happens next`() throws {
    let (lines, duration) = try withVirtualLaunch { launch -> ([String], Duration) in
      let files = ["ok", "busy", "forbidden", "broken"]
      let calls = Box<[String: Int]>([:])
      @Sendable func send(_ file: String, _ progress: ProgressNode) async throws -> Response {
        calls.change { $0[file, default: 0] += 1 }
        switch file {
        case "busy" where calls.value[file] == 1: return Response(status: 429, retryAfter: 30)
        case "forbidden": return Response(status: 403)
        case "broken": return Response(status: 500)
        default: return Response(status: 200)
        }
      }
      let printed = Box<[String]>([])
      @Sendable func print(_ line: String) { printed.change { $0.append(line) } }
      // On virtual time, which the example need not mention.
      // swift-format-ignore: AlwaysUseLowerCamelCase
      let Launcher = QueueMaker(options: launch.options())
      let uploads = Launcher.makeQueue(workers: 4, policy: .keepGoing)
      uploads.start()

      let retries = RetryPolicy(
        limit: 5, backoff: .seconds(1), jitter: 0.5, maximumDelay: .seconds(20))
      let settings = TaskSettings(timeout: .seconds(10), retries: retries, deadline: .seconds(120))
      for file in files {
        try uploads.add(file, settings: settings) { context in
          let response = try await send(file, context.progress)
          switch response.status {
          case 200: return
          case 429: throw RetryAfter(.seconds(response.retryAfter), UploadFailure(response))
          case 400..<500: throw NonRetryable(UploadFailure(response))
          default: throw UploadFailure(response)
          }
        }
      }
      try await uploads.waitUntilEmpty()
      uploads.close()
      let result = await uploads.result
      for job in result.failures {
        print("\(job.name): \(job.outcome) after \(job.attempts) attempts")
      }
      return (printed.value, result.duration)
    }
    #expect(
      lines == [
        "forbidden: failed: UploadFailure() after 1 attempts",
        "broken: failed: UploadFailure() after 6 attempts",
      ])
    // 'busy' waits for 30 s, and 'broken' for at most 31 s.
    #expect(duration >= .seconds(30) && duration <= .seconds(31))
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
