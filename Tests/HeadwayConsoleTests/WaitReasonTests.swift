import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayConsole

/// Why a task has not started.
struct WaitReasonTests {
  /// The reason of the last of four tasks, of which others have started.
  ///
  /// - Parameters:
  ///   - events: What has happened, after the beginning of a run with two workers.
  ///   - change: Sets dependencies and limits.
  /// - Returns: The reason, also in words.
  private func reason(
    _ events: [RunEvent.Kind], _ change: (inout RunDescription) -> Void = { _ in }
  ) -> (WaitReason, words: String) {
    var description = RunDescription(name: "r", names: ["a", "b", "c", "d"])
    change(&description)
    var state = RunState(taskCount: 4)
    for kind in [.runStarted(tasks: 4, workers: 2)] + events {
      state.apply(RunEvent(time: .zero, kind: kind))
    }
    let reason = description.waitReason(of: 3, in: state)
    return (reason, description.words(for: reason))
  }

  @Test func `Tasks before it that have not ended come first, and services that are not ready`() {
    let started: [RunEvent.Kind] = [
      .taskStarted(0, attempt: 1), .taskStarted(1, attempt: 1),
      .taskReady(1, attempt: 1, after: .zero), .taskStarted(2, attempt: 1),
      .taskEnded(2, .succeeded, attempts: 1, ran: .zero), .runPaused,
    ]
    let (reason, words) = reason(started) { $0.after = [[], [], [], [0, 1, 2]] }
    #expect(reason == .tasks([0]) && words == "waits for a")
  }

  @Test func `A run that is paused or held starts nothing`() {
    #expect(reason([.runPaused]) == (.paused, words: "the run is paused"))
    #expect(reason([.runHeld(by: 0)]) == (.held, words: "held"))
  }

  @Test func `A pool is full of tasks that run, not of those that wait or are ready`() {
    func limit(_ description: inout RunDescription) {
      description.limits.pools = [
        TaskPool(name: "net", limit: 9), TaskPool(name: "disk", limit: 1),
      ]
      description.limits.poolOf = [1, nil, 1, 1]
    }
    let started = RunEvent.Kind.taskStarted(0, attempt: 1)
    let (full, words) = reason([started], limit)
    #expect(full == .pool(TaskPool(name: "disk", limit: 1)))
    #expect(words == "waits for the pool disk, in which 1 task runs")
    #expect(reason([.taskStarted(1, attempt: 1)], limit).0 == .nothing)
    #expect(reason([started, .taskReady(0, attempt: 1, after: .zero)], limit).0 == .nothing)
    let retrying = RunEvent.Kind.taskRetrying(
      0, attempt: 2, delay: .seconds(1), because: .failed(.exited(code: 1)))
    #expect(reason([started, retrying], limit).0 == .nothing)
  }

  @Test func `As many tasks run as may, or no machine has room`() {
    let started = [0, 1].map { RunEvent.Kind.taskStarted($0, attempt: 1) }
    #expect(reason(started) == (.workers(2), words: "waits for its turn: 2 tasks run"))
    #expect(reason([started[0]]).0 == .nothing)
    func need(_ description: inout RunDescription) {
      description.limits.needs = [nil, nil, nil, Resources(cpus: 4, memory: 16 << 30)]
    }
    let (reason, words) = reason([started[0]], need)
    #expect(reason == .machine(Resources(cpus: 4, memory: 16 << 30)))
    #expect(words == "waits for a machine with room for 4 CPUs, 17 GB of memory")
    #expect(self.reason([], need) == (.nothing, words: "ready to start"))
  }
}
