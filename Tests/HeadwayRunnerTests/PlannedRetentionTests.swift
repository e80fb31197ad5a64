import HeadwayPlan
import HeadwayState
import Testing

@testable import HeadwayRunner

/// Which runs are kept, by the command line and the plan.
struct PlannedRetentionTests {
  @Test func `The command line counts more than the plan, and the plan more than the defaults`() {
    var (asked, planned) = (Plan.Keep(), Plan.Keep())
    #expect(RunRetention(asked, planned) == RunRetention())
    (planned.runs, planned.bytes) = (5, 6)
    #expect(RunRetention(asked, planned).runs == 5 && RunRetention(asked, planned).bytes == 6)
    (asked.runs, asked.bytes) = (7, .max)
    #expect(RunRetention(asked, planned).runs == 7 && RunRetention(asked, planned).bytes == .max)
  }
}
