import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What holds of the remaining time that is shown, whatever is forecast.
struct ShownRemainingPropertyTests {
  /// Random numbers that are the same in every run of the tests.
  private struct SeededRandom {
    /// The state.
    var state: UInt64

    /// A part, above 0 and below 1.
    mutating func part() -> Double {
      state = SplitMix64.mixed(state)
      return (Double(state % 1_000_000) + 0.5) / 1_000_000
    }

    /// A factor around 1 whose logarithm has a standard deviation.
    mutating func factor(_ spread: Double) -> Double {
      Logarithms.exp(spread * Logarithms.normalQuantile(part()))
    }
  }

  /// A forecast of so many seconds, wide by a factor on either side.
  private func range(_ median: Double, by factor: Double) -> RemainingTime {
    RemainingTime(
      low: .seconds(median / factor), median: .seconds(median), high: .seconds(median * factor))
  }

  /// The lower and the upper end that a value says, in seconds, the same for a single time.
  private func ends(_ value: RoundedRemaining) -> (low: Double, high: Double)? {
    switch value {
    case .about(let time): (time / .seconds(1), time / .seconds(1))
    case .between(let low, let high): (low / .seconds(1), high / .seconds(1))
    case .unknown, .late: nil
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `It is in order, above zero and within its speed`(seed: UInt64) throws {
    var generator = SeededRandom(state: seed)
    var shown = ShownRemaining()
    var time = 0.0
    var median = 500.0
    var before: Double?
    for _ in 0..<2_000 {
      let passed = 3 * generator.part()
      time += passed
      if generator.part() < 0.02 { median *= generator.factor(1) }
      median = min(max(0.5, median - passed), 1e6)
      let forecast = generator.part() < 0.1 ? nil : range(median, by: 1 + generator.part())
      let value = shown.advance(to: .seconds(time), forecast: forecast)
      guard let left = shown.remaining, let (low, high) = ends(value) else {
        #expect(before == nil || value == .late)
        before = nil
        continue
      }
      #expect(left.low >= .zero && left.low <= left.median && left.median <= left.high)
      #expect(high >= 1 && low < high || low == high)
      let seconds = left.median / .seconds(1)
      if let before {
        // Beside the clock it moves towards the forecast, and never by more than a half time of a second lets it.
        let run = max(0, before - passed)
        let most = abs(median - run) * passed / (passed + 1)
        #expect(abs(seconds - run) <= most + 1)
      }
      before = seconds
    }
  }

  @Test(arguments: [0.03, 0.1, 0.2], 1...5 as ClosedRange<UInt64>)
  func `A forecast that jitters counts down without flicker`(spread: Double, seed: UInt64) {
    var generator = SeededRandom(state: seed)
    var shown = ShownRemaining()
    var (changes, rises, switches) = (0, 0, 0)
    var before = shown.value
    // Ten minutes at ten looks a second, with a range as wide as the jitter and one that is calm.
    for look in 0..<5_900 {
      let time = Double(look) / 10
      let median = (600 - time) * generator.factor(spread)
      let value = shown.advance(
        to: .seconds(time), forecast: range(median, by: 1 + 2 * spread))
      if look > 0, value != before, let (low, high) = ends(value), let old = ends(before) {
        changes += 1
        rises += low == high && old.low == old.high && high > old.high ? 1 : 0
        rises += low < high && old.low < old.high && high > old.high ? 1 : 0
        switches += (low == high) != (old.low == old.high) ? 1 : 0
      }
      before = value
    }
    // A countdown from ten minutes to ten seconds has 19 steps, two such make a range.
    #expect(changes <= 2 * 19 + 4, "changes \(changes)")
    #expect(rises <= 2, "rises \(rises)")
    #expect(switches <= 2, "switches \(switches)")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `Where the forecast errs and learns the words stay calm`(seed: UInt64) {
    var generator = SeededRandom(state: seed)
    var shown = ShownRemaining()
    var (changes, before) = (0, shown.value)
    // A run of 20 minutes whose forecast wanders like a speed that becomes known.
    var error = 0.3 * (2 * generator.part() - 1)
    for second in 0..<1_200 {
      if second % 10 == 0 { error = 0.97 * error + 0.02 * (2 * generator.part() - 1) }
      let median = (1_200 - Double(second)) * Logarithms.exp(error)
      let value = shown.advance(to: .seconds(second), forecast: range(median, by: 1.3))
      changes += value == before ? 0 : 1
      before = value
    }
    // The steps from 25 minutes on, each a second time at most: 40 times or less in 20 minutes is twice a minute.
    #expect(changes <= 40, "changes \(changes)")
  }

  @Test func `Rounding is never more than 0.65 steps beside the time`() {
    var generator = SeededRandom(state: 3)
    var readable = ReadableTime()
    for _ in 0..<20_000 {
      let exact = Logarithms.exp(14 * generator.part())
      let shown = readable.show(exact)
      let step = Double(max(ReadableTime.step(above: shown), ReadableTime.step(below: shown)))
      #expect(abs(Double(shown) - exact) <= 0.65 * step + 1e-9)
    }
  }

  @Test func `A step that becomes finer lets nothing rise`() {
    var readable = ReadableTime()
    #expect(readable.show(400, step: 300) == 300)
    #expect(readable.show(399, step: 60) == 300)
    #expect(readable.show(280, step: 60) == 300)
    #expect(readable.show(255, step: 60) == 240)
  }
}
