import HeadwayBar
import Testing

/// What the bar shows between a choice and the moment at which the player is there, or near there.
struct SeekTests {
  /// A player of 240 seconds at 100 that has reported each quarter of a second up to two seconds.
  private func playing(rate: Double = 1, units: Double? = 1) -> ProgressBar {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: units)
    if rate != 1 { bar.setPlaybackRate(rate, at: 0) }
    for quarter in 0...8 {
      bar.report(100 + rate * Double(quarter) / 4, at: Double(quarter) / 4)
    }
    return bar
  }

  // MARK: Beside the choice

  @Test(arguments: [1.0, 2, 0.5, -1], [-30.0, -4, 4, 9.5])
  func `A player that goes on at a key frame is followed from its second report on`(
    rate: Double, distance: Double
  ) {
    for units: Double? in [1, nil] {
      var bar = playing(rate: rate, units: units)
      let isChosen = bar.choose(200, at: 2)
      bar.report(100 + rate * 2.25, at: 2.25)
      let landing = 200 + distance
      bar.report(landing, at: 2.6)
      #expect(isChosen && bar.isSeekPending && bar.shown(at: 2.6) == 200)
      bar.report(landing + rate / 4, at: 2.85)
      #expect(!bar.isSeekPending && bar.shown(at: 2.85) == landing + rate / 4)
      #expect(abs(bar.shown(at: 3) - landing - rate * 0.4) < 1e-9)
      #expect(abs(bar.speed(at: 3) - rate) < 1e-9)
    }
  }

  @Test func `A player that announces where it will be is there at that time`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    for quarter in 0...8 {
      let place = 196 + Double(quarter) / 4
      bar.report(
        place + 0.25, expectedIn: 0.25, sourceTime: place, at: 2.5 + Double(quarter) / 4)
    }
    #expect(!bar.isSeekPending && abs(bar.shown(at: 4.5) - 198) < 0.01)
  }

  @Test(arguments: [1.0, 2, 0.5, -1])
  func `Reports of the old place do not move the choice, however they come in`(rate: Double) {
    for units: Double? in [1, nil] {
      var bar = playing(rate: rate, units: units)
      _ = bar.choose(200, at: 2)
      for step in 1...30 {
        let time = 2 + Double(step) / 4
        // One in three is late, and one in five comes twice.
        let old = 100 + rate * (step.isMultiple(of: 3) ? time - 0.4 : time)
        for _ in 0..<(step.isMultiple(of: 5) ? 2 : 1) { bar.report(old, at: time) }
        #expect(bar.isSeekPending && bar.shown(at: time) == 200, "\(time)")
      }
      bar.report(200, at: 9.7)
      #expect(!bar.isSeekPending)
    }
  }

  @Test func `A player that hung before the choice and plays on there is at its old place`() {
    var bar = playing()
    // The bar has moved on alone, and stands nearly a second ahead.
    #expect(bar.shown(at: 4.5) > 102.6 && bar.speed(at: 4.5) == 0)
    _ = bar.choose(200, at: 4.5)
    for quarter in 1...20 {
      bar.report(102 + Double(quarter) / 4, at: 4.5 + Double(quarter) / 4)
      #expect(bar.isSeekPending)
    }
  }

  @Test func `A player that repeats itself is not where it goes on`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    for quarter in 1...8 { bar.report(102, at: 2 + Double(quarter) / 4) }
    #expect(bar.shown(at: 4) == 200)
    // At the key frame it waits for data.
    for quarter in 1...8 { bar.report(196, at: 4 + Double(quarter) / 4) }
    #expect(bar.isSeekPending && bar.shown(at: 6) == 200)
    bar.report(196.2, at: 6.25)
    #expect(!bar.isSeekPending && bar.shown(at: 6.25) == 196.2)
  }

  @Test func `Single reports that are far from each other are no place to go on from`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    for (step, value) in [150.0, 20, 230, 90, 160].enumerated() {
      bar.report(value, at: 2.25 + Double(step) / 4)
      #expect(bar.isSeekPending && bar.shown(at: 4) == 200)
    }
  }

  @Test func `In a pause, a player beside the choice is there at its second report`() {
    var bar = playing()
    bar.pause(at: 2)
    _ = bar.choose(200, at: 3)
    for time in [3.25, 3.5, 3.75] { bar.report(102, at: time) }
    #expect(bar.shown(at: 3.75) == 200)
    bar.report(204, at: 4)
    #expect(bar.isSeekPending && bar.shown(at: 4) == 200)
    bar.report(204, at: 4.25)
    #expect(!bar.isSeekPending && bar.shown(at: 5) == 204 && bar.speed(at: 5) == 0)
    bar.resume(at: 6)
    for quarter in 1...4 { bar.report(204 + Double(quarter) / 4, at: 6 + Double(quarter) / 4) }
    #expect(abs(bar.shown(at: 7) - 205) < 0.01)
  }

  @Test func `With reduced motion the place is shown as it is reported`() {
    var bar = playing()
    bar.reducesMotion = true
    _ = bar.choose(200, at: 2)
    bar.report(204, at: 2.5)
    bar.report(204.25, at: 2.75)
    #expect(bar.shown(at: 2.75) == 204.25 && bar.speed(at: 2.8) == 0)
  }

  // MARK: Several choices

  @Test func `Of several choices, the places of the earlier ones are old ones`() {
    var bar = playing()
    _ = bar.choose(40, at: 2)
    bar.report(102.25, at: 2.25)
    bar.report(36, at: 2.5)
    // Under way to the first choice, it is sent to the second one.
    _ = bar.choose(200, at: 2.6)
    for quarter in 1...4 {
      bar.report(36 + Double(quarter) / 4, at: 2.5 + Double(quarter) / 4)
      #expect(bar.isSeekPending && bar.shown(at: 3.5) == 200)
    }
    bar.report(204, at: 3.75)
    bar.report(204.25, at: 4)
    #expect(!bar.isSeekPending && bar.shown(at: 4) == 204.25)
  }

  @Test func `Of two choices without a report in between, the first is no place of the player`() {
    var bar = playing()
    _ = bar.choose(40, at: 2)
    _ = bar.choose(200, at: 2.1)
    for quarter in 1...8 {
      bar.report(102 + Double(quarter) / 4, at: 2 + Double(quarter) / 4)
      #expect(bar.isSeekPending && bar.shown(at: 4) == 200)
    }
  }

  @Test func `Keys in quick succession lead to the last choice`() {
    var bar = playing()
    for step in 0..<5 {
      let isUsed = bar.press(.right, at: 2 + Double(step) / 10)
      bar.report(102.05 + Double(step) / 10, at: 2.05 + Double(step) / 10)
      #expect(isUsed && bar.isSeekPending)
    }
    let chosen = bar.shown(at: 2.5)
    #expect(chosen > 112)
    bar.report(chosen + 0.7, at: 2.75)
    bar.report(chosen + 0.95, at: 3)
    #expect(!bar.isSeekPending && abs(bar.shown(at: 3) - chosen - 0.95) < 1e-9)
  }

  // MARK: Unknown speed

  @Test func `How far a player of unknown speed has moved on from its old place is unknown, too`() {
    var bar = ProgressBar(range: 0...240)
    bar.report(10, at: 0)
    _ = bar.choose(100, at: 0.05)
    for tenth in 1...50 {
      bar.report(10 + Double(tenth) / 10, at: Double(tenth) / 10)
      #expect(bar.isSeekPending && bar.shown(at: 5) == 100)
    }
  }

  // MARK: Waiting

  @Test func `A player that waits and repeats its old place is still on its way`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    bar.stall(at: 2)
    for quarter in 1...240 {
      bar.report(102, at: 2 + Double(quarter) / 4)
      #expect(bar.shown(at: 2 + Double(quarter) / 4) == 200, "\(quarter)")
    }
    bar.report(200.2, at: 62.5)
    #expect(!bar.isSeekPending && bar.shown(at: 62.5) == 200)
  }

  @Test func `A player that waited and plays on at its old place is followed after ten seconds`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    bar.stall(at: 2)
    for second in 1...9 { bar.report(102 + Double(second), at: 2 + Double(second)) }
    #expect(bar.shown(at: 11) == 200)
    bar.report(111, at: 12.5)
    #expect(bar.isSeekPending && bar.shown(at: 12.5) == 200)
    bar.report(112, at: 13)
    #expect(!bar.isSeekPending && bar.shown(at: 13) == 112)
  }

  @Test func `A player that waits also waits for the next choice, but not for one after that`() {
    var bar = playing()
    _ = bar.choose(200, at: 2)
    bar.stall(at: 2)
    _ = bar.choose(180, at: 3)
    for second in 1...20 { bar.report(102, at: 3 + Double(second)) }
    #expect(bar.shown(at: 23) == 180)
    bar.report(180, at: 24)
    bar.report(180.25, at: 24.25)
    _ = bar.choose(20, at: 25)
    for second in 1...20 { bar.report(180.5, at: 25 + Double(second)) }
    #expect(bar.shown(at: 45) == 180.5)
  }

  // MARK: Short sounds

  @Test(arguments: [0.1, 0.3, 0.4, 0.5, 0.6, 2])
  func `A sound that is played again begins again`(length: Double) {
    for isTold in [true, false] {
      var bar = ProgressBar(range: 0...length, unitsPerSecond: 1)
      for round in 0..<3 {
        let start = Double(round) * 3
        if isTold, round > 0 { bar.resume(at: start) }
        for step in 0...4 {
          let position = Double(step) * length / 4
          bar.report(position, at: start + position)
          #expect(abs(bar.shown(at: start + position) - position) < 0.001, "\(round), \(step)")
        }
        if isTold { bar.pause(at: start + length) }
      }
    }
  }

  @Test(arguments: [0.3, 0.45, 0.6], [0.04, 0.1])
  func `A short loop is shown where it is`(length: Double, period: Double) {
    var bar = ProgressBar(range: 0...length, unitsPerSecond: 1)
    var error = 0.0
    for step in 0..<200 {
      let time = Double(step) * period
      let position = time.truncatingRemainder(dividingBy: length)
      bar.report(position, at: time)
      error += abs(bar.shown(at: time) - position)
    }
    #expect(error / 200 < length / 50)
  }

  @Test func `In a short sound late reports are no seeks`() {
    var bar = ProgressBar(range: 0...0.4, unitsPerSecond: 1)
    var last = 0.0
    for step in 0...10 {
      let time = Double(step) * 0.04
      bar.report(step.isMultiple(of: 2) ? time : time - 0.035, at: time)
      let shown = bar.shown(at: time)
      #expect(shown >= last && shown <= time + 1e-9, "\(step)")
      last = shown
    }
    #expect(last > 0.38)
  }
}
