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
}
