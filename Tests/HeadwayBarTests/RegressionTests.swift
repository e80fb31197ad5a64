import HeadwayBar
import Testing

/// Fixed defects, with the shortest calls that showed them.
struct RegressionTests {
  /// A player of 240 seconds that has reported each quarter of a second up to two seconds.
  private func playing(rate: Double = 1) -> ProgressBar {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 480, height: 20)
    if rate != 1 { bar.setPlaybackRate(rate, at: 0) }
    for index in 0...8 {
      let time = Double(index) * 0.25
      bar.report(rate < 0 ? 150 + rate * time : rate * time, at: time)
    }
    return bar
  }

  @Test(arguments: [-Double.infinity...0.5, -1.5e308...0, 0...Double.greatestFiniteMagnitude])
  func `Huge buffered ranges may change gradually`(
    range: ClosedRange<Double>
  ) {
    var bar = ProgressBar(range: 0...1)
    bar.layout = BarLayout(width: 100, height: 20)
    bar.changeStyle(at: 0) { $0.bufferedRanges = [range] }
    bar.changeStyle(over: 0.2, at: 0) { $0.bufferedRanges = [1.5e308...1.6e308] }
    var drawing: [BarShape] = []
    bar.draw(at: 0.1, into: &drawing)
    #expect(drawing.allSatisfy { $0.rect.x.isFinite && $0.rect.width.isFinite })
  }

  @Test(arguments: [1.0, 4, -1])
  func `A player that has moved on from the target of a seek has reached it`(rate: Double) {
    var bar = playing(rate: rate)
    let press = bar.pointerDown(x: 200, y: 10, at: 2)
    bar.pointerUp(x: 200, y: 10, at: 2.1)
    #expect(press && bar.isSeekPending)
    // Its first report comes a second later.
    bar.report(100 + rate, at: 3.1)
    #expect(!bar.isSeekPending)
    #expect(abs(bar.shown(at: 3.1) - 100 - rate) < 1)
  }

  @Test func `A delayed report near the target in a long range does not end a pending seek`() {
    for isPaused in [false, true] {
      var bar = ProgressBar(range: 0...6_000, unitsPerSecond: 1)
      bar.layout = BarLayout(width: 480, height: 20)
      bar.step = 5
      for index in 0...8 { bar.report(1_000 + Double(index) / 4, at: Double(index) / 4) }
      if isPaused { bar.pause(at: 2) }
      let isUsed = bar.press(.right, at: 2)
      #expect(isUsed)
      bar.report(isPaused ? 1_002 : 1_002.25, at: 2.25)
      #expect(bar.isSeekPending && abs(bar.shown(at: 2.25) - 1_007) < 0.01)
    }
  }

  @Test func `Seeking to the chosen value keeps the pending seek`() {
    var bar = playing()
    let press = bar.pointerDown(x: 200, y: 10, at: 2)
    bar.pointerUp(x: 200, y: 10, at: 2.1)
    bar.seek(to: 100, at: 2.1)
    bar.report(2.25, at: 2.25)
    #expect(press && bar.isSeekPending && bar.shown(at: 2.3) == 100)
  }

  @Test func `A source that hangs after a resume, a seek or a rate change is a stall`() {
    var resumed = playing()
    resumed.pause(at: 2.01)
    resumed.resume(at: 7)
    var sought = playing()
    sought.seek(to: 100, at: 2.1)
    var faster = playing()
    faster.setPlaybackRate(1.5, at: 2.01)
    let cases: [(String, ProgressBar, Double, Double, Double)] = [
      ("resumed", resumed, 7.8, 2.05, 2), ("sought", sought, 3.1, 100.05, 100),
      ("faster", faster, 2.8, 2.02, 2),
    ]
    for (name, bar, time, late, same) in cases {
      var (moved, stood) = (bar, bar)
      let before = bar.shown(at: time)
      moved.report(late, at: time)
      #expect(moved.shown(at: time) == before, "\(name)")
      for tenth in 0...20 {
        let now = time - 0.4 + Double(tenth) / 10
        let shown = stood.shown(at: now)
        stood.report(same, at: now)
        #expect(stood.shown(at: now) == shown, "\(name), repeated")
      }
      #expect(stood.speed(at: time + 3) == 0, "\(name) has stalled")
    }
  }

  @Test func `A video that begins at a saved position is there with its first report`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.seek(to: 100, at: 1)
    for step in 1...8 {
      let time = 1 + Double(step) * 0.25
      #expect(abs(bar.shown(at: time) - 99 - time) < 1e-9)
      bar.report(99 + time, at: time)
    }
    // Shown at once, it stands; then it is there within the time that it is behind.
    var shown = ProgressBar(range: 0...240, unitsPerSecond: 1)
    shown.setValue(100, at: 1)
    shown.report(100.25, at: 1.25)
    #expect(shown.shown(at: 1.25) == 100 && shown.speed(at: 1.3) == 2)
    #expect(abs(shown.shown(at: 1.5) - 100.5) < 1e-9 && shown.speed(at: 1.6) == 1)
  }

  @Test func `The bar is with the source soon after a seek is reached`() {
    var bar = playing()
    let isUsed = bar.press(.right, at: 2.3)
    let chosen = bar.shown(at: 2.3)
    bar.report(chosen + 0.2, at: 2.5)
    #expect(isUsed && bar.shown(at: 2.5) == chosen)
    #expect(abs(bar.shown(at: 2.7) - chosen - 0.4) < 1e-9)
  }

  @Test func `Only a report brings work to its end, whatever happens to the bar`() {
    let changes: [(String, (inout ProgressBar) -> Void)] = [
      ("a smaller range", { $0.setRange(from: 0, to: 40, at: 1) }),
      ("a seek", { $0.seek(to: 39, at: 1) }), ("a rate", { $0.setPlaybackRate(2, at: 1) }),
    ]
    for (name, change) in changes {
      var bar = ProgressBar(range: 0...100, source: .forecast)
      bar.report(20, rate: 2, at: 0)
      change(&bar)
      #expect(bar.fraction(at: 1e6) < 1, "\(name)")
    }
    var grown = ProgressBar(range: 0...100, source: .forecast)
    grown.report(99, rate: 2, at: 0)
    let before = grown.shown(at: 60)
    grown.setRange(from: 0, to: 400, at: 60)
    #expect(grown.shown(at: 60) == before && grown.shown(at: 70) > before + 10)
    grown.report(400, at: 80)
    #expect(grown.shown(at: 81) == 400)
  }

  @Test func `Source times decrease while a video plays backwards`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.setPlaybackRate(-1, at: 0)
    var last = 240.0
    for index in 0...20 {
      let (time, place) = (Double(index) / 4, 100 - Double(index) / 4)
      bar.report(place - 0.25, expectedIn: 0.25, sourceTime: place, at: time)
      let shown = bar.shown(at: time + 0.1)
      #expect(shown < last && abs(shown - place + 0.1) < 0.02)
      last = shown
    }
  }

  @Test func `With reduced motion, pauses, source times and steps back work`() {
    var bar = playing()
    bar.reducesMotion = true
    let shown = bar.shown(at: 2.5)
    #expect(bar.shown(at: 3) == shown, "what glides stands as soon as less motion is asked for")
    bar.report(2.5, at: 2.5)
    bar.report(2.4, at: 2.55)
    #expect(bar.shown(at: 2.6) == 2.5, "no step back")
    bar.pause(at: 2.6)
    bar.report(2.7, at: 2.7)
    #expect(bar.shown(at: 2.8) == 2.5, "it is paused")
    bar.report(90, at: 3)
    #expect(bar.shown(at: 3) == 90, "a seek is seen")
    var work = ProgressBar(range: 0...100, source: .forecast)
    work.reducesMotion = true
    work.report(50, at: 0)
    work.report(40, at: 1)
    #expect(work.shown(at: 1) == 50)
  }

  @Test func `At a playback rate of zero only a seek moves the bar`() {
    var bar = playing()
    bar.setPlaybackRate(0, at: 2.2)
    let shown = bar.shown(at: 2.2)
    bar.report(2.1, at: 2.3)
    #expect(bar.shown(at: 9) == shown)
    bar.report(50, at: 9)
    #expect(bar.shown(at: 10) == 50)
  }

  @Test
  func `A bar that is not a slider ignores keys, and one that ceases to be one ends its drag`() {
    var fixed = playing()
    fixed.changeStyle(at: 2) { $0.isDraggable = false }
    let isUsed = fixed.press(.right, at: 2)
    var unknown = playing()
    unknown.isIndeterminate = true
    let isTaken = unknown.pointerDown(x: 100, y: 10, at: 2)
    #expect(!isUsed && !isTaken)
    unknown.setValue(5, at: 3)
    #expect(!unknown.isIndeterminate, "a value makes it known")
    var dragged = playing()
    _ = dragged.pointerDown(x: 100, y: 10, at: 2)
    dragged.isReadOnly = true
    dragged.pointerUp(x: 100, y: 10, at: 3)
    let events = dragged.takeEvents()
    #expect(events.last == .dragCancelled && dragged.dotSize(at: 9) == 12)
  }

  @Test func `The dot of a focused bar stays enlarged after a pointer has left`() {
    var bar = playing()
    bar.setFocus(true, at: 2)
    bar.pointerMoved(x: 100, y: 10, at: 3)
    bar.pointerLeft(at: 4)
    #expect(bar.dotSize(at: 5) == 16)
    bar.setFocus(false, at: 6)
    #expect(bar.dotSize(at: 7) == 12)
  }

  @Test func `A paused indeterminate bar stands still and needs no frames`() {
    var bar = playing()
    bar.isIndeterminate = true
    guard case .sweeping = bar.activity(at: 2) else {
      Issue.record("the block stands still")
      return
    }
    bar.pause(at: 2)
    #expect(bar.activity(at: 3) == .still)
  }
}
