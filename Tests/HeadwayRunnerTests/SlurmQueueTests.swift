import HeadwayRun
import Testing

@testable import HeadwayRunner

/// Why jobs wait in the queue of a cluster.
struct SlurmQueueTests {
  private static func waiting(_ answer: String, count: Int = 3) -> RunEvent.WorkersWaiting? {
    SlurmQueue.waiting(
      in: answer, "headway-r-", count: count, at: .seconds(10), wallClock: 1_000)
  }

  @Test func `Most jobs decide, and the first one that starts`() {
    let found = Self.waiting(
      """
      1|Priority|1400|headway-r-1
      2|Resources|1100|headway-r-2
      3|Priority|N/A|headway-r-3
      4|JobHeldUser|N/A|headway-other-1
      5|JobHeldUser|N/A|mine
      """)
    #expect(
      found
        == RunEvent.WorkersWaiting(
          count: 3, reason: "Priority", start: .seconds(110), advice: nil))
  }

  @Test func `What waits for a person comes first`() {
    let held = Self.waiting(
      "1|Priority|1400|headway-r-1\n2|JobHeldAdmin|0|headway-r-2\n3|Priority|500|headway-r-3\n")
    #expect(held?.reason == "JobHeldAdmin")
    #expect(held?.advice == "scontrol release 2 lets it start")
    // It should have started already.
    #expect(held?.start == .seconds(10))
    let impossible = Self.waiting(
      "1|PartitionTimeLimit|N/A|headway-r-1\n2|PartitionTimeLimit|N/A|headway-r-2\n")
    #expect(
      impossible?.advice == "with these options they do not start: change slurm_options")
  }

  @Test(arguments: ["", "\n", "slurm_load_jobs error", "1|None", "1|Priority|2|mine", "||||"])
  func `What names no job of the run says nothing`(answer: String) {
    #expect(Self.waiting(answer) == nil)
  }

  @Test func `A job that nobody has looked at has no reason`() {
    #expect(Self.waiting("1|None|N/A|headway-r-1\n", count: 1)?.reason == "")
    #expect(Self.waiting("1|None|N/A|headway-r-1\n", count: 0) == nil)
  }
}
