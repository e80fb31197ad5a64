import HeadwayRun
import Testing

/// The state of a run after its events.
struct RunStateTests {
  /// The first task.
  private let fetch = TaskID(0, name: "fetch")
  /// The second task.
  private let build = TaskID(1, name: "build")

  /// The state of a run of two tasks after some events, one a second.
  private func state(after events: [RunEvent.Kind]) -> RunState {
    var state = RunState(taskCount: 2)
    for (second, kind) in events.enumerated() {
      state.apply(RunEvent(time: .seconds(second), kind: kind))
    }
    return state
  }

  /// The end of a task after its first attempt.
  private func end(_ task: TaskID, _ outcome: Outcome) -> RunEvent.Kind {
    .taskEnded(task, outcome, attempts: 1, ran: .seconds(1))
  }

  @Test(arguments: [
    (Outcome.failed(.exited(code: 1)), Outcome.timedOut(limit: .seconds(1))),
    (.timedOut(limit: .seconds(1)), .failed(.exited(code: 1))),
  ])
  func `A run with a failure and a time-out failed, whichever came first`(
    first: Outcome, second: Outcome
  ) {
    let state = state(after: [end(fetch, first), end(build, second), .runEnded])
    #expect(state.outcome { _ in false } == .failed)
  }

  @Test func `A run in which tasks only timed out timed out`() {
    let state = state(after: [
      end(fetch, .timedOut(limit: .seconds(1))), end(build, .succeeded), .runEnded,
    ])
    #expect(state.outcome { _ in false } == .timedOut)
  }

  @Test(arguments: [Outcome.failed(.exited(code: 1)), .timedOut(limit: .seconds(1))])
  func `A run in which only optional tasks failed succeeded`(outcome: Outcome) {
    let state = state(after: [end(fetch, outcome), end(build, .succeeded), .runEnded])
    #expect(state.outcome { $0 == fetch.index } == .succeeded)
    #expect(state.outcome { $0 == build.index } == outcome.kind)
  }

  @Test func `A run that was cancelled after a failure is cancelled`() {
    let state = state(after: [
      end(fetch, .failed(.exited(code: 1))), .runEnding(.cancelled), end(build, .cancelled),
      .runEnded,
    ])
    #expect(state.outcome { _ in false } == .cancelled)
  }

  /// What the first task used after some events of it, each with what its attempt used in milliseconds.
  private func usage(after events: [(RunEvent.Kind, Int?)]) -> ResourceUsage? {
    var state = RunState(taskCount: 1)
    for (second, (kind, used)) in events.enumerated() {
      let usage = used.map { ResourceUsage(cpuTime: .milliseconds($0)) }
      state.apply(RunEvent(time: .seconds(second), kind: kind, usage: usage))
    }
    return state.tasks[0].usage
  }

  @Test func `What was used belongs to the latest attempt`() {
    let failure = Outcome.failed(.exited(code: 1))
    let first: [(RunEvent.Kind, Int?)] = [
      (.taskStarted(fetch, attempt: 1), nil),
      (.taskRetrying(fetch, attempt: 2, delay: .seconds(9), because: failure), 7),
    ]
    let seven = ResourceUsage(cpuTime: .milliseconds(7))
    #expect(usage(after: first) == seven)
    // Cancelled while it waits: the attempt that failed is its last one.
    let cancelled = RunEvent.Kind.taskEnded(fetch, .cancelled, attempts: 1, ran: .seconds(2))
    #expect(usage(after: first + [(cancelled, nil)]) == seven)
    // The next attempt runs, could not be started, or has used something else.
    let second = (RunEvent.Kind.taskStarted(fetch, attempt: 2), Int?.none)
    #expect(usage(after: first + [second]) == nil)
    let lost = RunEvent.Kind.taskEnded(fetch, .lost, attempts: 2, ran: .seconds(2))
    #expect(usage(after: first + [second, (lost, nil)]) == nil)
    #expect(usage(after: first + [(lost, nil)]) == nil)
    #expect(usage(after: first + [second, (lost, 3)])?.cpuTime == .milliseconds(3))
  }

  @Test func `A task that could not be started is active while it waits for its next attempt`() {
    var state = state(after: [
      .taskStarted(build, attempt: 1),
      .taskRetrying(
        fetch, attempt: 2, delay: .seconds(3), because: .failed(.notStarted(reason: "no shell"))),
    ])
    #expect(state.active == [build, fetch])
    #expect(state.tasks[fetch.index].phase == .backingOff(until: .seconds(4)))
    // The next attempt does not list it a second time.
    state.apply(RunEvent(time: .seconds(4), kind: .taskStarted(fetch, attempt: 2)))
    #expect(state.active == [build, fetch])
    state.apply(RunEvent(time: .seconds(5), kind: end(fetch, .succeeded)))
    #expect(state.active == [build])
  }

  @Test func `A run that ends while it is held no longer waits for a decision`() {
    let failed = end(fetch, .failed(.exited(code: 1)))
    let held = state(after: [failed, .runHeld(by: fetch)])
    #expect(held.heldBy == fetch)
    let ending = state(after: [failed, .runHeld(by: fetch), .runEnding(.cancelled)])
    #expect(ending.heldBy == nil && ending.ending == .cancelled)
  }

  @Test func `The end of a task counts once`() {
    let state = state(after: [
      .taskStarted(fetch, attempt: 1), end(fetch, .succeeded), end(fetch, .succeeded),
      end(fetch, .failed(.exited(code: 1))),
    ])
    #expect(state.counts.ended == 1)
    #expect(state.counts[.succeeded] == 1)
    #expect(state.outcome(of: fetch) == .succeeded)
  }
}
