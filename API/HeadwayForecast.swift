import HeadwayCollections
import HeadwayRun

/// The earlier runs of a plan: the durations of its tasks, and the errors of its forecasts.
///
/// A task is recognized by its name and kind. The duration of a failed or cancelled task is only a lower bound.
///
/// ```swift
/// let predicted = RemainingTime(low: .seconds(8), median: .seconds(10), high: .seconds(14))
/// var run = DurationHistory.Run(
///   samples: [DurationHistory.Sample(name: "compile", kind: "cc", duration: .seconds(12))],
///   workers: 8,
///   misses: [DurationHistory.Miss(predicted: predicted, actual: .seconds(12))])
/// run.upToDate = [DurationHistory.Task(name: "fetch", kind: "git")]
/// let elsewhere = DurationHistory.Kind(name: "cc", typical: .seconds(4), spread: 0.5, count: 20)
/// let history = DurationHistory(runs: [run], kinds: [elsewhere])
/// ```
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

        /// The name of the host on which its last attempt ran, nil for that of the run.
        public var host: String?

        /// The time that processors spent on its last attempt, nil if that is unknown.
        ///
        /// It says for which part of its time the task computes, so that it takes longer beside others that do.
        public var cpuTime: Duration?

        /// When its last attempt began, since the run began; nil if that is unknown.
        ///
        /// It says which tasks shared the processors of the run.
        public var start: Duration?

        /// Creates a sample.
        ///
        /// - Parameters:
        ///   - name: The name of the task.
        ///   - kind: The kind of the task, empty if it has none.
        ///   - duration: The duration from the start of the first attempt.
        ///   - lastAttempt: The duration of the last attempt, nil if there was only one.
        ///   - isCensored: Whether the task failed or was cancelled.
        ///   - host: The name of the host on which its last attempt ran, nil for that of the run.
        public init(name: String, kind: String, duration: Duration, lastAttempt: Duration? = nil, isCensored: Bool = false, host: String? = nil)
    }

    /// The identity of a task.
    public struct Task : Hashable, Sendable {

        /// The name of the task, the same in every run.
        public var name: String

        /// The kind of the task, empty if it has none.
        public var kind: String

        /// Creates an identity.
        public init(name: String, kind: String)
    }

    /// How long the tasks of a kind take in other plans.
    public struct Kind : Hashable, Sendable {

        /// The name of the kind.
        public var name: String

        /// The geometric mean of the durations.
        public var typical: Duration

        /// The standard deviation of their natural logarithms: 0.1 is about ten percent.
        public var spread: Double

        /// The number of durations.
        public var count: Int

        /// Creates a summary.
        public init(name: String, typical: Duration, spread: Double, count: Int)
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

        /// The tasks that were up to date.
        public var upToDate: [HeadwayForecast.DurationHistory.Task]

        /// The number of workers, nil if it is not known.
        public var workers: Int?

        /// The number of processors of its machine, nil if it is not known.
        public var processors: Int?

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

    /// How long tasks take in other plans, used for kinds that are in no earlier run of this plan.
    public var kinds: [HeadwayForecast.DurationHistory.Kind]

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - runs: The earlier runs, the oldest first; none for the first run of a plan.
    ///   - kinds: How long tasks take in other plans.
    public init(runs: [HeadwayForecast.DurationHistory.Run] = [], kinds: [HeadwayForecast.DurationHistory.Kind] = [])
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

        /// Whether the task does nothing if neither its files nor a dependency have changed.
        public var mayBeUpToDate: Bool

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
/// Durations are modelled as log-normal when they are learned, and as log-logistic when they are sampled, because that
/// distribution has closed forms for a task that has run for some time. The random numbers are the same every time, so
/// the forecast changes only when something has happened. Nothing is computed until it is needed; reports cost O(1).
///
/// Times are durations since the start of the run, without its pauses; a time before the latest one counts as the latest.
/// It is a value, and not thread safe.
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history, order: .firstReady)
/// forecast.start(0, at: .zero)
/// let answer: GraphForecast.Answer = forecast.forecast(at: .seconds(5))
/// if let late: GraphForecast.OverdueTask = forecast.overdue(at: .seconds(600)) {
///   show("task \(late.task) usually takes \(late.usual)")
/// }
/// ```
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

        /// The remaining time, nil if there is no estimate.
        public var remaining: HeadwayRun.RemainingTime?

        /// Whether the forecast uses earlier runs.
        public var hasHistory: Bool
    }

    /// Creates the forecast of a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks and their dependencies.
    ///   - workers: The number of tasks that run at once; less than 1 counts as 1.
    ///   - history: The earlier runs of the plan.
    ///   - order: The order in which ready tasks start.
    ///   - processors: The number of processors of the machine, nil if unknown: tasks that compute take longer while there
    ///     are more of them.
    /// - Complexity: O(tasks + edges + samples).
    public init(_ graph: HeadwayForecast.ForecastInput, workers: Int, history: HeadwayForecast.DurationHistory = DurationHistory(), order: HeadwayForecast.GraphForecast.Order = .longestPath, processors: Int? = nil)
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
    /// Only the duration of a success counts; that of a failed or cancelled task does not apply to other tasks, and a
    /// skipped task is not part of the run. A task ends once: a second end, or a later start or retry, has no effect.
    ///
    /// - Complexity: O(dependents).
    public mutating func end(_ task: Int, _ outcome: HeadwayRun.Outcome.Kind, at now: Duration)

    /// Records what a look at the files of a task has shown before its start.
    ///
    /// - Parameters:
    ///   - task: The index of a task that may be up to date; others always run.
    ///   - changed: Whether its inputs have changed, so that it will run; otherwise it runs only if a dependency changes
    ///     its files.
    ///   - now: The time.
    /// - Complexity: O(1).
    public mutating func found(_ task: Int, changed: Bool, at now: Duration)

    /// Records whether a task has changed its outputs, before its end; if it has not, nothing follows from it.
    ///
    /// - Parameters:
    ///   - task: The index of a task that may be up to date.
    ///   - changed: Whether its outputs differ from those before it ran.
    ///   - now: The time.
    /// - Complexity: O(1).
    public mutating func foundOutputs(of task: Int, changed: Bool, at now: Duration)

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

    /// Sets the number of tasks that run at a time; less than 1 counts as 1.
    public mutating func setWorkers(_ workers: Int, at now: Duration)
}

extension GraphForecast {

    /// Records on which host the attempt at a task runs, after its start.
    ///
    /// Once tasks have run on several hosts, the forecast estimates how fast each one is. The tasks that have not started
    /// are expected to take the workers that become free, each at the speed of its host.
    ///
    /// - Parameters:
    ///   - task: The index of a running task; others are ignored.
    ///   - host: The name of the host, by which it is found in history.
    ///   - now: The time.
    /// - Complexity: O(1).
    public mutating func place(_ task: Int, on host: String, at now: Duration)
}

extension GraphForecast {

    /// A task that has run longer than 95 % of such tasks take.
    public struct OverdueTask : Hashable, Sendable {

        /// The index of the task.
        public var task: Int

        /// The time that it has run.
        public var elapsed: Duration

        /// The time that it usually takes.
        public var usual: Duration

        /// The time by which it is late.
        public var late: Duration { get }
    }

    /// The overdue task, the latest one if there are several; nil if there is none.
    ///
    /// A task that never succeeded in an earlier run is never overdue, because its usual duration is unknown.
    ///
    /// - Complexity: O(tasks).
    public mutating func overdue(at now: Duration) -> HeadwayForecast.GraphForecast.OverdueTask?

    /// The unfinished tasks on the critical path, each before the one that depends on it.
    ///
    /// - Complexity: O(tasks + edges).
    public mutating func criticalPath(at now: Duration) -> [Int]
}

extension GraphForecast {

    /// The usual duration of a task in the earlier runs in which it succeeded, regardless of others of its kind; longer if it
    /// computes and shares processors in this run, and shorter if it did so in those.
    ///
    /// - Parameter task: The index of the task.
    /// - Returns: The median, nil if the task never succeeded in an earlier run.
    /// - Complexity: O(1).
    public func usual(_ task: Int) -> Duration?

    /// The remaining duration of a running task, given how long it has run and the fraction that it has reported.
    ///
    /// - Parameters:
    ///   - task: The index of the task.
    ///   - now: The time.
    /// - Returns: The range; nil if the task is not running, or if it has no estimate and has not reported a fraction.
    /// - Complexity: O(tasks) for the first call with a time, O(1) for further ones.
    public mutating func remaining(of task: Int, at now: Duration) -> HeadwayRun.RemainingTime?
}

/// The remaining time of work that is counted, such as bytes or items, without jumps.
///
/// Report the count whenever it changes, as often as you like, and read the remaining time whenever you draw.
///
/// ```swift
/// var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)  // a download that begins at 40 %
/// estimator.report(430, at: .seconds(3))
/// estimator.rate(at: .seconds(3))         // 10 a second: the first 400 are no speed
/// estimator.remaining(at: .seconds(3))    // 57 s
/// estimator.remaining(at: .seconds(4))    // 56 s: nothing was reported, and the clock runs down
/// ```
///
/// There are two remaining times. ``estimate(at:)`` follows from the counts: the remaining units, divided by a speed
/// whose horizon grows with the job and restarts when the speed changes for good, minus the time since the last count,
/// as long as such a gap is usual for this job. ``remaining(at:)`` is the value to show: it counts down a second each
/// second and follows the estimate. A difference of less than the standard error of the estimate is ignored as noise; a
/// larger one is reduced by *d / (d + 4 s)* in a time *d*, so by half within four seconds.
///
/// ```
/// counts ──▶ gaps and stretches ──▶ speed ──▶ estimate ──▶ steered clock ──▶ remaining
///              standing still,        growing     less usual      ±1 standard error
///              lasting changes        horizon     gaps            is no news
/// ```
///
/// Four things do not count for the speed: units that were completed at the start, units added by ``skip(to:at:)``,
/// reports during a pause, and a start that takes longer than the next counts. Pauses do not count as time, and neither does the
/// first gap that is much longer than usual for this job. During such a gap the remaining time does not change, and ``standstill(at:)`` returns how long
/// there has been no count.
///
/// Every input has a defined result. The time is an argument, with any origin; a time before the latest one counts as
/// the latest one. A count that is not finite is ignored, a negative one counts as zero, and one above 2⁶⁴ as 2⁶⁴. The
/// count may decrease; units that are done again count as work. The total may be unknown, grow and shrink; if it is not
/// above the count, nothing remains.
///
/// A pure value without a clock. Not thread safe. Every call takes O(1) time and memory and does not allocate; the
/// value is slightly smaller than a kilobyte.
///
/// Exponentially weighted means are textbook knowledge, and many programs count down between estimates. `headway-bench
/// rate` compares this formula with those of tqdm, rich, indicatif and GNU parallel.
public struct RateEstimator : Hashable, Sendable {

    /// Creates an estimator for work that begins now.
    ///
    /// - Parameters:
    ///   - total: The number of units, nil if it is unknown; a negative number or one that is not finite counts as nil.
    ///   - completed: The number of units that are already done, such as the part of a resumed download.
    ///   - now: The time.
    public init(total: Double? = nil, completed: Double = 0, at now: Duration)

    /// The completed units, from 0 to 2⁶⁴.
    public var completed: Double { get }

    /// The total, from 0 to 2⁶⁴ units, nil if it is unknown.
    ///
    /// It can be set at any time; a negative number or one that is not finite counts as nil.
    public var total: Double?

    /// The completed part of the total, from 0 to 1, nil if the total is unknown.
    public var fraction: Double? { get }
}

extension RateEstimator {

    /// Reports the completed units.
    ///
    /// Units that are reported at the moment of the start, or during a pause, do not affect the speed.
    ///
    /// - Parameters:
    ///   - completed: All completed units, including earlier ones.
    ///   - now: The time.
    /// - Returns: Whether the value was used; false if it is not finite.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func report(_ completed: Double, at now: Duration) -> Bool

    /// Reports completed units that took no work, such as items that were up to date.
    ///
    /// - Parameters:
    ///   - completed: All completed units, including earlier ones.
    ///   - now: The time.
    /// - Returns: Whether the value was used; false if it is not finite.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func skip(to completed: Double, at now: Duration) -> Bool

    /// Stops the clock; the remaining time stays the same until the work resumes.
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

    /// The speed of the work, nil in the first second and before the first count.
    ///
    /// - Parameter now: The time.
    /// - Returns: The units per second of work, above zero.
    /// - Complexity: O(1).
    public func rate(at now: Duration) -> Double?

    /// The remaining time that follows from the counts; nil if the total or the speed is unknown, zero at the end.
    ///
    /// It changes with every count. Show ``remaining(at:)`` instead.
    ///
    /// - Parameter now: The time.
    /// - Returns: At most a hundred years.
    /// - Complexity: O(1).
    public func estimate(at now: Duration) -> Duration?

    /// The range that contains the actual remaining time in 80 % of cases if the work continues as before.
    ///
    /// The mean speed of a long time varies less than that of the short remaining time. With the estimate *e*, the
    /// relative standard error *s* of the speed, and the time *T* from which it was computed, the range is from *e / (1 +
    /// 1.38 r)* to *e · (1 + 1.38 r)* with *r = s · √(1.8 + T / e)*. The first term is for the speed, which is less
    /// certain by 9/5 because of its decreasing weights; the second one is for the remaining work. 1.38 is Student's
    /// factor for ten blocks. The range does not predict a lasting change of speed.
    ///
    /// - Parameter now: The time.
    /// - Returns: The range; nil if there is no estimate, or before four blocks of at least a second.
    /// - Complexity: O(1).
    public func range(at now: Duration) -> ClosedRange<Duration>?

    /// The time since the last count if it is unusually long for this job, nil while counts arrive.
    ///
    /// A gap is usual if it is at most a second, or at most four times the longest recent one. Before eight counts, every
    /// gap is usual.
    ///
    /// - Parameter now: The time.
    /// - Returns: The time since the last count, without pauses.
    /// - Complexity: O(1).
    public func standstill(at now: Duration) -> Duration?

    /// The remaining time to show; nil if the total or the speed is unknown, zero when all is done.
    ///
    /// It counts down a second each second, does not change during a pause or a standstill, and follows the estimate: in
    /// a time *d* between two calls, it changes by at most *d / (d + 4 s)* of the difference in addition. The first value
    /// is the estimate, and so is the one after units were skipped, and the one after it turned out that the start was slow.
    ///
    /// - Parameter now: The time.
    /// - Returns: From one second to a hundred years while units remain.
    /// - Complexity: O(1), without allocation.
    public mutating func remaining(at now: Duration) -> Duration?
}

/// The value that a bar shows: it never decreases, always moves while work continues, and reaches 1 only at the end.
///
/// It follows the forecast at the speed that reaches the end on time, faster if it is behind and slower if it is ahead,
/// within limits, and changes its speed smoothly. Near the end it slows down more if it is ahead, so that it does not
/// have to wait there. Long time steps are divided into short ones, so the value hardly depends on how often it is
/// drawn.
///
/// A pure value with the time as an argument; a time before the latest one counts as the latest one.
public struct ShownProgress : Hashable, Sendable {

    /// The shown value, from 0 to 1.
    ///
    /// The last hundredth is reserved for the end. The part before it is compressed, so that a bar that has used up its
    /// forecast still moves if the run takes longer, and does not wait at 99 %.
    public var fraction: Double { get }

    /// Creates the value for a run that has not begun.
    public init()

    /// Advances to a time.
    ///
    /// - Parameters:
    ///   - now: The time since the run began, without pauses.
    ///   - target: The raw forecast fraction.
    ///   - remaining: The forecast remaining time, nil if there is none.
    /// - Returns: The shown value.
    /// - Complexity: O(1), at most 256 short steps of a thousandth of the run.
    @discardableResult
    public mutating func advance(to now: Duration, target: Double, remaining: Duration?) -> Double

    /// Fills the bar at the end of the run.
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
/// 1. *It counts down.* Both ends of the range and the median are moments at which the run may end; the remaining time
///   decreases by a second each second while these do not change.
/// 2. *Small changes are ignored.* A moment stays the same while the forecast differs from it by less than a sixteenth
///   of the range, and at most a quarter of the remaining time.
/// 3. *Large changes are followed gradually*, up as well as down. The half time is a twentieth of the remaining time,
///   at least one second and at most fifteen: after it half of a lasting change is shown, and 95 % after about three
///   half times, so within 50 s. If the forecast is advanced after a much longer time than that, it is shown as it is.
/// 4. *It is a range if it is uncertain*: from a ratio of the ends of 2.2 until the ratio is below 1.8. For the ratio,
///   both ends count as three seconds longer, because nobody minds four seconds instead of one.
/// 5. *It is rounded* to 1 s up to 10 s, to 5 s up to a minute, to 1, 5, 15, 30 and 60 minutes up to ten minutes, one
///   hour, three, six and a day, and to half days and days; a range is rounded to the steps of its upper end. The
///   rounded value changes only when the time is clearly beyond it.
/// 6. *It is honest.* A forecast is shown at once; in a first run it is a wide range. From then on there is always a
///   value of at least one second, until the run takes longer than every estimate: the clock has been at zero for two
///   seconds and no forecast is longer.
///
/// The time is an argument, on the clock of the forecast. It stops while the run is paused, and a time before the
/// latest one counts as the latest one. If the clock continues while the computer sleeps, there is a gap after which
/// the forecast is shown as it is; with a clock that stops there is no gap.
///
/// A pure value. Not thread safe.
public struct ShownRemaining : Hashable, Sendable {

    /// The value to show.
    public private(set) var value: HeadwayRun.RoundedRemaining { get }

    /// Creates the value of a run that has not begun.
    public init()

    /// The remaining time that is shown, before rounding and at least zero, nil if there is no estimate.
    public var remaining: HeadwayRun.RemainingTime? { get }

    /// Advances to a time.
    ///
    /// - Parameters:
    ///   - now: The time since the run began, without pauses.
    ///   - forecast: The forecast remaining time, nil if there is none.
    /// - Returns: The value to show.
    /// - Complexity: O(1), without allocation.
    @discardableResult
    public mutating func advance(to now: Duration, forecast: HeadwayRun.RemainingTime?) -> HeadwayRun.RoundedRemaining
}

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
public struct SimulatedProgress : Hashable, Sendable {

    /// How the duration of a step is estimated; *w* are the weights of single steps, *W* the accumulated weights, and *t*
    /// the measured durations.
    public enum Strategy : String, Hashable, Sendable, CaseIterable, Codable {

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
    public enum State : String, Hashable, Sendable, CaseIterable, Codable {

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

    /// Creates the progress of work that has not started.
    ///
    /// - Parameter strategy: How the duration of a step is estimated.
    public init(strategy: HeadwayForecast.SimulatedProgress.Strategy = .recent)

    /// The number of known steps.
    public var stepCount: Int { get }

    /// The number of finished steps.
    public var finishedStepCount: Int { get }

    /// The state at a time.
    public func state(at now: Duration) -> HeadwayForecast.SimulatedProgress.State

    /// The raw value at a time, from 0 to 1.
    ///
    /// It waits at the end of a step that takes longer than expected, even at 1, and jumps to the end of a step that
    /// finishes early. For display, use ``ShownProgress``, which glides and stays below 1 until the work is finished.
    public func fraction(at now: Duration) -> Double
}

extension SimulatedProgress {

    /// Sets the steps, replacing those that were set before.
    ///
    /// - Parameters:
    ///   - count: The number of steps, at least 1.
    ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
    ///   - weights: The accumulated weights, ascending and at most 1; equal steps if nil.
    /// - Throws: ``SimulatedProgressError`` unless the state is initialized or reset, or if the arguments are invalid.
    public mutating func setUp(steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Starts the first step.
    ///
    /// - Parameters:
    ///   - estimate: The expected duration of the first step, above zero.
    ///   - now: The time.
    /// - Returns: The states that were entered, in order.
    /// - Throws: ``SimulatedProgressError`` unless the state is initialized or reset and steps were set, or if the
    ///   estimate is not above zero.
    @discardableResult
    public mutating func start(expecting estimate: Duration, at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

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
    public mutating func addSteps(_ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil, at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

    /// Reports that the current step has finished, or one of its concurrent parts.
    ///
    /// - Parameter now: The time.
    /// - Returns: The states that were entered, in order; running comes before finished, also from suspended.
    /// - Throws: ``SimulatedProgressError`` unless the state is running or suspended, or if all known steps have
    ///   finished.
    @discardableResult
    public mutating func finishStep(at now: Duration) throws(HeadwayForecast.SimulatedProgressError) -> [HeadwayForecast.SimulatedProgress.State]

    /// Returns to the beginning.
    ///
    /// The steps that were set stay, so the work can start again, or other steps can be set. Added steps and measured
    /// durations are discarded.
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

/// An error of ``SimulatedProgress``; the call has changed nothing.
///
/// It is a mistake of the calling program: a call that the state does not allow, or numbers out of their range.
///
/// ```swift
/// do throws(SimulatedProgressError) {
///   try progress.finishStep(at: .zero)
/// } catch {
///   show("\(error)")  // says in which state steps can be finished
/// }
/// ```
public struct SimulatedProgressError : Error, Hashable, Sendable, CustomStringConvertible {

    /// A message with advice.
    public let description: String
}

