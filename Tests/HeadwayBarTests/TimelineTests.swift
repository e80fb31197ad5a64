import HeadwayBar
import Testing

/// The time of a bar and its pauses.
struct TimelineTests {
  @Test func `A timeline that is paused at 2.01 s continues from there`() {
    var line = Timeline()
    line.pause(at: 2.01)
    #expect(line.isPaused)
    #expect(line.localTime(at: 1_000) == 2.01)
    #expect(line.clockTime(at: 2.01) == nil, "it stays at that time")
    line.resume(at: 100)
    #expect(!line.isPaused)
    #expect(abs(line.localTime(at: 100.25) - 2.26) < 1e-9)
    #expect(abs(line.clockTime(at: 2.26)! - 100.25) < 1e-9)
  }

  @Test func `A second pause, and a resume while it runs, change nothing`() {
    var line = Timeline()
    line.resume(at: 5)
    #expect(line == Timeline())
    line.pause(at: 5)
    line.pause(at: 9)
    #expect(line.localTime(at: 20) == 5)
  }
}
