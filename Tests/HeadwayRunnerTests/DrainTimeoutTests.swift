import Testing

@testable import HeadwayRunner

/// The time that leftovers of a task have for writing output.
struct DrainTimeoutTests {
  @Test func `Leftovers may write for 200 ms`() {
    var timeout = DrainTimeout()
    #expect(timeout.next == nil)
    let answers = [1000, 1001, 1199, 1200].map { timeout.allows(3, at: .milliseconds($0)) }
    #expect(answers == [true, true, true, false])
    #expect(timeout.next == nil)
  }

  @Test func `Each task has its own time-out, and next is the first to end`() {
    var timeout = DrainTimeout()
    _ = timeout.allows(1, at: .milliseconds(50))
    _ = timeout.allows(2, at: .milliseconds(20))
    #expect(timeout.next == .milliseconds(220))
    timeout.cancel(2)
    #expect(timeout.next == .milliseconds(250))
  }
}
