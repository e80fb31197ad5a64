/// Why an attempt at a task failed.
public enum Failure : Hashable, Sendable {

    /// It ended by itself with an exit code other than 0.
    case exited(code: Int)

    /// A signal ended it.
    case signalled(number: Int)

    /// It could not be started at all; the text says why.
    case notStarted(reason: String)
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

