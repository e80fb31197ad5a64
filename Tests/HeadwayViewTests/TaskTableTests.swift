import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The table of the tasks of a run that goes on, or has died.
struct TaskTableTests {
  /// The state after some events.
  private func state(_ count: Int, _ events: [(Duration, RunEvent.Kind)]) -> RunState {
    var state = RunState(taskCount: count)
    for (time, kind) in events { state.apply(RunEvent(time: time, kind: kind)) }
    return state
  }

  /// The table as text.
  private func lines(
    _ state: RunState, _ description: RunDescription, at now: Duration?, style: TerminalStyle,
    columns: Int?, listsAll: Bool
  ) -> String {
    String(
      decoding: TaskTable.lines(
        state, description, at: now, style: style, columns: columns, listsAll: listsAll),
      as: UTF8.self)
  }

  private static let names = ["fetch", "build", "lint", "test", "pack", "db"]

  /// A run in which each task does something else.
  private var running: RunState {
    state(
      6,
      [
        (.zero, .taskStarted(0, attempt: 1)),
        (.seconds(2), .taskEnded(0, .succeeded, attempts: 1, ran: .seconds(2))),
        (.seconds(2), .taskStarted(1, attempt: 1)), (.seconds(2), .taskStarted(2, attempt: 1)),
        (.seconds(3), .taskStarted(5, attempt: 1)),
        (.seconds(4), .taskReady(5, attempt: 1, after: .seconds(1))),
        (.seconds(9), .taskOverdue(1, attempt: 1, limit: .seconds(7))),
        (
          .seconds(9),
          .taskRetrying(2, attempt: 2, delay: .seconds(5), because: .failed(.exited(code: 1)))
        ),
      ])
  }

  private var description: RunDescription {
    var description = RunDescription(
      name: "release", names: Self.names, timeouts: [nil, .seconds(7), nil, nil, nil, nil])
    description.after = [[], [0], [0], [1, 2, 5], [0, 5], []]
    description.services = [5]
    return description
  }

  @Test func `Each task says what it does, and what it waits for`() {
    let text = lines(
      running, description, at: .seconds(10), style: .gray, columns: nil, listsAll: false)
    #expect(
      text == """
          task   state        time
        ✓ fetch  succeeded    2.0s
        • build  ending         8s  limit of 7s
        ↻ lint   retrying       8s  attempt 2 in 4s
          test   waiting         –  waits for build, lint
          pack   waiting         –  ready to start
        • db     ready          7s

        """)
  }

  @Test func `What was done earlier or is up to date has no time, whatever was looked at`() {
    let state = state(
      2,
      [
        (.zero, .taskStarted(0, attempt: 1)), (.zero, .taskStarted(1, attempt: 1)),
        (.zero, .taskEnded(0, .skipped(.doneEarlier), attempts: 1, ran: .zero)),
        (.zero, .taskEnded(1, .skipped(.upToDate), attempts: 1, ran: .milliseconds(2))),
      ])
    let text = lines(
      state, RunDescription(name: "r", names: ["a", "b"]), at: .seconds(1), style: .gray,
      columns: nil, listsAll: false)
    #expect(text.contains("= a     done earlier    –"), "\(text)")
    #expect(text.contains("= b     up to date      –"), "\(text)")
  }

  @Test func `A task that was named is listed, also if it was not needed`() {
    var description = RunDescription(name: "r", names: ["a", "b"])
    description.failureHooks = [1]
    let state = state(2, [(.zero, .taskEnded(1, .skipped(.condition), attempts: 0, ran: .zero))])
    for (chosen, isListed) in [(nil, false), ([1], true)] as [([TaskID]?, Bool)] {
      let bytes = TaskTable.lines(
        state, description, at: .seconds(1), style: .gray, columns: nil, listsAll: false,
        chosen: chosen)
      #expect(String(decoding: bytes, as: UTF8.self).contains("its condition is false") == isListed)
    }
  }

  @Test func `Of many dependencies three are named`() {
    var description = RunDescription(name: "r", names: ["a", "b", "c", "d", "e", "f"])
    description.after = [[], [], [], [], [], [0, 1, 2, 3, 4]]
    let text = lines(
      RunState(taskCount: 6), description, at: .zero, style: .gray, columns: nil, listsAll: false)
    #expect(text.hasSuffix("waits for a, b, c and 2 more\n"))
  }

  @Test func `After the death of a run, tasks without an outcome were not run`() {
    var state = running
    state.loseActiveTasks(at: .seconds(10))
    let text = lines(
      state, description, at: nil, style: .gray, columns: nil, listsAll: false)
    #expect(text.contains("? build  lost         8.0s  its end is unknown\n"))
    #expect(text.contains("  pack   not run         –\n"))
  }

  @Test(arguments: [false, true])
  func `Of a large run, what succeeded or waits is counted`(listsAll: Bool) {
    let state = state(
      60,
      [
        (.zero, .taskStarted(0, attempt: 1)), (.zero, .taskStarted(1, attempt: 1)),
        (.zero, .taskStarted(2, attempt: 1)),
        (.seconds(1), .taskEnded(0, .succeeded, attempts: 1, ran: .seconds(1))),
        (.seconds(1), .taskEnded(1, .failed(.exited(code: 1)), attempts: 1, ran: .seconds(1))),
      ])
    let text = lines(
      state, RunDescription(name: "r", names: (0..<60).map { "t\($0)" }), at: .seconds(2),
      style: .gray, columns: nil, listsAll: listsAll)
    let rows = text.split(separator: "\n")
    #expect(rows.count == (listsAll ? 61 : 5))
    guard !listsAll else { return }
    #expect(rows[1].hasPrefix("✗ t1") && rows[2].hasPrefix("• t2"))
    #expect(rows.suffix(2) == ["  … 1 succeeded or were up to date", "  … 57 are waiting"])
  }
}
