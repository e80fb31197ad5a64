import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayView

/// Why a task has not started.
struct WaitReasonTests {
  /// Task 0 starts.
  private static let started = RunEvent.Kind.taskStarted(0, attempt: 1)
  /// Task 0 is a service that is ready.
  private static let ready = RunEvent.Kind.taskReady(0, attempt: 1, after: .zero)
  /// Task 0 is to be started again.
  private static let retrying = RunEvent.Kind.taskRetrying(
    0, attempt: 2, delay: .seconds(1), because: .failed(.exited(code: 1)))

  /// The reason of the last of four tasks, of which others have started.
  ///
  /// - Parameters:
  ///   - events: What has happened, after the beginning of a run with two workers.
  ///   - change: Sets dependencies and limits.
  /// - Returns: The reason, also in words.
  private func reason(
    _ events: [RunEvent.Kind], _ change: (inout RunDescription) -> Void = { _ in }
  ) -> (reason: WaitReason?, words: String) {
    var description = RunDescription(name: "r", names: ["a", "b", "c", "d"])
    change(&description)
    var state = RunState(taskCount: 4)
    for kind in [.runStarted(tasks: 4, workers: 2)] + events {
      state.apply(RunEvent(time: .zero, kind: kind))
    }
    let reasons = WaitReasons(description, state)
    let reason = reasons.reason(of: 3)
    return (reason, reason.map(reasons.words) ?? "")
  }

  @Test func `A task that has started has none`() {
    #expect(reason([.taskStarted(3, attempt: 1)]).reason == nil)
  }

  @Test func `Tasks before it that have not ended come first`() {
    let events: [RunEvent.Kind] = [
      Self.started, .taskStarted(2, attempt: 1),
      .taskEnded(2, .succeeded, attempts: 1, ran: .zero), .runPaused,
    ]
    let found = reason(events) { $0.after = [[], [], [], [0, 1, 2]] }
    #expect(found == (.tasks([0, 1]), words: "waits for a, b"))
  }

  @Test func `A service is waited for until it was ready, and its end only by what always runs`() {
    func after(_ description: inout RunDescription) { description.after = [[], [], [], [0]] }
    #expect(reason([Self.started], after).reason == .tasks([0]))
    #expect(reason([Self.started, Self.ready], after).reason == .nothing)
    #expect(reason([Self.started, Self.ready, Self.retrying], after).reason == .nothing)
    let always = reason([Self.started, Self.ready]) {
      after(&$0)
      $0.limits.always = [3]
    }
    #expect(always.reason == .tasks([0]))
  }

  @Test func `A run that is paused or held starts nothing`() {
    #expect(reason([.runPaused]) == (.paused, words: "the run is paused"))
    let held = reason([.runHeld(by: 0)])
    #expect(held == (.held(0), words: "the run is held after the failure of a"))
  }

  @Test func `A pool is full of tasks that run, not of those that wait or have been ready`() {
    func limit(_ description: inout RunDescription) {
      description.limits.pools = [
        TaskPool(name: "net", limit: 9), TaskPool(name: "disk", limit: 1),
      ]
      description.limits.poolOf = [1, nil, 1, 1]
    }
    let full = reason([Self.started], limit)
    #expect(full.reason == .pool(TaskPool(name: "disk", limit: 1)))
    #expect(full.words == "waits for the pool disk (limit 1)")
    #expect(reason([.taskStarted(1, attempt: 1)], limit).reason == .nothing)
    #expect(reason([Self.started, Self.ready], limit).reason == .nothing)
    #expect(reason([Self.started, Self.retrying], limit).reason == .nothing)
    let again = [Self.started, Self.ready, Self.retrying, .taskStarted(0, attempt: 2)]
    #expect(reason(again, limit).reason == .nothing)
  }

  @Test func `As many tasks run as may`() {
    let two = [Self.started, .taskStarted(1, attempt: 1)]
    #expect(reason(two) == (.workers(2), words: "waits for its turn (2 at once)"))
    #expect(reason([Self.started]) == (.nothing, words: "ready to start"))
  }

  @Test func `Machines that have not started are waited for, but not by services`() {
    let waiting = RunEvent.Kind.workersWaiting(
      RunEvent.WorkersWaiting(count: 1, reason: "in the queue", start: nil, advice: nil, places: 1))
    let words = "waits for machines: in the queue"
    #expect(reason([waiting]) == (.machinesStarting("in the queue"), words: words))
    #expect(reason([waiting]) { $0.services = [3] }.reason == .nothing)
  }

  @Test func `What is needed of a machine is said, if the plan says it of this task`() {
    let needs = Resources(cpus: 4, memory: 16 << 30)
    let own = reason([Self.started]) { $0.limits.needs = [nil, nil, nil, needs] }
    #expect(own.reason == .machine(needs))
    #expect(
      own.words == "ready to start, once a machine has room for 4 CPUs, 17 GB of memory")
    let other = reason([Self.started]) { $0.limits.needs = [needs, nil, nil, nil] }
    #expect(other.reason == .nothing)
  }
}
