/// The remaining time of work that is counted, such as bytes or items, which does not jump.
///
/// Tell it the count whenever that changes, as often as you like, and ask for the remaining time whenever you draw.
///
/// ```swift
/// var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)  // a download that begins at 40 %
/// estimator.report(430, at: .seconds(3))
/// estimator.rate(at: .seconds(3))         // 10 a second: the first 400 are no speed
/// estimator.remaining(at: .seconds(3))    // 57 s
/// estimator.remaining(at: .seconds(4))    // 56 s: nothing was reported, and the clock runs down
/// ```
///
/// There are two remaining times. ``estimate(at:)`` is what the counts say: what is left, divided by a speed whose
/// horizon grows with the job and starts anew where the speed changes for good, less the time since the last count as
/// long as such a gap is usual for this job. ``remaining(at:)`` is what to show: a clock that counts down a second each
/// second and is steered. It is left alone while it differs from the estimate by less than the estimate's own standard
/// error, because that is noise and no news; a greater difference is taken back by *d / (d + 4 s)* in a time *d*, so
/// half of it within four seconds.
///
/// ```
/// counts ──▶ gaps and stretches ──▶ speed ──▶ estimate ──▶ steered clock ──▶ remaining
///              standing still,        growing     less usual      ±1 standard error
///              lasting changes        horizon     gaps            is no news
/// ```
///
/// Three things are no speed: what was completed at the start, what ``skip(to:at:)`` adds, and what is reported in a
/// pause. Paused time is not counted; nor is a gap far longer than this job's usual ones, the first time. In such a gap
/// the remaining time stands, and ``standstill(at:)`` says for how long nothing has come.
///
/// Every input has a defined result. The time is an argument, on any line that you choose; one before the latest that
/// was seen counts as that. A count that is not a finite number is ignored, one below zero is zero, one above 2⁶³ is
/// that. A count may go back: what is done again counts as work. The total may be unknown, grow and shrink; when it is
/// not above what is completed, nothing remains.
///
/// A pure value that reads no clock. Not thread safe. Every call takes O(1) time and memory and allocates nothing; the
/// value has a little less than a kilobyte.
///
/// The mean with exponential weights is textbook knowledge, the standing clock was seen in many programs; the formulas
/// of tqdm, rich, indicatif and GNU parallel stand beside this one in `headway-bench rate`.
public struct RateEstimator : Hashable, Sendable {

    /// Creates an estimator of work that begins now.
    ///
    /// - Parameters:
    ///   - total: How much there is to do, in units of your choice; nil, a negative number and one that is not finite say
    ///     that it is not known.
    ///   - completed: How much is done already, such as the part of a download that is resumed.
    ///   - now: The time.
    public init(total: Double? = nil, completed: Double = 0, at now: Duration)

    /// How much is done, from 0 to 2⁶³ units.
    public var completed: Double { get }

    /// How much there is to do, from 0 to 2⁶³ units, nil when it is not known.
    ///
    /// It may be set at any time. A negative number and one that is not finite say that it is not known.
    public var total: Double?

    /// The part of the total that is done, from 0 to 1, nil when the total is not known.
    public var fraction: Double? { get }

    /// Whether everything is done.
    public var isFinished: Bool { get }

    /// Whether the work is paused.
    public var isPaused: Bool { get }

    /// How often the speed has changed for good, as far as the counts say.
    public var speedChanges: Int { get }

    /// The standard error of the speed as a part of it, 1 as long as nothing can be said.
    ///
    /// - Complexity: O(1).
    public var uncertainty: Double { get }
}

extension RateEstimator {

    /// Takes note of how much is done.
    ///
    /// What is reported at the very moment of the start, or in a pause, is done and says nothing about the speed.
    ///
    /// - Parameters:
    ///   - completed: How much is done in all, in the units of the total.
    ///   - now: The time.
    /// - Returns: Whether it was taken; false for what is not a finite number.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func report(_ completed: Double, at now: Duration) -> Bool

    /// Takes note of how much is done, where the difference took no work, such as items that were up to date.
    ///
    /// - Parameters:
    ///   - completed: How much is done in all, in the units of the total.
    ///   - now: The time.
    /// - Returns: Whether it was taken; false for what is not a finite number.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func skip(to completed: Double, at now: Duration) -> Bool

    /// Stops the time; the remaining time stands until the work resumes.
    ///
    /// Without effect in a pause.
    ///
    /// - Parameter now: The time.
    public mutating func pause(at now: Duration)

    /// Lets the time go on.
    ///
    /// Without effect unless paused.
    ///
    /// - Parameter now: The time.
    public mutating func resume(at now: Duration)
}

extension RateEstimator {

    /// The speed of work, nil in the first second and before the first count.
    ///
    /// - Parameter now: The time.
    /// - Returns: The units for each second of work, above zero.
    /// - Complexity: O(1).
    public func rate(at now: Duration) -> Double?

    /// The remaining time that the counts say, nil when the total or the speed is not known, zero when all is done.
    ///
    /// It moves with every count. Show ``remaining(at:)`` instead.
    ///
    /// - Parameter now: The time.
    /// - Returns: At most a hundred years.
    /// - Complexity: O(1).
    public func estimate(at now: Duration) -> Duration?

    /// The range in which the remaining time lies eight times in ten if the work goes on as it did.
    ///
    /// Work whose speed varies has varied less in the mean of a long time than it will in the short time that is left:
    /// with the estimate *e*, the standard error *s* of the speed as a part of it, and the time *T* that it was taken
    /// from, the range goes from *e / (1 + 1.38 r)* to *e · (1 + 1.38 r)* with *r = s · √(1.8 + T / e)*. The first term
    /// is for the speed, which is taken with fading weights and so less sure by 9/5, the second for the work that is left.
    /// 1.38 is Student's factor for ten stretches. It does not foresee a lasting change.
    ///
    /// - Parameter now: The time.
    /// - Returns: The range, nil where there is no estimate and before four stretches of at least a second are known.
    /// - Complexity: O(1).
    public func range(at now: Duration) -> ClosedRange<Duration>?

    /// The time for which nothing has come beyond what is usual for this job, nil while it moves.
    ///
    /// A gap is usual when it is at most a second, or at most four times the longest of late. As long as fewer than eight
    /// counts have come, every gap is.
    ///
    /// - Parameter now: The time.
    /// - Returns: The time of work since the last count, pauses apart.
    /// - Complexity: O(1).
    public func standstill(at now: Duration) -> Duration?

    /// The remaining time to show, nil when the total or the speed is not known, zero when all is done.
    ///
    /// It counts down a second each second, stands in a pause and while the work stands still, and is steered towards the
    /// estimate: in a time *d* since it was last asked it moves beside the clock by at most *d / (d + 4 s)* of the
    /// difference. The first one is the estimate.
    ///
    /// - Parameter now: The time.
    /// - Returns: From one second to a hundred years as long as something is left.
    /// - Complexity: O(1), without allocation.
    public mutating func remaining(at now: Duration) -> Duration?
}

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

