import HeadwayForecast
import Testing

/// The published technique, on times that were worked out by hand.
struct SimulatedProgressTests {
  /// The published example at the moment at which its fourth step has finished and a fifth was added.
  private func example(
    _ strategy: SimulatedProgress.Strategy
  ) throws -> SimulatedProgress {
    var progress = SimulatedProgress(strategy: strategy)
    try progress.setUp(steps: 4, weights: [0.1, 0.3, 0.6, 0.75])
    try progress.start(expecting: .seconds(1), at: .zero)
    return progress
  }

  /// Runs the published example and reads its value at some times.
  private func course(
    _ strategy: SimulatedProgress.Strategy, at times: [Double]
  ) throws -> [Double] {
    var progress = try example(strategy)
    var finishes: [Double] = [1, 3, 6, 7, 10, 11]
    return try times.map { time in
      while let next = finishes.first, next <= time {
        try progress.finishStep(at: .seconds(next))
        if next == 7 {
          try progress.addSteps(1, concurrencies: [2], weights: [1], at: .seconds(7))
        }
        finishes.removeFirst()
      }
      return progress.fraction(at: .seconds(time))
    }
  }

  /// Compares two lists of values.
  private func expect(
    _ values: [Double], _ others: [Double], _ location: SourceLocation = #_sourceLocation
  ) {
    for (value, other) in zip(values, others) {
      #expect(abs(value - other) < 1e-12, "\(value) is not \(other)", sourceLocation: location)
    }
    #expect(values.count == others.count, sourceLocation: location)
  }

  @Test func `The published example takes the course that its strategy says`() throws {
    // Step 1 goes to 0.1 in 1 s. By the step before: step 2 in 0.2/0.1 · 1 = 2 s, step 3 in 0.3/0.2 · 2 = 3 s, step 4 in
    // 0.15/0.3 · 3 = 1.5 s and is over after 1, step 5 in 0.25/0.15 · 1 = 5/3 s: it stands at 1 from 8 2/3 s on.
    expect(
      try course(.recent, at: [0, 0.5, 1, 2, 3, 4.5, 6, 6.75, 7, 7.5, 8, 26.0 / 3, 10, 10.9, 11]),
      [0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.675, 0.75, 0.825, 0.9, 1, 1, 1, 1])
    // By all steps before: step 2 in 0.2/0.1 · 1 = 2 s, step 3 in 0.3/0.3 · 3 = 3 s, step 4 in 0.15/0.6 · 6 = 1.5 s,
    // step 5 in 0.25/0.75 · 7 = 7/3 s: it stands at 1 from 9 1/3 s on.
    expect(
      try course(.average, at: [0.5, 2, 4.5, 6.75, 7, 7 + 7.0 / 6, 8.4, 28.0 / 3, 10, 11]),
      [0.05, 0.2, 0.45, 0.675, 0.75, 0.875, 0.9, 1, 1, 1])
  }

  @Test func `The average is the calmer of the two late in the run`() throws {
    let times = stride(from: 7.0, through: 11, by: 0.1).map { $0 }
    let (recent, average) = (try course(.recent, at: times), try course(.average, at: times))
    /// The largest change of speed from one look to the next.
    func roughness(_ values: [Double]) -> Double {
      var worst = 0.0
      for index in 2..<values.count {
        let (before, after) = (
          values[index - 1] - values[index - 2], values[index] - values[index - 1]
        )
        worst = max(worst, abs(after - before))
      }
      return worst
    }
    #expect(roughness(average) < roughness(recent))
    for (calm, rough) in zip(average, recent) { #expect(calm <= rough) }
  }

  @Test func `The states are entered as published`() throws {
    var progress = try example(.recent)
    #expect(progress.state(at: .milliseconds(999)) == .running)
    #expect(progress.state(at: .seconds(1)) == .suspended)
    #expect(try progress.finishStep(at: .seconds(2)) == [.suspended, .running])
    // Four seconds are expected now, as the first step took two.
    let expected = try #require(progress.expectedStepDuration)
    #expect(abs(expected / .seconds(4) - 1) < 1e-12)
    #expect(progress.advance(to: .seconds(5)) == [])
    #expect(progress.advance(to: .milliseconds(6_001)) == [.suspended])
    #expect(progress.advance(to: .seconds(7)) == [])
    #expect(try progress.finishStep(at: .seconds(7)) == [.running])
    #expect(try progress.finishStep(at: .seconds(8)) == [])
    // All that is known has finished below 1: it waits.
    #expect(try progress.finishStep(at: .milliseconds(8_100)) == [.suspended])
    #expect(progress.fraction(at: .seconds(100)) == 0.75)
    #expect(progress.expectedStepDuration == nil && progress.standsStill == nil)
    #expect(try progress.addSteps(2, at: .seconds(9)) == [.running])
    #expect(progress.stepCount == 6)
    #expect(try progress.finishStep(at: .milliseconds(9_500)) == [.suspended, .running])
    #expect(progress.fraction(at: .milliseconds(9_500)) == 0.875)
    #expect(try progress.finishStep(at: .seconds(11)) == [.suspended, .running, .finished])
    #expect(progress.fraction(at: .zero) == 1)
    try progress.reset(at: .seconds(12))
    #expect(progress.state(at: .seconds(12)) == .reset)
    #expect(progress.fraction(at: .seconds(12)) == 0)
    // What was set up stays, and what was added does not.
    #expect(progress.stepCount == 4)
    #expect(try progress.start(expecting: .seconds(2), at: .seconds(3)) == [.running])
    #expect(progress.fraction(at: .seconds(4)) == 0.05)
  }

  @Test func `Equal steps have equal weights, added ones divide what is left`() throws {
    var progress = SimulatedProgress()
    try progress.setUp(steps: 3)
    try progress.start(expecting: .seconds(1), at: .zero)
    var seen: [Double] = []
    for second in 1...3 {
      try progress.finishStep(at: .seconds(second))
      seen.append(progress.fraction(at: .seconds(second)))
    }
    #expect(seen == [1.0 / 3, 2.0 / 3, 1])
    #expect(progress.state(at: .seconds(3)) == .finished)
    var growing = SimulatedProgress(strategy: .average)
    try growing.setUp(steps: 1, weights: [0.4])
    try growing.start(expecting: .seconds(4), at: .zero)
    try growing.addSteps(3, concurrencies: [1, 2, 1], at: .seconds(1))
    for second in [4, 6, 6] { try growing.finishStep(at: .seconds(second)) }
    #expect(abs(growing.fraction(at: .seconds(6)) - 0.6) < 1e-12)
    #expect(growing.finishedStepCount == 2)
  }

  @Test func `A step of some concurrency is done when all of it is`() throws {
    var progress = SimulatedProgress()
    try progress.setUp(steps: 2, concurrencies: [3, 1], weights: [0.5, 1])
    try progress.start(expecting: .seconds(10), at: .zero)
    try progress.finishStep(at: .seconds(1))
    try progress.finishStep(at: .seconds(2))
    #expect(progress.fraction(at: .seconds(5)) == 0.25)
    try progress.finishStep(at: .seconds(5))
    #expect(progress.fraction(at: .seconds(5)) == 0.5)
    #expect(progress.expectedStepDuration == .seconds(5))
  }

  @Test func `Steps that take no time, and weights far apart, give a value between 0 and 1`() throws
  {
    for strategy in SimulatedProgress.Strategy.allCases {
      var progress = SimulatedProgress(strategy: strategy)
      try progress.setUp(steps: 3, weights: [1e-300, 0.5, 1])
      try progress.start(expecting: .nanoseconds(1), at: .zero)
      try progress.finishStep(at: .seconds(31_536_000))
      let far = progress.fraction(at: .seconds(63_072_000))
      #expect(far >= 0 && far < 1e-3)
      try progress.finishStep(at: .seconds(31_536_000))
      #expect((0.5...1).contains(progress.fraction(at: .seconds(31_536_001))))
      // A clock that was set back shows what was shown.
      #expect(progress.fraction(at: .zero) == progress.fraction(at: .seconds(31_536_000)))
    }
  }

  @Test func `An estimate of ages is one of a million years`() throws {
    var progress = SimulatedProgress()
    try progress.setUp(steps: 2)
    try progress.start(expecting: Duration(attoseconds: .max), at: .zero)
    #expect(progress.fraction(at: .seconds(31_556_952)) < 1e-6)
    try progress.finishStep(at: .seconds(31_556_952))
    #expect(progress.fraction(at: .seconds(31_556_952)) == 0.5)
  }
}
