import HeadwayBar
import Testing

/// Timelines, first with the numbers of the published article.
struct TimelineTests {
  @Test func `Speeds multiply: eight seconds at two times two take two`() {
    let lines = NestedTimelines([
      Timeline(duration: .infinity, speed: 2), Timeline(duration: 8, speed: 2),
    ])
    #expect(lines.speed == 4)
    #expect(lines.convert(2, from: 0, to: 2) == 8)
    #expect(lines.convert(8, from: 2, to: 0) == 2)
    #expect(lines.basicTime(at: 1.999)! < 8)
    #expect(lines.basicTime(at: 2) == nil, "it is over after two seconds")
  }

  @Test func `An offset of 2 and one of 7 in a run of 5 are the same`() {
    for offset in [2.0, 7, -3] {
      var line = Timeline(duration: 5)
      line.timeOffset = offset
      // From 2 to 5, and then from 0 to 2.
      #expect(line.basicTime(at: 0) == 2)
      #expect(line.basicTime(at: 2.5) == 4.5)
      #expect(line.basicTime(at: 3) == 0)
      #expect(line.basicTime(at: 4.5) == 1.5)
      #expect(line.basicTime(at: 5) == nil)
    }
  }

  @Test func `A begin time of two seconds is a delay of two seconds`() {
    let now = 1_000.0
    let line = Timeline(beginTime: now + 2, duration: 5)
    #expect(line.basicTime(at: now + 1) == nil)
    #expect(line.basicTime(at: now + 2) == 0)
    #expect(line.basicTime(at: now + 4) == 2)
    #expect(line.endTime == now + 7)
  }

  @Test func `At speed 2 the first second takes half a second`() {
    let line = Timeline(duration: 10, speed: 2)
    #expect(line.localTime(at: 0.5) == 1)
    #expect(line.parentTime(at: 1) == 0.5)
    #expect(line.endTime == 5)
  }

  @Test func `A timeline that is paused at 2.01 s continues from there`() {
    var line = Timeline()
    line.pause(at: 2.01)
    #expect(line.speed == 0 && line.timeOffset == 2.01)
    #expect(line.localTime(at: 1_000) == 2.01)
    #expect(line.parentTime(at: 2.01) == nil, "it has that time for ever")
    line.resume(at: 100)
    #expect(line.speed == 1 && line.timeOffset == 0)
    #expect(abs(line.localTime(at: 100.25) - 2.26) < 1e-9)
  }

  @Test func `A pause keeps the rest of a run with an offset`() {
    var line = Timeline(duration: 5)
    line.timeOffset = 2
    line.pause(at: 1)
    #expect(line.speed == 0 && line.timeOffset == 3 && line.basicTime(at: 50) == 3)
    line.resume(at: 100)
    #expect(line.timeOffset == 2 && line.basicTime(at: 100) == 3)
    #expect(line.basicTime(at: 103.5) == 1.5, "round to where it began")
    #expect(line.basicTime(at: 104) == nil && line.endTime == 104, "four seconds were left")
    line.setSpeed(2, at: 101)
    #expect(line.basicTime(at: 101) == 4 && line.endTime == 102.5)
  }

  @Test func `A backwards run continues backwards after a pause`() {
    var line = Timeline(duration: 5, speed: -1)
    #expect(line.basicTime(at: 2) == 3)
    line.pause(at: 2)
    #expect(line.basicTime(at: 70) == 3)
    line.resume(at: 100, speed: -1)
    #expect(line.basicTime(at: 101) == 2)
    #expect(line.basicTime(at: 104) == nil)
    line.pause(at: 101)
    line.resume(at: 200)
    line.beginTime = 200
    #expect(line.basicTime(at: 201) == 1, "forwards again")
  }

  @Test func `An offset applies within one run, reversed or not`() {
    for offset in [2.0, 7, -3] {
      var line = Timeline(duration: 5)
      (line.timeOffset, line.autoreverses) = (offset, true)
      #expect(line.basicTime(at: 1) == 3)
      #expect(line.basicTime(at: 4) == 4, "on the way back")
    }
  }

  @Test func `A timeline inside a repeated run repeats with it`() {
    var outer = Timeline(duration: 3)
    outer.repeatCount = 2
    var inner = Timeline(beginTime: 1, duration: 1)
    var lines = NestedTimelines([outer, inner])
    #expect([0.5, 1.25, 2.5].map { lines.basicTime(at: $0) } == [nil, 0.25, nil])
    #expect(lines.basicTime(at: 4.25) == 0.25, "in the second run")
    #expect(lines.basicTime(at: 7) == nil)
    inner.fillMode = .both
    lines.timelines[1] = inner
    #expect([0.5, 2.5, 3.5].map { lines.basicTime(at: $0) } == [0, 1, 0])
    #expect(lines.basicTime(at: 7) == nil, "the outer one fills nothing")
  }

  @Test func `An endless timeline that runs backwards has no beginning`() {
    var layer = Timeline()
    layer.setSpeed(-1, at: 10)
    #expect(layer.localTime(at: 12) == 8 && layer.basicTime(at: 12) == 8)
    layer.pause(at: 13)
    #expect(layer.basicTime(at: 60) == 7)
    var late = Timeline(beginTime: 20, duration: 5)
    late.pause(at: 10)
    #expect(late.basicTime(at: 60) == nil, "paused before it has begun")
  }

  @Test func `A second pause, and a resume while it runs, change nothing`() {
    var line = Timeline()
    line.resume(at: 5)
    #expect(line == Timeline())
    line.pause(at: 5)
    line.pause(at: 9)
    #expect(line.localTime(at: 20) == 5)
  }

  @Test(arguments: [0.25, 0.5, 2, 4, -1, -2, 0])
  func `A change of speed keeps the time`(speed: Double) {
    var line = Timeline(beginTime: 3, duration: .infinity, speed: 1.5)
    let before = line.localTime(at: 10)
    line.setSpeed(speed, at: 10)
    #expect(abs(line.localTime(at: 10) - before) < 1e-12)
    #expect(abs(line.localTime(at: 11) - before - speed) < 1e-12)
  }

  @Test(
    arguments: [
      (.removed, nil, nil), (.forwards, nil, 4), (.backwards, 0, nil), (.both, 0, 4),
    ] as [(Timeline.FillMode, Double?, Double?)])
  func `The fill mode gives times outside of the run`(
    mode: Timeline.FillMode, before: Double?, after: Double?
  ) {
    var line = Timeline(beginTime: 10, duration: 4)
    line.fillMode = mode
    #expect(line.basicTime(at: 9) == before)
    #expect(line.basicTime(at: 12) == 2)
    #expect(line.basicTime(at: 15) == after)
  }

  @Test func `Runs are repeated and reversed`() {
    var line = Timeline(duration: 2)
    line.autoreverses = true
    line.repeatCount = 1.5
    #expect(line.activeDuration == 6)
    let times = [0.0, 1, 2, 3, 3.5, 4, 5, 5.5].map { line.basicTime(at: $0) }
    #expect(times == [0, 1, 2, 1, 0.5, 0, 1, 1.5])
    #expect(line.basicTime(at: 6) == nil)
    line.fillMode = .forwards
    #expect(line.basicTime(at: 60) == 2, "the last moment of the half repeat")
    line.repeatDuration = 5
    #expect(line.activeDuration == 5, "the duration wins over the count")
    #expect(line.basicTime(at: 60) == 1)
    line.repeatDuration = 0
    line.repeatCount = .infinity
    #expect(line.endTime == .infinity)
    #expect(line.basicTime(at: 4_001) == 1)
  }

  @Test func `A negative speed runs from the end to the beginning`() {
    var line = Timeline(duration: 4, speed: -2)
    #expect(line.basicTime(at: 0) == 4)
    #expect(line.basicTime(at: 0.5) == 3)
    #expect(line.basicTime(at: 1.5) == 1)
    #expect(line.basicTime(at: 2) == nil)
    line.fillMode = .both
    #expect(line.basicTime(at: 9) == 0)
    #expect(line.endTime == 2)
    line.duration = .infinity
    #expect(line.localTime(at: 3) == -6)
  }

  @Test func `A time converts from any level to any other and back`() {
    var slow = Timeline(beginTime: 5, duration: .infinity, speed: 0.5)
    slow.timeOffset = 1
    let lines = NestedTimelines([
      slow, Timeline(beginTime: 2, duration: .infinity, speed: 3), Timeline(duration: 9),
    ])
    for from in 0...3 {
      for to in 0...3 {
        let there = lines.convert(7.5, from: from, to: to)
        let back = there.flatMap { lines.convert($0, from: to, to: from) }
        #expect(abs(back! - 7.5) < 1e-9)
      }
    }
    #expect(lines.convert(7, from: 0, to: 1) == 2)
    #expect(lines.convert(7, from: 0, to: 2) == 0)
    #expect(lines.convert(1, from: 0, to: 4) == nil && lines.convert(1, from: -1, to: 0) == nil)
    #expect(NestedTimelines([]).basicTime(at: 3) == 3)
  }

  @Test func `A paused timeline converts to no time outside`() {
    var paused = Timeline()
    paused.pause(at: 4)
    let lines = NestedTimelines([paused, Timeline(duration: 2)])
    #expect(lines.convert(1, from: 2, to: 0) == nil)
    #expect(lines.convert(77, from: 0, to: 1) == 4)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1e300])
  func `No number traps`(odd: Double) {
    var line = Timeline(beginTime: odd, duration: odd, speed: odd)
    (line.timeOffset, line.repeatCount, line.repeatDuration) = (odd, odd, odd)
    for mode in [Timeline.FillMode.removed, .both] {
      line.fillMode = mode
      for reverses in [false, true] {
        line.autoreverses = reverses
        for time in [0, 3.5, -2, odd] {
          #expect(line.basicTime(at: time)?.isNaN != true)
          #expect(!line.localTime(at: time).isNaN)
        }
      }
    }
    line.pause(at: odd)
    line.resume(at: odd)
    line.setSpeed(odd, at: odd)
    #expect(!line.localTime(at: 1).isNaN)
  }
}
