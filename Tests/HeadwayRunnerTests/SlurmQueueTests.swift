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
      1|Priority|1400|PENDING|N/A|headway-r-1
      2|Resources|1100|PENDING|N/A|headway-r-2
      3|Priority|N/A|PENDING|N/A|headway-r-3
      4|JobHeldUser|N/A|PENDING|N/A|headway-other-1
      5|JobHeldUser|N/A|PENDING|N/A|mine
      """)
    #expect(
      found
        == RunEvent.WorkersWaiting(
          count: 3, reason: "Priority", start: .seconds(110), advice: nil))
  }

  @Test func `A time of any size is one that a run can wait for`() {
    let far = Self.waiting("1|Priority|9223372036854775807|PENDING|N/A|headway-r-1\n")
    #expect(far?.start == .seconds(10) + .seconds(3650 * 86_400))
    for number in ["-9223372036854775808", "0", "9223372036854775808"] {
      #expect(Self.waiting("1|Priority|\(number)|PENDING|N/A|headway-r-1\n")?.start == nil)
    }
  }

  @Test func `What waits for a person comes first`() {
    let held = Self.waiting(
      "1|Priority|1400|PENDING|N/A|headway-r-1\n2|JobHeldAdmin|0|PENDING|N/A|headway-r-2\n3|Priority|500|PENDING|N/A|headway-r-3\n"
    )
    #expect(held?.reason == "JobHeldAdmin")
    #expect(held?.advice == "scontrol release 2 lets it start")
    // It should have started already.
    #expect(held?.start == .seconds(10))
    let impossible = Self.waiting(
      "1|PartitionTimeLimit|N/A|PENDING|N/A|headway-r-1\n2|PartitionTimeLimit|N/A|PENDING|N/A|headway-r-2\n"
    )
    #expect(
      impossible?.advice == "with these options they do not start: change slurm_options")
  }

  @Test(arguments: [
    "", "\n", "slurm_load_jobs error", "1|None", "1|Priority|2|PENDING|N/A|mine",
    "1|None|2|RUNNING|N/A|headway-r-1", "||||",
  ])
  func `What names no job of the run says nothing`(answer: String) {
    #expect(Self.waiting(answer) == nil)
  }

  @Test func `A job that nobody has looked at has no reason`() {
    #expect(Self.waiting("1|None|N/A|PENDING|N/A|headway-r-1\n", count: 1)?.reason == "")
    #expect(Self.waiting("1|None|N/A|PENDING|N/A|headway-r-1\n", count: 0) == nil)
  }

  @Test func `An answer that is whole names the jobs that are there`() {
    let answer = """
      7_0|None|900|RUNNING|0|headway-r-5
      7_2|Priority|N/A|PENDING|2|headway-r-5
      9|None|900|COMPLETING|N/A|headway-r-9
      3|None|900|RUNNING|N/A|headway-other-1

      """
    let present = SlurmQueue.present(in: Array("\(answer).\n".utf8), "headway-r-")
    #expect(present?.map(\.description).sorted() == ["5.0", "5.2", "9.0"])
    // Whoever has asked in vain knows nothing.
    #expect(SlurmQueue.present(in: Array(answer.utf8), "headway-r-") == nil)
    #expect(SlurmQueue.present(in: [], "headway-r-") == nil)
    #expect(SlurmQueue.present(in: Array(".\n".utf8), "headway-r-") == [])
  }
}
