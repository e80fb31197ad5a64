import HeadwayBar
import Testing

/// Sequences of calls that once broke the bar.
struct CallSequenceTests {
  /// A video of a hundred seconds.
  private let video = ProgressBar(range: 0...100, unitsPerSecond: 1)

  /// A video that has reported at regular intervals.
  private func playing(every period: Double = 0.25, until end: Double) -> ProgressBar {
    var bar = video
    for index in 0...Int(end / period) {
      bar.report(Double(index) * period, at: Double(index) * period)
    }
    return bar
  }

  @Test func `A property that is changed at once applies to the new style`() {
    var bar = video
    var style = BarStyle()
    style.marks = [10]
    bar.setStyle(style, at: 0)
    bar.changeStyle(at: 2) { $0.marks[0] = 20 }
    #expect(bar.shownStyle(at: 2).marks == [20])
    bar.changeStyle(over: 1, at: 3) { ($0.marks, $0.barHeight) = ([20, 30], 14) }
    bar.changeStyle(at: 3.5) { $0.marks.removeFirst() }
    #expect(bar.shownStyle(at: 3.5).marks == [30] && bar.shownStyle(at: 3.5).barHeight == 9)
  }

  @Test func `A range that shrinks during a deceleration does not move the value`() {
    var bar = video
    bar.report(50, at: 0)
    let before = bar.shown(at: 0.875)
    bar.setRange(from: 0, to: 50.85, at: 0.875)
    #expect(bar.shown(at: 0.875) == before && bar.shown(at: 9) <= 50.85)
    #expect(bar.shown(at: 0.9) >= before)
    var slow = playing(every: 5, until: 15)
    slow.stall(at: 16)
    let shown = slow.shown(at: 18.5)
    slow.setRange(from: 0, to: shown, at: 18.5)
    #expect(abs(slow.shown(at: 18.6) - shown) < 1e-9 && slow.shown(at: 60) == shown)
  }

  @Test func `A range that has grown leaves room to decelerate`() {
    var bar = ProgressBar(range: 0...10, unitsPerSecond: 1)
    for index in 0...4 { bar.report(8.3 + Double(index) / 4, at: Double(index) / 4) }
    bar.setRange(from: 0, to: 20, at: 1.1)
    #expect(bar.speed(at: 1.76) > 0.5, "it slows down over a quarter of a second")
  }

  @Test func `A transition ends at its target, whatever is reported during a pause`() {
    var bar = video
    let transition = bar.animate(to: 50, over: 2, at: 0)
    bar.pause(at: 1)
    bar.report(25.4, at: 1.1)
    bar.resume(at: 5)
    bar.advance(to: 6)
    let end = bar.takeEvents()
    #expect(bar.shown(at: 6) == 50)
    #expect(end == [.transitionEnded(BarTransitionEnd(transition: transition, isFinished: true))])
    bar.animate(to: 20, over: 2, at: 10)
    bar.advance(to: 13)
    #expect(bar.shown(at: 13) == 20, "backwards too")
  }

  @Test(arguments: [0.0, 0.1, 0.24], [4.0, 5, 30])
  func `A bar that waits for a source that has hung never steps back`(
    hang: Double, gap: Double
  ) {
    for period in [0.25, 0.5, 1] {
      var bar = playing(every: period, until: 4)
      var shown = 4.0
      for step in 0..<20 {
        let time = 4 + gap + Double(step) * period
        bar.report(4 + hang + Double(step) * period, at: time)
        #expect(bar.shown(at: time) >= shown, "\(hang) \(gap) \(period) \(step)")
        shown = bar.shown(at: time)
      }
      #expect(abs(shown - 4 - hang - 19 * period) < 0.1)
    }
  }

  @Test func `With reduced motion a seek does not start a glide`() {
    var bar = video
    bar.reducesMotion = true
    bar.seek(to: 10, at: 0)
    #expect(bar.shown(at: 0.5) == 10 && bar.speed(at: 0.1) == 0)
  }

  @Test func `A reported end is shown, whatever the bar did before`() {
    var bar = ProgressBar(range: 0...10, unitsPerSecond: 1)
    for index in 0...4 { bar.report(8.3 + Double(index) / 4, at: Double(index) / 4) }
    bar.setRange(from: 0, to: 10.2, at: 1.1)
    bar.source = .forecast
    bar.report(10.2, at: 3)
    #expect(bar.shown(at: 3.5) == 10.2)
  }

  @Test func `A dragged value stays in any range`() {
    var bar = video
    bar.layout = BarLayout(width: 100, height: 20)
    _ = bar.pointerDown(x: 100, y: 10, at: 0)
    bar.setRange(from: -17.74009478979051, to: 98.27071325173675, at: 1)
    #expect(bar.range.contains(bar.shown(at: 1)))
  }

  @Test func `No phase ends before it begins`() {
    for step in 0..<1_000 {
      var bar = video
      bar.report(1, at: 0)
      bar.pause(at: 0.1)
      bar.resume(at: 0.1 + Double(step) / 7_919)
      var time = 1.0
      for _ in 0..<3 {
        guard case .gliding(let phase) = bar.activity(at: time) else { break }
        #expect(phase.endTime > phase.startTime)
        time = phase.endTime
      }
      if let next = bar.nextChange(after: time) { #expect(next >= time) }
    }
  }

  @Test func `A value that is due later is awaited at the beginning of the range`() {
    var bar = video
    bar.report(0, expectedIn: 0.25, sourceTime: 0, at: 0)
    guard case .gliding(let phase) = bar.activity(at: 0) else {
      Issue.record("it does not glide")
      return
    }
    #expect(phase.from == 0 && phase.to == 0 && abs(phase.endTime - 0.25) < 1e-9)
    #expect(bar.shown(at: 0.2) == 0 && abs(bar.shown(at: 0.5) - 0.25) < 1e-9)
    bar.setRange(from: -10, to: 100, at: 0.1)
    #expect(bar.shown(at: 0.1) == 0)
  }

  @Test func `A learned speed comes back after a playback rate of zero`() {
    var bar = ProgressBar(range: 0...100)
    for index in 0...8 { bar.report(Double(index) / 4, at: Double(index) / 4) }
    bar.setPlaybackRate(0, at: 2.1)
    bar.setPlaybackRate(2, at: 3)
    for index in 0...8 { bar.report(2 + Double(index) / 2, at: 3 + Double(index) / 4) }
    #expect(abs(bar.speed(at: 5.1) - 2) < 0.3)
  }

  @Test func `Work moves on to its position when its range has changed`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(50, rate: 0, at: 0)
    bar.setRange(from: 0, to: 200, at: 0.1)
    #expect(abs(bar.shown(at: 10) - 50) < 1e-6)
  }

  @Test func `Tiny playback rates stand still`() {
    for rate in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, 1e-7] {
      for source in [ProgressBar.Source.forecast, .reports] {
        var bar = ProgressBar(range: 0...100, source: source)
        bar.setPlaybackRate(rate, at: 0)
        for index in 1...3 { bar.report(Double(index), rate: 1, at: Double(index) / 4) }
        bar.setPlaybackRate(1, at: 1)
        bar.setRange(from: 0, to: 200, at: 2)
        #expect(bar.range.contains(bar.shown(at: 2)) && bar.playbackRate == 1)
      }
    }
  }
}
