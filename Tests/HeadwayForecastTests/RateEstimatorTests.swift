import HeadwayForecast
import Testing

/// The remaining time from counts, on values that were worked out by hand.
struct RateEstimatorTests {
  /// Work that has gone on for a while at one speed, counted ten times a second.
  ///
  /// - Parameters:
  ///   - seconds: How long it has gone on.
  ///   - rate: The units a second.
  ///   - total: How much there is to do.
  /// - Returns: The estimator, which was asked ten times a second.
  static func steady(_ seconds: Int, rate: Double, total: Double?) -> RateEstimator {
    var estimator = RateEstimator(total: total, at: .zero)
    estimator.goOn(from: 0, to: seconds, rate: rate)
    return estimator
  }

  @Test func `What was completed at the start is no speed`() {
    var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)
    #expect(estimator.rate(at: .seconds(1)) == nil)
    #expect(estimator.remaining(at: .seconds(1)) == nil)
    estimator.report(430, at: .seconds(3))
    #expect(estimator.rate(at: .seconds(3)).isNear(10))
    #expect(estimator.remaining(at: .seconds(3)).isNear(57))
    #expect(estimator.remaining(at: .seconds(4)).isNear(56))
    #expect(estimator.fraction == 0.43)
  }

  @Test func `What is reported at the moment of the start is no speed`() {
    var estimator = RateEstimator(total: 1000, at: .seconds(7))
    estimator.report(400, at: .seconds(7))
    estimator.report(430, at: .seconds(10))
    #expect(estimator.rate(at: .seconds(10)).isNear(10))
  }

  @Test func `What is skipped is no speed`() {
    var estimator = Self.steady(10, rate: 10, total: 1000)
    estimator.skip(to: 500, at: .seconds(10))
    #expect(estimator.rate(at: .seconds(10)).isNear(10))
    #expect(estimator.estimate(at: .seconds(10)).isNear(50))
    estimator.report(510, at: .seconds(11))
    #expect(estimator.rate(at: .seconds(11)).isNear(10))
  }

  @Test(arguments: [0.001, 1, 123.4, 1e12])
  func `A constant speed is exact from the first second to the last`(rate: Double) {
    var estimator = RateEstimator(total: rate * 60, at: .zero)
    for tenth in 1..<590 {
      let now = Duration.milliseconds(tenth * 100)
      estimator.report(rate * Double(tenth) / 10, at: now)
      guard tenth >= 11 else { continue }
      #expect(estimator.estimate(at: now).isNear(60 - Double(tenth) / 10))
      #expect(estimator.remaining(at: now).isNear(60 - Double(tenth) / 10))
    }
    #expect(estimator.speedChanges == 0)
    #expect(estimator.uncertainty < 1e-6)
  }

  @Test func `Equal items count down between their ends`() {
    // 20 items of 15 s: after the first one the truth is known.
    var estimator = RateEstimator(total: 20, at: .zero)
    for second in 1..<299 {
      if second % 15 == 0 { estimator.report(Double(second / 15), at: .seconds(second)) }
      let remaining = estimator.remaining(at: .seconds(second))
      if second < 15 {
        #expect(remaining == nil)
      } else {
        #expect(remaining.isNear(Double(300 - second)))
      }
    }
  }

  @Test func `Counts and seconds fade alike`() {
    var estimator = RateEstimator(total: 100, at: .zero)
    estimator.report(10, at: .seconds(1))
    estimator.report(40, at: .seconds(2))
    // The weight of the first second is 15 / (15 + 1): (10 · 0.9375 + 30) / (0.9375 + 1).
    #expect(estimator.rate(at: .seconds(2)).isNear(39.375 / 1.9375))
    #expect(estimator.estimate(at: .seconds(2)).isNear(60 * 1.9375 / 39.375))
  }

  @Test func `An overdue item takes longer the longer it is late`() {
    var estimator = RateEstimator(total: 3, at: .zero)
    estimator.report(1, at: .seconds(10))
    estimator.report(2, at: .seconds(20))
    #expect(estimator.estimate(at: .seconds(24)).isNear(6))
    #expect(estimator.estimate(at: .seconds(30)).isNear(0))
    #expect(estimator.estimate(at: .seconds(34)).isNear(4))
    // What is shown is never zero while something is left.
    #expect(estimator.remaining(at: .seconds(30)).isNear(1))
    estimator.report(3, at: .seconds(40))
    #expect(estimator.remaining(at: .seconds(40)) == .zero)
    #expect(estimator.isFinished)
  }

  @Test func `A difference is taken back by its part of the time`() {
    var estimator = Self.steady(10, rate: 10, total: 200)
    #expect(estimator.remaining(at: .seconds(10)).isNear(10))
    estimator.total = 300
    #expect(estimator.estimate(at: .seconds(10)).isNear(20))
    #expect(estimator.remaining(at: .seconds(10)).isNear(10))
    for tenth in 101...140 { estimator.report(Double(tenth), at: .milliseconds(tenth * 100)) }
    // In 4 s half of the 10 s: the end moves from 20 to 25 s.
    #expect(estimator.estimate(at: .seconds(14)).isNear(16))
    #expect(estimator.remaining(at: .seconds(14)).isNear(11))
  }

  @Test func `The uncertainty is the standard error of the speed as a part of it`() {
    var estimator = RateEstimator(total: 2000, at: .zero)
    #expect(estimator.uncertainty == 1)
    for second in 1...10 {
      estimator.report(Double(second * 10 - second % 2 * 5), at: .seconds(second))
    }
    // Speeds of 5 and 15 in turn: the variance is 250 / 9, that of the mean a tenth, the root of which is 10 / 6.
    #expect((estimator.uncertainty as Double?).isNear(1.0 / 6))
  }

  @Test func `A difference that may be noise leaves the clock alone`() {
    // The speed is 5 and 15 in turn; the mean of the stretches is known to some percent only.
    var estimator = RateEstimator(total: 2000, at: .zero)
    var count = 0.0
    var ends: [Double] = []
    for second in 1...100 {
      count += second.isMultiple(of: 2) ? 15 : 5
      estimator.report(count, at: .seconds(second))
      let remaining = estimator.remaining(at: .seconds(second)).map { $0 / .seconds(1) }
      if second > 40 { ends.append(Double(second) + (remaining ?? 0)) }
    }
    #expect(estimator.uncertainty > 0.001)
    #expect((ends.max() ?? 0) - (ends.min() ?? 0) < 12)
    // From some time on it does not move at all, though every count moves the estimate.
    #expect((ends.suffix(20).max() ?? 0) - (ends.suffix(20).min() ?? 0) < 1)
  }

  @Test func `Paused time is not counted`() {
    var estimator = Self.steady(10, rate: 10, total: 1000)
    estimator.pause(at: .seconds(10))
    #expect(estimator.isPaused)
    #expect(estimator.remaining(at: .seconds(10)).isNear(90))
    #expect(estimator.remaining(at: .seconds(500)).isNear(90))
    #expect(estimator.standstill(at: .seconds(500)) == nil)
    estimator.resume(at: .seconds(510))
    #expect(!estimator.isPaused)
    #expect(estimator.remaining(at: .seconds(510)).isNear(90))
    estimator.report(110, at: .seconds(511))
    #expect(estimator.rate(at: .seconds(511)).isNear(10))
    #expect(estimator.remaining(at: .seconds(511)).isNear(89))
  }

  @Test func `What is reported in a pause is done and no speed`() {
    var estimator = Self.steady(10, rate: 10, total: 1000)
    estimator.pause(at: .seconds(10))
    estimator.report(200, at: .seconds(20))
    #expect(estimator.completed == 200)
    estimator.resume(at: .seconds(30))
    estimator.report(210, at: .seconds(31))
    #expect(estimator.rate(at: .seconds(31)).isNear(10))
    #expect(estimator.estimate(at: .seconds(31)).isNear(79))
  }

  @Test func `A second pause and a second resume have no effect`() {
    var estimator = Self.steady(10, rate: 10, total: 1000)
    estimator.resume(at: .seconds(10))
    estimator.pause(at: .seconds(10))
    estimator.pause(at: .seconds(15))
    estimator.resume(at: .seconds(20))
    estimator.resume(at: .seconds(20))
    #expect(estimator.estimate(at: .seconds(20)).isNear(90))
  }

  @Test func `Without a total there is a rate and no remaining time`() {
    var estimator = Self.steady(10, rate: 10, total: nil)
    #expect(estimator.rate(at: .seconds(10)).isNear(10))
    #expect(estimator.remaining(at: .seconds(10)) == nil)
    #expect(estimator.range(at: .seconds(10)) == nil)
    #expect(estimator.fraction == nil && !estimator.isFinished)
    // The first one is shown as it is.
    estimator.total = 500
    #expect(estimator.remaining(at: .seconds(10)).isNear(40))
  }

  @Test func `A total that shrinks to what is done ends the work, and one that grows takes it up`()
  {
    var estimator = Self.steady(10, rate: 10, total: 1000)
    estimator.total = 100
    #expect(estimator.isFinished && estimator.fraction == 1)
    #expect(estimator.remaining(at: .seconds(10)) == .zero)
    #expect(estimator.range(at: .seconds(10)) == .zero ... .zero)
    estimator.total = 50
    #expect(estimator.remaining(at: .seconds(10)) == .zero)
    estimator.total = 200
    #expect(estimator.remaining(at: .seconds(10)).isNear(10))
  }

  @Test func `Work that is finished does not stand still`() {
    let finished = Self.steady(10, rate: 10, total: 100)
    #expect(finished.isFinished)
    #expect(finished.standstill(at: .seconds(60)) == nil)
    let unfinished = Self.steady(10, rate: 10, total: 101)
    #expect(unfinished.standstill(at: .seconds(60)).isNear(50))
  }

  @Test func `A count that goes back is work to be done again`() {
    var estimator = Self.steady(10, rate: 10, total: 200)
    estimator.report(50, at: .seconds(10))
    #expect(estimator.completed == 50)
    estimator.report(60, at: .seconds(11))
    #expect(estimator.rate(at: .seconds(11)).isNear(10))
    #expect(estimator.estimate(at: .seconds(11)).isNear(14))
  }

  @Test(arguments: [1.5, 2.5, 10, 60])
  func `A slow start is no speed once the usual gaps are known`(wait: Double) {
    // A download whose server answers after a while, and which then has a constant speed.
    var estimator = RateEstimator(total: 24_000_000, at: .zero)
    var done = 0.0
    for step in 0..<480 {
      done += 50_000
      let time = wait + Double(step) * 0.007
      estimator.report(done, at: .seconds(time))
      let left = estimator.remaining(at: .seconds(time))
      // A second after the eighth count, the speed is that of the counts.
      guard step > 150, let left else { continue }
      let truth = Double(480 - step - 1) * 0.007
      #expect(left / .seconds(1) < truth * 1.5 + 1, "\(step): \(left), not \(truth)")
    }
  }
}

extension RateEstimator {
  /// Goes on at one speed, counted and shown ten times a second.
  mutating func goOn(from start: Int, to end: Int, rate: Double) {
    let base = completed
    for tenth in 1...(end - start) * 10 {
      let now = Duration.milliseconds(start * 1000 + tenth * 100)
      report(base + rate * Double(tenth) / 10, at: now)
      _ = remaining(at: now)
    }
  }
}

extension Duration? {
  /// Whether it is a number of seconds, up to what rounding does.
  func isNear(_ seconds: Double) -> Bool {
    map { $0 / .seconds(1) }.isNear(seconds)
  }
}

extension Double? {
  /// Whether it is a number, up to what rounding does.
  func isNear(_ other: Double) -> Bool {
    guard let self else { return false }
    return abs(self - other) <= 1e-6 * max(1, abs(other))
  }
}

// MARK: - Slow starts and skipped units

extension RateEstimatorTests {
  /// A start that takes longer than the units after it.
  struct Start: Sendable {
    /// The seconds until the first count.
    var wait: Double
    /// The seconds between the next ones.
    var gap: Double
  }

  @Test(arguments: [
    Start(wait: 2.25, gap: 0.25), Start(wait: 5, gap: 1), Start(wait: 3, gap: 0.1),
    Start(wait: 3, gap: 1), Start(wait: 2.4, gap: 1), Start(wait: 0.8, gap: 0.1),
    Start(wait: 60, gap: 20), Start(wait: 600, gap: 0.01),
  ])
  func `Five counts after a slow start, what is shown is right or nothing, and fits the speed`(
    start: Start
  ) throws {
    let total = 1_000.0
    var estimator = RateEstimator(total: total, at: .zero)
    var hasSeen = false
    for number in 1...200 {
      let seconds = start.wait + Double(number - 1) * start.gap
      estimator.report(Double(number), at: .seconds(seconds))
      let shown = estimator.remaining(at: .seconds(seconds)).map { $0 / .seconds(1) }
      guard number > 5, let shown else { continue }
      hasSeen = true
      let truth = (total - Double(number)) * start.gap
      #expect(abs(shown - truth) <= 0.25 * truth + 1, "\(number): \(shown), not \(truth)")
      let rate = try #require(estimator.rate(at: .seconds(seconds)))
      let implied = (total - Double(number)) / rate
      #expect(abs(shown - implied) <= 0.25 * implied + 1, "\(number): \(shown) at \(rate)/s")
    }
    #expect(hasSeen)
  }

  @Test(arguments: [0.0002, 0.0, 0.05])
  func `Five counts after skipped units, what is shown is right`(skipTime: Double) throws {
    var estimator = RateEstimator(total: 10_000, at: .zero)
    var seconds = 0.0
    for number in 1...8_000 {
      seconds += skipTime
      estimator.skip(to: Double(number), at: .seconds(seconds))
    }
    for number in 1...20 {
      seconds += 1
      estimator.report(8_000 + Double(number), at: .seconds(seconds))
      guard number > 5 else { continue }
      let remaining = estimator.remaining(at: .seconds(seconds))
      let shown = try #require(remaining) / .seconds(1)
      let truth = 2_000 - Double(number)
      #expect(abs(shown - truth) <= 0.05 * truth, "\(number): \(shown), not \(truth)")
    }
  }

  @Test func `Units that are skipped in the middle leave the remaining time of the others`() throws
  {
    var estimator = RateEstimator(total: 1_000, at: .zero)
    for number in 1...100 {
      estimator.report(Double(number), at: .seconds(Double(number) / 4))
      _ = estimator.remaining(at: .seconds(Double(number) / 4))
    }
    // Twenty seconds pass while files are compared.
    estimator.skip(to: 800, at: .seconds(45))
    for number in 1...5 {
      let time = Duration.seconds(45 + Double(number) / 4)
      estimator.report(800 + Double(number), at: time)
      let remaining = estimator.remaining(at: time)
      let shown = try #require(remaining) / .seconds(1)
      #expect(abs(shown - (200 - Double(number)) / 4) < 1, "\(shown)")
    }
  }
}
