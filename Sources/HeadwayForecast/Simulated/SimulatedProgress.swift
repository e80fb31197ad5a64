/// The progress of work that cannot be measured: steps of which only the ends are known.
///
/// Each step has an accumulated weight: the part of the whole that is done when the step is. The duration of the first
/// step is estimated by the caller, and that of each further one from the steps that have finished. In between the
/// value moves in a straight line; at the end of a step that takes longer it waits.
///
/// ```swift
/// var progress = SimulatedProgress()
/// try progress.setUp(steps: 3, weights: [0.2, 0.7, 1])
/// try progress.start(expecting: .seconds(2), at: .zero)
/// progress.fraction(at: .seconds(1))          // 0.1
/// try progress.finishStep(at: .seconds(4))    // twice as slow as thought
/// progress.fraction(at: .seconds(9))          // 0.45: the second step is expected to take ten seconds
/// ```
///
/// ```
///               start                time passes, addSteps
/// initialized ────────▶ running ◀──────────────────────▶ suspended
///                       ▲ │  │ finishStep                     │
///                 start │ │  └──────────▶ finished            │
///                       │ │ reset            │ reset          │ reset
///                       reset ◀──────────────┴────────────────┘
/// ```
///
/// A step may hold several things that go on at a time: one of concurrency n is done when `finishStep` was called n
/// times. A call that the state does not allow throws and changes nothing.
///
/// The time is an argument, on any line that the caller chooses; one before the latest that was seen counts as that.
/// A pure value. Not thread safe; `SimulatedProgressRun` in HeadwayLaunch runs it on a clock. The technique, with its
/// two strategies and its states, was published in Chinese under the title "a generator of fake progress in
/// Objective-C" on 29 November 2020; every call takes O(1) time but for those that hand in steps or reset.
public struct SimulatedProgress: Hashable, Sendable {
  /// The way in which the duration of a step is estimated; *w* are the weights of single steps, *W* the accumulated ones, *t*
  /// the measured durations.
  public enum Strategy: String, Hashable, Sendable, CaseIterable, Codable {
    /// From the step before: *tₙ = wₙ / wₙ₋₁ · tₙ₋₁*. It follows changes at once.
    case recent
    /// From all steps before: *tₙ = wₙ / Wₙ₋₁ · Σ tᵢ*. It is calmer, late in the run above all.
    case average
  }

  /// Where the work stands.
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nothing has begun.
    case initialized
    /// A step goes on, and the value moves.
    case running
    /// The value stands at the end of a step that has not finished, or of the last step that is known.
    case suspended
    /// It was taken back to the beginning.
    case reset
    /// All steps have finished, and their weights are complete.
    case finished
  }

  /// A step.
  private struct Step: Hashable, Sendable {
    /// The part of the whole that is done when the step is.
    var weight: Double
    /// How often `finishStep` has to be called.
    var concurrency: Int
  }

  /// How long finished steps took.
  private struct Measured: Hashable, Sendable {
    /// All of them.
    var all = Duration.zero
    /// The last one.
    var last = Duration.zero
    /// The weight of the last one alone.
    var lastWeight = 0.0
  }

  /// From what the durations of steps are estimated.
  package let strategy: Strategy
  /// The steps that are known.
  private var steps: [Step] = []
  /// How many of them were set up; those behind were added on the way.
  private var setUpCount = 0
  /// Where the work stood at `latest`.
  private var phase = State.initialized
  /// The latest time that was seen.
  private var latest = Duration.zero
  /// The steps that have finished.
  private var finishedSteps = 0
  /// How often `finishStep` was called for the present step.
  private var finishedParts = 0
  /// When the present step began.
  private var stepBegin = Duration.zero
  /// How long the present step is expected to take.
  private var stepEstimate = Duration.zero
  /// How long the finished steps took.
  private var measured = Measured()

  /// Creates the progress of work that has not begun.
  ///
  /// - Parameter strategy: From what the durations of steps are estimated.
  public init(strategy: Strategy = .recent) { self.strategy = strategy }

  /// The number of steps that are known.
  public var stepCount: Int { steps.count }
  /// The number of steps that have finished.
  public var finishedStepCount: Int { finishedSteps }

  /// How long the present step is expected to take, nil when none goes on.
  package var expectedStepDuration: Duration? { isInStep ? stepEstimate : nil }

  /// When the value stands still unless something happens, nil while it stands.
  package var standsStill: Duration? {
    phase == .running ? stepBegin + stepEstimate : nil
  }

  /// Where the work stands at a time.
  public func state(at now: Duration) -> State {
    guard phase == .running, let end = standsStill else { return phase }
    return max(now, latest) >= end ? .suspended : .running
  }

  /// The raw value at a time, from 0 to 1.
  ///
  /// It stands at the end of a step that takes longer than expected, even at 1, and goes to the end of a step at once that
  /// finishes early. What is shown to people has to glide there and to stay below 1 until the state is finished.
  public func fraction(at now: Duration) -> Double {
    switch phase {
    case .initialized, .reset: return 0
    case .finished: return 1
    case .running, .suspended: break
    }
    guard isInStep else { return reached }
    let elapsed = max(now, latest) - stepBegin
    if elapsed >= stepEstimate { return steps[finishedSteps].weight }
    return reached + stepWeight * (elapsed / stepEstimate)
  }
}

// MARK: - Calls

extension SimulatedProgress {
  /// Sets the steps up, in place of those of an earlier set-up.
  ///
  /// - Parameters:
  ///   - count: The number of steps, at least 1.
  ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
  ///   - weights: The accumulated weights, each above the one before and at most 1; equal steps when nil.
  /// - Throws: ``SimulatedProgressError``: unless the state is initialized or reset, and for numbers that make no sense.
  public mutating func setUp(
    steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try require([.initialized, .reset], at: latest)
    steps = try Self.steps(count, concurrencies, weights, above: 0)
    setUpCount = count
  }

  /// Begins the first step.
  ///
  /// - Parameters:
  ///   - estimate: How long the first step is expected to take; above zero.
  ///   - now: The time.
  /// - Returns: The states that were entered, in order.
  /// - Throws: ``SimulatedProgressError``: unless the state is initialized or reset and steps were set up, and for an
  ///   estimate that is not above zero.
  @discardableResult
  public mutating func start(
    expecting estimate: Duration, at now: Duration
  ) throws(SimulatedProgressError) -> [State] {
    try require([.initialized, .reset], at: latest)
    if steps.isEmpty { throw .notSetUp }
    guard estimate > .zero else { throw .estimate(estimate) }
    // A new time line: after a reset it may begin anywhere.
    latest = now
    begin(expecting: estimate)
    phase = .running
    return [.running]
  }

  /// Adds steps behind those that are known.
  ///
  /// - Parameters:
  ///   - count: The number of steps, at least 1.
  ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
  ///   - weights: The accumulated weights, above those of the steps before; what is left, divided equally, when nil.
  ///   - now: The time. Where all steps before have finished, the first of the added ones begins now.
  /// - Returns: The states that were entered, in order.
  /// - Throws: ``SimulatedProgressError``: unless the state is running or suspended, and for numbers that make no sense.
  @discardableResult
  public mutating func addSteps(
    _ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil, at now: Duration
  ) throws(SimulatedProgressError) -> [State] {
    try require([.running, .suspended], at: now)
    let added = try Self.steps(count, concurrencies, weights, above: steps.last?.weight ?? 0)
    var entered = advance(to: now)
    let waits = !isInStep
    steps += added
    if waits {
      begin(expecting: nextEstimate)
      phase = .running
      entered.append(.running)
    }
    return entered
  }

  /// Reports that the current step has finished, or one of its concurrent parts.
  ///
  /// - Parameter now: The time.
  /// - Returns: The states that were entered, in order; running comes before finished, also from suspended.
  /// - Throws: ``SimulatedProgressError``: unless the state is running or suspended, and when every step that is known has
  ///   finished.
  @discardableResult
  public mutating func finishStep(at now: Duration) throws(SimulatedProgressError) -> [State] {
    try require([.running, .suspended], at: now)
    guard isInStep else { throw .everyStepFinished(steps.count) }
    var entered = advance(to: now)
    finishedParts += 1
    guard finishedParts == steps[finishedSteps].concurrency else { return entered }
    if phase == .suspended {
      phase = .running
      entered.append(.running)
    }
    measured.last = latest - stepBegin
    measured.all += measured.last
    measured.lastWeight = stepWeight
    finishedSteps += 1
    finishedParts = 0
    if isInStep {
      begin(expecting: nextEstimate)
    } else {
      phase = reached == 1 ? .finished : .suspended
      entered.append(phase)
    }
    return entered
  }

  /// Goes back to the beginning.
  ///
  /// What was set up stays, so that it may start again, or be set up anew; steps that were added on the way do not, nor
  /// what was measured.
  ///
  /// - Parameter now: The time.
  /// - Throws: ``SimulatedProgressError`` unless the state is running, suspended or finished.
  public mutating func reset(at now: Duration) throws(SimulatedProgressError) {
    try require([.running, .suspended, .finished], at: now)
    latest = max(now, latest)
    steps.removeLast(steps.count - setUpCount)
    (finishedSteps, finishedParts, measured) = (0, 0, Measured())
    phase = .reset
  }

  /// Advances the time.
  ///
  /// - Parameter now: The time.
  /// - Returns: The states that were entered: suspended, or none.
  @discardableResult
  public mutating func advance(to now: Duration) -> [State] {
    latest = max(now, latest)
    guard phase == .running, state(at: latest) == .suspended else { return [] }
    phase = .suspended
    return [.suspended]
  }
}

// MARK: - Steps

extension SimulatedProgress {
  /// The longest time that a step is expected to take: a million years, in which the value does not move.
  private static let longestEstimate = 31_556_952_000_000.0

  /// Whether a step goes on, begun and not finished.
  private var isInStep: Bool {
    (phase == .running || phase == .suspended) && finishedSteps < steps.count
  }

  /// The part of the whole that the finished steps have made.
  private var reached: Double { finishedSteps == 0 ? 0 : steps[finishedSteps - 1].weight }

  /// The weight of the present step alone.
  private var stepWeight: Double { steps[finishedSteps].weight - reached }

  /// How long the step after the finished ones is expected to take.
  private var nextEstimate: Duration {
    let seconds =
      switch strategy {
      case .recent: stepWeight / measured.lastWeight * (measured.last / .seconds(1))
      case .average: stepWeight / reached * (measured.all / .seconds(1))
      }
    return .seconds(min(seconds, Self.longestEstimate))
  }

  /// Begins the step after the finished ones at the latest time.
  private mutating func begin(expecting estimate: Duration) {
    (stepBegin, stepEstimate) = (latest, min(estimate, .seconds(Self.longestEstimate)))
  }

  /// Checks the state.
  private func require(_ allowed: [State], at now: Duration) throws(SimulatedProgressError) {
    let state = state(at: now)
    if !allowed.contains(state) { throw .state(state, allowed: allowed) }
  }

  /// Makes steps of what a caller has handed in.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - concurrencies: How often `finishStep` has to be called for each.
  ///   - weights: The accumulated weights.
  ///   - base: The accumulated weight of the steps before.
  /// - Returns: The steps.
  /// - Throws: ``SimulatedProgressError`` for numbers that make no sense.
  private static func steps(
    _ count: Int, _ concurrencies: [Int]?, _ weights: [Double]?, above base: Double
  ) throws(SimulatedProgressError) -> [Step] {
    guard count >= 1 else { throw .stepCount(count) }
    if base >= 1 { throw .noWeightLeft }
    if let concurrencies {
      if concurrencies.count != count {
        throw .concurrencyCount(concurrencies.count, steps: count)
      }
      for (index, concurrency) in concurrencies.enumerated() where concurrency < 1 {
        throw .concurrency(concurrency, step: index)
      }
    }
    if let weights {
      if weights.count != count { throw .weightCount(weights.count, steps: count) }
      var before = base
      for (index, weight) in weights.enumerated() {
        // Also false for NaN.
        guard weight > before, weight <= 1 else {
          throw .weight(weight, step: index, above: before)
        }
        before = weight
      }
    }
    return (0..<count).map { index in
      let part = Double(index + 1) / Double(count)
      let equal = index + 1 == count ? 1 : base + (1 - base) * part
      return Step(
        weight: weights?[index] ?? equal, concurrency: concurrencies?[index] ?? 1)
    }
  }
}
