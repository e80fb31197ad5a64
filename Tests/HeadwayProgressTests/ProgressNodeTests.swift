import HeadwayProgress
import Testing

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

  @Test func `A full child counts as exactly its share before it finishes, at any depth`() {
    let root = ProgressNode(total: 10)
    let outer = root.child(units: 1, total: 1)
    let inner = outer.child(units: 1, total: 3)
    inner.complete(3)
    #expect(root.fraction == 0.1)
    #expect(root.shownFraction == 0.1)
    #expect(outer.fraction == 1.nextDown && inner.fraction == 1.nextDown)
    #expect(inner.shownFraction == 1.nextDown)
  }

  @Test func `A snapshot has a text description`() {
    let release = ProgressNode("release", total: 2)
    let fetch = release.child("fetch", units: 1, total: 100)
    fetch.complete(25)
    fetch.pause()
    let build = release.child("build", units: 1)
    build.complete(3)
    #expect(
      "\(release.snapshot())" == """
        release: 0 of 2, 12.5%
          fetch: 25 of 100, 25.0%, paused
          build: 3
        """)
    #expect(
      "\(release.snapshot(limit: 2))" == """
        release: 0 of 2, 12.5%
          …
          fetch: 25 of 100, 25.0%, paused
        """)
    fetch.finish()
    build.cancel()
    #expect("\(release.snapshot())" == "release: 1 of 2, 50.0%\n  build: 3, cancelled")
    release.finish()
    #expect("\(release.snapshot())" == "release: 1 of 2, 100.0%, finished")
  }
}
