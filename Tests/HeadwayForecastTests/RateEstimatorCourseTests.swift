import HeadwayForecast
import Testing

/// How the remaining time behaves over the course of a job.
struct RateEstimatorCourseTests {
  @Test func `The remaining time stands while the work does, and the stall is no speed`() {
    var estimator = RateEstimatorTests.steady(60, rate: 10, total: 1200)
    #expect(estimator.remaining(at: .seconds(60)).isNear(60))
    #expect(estimator.standstill(at: .seconds(61)) == nil)
    #expect(estimator.standstill(at: .milliseconds(61_500)).isNear(1.5))
    for tenth in 601...800 { _ = estimator.remaining(at: .milliseconds(tenth * 100)) }
    // A second of the clock until the gap is no usual one, and what was steered back of that.
    let shown = (estimator.remaining(at: .seconds(80)) ?? .zero) / .seconds(1)
    #expect(shown > 59 && shown < 60)
    estimator.report(601, at: .seconds(80))
    #expect(estimator.rate(at: .seconds(80)).isNear(10))
    #expect(estimator.standstill(at: .seconds(80)) == nil)
    #expect(estimator.speedChanges == 0)
  }

  @Test func `A computer that sleeps for hours does not spoil the rest`() {
    var estimator = RateEstimatorTests.steady(60, rate: 10, total: 2400)
    let night = 8 * 3600
    estimator.goOn(from: 60 + night, to: 120 + night, rate: 10)
    #expect(estimator.estimate(at: .seconds(120 + night)).isNear(120))
    // The second one counts for no more than what was worked.
    estimator.goOn(from: 120 + 2 * night, to: 180 + 2 * night, rate: 10)
    let estimate = (estimator.estimate(at: .seconds(180 + 2 * night)) ?? .zero) / .seconds(1)
    #expect(estimate > 59 && estimate < 160)
  }

  @Test func `Work that becomes slow in long gaps is known by the second gap`() {
    var estimator = RateEstimatorTests.steady(30, rate: 10, total: 400)
    estimator.report(301, at: .seconds(50))
    #expect(estimator.rate(at: .seconds(50)).isNear(10))
    estimator.report(302, at: .seconds(70))
    #expect(estimator.speedChanges == 1)
    #expect(estimator.rate(at: .seconds(70)).isNear(0.05))
    #expect(estimator.estimate(at: .seconds(70)).isNear(1960))
  }

  @Test(arguments: [25.0, 50, 150, 400])
  func `A lasting change is known after a part of the time before it`(rate: Double) {
    // After a minute stretches have two seconds; the change comes in one, and in the third after it they become four.
    var estimator = RateEstimatorTests.steady(60, rate: 100, total: 6000 + rate * 100)
    estimator.goOn(from: 60, to: 74, rate: rate)
    #expect(estimator.speedChanges == 1)
    #expect(estimator.rate(at: .seconds(74)).isNear(rate))
    #expect(estimator.estimate(at: .seconds(74)).isNear(86))
    // The clock is steered there, to a tenth of the difference within ten seconds.
    let before = (estimator.remaining(at: .seconds(74)) ?? .zero) / .seconds(1)
    estimator.goOn(from: 74, to: 84, rate: rate)
    let shown = (estimator.remaining(at: .seconds(84)) ?? .zero) / .seconds(1)
    #expect(abs(shown - 76) < 0.1 * abs(before - 86))
  }

  @Test func `An estimator is a value of less than a kilobyte`() {
    #expect(MemoryLayout<RateEstimator>.size < 1000)
    let early = RateEstimatorTests.steady(10, rate: 10, total: 1000)
    var late = early
    late.goOn(from: 10, to: 20, rate: 10)
    #expect(early == RateEstimatorTests.steady(10, rate: 10, total: 1000))
    #expect(early != late)
  }

  @Test func `Each of several changes is found`() {
    var estimator = RateEstimator(total: 1e6, at: .zero)
    for (index, rate) in [100.0, 300, 50, 200].enumerated() {
      estimator.goOn(from: index * 60, to: index * 60 + 60, rate: rate)
      #expect(estimator.rate(at: .seconds(index * 60 + 60)).isNear(rate))
    }
    #expect(estimator.speedChanges == 3)
  }

  @Test func `Noise is no lasting change`() {
    var changes = 0
    for seed in 1...50 {
      var random = SeededNumbers(seed: UInt64(seed))
      var estimator = RateEstimator(total: 1e9, at: .zero)
      var count = 0.0
      for tenth in 1...3000 {
        count += random.exponential()
        estimator.report(count, at: .milliseconds(tenth * 100))
      }
      changes += estimator.speedChanges
    }
    #expect(changes <= 1, "there are \(changes)")
  }

  @Test func `What is shown moves beside the clock by its part of the difference only`() {
    for seed in 1...20 {
      var random = SeededNumbers(seed: UInt64(seed))
      var estimator = RateEstimator(total: 3000, at: .zero)
      var (count, time, speed) = (0.0, 0.0, 1.0)
      var shown: Double?
      while count < 2900 {
        let passed = 0.02 + random.unit()
        time += passed
        if random.unit() < 0.01 { speed = 0.1 + 4 * random.unit() }
        let hadSlowStart = estimator.hasSlowStart
        if random.unit() < 0.3 { count += speed * 10 * passed * random.exponential() }
        estimator.report(count, at: .seconds(time))
        let estimate = estimator.estimate(at: .seconds(time)).map { $0 / .seconds(1) }
        let next = estimator.remaining(at: .seconds(time)).map { $0 / .seconds(1) }
        if let shown, let estimate, let next, estimator.hasSlowStart == hadSlowStart {
          let clock = max(1, shown - passed)
          let standing = estimator.standstill(at: .seconds(time)) == nil ? 0 : passed
          let most = standing + passed / (passed + 4) * abs(estimate - shown + passed)
          #expect(abs(next - clock) <= most + 1 + 1e-6, "seed \(seed), at \(time)")
        }
        shown = next
      }
    }
  }

  @Test func `The range holds the truth about eight times in ten`() {
    var (inside, all) = (0, 0)
    for seed in 1...200 {
      var random = SeededNumbers(seed: UInt64(seed))
      let sums = (0..<100).reduce(into: [0.0]) { sums, _ in
        sums.append(sums[sums.count - 1] + 0.2 + 1.6 * random.unit())
      }
      var estimator = RateEstimator(total: sums[100], at: .zero)
      for burst in 1..<95 {
        let now = Duration.seconds(burst * 3)
        estimator.report(sums[burst], at: now)
        guard burst.isMultiple(of: 10), let range = estimator.range(at: now) else { continue }
        all += 1
        if range.contains(.seconds(300 - burst * 3)) { inside += 1 }
      }
    }
    let share = Double(inside) / Double(all)
    #expect(share > 0.72 && share < 0.88, "it is \(share)")
  }

  @Test func `A range is narrow where the speed is even and known only after four stretches`() {
    var estimator = RateEstimatorTests.steady(3, rate: 10, total: 1000)
    #expect(estimator.range(at: .seconds(3)) == nil)
    estimator.goOn(from: 3, to: 5, rate: 10)
    let range = estimator.range(at: .seconds(5))
    #expect((range?.lowerBound).isNear(95) && (range?.upperBound).isNear(95))
  }
}

/// Numbers that are the same in every run.
struct SeededNumbers {
  /// The state.
  private var state: UInt64

  /// Creates numbers; each seed gives others.
  init(seed: UInt64) { state = seed }

  /// The next 64 bits, by the generator SplitMix64.
  mutating func bits() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// A number from 0 up to and without 1.
  mutating func unit() -> Double { Double(bits() >> 11) * 0x1p-53 }

  /// A number with the mean 1 and the deviation of a memoryless one: 3 in one of ten times, 7/9 otherwise.
  mutating func exponential() -> Double { unit() < 0.1 ? 3 : 7 / 9 }
}
