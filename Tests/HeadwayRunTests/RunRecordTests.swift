import HeadwayRun
import Testing

/// The stored form of a run.
struct RunRecordTests {
  @Test func `The time of a task with one attempt is that of its last attempt`() {
    let record = TaskRecord(index: 0, outcome: .succeeded, ran: .seconds(10), attempts: 1)
    #expect(record.took == .seconds(10))
  }

  @Test(arguments: [0, 2, 3])
  func `The time of the last attempt is unknown unless there was one attempt`(attempts: Int) {
    let record = TaskRecord(index: 0, outcome: .succeeded, ran: .seconds(10), attempts: attempts)
    #expect(record.took == nil)
    let known = TaskRecord(
      index: 0, outcome: .succeeded, ran: .seconds(10), took: .seconds(4), attempts: attempts)
    #expect(known.took == .seconds(4))
  }
}
