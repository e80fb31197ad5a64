import HeadwayBar
import Testing

/// Values, transitions, and how they end.
struct ValueTests {
  /// The end of a transition as an event.
  private func end(_ transition: BarTransition, _ isFinished: Bool) -> BarEvent {
    .transitionEnded(BarTransitionEnd(transition: transition, isFinished: isFinished))
  }

  @Test func `A value without duration is shown at once`() {
    var bar = ProgressBar(range: 0...100)
    bar.setValue(30, at: 1)
    #expect(bar.shown(at: 1) == 30 && bar.reported == 30)
    bar.setValue(10, at: 2)
    #expect(bar.shown(at: 2) == 10 && bar.activity(at: 2) == .still)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `A value that is not finite changes nothing`(odd: Double) {
    for source in [ProgressBar.Source.reports, .forecast] {
      var bar = ProgressBar(range: 0...100, source: source)
      bar.setValue(30, at: 1)
      bar.setValue(odd, at: 2)
      bar.report(odd, at: 3)
      bar.report(odd, rate: 1, at: 4)
      bar.seek(to: odd, at: 5)
      #expect(bar.shown(at: 9) == 30 && bar.reported == 30)
    }
  }

  @Test func `A transition moves at constant speed, ends at its target and adds an event`() {
    var bar = ProgressBar(range: 0...100)
    let transition = bar.animate(to: 80, over: 2, at: 10)
    #expect(bar.reported == 80, "the model's value is the target at once")
    #expect(bar.shown(at: 10) == 0 && bar.shown(at: 10.5) == 20 && bar.shown(at: 11) == 40)
    #expect(bar.nextChange(after: 10) == 12)
    bar.advance(to: 11.99)
    let events = bar.takeEvents()
    #expect(events.isEmpty)
    bar.advance(to: 12)
    let events2 = bar.takeEvents()
    #expect(events2 == [end(transition, true)])
    bar.advance(to: 13)
    let events3 = bar.takeEvents()
    #expect(events3.isEmpty, "once")
    #expect(bar.shown(at: 13) == 80)
  }

  @Test func `Any later change interrupts a transition and starts from the shown value`() {
    let interruptions: [(String, (inout ProgressBar) -> Void, Double)] = [
      ("a plain value", { $0.setValue(5, at: 1) }, 5),
      ("a report", { $0.report(41, at: 1) }, 40),
      ("a seek", { $0.seek(to: 90, at: 1) }, 90),
      ("another transition", { $0.animate(to: 0, over: 4, at: 1) }, 40),
      ("the end of animation", { $0.removeAnimation(at: 1) }, 40),
      ("a reset", { $0.reset(at: 1) }, 0),
      ("a drag", { _ = $0.pointerDown(x: 80, y: 12, at: 1) }, 40),
    ]
    for (name, interrupt, shown) in interruptions {
      var bar = ProgressBar(range: 0...100)
      bar.layout = BarLayout(width: 200, height: 24)
      let transition = bar.animate(to: 80, over: 2, at: 0)
      interrupt(&bar)
      let events = bar.takeEvents()
      #expect(events.contains(end(transition, false)), "\(name)")
      #expect(bar.shown(at: 1) == shown, "\(name)")
      bar.advance(to: 9)
      let events2 = bar.takeEvents()
      #expect(!events2.contains(end(transition, true)), "\(name)")
    }
  }

  @Test func `A transition to the shown value ends at once`() {
    var bar = ProgressBar(range: 0...100)
    bar.setValue(30, at: 0)
    for duration in [2, 0, -1, .nan, .infinity] as [Double] {
      let transition = bar.animate(to: 30, over: duration, at: 1)
      let events = bar.takeEvents()
      #expect(events == [end(transition, true)])
    }
    let transition = bar.animate(to: .nan, over: 1, at: 2)
    let events2 = bar.takeEvents()
    #expect(events2 == [end(transition, true)])
    #expect(bar.shown(at: 2) == 30)
  }

  @Test func `Removing the animation stays at point B and never jumps to C`() {
    var bar = ProgressBar(range: 0...100)
    bar.animate(to: 80, over: 2, at: 0)
    bar.removeAnimation(at: 0.7)
    #expect(bar.shown(at: 0.7) == 28 && bar.shown(at: 60) == 28)
    #expect(bar.reported == 80, "what was reported is another value")
  }

  @Test func `A reset goes to the beginning and clears every state`() {
    var bar = ProgressBar(range: 5...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 200, height: 24)
    bar.changeStyle(at: 0) { $0.barHeight = 9 }
    bar.report(40, at: 0)
    bar.setPlaybackRate(2, at: 0.1)
    _ = bar.pointerDown(x: 100, y: 12, at: 0.2)
    bar.pause(at: 0.3)
    bar.isIndeterminate = true
    _ = bar.takeEvents()
    bar.reset(at: 1)
    let events = bar.takeEvents()
    #expect(events == [.dragCancelled])
    #expect(!bar.isPaused && !bar.isDragging && !bar.isSeekPending && !bar.isIndeterminate)
    #expect(bar.shown(at: 9) == 5 && bar.reported == 5 && bar.playbackRate == 1)
    #expect(bar.style.barHeight == 9, "style and range stay")
    // The next report is a first one.
    bar.report(70, at: 9)
    #expect(bar.shown(at: 9) == 70)
  }

  @Test func `A repeated report does not prevent a stall`() {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    for index in 0..<8 { bar.report(Double(index) / 4, at: Double(index) / 4) }
    for index in 8..<40 { bar.report(1.75, at: Double(index) / 4) }
    #expect(bar.speed(at: 4) == 0)
    #expect(bar.shown(at: 10) < 2.7, "it has stalled")
  }

  @Test func `With reduced motion only reported values are shown`() {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.reducesMotion = true
    bar.report(10, at: 0)
    bar.report(10.25, at: 0.25)
    #expect(bar.shown(at: 0.4) == 10.25 && bar.activity(at: 0.4) == .still)
    let transition = bar.animate(to: 50, over: 3, at: 1)
    #expect(bar.shown(at: 1) == 50)
    let events = bar.takeEvents()
    #expect(events == [end(transition, true)])
  }

  // MARK: Totals

  @Test func `A total that grows, shrinks or goes away changes the position gradually`() {
    var bar = ProgressBar(range: 0...100)
    bar.setValue(60, at: 0)
    bar.setRange(from: 0, to: 200, at: 1)
    #expect(bar.fraction(at: 1) == 0.6 && bar.shown(at: 1) == 60, "no jump")
    #expect(bar.fraction(at: 1.3) == 0.3)
    var last = 0.6
    for frame in 0...20 {
      let fraction = bar.fraction(at: 1 + Double(frame) / 60)
      #expect(fraction <= last)
      last = fraction
    }
    bar.setRange(from: 0, to: 50, at: 2)
    #expect(bar.shown(at: 2) == 50)
    bar.setRange(from: 0, to: 0, at: 3)
    #expect(bar.fraction(at: 9) == 0 && bar.shown(at: 9) == 0)
    bar.setRange(from: 0, to: .nan, at: 10)
    bar.setRange(from: .nan, to: -5, at: 10)
    #expect(bar.fraction(at: 11) == 0)
  }

  @Test func `A smaller range clamps a moving and a resting value`() {
    for moves in [true, false] {
      var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
      bar.report(60, at: 0)
      if !moves { bar.pause(at: 0) }
      bar.setRange(from: 0, to: 50, at: 0.1)
      #expect(bar.shown(at: 0.1) == 50 && bar.reported == 50)
      bar.setRange(from: 0, to: 100, at: 0.2)
      #expect(bar.shown(at: 0.3) == 50, "what was cut off does not come back by itself")
    }
  }

  @Test func `A live window that moves keeps the value`() {
    var bar = ProgressBar(range: 0...60, unitsPerSecond: 1)
    for index in 0..<400 {
      let time = Double(index) / 4
      bar.setRange(from: time, to: 60 + time, at: time)
      bar.report(50 + time, at: time)
      #expect(abs(bar.shown(at: time + 0.2) - 50 - time - 0.2) < 0.01)
      #expect(abs(bar.fraction(at: time + 0.2) - 50.0 / 60) < 0.02)
    }
  }

  // MARK: Work

  @Test func `Work moves at its forecast speed between rare reports`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(10, rate: 2, at: 0)
    #expect(bar.shown(at: 0) == 0 && abs(bar.shown(at: 0.5) - 11) < 1e-9, "caught up with")
    #expect(abs(bar.shown(at: 10.5) - 31) < 1e-9)
    #expect(bar.speed(at: 30) == 2)
  }

  @Test func `In short work the bar catches up within a twentieth of it`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(0, rate: 100, at: 0)
    bar.report(40, rate: 100, at: 0.2)
    #expect(abs(bar.shown(at: 0.25) - 45) < 1e-9 && abs(bar.shown(at: 0.4) - 60) < 1e-9)
  }

  @Test func `Work never fills the bar before its end, and keeps moving until close to it`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(10, rate: 10, at: 0)
    var last = 0.0
    for second in 1...9 {
      #expect(bar.shown(at: Double(second)) > last)
      last = bar.shown(at: Double(second))
    }
    #expect(bar.shown(at: 1e9) == 99.9)
    bar.report(100, at: 50)
    #expect(abs(bar.shown(at: 50.5) - 100) < 1e-9, "the end is reported")
  }

  @Test func `The bar slows down while the work is behind it`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(50, rate: 1, at: 0)
    let before = bar.shown(at: 5)
    bar.report(20, rate: 1, at: 5)
    #expect(bar.shown(at: 5) == before)
    var last = before
    for second in 6...30 {
      let shown = bar.shown(at: Double(second))
      #expect(shown > last && shown - last < 0.11)
      last = shown
    }
    #expect(abs(bar.shown(at: 60) - 75) < 0.01, "when the work is there, it goes on with it")
  }

  @Test func `Work without a forecast waits`() {
    var bar = ProgressBar(range: 0...100, source: .forecast)
    bar.report(10, at: 0)
    #expect(bar.shown(at: 60) == 10)
    bar.report(20, at: 10)
    #expect(abs(bar.speed(at: 11) - 1) < 1e-9, "two reports tell a speed")
    bar.report(20, rate: .nan, at: 20)
    bar.report(20, rate: -4, at: 20)
    #expect(bar.shown(at: 1e6) >= 20)
  }
}
