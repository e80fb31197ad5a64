import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayView

/// What a view takes from the publication of a run.
struct FollowedRunTests {
  @Test
  func
    `Reports belong to the tasks whose programs made them, and to none if a program took the name of a task`()
  {
    let top = ProgressNode("run", total: 10)
    let a = top.child("a", units: 1, total: 10)
    let b = top.child("b", units: 1)
    b.kind = .estimated
    a.setCompleted(3)
    func reported() -> [Int: Int] {
      let reports = RunConsole.reports(in: top.snapshot(), ["a": 0, "b": 1])
      return Dictionary(
        uniqueKeysWithValues: reports.map { ($0.task.index, $0.snapshot.completed) })
    }
    #expect(reported() == [0: 3])
    b.kind = .work
    #expect(reported() == [0: 3, 1: 0])
    a.label = "b"
    #expect(reported() == [:])
    a.label = "c"
    #expect(reported() == [1: 0])
  }
}
