import Testing

@testable import HeadwayRunner

/// The clock of a run that is paused.
struct RunClockTests {
  @Test func `Time stands still in a pause and goes on from where it stood`() {
    let clock = RunClock()
    let before = clock.now
    clock.stop()
    #expect(clock.isStopped)
    let standing = clock.now
    #expect(standing >= before)
    // Whatever the machine does meanwhile.
    for _ in 0..<1_000 { #expect(clock.now == standing) }
    clock.resume()
    #expect(!clock.isStopped)
    let after = clock.now
    #expect(after >= standing)
    clock.resume()
    #expect(clock.now >= after)
  }
}
