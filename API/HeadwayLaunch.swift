import HeadwayProgress
import HeadwayTime

/// Why an attempt at a task failed.
public enum Failure : Hashable, Sendable {

    /// It ended by itself with an exit code other than 0.
    case exited(code: Int)

    /// A signal ended it.
    case signalled(number: Int)

    /// It could not be started at all; the text says why.
    case notStarted(reason: String)
}

/// What can be wrong with a graph.
@nonexhaustive public enum GraphError : Error, Hashable, Sendable {

    /// Tasks wait for each other in a circle: each names the one that it waits for, and the last the first.
    case cycle([HeadwayLaunch.TaskID])
}

/// The engine that runs a graph of tasks: what may start, what must end, and how each task ended.
///
/// A pure value. It knows no clock, no process and no thread: whoever holds it passes the time in, carries out
/// the commands that it answers with, and tells it what came of them. The same calls give the same commands
/// and events, whatever the machine does.
///
/// ```
///            begin, attemptBegan, attemptEnded, advance, end
///   shell ──────────────────────────────────────────────────▶ core
///         ◀──────────────────────────────────────────────────
///            nextCommand: start, terminate, kill; takeEvents
/// ```
///
/// A task goes through these phases; every arrow is one event or one command:
///
/// ```
///   waiting ─▶ ready ─▶ handed out ─▶ running ─▶ settling ─▶ ended
///      │                    ▲  │         │          ▲
///      ▼                    │  └──┐      ▼          │ (left processes behind, ran out of time, was cancelled)
///    ended (skipped)     backing off ◀─ ending ─▶ killing
/// ```
///
/// `settling` is a success that the shell still has to write down: no time-out and no cancel reaches it any more.
///
/// Tasks that are ready start in the order of the graph, as many as workers and pools allow. Not thread safe.
/// Complexity of a whole run: O((tasks + edges) · log tasks); memory: one entry for each task and edge.
public struct LaunchCore : ~Copyable, Sendable {

    /// What the shell must do next.
    public enum Command : Hashable, Sendable {

        /// Start an attempt, and answer with `attemptBegan` and `attemptEnded`, or only the latter.
        case start(HeadwayLaunch.TaskID, attempt: Int)

        /// Ask the attempt to end.
        case terminate(HeadwayLaunch.TaskID)

        /// End the attempt by force.
        case kill(HeadwayLaunch.TaskID)
    }

    /// How an attempt ended by itself.
    public enum AttemptResult : Hashable, Sendable {

        /// It did what it had to do.
        case succeeded

        /// There was nothing to do.
        case upToDate

        /// It failed.
        case failed(HeadwayLaunch.Failure)
    }

    /// What happens to the rest when a task fails that the run needs.
    public enum FailurePolicy : Hashable, Sendable {

        /// Nothing more is started; what runs may end by itself.
        case stop

        /// All goes on that does not need the failed task.
        case keepGoing

        /// Nothing more is started, and what runs is ended.
        case failFast
    }

    /// How urgently a run is to end.
    public enum Urgency : Hashable, Sendable {

        /// Tasks that run are asked to end, and those that always run still do.
        case inOrder

        /// Everything is ended by force.
        case atOnce
    }

    /// The graph that is run.
    public let graph: HeadwayLaunch.LaunchGraph

    /// The number of attempts that may be under way at once.
    public let workers: Int

    /// What a failure means for the rest.
    public let policy: HeadwayLaunch.LaunchCore.FailurePolicy

    /// Creates an engine for a graph.
    ///
    /// - Parameters:
    ///   - graph: The tasks and their order.
    ///   - workers: The number of attempts that may be under way at once; must be at least 1.
    ///   - policy: What a failure means for the rest.
    /// - Throws: `GraphError.cycle` when tasks wait for each other in a circle.
    /// - Complexity: O(tasks + edges).
    public init(graph: HeadwayLaunch.LaunchGraph, workers: Int, policy: HeadwayLaunch.LaunchCore.FailurePolicy) throws(HeadwayLaunch.GraphError)

    /// Whether every task has an outcome.
    public var isFinished: Bool { get }

    /// The moment at which `advance(to:)` has something to do, nil while there is none.
    ///
    /// - Complexity: O(1) amortized.
    public var nextDeadline: Duration? { mutating get }

    /// Takes the next command.
    ///
    /// - Returns: What to do next, nil when there is nothing.
    /// - Complexity: O(1).
    public mutating func nextCommand() -> HeadwayLaunch.LaunchCore.Command?

    /// Takes what has happened since the last call.
    ///
    /// - Returns: The events, in order.
    public mutating func takeEvents() -> [HeadwayLaunch.LaunchEvent]
}

extension LaunchCore {

    /// Begins the run.
    ///
    /// - Parameter now: The time since the run began, usually zero.
    public mutating func begin(at now: Duration)

    /// Takes note that an attempt has really begun; its time-out counts from here.
    ///
    /// - Parameters:
    ///   - id: A task whose start was commanded.
    ///   - now: The time since the run began.
    public mutating func attemptBegan(_ id: HeadwayLaunch.TaskID, at now: Duration)

    /// Takes note that an attempt has ended but left something behind that must be ended too.
    ///
    /// The attempt keeps its worker until `attemptEnded`, which tells the result then.
    ///
    /// - Parameters:
    ///   - id: A task with an attempt under way.
    ///   - result: How the attempt itself ended.
    ///   - now: The time since the run began.
    public mutating func attemptLingers(_ id: HeadwayLaunch.TaskID, result: HeadwayLaunch.LaunchCore.AttemptResult, at now: Duration)

    /// Takes note that an attempt is over, before its success is written down.
    ///
    /// - Parameters:
    ///   - id: A task whose start was commanded.
    ///   - result: How the attempt ended by itself.
    /// - Returns: Whether the attempt counts as a success. It then stays one, whatever time passes until
    ///   `attemptEnded`; otherwise nothing has changed.
    public mutating func attemptSucceeds(_ id: HeadwayLaunch.TaskID, result: HeadwayLaunch.LaunchCore.AttemptResult) -> Bool

    /// Takes note that an attempt is over and nothing of it is left.
    ///
    /// - Parameters:
    ///   - id: A task whose start was commanded.
    ///   - result: How the attempt ended by itself; it counts only where the attempt was not being ended.
    ///   - now: The time since the run began.
    public mutating func attemptEnded(_ id: HeadwayLaunch.TaskID, result: HeadwayLaunch.LaunchCore.AttemptResult, at now: Duration)

    /// Lets time pass: attempts run out of time, graces end, retries come up.
    ///
    /// - Parameter now: The time since the run began.
    /// - Complexity: O(1) amortized for each deadline that has passed.
    public mutating func advance(to now: Duration)

    /// Ends the run before its last task; a later call can only make it more urgent.
    ///
    /// - Parameters:
    ///   - urgency: Whether tasks may end by themselves.
    ///   - now: The time since the run began.
    public mutating func end(_ urgency: HeadwayLaunch.LaunchCore.Urgency, at now: Duration)
}

/// Something that happened in a run: the single source of truth of every surface, record and test.
///
/// The events of a run come in order, each task's as `taskStarted`, `taskOverdue` or `taskRetrying` any number
/// of times and `taskEnded` exactly once; `runStarted` is the first of all and `runEnded` the last.
public struct LaunchEvent : Hashable, Sendable {

    /// When it happened, since the run began.
    public let time: Duration

    /// What happened.
    public let kind: HeadwayLaunch.LaunchEvent.Kind

    /// Creates an event.
    public init(time: Duration, kind: HeadwayLaunch.LaunchEvent.Kind)

    /// What can happen in a run.
    public enum Kind : Hashable, Sendable {

        /// The run began.
        case runStarted(tasks: Int, workers: Int)

        /// An attempt at a task began; attempts count from 1.
        case taskStarted(HeadwayLaunch.TaskID, attempt: Int)

        /// An attempt ran longer than allowed and is being ended.
        case taskOverdue(HeadwayLaunch.TaskID, attempt: Int, limit: Duration)

        /// An attempt went wrong as told and another one follows after the delay.
        case taskRetrying(HeadwayLaunch.TaskID, attempt: Int, delay: Duration, because: HeadwayLaunch.Outcome)

        /// A task is over; `ran` is the time since its first attempt began, zero if none did.
        case taskEnded(HeadwayLaunch.TaskID, HeadwayLaunch.Outcome, attempts: Int, ran: Duration)

        /// No further task is started, but for those that always run.
        case runEnding(HeadwayLaunch.LaunchEvent.EndReason)

        /// The run is over and every task has an outcome.
        case runEnded
    }

    /// Why a run ends before its last task.
    public enum EndReason : Hashable, Sendable {

        /// A task failed that the run needs.
        case failure(HeadwayLaunch.TaskID)

        /// Somebody asked for the end; tasks that always run still do.
        case cancelled

        /// Somebody asked for the end at once.
        case killed
    }
}

extension LaunchEvent.Kind {

    /// The task that the event is about, nil when it is about the run.
    public var task: HeadwayLaunch.TaskID? { get }
}

/// Tasks, what each must wait for, and the pools that bound them.
///
/// A value without behaviour: `LaunchCore` runs it. Adding is O(1) amortized. Not checked here: cycles. A
/// task on a cycle can never start; `LaunchCore` refuses such a graph.
///
/// ```swift
/// var graph = LaunchGraph()
/// let fetch = graph.add("fetch")
/// let unpack = graph.add("unpack")
/// graph.order(unpack, after: fetch)
/// ```
public struct LaunchGraph : Sendable {

    /// The names of the tasks, by place.
    public private(set) var names: [String] { get }

    /// How each task is treated, by place.
    public private(set) var settings: [HeadwayLaunch.TaskSettings] { get }

    /// The limits of the pools, by place.
    public private(set) var poolLimits: [Int] { get }

    /// The pairs of a task and the one that must wait for it.
    public private(set) var edges: [(before: HeadwayLaunch.TaskID, after: HeadwayLaunch.TaskID)] { get }

    /// Creates an empty graph.
    public init()

    /// The number of tasks.
    public var count: Int { get }

    /// Adds a task.
    ///
    /// - Parameters:
    ///   - name: The name that events and surfaces show.
    ///   - settings: How the engine treats it.
    /// - Returns: Its identity in this graph.
    public mutating func add(_ name: String, settings: HeadwayLaunch.TaskSettings = TaskSettings()) -> HeadwayLaunch.TaskID

    /// Adds a pool.
    ///
    /// - Parameter limit: How many of its tasks may run at once; must be at least 1.
    /// - Returns: Its identity in this graph.
    public mutating func addPool(limit: Int) -> HeadwayLaunch.PoolID

    /// Makes one task wait for another.
    ///
    /// - Parameters:
    ///   - task: The task that waits; must be in this graph.
    ///   - earlier: The task it waits for; must be in this graph.
    public mutating func order(_ task: HeadwayLaunch.TaskID, after earlier: HeadwayLaunch.TaskID)

    /// The name of a task.
    public func name(of task: HeadwayLaunch.TaskID) -> String
}

/// How a task ended: exactly one for each task of a run.
public enum Outcome : Hashable, Sendable {

    /// It ran and reported success.
    case succeeded

    /// It was not run: what it makes is already there, from the same contents.
    case upToDate

    /// Its last attempt failed.
    case failed(HeadwayLaunch.Failure)

    /// Its last attempt was ended because it ran longer than allowed.
    case timedOut(limit: Duration)

    /// The run was cancelled before the task could end.
    case cancelled

    /// It was never started.
    case skipped(HeadwayLaunch.SkipReason)

    /// Whether tasks that need this one may start.
    public var isSuccess: Bool { get }

    /// Whether the task itself went wrong, not the run around it.
    public var isFailure: Bool { get }
}

/// Names a pool of a graph by its place in it.
public struct PoolID : Hashable, Sendable {

    /// The place of the pool, from 0, in the order in which pools were added.
    public let index: Int

    /// Creates the identity of the pool at a place.
    public init(_ index: Int)
}

/// How often a task is tried again after it failed or ran out of time.
public struct RetryPolicy : Hashable, Sendable {

    /// The number of attempts after the first one.
    public var limit: Int

    /// The pause before the second attempt; it doubles with each further one, up to `longestBackoff`.
    public var backoff: Duration

    /// The longest pause between two attempts.
    public static let longestBackoff: Duration

    /// A task that is tried once.
    public static let none: HeadwayLaunch.RetryPolicy

    /// Creates a policy.
    public init(limit: Int, backoff: Duration)

    /// The pause before an attempt.
    ///
    /// - Parameter attempt: The attempt to come, from 2.
    /// - Returns: The backoff, doubled for each attempt after the second, at most `longestBackoff`.
    public func delay(before attempt: Int) -> Duration
}

/// Says how far a run is and how long it still takes; a surface asks it at each frame.
///
/// A pure value that folds `LaunchEvent`s, with the time as an argument. `RunProgress` is the simple conformer.
public protocol RunForecast : Sendable {

    /// Takes the next event of the run in.
    mutating func receive(_ event: HeadwayLaunch.LaunchEvent)

    /// The shown part of the run that is done.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: A value that never goes back, and 1 only when the run has ended.
    mutating func fraction(at now: Duration) -> Double

    /// The part of a running task that is done, nil when nothing is known about it.
    func fraction(of task: HeadwayLaunch.TaskID, at now: Duration) -> Double?

    /// The time until the run ends, nil when nothing is known, zero when every expectation has passed.
    func remaining(at now: Duration) -> Duration?

    /// The time until a running task ends, nil when nothing is known, zero when its expectation has passed.
    func remaining(of task: HeadwayLaunch.TaskID, at now: Duration) -> Duration?
}

/// A forecast from the clock: a running task is as far as its elapsed part of the expected duration.
///
/// Expected is what history says of a task. Where it is silent, the run as a whole reckons with the mean of the
/// tasks that have run, and with half as much again for a task that has run longer; of such a task alone
/// nothing is claimed.
/// The value keeps a tree of progress; copies share it. Not thread safe; each listener keeps its own.
public struct RunProgress : HeadwayLaunch.RunForecast {

    /// The tree: one unit for each task, one child for each task that runs.
    public let root: HeadwayProgress.ProgressNode

    /// Creates the forecast of a run that has not begun.
    ///
    /// - Parameters:
    ///   - names: The names of the tasks, by place in the graph.
    ///   - expected: How long each is expected to take; missing and nil entries mean that nothing is known.
    public init(names: [String], expected: [Duration?])

    /// Takes the next event of the run in.
    ///
    /// - Complexity: O(1), O(running tasks) for the end of a task.
    public mutating func receive(_ event: HeadwayLaunch.LaunchEvent)

    /// Brings the tree up to date and copies it.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: The true state, which may go back when a task is tried again.
    /// - Complexity: O(running tasks).
    public func snapshot(at now: Duration) -> HeadwayProgress.ProgressSnapshot

    /// The shown part of the run: the largest that was ever true, and 1 only when the run has ended.
    public mutating func fraction(at now: Duration) -> Double

    /// The elapsed part of what history expects, held below the end; nil where history is silent.
    public func fraction(of task: HeadwayLaunch.TaskID, at now: Duration) -> Double?

    /// The work that is left, shared by the workers, but not less than the longest running task needs.
    public func remaining(at now: Duration) -> Duration?

    /// What is left of what history expects, nil where history is silent.
    public func remaining(of task: HeadwayLaunch.TaskID, at now: Duration) -> Duration?
}

/// The state of a run as its events tell it: what a surface needs to draw, and the result at the end.
///
/// A pure value that folds `LaunchEvent`s. Not thread safe; each listener keeps its own.
public struct RunStatus : Sendable {

    /// What is known of one task.
    public struct Task : Sendable {

        /// Where the task stands.
        public internal(set) var phase: HeadwayLaunch.RunStatus.Phase { get }

        /// The attempts begun so far.
        public internal(set) var attempts: Int { get }

        /// When the first attempt began, since the run began.
        public internal(set) var firstStart: Duration { get }

        /// When the latest attempt began, since the run began.
        public internal(set) var latestStart: Duration { get }

        /// The time from the first attempt to the end, zero until then.
        public internal(set) var ran: Duration { get }
    }

    /// Where a task stands.
    public enum Phase : Hashable, Sendable {

        /// It has not been started.
        case waiting

        /// An attempt is under way.
        case running

        /// An attempt ran out of time and is being ended.
        case overdue

        /// An attempt went wrong and the next one starts at the given time since the run began.
        case backingOff(until: Duration)

        /// It is over.
        case ended(HeadwayLaunch.Outcome)
    }

    /// How many tasks ended in which way.
    public struct Counts : Hashable, Sendable {

        /// Tasks that ran and succeeded.
        public internal(set) var succeeded: Int { get }

        /// Tasks that did not have to run.
        public internal(set) var upToDate: Int { get }

        /// Tasks whose last attempt failed.
        public internal(set) var failed: Int { get }

        /// Tasks whose last attempt ran out of time.
        public internal(set) var timedOut: Int { get }

        /// Tasks that the end of the run cut off.
        public internal(set) var cancelled: Int { get }

        /// Tasks that were never started.
        public internal(set) var skipped: Int { get }

        /// The number of tasks that are over.
        public var ended: Int { get }

        /// Creates counts of zero.
        public init()
    }

    /// The tasks, by place in the graph.
    public private(set) var tasks: [HeadwayLaunch.RunStatus.Task] { get }

    /// The tasks with an attempt under way or to come, in the order in which they began.
    public private(set) var active: [HeadwayLaunch.TaskID] { get }

    /// How many tasks ended in which way.
    public private(set) var counts: HeadwayLaunch.RunStatus.Counts { get }

    /// The number of tasks that may run at once.
    public private(set) var workers: Int { get }

    /// Why the run ends early, nil while it does not.
    public private(set) var ending: HeadwayLaunch.LaunchEvent.EndReason? { get }

    /// How long the run took, nil until it has ended.
    public private(set) var total: Duration? { get }

    /// Creates the status of a run that has not begun.
    ///
    /// - Parameter taskCount: The number of tasks of the graph.
    public init(taskCount: Int)

    /// Takes an event in.
    ///
    /// - Parameter event: The next event of the run.
    /// - Complexity: O(1), O(active tasks) for the end of a task.
    public mutating func apply(_ event: HeadwayLaunch.LaunchEvent)

    /// The outcome of a task, nil while it has none.
    public func outcome(of id: HeadwayLaunch.TaskID) -> HeadwayLaunch.Outcome?
}

/// Why a task was never started.
public enum SkipReason : Hashable, Sendable {

    /// The named task did not succeed, and this one needs it, directly or through others.
    case needs(HeadwayLaunch.TaskID)

    /// The run stopped starting tasks when the named task failed.
    case stopped(by: HeadwayLaunch.TaskID)
}

/// Names a task of a graph by its place in it.
public struct TaskID : Hashable, Comparable, Sendable {

    /// The place of the task, from 0, in the order in which tasks were added.
    public let index: Int

    /// Creates the identity of the task at a place.
    public init(_ index: Int)

    /// Orders tasks by their place.
    public static func < (left: HeadwayLaunch.TaskID, right: HeadwayLaunch.TaskID) -> Bool
}

/// How the engine treats one task.
public struct TaskSettings : Hashable, Sendable {

    /// The time that one attempt may take, nil for no limit.
    public var timeout: Duration?

    /// The time between asking a task to end and ending it by force.
    public var grace: Duration

    /// How often the task is tried again.
    public var retries: HeadwayLaunch.RetryPolicy

    /// The pool that bounds how many tasks of a kind run at once, beside the limit on workers.
    public var pool: HeadwayLaunch.PoolID?

    /// Whether the run may succeed although this task failed.
    public var isOptional: Bool

    /// Whether the task runs however the tasks before it ended, and after a cancel too.
    public var isAlways: Bool

    /// Creates settings; the defaults are those of a task that says nothing.
    public init(timeout: Duration? = nil, grace: Duration = .seconds(5), retries: HeadwayLaunch.RetryPolicy = .none, pool: HeadwayLaunch.PoolID? = nil, isOptional: Bool = false, isAlways: Bool = false)
}

