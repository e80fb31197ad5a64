import HeadwayProgress
import Testing

/// The tree of progress.
struct ProgressNodeTests {
  @Test func `A child counts as its share`() {
    let run = ProgressNode("release", total: 4)
    let fetch = run.child("fetch", share: 1, total: 100)
    fetch.complete(50)
    #expect(run.snapshot().fraction == 0.125)
    fetch.finish()
    #expect(run.snapshot().fraction == 0.25)
    #expect(run.snapshot().children.isEmpty)
  }

  @Test func `A second end counts once`() {
    let run = ProgressNode("release", total: 2)
    let fetch = run.child("fetch", share: 1, total: 0)
    fetch.finish()
    fetch.finish()
    #expect(run.completed == 1)
  }

  @Test func `A fraction stays between nothing and all`() {
    let run = ProgressNode("release", total: 2)
    run.complete(-5)
    #expect(run.snapshot().fraction == 0)
    run.complete(500)
    #expect(run.snapshot().fraction == 1)
    #expect(!run.snapshot().isFinished)
  }

  @Test func `Work of unknown size has no fraction until it ends`() {
    let run = ProgressNode("release", total: 0)
    run.complete(3)
    #expect(run.snapshot().fraction == nil)
    run.finish()
    #expect(run.snapshot().fraction == 1)
  }

  @Test func `A copy stays as it is`() {
    let run = ProgressNode("release", total: 2)
    let copy = run.snapshot()
    run.complete(1)
    #expect(copy.fraction == 0)
  }

  @Test func `Adding from many tasks loses nothing`() async {
    let run = ProgressNode("release", total: 40_000)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<10_000 { run.complete(1) } }
      }
    }
    #expect(run.completed == 40_000)
  }
}
