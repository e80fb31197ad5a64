import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayView

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

  @Test(arguments: 20...40)
  func `No row is wider than the terminal`(columns: Int) {
    #expect(table(columns: columns).allSatisfy { $0.columns <= columns })
  }

  /// The table of a run with usual times, several attempts and long names.
  private func wideTable(columns: Int) -> [Row] {
    var state = RunState(taskCount: 3)
    let events: [RunEvent.Kind] = [
      .taskEnded(0, .succeeded, attempts: 1, ran: .seconds(65)),
      .taskEnded(1, .failed(.signalled(number: 11)), attempts: 2, ran: .seconds(3)),
      .taskEnded(2, .skipped(.needs(1)), attempts: 0, ran: .zero), .runEnded,
    ]
    for kind in events { state.apply(RunEvent(time: .seconds(70), kind: kind)) }
    let names = ["compile the whole core", "publish", "文档 docs"]
    return ResultTable(
      description: RunDescription(
        name: "release", names: names, usual: [.seconds(60), .seconds(3), nil]),
      style: .gray, columns: columns, predicted: .seconds(60)
    ).rows(state)
  }

  /// The table of a run whose tasks used something, as lines.
  private func usageTable(
    columns: Int, showsUsage: Bool = true, hasSummary: Bool = false
  ) -> String {
    var state = RunState(taskCount: 3)
    let events: [(RunEvent.Kind, ResourceUsage?)] = [
      (.taskStarted(0, attempt: 1), nil),
      (
        .taskEnded(0, .succeeded, attempts: 1, ran: .seconds(65)),
        ResourceUsage(cpuTime: .seconds(128), peakMemory: 1_400_000_000)
      ),
      (.taskStarted(1, attempt: 1), nil),
      (
        .taskEnded(1, .succeeded, attempts: 1, ran: .seconds(3)),
        ResourceUsage(cpuTime: .milliseconds(12))
      ),
      (.taskEnded(2, .skipped(.condition), attempts: 0, ran: .zero), nil), (.runEnded, nil),
    ]
    for (kind, usage) in events {
      state.apply(RunEvent(time: .seconds(70), kind: kind, usage: usage))
    }
    var description = RunDescription(
      name: "release", names: ["compile", "fetch", "push"], usual: [.seconds(60), nil, nil])
    description.output.showsUsage = showsUsage
    let table = ResultTable(
      description: description, style: .gray, columns: columns, predicted: nil)
    return text(of: hasSummary ? table.summary(state) : table.taskRows(state))
  }

  @Test func `The summary has what all tasks used, on request`() {
    #expect(
      usageTable(columns: 200, hasSummary: true)
        == "release: 2 succeeded, 1 skipped in 1m10s using 2m08s of CPU time and up to 1.4 GB of memory\n"
    )
    #expect(
      usageTable(columns: 200, showsUsage: false, hasSummary: true)
        == "release: 2 succeeded, 1 skipped in 1m10s\n")
  }

  @Test func `What tasks used is shown on request`() {
    #expect(
      usageTable(columns: 80) == """
          task     state        time  usually      cpu   memory
        ✓ compile  succeeded   1m05s    1m00s    2m08s   1.4 GB
        ✓ fetch    succeeded    3.0s        –     12ms        –
        ○ push     skipped         –        –        –        –  its condition is false

        """)
    #expect(!usageTable(columns: 80, showsUsage: false).contains("cpu"))
  }

  @Test func `A narrow table leaves out the usual times before what tasks used`() {
    #expect(
      usageTable(columns: 46).split(separator: "\n")[0]
        == "  task     state        time      cpu   memory")
    #expect(usageTable(columns: 40).split(separator: "\n")[0] == "  task     state        time")
  }

  @Test func `A task for failures that was not needed is left out`() {
    var description = RunDescription(name: "r", names: ["a", "mail"])
    var state = RunState(taskCount: 2)
    for (index, outcome) in [Outcome.succeeded, .skipped(.condition)].enumerated() {
      state.apply(
        RunEvent(
          time: .zero, kind: .taskEnded(TaskID(index), outcome, attempts: 1, ran: .seconds(1))))
    }
    state.apply(RunEvent(time: .seconds(1), kind: .runEnded))
    func lines(_ description: RunDescription) -> String {
      let table = ResultTable(
        description: description, style: .ascii, columns: nil, predicted: nil)
      return text(of: table.rows(state))
    }
    #expect(lines(description).contains("mail"))
    #expect(lines(description).contains("1 skipped"))
    description.failureHooks = [1]
    #expect(!lines(description).contains("mail"))
    #expect(!lines(description).contains("skipped"))
  }

  @Test func `A table of forty columns leaves out what is least important`() {
    #expect(
      text(of: wideTable(columns: 40)) == """
          task           state        time
        ✓ compil…e core  succeeded   1m05s
        ✗ publish        failed       3.0s
                         signal 11 (SIGSEGV)
        ○ 文档 docs      skipped         –
            needs publish, which failed

        release: 1 succeeded, 1 failed,
          1 skipped in 1m10s (1m00s predicted)

        """)
  }

  @Test func `A table of twenty columns has names, marks and times`() {
    #expect(
      text(of: wideTable(columns: 20)) == """
          task          time
        ✓ comp… core   1m05s
        ✗ publish       3.0s
            signal 11
            (SIGSEGV)
        ○ 文档 docs        –
            needs publish,
            which failed

        release:
          1 succeeded,
          1 failed,
          1 skipped in 1m10s
          (1m00s predicted)

        """)
  }

  @Test(arguments: 20...120)
  func `No row of any table is wider than the terminal`(columns: Int) {
    #expect(wideTable(columns: columns).allSatisfy { $0.columns <= columns })
  }
}
