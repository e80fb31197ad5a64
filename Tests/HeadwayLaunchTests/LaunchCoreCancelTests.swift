import HeadwayLaunch
import HeadwayRun
import Testing

/// Tasks of a run that are cancelled one by one.
struct LaunchCoreCancelTests {
  /// Settings that say nothing.
  private let plain = TaskSettings()

  /// Runs a graph in which tasks are cancelled, and returns its log without the first and the last line.
  private func log(
    _ tasks: [(String, after: [String], TaskSettings)], workers: Int = 2,
    scripts: [Int: [VirtualRun.Script]] = [:], cancels: [(at: Duration, TaskID)]
  ) throws -> [String] {
    var byTask: [TaskID: [VirtualRun.Script]] = [:]
    for (place, script) in scripts { byTask[TaskID(place)] = script }
    let run = try VirtualRun(
      LaunchGraph(tasks, pools: []), workers: workers, scripts: byTask, cancels: cancels)
    return Array(run.run().dropFirst().dropLast())
  }

  @Test func `A task that runs is ended, what depends on it is skipped, and the rest goes on`()
    throws
  {
    let log = try log(
      [("a", [], plain), ("b", ["a"], plain), ("c", ["b"], plain), ("d", [], plain)],
      scripts: [
        0: [.init(duration: .seconds(9), obedience: .seconds(1))],
        3: [.init(duration: .seconds(5))],
      ],
      cancels: [(.seconds(2), TaskID(0))])
    #expect(
      log == [
        "0 a starts", "0 d starts", "3 a cancelled", "3 b skipped, needs a",
        "3 c skipped, needs a", "5 d succeeded",
      ])
  }

  @Test func `A task that has not started is not started`() throws {
    let log = try log(
      [("a", [], plain), ("b", ["a"], plain), ("c", ["b"], plain)],
      scripts: [0: [.init(duration: .seconds(5))]], cancels: [(.seconds(2), TaskID(1))])
    #expect(
      log == ["0 a starts", "2 b cancelled", "2 c skipped, needs b", "5 a succeeded"])
  }

  @Test func `A task without a free worker is not started, and gives none away`() throws {
    let log = try log(
      [("a", [], plain), ("b", [], plain), ("c", [], plain)], workers: 1,
      scripts: [0: [.init(duration: .seconds(5))]], cancels: [(.seconds(2), TaskID(1))])
    #expect(
      log == ["0 a starts", "2 b cancelled", "5 a succeeded", "5 c starts", "6 c succeeded"])
  }

  @Test func `A task that waits for its next attempt is cancelled, not failed`() throws {
    let retried = TaskSettings(retries: RetryPolicy(limit: 1, backoff: .seconds(9)))
    let log = try log(
      [("a", [], retried), ("b", [], plain)],
      scripts: [
        0: [.init(result: .failed(.exited(code: 7)))], 1: [.init(duration: .seconds(5))],
      ], cancels: [(.seconds(2), TaskID(0))])
    #expect(log.contains("2 a cancelled"))
    #expect(log.last == "5 b succeeded")
  }

  @Test func `A task that does not listen is killed after its grace period`() throws {
    let log = try log(
      [("a", [], TaskSettings(grace: .seconds(3)))],
      scripts: [0: [.init(duration: .seconds(99), obedience: nil)]],
      cancels: [(.seconds(2), TaskID(0))])
    #expect(log == ["0 a starts", "5 a cancelled"])
  }

  @Test func `A task that cleans up runs after one that was cancelled`() throws {
    let log = try log(
      [("a", [], plain), ("b", ["a"], TaskSettings(alwaysRuns: true))],
      scripts: [0: [.init(duration: .seconds(9))]], cancels: [(.seconds(2), TaskID(0))])
    #expect(log == ["0 a starts", "2 a cancelled", "2 b starts", "3 b succeeded"])
  }

  @Test func `A run with a required task that was cancelled has not succeeded`() {
    var state = RunState(taskCount: 2)
    for (index, outcome) in [Outcome.succeeded, .cancelled].enumerated() {
      state.apply(
        RunEvent(
          time: .zero, kind: .taskEnded(TaskID(index), outcome, attempts: 1, ran: .zero)))
    }
    #expect(state.outcome { _ in false } == .cancelled)
    #expect(state.outcome { $0 == 1 } == .succeeded)
    #expect(state.worstOutcome { _ in false } == .cancelled)
  }
}
