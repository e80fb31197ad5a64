import HeadwayForecast
import Testing

/// Cases of indicatif, tqdm and rich about rates and remaining times (indicatif `src/state.rs`, tqdm `tests/tests_tqdm.py`,
/// rich `tests/test_progress.py`); a comment names each case.
///
/// Each of them has another mean of the counts, so the numbers of noisy work differ.
struct RateCaseTests {
  // MARK: indicatif

  // test_steps_per_second.
  @Test(arguments: [1, 1e3, 1e6, 1e9, 1_000_000_001, 1e11, 1e12, 1e14, 1e15])
  func `Twenty seconds at one rate give that rate, from one to a quadrillion`(rate: Double) {
    var estimator = RateEstimator(at: .zero)
    for second in 1...20 { estimator.report(rate * Double(second), at: .seconds(second)) }
    let measured = estimator.rate(at: .seconds(20)) ?? 0
    #expect(abs(measured - rate) / rate < 1e-9)
  }

  // test_double_exponential_ave: there, seconds without counts lower the rate.
  @Test func `Fifteen seconds without counts after fifteen with them are a standstill, not a rate`()
  {
    var estimator = RateEstimator(total: 60, at: .zero)
    for second in 1...15 { estimator.report(Double(second), at: .seconds(second)) }
    #expect(estimator.rate(at: .seconds(30)).isNear(1))
    #expect(estimator.standstill(at: .seconds(30)).isNear(15))
    #expect(estimator.standstill(at: .seconds(17)) == nil)
  }

  // test_estimator_rewind_position: there, a count that goes back begins anew.
  @Test func `A count that goes back and forth gives the rate of the work`() {
    var estimator = RateEstimator(at: .zero)
    estimator.report(1, at: .seconds(1))
    estimator.report(0, at: .seconds(2))
    estimator.report(1, at: .seconds(3))
    #expect(estimator.completed == 1)
    // Two units of work in three seconds: the second in which the count went back counts too.
    let rate = estimator.rate(at: .seconds(3)) ?? 0
    #expect(rate > 0.5 && rate < 1)
  }

  // test_reset_eta.
  @Test func `A new estimator for the rest of the work knows nothing of the speed before`() {
    var estimator = RateEstimator(total: 10, at: .zero)
    estimator.report(2, at: .seconds(1))
    #expect(estimator.rate(at: .seconds(1)).isNear(2))
    estimator = RateEstimator(total: 10, completed: estimator.completed, at: .seconds(1))
    #expect(estimator.rate(at: .seconds(1)) == nil)
    estimator.report(3, at: .seconds(2))
    #expect(estimator.rate(at: .seconds(2)).isNear(1))
    #expect(estimator.remaining(at: .seconds(2)).isNear(7))
  }

  // MARK: tqdm

  // test_smoothing, test_ema: slow at first, then ten times as fast. There the rate is between the mean and the latest.
  @Test func `After a slow begin the rate is above the mean`() {
    var estimator = RateEstimator(at: .zero)
    estimator.report(1, at: .seconds(10))
    var (mean, latest) = (0.1, 0.1)
    for second in 11...13 {
      let count = Double(second - 9)
      estimator.report(count, at: .seconds(second))
      (mean, latest) = (count / Double(second), 1)
      let rate = estimator.rate(at: .seconds(second)) ?? 0
      #expect(mean < rate && rate <= latest)
    }
  }

  // test_unpause.
  @Test func `A pause between two counts does not change the rate`() {
    var estimator = RateEstimator(total: 100, at: .zero)
    for second in 1...2 { estimator.report(Double(second), at: .seconds(second)) }
    let before = estimator.rate(at: .seconds(2))
    estimator.pause(at: .seconds(2))
    estimator.resume(at: .seconds(12))
    for second in 13...14 { estimator.report(Double(second - 10), at: .seconds(second)) }
    #expect(before.isNear(1) && estimator.rate(at: .seconds(14)).isNear(1))
    #expect(estimator.remaining(at: .seconds(14)).isNear(96))
  }

  // test_initial.
  @Test func `Work that begins in the middle has the speed of what came after`() {
    var estimator = RateEstimator(total: 19, completed: 10, at: .zero)
    #expect(estimator.fraction == 10.0 / 19)
    for second in 1...9 { estimator.report(Double(10 + second), at: .seconds(second)) }
    #expect(estimator.rate(at: .seconds(9)).isNear(1))
    #expect(estimator.fraction == 1 && estimator.remaining(at: .seconds(9)) == .zero)
  }

  // test_infinite_total, test_nototal, and format_meter(5, inf, 1) of test_format_meter.
  @Test(arguments: [nil, Double.infinity])
  func `Without a total, or with an endless one, there is a rate and no end`(total: Double?) {
    var estimator = RateEstimator(total: total, at: .zero)
    for second in 1...10 { estimator.report(Double(10 * second), at: .seconds(second)) }
    #expect(estimator.completed == 100 && estimator.rate(at: .seconds(10)).isNear(10))
    #expect(estimator.total == nil && estimator.fraction == nil)
    #expect(estimator.remaining(at: .seconds(10)) == nil)
  }

  // test_float_progress, and format_meter(10000, 1000, 13) of test_format_meter.
  @Test(arguments: [(9.6, 10.0), (1_000, 10_000)])
  func `A count above its total is complete`(total: Double, count: Double) {
    var estimator = RateEstimator(total: total, at: .zero)
    estimator.report(total * 0.9, at: .seconds(9))
    #expect((estimator.fraction ?? 0) < 1)
    estimator.report(count, at: .seconds(13))
    #expect(estimator.fraction == 1 && estimator.remaining(at: .seconds(13)) == .zero)
    #expect(estimator.rate(at: .seconds(13)) != nil)
  }

  // test_format_meter: 231 of 1000 in 392 s, where 21:44 is left; and the first 13 s without a count.
  @Test func `The remaining time follows from the count and the time, and not from no count`() {
    var estimator = RateEstimator(total: 1_000, at: .zero)
    #expect(estimator.remaining(at: .seconds(13)) == nil && estimator.rate(at: .seconds(13)) == nil)
    for count in 1...231 {
      estimator.report(Double(count), at: .milliseconds(count * 392_000 / 231))
    }
    let seconds = (estimator.estimate(at: .seconds(392)) ?? .zero) / .seconds(1)
    #expect(abs(seconds - (21 * 60 + 44)) < 2)
  }

  // MARK: rich

  // test_task_create.
  @Test func `Work that has not begun has no rate and no remaining time`() {
    var estimator = RateEstimator(total: 100, at: .seconds(1))
    #expect(estimator.completed == 0 && estimator.fraction == 0)
    #expect(estimator.rate(at: .seconds(1)) == nil && estimator.remaining(at: .seconds(1)) == nil)
  }

  // test_task_zero_total: there, it is 0 % complete.
  @Test func `Work of no units is complete`() {
    var estimator = RateEstimator(total: 0, at: .zero)
    #expect(estimator.fraction == 1 && estimator.remaining(at: .seconds(1)) == .zero)
  }

  // test_track: three values at one a second, 33, 67 and 100 %.
  @Test func `Three equal steps are thirds, and the remaining time falls to zero`() {
    var estimator = RateEstimator(total: 3, at: .zero)
    var rest: [Double] = []
    for step in 1...3 {
      estimator.report(Double(step), at: .seconds(10 * step))
      #expect(estimator.fraction == Double(step) / 3)
      rest.append((estimator.remaining(at: .seconds(10 * step)) ?? .seconds(-1)) / .seconds(1))
    }
    #expect(rest == [20, 10, 0])
  }
}
