import HeadwayBar
import Testing

/// Pauses: the bar stops where it is and continues from there.
struct PauseTests {
  /// A player that reports each quarter of a second, up to two seconds.
  private func playing() -> ProgressBar {
    var bar = ProgressBar(range: 0...10, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 1_000, height: 24)
    for index in 0...8 { bar.report(Double(index) * 0.25, at: Double(index) * 0.25) }
    return bar
  }

  @Test func `Paused at 2.01 s, the bar stops there and not at its target`() {
    var bar = playing()
    let speed = bar.speed(at: 2.01)
    bar.pause(at: 2.01)
    let place = bar.dotCenter(at: 2.01)
    #expect(abs(place - 201) < 0.01)
    for frame in 0...60 { #expect(bar.dotCenter(at: 2.01 + Double(frame) / 60) == place) }
    #expect(bar.speed(at: 2.5) == 0 && bar.activity(at: 2.5) == .still && bar.isPaused)
    bar.resume(at: 77)
    #expect(abs(bar.dotCenter(at: 77) - place) < 0.01)
    #expect(bar.speed(at: 77) == speed)
    #expect(abs(bar.shown(at: 77.24) - 2.25) < 0.001, "the rest of its quarter of a second")
  }

  @Test func `A delayed report moves nothing during a pause`() {
    var bar = playing()
    bar.pause(at: 2.26)
    let shown = bar.shown(at: 3)
    bar.report(2.25, at: 2.29)
    bar.report(2.26, at: 2.3)
    #expect(bar.shown(at: 3) == shown)
    #expect(bar.reported == 2.26, "but it is known")
  }

  @Test func `A seek during a pause jumps there and stays`() {
    var bar = playing()
    bar.pause(at: 2.1)
    bar.report(7, at: 5)
    #expect(bar.shown(at: 5) == 7 && bar.shown(at: 9) == 7)
    bar.seek(to: 3, at: 10)
    #expect(bar.shown(at: 10) == 3 && bar.shown(at: 12) == 3)
    bar.resume(at: 20)
    bar.report(3, at: 20)
    bar.report(3.25, at: 20.25)
    #expect(abs(bar.shown(at: 20.4) - 3.4) < 0.05)
  }

  @Test func `Repeated pauses and resumes change nothing`() {
    var bar = playing()
    bar.resume(at: 2.005)
    bar.pause(at: 2.01)
    bar.pause(at: 5)
    bar.pause(at: 6)
    #expect(abs(bar.shown(at: 7) - 2.01) < 1e-4)
    bar.resume(at: 8)
    bar.resume(at: 8.1)
    #expect(abs(bar.shown(at: 8.1) - 2.11) < 1e-3)
  }

  @Test func `A pause before the first report and one at the end work`() {
    var bar = ProgressBar(range: 0...1)
    bar.pause(at: 0)
    #expect(bar.shown(at: 5) == 0)
    bar.setValue(1, at: 6)
    #expect(bar.shown(at: 6) == 1)
    bar.resume(at: 7)
    #expect(bar.shown(at: 8) == 1 && bar.activity(at: 8) == .still)
  }

  @Test func `A transition stops during a pause and ends that much later`() {
    var bar = ProgressBar(range: 0...100)
    let transition = bar.animate(to: 80, over: 2, at: 0)
    bar.pause(at: 1)
    bar.advance(to: 50)
    let events = bar.takeEvents()
    #expect(bar.shown(at: 50) == 40 && events.isEmpty)
    #expect(bar.nextChange(after: 50) == nil, "nothing to wake for")
    bar.resume(at: 60)
    #expect(bar.nextChange(after: 60) == 61)
    bar.advance(to: 61)
    #expect(bar.shown(at: 61) == 80)
    let events2 = bar.takeEvents()
    #expect(
      events2 == [
        .transitionEnded(BarTransitionEnd(transition: transition, isFinished: true))
      ])
  }

  @Test func `Reports from before a pause do not count after it`() {
    var bar = playing()
    bar.pause(at: 2.1)
    bar.resume(at: 5)
    // The player goes on 0.2 s late: by the reports before the pause it would be further on.
    for index in 1...8 { bar.report(2.1 + Double(index) / 4, at: 5.2 + Double(index) / 4) }
    #expect(abs(bar.shown(at: 7.2) - 4.1) < 0.05)
  }

  @Test func `The value does not go back when the clock stands still or goes back`() {
    var bar = playing()
    let shown = bar.shown(at: 2.2)
    bar.advance(to: 2.2)
    bar.pause(at: 1)
    #expect(abs(bar.shown(at: 3) - shown) < 1e-9, "the pause counts from what was seen last")
    bar.resume(at: 0.5)
    #expect(bar.shown(at: 2.2) >= shown - 1e-9)
  }
}
