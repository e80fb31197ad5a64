import Dispatch
import DocumentedPages
import Foundation
import Headway
import HeadwayLock
import Testing

/// The examples of README.md, with `import Headway` only, and the output that it shows below them.
struct ReadmeTests {
  private let pages = DocumentedPages(of: "Headway")
  private let output = Output()

  /// Whether the README shows the output of the example, as the lines between two fences.
  private func isShown() throws -> Bool {
    let lines = ["```"] + output.lines + ["```"]
    let page = try pages.lines(of: "README.md")
    return page.indices.contains { page[$0...].starts(with: lines) }
  }

  @Test func `The examples of the README stand here`() throws {
    let missing = try pages.examplesNotRun(ofFile: "README.md", in: "ReadmeTests")
    // The first one is a manifest.
    #expect(missing.count == 1 && missing.first?.first?.hasPrefix("// Package.swift") == true)
  }

  @Test func `Timers and deadlines`() async throws {
    let print = output.print
    let connection = Connection()
    do {
      let page = try await withDeadline(in: .milliseconds(50)) { try await download("index.html") }
      print(page)
    } catch let error as DeadlineExceeded {
      print(error)
    }

    let timer = TimerService.continuous.schedule(after: .seconds(30)) { connection.close() }
    timer.reschedule(after: .seconds(60))  // the connection was used
    print(timer.cancel())  // true: it will not run
    #expect(try isShown(), "\(output.lines)")
  }

  @Test func `Blocking calls with a time-out`() async throws {
    let print = output.print
    let semaphore = DispatchSemaphore(value: 0)
    defer { semaphore.signal() }
    @Sendable func resolve(_ host: String) throws -> String {
      if host == "example.com" { semaphore.wait() }
      return "192.0.2.1"
    }
    let runner = TimeoutRunner<String, String>(timeout: .seconds(10))
    for host in ["example.org", "example.com"] {
      do {
        print(try await runner.run(host) { try resolve(host) })  // the second call never returns
      } catch let error as DeadlineExceeded {
        print("\(host): \(error)")
      }
    }
    print("stuck: \(runner.stuck.map(\.key))")
    #expect(try isShown(), "\(output.lines)")
  }

  @Test func `A tree of progress`() throws {
    let print = output.print
    func copy(_ files: [String]) {
      let progress = ProgressNode.joinCurrent("Copying", total: files.count)
      for _ in files { progress.complete(1) }
    }

    let release = ProgressNode("release", total: 2)
    release.withCurrent(units: 1) { copy(["a.txt", "b.txt"]) }
    print(release.fraction)
    let upload = release.child("upload", units: 1, total: 100)
    upload.complete(50)
    print(release.fraction)
    #expect(try isShown(), "\(output.lines)")
  }

  @Test func `Simulated progress, rates and forecasts`() throws {
    let print = output.print
    var steps = SimulatedProgress(strategy: .average)
    try steps.setUp(steps: 2, weights: [0.25, 1])
    try steps.start(expecting: .seconds(2), at: .zero)
    try steps.finishStep(at: .seconds(4))  // it took twice as long
    print(steps.fraction(at: .seconds(10)))

    var bytes = RateEstimator(total: 1000, completed: 400, at: .zero)
    bytes.report(430, at: .seconds(3))
    print(bytes.remaining(at: .seconds(4)) ?? "unknown")

    let tasks = ForecastInput(
      tasks: [ForecastInput.Task(name: "compile"), ForecastInput.Task(name: "link")],
      edges: [(before: 0, after: 1)])
    let earlier = DurationHistory.Run(
      samples: [
        DurationHistory.Sample(name: "compile", kind: "", duration: .seconds(10)),
        DurationHistory.Sample(name: "link", kind: "", duration: .seconds(10)),
      ])
    let history = DurationHistory(runs: Array(repeating: earlier, count: 9))
    var forecast = GraphForecast(tasks, workers: 2, history: history)
    forecast.start(0, at: .zero)
    var remaining = ShownRemaining()
    let answer = forecast.forecast(at: .seconds(5))
    print(remaining.advance(to: .seconds(5), forecast: answer.remaining))
    #expect(try isShown(), "\(output.lines)")
  }

  @Test func `A graph of tasks at launch`() async throws {
    let print = output.print
    @Sendable func choosePath(_ context: LaunchContext) async throws {}
    @Sendable func load(_ progress: ProgressNode) async throws { progress.total = 1 }
    let graph = LaunchGraph {
      PlannedTask("choose a network path") { context in try await choosePath(context) }
      PlannedTask("load the first screen") { context in try await load(context.progress) }
        .after("choose a network path")
        .timeout(.seconds(3_600))
        .retries(2)
      CheckVersion()
        .after("choose a network path")
        .optional()
    }
    let result = try await Launcher(graph).run()
    for task in result.tasks { print("\(task.name): \(task.outcome)") }
    print(result.isSuccess)
    #expect(try isShown(), "\(output.lines)")
  }

  @Test func `Bars in a terminal`() throws {
    let null = try #require(FileHandle(forWritingAtPath: "/dev/null"))
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func LiveBars() -> HeadwayTerminal.LiveBars {
      HeadwayTerminal.LiveBars(output: null.fileDescriptor)
    }
    let bars = LiveBars()
    let release = bars.add("release", total: 11)
    let fetch = release.add("fetch", total: 5_000_000, kind: .file(.downloading))
    let build = release.add("build", total: 214)
    let tests = release.add("tests", total: nil)  // the total is unknown
    build.report(60)  // 60 of 214 are done
    fetch.complete(5_000_000)  // so many more bytes
    fetch.end()  // replaces the bar by a line
    bars.print("main.c: a warning")  // prints a line above the bars
    release.setFacts("2.1.0")  // your text, to the right of the bar
    release.report(5)
    bars.finish()
    tests.end()
  }

  /// The rows are those of the guide, which the tests of HeadwayTerminal compare with a terminal in memory.
  @Test func `The rows of the bars are those of the guide`() throws {
    let guide = try DocumentedPages(of: "HeadwayTerminal").page("ShowingBarsInATerminal")
    let start = try #require(guide.firstIndex { $0.hasPrefix("✓ fetch") })
    let end = try #require(guide[start...].firstIndex(of: "```"))
    let readme = try pages.lines(of: "README.md")
    #expect(readme.indices.contains { readme[$0...].starts(with: guide[start...end]) })
  }
}

/// The lines that an example has printed.
private final class Output: Sendable {
  private let text = Guarded<[String]>([])

  /// The lines so far.
  var lines: [String] { text.withLock { $0 } }

  /// Prints a value as one line, as `Swift.print` does.
  var print: @Sendable (Any) -> Void {
    { value in self.text.withLock { $0.append("\(value)") } }
  }
}

/// Never returns a page.
private func download(_ name: String) async throws -> String {
  try await Task.sleep(for: .seconds(3_600))
  return name
}

/// A connection that must not be closed.
private final class Connection: Sendable {
  func close() { Issue.record("the connection was closed") }
}

/// Fails, as its server does not answer.
private struct CheckVersion: LaunchTask {
  let name = "check the version"

  struct NoAnswer: Error, CustomStringConvertible {
    let description = "the server does not answer"
  }

  func run(_ context: LaunchContext) async throws { throw NoAnswer() }
}
