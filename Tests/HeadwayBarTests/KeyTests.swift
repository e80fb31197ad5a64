import HeadwayBar
import Testing

/// Keys and the wheel: promise 10 of `WhatThisBarPromises`.
struct KeyTests {
  /// A bar at 50 of 0 to 100 with steps of 5.
  private func bar(_ direction: BarLayout.Direction = .leftToRight) -> ProgressBar {
    var bar = ProgressBar(range: 0...100)
    bar.layout = BarLayout(width: 200, height: 24)
    bar.layout.direction = direction
    bar.step = 5
    bar.setValue(50, at: 0)
    return bar
  }

  @Test(arguments: [
    (BarKey.left, 45.0), (.right, 55), (.up, 55), (.down, 45), (.pageUp, 100), (.pageDown, 0),
    (.home, 0), (.end, 100),
  ])
  func `A key chooses a value`(key: BarKey, value: Double) {
    var bar = bar()
    let isUsed = bar.press(key, at: 1)
    #expect(isUsed)
    #expect(bar.shown(at: 1) == value)
    let events2 = bar.takeEvents()
    #expect(events2 == [.committed(value)])
  }

  @Test func `Assistive technology chooses a value as a key does`() {
    var bar = bar()
    let isChosen = bar.choose(130, at: 1)
    #expect(isChosen && bar.shown(at: 1) == 100)
    let events = bar.takeEvents()
    #expect(events == [.committed(100)])
    let isOddChosen = bar.choose(.nan, at: 2)
    bar.isReadOnly = true
    let isReadOnlyChosen = bar.choose(20, at: 2)
    #expect(!isOddChosen && !isReadOnlyChosen && bar.shown(at: 2) == 100)
  }

  @Test func `Page keys are ten steps`() {
    var bar = bar()
    bar.step = 2
    let isUsed = bar.press(.pageUp, at: 1)
    #expect(isUsed)
    #expect(bar.shown(at: 1) == 70)
    let isUsed2 = bar.press(.pageDown, at: 2)
    let isUsed3 = bar.press(.pageDown, at: 2)
    #expect(isUsed2 && isUsed3)
    #expect(bar.shown(at: 2) == 30)
  }

  @Test func `From right to left, left goes forward; upwards, up does`() {
    var mirrored = bar(.rightToLeft)
    let isUsed = mirrored.press(.left, at: 1)
    #expect(isUsed && mirrored.shown(at: 1) == 55)
    let isUsed2 = mirrored.press(.right, at: 1)
    #expect(isUsed2 && mirrored.shown(at: 1) == 50)
    let isUsed3 = mirrored.press(.up, at: 1)
    #expect(isUsed3 && mirrored.shown(at: 1) == 55)
    var upwards = bar(.upwards)
    let isUsed4 = upwards.press(.up, at: 1)
    #expect(isUsed4 && upwards.shown(at: 1) == 55)
    let isUsed5 = upwards.press(.left, at: 1)
    #expect(isUsed5 && upwards.shown(at: 1) == 50)
  }

  @Test func `Repeated keys continue from the chosen value, and stop at the ends`() {
    var bar = bar()
    for _ in 0..<30 { _ = bar.press(.right, at: 1) }
    #expect(bar.shown(at: 1) == 100)
    let events = bar.takeEvents()
    #expect(events.last == .committed(100), "what is told is a value of the range")
  }

  @Test func `Digits go to tenths if they are accepted`() {
    var bar = bar()
    let isUsed = bar.press(.digit(7), at: 1)
    #expect(!isUsed && bar.shown(at: 1) == 50)
    bar.acceptsDigits = true
    let isUsed2 = bar.press(.digit(7), at: 1)
    #expect(isUsed2 && bar.shown(at: 1) == 70)
    let isUsed3 = bar.press(.digit(12), at: 1)
    let isUsed4 = bar.press(.digit(-1), at: 1)
    #expect(!isUsed3 && !isUsed4)
  }

  @Test func `The wheel works if it is accepted`() {
    var bar = bar()
    let isTurned = bar.scroll(steps: 1, at: 1)
    #expect(!isTurned)
    bar.acceptsWheel = true
    let isTurned2 = bar.scroll(steps: -2, at: 1)
    #expect(isTurned2 && bar.shown(at: 1) == 40)
    let isTurned3 = bar.scroll(steps: 0, at: 1)
    let isTurned4 = bar.scroll(steps: .nan, at: 1)
    #expect(!isTurned3 && !isTurned4)
  }

  @Test func `Disabled and read-only bars ignore all keys, and so does a drag`() {
    var (disabled, fixed, dragged) = (bar(), bar(), bar())
    disabled.isDisabled = true
    fixed.isReadOnly = true
    _ = dragged.pointerDown(x: 100, y: 12, at: 0)
    for key in [BarKey.left, .right, .up, .down, .pageUp, .pageDown, .home, .end, .digit(3)] {
      let isUsed = disabled.press(key, at: 1)
      let isUsed2 = fixed.press(key, at: 1)
      #expect(!isUsed && !isUsed2)
      let isUsed3 = dragged.press(key, at: 1)
      #expect(!isUsed3)
    }
    #expect(disabled.shown(at: 1) == 50 && fixed.shown(at: 1) == 50)
  }

  @Test(arguments: [nil, 0, -3, .nan, .infinity] as [Double?])
  func `Without a valid step a key moves by a hundredth`(step: Double?) {
    var bar = bar()
    bar.step = step
    let isUsed = bar.press(.right, at: 1)
    #expect(isUsed && bar.shown(at: 1) == 51)
  }

  // MARK: Steps

  @Test(arguments: [
    (0.1, 0.0...10.0), (0.7, 0...70), (0.01, 0...1), (0.3, -1...2), (0.25, 0...9), (1e-6, 0...1e-3),
    (0.1, 1e6...2e6),
  ])
  func `Keys choose the decimal fractions that are meant`(step: Double, range: ClosedRange<Double>)
  {
    var bar = ProgressBar(range: range)
    bar.step = step
    bar.setValue(range.lowerBound, at: 0)
    let perUnit = (1 / step).rounded()
    for index in 1...60 {
      _ = bar.press(.right, at: Double(index))
      let wanted = min(range.upperBound, range.lowerBound + Double(index) * step)
      #expect(abs(bar.reported - wanted) < step / 1e6)
      #expect("\(bar.reported)".count <= 12, "\(bar.reported)")
      guard perUnit * step == 1, range.lowerBound == 0, bar.reported < range.upperBound else {
        continue
      }
      #expect(bar.reported == Double(index) / perUnit)
    }
  }

  @Test func `A step that is no decimal fraction is not changed to one`() {
    var bar = ProgressBar(range: 0...10)
    bar.step = 1.0 / 3
    for _ in 1...5 { _ = bar.press(.right, at: 1) }
    #expect(abs(bar.reported - 5.0 / 3) < 1e-12)
  }

  @Test func `What a person chooses is on a step, or at an end of the range`() {
    var bar = ProgressBar(range: 0...10.5)
    bar.layout = BarLayout(width: 210, height: 8)
    bar.step = 2
    for (x, value) in [(73.0, 4.0), (59, 2), (0.5, 0), (209.5, 10.5), (110, 6), (207, 10)] {
      _ = bar.pointerDown(x: x, y: 4, at: 1)
      bar.pointerMoved(x: x, y: 90, at: 1)
      #expect(bar.shown(at: 1) == value, "\(x)")
      bar.pointerUp(x: x, y: 4, at: 1)
      #expect(bar.reported == value, "\(x)")
    }
    _ = bar.choose(3.2, at: 2)
    #expect(bar.reported == 4, "assistive technology too")
    bar.setValue(3.2, at: 3)
    #expect(bar.shown(at: 3) == 3.2, "a program may show what it wants")
    _ = bar.press(.right, at: 4)
    #expect(bar.shown(at: 4) == 6, "of which a key moves to a step")
  }

  @Test func `A drag stays on a step when the range changes`() {
    var bar = ProgressBar(range: 0...10)
    bar.layout = BarLayout(width: 200, height: 8)
    bar.step = 2
    _ = bar.pointerDown(x: 121, y: 4, at: 1)
    #expect(bar.shown(at: 1) == 6)
    bar.setRange(from: 1, to: 40, at: 2)
    #expect(bar.shown(at: 2) == 25)
    bar.setRange(from: -3, to: -2, at: 3)
    #expect(bar.range.contains(bar.shown(at: 3)))
  }

  @Test func `Steps of a bar that begins anywhere begin there`() {
    var bar = ProgressBar(range: -1...4)
    bar.step = 2
    _ = bar.choose(0.3, at: 1)
    #expect(bar.reported == 1)
    bar.acceptsDigits = true
    _ = bar.press(.digit(9), at: 2)
    #expect(bar.reported == 3)
  }

  @Test func `The source of a known speed is between steps, and its step is only that of the keys`()
  {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 200, height: 8)
    bar.step = 5
    bar.setValue(7.25, at: 0)
    _ = bar.press(.right, at: 1)
    #expect(bar.reported == 12.25)
    _ = bar.pointerDown(x: 73, y: 4, at: 2)
    #expect(bar.shown(at: 2) == 36.5)
  }

  // MARK: Choices of nothing

  @Test(arguments: [
    (BarKey.right, 100.0), (.up, 100), (.pageUp, 100), (.end, 100), (.left, 0), (.down, 0),
    (.pageDown, 0), (.home, 0),
  ])
  func `A key that changes nothing is handled and adds no event`(key: BarKey, end: Double) {
    var bar = bar()
    bar.setValue(end, at: 0)
    for time in 1...3 {
      let isUsed = bar.press(key, at: Double(time))
      #expect(isUsed)
    }
    let events = bar.takeEvents()
    #expect(events.isEmpty && !bar.isSeekPending)
  }

  @Test func `A key at the end of a source that is not there yet chooses the end`() {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.report(99.8, at: 0)
    #expect(bar.shown(at: 0.5) == 100)
    _ = bar.press(.end, at: 0.5)
    _ = bar.press(.end, at: 0.6)
    let events = bar.takeEvents()
    #expect(events == [.committed(100)], "once")
  }
}
