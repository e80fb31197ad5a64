/// The progress of work that cannot be measured: steps of which only the ends are known.
///
/// Each step has an accumulated weight: the part of the whole that is done at its end. The duration of the first step
/// is estimated by the caller, and that of each further one from the finished steps. In between, the value moves at
/// constant speed; at the end of a step that takes longer than expected it waits.
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
/// A step may consist of several concurrent parts: a step with concurrency n is done when `finishStep` was called n
/// times. A call that is not allowed in the current state throws and changes nothing.
///
/// The time is an argument, with any origin; a time before the latest one counts as the latest one. A pure value. Not
/// thread safe; `SimulatedProgressRun` in HeadwayLaunch runs it on a clock. The technique, with its two strategies and
/// its states, was published in Chinese under the title "a generator of fake progress in Objective-C" on 29 November
/// 2020. Every call takes O(1) time, except for those that set or add steps or reset.
public struct SimulatedProgress: Hashable, Sendable {
  /// How the duration of a step is estimated; *w* are the weights of single steps, *W* the accumulated weights, and *t*
  /// the measured durations.
  public enum Strategy: String, Hashable, Sendable, CaseIterable, Codable {
    /// From the previous step: *tₙ = wₙ / wₙ₋₁ · tₙ₋₁*. It follows changes at once.
    case recent
    /// From all previous steps: *tₙ = wₙ / Wₙ₋₁ · Σ tᵢ*. It is steadier, especially late in the work.
    case average
  }

  /// The states of the work.
  ///
  /// ```swift
  /// let states = progress.advance(to: .seconds(60))  // the first step should have ended long ago
  /// let isWaiting = states.last == .suspended  // true
  /// ```
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
    /// The work has not started.
    case initialized
    /// A step is running, and the value moves.
    case running
    /// The value waits at the end of a step that has not finished, or of the last known step.
    case suspended
    /// The work was reset to the beginning.
    case reset
    /// All steps have finished, and the accumulated weight is 1.
    case finished
  }

  /// A step.
  private struct Step: Hashable, Sendable {
    /// The part of the whole that is done at the end of the step.
    var weight: Double
    /// How often `finishStep` must be called.
    var concurrency: Int
  }

  /// The durations of finished steps.
  private struct Measured: Hashable, Sendable {
    /// The sum of all.
    var all = Duration.zero
    /// The last one.
    var last = Duration.zero
    /// The weight of the last one.
    var lastWeight = 0.0
  }

  /// How the duration of a step is estimated.
  package let strategy: Strategy
  /// The known steps.
  private var steps: [Step] = []
  /// The number of steps that were set up; the others were added later.
  private var setUpCount = 0
  /// The state at `latest`.
  private var phase = State.initialized
  /// The latest time.
  private var latest = Duration.zero
  /// The number of finished steps.
  private var finishedSteps = 0
  /// How often `finishStep` was called for the current step.
  private var finishedParts = 0
  /// The start of the current step.
  private var stepBegin = Duration.zero
  /// The expected duration of the current step.
  private var stepEstimate = Duration.zero
  private var measured = Measured()

  /// Creates the progress of work that has not started.
  ///
  /// - Parameter strategy: How the duration of a step is estimated.
  public init(strategy: Strategy = .recent) { self.strategy = strategy }

  /// The number of known steps.
  public var stepCount: Int { steps.count }
  /// The number of finished steps.
  public var finishedStepCount: Int { finishedSteps }

  /// The expected duration of the current step, nil if there is none.
  package var expectedStepDuration: Duration? { isInStep ? stepEstimate : nil }

  /// When the value stops unless something happens, nil if it does not move.
  package var standsStill: Duration? {
    phase == .running ? stepBegin + stepEstimate : nil
  }

  /// The state at a time.
  public func state(at now: Duration) -> State {
    guard phase == .running, let end = standsStill else { return phase }
    return max(now, latest) >= end ? .suspended : .running
  }

  /// The raw value at a time, from 0 to 1.
  ///
  /// It waits at the end of a step that takes longer than expected, even at 1, and jumps to the end of a step that
  /// finishes early. For display, use ``ShownProgress``, which glides and stays below 1 until the work is finished.
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
  /// Sets the steps, replacing those that were set before.
  ///
  /// - Parameters:
  ///   - count: The number of steps, at least 1.
  ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
  ///   - weights: The accumulated weights, ascending and at most 1; equal steps if nil.
  /// - Throws: ``SimulatedProgressError`` unless the state is initialized or reset, or if the arguments are invalid.
  public mutating func setUp(
    steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try require([.initialized, .reset], at: latest)
    steps = try Self.steps(count, concurrencies, weights, above: 0)
    setUpCount = count
  }

  /// Starts the first step.
  ///
  /// - Parameters:
  ///   - estimate: The expected duration of the first step, above zero.
  ///   - now: The time.
  /// - Returns: The states that were entered, in order.
  /// - Throws: ``SimulatedProgressError`` unless the state is initialized or reset and steps were set, or if the
  ///   estimate is not above zero.
  @discardableResult
  public mutating func start(
    expecting estimate: Duration, at now: Duration
  ) throws(SimulatedProgressError) -> [State] {
    try require([.initialized, .reset], at: latest)
    if steps.isEmpty { throw .notSetUp }
    guard estimate > .zero else { throw .estimate(estimate) }
    // A new origin: after a reset the time may begin anywhere.
    latest = now
    begin(expecting: estimate)
    phase = .running
    return [.running]
  }

  /// Adds steps after the known ones.
  ///
  /// - Parameters:
  ///   - count: The number of steps, at least 1.
  ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
  ///   - weights: The accumulated weights, above those of the earlier steps; if nil, the remaining weight is divided
  ///     equally.
  ///   - now: The time. If all known steps have finished, the first added step starts now.
  /// - Returns: The states that were entered, in order.
  /// - Throws: ``SimulatedProgressError`` unless the state is running or suspended, or if the arguments are invalid.
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
  /// - Throws: ``SimulatedProgressError`` unless the state is running or suspended, or if all known steps have
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

  /// Returns to the beginning.
  ///
  /// The steps that were set stay, so the work can start again, or other steps can be set. Added steps and measured
  /// durations are discarded.
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
  /// The maximum expected duration of a step: a million years, in which the value does not move.
  private static let longestEstimate = 31_556_952_000_000.0

  /// Whether a step is running.
  private var isInStep: Bool {
    (phase == .running || phase == .suspended) && finishedSteps < steps.count
  }

  /// The accumulated weight of the finished steps.
  private var reached: Double { finishedSteps == 0 ? 0 : steps[finishedSteps - 1].weight }

  /// The weight of the current step alone.
  private var stepWeight: Double { steps[finishedSteps].weight - reached }

  /// The expected duration of the step after the finished ones.
  private var nextEstimate: Duration {
    let seconds =
      switch strategy {
      case .recent: stepWeight / measured.lastWeight * (measured.last / .seconds(1))
      case .average: stepWeight / reached * (measured.all / .seconds(1))
      }
    return .seconds(min(seconds, Self.longestEstimate))
  }

  /// Starts the step after the finished ones at the latest time.
  private mutating func begin(expecting estimate: Duration) {
    (stepBegin, stepEstimate) = (latest, min(estimate, .seconds(Self.longestEstimate)))
  }

  /// Checks the state.
  private func require(_ allowed: [State], at now: Duration) throws(SimulatedProgressError) {
    let state = state(at: now)
    if !allowed.contains(state) { throw .state(state, allowed: allowed) }
  }

  /// Creates steps from the arguments of a caller.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - concurrencies: How often `finishStep` must be called for each.
  ///   - weights: The accumulated weights.
  ///   - base: The accumulated weight of the earlier steps.
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
