import HeadwayRun
import Testing

/// Outcomes in the words of people.
struct OutcomeWordsTests {
  @Test func `Each outcome describes itself`() {
    let build = TaskID(3, name: "build")
    let outcomes: [Outcome] = [
      .succeeded, .failed(.threw("no connection")), .failed(.exited(code: 7)),
      .failed(.signalled(number: 9)), .failed(.notStarted(reason: "command not found: x")),
      .timedOut(limit: .seconds(5)), .cancelled, .skipped(.needs(build)),
      .skipped(.stopped(by: TaskID(2))), .skipped(.removed), .skipped(.condition),
      .skipped(.upToDate), .skipped(.doneEarlier), .lost,
    ]
    #expect(
      outcomes.map { "\($0)" } == [
        "succeeded", "failed: no connection", "failed with exit 7", "failed on signal 9 (SIGKILL)",
        "could not be started: command not found: x", "timed out after 5s", "cancelled",
        "skipped because 'build' did not succeed", "skipped because task 2 failed",
        "skipped because it was removed", "skipped because its condition is false", "up to date",
        "done earlier", "lost",
      ])
  }
}
