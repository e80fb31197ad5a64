import HeadwayBar
import Testing

/// Calls during transitions, drags and style changes.
struct InteractionTests {
  /// A player of 240 seconds that has reported each quarter of a second up to two seconds.
  private func playing(units: Double? = 1) -> ProgressBar {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: units)
    bar.layout = BarLayout(width: 480, height: 20)
    for index in 0...8 { bar.report(Double(index) * 0.25, at: Double(index) * 0.25) }
    return bar
  }

  @Test func `A property that changes at once leaves gradual changes of others in progress`() {
    var bar = playing()
    bar.changeStyle(over: 1, at: 2) { $0.barHeight = 14 }
    bar.changeStyle(at: 2.5) { ($0.bufferedRanges, $0.dotSize) = ([0...60], 30) }
    let style = bar.shownStyle(at: 2.5)
    #expect(style.barHeight == 9 && style.bufferedRanges == [0...60] && style.dotSize == 30)
    #expect(bar.shownStyle(at: 2.75).barHeight == 11.5)
    #expect(bar.style.barHeight == 14 && bar.shownStyle(at: 3).barHeight == 14)
    #expect(bar.activity(at: 2.6) == .changing)
  }

  @Test func `A reset completes a style change`() {
    var bar = playing()
    bar.changeStyle(over: 1, at: 2) { $0.barHeight = 14 }
    bar.reset(at: 2.1)
    #expect(bar.shownStyle(at: 2.1).barHeight == 14 && bar.activity(at: 2.1) == .still)
  }

  @Test func `During a drag the dot stays under the pointer when the range changes`() {
    var bar = playing()
    _ = bar.pointerDown(x: 200, y: 10, at: 2)
    _ = bar.takeEvents()
    bar.setRange(from: 100, to: 220, at: 2.1)
    #expect(bar.shown(at: 2.1) == 150 && bar.dotCenter(at: 2.1) == 200)
    let events = bar.takeEvents()
    #expect(events == [.dragged(150)])
    bar.pointerUp(x: 200, y: 10, at: 2.2)
    #expect(bar.shown(at: 2.3) == 150 && bar.dotCenter(at: 2.3) == 200)
  }

  @Test func `Removing the animation during a drag keeps the dragged value`() {
    var bar = playing()
    _ = bar.pointerDown(x: 200, y: 10, at: 2)
    bar.removeAnimation(at: 2.2)
    #expect(bar.shown(at: 2.3) == 100, "the drag goes on")
    bar.cancelDrag(at: 2.4)
    #expect(abs(bar.shown(at: 3) - 2.2) < 0.001)
  }

  @Test func `A smaller range ends a glide at its end`() {
    var bar = playing()
    bar.setRange(from: 0, to: 2.2, at: 2)
    #expect(bar.shown(at: 2.6) == 2.2 && bar.speed(at: 2.6) == 0)
    #expect(abs(bar.motion.phase(at: 2).endTime - 2.2) < 1e-9)
  }

  @Test func `The value decelerates to the end of a range that became smaller`() {
    var bar = playing()
    bar.setRange(from: 0, to: 2.8, at: 2)
    let phase = bar.motion.phase(at: 2.75)
    #expect(phase.isBraking && abs(phase.to - 2.8) < 1e-9)
    let middle = (phase.startTime + phase.endTime) / 2
    #expect(abs(bar.shown(at: middle) - (phase.from + 0.75 * (phase.to - phase.from))) < 1e-9)
  }

  @Test func `A correction that ends at a deceleration leaves no empty phase`() {
    for step in 1...50 {
      var bar = playing()
      bar.report(2.25 + Double(step) / 1_000, at: 2.25)
      var time = 2.25
      while case .gliding(let phase) = bar.activity(at: time) {
        #expect(phase.endTime - phase.startTime > 1e-9, "\(step)")
        time = max(phase.endTime, time + 1e-9)
      }
    }
  }

  @Test func `A bar that waits for its source stops when the source stalls`() {
    var bar = playing()
    bar.stall(at: 2)
    #expect(bar.speed(at: 3) == 0)
    let ahead = bar.shown(at: 3)
    // It is a little ahead of what comes, and stands until that has caught up.
    bar.report(ahead - 0.1, at: 3)
    #expect(bar.speed(at: 3.05) == 0 && bar.speed(at: 3.2) > 0)
    bar.stall(at: 3.05)
    #expect(bar.shown(at: 9) == ahead)
  }

  @Test func `A stall does not end a transition`() {
    var bar = playing()
    let transition = bar.animate(to: 10, over: 4, at: 2)
    bar.stall(at: 3)
    #expect(abs(bar.shown(at: 5) - 8) < 0.001)
    bar.advance(to: 6)
    let events = bar.takeEvents()
    #expect(bar.shown(at: 6) == 10)
    #expect(
      events == [.transitionEnded(BarTransitionEnd(transition: transition, isFinished: true))])
  }

  @Test func `A seek and a rate change clear the source time`() {
    for isSeek in [true, false] {
      var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
      bar.report(50, expectedIn: 0, sourceTime: 500, at: 0)
      if isSeek { bar.seek(to: 50, at: 0.2) } else { bar.setPlaybackRate(1.5, at: 0.2) }
      bar.report(50.4, expectedIn: 0, sourceTime: 3, at: 0.3)
      #expect(bar.reported == 50.4, "its clock has begun anew")
      bar.report(50.3, expectedIn: 0, sourceTime: 2.9, at: 0.31)
      #expect(bar.reported == 50.4, "this one is old")
    }
  }

  @Test func `The source time of the first report and of a jump is kept`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.report(50, expectedIn: 0, sourceTime: 500, at: 0)
    bar.report(49.9, expectedIn: 0, sourceTime: 499.9, at: 0.1)
    #expect(bar.reported == 50)
    bar.report(90, expectedIn: 0, sourceTime: 540, at: 1)
    bar.report(89.9, expectedIn: 0, sourceTime: 539.9, at: 1.1)
    #expect(bar.reported == 90)
  }

  @Test func `A learned speed scales with the playback rate`() {
    var bar = playing(units: nil)
    for index in 9...32 { bar.report(Double(index) * 0.25, at: Double(index) * 0.25) }
    #expect(abs(bar.speed(at: 8) - 1) < 0.01)
    bar.setPlaybackRate(2, at: 8)
    #expect(abs(bar.speed(at: 8.1) - 2) < 0.02)
    bar.seek(to: 100, at: 8.2)
    #expect(abs(bar.speed(at: 8.3) - 2) < 0.02, "kept beyond the reports that told it")
  }

  @Test func `Two reports at nearly the same time give no speed`() {
    var bar = ProgressBar(range: 0...240)
    bar.report(10, at: 0)
    bar.report(10.3, at: 0.001)
    #expect(bar.shown(at: 1) == 10.3 && bar.speed(at: 1) == 0)
    bar.report(10.5, at: 0.2)
    #expect(bar.speed(at: 0.9) < 2, "not three hundred a second")
  }

  @Test func `Work that reports its end repeatedly reaches it in half a second`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(60, rate: 1, at: 0)
    for frame in 0...30 { bar.report(100, at: 1 + Double(frame) / 60) }
    #expect(bar.shown(at: 1.5) == 100)
    bar.setRange(from: 0, to: 200, at: 2)
    bar.animate(to: 200, over: 60, at: 2)
    bar.report(200, at: 3)
    #expect(bar.shown(at: 3.5) == 200, "a slow change to the end does not put it off")
  }

  @Test func `A pending seek near the end of the range is reached`() {
    // Without a speed the source agrees within a thousandth of the whole.
    var bar = ProgressBar(range: 0...240)
    bar.layout = BarLayout(width: 480, height: 20)
    bar.report(10, at: 0)
    _ = bar.pointerDown(x: 200, y: 10, at: 1)
    bar.pointerUp(x: 200, y: 10, at: 1)
    bar.report(100.3, at: 1.2)
    #expect(bar.isSeekPending && bar.shown(at: 1.2) == 100)
    bar.report(100.2, at: 1.4)
    #expect(!bar.isSeekPending)
  }

  @Test func `A speed that is given later holds from the next report on`() {
    var bar = ProgressBar(range: 0...240)
    bar.setValue(0, at: 0)
    bar.unitsPerSecond = 1
    bar.report(1, at: 1)
    #expect(abs(bar.shown(at: 1.3) - 1.3) < 1e-9)
    for odd in [Double.nan, .infinity, -1e30] {
      bar.unitsPerSecond = odd
      #expect(bar.unitsPerSecond == nil)
    }
  }
}
