import HeadwayLaunch
import HeadwayRun
import Testing

/// Runs that are held after a failure until someone decides about the failed task.
struct LaunchCoreHoldTests {
  /// Settings that say nothing.
  private let plain = TaskSettings()
  /// A failed attempt.
  private let fails = VirtualRun.Script(result: .failed(.exited(code: 7)))

  /// Runs a graph with decisions, and returns it.
  private func run(
    _ tasks: [(String, after: [String], TaskSettings)], workers: Int = 2,
    scripts: [Int: [VirtualRun.Script]] = [:],
    requests: [(at: Duration, LaunchCore.Urgency)] = [],
    decisions: [(at: Duration, TaskID, retries: Bool)]
  ) throws -> VirtualRun {
    var byTask: [TaskID: [VirtualRun.Script]] = [:]
    for (place, script) in scripts { byTask[TaskID(place)] = script }
    let run = try VirtualRun(
      LaunchGraph(tasks, pools: []), workers: workers, policy: .hold, scripts: byTask,
      requests: requests, decisions: decisions)
    _ = run.run()
    return run
  }

  /// The outcomes of a run.
  private func outcomes(_ run: VirtualRun) -> [Outcome.Kind?] {
    (0..<run.graph.count).map { run.core.outcome(of: TaskID($0))?.kind }
  }

  /// When something happened first.
  private func time(_ run: VirtualRun, _ kind: RunEvent.Kind) -> Duration? {
    run.events.first { $0.kind == kind }?.time
  }

  @Test func `A failed task runs again on request, and until then nothing starts`() throws {
    let run = try run(
      [("a", [], plain), ("b", ["a"], plain), ("c", [], plain), ("d", ["c"], plain)],
      scripts: [0: [fails, .init()], 2: [.init(duration: .seconds(2))]],
      decisions: [(.seconds(9), TaskID(0), retries: true)])
    #expect(outcomes(run) == [.succeeded, .succeeded, .succeeded, .succeeded])
    #expect(time(run, .runHeld(by: TaskID(0))) == .seconds(1))
    #expect(time(run, .runProceeding) == .seconds(9))
    #expect(time(run, .taskStarted(TaskID(0), attempt: 2)) == .seconds(9))
    #expect(time(run, .taskStarted(TaskID(3), attempt: 1)) == .seconds(9))
    #expect(
      run.events.contains {
        $0.kind
          == .taskRetrying(
            TaskID(0), attempt: 2, delay: .zero, because: .failed(.exited(code: 7)))
      })
  }

  @Test func `The run goes on without a task that is skipped, which stays failed`() throws {
    let run = try run(
      [("a", [], plain), ("b", ["a"], plain), ("c", [], plain), ("d", ["c"], plain)],
      scripts: [0: [fails]], decisions: [(.seconds(9), TaskID(0), retries: false)])
    #expect(outcomes(run) == [.failed, .skipped, .succeeded, .succeeded])
    #expect(run.core.outcome(of: TaskID(1)) == .skipped(.needs(TaskID(0))))
    #expect(time(run, .taskStarted(TaskID(3), attempt: 1)) == .seconds(9))
    var state = RunState(taskCount: 4)
    for event in run.events { state.apply(event) }
    #expect(state.heldBy == nil && state.outcome { _ in false } == .failed)
  }

  @Test func `The run goes on once every failed task was decided on`() throws {
    let run = try run(
      [("a", [], plain), ("b", [], plain), ("c", ["a", "b"], plain)],
      scripts: [0: [fails, .init()], 1: [fails, .init()]],
      decisions: [(.seconds(5), TaskID(0), retries: true), (.seconds(8), TaskID(1), retries: true)])
    #expect(outcomes(run) == [.succeeded, .succeeded, .succeeded])
    #expect(time(run, .runHeld(by: TaskID(1))) == .seconds(5))
    #expect(time(run, .runProceeding) == .seconds(8))
    #expect(time(run, .taskStarted(TaskID(0), attempt: 2)) == .seconds(8))
  }

  @Test func `A run that is held can be cancelled, and what has failed stays failed`() throws {
    let run = try run(
      [("a", [], plain), ("b", ["a"], plain), ("z", ["a"], TaskSettings(alwaysRuns: true))],
      scripts: [0: [fails]], requests: [(.seconds(5), .graceful)], decisions: [])
    #expect(outcomes(run) == [.failed, .skipped, .succeeded])
  }

  @Test func `A task that cleans up and has failed ends with a run that is cancelled`() throws {
    let run = try run(
      [("a", [], plain), ("z", ["a"], TaskSettings(alwaysRuns: true)), ("b", [], plain)],
      scripts: [1: [fails], 2: [.init(duration: .seconds(9))]],
      requests: [(.seconds(5), .graceful)], decisions: [])
    #expect(outcomes(run) == [.succeeded, .failed, .cancelled])
  }

  @Test func `Retries come first, and optional tasks hold nothing`() throws {
    let retried = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(1)))
    let run = try run(
      [("a", [], retried), ("b", [], TaskSettings(isOptional: true))],
      scripts: [0: [fails, .init()], 1: [fails]], decisions: [])
    #expect(outcomes(run) == [.succeeded, .failed])
    #expect(time(run, .runHeld(by: TaskID(0))) == nil && time(run, .runHeld(by: TaskID(1))) == nil)
  }

  @Test func `A task that waits for its next attempt begins that at once on request`() throws {
    let retried = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(100)))
    let run = try run(
      [("a", [], retried)], scripts: [0: [fails, .init()]],
      decisions: [(.seconds(5), TaskID(0), retries: true)])
    #expect(time(run, .taskStarted(TaskID(0), attempt: 2)) == .seconds(5))
    #expect(time(run, .runEnded) == .seconds(6))
  }
}
