import HeadwayCollections
import HeadwayRun

/// The earlier runs of a plan: the durations of its tasks, and the errors of its forecasts.
///
/// A task is recognized by its name and kind. The duration of a failed or cancelled task is only a lower bound.
public struct DurationHistory : Hashable, Sendable {

    /// The duration of a task in an earlier run.
    public struct Sample : Hashable, Sendable {

        /// The name of the task, the same in every run.
        public var name: String

        /// The kind of task; tasks of one kind take similar times.
        public var kind: String

        /// The duration from the start of the first attempt; a negative one counts as zero.
        public var duration: Duration

        /// The duration of the last attempt, nil if there was only one.
        public var lastAttempt: Duration?

        /// Whether the task failed or was cancelled, so that the duration is a lower bound.
        public var isCensored: Bool

        /// Creates a sample.
        ///
        /// - Parameters:
        ///   - name: The name of the task.
        ///   - kind: The kind of the task, empty if it has none.
        ///   - duration: The duration from the start of the first attempt.
        ///   - lastAttempt: The duration of the last attempt, nil if there was only one.
        ///   - isCensored: Whether the task failed or was cancelled.
        public init(name: String, kind: String, duration: Duration, lastAttempt: Duration? = nil, isCensored: Bool = false)
    }

    /// A forecast of an earlier run beside the actual remaining time.
    public struct Miss : Hashable, Sendable {

        /// The predicted remaining time.
        public var predicted: HeadwayRun.RemainingTime

        /// The actual remaining time.
        public var actual: Duration

        /// Creates a comparison.
        public init(predicted: HeadwayRun.RemainingTime, actual: Duration)
    }

    /// An earlier run.
    public struct Run : Hashable, Sendable {

        /// The durations of its tasks, without those that were skipped or up to date.
        public var samples: [HeadwayForecast.DurationHistory.Sample]

        /// The number of workers, nil if it is not known.
        public var workers: Int?

        /// About ten of its forecasts, spread evenly over the run, of those that used history.
        public var misses: [HeadwayForecast.DurationHistory.Miss]

        /// Creates a run.
        ///
        /// - Parameters:
        ///   - samples: The durations of its tasks.
        ///   - workers: The number of workers.
        ///   - misses: Some of its forecasts beside the actual remaining times.
        public init(samples: [HeadwayForecast.DurationHistory.Sample], workers: Int? = nil, misses: [HeadwayForecast.DurationHistory.Miss] = [])
    }

    /// The earlier runs, the oldest first.
    public var runs: [HeadwayForecast.DurationHistory.Run]

    /// Creates a history.
    ///
    /// - Parameter runs: The earlier runs, the oldest first; none for the first run of a plan.
    public init(runs: [HeadwayForecast.DurationHistory.Run] = [])
}

/// The input of a forecast: the tasks of a run, their dependencies and the pools.
///
/// Tasks and pools are identified by their indices, from 0.
public struct ForecastInput : Hashable, Sendable {

    /// A task.
    public struct Task : Hashable, Sendable {

        /// The name, by which it is found in history.
        public var name: String

        /// The kind; tasks of one kind take similar times.
        public var kind: String

        /// The index of its pool, nil for none.
        public var pool: Int?

        /// The priority; ready tasks with a higher one start first.
        public var priority: Int

        /// The expected duration given by the user; used if the task is not in history.
        public var hint: Duration?

        /// Creates a task.
        public init(name: String, kind: String = "", pool: Int? = nil, priority: Int = 0, hint: Duration? = nil)
    }

    /// Creates the input of a forecast.
    ///
    /// - Parameters:
    ///   - tasks: The tasks.
    ///   - edges: The dependencies; those of tasks that do not exist are ignored, and tasks on a cycle never run.
    ///   - poolLimits: The number of tasks of each pool that run at a time; less than 1 counts as 1.
    public init(tasks: [HeadwayForecast.ForecastInput.Task], edges: [(before: Int, after: Int)] = [], poolLimits: [Int] = [])
}

/// A forecast of the progress and the remaining time of a run, from earlier runs, the clock and simulations.
///
/// Report what happens in the run, and ask at any time:
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history)
/// forecast.start(0, at: .zero)
/// forecast.end(0, .succeeded, at: .seconds(3))
/// forecast.forecast(at: .seconds(4)).fraction
/// ```
///
/// ```
///   history ──▶ how long each task takes, and how certain that is
///                      │
///   finished tasks ──▶ how fast this run is, and each kind of task in it
///                      │
///   running tasks ──▶  simulations of the remaining tasks, given how long the running ones have run
///                      │
///                      └─▶ the remaining time: the median, and the range that contains four in five simulations
/// ```
///
/// Durations are modelled as log-normal when they are learned and as log-logistic when they are sampled, because that
/// distribution has closed forms for a task that has run for some time. The same random numbers are used every time, so
/// an answer changes only when something has happened. Nothing is computed until it is asked for; reports cost O(1).
///
/// Times are durations since the start of the run, without its pauses; a time before the latest one counts as the latest.
/// A value; not thread safe.
public struct GraphForecast : Sendable {

    /// The order in which ready tasks start.
    public enum Order : Hashable, Sendable {

        /// The task that has been ready for the longest time starts first.
        case firstReady

        /// By priority, then by the expected critical-path length, the longest first, then by index.
        case longestPath
    }

    /// A forecast at a time.
    public struct Answer : Hashable, Sendable {

        /// The fraction of the run that is done, from 0 to 1; it may decrease: show it through `ShownProgress`.
        public var fraction: Double

        /// The remaining time, nil while nothing is known.
        public var remaining: HeadwayRun.RemainingTime?

        /// Whether the forecast uses earlier runs.
        public var hasHistory: Bool
    }

    /// Creates the forecast of a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks and their dependencies.
    ///   - workers: The number of tasks that run at a time; less than 1 counts as 1.
    ///   - history: The earlier runs of the plan.
    ///   - order: The order in which ready tasks start.
    /// - Complexity: O(tasks + edges + samples).
    public init(_ graph: HeadwayForecast.ForecastInput, workers: Int, history: HeadwayForecast.DurationHistory = DurationHistory(), order: HeadwayForecast.GraphForecast.Order = .longestPath)
}

extension GraphForecast {

    /// The forecast at a time.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: The raw fraction, and the remaining time with its range.
    /// - Complexity: O(simulations · (unfinished tasks + edges) · log tasks), at most 24,000 simulated tasks. With more
    ///   than 4,000 unfinished tasks there is one simulation, and only once in a thousandth to a hundredth of the run.
    ///   O(1) if nothing has happened and no time has passed since the last answer.
    public mutating func forecast(at now: Duration) -> HeadwayForecast.GraphForecast.Answer
}

extension GraphForecast {

    /// Records the start of an attempt at a task.
    ///
    /// - Complexity: O(1).
    public mutating func start(_ task: Int, at now: Duration)

    /// Records the end of a task; a task that only groups others may end without having started.
    ///
    /// Only the duration of a success counts; that of a failure or a cancellation says nothing about other tasks, and a
    /// skipped task is not part of the run. A task ends once: a second end, a start and a retry after it change nothing.
    ///
    /// - Complexity: O(dependents).
    public mutating func end(_ task: Int, _ outcome: HeadwayRun.Outcome.Kind, at now: Duration)

    /// Records that an attempt at a task failed and that another one follows.
    ///
    /// - Parameters:
    ///   - task: The index of the task.
    ///   - delay: The time until the next attempt, whose start is reported with `start`.
    ///   - now: The time.
    public mutating func retry(_ task: Int, after delay: Duration, at now: Duration)

    /// Records the fraction of its work that a running task reports.
    ///
    /// - Parameters:
    ///   - task: The index of the task.
    ///   - part: The fraction that is done, above 0 and at most 1; other values are ignored.
    ///   - now: The time.
    public mutating func report(_ task: Int, part: Double, at now: Duration)

    /// Adds a task to the run.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - dependencies: The indices of the tasks that it waits for.
    ///   - now: The time.
    /// - Returns: The index of the task.
    /// - Complexity: O(dependencies), amortized; the next forecast sorts the graph again.
    @discardableResult
    public mutating func add(_ task: HeadwayForecast.ForecastInput.Task, after dependencies: [Int] = [], at now: Duration) -> Int

    /// Removes a task from the run; its dependents do not wait for it any more.
    public mutating func remove(_ task: Int, at now: Duration)
}

extension GraphForecast {

    /// The unfinished tasks on the critical path, each before the one that waits for it.
    ///
    /// - Complexity: O(tasks + edges).
    public mutating func criticalPath(at now: Duration) -> [Int]
}

extension GraphForecast {

    /// The remaining duration of a running task, given how long it has run and the fraction that it has reported.
    ///
    /// - Parameters:
    ///   - task: The index of the task.
    ///   - now: The time.
    /// - Returns: The range, nil if the task does not run, or if it has reported nothing and nothing is known of it or its
    ///   kind from earlier runs or finished tasks of this run.
    /// - Complexity: O(tasks) for the first task that is asked for at a time, O(1) for the others.
    public mutating func remaining(of task: Int, at now: Duration) -> HeadwayRun.RemainingTime?
}

/// The remaining time of work that is counted, such as bytes or items, which does not jump.
///
/// Report the count whenever it changes, as often as you like, and ask for the remaining time whenever you draw.
///
/// ```swift
/// var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)  // a download that begins at 40 %
/// estimator.report(430, at: .seconds(3))
/// estimator.rate(at: .seconds(3))         // 10 a second: the first 400 are no speed
/// estimator.remaining(at: .seconds(3))    // 57 s
/// estimator.remaining(at: .seconds(4))    // 56 s: nothing was reported, and the clock runs down
/// ```
///
/// There are two remaining times. ``estimate(at:)`` follows from the counts: what is left, divided by a speed whose
/// horizon grows with the job and starts anew where the speed changes for good, less the time since the last count as
/// long as such a gap is usual for this job. ``remaining(at:)`` is the value to show: a clock that counts down a second each
/// second and is steered. It is left alone while it differs from the estimate by less than the estimate's own standard
/// error, because that is noise; a greater difference is taken back by *d / (d + 4 s)* in a time *d*, so
/// half of it within four seconds.
///
/// ```
/// counts ──▶ gaps and stretches ──▶ speed ──▶ estimate ──▶ steered clock ──▶ remaining
///              standing still,        growing     less usual      ±1 standard error
///              lasting changes        horizon     gaps            is no news
/// ```
///
/// Three things do not count as speed: what was completed at the start, what ``skip(to:at:)`` adds, and what is reported in a
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
}

extension RateEstimator {

    /// Reports how much is done.
    ///
    /// What is reported at the very moment of the start, or in a pause, is done and says nothing about the speed.
    ///
    /// - Parameters:
    ///   - completed: How much is done in all, in the units of the total.
    ///   - now: The time.
    /// - Returns: Whether the value was used; false if it is not finite.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func report(_ completed: Double, at now: Duration) -> Bool

    /// Reports how much is done, if the difference took no work, such as items that were up to date.
    ///
    /// - Parameters:
    ///   - completed: How much is done in all, in the units of the total.
    ///   - now: The time.
    /// - Returns: Whether the value was used; false if it is not finite.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func skip(to completed: Double, at now: Duration) -> Bool

    /// Stops the time; the remaining time stays the same until the work resumes.
    ///
    /// No effect during a pause.
    ///
    /// - Parameter now: The time.
    public mutating func pause(at now: Duration)

    /// Continues after a pause.
    ///
    /// No effect unless paused.
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

    /// The remaining time that follows from the counts, nil if the total or the speed is not known, zero at the end.
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

    /// The time since the last count if it is unusually long for this job, nil while the count moves.
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

/// The value that a bar shows: it never decreases, always moves while work goes on, and reaches 1 only at the end.
///
/// It follows the forecast at the speed that brings it to its end in time, faster when it is behind and slower when it
/// is ahead, within limits, and changes that speed smoothly. Ahead of the forecast it is slower than would bring it to
/// its end in time, by as much as that is slower than usual, so that it does not wait there. Long steps are taken in
/// short ones, so that what is shown hardly depends on how often it is drawn.
///
/// A pure value; the time is an argument, and one before the latest counts as that.
public struct ShownProgress : Hashable, Sendable {

    /// The shown value, from 0 to 1.
    ///
    /// The last hundredth is kept for the end: the parts before it are drawn ever closer together, so that a bar which has
    /// used up its forecast still moves when the run takes longer, and is not parked at 99 %.
    public var fraction: Double { get }

    /// Creates the value of a run that has not begun.
    public init()

    /// Moves on to a time.
    ///
    /// - Parameters:
    ///   - now: The time since the run began, without pauses.
    ///   - target: The raw fraction that is forecast.
    ///   - remaining: The time that is forecast to remain, nil while nothing is known.
    /// - Returns: The shown value.
    /// - Complexity: O(1), at most 256 short steps of a thousandth of the run.
    @discardableResult
    public mutating func advance(to now: Duration, target: Double, remaining: Duration?) -> Double

    /// Shows the end of the run.
    public mutating func finish()
}

/// The remaining time to show: it counts down one second each second unless the forecast changes.
///
/// Advance it with the forecast at every redraw, with the same time:
///
/// ```swift
/// var shown = ShownRemaining()
/// let first = RemainingTime(low: .seconds(100), median: .seconds(120), high: .seconds(150))
/// shown.advance(to: .zero, forecast: first)  // about 2 min
/// shown.advance(to: .seconds(60), forecast: nil)  // about 1 min: no news, and the clock runs down
/// ```
///
/// ```
///   low, median, high ──▶ steered clocks ──▶ one time or two ──▶ steps ──▶ value
///                          a sixteenth of        as wide as        2 min, not 1 min 53 s
///                          the range is          a factor of 2
///                          no news
/// ```
///
/// 1. *It runs down.* Both ends of the range and the median are moments of the end; what remains falls by a second each
///    second as long as those stand.
/// 2. *Small changes are no news.* A moment stands while the forecast differs from it by less than a sixteenth of
///    the range, and at most a quarter of itself.
/// 3. *Large ones are eased in and not hidden*, up as well as down. The half time is a twentieth of the time that
///    remains, at least one second and at most fifteen: after it half of a lasting change is taken over, and 95 % of it
///    after some three of them, so within 50 s. After a gap between looks that is long beside this, the forecast is
///    shown as it is.
/// 4. *It is a range when unsure*: from a range whose upper end is 2.2 times the lower one on until it is less than 1.8
///    times; both ends count as three seconds more than they are, as nobody minds four seconds beside one.
/// 5. *It is rounded* to 1 s up to 10 s, to 5 s up to a minute, to 1, 5, 15, 30 and 60 minutes up to ten minutes, one
///    hour, three, six and a day, and to half days and days; a range to the steps of its upper end. A step is left only
///    when the time is well beside it.
/// 6. *It does not lie.* What comes from earlier runs is shown at once. In a first run the first forecasts are as long
///    as the run is old and grow with it, so nothing is shown until the end that is forecast has moved by less than a
///    factor of 1.3 while the run became twice as old, with ends that are within a factor of ten. From then on there is
///    always a value, never below one second, until every expectation has passed: the clock has been at zero for two
///    seconds and no forecast says more.
///
/// The time is an argument, on the line of the forecast: it stands while the run is paused, and one before the latest
/// counts as that. A line that counts the time in which a computer slept brings a gap, after which the forecast is
/// shown as it is, so no time is counted down that the forecast does not take off too; use a clock that stands
/// while the computer sleeps, and there is none.
///
/// A pure value. Not thread safe.
public struct ShownRemaining : Hashable, Sendable {

    /// The value to show.
    public private(set) var value: HeadwayRun.RoundedRemaining { get }

    /// Creates the value of a run that has not begun.
    public init()

    /// What remains according to the clocks, neither rounded nor below zero, nil while nothing is known.
    public var remaining: HeadwayRun.RemainingTime? { get }

    /// Moves on to a time.
    ///
    /// - Parameters:
    ///   - now: The time since the run began, without pauses.
    ///   - forecast: What is forecast to remain, nil while nothing is known.
    ///   - hasHistory: Whether any of that comes from earlier runs; what does not has to prove itself.
    /// - Returns: The value to show.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func advance(to now: Duration, forecast: HeadwayRun.RemainingTime?, hasHistory: Bool = true) -> HeadwayRun.RoundedRemaining
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

    /// The way in which the duration of a step is estimated; *w* are the weights of single steps, *W* the accumulated ones, *t*
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

    /// Creates the progress of work that has not begun.
    ///
    /// - Parameter strategy: From what the durations of steps are estimated.
    public init(strategy: HeadwayForecast.SimulatedProgress.Strategy = .recent)

    /// The number of steps that are known.
    public var stepCount: Int { get }

    /// The number of steps that have finished.
    public var finishedStepCount: Int { get }

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

    /// Reports that the current step has finished, or one of its concurrent parts.
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

    /// Advances the time.
    ///
    /// - Parameter now: The time.
    /// - Returns: The states that were entered: suspended, or none.
    @discardableResult
    public mutating func advance(to now: Duration) -> [HeadwayForecast.SimulatedProgress.State]
}

/// The error of a call to ``SimulatedProgress``, which then changes nothing.
///
/// It is a mistake in the calling program: a call that the state does not allow, or numbers that make no sense.
public struct SimulatedProgressError : Error, Hashable, Sendable, CustomStringConvertible {

    /// A message with advice.
    public let description: String
}

