import HeadwayBar
import Testing

/// Pointer input: promises 6 to 9 of `WhatThisBarPromises`.
struct PointerTests {
  /// A bar of 200 points for 0 to 100, at 25.
  private func bar(_ direction: BarLayout.Direction = .leftToRight) -> ProgressBar {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout =
      direction == .upwards
      ? BarLayout(width: 8, height: 200) : BarLayout(width: 200, height: 8)
    bar.layout.direction = direction
    bar.setValue(25, at: 0)
    return bar
  }

  // MARK: Hits

  @Test func `Half of the extent is added on each side`() {
    var bar = bar()
    bar.layout.margins = BarLayout.Margins(extent: 30)
    for (x, y) in [(-15.0, 4.0), (215, 4), (100, -15), (100, 23), (-15, -15)] {
      #expect(bar.hits(x: x, y: y, at: 0), "(\(x), \(y))")
    }
    for (x, y) in [(-15.1, 4.0), (215.1, 4), (100, -15.1), (100, 23.1)] {
      #expect(!bar.hits(x: x, y: y, at: 0), "(\(x), \(y))")
    }
  }

  @Test func `Each margin can be set alone`() {
    var bar = bar()
    bar.layout.margins = BarLayout.Margins(top: 40, right: 1, bottom: 10, left: 0)
    #expect(bar.hits(x: 100, y: -40, at: 0) && !bar.hits(x: 100, y: -41, at: 0))
    #expect(bar.hits(x: 201, y: 4, at: 0) && !bar.hits(x: 202, y: 4, at: 0))
    #expect(bar.hits(x: 100, y: 18, at: 0) && !bar.hits(x: 100, y: 19, at: 0))
    #expect(!bar.hits(x: -0.1, y: 4, at: 0))
  }

  @Test(arguments: [(BarLayout.Precision.fine, 24.0), (.coarse, 44)])
  func `The hit area has a minimum size, which does not change the drawing`(
    precision: BarLayout.Precision, least: Double
  ) {
    var bar = bar()
    bar.layout.margins = BarLayout.Margins(extent: 0)
    var before: [BarShape] = []
    bar.draw(at: 1, into: &before)
    bar.layout.precision = precision
    #expect(bar.layout.hitArea.height == least && bar.layout.hitArea.width == 200)
    #expect(bar.layout.hitArea.y + least / 2 == 4, "round the middle of the bar")
    var after: [BarShape] = []
    bar.draw(at: 1, into: &after)
    #expect(before == after)
    bar.layout.width = 3
    #expect(bar.layout.hitArea.width == least)
  }

  @Test func `A small dot and a thin bar are hit as far on one side as on the other`() {
    var bar = bar()
    bar.layout.margins = BarLayout.Margins(extent: 0)
    // The middle of the dot is at 50.
    #expect(bar.hitsDot(x: 38, y: 4, at: 0) && bar.hitsDot(x: 62, y: 4, at: 0))
    #expect(!bar.hitsDot(x: 37.9, y: 4, at: 0) && !bar.hitsDot(x: 62.1, y: 4, at: 0))
    var upright = self.bar(.upwards)
    upright.layout.margins = BarLayout.Margins(extent: 0)
    #expect(upright.hits(x: -8, y: 50, at: 0) && upright.hits(x: 16, y: 50, at: 0))
    #expect(!upright.hits(x: -8.1, y: 50, at: 0) && !upright.hits(x: 16.1, y: 50, at: 0))
  }

  @Test func `The dot is hit where it is shown, not at its target`() {
    var bar = bar()
    bar.layout.margins = BarLayout.Margins(extent: 0)
    bar.changeStyle(at: 0) { $0.dotSize = 60 }
    bar.animate(to: 100, over: 10, at: 0)
    // After five seconds at 62.5: 125 points.
    #expect(bar.hitsDot(x: 125, y: 30, at: 5) && bar.hitsDot(x: 96, y: -20, at: 5))
    #expect(!bar.hitsDot(x: 200, y: 4, at: 5), "the target")
    #expect(!bar.hitsDot(x: 50, y: 4, at: 5), "the beginning")
    #expect(bar.hits(x: 125, y: 30, at: 5) && !bar.hits(x: 50, y: 30, at: 5))
  }

  // MARK: Dragging

  @Test func `A press anywhere in the hit area jumps there, and its end commits once`() {
    var bar = bar()
    let isTaken = bar.pointerDown(x: 150, y: 12, at: 1)
    #expect(isTaken)
    #expect(bar.shown(at: 1) == 75 && bar.isDragging)
    bar.pointerMoved(x: 160, y: 300, at: 2)
    bar.pointerMoved(x: 160, y: 400, at: 2.1)
    bar.pointerUp(x: 160, y: 500, at: 3)
    bar.pointerUp(x: 160, y: 500, at: 3.1)
    let events2 = bar.takeEvents()
    #expect(events2 == [.dragBegan, .dragged(75), .dragged(80), .committed(80)])
    let events3 = bar.takeEvents()
    #expect(events3.isEmpty)
  }

  @Test func `A drag continues outside the bar, up to the ends`() {
    var bar = bar()
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerMoved(x: 5_000, y: -900, at: 2)
    #expect(bar.shown(at: 2) == 100)
    bar.pointerMoved(x: -5_000, y: 4, at: 3)
    #expect(bar.shown(at: 3) == 0)
  }

  @Test func `The dot keeps its offset from the pointer`() {
    var bar = bar()
    _ = bar.pointerDown(x: 54, y: 4, at: 1)
    #expect(bar.shown(at: 1) == 25, "a grip moves nothing")
    bar.pointerMoved(x: 64, y: 4, at: 2)
    #expect(bar.shown(at: 2) == 30)
    bar.pointerUp(x: 54, y: 4, at: 3)
    let events = bar.takeEvents()
    #expect(events.last == .committed(25))
  }

  @Test(arguments: [BarPointer.mouse, .pen, .touch], [0.0, 0.2, 25, 33.3, 99.9, 100])
  func `A click on the dot chooses nothing`(pointer: BarPointer, value: Double) {
    var bar = bar()
    bar.setValue(value, at: 0)
    for (x, step) in [(2 * value, nil), (2 * value - 3, nil), (2 * value + 4, 10.0)] {
      bar.step = step
      _ = bar.pointerDown(x: x, y: 4, pointer: pointer, at: 1)
      bar.pointerMoved(x: x, y: 9, at: 1.1)
      bar.pointerUp(x: x, y: 4, at: 1.2)
      let events = bar.takeEvents()
      #expect(events == [.dragBegan, .dragCancelled], "\(x)")
      #expect(bar.shown(at: 2) == value && !bar.isSeekPending, "\(x)")
    }
  }

  @Test func `A click on the dot, or a drag that is cancelled, keeps the choice before it`() {
    for isCancelled in [true, false] {
      var bar = bar()
      _ = bar.pointerDown(x: 150, y: 4, at: 1)
      bar.pointerUp(x: 150, y: 4, at: 1.1)
      _ = bar.pointerDown(x: 150, y: 4, at: 2)
      bar.report(26, at: 2.1)
      if isCancelled { bar.cancelDrag(at: 2.2) } else { bar.pointerUp(x: 150, y: 4, at: 2.2) }
      #expect(bar.isSeekPending && bar.shown(at: 2.3) == 75)
      let events = bar.takeEvents()
      #expect(events == [.dragBegan, .dragged(75), .committed(75), .dragBegan, .dragCancelled])
    }
  }

  @Test func `A press outside the hit area is ignored`() {
    var bar = bar()
    let isTaken = bar.pointerDown(x: 100, y: 60, at: 1)
    #expect(!isTaken)
    let events2 = bar.takeEvents()
    #expect(!bar.isDragging && events2.isEmpty)
  }

  @Test func `Other buttons, second fingers and hovering pens do not drag`() {
    var bar = bar()
    let isTaken = bar.pointerDown(x: 100, y: 4, isPrimary: false, at: 1)
    #expect(!isTaken)
    bar.pointerMoved(x: 150, y: 4, at: 1.5)
    let events2 = bar.takeEvents()
    #expect(bar.shown(at: 2) == 25 && events2.isEmpty)
    // A second finger means a pinch: the drag is called off.
    _ = bar.pointerDown(x: 60, y: 4, pointer: .touch, at: 2)
    bar.pointerMoved(x: 100, y: 4, at: 2.1)
    #expect(bar.isDragging)
    let isTaken3 = bar.pointerDown(x: 20, y: 4, pointer: .touch, isPrimary: false, at: 2.2)
    #expect(!isTaken3)
    let events4 = bar.takeEvents()
    #expect(!bar.isDragging && events4.last == .dragCancelled)
    #expect(bar.shown(at: 2.3) == 25)
    // A second button during a drag of the mouse is nothing.
    _ = bar.pointerDown(x: 100, y: 4, at: 3)
    let isTaken5 = bar.pointerDown(x: 20, y: 4, isPrimary: false, at: 3.1)
    #expect(!isTaken5)
    let isTaken6 = bar.pointerDown(x: 20, y: 4, at: 3.2)
    #expect(!isTaken6)
    #expect(bar.isDragging && bar.shown(at: 3.3) == 50)
  }

  @Test func `A finger that moves across the bar scrolls the page`() {
    for direction in [BarLayout.Direction.leftToRight, .upwards] {
      var bar = bar(direction)
      let (across, along) =
        direction == .upwards ? ((40.0, 2.0), (2.0, 40.0)) : ((2.0, 40.0), (40.0, 2.0))
      let isTaken = bar.pointerDown(x: 4, y: 4, pointer: .touch, at: 1)
      #expect(isTaken)
      #expect(bar.shown(at: 1) == 25, "nothing yet")
      bar.pointerMoved(x: 4 + across.0, y: 4 + across.1, at: 1.1)
      bar.pointerMoved(x: 4 + along.0, y: 4 + along.1, at: 1.2)
      bar.pointerUp(x: 100, y: 100, at: 1.3)
      let events2 = bar.takeEvents()
      #expect(events2.isEmpty && bar.shown(at: 2) == 25)
      // Along the bar it drags.
      _ = bar.pointerDown(x: 4, y: 4, pointer: .touch, at: 3)
      bar.pointerMoved(x: 4 + along.0, y: 4 + along.1, at: 3.1)
      #expect(bar.isDragging)
    }
  }

  @Test func `A tap of a finger chooses the value there`() {
    var bar = bar()
    _ = bar.pointerDown(x: 120, y: 4, pointer: .touch, at: 1)
    bar.pointerMoved(x: 122, y: 5, at: 1.05)
    bar.pointerUp(x: 122, y: 5, at: 1.1)
    let events = bar.takeEvents()
    #expect(events == [.dragBegan, .dragged(61), .committed(61)])
  }

  @Test func `Escape and a lost pointer cancel a drag`() {
    for byKey in [true, false] {
      var bar = bar()
      _ = bar.pointerDown(x: 150, y: 4, at: 1)
      bar.pointerMoved(x: 180, y: 4, at: 1.5)
      if byKey {
        let isUsed = bar.press(.escape, at: 2)
        #expect(isUsed)
      } else {
        bar.cancelDrag(at: 2)
      }
      #expect(bar.shown(at: 2) == 25 && !bar.isDragging)
      bar.pointerUp(x: 180, y: 4, at: 3)
      let events2 = bar.takeEvents()
      #expect(events2 == [.dragBegan, .dragged(75), .dragged(90), .dragCancelled])
      let isUsed3 = bar.press(.escape, at: 4)
      #expect(!isUsed3, "with nothing to call off the key is the page's")
    }
  }

  @Test func `After a cancelled drag the bar is where the clock is by then`() {
    var bar = bar()
    for index in 0...8 { bar.report(30 + Double(index) / 4, at: Double(index) / 4) }
    _ = bar.pointerDown(x: 150, y: 4, at: 2)
    for index in 9...16 { bar.report(30 + Double(index) / 4, at: Double(index) / 4) }
    #expect(bar.shown(at: 4) == 75, "no report moves the dot")
    bar.cancelDrag(at: 4)
    #expect(abs(bar.shown(at: 4) - 34) < 0.01)
  }

  // MARK: After a drag

  @Test func `The chosen value stays until the source reaches it, and moves on from there`() {
    var bar = bar()
    for index in 0...4 { bar.report(30 + Double(index) / 4, at: Double(index) / 4) }
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerUp(x: 150, y: 4, at: 1.1)
    // The player loads, and still says where it was.
    for index in 5...20 { bar.report(30 + Double(index) / 4, at: Double(index) / 4) }
    #expect(bar.shown(at: 5) == 75 && bar.isSeekPending && bar.reported == 35)
    bar.report(75.1, at: 5.25)
    #expect(!bar.isSeekPending && bar.shown(at: 5.25) == 75)
    for index in 1...20 { bar.report(75.1 + Double(index) / 4, at: 5.25 + Double(index) / 4) }
    #expect(abs(bar.shown(at: 10.25) - 80.1) < 0.02)
  }

  @Test func `A source that never gets there is followed after ten seconds`() {
    var bar = bar()
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerUp(x: 150, y: 4, at: 1)
    bar.report(26, at: 10.9)
    #expect(bar.shown(at: 10.9) == 75)
    bar.report(27, at: 11.1)
    #expect(bar.shown(at: 11.1) == 27)
  }

  @Test func `Without reports the value stays until the program sets another one`() {
    var bar = bar()
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerUp(x: 150, y: 4, at: 1)
    #expect(bar.shown(at: 1e6) == 75 && bar.reported == 75)
    bar.setValue(10, at: 1e6)
    #expect(bar.shown(at: 1e6) == 10)
  }

  @Test func `A new drag, a key and a change of the range replace a pending seek`() {
    var bar = bar()
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerUp(x: 150, y: 4, at: 1)
    let isUsed = bar.press(.right, at: 2)
    #expect(isUsed)
    #expect(bar.shown(at: 2) == 76)
    _ = bar.pointerDown(x: 20, y: 4, at: 3)
    bar.cancelDrag(at: 4)
    #expect(bar.shown(at: 4) == 76)
    bar.setRange(from: 0, to: 50, at: 5)
    #expect(bar.shown(at: 5) == 50)
  }

  // MARK: What cannot be dragged

  @Test func `Disabled, read-only, fixed, empty and narrow bars cannot be dragged`() {
    let changes: [(String, (inout ProgressBar) -> Void)] = [
      ("disabled", { $0.isDisabled = true }),
      ("read-only", { $0.isReadOnly = true }),
      ("fixed", { $0.changeStyle(at: 0) { $0.isDraggable = false } }),
      ("empty", { $0.setRange(from: 0, to: 0, at: 0) }),
      ("narrow", { $0.layout.width = 0 }),
      ("no width", { $0.layout.width = .nan }),
    ]
    for (name, change) in changes {
      var bar = bar()
      change(&bar)
      let isTaken = bar.pointerDown(x: 0, y: 4, at: 1)
      #expect(!isTaken, "\(name)")
      let isTaken2 = bar.pointerDown(x: 0, y: 4, pointer: .touch, at: 1)
      #expect(!isTaken2, "\(name)")
      bar.pointerUp(x: 0, y: 4, at: 2)
      let events3 = bar.takeEvents()
      #expect(events3.isEmpty, "\(name)")
    }
  }

  @Test func `A bar that becomes disabled or fixed during a drag cancels it`() {
    for disables in [true, false] {
      var bar = bar()
      _ = bar.pointerDown(x: 150, y: 4, at: 1)
      _ = bar.takeEvents()
      if disables {
        bar.isDisabled = true
      } else {
        bar.changeStyle(at: 2) { $0.isDraggable = false }
      }
      let events = bar.takeEvents()
      #expect(events == [.dragCancelled] && bar.shown(at: 2) == 25)
    }
  }

  // MARK: Directions and ends

  @Test(arguments: [
    (BarLayout.Direction.leftToRight, 50.0, 4.0, 25.0), (.rightToLeft, 50, 4, 75),
    (.upwards, 4, 50, 75), (.upwards, 4, 200, 0), (.rightToLeft, 0.5, 4, 100),
    (.leftToRight, 199.2, 4, 100), (.leftToRight, 0.9, 4, 0),
  ])
  func `A point is a value in every direction, up to the ends`(
    direction: BarLayout.Direction, x: Double, y: Double, value: Double
  ) {
    var bar = bar(direction)
    bar.setValue(60, at: 0)
    let isTaken = bar.pointerDown(x: x, y: y, at: 1)
    #expect(isTaken)
    #expect(bar.shown(at: 1) == value)
  }

  @Test func `A pointer at an invalid point moves nothing`() {
    var bar = bar()
    let isTaken = bar.pointerDown(x: .nan, y: 4, at: 1)
    #expect(!isTaken)
    _ = bar.pointerDown(x: 150, y: 4, at: 1)
    bar.pointerMoved(x: .infinity, y: .nan, at: 2)
    bar.pointerUp(x: .nan, y: .nan, at: 3)
    let events2 = bar.takeEvents()
    #expect(events2 == [.dragBegan, .dragged(75), .committed(75)])
  }

  // MARK: How the dot stands out

  @Test func `The dot grows under a pointer, more during a drag, and shrinks gradually`() {
    var bar = bar()
    #expect(bar.dotSize(at: 0) == 12)
    bar.pointerMoved(x: 100, y: 4, at: 1)
    #expect(bar.dotSize(at: 1) == 12)
    #expect(abs(bar.dotSize(at: 1.06) - 14) < 1e-9 && bar.dotSize(at: 1.12) == 16)
    #expect(bar.activity(at: 1.06) == .changing && bar.activity(at: 1.13) == .still)
    _ = bar.pointerDown(x: 100, y: 4, at: 2)
    #expect(bar.dotSize(at: 2.12) == 20)
    bar.pointerUp(x: 100, y: 900, at: 3)
    #expect(bar.dotSize(at: 4) == 12)
    bar.pointerMoved(x: 100, y: 4, at: 5)
    bar.pointerLeft(at: 6)
    #expect(bar.dotSize(at: 7) == 12)
    bar.setFocus(true, at: 8)
    #expect(bar.dotSize(at: 9) == 16)
  }

  @Test func `A dot that is dragged keeps its size when the bar gets or loses the focus`() {
    var bar = bar()
    _ = bar.pointerDown(x: 100, y: 4, at: 1)
    #expect(bar.dotSize(at: 2) == 20)
    bar.setFocus(true, at: 2)
    #expect(bar.dotSize(at: 3) == 20)
    bar.setFocus(false, at: 3)
    #expect(bar.dotSize(at: 4) == 20)
  }
}
