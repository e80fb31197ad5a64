import HeadwayForecast
import Testing

/// Input that makes no sense, and what becomes of it.
struct RateEstimatorBadInputTests {
  @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func `A count that is not a finite number is ignored`(count: Double) {
    var estimator = RateEstimatorTests.steady(10, rate: 10, total: 1000)
    let before = estimator
    let taken = [
      estimator.report(count, at: .seconds(20)), estimator.skip(to: count, at: .seconds(20)),
    ]
    #expect(taken == [false, false])
    #expect(estimator == before)
    #expect(estimator.hashValue == before.hashValue)
    #expect(RateEstimator(completed: count, at: .zero).completed == 0)
  }

  @Test func `Counts are kept between zero and two to the 64th`() {
    var estimator = RateEstimator(total: 1000, completed: -5, at: .zero)
    #expect(estimator.completed == 0)
    estimator.report(100, at: .seconds(5))
    let isTaken = estimator.report(-7, at: .seconds(6))
    #expect(isTaken)
    #expect(estimator.completed == 0 && estimator.fraction == 0)
    estimator.report(1e300, at: .seconds(7))
    #expect(estimator.completed == 0x1p64)
    #expect(estimator.remaining(at: .seconds(7)) == .zero)
  }

  @Test(arguments: [Double.nan, .infinity, -1, -.infinity])
  func `A total that makes no sense is not known`(total: Double) {
    var estimator = RateEstimatorTests.steady(10, rate: 10, total: 1000)
    estimator.total = total
    #expect(estimator.total == nil)
    #expect(estimator.remaining(at: .seconds(10)) == nil)
    #expect(RateEstimator(total: total, at: .zero).total == nil)
  }

  @Test func `Nothing to do is done`() {
    var estimator = RateEstimator(total: 0, at: .zero)
    #expect(estimator.isFinished && estimator.fraction == 1)
    #expect(estimator.remaining(at: .zero) == .zero)
    #expect(estimator.estimate(at: .zero) == .zero)
  }

  @Test func `A time before the latest counts as that`() {
    var estimator = RateEstimatorTests.steady(10, rate: 10, total: 1000)
    estimator.report(110, at: .seconds(3))
    #expect(estimator.completed == 110)
    #expect(estimator.remaining(at: .seconds(-8)) == estimator.remaining(at: .seconds(10)))
    #expect(estimator.estimate(at: .zero) == estimator.estimate(at: .seconds(10)))
    estimator.pause(at: .seconds(1))
    estimator.resume(at: .seconds(2))
    // The last ten units came at once, and only the seconds before them fade.
    #expect(estimator.rate(at: .seconds(10)).map { $0 > 11 && $0 < 12 } == true)
  }

  @Test func `The remaining time is at most a hundred years`() {
    var estimator = RateEstimator(total: 1e18, at: .zero)
    estimator.report(1e-9, at: .seconds(10))
    let century = Duration.seconds(3_155_760_000)
    #expect(estimator.remaining(at: .seconds(10)) == century)
    #expect(estimator.estimate(at: .seconds(10)) == century)
  }

  @Test func `The ends of the time line are times like others`() {
    let ends = [Duration.seconds(Int64.min), .seconds(Int64.max), .zero]
    for start in ends {
      for end in ends {
        var estimator = RateEstimator(total: 10, at: start)
        estimator.report(5, at: end)
        estimator.pause(at: end)
        estimator.resume(at: ends[1])
        estimator.report(6, at: ends[1])
        estimator.report(7, at: end)
        let remaining = estimator.remaining(at: ends[1]) ?? .zero
        #expect(remaining >= .zero && remaining <= .seconds(3_155_760_000))
      }
    }
  }

  @Test func `Any calls leave a remaining time that can be shown`() {
    let odd = [0, -0.0, .nan, .infinity, -1, 1e-300, 1e300, 0x1p63, 1, 2, 1000]
    for seed in 1...200 {
      var random = SeededNumbers(seed: UInt64(seed))
      var estimator = RateEstimator(total: 1000, at: .seconds(-1000 + 2000 * random.unit()))
      for _ in 1...500 {
        let value = random.unit() < 0.2 ? odd[Int(random.unit() * 11)] : 2000 * random.unit()
        let now = Duration.seconds(
          random.unit() < 0.05 ? 1e15 * random.unit() : random.unit() * 5000)
        switch random.bits() % 8 {
        case 0: estimator.total = value
        case 1: estimator.pause(at: now)
        case 2: estimator.resume(at: now)
        case 3: estimator.skip(to: value, at: now)
        default: estimator.report(value, at: now)
        }
        check(&estimator, at: now)
      }
    }
  }

  /// Checks everything that an estimator answers.
  private func check(_ estimator: inout RateEstimator, at now: Duration) {
    let century = Duration.seconds(3_155_760_000)
    let estimate = estimator.estimate(at: now)
    #expect(estimate.map { $0 >= .zero && $0 <= century } ?? true)
    let remaining = estimator.remaining(at: now)
    #expect((remaining == nil) == (estimate == nil))
    #expect(remaining.map { $0 == .zero ? estimator.isFinished : $0 <= century } ?? true)
    #expect(estimator.range(at: now).map { $0.lowerBound >= .zero } ?? true)
    #expect(estimator.range(at: now).map { $0.upperBound <= century } ?? true)
    #expect(estimator.rate(at: now).map { $0 > 0 && $0.isFinite } ?? true)
    #expect(estimator.fraction.map { $0 >= 0 && $0 <= 1 } ?? true)
    #expect(estimator.uncertainty >= 0 && estimator.uncertainty <= 1)
    #expect(estimator.standstill(at: now).map { $0 > .zero && $0 <= century } ?? true)
  }
}
