import HeadwayBar
import Testing

/// The bar between rare reports, in the scenarios of the benchmark.
struct GlideScenarioTests {
  @Test func `The glide has the promised quality`() {
    let score = GlideScore(OurGlide.self)
    #expect(score.jitter <= 0.05)
    #expect(abs(score.meanLag) <= 0.025)
    #expect(score.mostLag <= 0.055)
    #expect(score.stepBack == 0)
    // What is left is rounding: nanoseconds.
    #expect(score.moveInPause < 1e-9)
    #expect(score.jumpAtPause < 1e-9)
    #expect(score.jumpAtResume < 1e-9)
    #expect(score.speedJumpAtResume < 1e-9)
  }

  @Test func `The shown speed stays within a tenth of the normal speed`() {
    let score = GlideScore(OurGlide.self)
    #expect(score.leastSpeed >= 0.9 - 1e-9)
    #expect(score.mostSpeed <= 1.1 + 1e-9)
    #expect(score.heardJitter <= 0.02)
  }

  @Test func `Repeated and late reports do not move the bar back`() {
    let runs = (0..<20).map { PlayerRun(seed: $0).garbled(seed: $0) }
    let score = GlideScore(OurGlide.self, on: runs)
    #expect(score.stepBack == 0)
    #expect(abs(score.meanLag) <= 0.025)
    #expect(score.heardJitter <= 0.05)
    #expect(score.moveInPause < 1e-9)
  }

  @Test(arguments: [false, true])
  func `A source that hangs does not move the bar back when it continues`(repeatsItself: Bool) {
    let runs = PlayerRun.hanging(repeatsItself: repeatsItself)
    let response = GlideResponse(OurGlide.self, on: runs, from: 10, to: 29)
    #expect(response.stepBack == 0)
    // Three periods and half of the one in which it slows down, and what the reports were late.
    #expect(response.mostAhead <= 0.95)
    #expect(response.stepOn <= 1.1 / GlideScore.framesPerSecond + 1e-9)
    // Two seconds of stall, and the time in which the source comes up to the bar.
    #expect(response.settling <= 3)
  }

  @Test func `A source with a learned speed continues at it after a stall`() {
    var bar = ProgressBar(range: 0...1)
    func report(_ count: Int, from time: Double, value: Double) {
      for index in 0..<count {
        let gap = 0.25 * Double(index)
        bar.report(value + 0.01 * gap, at: time + gap)
      }
    }
    report(21, from: 0, value: 0.1)
    let stalled = bar.shown(at: 7)
    report(1, from: 7, value: 0.1525)
    #expect(bar.shown(at: 7) == stalled)
    // It stands until the source has come up to it, and goes on then at the speed of the source.
    report(8, from: 7.25, value: 0.155)
    #expect(abs(bar.shown(at: 9) - 0.1725) < 0.0002)
    #expect(abs(bar.speed(at: 9) - 0.01) < 0.0005)
  }

  @Test func `A source that only repeats itself is followed after ten seconds`() {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 100, height: 20)
    bar.report(20, at: 0)
    bar.pause(at: 0.1)
    let isTaken = bar.pointerDown(x: 50, y: 10, at: 1)
    #expect(isTaken)
    bar.pointerUp(x: 50, y: 10, at: 1)
    for second in 1...12 { bar.report(20, at: Double(second)) }
    #expect(bar.shown(at: 12) == 20)
  }

  @Test(arguments: [(-0.3, 4.0), (0.3, 4.5)])
  func `A small jump is corrected gradually`(distance: Double, most: Double) {
    let response = GlideResponse(
      OurGlide.self, on: PlayerRun.jumping(by: distance), from: 10, to: 29)
    #expect(response.settling <= most)
    #expect(response.stepBack == 0)
    #expect(response.stepOn <= 1.1 / GlideScore.framesPerSecond + 1e-9)
  }

  @Test(arguments: [-3.0, 3])
  func `A seek is followed with the next report`(distance: Double) {
    let response = GlideResponse(
      OurGlide.self, on: PlayerRun.jumping(by: distance), from: 10, to: 29)
    #expect(response.settling <= 0.31)
  }

  @Test func `Another speed keeps the position`() {
    let runs = PlayerRun.changingSpeed(isRateHeard: true)
    let response = GlideResponse(OurGlide.self, on: runs, from: 2, to: 34)
    #expect(response.stepBack == 0)
    #expect(response.stepOn <= 4 * 1.1 / GlideScore.framesPerSecond + 1e-9)
  }

  @Test(arguments: [0.1, 0.5, 1, 2])
  func `The bar glides between reports at any usual interval`(period: Double) {
    let legs = [PlayerRun.Leg(time: 0, value: 0, speed: 1)]
    let runs = (0..<20).map { PlayerRun(legs: legs, seed: $0, length: 60, period: period) }
    let response = GlideResponse(OurGlide.self, on: runs, from: 4 * period, to: 59)
    #expect(response.settling == 0)
    #expect(response.stepBack == 0)
    #expect(response.stepOn <= 1.1 / GlideScore.framesPerSecond + 1e-9)
  }

  @Test(arguments: [30.0, 120])
  func `The frame rate changes nothing`(framesPerSecond: Double) {
    for seed in 0..<4 as Range<UInt32> {
      let run = PlayerRun(seed: seed)
      let usual = GlideTrace(OurGlide.self, on: run, framesPerSecond: 60)
      let other = GlideTrace(OurGlide.self, on: run, framesPerSecond: framesPerSecond)
      #expect(usual.distance(from: other) == 0)
    }
  }

  @Test func `The scenario is the published one`() {
    let score = GlideScore(LastReportGlide.self)
    #expect(abs(score.meanLag - 0.1445) < 0.0001)
    #expect(abs(score.mostLag - 0.3087) < 0.0001)
    #expect(abs(score.jitter - 3.7195) < 0.0001)
    #expect(abs(score.moveInPause - 0.02833) < 0.00001)
  }
}

/// Shows the last report, to compare the scenario with the published one.
private struct LastReportGlide: GlideRule {
  static let title = "last report"
  /// The last report.
  private var value = 0.0

  init() {}

  mutating func report(_ value: Double, at time: Double) { self.value = value }
  mutating func pause(_ value: Double, at time: Double) { self.value = value }
  mutating func resume(_ value: Double, at time: Double) { self.value = value }
  mutating func shown(at time: Double) -> Double { value }
}
