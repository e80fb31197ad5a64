import HeadwayRun
import Testing

/// The messages about graphs that cannot run.
struct GraphErrorTests {
  @Test func `The message of a cycle returns to its first task`() {
    let (fetch, build) = (TaskID(0, name: "fetch"), TaskID(1, name: "build"))
    let advice = "remove one of these dependencies"
    #expect(
      GraphError.cycle([fetch, build]).description
        == "dependency cycle: 'fetch' needs 'build' needs 'fetch'; \(advice)")
    #expect(
      GraphError.cycle([fetch]).description
        == "dependency cycle: 'fetch' needs 'fetch'; \(advice)")
  }
}
