import HeadwayBar
import Testing

/// The public methods, which take a `Duration`, beside those of the core, which take seconds.
struct DurationTests {
  @Test func `Both show the same`() {
    var (one, other) = (
      ProgressBar(range: 0...240, unitsPerSecond: 1), ProgressBar(range: 0...240, unitsPerSecond: 1)
    )
    for step in 0..<40 {
      let seconds = Double(step) / 4
      one.report(seconds, at: seconds + 0.0625)
      other.report(seconds, at: .milliseconds(250 * step) + .microseconds(62_500))
    }
    #expect(one.shown(at: 10.125) == other.shown(at: .milliseconds(10_125)))
    #expect(one.speed(at: 10.125) == other.speed(at: .milliseconds(10_125)))
    guard case .gliding(let phase) = other.activity(at: .seconds(10)) else {
      Issue.record("it glides")
      return
    }
    #expect(phase.start == .seconds(10) && abs(phase.end / .seconds(1) - phase.endTime) < 1e-9)
    #expect(other.nextChange(after: .seconds(10)) == phase.end)
  }

  @Test(arguments: [
    Duration(secondsComponent: .max, attosecondsComponent: 0),
    Duration(secondsComponent: .min, attosecondsComponent: 0), .seconds(-3), .zero,
  ])
  func `No time traps`(time: Duration) {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.report(10, at: .seconds(1))
    bar.report(11, at: time)
    bar.animate(to: 200, over: time, at: time)
    bar.changeStyle(over: time, at: time) { $0.emphasisDuration = time }
    #expect(
      bar.range.contains(bar.shown(at: time)) && bar.style.emphasisDuration >= .seconds(-1e12))
    _ = (bar.nextChange(after: time), bar.nextAnnouncement(after: time))
  }

  @Test func `A time before zero counts as zero`() {
    var bar = ProgressBar()
    bar.animate(to: 1, over: .seconds(10), at: .seconds(-3))
    #expect(abs(bar.shown(at: .seconds(5)) - 0.5) < 1e-9)
    #expect(bar.shown(at: .seconds(-3)) == bar.shown(at: .zero))
    var style = BarStyle()
    style.emphasisDuration = .seconds(-3)
    #expect(style.emphasisSeconds == -3)
  }

  @Test func `Small durations are exact`() {
    var style = BarStyle()
    #expect(style.emphasisDuration == .milliseconds(120))
    style.emphasisDuration = .milliseconds(250)
    #expect(style.emphasisSeconds == 0.25)
  }
}
