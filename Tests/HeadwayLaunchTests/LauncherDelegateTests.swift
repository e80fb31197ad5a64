import HeadwayLaunch
import HeadwayRun
import Testing

/// Delegates and tasks of actors, which conform without further words.
struct LauncherDelegateTests {
  /// What a delegate was told, as one line for each call.
  @MainActor final class ViewModel: LauncherDelegate {
    private(set) var lines: [String] = []
    private var whenOver: CheckedContinuation<Void, Never>?

    func launcher(_ launcher: Launcher, didStart task: TaskID) { note("\(task.name) starts") }
    func launcher(_ launcher: Launcher, didComplete task: TaskID) { note("\(task.name) done") }
    func launcher(
      _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
    ) -> FailureDecision {
      note("\(task.name) failed: \(error.map { "\($0)" } ?? "-")")
      return .proceed
    }
    func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) {
      note("\(task.name) dropped")
    }
    func launcherDidEmptyQueue(_ launcher: Launcher) { note("empty") }
    func launcher(_ launcher: Launcher, didEnd result: LaunchResult) {
      note("over")
      whenOver?.resume()
      whenOver = nil
    }

    private func note(_ line: String) {
      MainActor.preconditionIsolated()
      lines.append(line)
    }

    /// Waits for the last call.
    func waitForEnd() async {
      if lines.last == "over" { return }
      await withCheckedContinuation { whenOver = $0 }
    }
  }

  @Test @MainActor func `A main-actor class is called on the main actor, in order`() async throws {
    let view = ViewModel()
    let queue = Launcher.makeQueue()
    queue.setDelegate(view)
    for number in 1...50 { try queue.add("\(number)", .immediate { _ in }) }
    try queue.add("bad") { _ in throw Mishap(description: "no") }
    let gone = try queue.add("gone") { _ in }
    queue.remove(gone)
    queue.start()
    queue.close()
    await view.waitForEnd()
    let steps = (1...50).flatMap { ["\($0) starts", "\($0) done"] }
    #expect(view.lines == ["gone dropped"] + steps + ["bad starts", "bad failed: no", "over"])
  }

  /// A delegate that is an actor.
  private actor Diary: LauncherDelegate {
    private(set) var starts: [String] = []
    private var whenOver: CheckedContinuation<Void, Never>?
    private var isOver = false

    func launcher(_ launcher: Launcher, didStart task: TaskID) { starts.append(task.name) }

    func launcher(_ launcher: Launcher, didEnd result: LaunchResult) {
      isOver = true
      whenOver?.resume()
    }

    func waitForEnd() async { if !isOver { await withCheckedContinuation { whenOver = $0 } } }
  }

  @Test func `An actor is a delegate`() async throws {
    let diary = Diary()
    let queue = Launcher.makeQueue()
    queue.setDelegate(diary)
    for name in ["a", "b", "c"] { try queue.add(name) { _ in } }
    queue.start()
    queue.close()
    await diary.waitForEnd()
    #expect(await diary.starts == ["a", "b", "c"])
  }

  /// A delegate whose calls take long.
  private final class Slow: LauncherDelegate {
    let lines = Box<[String]>([])
    let launch: VirtualLaunch

    init(_ launch: VirtualLaunch) { self.launch = launch }

    func launcher(_ launcher: Launcher, didStart task: TaskID) async {
      lines.change { $0.append("\(task.name)…") }
      try? await launch.sleep(10)
      lines.change { $0.append("\(task.name)") }
    }

    func launcher(
      _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
    ) async -> FailureDecision {
      try? await launch.sleep(10)
      return .proceed
    }
  }

  @Test func `Each call waits for the one before, and a held run for the decision`() throws {
    let (lines, began) = try withVirtualLaunch { launch in
      let slow = Slow(launch)
      let queue = Launcher.makeQueue(options: launch.options())
      queue.setDelegate(slow)
      try queue.add("bad") { _ in throw Mishap(description: "no") }
      try queue.add("next") { _ in try await launch.sleep(1) }
      queue.start()
      queue.close()
      let result = await queue.result
      try await launch.sleep(60)
      return (slow.lines.value, result["next"]?.began)
    }
    #expect(lines == ["bad…", "bad", "next…", "next"])
    // Ten seconds for the call about the start, and ten for the decision.
    #expect(began == .seconds(20))
  }

  /// A task of the main actor.
  @MainActor private final class ShowWindow: LaunchTask {
    let name = "show the window"
    private(set) var isShown = false

    func run(_ context: LaunchContext) async throws { isShown = true }
  }

  @Test @MainActor func `A main-actor class is a task`() async throws {
    let task = ShowWindow()
    var graph = LaunchGraph()
    graph.add(task)
    let result = await (try Launcher(graph)).run()
    #expect(result.isSuccess)
    #expect(task.isShown)
  }

  /// A task of the main actor that reports its end later.
  @MainActor private final class StartKit: ReportingTask {
    let name = "start the kit"
    private(set) var attempts: [Int] = []

    func start(_ context: LaunchContext, _ report: TaskReport) {
      MainActor.preconditionIsolated()
      attempts.append(context.attempt)
      Task {
        if context.attempt == 1 {
          report.fail(Mishap(description: "busy"))
        } else {
          report.succeed()
        }
      }
    }
  }

  @Test @MainActor func `A main-actor class reports the end of its task`() async throws {
    let task = StartKit()
    let retries = RetryPolicy(limit: 1, backoff: .zero)
    var graph = LaunchGraph()
    graph.add(task.name, settings: TaskSettings(retries: retries), task.body)
    graph.add(
      "closure",
      .reporting { @MainActor _, report in
        MainActor.preconditionIsolated()
        report.succeed()
      })
    let result = await (try Launcher(graph)).run()
    #expect(result.isSuccess)
    #expect(task.attempts == [1, 2])
  }

  @Test func `A checkpoint throws nothing but CancellationError`() throws {
    let errors = Box(0)
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      graph.add("ends the run") { context in
        context.launcher.cancel()
        do throws(CancellationError) { try await context.checkpoint() } catch {
          errors.change { $0 += 1 }
        }
        do throws(CancellationError) {
          try context.blockingCheckpoint()
        } catch {
          errors.change { $0 += 1 }
          throw error
        }
      }
      return try await launch.launcher(graph).run()
    }
    #expect(errors.value == 2)
    #expect(result["ends the run"]?.error is CancellationError)
  }
}
