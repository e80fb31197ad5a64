import HeadwayRun
import Testing

@testable import HeadwayRunner

/// When jobs for single tasks are submitted.
struct TaskJobsTests {
  private static let small = Resources()
  private static let large = Resources(cpus: 16)

  /// The changes once what is wanted has lasted.
  private func changes(
    _ jobs: inout TaskJobs, _ wanted: [(needs: Resources, count: Int)],
    having: [Resources: Int] = [:], used: Int = 0, at now: Duration = .zero
  ) -> TaskJobs.Changes? {
    let now = jobs.changes(for: wanted, having: having, used: used, at: now)
    #expect(now == nil)
    guard let moment = jobs.moment else { return nil }
    return jobs.changes(for: wanted, having: having, used: used, at: moment)
  }

  @Test func `What lasts for a moment gets jobs, the first tasks first, as many as there may be`() {
    var jobs = TaskJobs(most: 4)
    let wanted = [(needs: Self.large, count: 2), (needs: Self.small, count: 5)]
    let changes = changes(&jobs, wanted, having: [Self.large: 1], used: 1, at: .seconds(3))
    #expect(changes?.submissions == [Self.large, Self.small, Self.small])
    #expect(changes?.surplus == [:])
    let numbers = [jobs.nextNumber(), jobs.nextNumber()]
    #expect(numbers == [1, 2])
  }

  @Test func `What changes at once gets none`() {
    var jobs = TaskJobs(most: 4)
    let first = jobs.changes(for: [(Self.small, 1)], having: [:], used: 0, at: .zero)
    #expect(first == nil && jobs.moment == TaskJobs.interval)
    let second = jobs.changes(for: [], having: [:], used: 0, at: TaskJobs.interval)
    #expect(second == nil && jobs.moment == nil)
  }

  @Test func `Jobs for which there is no task are ended`() {
    var jobs = TaskJobs(most: 4)
    let having = [Self.small: 2, Self.large: 2]
    let changes = changes(&jobs, [(Self.small, 1)], having: having, used: 4)
    #expect(changes == TaskJobs.Changes(surplus: [Self.small: 1, Self.large: 2]))
  }

  @Test func `Many jobs are submitted in parts`() {
    var jobs = TaskJobs(most: 1000)
    let first = changes(&jobs, [(Self.small, 100)])
    #expect(first?.submissions.count == TaskJobs.mostAtOnce)
    let having = [Self.small: TaskJobs.mostAtOnce]
    #expect(
      changes(&jobs, [(Self.small, 40)], having: having, used: TaskJobs.mostAtOnce)?
        .submissions.count == 8)
  }

  @Test func `After a failure one job at a time is tried, until one can be used`() {
    var jobs = TaskJobs(most: 100)
    let wanted = [(needs: Self.small, count: 50)]
    // Jobs that fail together count once.
    let areFirst = [Duration.zero, .seconds(1)].map { jobs.noteFailure(at: $0) }
    #expect(areFirst == [true, false])
    let first = changes(&jobs, wanted)
    #expect(first?.submissions.count == 1 && jobs.moment == nil)
    let beside = jobs.changes(
      for: wanted, having: [Self.small: 1], used: 1, at: .seconds(9))
    #expect(beside == nil)
    let isFirst = jobs.noteFailure(at: .seconds(2))
    let later = jobs.changes(for: wanted, having: [:], used: 0, at: .seconds(2))
    #expect(!isFirst && later == nil && jobs.moment == .seconds(6))
    jobs.noteSuccess()
    #expect(changes(&jobs, wanted, at: .seconds(2))?.submissions.count == TaskJobs.mostAtOnce)
  }

  @Test func `After ten failures in a row no more are submitted`() {
    var jobs = TaskJobs(most: 100)
    var now = Duration.zero
    var count = 0
    while !jobs.isGivenUp, count < 100 {
      _ = jobs.noteFailure(at: now)
      count += 1
      now += .seconds(60)
    }
    #expect(count == 10)
    let last = jobs.changes(for: [(Self.small, 1)], having: [:], used: 0, at: now)
    #expect(last == nil && jobs.moment == nil)
  }
}
