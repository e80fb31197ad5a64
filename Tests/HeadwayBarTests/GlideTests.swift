import HeadwayBar
import Testing

/// Following a clock: promises 1, 2, 4 and 5 of `WhatThisBarPromises`.
struct GlideTests {
  /// A player of two hours whose unit is a second.
  private func player() -> ProgressBar {
    var bar = ProgressBar(range: 0...7_200, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 800, height: 24)
    return bar
  }

  private struct Line {
    /// The value at `start`.
    var value: Double
    var time = 0.0
    /// Units per second.
    var rate = 1.0

    func value(at now: Double) -> Double { value + rate * (now - time) }
  }

  /// Reports every 250 ms, with the given delays in rotation.
  private func play(
    _ bar: inout ProgressBar, from start: Double, until end: Double, delays: [Double] = [0],
    _ position: Line, each frame: (Double, ProgressBar) -> Void = { _, _ in }
  ) {
    var number = 0
    var due = start
    var time = start
    while time < end {
      while due + delays[number % delays.count] <= time {
        bar.report(position.value(at: due), at: due + delays[number % delays.count])
        number += 1
        due += 0.25
      }
      bar.advance(to: time)
      frame(time, bar)
      time += 1.0 / 60
    }
  }

  @Test func `Between reports the value grows in every frame, at most a tenth faster or slower`() {
    var bar = player()
    var last: (time: Double, value: Double)?
    play(&bar, from: 0, until: 30, delays: [0, 0.03, 0.01, 0.04, 0.02], Line(value: 100)) {
      let shown = $1.shown(at: $0)
      if let last {
        let speed = (shown - last.value) / ($0 - last.time)
        #expect(speed > 0.9 - 1e-6 && speed < 1.1 + 1e-6, "at \($0) s")
      }
      last = ($0, shown)
    }
  }

  @Test func `Late, repeated and disordered reports never make it step back`() {
    for seed in 0..<20 {
      var bar = player()
      var random = MersenneTwister(seed: UInt32(seed))
      var reports: [(at: Double, value: Double)] = []
      for index in 0..<400 {
        let made = Double(index) * 0.25 + random.uniform(-0.02, 0.02)
        let report = (at: made + random.uniform(0, 0.3), value: 50 + made)
        reports.append(report)
        if index % 7 == 0 { reports.append((report.at + 0.01, report.value)) }
      }
      reports.sort { $0.at < $1.at }
      var (last, index, time) = (0.0, 0, 0.5)
      while time < 100 {
        while index < reports.count, reports[index].at <= time {
          bar.report(reports[index].value, at: reports[index].at)
          index += 1
        }
        let shown = bar.shown(at: time)
        #expect(shown >= last, "at \(time) s")
        #expect(abs(shown - 50 - time) < (time < 5 ? 0.5 : 0.2), "the least delay is found")
        last = shown
        time += 1.0 / 60
      }
    }
  }

  @Test func `A report whose source time is not after the last one changes nothing`() {
    var bar = player()
    for index in 0..<8 {
      let time = Double(index) * 0.25
      bar.report(time + 0.25, expectedIn: 0.25, sourceTime: time, at: time)
    }
    let before = (bar.motion, bar.reported)
    bar.report(1.75, expectedIn: 0.25, sourceTime: 1.5, at: 1.8)
    bar.report(2, expectedIn: 0.25, sourceTime: 1.75, at: 1.8)
    #expect(bar.motion == before.0 && bar.reported == before.1)
  }

  @Test func `Values that are expected in a quarter of a second are reached then`() {
    var bar = player()
    for index in 0..<40 {
      let time = Double(index) * 0.25
      bar.report(time + 0.25, expectedIn: 0.25, sourceTime: time, at: time + 0.01)
    }
    // Ten milliseconds late each: the line runs through the least delayed.
    #expect(abs(bar.shown(at: 10) - 10) < 0.02)
  }

  @Test(arguments: [0.51, 3, 600, -0.51, -3, -600] as [Double])
  func `More than half a second is a seek, whatever the length of the range`(step: Double) {
    for total in [10.0, 7_200] {
      var bar = ProgressBar(range: -1_000...total + 1_000, unitsPerSecond: 1)
      play(&bar, from: 0, until: 3, Line(value: 0))
      let now = 3.01
      let before = bar.shown(at: now)
      bar.report(before + step, at: now)
      #expect(abs(bar.shown(at: now) - before - step) < 1e-9)
      #expect(bar.speed(at: now) == 1, "and it goes on")
    }
  }

  @Test(arguments: [0.1, 0.3, 0.45])
  func `A smaller step back is corrected slowly, without a stop or a jump`(step: Double) {
    var bar = player()
    play(&bar, from: 0, until: 5, Line(value: 10))
    var last = bar.shown(at: 5)
    play(&bar, from: 5, until: 13, Line(value: 10 - step)) {
      let shown = $1.shown(at: $0)
      #expect($0 == 5 || shown > last, "it moves on in every frame")
      last = shown
    }
    #expect(abs(bar.shown(at: 13) - (23 - step)) < 0.02, "and is right after some seconds")
  }

  @Test func `Four reports that agree on a small step back are followed at once`() {
    var bar = player()
    play(&bar, from: 0, until: 5, Line(value: 10))
    // The line of sixteen reports would hold on to the old place for four seconds.
    play(&bar, from: 5, until: 6.6, Line(value: 9.6))
    #expect(bar.speed(at: 6.6) < 0.95, "it slows down after a second and not after four")
  }

  @Test func `A source that plays backwards is followed by the report with the least delay`() {
    var bar = player()
    bar.setPlaybackRate(-1, at: 0)
    play(&bar, from: 0, until: 10, delays: [0, 0.2, 0.1], Line(value: 100, rate: -1))
    // Late reports say a value that is too high; the least delayed is right.
    #expect(abs(bar.shown(at: 10) - 90) < 0.03)
  }

  @Test func `Three intervals without a report stop the bar within one more`() {
    var bar = player()
    play(&bar, from: 0, until: 5, Line(value: 10))
    let last = 4.75
    #expect(abs(bar.speed(at: last + 0.74) - 1) < 0.1)
    let braking = bar.speed(at: last + 0.875)
    #expect(braking > 0.3 && braking < 0.7)
    #expect(bar.speed(at: last + 1.01) == 0)
    let rest = bar.shown(at: last + 1.01)
    #expect(bar.shown(at: 500) == rest)
    #expect(bar.activity(at: 500) == .still)
    // It wakes where it stands, and goes on slowly until the source is there.
    bar.report(15, at: 500)
    #expect(bar.shown(at: 500) == rest)
    var shown = rest
    for frame in 1...240 {
      let time = 500 + Double(frame) / 60
      if frame % 15 == 0 { bar.report(15 + time - 500, at: time) }
      #expect(bar.shown(at: time) >= shown)
      shown = bar.shown(at: time)
    }
  }

  @Test func `After one late report the bar stops as soon as ever if no other one follows`() {
    var bar = player()
    play(&bar, from: 0, until: 2.1, Line(value: 0))
    bar.report(6, at: 6)
    #expect(bar.speed(at: 6.7) == 1)
    #expect(bar.speed(at: 7.01) == 0)
    #expect(bar.shown(at: 60) < 7)
  }

  @Test(arguments: [1.0, -1])
  func `A bar that is ahead of its source after a stall waits for it, also backwards`(
    rate: Double
  ) {
    var bar = player()
    bar.setPlaybackRate(rate, at: 0)
    // A source that reports once a second.
    for second in 0...8 { bar.report(100 + rate * Double(second), at: Double(second)) }
    let rest = bar.shown(at: 13)
    #expect((rest - 100) * rate > 11)
    // It hung, and has not come as far as the bar.
    bar.report(100 + rate * 9.5, at: 13)
    #expect(bar.shown(at: 13) == rest && bar.shown(at: 13.5) == rest)
    #expect(abs(bar.shown(at: 15.5) - (100 + rate * 12)) < 0.05)
  }

  @Test func `A reported stall stops the bar within one interval`() {
    var bar = player()
    play(&bar, from: 0, until: 2, Line(value: 0))
    let before = bar.shown(at: 2)
    bar.stall(at: 2)
    #expect(abs(bar.shown(at: 2) - before) < 1e-12)
    #expect(bar.speed(at: 2.3) == 0)
    #expect(bar.shown(at: 9) - before < 0.25)
  }

  @Test func `The bar never passes the end`() {
    var bar = ProgressBar(range: 0...10, unitsPerSecond: 1)
    play(&bar, from: 0, until: 9.9, Line(value: 0))
    #expect(bar.shown(at: 10.3) == 10)
    #expect(bar.activity(at: 10.3) == .still)
  }

  @Test(arguments: [0.25, 0.5, 1.5, 2, 4, -1, -4])
  func `A change of the playback rate keeps the position and changes the speed`(rate: Double) {
    var bar = player()
    play(&bar, from: 0, until: 3, Line(value: 1_000))
    let before = bar.shown(at: 3.1)
    bar.setPlaybackRate(rate, at: 3.1)
    #expect(bar.shown(at: 3.1) == before)
    #expect(abs(bar.speed(at: 3.1) - rate) < 1e-9)
    var last = before
    let start = before
    play(&bar, from: 3.1, until: 8, Line(value: start, time: 3.1, rate: rate)) {
      let shown = $1.shown(at: $0)
      let speed = (shown - last) * 60
      #expect($0 == 3.1 || abs(speed / rate - 1) < 0.1 + 1e-6)
      last = shown
    }
    #expect(abs(bar.shown(at: 8) - start - rate * 4.9) < 0.02 * abs(rate))
  }

  @Test func `At a playback rate of zero the bar stands still, and another rate continues`() {
    var bar = player()
    play(&bar, from: 0, until: 3, Line(value: 0))
    let before = bar.shown(at: 3)
    bar.setPlaybackRate(0, at: 3)
    #expect(bar.shown(at: 60) == before)
    bar.setPlaybackRate(1, at: 60)
    bar.report(before, at: 60)
    bar.report(before + 0.25, at: 60.25)
    #expect(abs(bar.shown(at: 60.35) - before - 0.35) < 0.03)
  }

  @Test func `The speed of the source is learned if it is not given`() {
    var bar = ProgressBar(range: 0...1)
    // A video of 100 s as a fraction.
    play(&bar, from: 0, until: 5, Line(value: 0.2, rate: 0.01))
    #expect(abs(bar.speed(at: 5) - 0.01) < 0.0005)
    #expect(abs(bar.fraction(at: 5) - 0.25) < 0.0005)
    let before = bar.shown(at: 5)
    bar.report(0.6, at: 5)
    #expect(bar.shown(at: 5) == 0.6 && before < 0.3, "a seek")
    #expect(abs(bar.speed(at: 5) - 0.01) < 0.0005, "at the speed that was learned")
  }

  @Test func `Displays of 30, 60 and 120 Hz show the same`() {
    let rates = [30.0, 60, 120, 144]
    var bars = rates.map { _ in player() }
    for report in 0..<40 {
      let time = Double(report) * 0.25
      for (index, rate) in rates.enumerated() {
        bars[index].report(time * 1.01, at: time)
        var frame = time
        while frame < time + 0.25 {
          bars[index].advance(to: frame)
          _ = bars[index].shown(at: frame)
          frame += 1 / rate
        }
      }
    }
    for bar in bars { #expect(bar.shown(at: 9.9) == bars[0].shown(at: 9.9)) }
  }

  @Test func `A surface that draws only phases shows the same as one that draws frames`() {
    var bar = player()
    play(&bar, from: 0, until: 4, delays: [0, 0.04], Line(value: 0)) { time, bar in
      guard case .gliding(let phase) = bar.activity(at: time) else { return }
      let end = min(phase.endTime, time + 10)
      for part in [0.0, 0.3, 0.7] {
        let moment = time + (end - time) * part
        guard moment < phase.endTime else { continue }
        let way = (moment - phase.startTime) / (phase.endTime - phase.startTime)
        let eased = phase.isBraking ? 1 - (1 - way) * (1 - way) : way
        let drawn = phase.from + (phase.to - phase.from) * eased
        #expect(abs(drawn - bar.shown(at: moment)) < 1e-9)
      }
    }
  }

  @Test
  func `A source that falls silent near its end decelerates to rest there`() {
    let begins = [10, 86_400.1, 1e7 / 3]
    for number in 0..<15 {
      let last = [7_199.0, 7_199.2, 7_199.3, 7_199.5, 7_199.9][number / 3]
      let begin = begins[number % 3]
      var bar = player()
      bar.report(last, at: begin)
      var time = begin
      var phases = 0
      while case .gliding(let phase) = bar.activity(at: time), phases < 5 {
        #expect(phase.endTime > phase.startTime + 1e-9, "\(last)")
        let middle = (phase.startTime + phase.endTime) / 2
        let part = phase.isBraking ? 0.75 : 0.5
        let drawn = phase.from + (phase.to - phase.from) * part
        #expect(abs(drawn - bar.shown(at: middle)) < 1e-8, "\(last)")
        phases += 1
        time = phase.endTime
      }
      #expect(phases <= 2 && time < begin + 4 * 0.25 + 1e-8, "\(last)")
      #expect(abs(bar.shown(at: time) - min(last + 0.75 + 0.125, 7_200)) < 1e-8, "\(last)")
    }
  }
}
