import HeadwayRun

/// What earlier runs of a plan say: how long its tasks took, and how wrong the forecasts were.
///
/// A value that whoever keeps the history fills in, the oldest run first. A task is recognised by its name and kind.
/// What failed or was cancelled took *at least* so long, and is never taken for how long the task takes.
public struct DurationHistory : Hashable, Sendable {

    /// How long a task took in an earlier run.
    public struct Sample : Hashable, Sendable {

        /// The name of the task, the same in every run.
        public var name: String

        /// What sort of task it is: tasks of one kind resemble each other.
        public var kind: String

        /// How long it took, from the beginning of its first attempt; negative counts as zero.
        public var duration: Duration

        /// How long the last attempt of it took, nil where there was one only.
        public var lastAttempt: Duration?

        /// Whether it was ended before its time, so that the duration is a lower bound.
        public var isCensored: Bool

        /// Creates a sample.
        ///
        /// - Parameters:
        ///   - name: The name of the task.
        ///   - kind: The kind of the task; empty where there are none.
        ///   - duration: How long it took, from the beginning of its first attempt.
        ///   - lastAttempt: How long its last attempt took, nil where there was one only.
        ///   - isCensored: Whether it failed or was cancelled.
        public init(name: String, kind: String, duration: Duration, lastAttempt: Duration? = nil, isCensored: Bool = false)
    }

    /// How wrong one forecast of an earlier run was.
    public struct Miss : Hashable, Sendable {

        /// The remaining times that were told: one run in ten is shorter, half are, nine in ten are.
        public var told: HeadwayRun.RemainingTime

        /// The time that really remained.
        public var truth: Duration

        /// Creates a comparison of what was told with the truth.
        public init(told: HeadwayRun.RemainingTime, truth: Duration)
    }

    /// An earlier run.
    public struct Run : Hashable, Sendable {

        /// How long its tasks took; those that were skipped or up to date are left out.
        public var samples: [HeadwayForecast.DurationHistory.Sample]

        /// How many tasks ran at a time, nil when it is not known.
        public var workers: Int?

        /// How wrong its forecasts were: some ten of them spread evenly over the run, of those that had history.
        public var misses: [HeadwayForecast.DurationHistory.Miss]

        /// Creates a run.
        ///
        /// - Parameters:
        ///   - samples: How long its tasks took.
        ///   - workers: How many ran at a time.
        ///   - misses: How wrong its forecasts were.
        public init(samples: [HeadwayForecast.DurationHistory.Sample], workers: Int? = nil, misses: [HeadwayForecast.DurationHistory.Miss] = [])
    }

    /// The earlier runs, the oldest first.
    public var runs: [HeadwayForecast.DurationHistory.Run]

    /// Creates a history.
    ///
    /// - Parameter runs: The earlier runs, the oldest first; none for the first run of a plan.
    public init(runs: [HeadwayForecast.DurationHistory.Run] = [])
}

/// What a forecast knows before the run: the tasks, their dependencies and the pools.
///
/// Tasks and pools are identified by their indices, from 0.
public struct ForecastInput : Hashable, Sendable {

    /// A task.
    public struct Task : Hashable, Sendable {

        /// Its name, by which history knows it.
        public var name: String

        /// Its kind; tasks of one kind resemble each other.
        public var kind: String

        /// The pool that bounds how many run beside it.
        public var pool: Int?

        /// Which of several ready tasks starts first: those with the highest.
        public var priority: Int

        /// How long somebody who should know expects it to take; used where history has not seen the task.
        public var hint: Duration?

        /// Creates a task.
        public init(name: String, kind: String = "", pool: Int? = nil, priority: Int = 0, hint: Duration? = nil)
    }

    /// The tasks, by place.
    public var tasks: [HeadwayForecast.ForecastInput.Task]

    /// What waits for what; edges to places that do not exist are left out, and those of a cycle never run.
    public var edges: [HeadwayRun.TaskGraph.Edge]

    /// How many tasks of each pool run at a time; less than 1 counts as 1.
    public var poolLimits: [Int]

    /// Creates a graph.
    public init(tasks: [HeadwayForecast.ForecastInput.Task] = [], edges: [HeadwayRun.TaskGraph.Edge] = [], poolLimits: [Int] = [])
}

/// How far the run of a graph is, and how long it still takes: from history, the clock, and a look ahead.
///
/// It is told what the launcher knows, as it happens, and answers at any `now`:
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history)
/// forecast.start(0, at: .zero)
/// forecast.end(0, .done, at: .seconds(3))
/// forecast.forecast(at: .seconds(4)).fraction
/// ```
///
/// ```
///   history ──▶ how long each task takes, and how sure that is
///                      │
///   finished tasks ──▶ how fast this run is, and each kind in it
///                      │
///   running tasks ──▶  draws: each a run of the rest in thought, given how long they have run already
///                      │
///                      └─▶ what remains: the median of the draws, and the range that holds four in five
/// ```
///
/// Durations are log-normal in what is learned and log-logistic in what is drawn, as that law has answers in closed
/// form for a task that has run for some time. Draws use the same random numbers every time, so an answer changes
/// only when something has happened. Nothing is computed unless it is asked for, and telling costs O(1).
///
/// The time is an argument, on a line that stands still while the run is paused; one before the latest counts as that.
/// A pure value. Not thread safe; each listener keeps its own.
public struct GraphForecast : Sendable {

    /// Which of several ready tasks starts first.
    public enum Order : Hashable, Sendable {

        /// The one that has been ready for the longest time.
        case firstReady

        /// The one of the highest priority, then of the longest expected path to the end, then of the lowest place.
        case longestPath
    }

    /// What a forecast answers.
    public struct Answer : Hashable, Sendable {

        /// The raw part of the run that is done, from 0 to 1; it may go back, so show it by `ShownProgress`.
        public var fraction: Double

        /// The time that remains, nil while nothing is known.
        public var remaining: HeadwayRun.RemainingTime?

        /// Whether any of it comes from earlier runs.
        public var hasHistory: Bool
    }

    /// How a task ended.
    public enum End : Hashable, Sendable {

        /// It did its work, and its duration counts.
        case done

        /// It had nothing to do, and its duration says nothing.
        case skipped

        /// It failed or was cancelled; what fails at once or hangs says nothing of the speed of others.
        case failed
    }

    /// Which ready task starts first.
    public let order: HeadwayForecast.GraphForecast.Order

    /// Creates the forecast of a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks and what waits for what.
    ///   - workers: How many tasks run at a time; less than 1 counts as 1.
    ///   - history: What earlier runs of the plan say.
    ///   - order: Which of several ready tasks starts first.
    /// - Complexity: O(tasks + edges + samples).
    public init(_ graph: HeadwayForecast.ForecastInput, workers: Int, history: HeadwayForecast.DurationHistory = DurationHistory(), order: HeadwayForecast.GraphForecast.Order = .longestPath)

    /// The number of tasks, with those that were removed.
    public var taskCount: Int { get }
}

extension GraphForecast {

    /// What is to be expected at a time.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: The raw fraction, and the remaining time with its range.
    /// - Complexity: O(draws · (tasks left + edges) · log workers), at most 24,000 drawn tasks; where more than 4,000
    ///   tasks are left, one draw, and only once in a thousandth to a hundredth of the run. O(1) when nothing happened
    ///   and no time went by since the last answer.
    public mutating func forecast(at now: Duration) -> HeadwayForecast.GraphForecast.Answer
}

extension GraphForecast {

    /// Tells that a task began, or began again after a retry.
    ///
    /// - Complexity: O(1).
    public mutating func start(_ task: Int, at now: Duration)

    /// Tells that a task is over; one that never started, as it only gathers others, may be done too.
    ///
    /// What is over stays so: a second end, a start and a retry change nothing.
    ///
    /// - Complexity: O(children).
    public mutating func end(_ task: Int, _ end: HeadwayForecast.GraphForecast.End, at now: Duration)

    /// Tells that an attempt at a task went wrong and that another one follows.
    ///
    /// - Parameters:
    ///   - task: The place of the task.
    ///   - delay: The time until the next attempt, which `start` tells.
    ///   - now: The time.
    public mutating func retry(_ task: Int, after delay: Duration, at now: Duration)

    /// Tells how far a running task says it is.
    ///
    /// - Parameters:
    ///   - task: The place of the task.
    ///   - part: The part that is done, from 0 to 1; anything else is ignored.
    ///   - now: The time.
    public mutating func report(_ task: Int, part: Double, at now: Duration)

    /// Adds a task to the run.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - before: The places of the tasks that it waits for.
    ///   - now: The time.
    /// - Returns: Its place: the number of tasks so far.
    /// - Complexity: O(tasks that it waits for), amortised; the next forecast puts the graph in order again.
    @discardableResult
    public mutating func add(_ task: HeadwayForecast.ForecastInput.Task, after before: [Int] = [], at now: Duration) -> Int

    /// Takes a task out of the run; what waited for it no longer does.
    public mutating func remove(_ task: Int, at now: Duration)

    /// Tells how many tasks run at a time from now on; less than 1 counts as 1.
    public mutating func setWorkers(_ workers: Int, at now: Duration)
}

extension GraphForecast {

    /// A task that takes longer than nineteen in twenty like it do.
    public struct OverdueTask : Hashable, Sendable {

        /// The place of the task.
        public var task: Int

        /// How long it has run.
        public var elapsed: Duration

        /// How long it usually takes.
        public var usual: Duration

        /// By how much it is late.
        public var late: Duration { get }
    }

    /// The task that is overdue, the one that is latest where there are several; nil when none is.
    ///
    /// A task that never did its work in an earlier run is never overdue: nobody knows what it usually takes.
    ///
    /// - Complexity: O(tasks).
    public mutating func overdue(at now: Duration) -> HeadwayForecast.GraphForecast.OverdueTask?

    /// The tasks of the longest chain that is left, each with the one behind it that waits for it.
    ///
    /// - Complexity: O(tasks + edges).
    public mutating func criticalPath(at now: Duration) -> [Int]
}

extension GraphForecast {

    /// How long a task takes according to earlier runs, or else to its hint, before this run says anything.
    ///
    /// - Parameter task: The place of the task.
    /// - Returns: The median, nil where neither the task nor its kind nor a hint is known.
    /// - Complexity: O(1).
    public func expected(_ task: Int) -> Duration?

    /// How long a task usually took in earlier runs when it did its work, whatever others of its kind took.
    ///
    /// - Parameter task: The place of the task.
    /// - Returns: The median, nil where it never did its work in an earlier run.
    /// - Complexity: O(1).
    public func usual(_ task: Int) -> Duration?

    /// How much longer a running task takes, given how long it has run and what it told of itself.
    ///
    /// - Parameters:
    ///   - task: The place of the task.
    ///   - now: The time.
    /// - Returns: The range, nil where the task does not run, or where neither history nor a finished task of this run
    ///   knows it or its kind, and it told nothing.
    /// - Complexity: O(tasks) for the first task at a time, O(1) for the others.
    public mutating func remaining(of task: Int, at now: Duration) -> HeadwayRun.RemainingTime?
}

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

/// The value that a bar shows: always moving while work goes on, never back, and at its end only when all is done.
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

/// The remaining time that a person sees: it counts down a second each second unless there is news.
///
/// Ask the forecast and this at every look, with the same time:
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

    /// What to say.
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
    /// - Returns: What to say.
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

