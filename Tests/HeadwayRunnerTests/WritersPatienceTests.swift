import Testing

@testable import HeadwayRunner

/// The moment that writers get after their shell has ended.
struct WritersPatienceTests {
  @Test func `Writers may go on for a while and no longer`() {
    var patience = WritersPatience()
    #expect(patience.next == nil)
    let answers = [1000, 1001, 1199, 1200].map { patience.allows(3, at: .milliseconds($0)) }
    #expect(answers == [true, true, true, false])
    #expect(patience.next == nil)
  }

  @Test func `Each task has its own time, and the first to end is told`() {
    var patience = WritersPatience()
    _ = patience.allows(1, at: .milliseconds(50))
    _ = patience.allows(2, at: .milliseconds(20))
    #expect(patience.next == .milliseconds(220))
    patience.forget(2)
    #expect(patience.next == .milliseconds(250))
  }
}
