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
public struct SimulatedProgress : Hashable, Sendable {

    /// From what the duration of a step is estimated; *w* are the weights of single steps, *W* the accumulated ones, *t*
    /// the measured durations.
    public enum Strategy : String, Hashable, Sendable, CaseIterable, Codable {

        /// From the step before: *tₙ = wₙ / wₙ₋₁ · tₙ₋₁*. It follows changes at once.
        case recent

        /// From all steps before: *tₙ = wₙ / Wₙ₋₁ · Σ tᵢ*. It is calmer, late in the run above all.
        case average
    }

    /// Where the work stands.
    public enum State : String, Hashable, Sendable, CaseIterable, Codable {

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

    /// From what the durations of steps are estimated.
    public let strategy: HeadwayForecast.SimulatedProgress.Strategy

    /// Creates the progress of work that has not begun.
    ///
    /// - Parameter strategy: From what the durations of steps are estimated.
    public init(strategy: HeadwayForecast.SimulatedProgress.Strategy = .recent)

    /// The number of steps that are known.
    public var stepCount: Int { get }

    /// The number of steps that have finished.
    public var finishedStepCount: Int { get }

    /// How long the present step is expected to take, nil when none goes on.
    public var expectedStepDuration: Duration? { get }

    /// When the value stands still unless something happens, nil while it stands.
    public var standsStill: Duration? { get }

    /// Where the work stands at a time.
    public func state(at now: Duration) -> HeadwayForecast.SimulatedProgress.State

    /// The raw value at a time, from 0 to 1.
    ///
    /// It stands at the end of a step that takes longer than expected, even at 1, and goes to the end of a step at once that
    /// finishes early. What is shown to people has to glide there and to stay below 1 until the state is finished.
    public func fraction(at now: Duration) -> Double
}

extension SimulatedProgress {

    /// Sets the steps up, in place of those of an earlier set-up.
    ///
    /// - Parameters:
    ///   - count: The number of steps, at least 1.
    ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
    ///   - weights: The accumulated weights, each above the one before and at most 1; equal steps when nil.
    /// - Throws: ``SimulatedProgressError``: unless the state is initialized or reset, and for numbers that make no sense.
    public mutating func setUp(steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Begins the first step.
    ///
    /// - Parameters:
    ///   - estimate: How long the first step is expected to take; above zero.
    ///   - now: The time.
    /// - Returns: The states that were entered, in order.
    /// - Throws: ``SimulatedProgressError``: unless the state is initialized or reset and steps were set up, and for an
    ///   estimate that is not above zero.
    @discardableResult
    public mutating func start(expecting estimate: Duration, at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

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
    public mutating func addSteps(_ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil, at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

    /// Takes note that the present step has finished, or one of the things that go on in it at a time.
    ///
    /// - Parameter now: The time.
    /// - Returns: The states that were entered, in order; running comes before finished, also from suspended.
    /// - Throws: ``SimulatedProgressError``: unless the state is running or suspended, and when every step that is known has
    ///   finished.
    @discardableResult
    public mutating func finishStep(at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

    /// Goes back to the beginning.
    ///
    /// What was set up stays, so that it may start again, or be set up anew; steps that were added on the way do not, nor
    /// what was measured.
    ///
    /// - Parameter now: The time.
    /// - Throws: ``SimulatedProgressError`` unless the state is running, suspended or finished.
    public mutating func reset(at now: Duration) throws(HeadwayForecast.SimulatedProgressError)

    /// Takes note of the time.
    ///
    /// - Parameter now: The time.
    /// - Returns: The states that were entered: suspended, or none.
    @discardableResult
    public mutating func advance(to now: Duration) -> [HeadwayForecast.SimulatedProgress.State]
}

/// Why a call of ``SimulatedProgress`` was refused; nothing has changed then.
@nonexhaustive public enum SimulatedProgressError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The state does not allow the call.
    case state(HeadwayForecast.SimulatedProgress.State, allowed: [HeadwayForecast.SimulatedProgress.State])

    /// It was to start before its steps were set up.
    case notSetUp

    /// The first step was expected to take no time, or less.
    case estimate(Duration)

    /// The number of steps is not at least 1.
    case stepCount(Int)

    /// There are more or fewer concurrencies than steps.
    case concurrencyCount(Int, steps: Int)

    /// The concurrency of a step, counted from 0 in the call, is not at least 1.
    case concurrency(Int, step: Int)

    /// There are more or fewer weights than steps.
    case weightCount(Int, steps: Int)

    /// The weight of a step, counted from 0 in the call, is not above the one before, or above 1.
    case weight(Double, step: Int, above: Double)

    /// Steps were to be added behind one whose accumulated weight is 1.
    case noWeightLeft

    /// Every step that is known has finished, as many as told.
    case everyStepFinished(Int)

    /// The error in words, with what to do.
    public var description: String { get }
}

