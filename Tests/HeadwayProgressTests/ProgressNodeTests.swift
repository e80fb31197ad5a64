import HeadwayProgress
import Testing

/// The tree of progress.
struct ProgressNodeTests {
  @Test func `A child counts as its share`() {
    let run = ProgressNode("release", total: 4)
    let fetch = run.child("fetch", units: 1, total: 100)
    fetch.complete(50)
    #expect(run.fraction == 0.125)
    fetch.finish()
    #expect(run.fraction == 0.25)
    #expect(run.snapshot().children.isEmpty)
  }
}
