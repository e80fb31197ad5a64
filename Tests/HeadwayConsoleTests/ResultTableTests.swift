import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayConsole

/// The table at the end of a run.
struct ResultTableTests {
  /// The table of a run of one task that failed.
  private func table(columns: Int) -> [Row] {
    var state = RunState(taskCount: 1)
    let events: [(Duration, RunEvent.Kind)] = [
      (.zero, .taskStarted(0, attempt: 1)),
      (.seconds(3), .taskEnded(0, .failed(.exited(code: 7)), attempts: 1, ran: .seconds(3))),
      (.seconds(3), .runEnded),
    ]
    for (time, kind) in events { state.apply(RunEvent(time: time, kind: kind)) }
    let table = ResultTable(
      description: RunDescription(name: "release", names: ["fetch"]), style: .gray,
      columns: columns, predicted: nil)
    return table.rows(state)
  }

  @Test func `A detail that just fits stays in its row`() {
    #expect(
      text(of: table(columns: 34)) == """
          task   state        time
        ✗ fetch  failed       3.0s  exit 7

        release: 1 failed in 3.0s

        """)
  }

  @Test func `A detail that is a column too wide gets a row of its own`() {
    #expect(
      text(of: table(columns: 33)) == """
          task   state        time
        ✗ fetch  failed       3.0s
                 exit 7

        release: 1 failed in 3.0s

        """)
  }

  @Test(arguments: 27...40)
  func `No row is wider than the terminal`(columns: Int) {
    #expect(table(columns: columns).allSatisfy { $0.columns <= columns })
  }
}
