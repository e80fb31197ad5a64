import HeadwayRun
import Testing

@testable import HeadwayRunner

/// The task that an orphan belongs to.
struct OrphansTests {
  @Test(arguments: [
    ("HEADWAY_TASK_ID=run.7", 7), ("PATH=/bin|HEADWAY_TASK_ID=run.12|A=b", 12),
    // A task of a run inside this run's task 3.
    ("HEADWAY_TASK_ID=run.3/inner.5", 3),
    ("HEADWAY_TASK_ID=other.3", nil), ("XHEADWAY_TASK_ID=run.3", nil),
    ("HEADWAY_TASK_ID=run.", nil),
    ("HEADWAY_TASK_ID=outer.1/run.3", nil), ("", nil),
    ("HEADWAY_TASK_ID=run.0", 0), ("HEADWAY_TASK_ID=run.19", 19),
    // Not as the runner writes it, or no task of this run.
    ("HEADWAY_TASK_ID=run.20", nil), ("HEADWAY_TASK_ID=run.-1", nil),
    ("HEADWAY_TASK_ID=run.+3", nil), ("HEADWAY_TASK_ID=run.03", nil),
    ("HEADWAY_TASK_ID=run.-0", nil), ("HEADWAY_TASK_ID=run.3 ", nil),
    ("HEADWAY_TASK_ID=run.99999999999999999999", nil), ("HEADWAY_TASK_ID=run.-1/inner.3", nil),
  ])
  func `The environment names the task`(text: String, index: Int?) {
    let orphans = Orphans(identity: "run", taskCount: 20)
    let bytes = text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 }
    #expect(orphans.task(inEnvironment: bytes)?.index == index)
  }
}
