import HeadwayText

/// Why an attempt at a task failed.
///
/// ```swift
/// let failure: Failure = .threw("no connection")
/// show("\(Outcome.failed(failure).isFailure), because: \(failure)")
/// ```
public struct Failure : Hashable, Sendable, CustomStringConvertible {

    /// An attempt whose function threw an error.
    ///
    /// - Parameter description: The error, for people.
    /// - Returns: The failure.
    public static func threw(_ description: String) -> HeadwayRun.Failure

    /// Whether the attempt could not be started.
    public var isStartFailure: Bool { get }

    /// The reason, for people: the description of the error that was thrown, or why the attempt was not started.
    public var description: String { get }
}

extension Failure : Codable {

    /// Encodes the failure with the fields that it has in an event: `failure`, and one for its details.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a failure from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the kind of failure is unknown, or a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

/// The reaction of a run to the failure of a task that is not optional.
///
/// ```swift
/// let options = LauncherOptions(workers: 1, policy: .keepGoing)
/// let result = try await Launcher(graph, options: options).run()
/// ```
///
/// The raw values, which are also encoded, stay the same in all versions.
public enum FailurePolicy : String, Hashable, Sendable, CaseIterable, Codable {

    /// No further tasks start; running ones may finish.
    case stop

    /// All tasks that do not depend on the failed one go on.
    case keepGoing

    /// No further tasks start, and running ones are ended.
    case failFast

    /// No further tasks start until the run is continued or ended.
    case hold
}

/// An error in a graph of tasks.
///
/// ```swift
/// do throws(GraphError) {
///   try graph.validate()
/// } catch {
///   show("\(error)")  // names the tasks that wait for each other
/// }
/// ```
@nonexhaustive public enum GraphError : Error, Hashable, Sendable, CustomStringConvertible {

    /// Tasks depend on each other in a cycle: each one depends on the next, and the last one on the first.
    case cycle([HeadwayRun.TaskID])

    /// Two tasks have one name.
    case duplicateName(first: HeadwayRun.TaskID, second: HeadwayRun.TaskID)

    /// A task depends on one that does not exist.
    case unknownTask(String, neededBy: HeadwayRun.TaskID)

    /// A message with advice.
    public var description: String { get }
}

/// How a task ended; each task of a run has exactly one outcome.
///
/// ```swift
/// func symbol(of outcome: Outcome) -> String {
///   switch outcome.kind {
///   case .succeeded, .upToDate, .doneEarlier: "✓"
///   case .skipped: "–"
///   default: "✗"
///   }
/// }
/// ```
@nonexhaustive public enum Outcome : Hashable, Sendable {

    /// The task ran and reported success.
    case succeeded

    /// The last attempt failed.
    case failed(HeadwayRun.Failure)

    /// The last attempt exceeded its time limit and was ended.
    case timedOut(limit: Duration)

    /// The task was removed while it ran, or the run was cancelled or exceeded its deadline first.
    case cancelled

    /// The task was never started.
    case skipped(HeadwayRun.SkipReason)

    /// The task was under way when its run died, so that nobody knows how it ended.
    case lost

    /// An outcome without its details: what is counted, stored and styled.
    ///
    /// The raw values are the names of the event format.
    @nonexhaustive public enum Kind : String, CaseIterable, Sendable, Codable {

        /// The task ran and reported success.
        case succeeded

        /// The task was not run because its outputs are up to date; counts as a success.
        case upToDate

        /// The last attempt failed.
        case failed

        /// The last attempt exceeded its time limit.
        case timedOut

        /// The end of the run, or its removal, ended the task.
        case cancelled

        /// The task was never started.
        case skipped

        /// The task was under way when its run died, so that its end is unknown.
        case lost

        /// The task succeeded in an earlier run that this one goes on with; counts as a success.
        case doneEarlier
    }

    /// The outcome without its details.
    public var kind: HeadwayRun.Outcome.Kind { get }

    /// Whether the task ran and succeeded, here or in an earlier run, or is up to date.
    ///
    /// Tasks that depend on it may start; they also may after the failure of an optional task.
    public var isSuccess: Bool { get }

    /// Whether the task itself failed, not the run around it.
    public var isFailure: Bool { get }
}

extension Outcome : Codable {

    /// Encodes the outcome with the fields that it has in an event.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes an outcome from the fields of an event.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the outcome is unknown, or a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension Outcome : CustomStringConvertible {

    /// How the task ended, in the words of people: `succeeded`, `failed: no connection`, `timed out after 5s`,
    /// `skipped because 'build' did not succeed`.
    public var description: String { get }
}

/// A remaining time: a median, and the range that contains the actual value four times in five.
///
/// ```swift
/// let remaining = RemainingTime(low: .seconds(50), median: .seconds(60), high: .seconds(90))
/// show("probably \(remaining.median), hardly more than \(remaining.high)")
/// ```
public struct RemainingTime : Hashable, Sendable {

    /// The 10th percentile.
    public var low: Duration

    /// The median.
    public var median: Duration

    /// The 90th percentile.
    public var high: Duration

    /// Creates a remaining time; the values must be in ascending order.
    public init(low: Duration, median: Duration, high: Duration)
}

/// What an attempt at a task has used of its machine: its own process, and the processes that it has waited for.
///
/// ```swift
/// func line(of usage: ResourceUsage, after ran: Duration) -> String {
///   let share = Int(usage.cpuTime / ran * 100)
///   return "\(share) % of a processor, "
///     + (usage.peakMemory.map { "\($0 >> 20) MiB" } ?? "little memory")
/// }
/// ```
public struct ResourceUsage : Hashable, Sendable {

    /// The time that processors have spent on it, for itself and for the system on its behalf; several at once add up.
    public var cpuTime: Duration

    /// The memory of its largest process in bytes, nil if that is unknown: one that is smaller than the program that runs the
    /// tasks cannot be told from it.
    public var peakMemory: Int?

    /// Creates a usage.
    ///
    /// - Parameters:
    ///   - cpuTime: The time that processors have spent on it.
    ///   - peakMemory: The memory of its largest process in bytes, nil if that is unknown.
    public init(cpuTime: Duration, peakMemory: Int? = nil)
}

extension ResourceUsage : Codable {

    /// Encodes the usage with the fields that it has in an event: `cpu_time` and `peak_memory`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a usage from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

/// The remaining time of a run, rounded for people.
///
/// ```swift
/// func words(for remaining: RoundedRemaining) -> String {
///   switch remaining {
///   case .unknown: ""
///   case .about(let time): "about \(time)"
///   case .between(let low, let high): "\(low) to \(high)"
///   case .late: "later than expected"
///   }
/// }
/// ```
public enum RoundedRemaining : Hashable, Sendable {

    /// There is no estimate yet.
    case unknown

    /// About this long, at least one second.
    case about(Duration)

    /// Between two durations, the first less than the second; the first may be zero.
    case between(Duration, Duration)

    /// The run takes longer than every estimate.
    case late
}

/// An event of a run: the single source of truth of all renderers, records and tests.
///
/// The events of a run are in order. Each task has any number of `taskStarted`, `taskPlaced`, `taskReady`, `taskOverdue` and
/// `taskRetrying`, and exactly one `taskEnded`. `runEnded` is the last event, and `runStarted` the first one, except for changes before the
/// run began: tasks added or removed, and a pause.
///
/// An event is encoded as one flat object, in the stable format that `headway run --ui json` prints and
/// `docs/events.md` describes. Times below 97 days are decoded to the exact nanosecond.
///
/// ```swift
/// func line(of event: RunEvent) -> String? {
///   switch event.kind {
///   case .taskEnded(let task, let outcome, attempts: _, ran: _): "\(task.name): \(outcome.kind)"
///   case .runEnding(.deadline(let limit)): "the run has taken longer than \(limit)"
///   default: nil
///   }
/// }
/// ```
public struct RunEvent : Hashable, Sendable {

    /// The time since the run began, without pauses.
    public let time: Duration

    /// What happened.
    public let kind: HeadwayRun.RunEvent.Kind

    /// What the attempt used that the event is the end of, of `taskEnded` and `taskRetrying`; nil if that is unknown, or no
    /// attempt has ended.
    ///
    /// `headway run` knows it of each process; an attempt at a Swift function shares its process with others.
    public var usage: HeadwayRun.ResourceUsage?

    /// Creates an event, for programs that run tasks with their own scheduler and forecast with `RunForecaster`.
    ///
    /// - Parameters:
    ///   - time: The time since the run began, without pauses.
    ///   - kind: What happened.
    ///   - usage: What the attempt used that the event is the end of, nil if that is unknown.
    public init(time: Duration, kind: HeadwayRun.RunEvent.Kind, usage: HeadwayRun.ResourceUsage? = nil)

    /// The kinds of events.
    public enum Kind : Hashable, Sendable {

        /// The run began.
        case runStarted(tasks: Int, workers: Int)

        /// An attempt at a task began; attempts count from 1.
        case taskStarted(HeadwayRun.TaskID, attempt: Int)

        /// Another machine carries out the attempt at a task, `host` in the words of the run; emitted by `headway run`, not by a launcher.
        case taskPlaced(HeadwayRun.TaskID, host: String)

        /// Machines that the run has asked for have not started, or none wait any more; emitted by `headway run`, not by a launcher.
        case workersWaiting(HeadwayRun.RunEvent.WorkersWaiting)

        /// A service is ready `after` this time since its attempt began; what waits for it may start.
        case taskReady(HeadwayRun.TaskID, attempt: Int, after: Duration)

        /// An attempt exceeded its time limit and is being ended.
        case taskOverdue(HeadwayRun.TaskID, attempt: Int, limit: Duration)

        /// An attempt failed with `because`; the next one, whose number is `attempt`, starts after `delay`.
        case taskRetrying(HeadwayRun.TaskID, attempt: Int, delay: Duration, because: HeadwayRun.Outcome)

        /// A task was added to the run.
        case taskAdded(HeadwayRun.TaskID)

        /// A running task extended its deadline to this time from now.
        case taskExtended(HeadwayRun.TaskID, by: Duration)

        /// A task reported its end more than once; the further report was ignored.
        case taskReportedAgain(HeadwayRun.TaskID)

        /// A task ended; `ran` is the time since its first attempt began, zero if none did.
        case taskEnded(HeadwayRun.TaskID, HeadwayRun.Outcome, attempts: Int, ran: Duration)

        /// The run is ending: no further tasks start except those that always run.
        case runEnding(HeadwayRun.RunEvent.EndReason)

        /// The run was paused: no task starts and no deadline passes.
        case runPaused

        /// The run continues after a pause.
        case runResumed

        /// The run is held after the failure of a task until it is continued or ended.
        case runHeld(by: HeadwayRun.TaskID)

        /// The run continues after it was held.
        case runProceeding

        /// All tasks of a queue have ended; more may be added.
        case queueEmptied

        /// A listener fell behind and lost events: their number, and the state of the run after them.
        case missed(Int, HeadwayRun.RunState)

        /// A new forecast; emitted by `headway run`, not by a launcher.
        case forecast(HeadwayRun.RunForecast)

        /// The run ended, and every task has an outcome.
        case runEnded
    }

    /// The machines that a run has asked for and that have not started, such as jobs in the queue of a cluster.
    ///
    /// ```swift
    /// func line(for waiting: RunEvent.WorkersWaiting) -> String {
    ///   "\(waiting.count) not started (\(waiting.reason))" + (waiting.advice.map { ": \($0)" } ?? "")
    /// }
    /// ```
    public struct WorkersWaiting : Hashable, Sendable {

        /// Their number, 0 when all have started.
        public let count: Int

        /// Why most of them wait, in the words of the cluster; empty if it does not say.
        public let reason: String

        /// When the cluster expects the first of them to start, since the run began; nil if it does not say.
        public let start: Duration?

        /// Whether they wait for a person, and how to let them start; nil if they start by themselves.
        public let advice: String?

        /// How many more tasks could run at once if all of them had started, 0 if that is unknown.
        public let places: Int
    }

    /// The reason for which a run ends early.
    public enum EndReason : Hashable, Sendable {

        /// A task that is not optional failed.
        case failure(HeadwayRun.TaskID)

        /// The run was cancelled; tasks that always run still do.
        case cancelled

        /// The run was cancelled at once, including tasks that always run.
        case cancelledImmediately

        /// The run exceeded its time limit.
        case deadline(Duration)
    }
}

extension RunEvent : Codable {

    /// Encodes the event as one flat object, in the format that `headway run --ui json` prints.
    ///
    /// The format is stable and described in `docs/events.md`. Times are seconds, rounded to the nearest nanosecond.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes an event from an object of the format; unknown fields are ignored.
    ///
    /// The identifiers of tasks are not checked: the graph may not have them.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the event is unknown, or a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension RunEvent.Kind {

    /// The task of the event, nil if it is about the run.
    public var task: HeadwayRun.TaskID? { get }
}

extension RunEvent.WorkersWaiting : Codable {

    /// Encodes the description with the fields that it has in `workers_waiting`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a description from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension RunEvent.EndReason : Codable {

    /// Encodes the reason with the fields that it has in `run_ending`: `reason`, and those for its details.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a reason from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the reason is unknown, or a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

/// The progress and remaining time of a run at one moment: what every display shows and the history stores.
///
/// Show the values as they are: the fraction never decreases and is 1 only at the end, and the remaining time is
/// rounded and counts down. A `RunForecaster` computes it.
///
/// ```swift
/// func line(of forecast: RunForecast) -> String {
///   if let late: RunForecast.LateTask = forecast.late {
///     return "\(late.task.name) usually takes \(late.usual)"
///   }
///   let tasks: [RunForecast.Task] = forecast.tasks
///   return "\(Int(forecast.fraction * 100)) %, \(tasks.count) at work"
/// }
/// ```
public struct RunForecast : Hashable, Sendable {

    /// The fraction of the run's time that has passed, from 0 to 1.
    public var fraction: Double

    /// The remaining time, rounded for people.
    public var shown: HeadwayRun.RoundedRemaining

    /// The remaining time with its 80% interval, nil if there is no estimate.
    public var remaining: HeadwayRun.RemainingTime?

    /// The task that takes much longer than it usually does, nil if none does.
    public var late: HeadwayRun.RunForecast.LateTask?

    /// The time for which it was computed, since the run began; not part of the encoded form, whose event has it.
    public var time: Duration

    /// The running tasks that began first, at most 64; not part of the encoded form.
    public var tasks: [HeadwayRun.RunForecast.Task]

    /// The forecast of a running task, from the same computation as that of the run.
    public struct Task : Hashable, Sendable {

        /// The task.
        public var id: HeadwayRun.TaskID

        /// The fraction of its attempt that is done, below 1; nil if there is no estimate.
        public var fraction: Double?

        /// The remaining time of its attempt, nil if there is no estimate.
        public var remaining: HeadwayRun.RemainingTime?

        /// Whether `fraction` is what the program of the task reports, and not an estimate.
        public var isReported: Bool

        /// What the program of the task says that it is doing, nil if it says nothing.
        public var detail: String?
    }

    /// A task that takes longer than 95% of its earlier runs.
    public struct LateTask : Hashable, Sendable {

        /// The task.
        public var task: HeadwayRun.TaskID

        /// The time since its attempt began.
        public var elapsed: Duration

        /// Its usual duration.
        public var usual: Duration
    }
}

extension RunForecast : Codable {

    /// Encodes the forecast with the fields that it has in an event; its time and its tasks are left out.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a forecast from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

/// The state of a run after its events so far: what a renderer needs, and the result at the end.
///
/// A pure value that folds `RunEvent`s. Not thread safe.
///
/// ```swift
/// let counts: RunState.Counts = state.counts
/// let atWork: [RunState.Task] = state.tasks.filter { $0.phase == .running }
/// show("\(counts[.succeeded]) succeeded, \(counts[.failed]) failed, \(atWork.count) at work")
/// ```
public struct RunState : Hashable, Sendable {

    /// The state of a task.
    public struct Task : Hashable, Sendable {

        /// The phase of the task.
        public package(set) var phase: HeadwayRun.RunState.Phase { get }

        /// The number of attempts so far.
        public package(set) var attempts: Int { get }

        /// When the latest attempt began, since the run began.
        public package(set) var latestStart: Duration { get }

        /// The time from the first attempt to the end, zero until then.
        public package(set) var ran: Duration { get }

        /// Whether it is a service that is ready.
        public package(set) var isReady: Bool { get }

        /// The other machine that carries out its latest attempt, nil for that of the run.
        public package(set) var host: String? { get }

        /// What its latest attempt has used, nil if that runs or it is unknown.
        public package(set) var usage: HeadwayRun.ResourceUsage? { get }
    }

    /// The phases of a task.
    public enum Phase : Hashable, Sendable {

        /// No attempt has started.
        case waiting

        /// An attempt is running.
        case running

        /// An attempt has exceeded its time limit and is being ended.
        case overdue

        /// An attempt failed, and the next one starts at the given time since the run began.
        case backingOff(until: Duration)

        /// The task has ended with an outcome.
        case ended(HeadwayRun.Outcome)
    }

    /// The number of tasks with each outcome.
    public struct Counts : Hashable, Sendable {

        /// The number of tasks that ended with an outcome.
        public package(set) subscript(kind: HeadwayRun.Outcome.Kind) -> Int

        /// The number of tasks that have ended.
        public var ended: Int { get }
    }

    /// The states of the tasks, by index.
    public package(set) var tasks: [HeadwayRun.RunState.Task] { get }

    /// The tasks that run or wait for another attempt, in the order in which they began.
    public package(set) var active: [HeadwayRun.TaskID] { get }

    /// The number of tasks with each outcome.
    public package(set) var counts: HeadwayRun.RunState.Counts { get }

    /// The number of tasks that may run at once.
    public package(set) var workers: Int { get }

    /// Why the run ends early, nil if it does not.
    public package(set) var ending: HeadwayRun.RunEvent.EndReason? { get }

    /// Whether the run is paused: no further task starts and no deadline passes.
    public package(set) var isPaused: Bool { get }

    /// The task whose failure holds the run until someone decides, nil if it is not held.
    public package(set) var heldBy: HeadwayRun.TaskID? { get }

    /// The machines that have not started, nil if none wait.
    public package(set) var waiting: HeadwayRun.RunEvent.WorkersWaiting? { get }

    /// The duration of the run, nil until it has ended.
    public package(set) var total: Duration? { get }

    /// Creates the state of a run that has not begun.
    ///
    /// - Parameter taskCount: The number of tasks in the graph; 0 for an empty queue.
    public init(taskCount: Int)

    /// Applies an event.
    ///
    /// Events about a task that has ended, or that the run does not have, are ignored. The run has the tasks that
    /// `taskCount` counts and those that were added since. A listener that starts late begins with the complete state,
    /// see `Launcher.events(keeping:beginningWithState:)`.
    ///
    /// - Parameter event: The next event of the run.
    /// - Complexity: O(1); O(active tasks) for the end of a task.
    public mutating func apply(_ event: HeadwayRun.RunEvent)

    /// The outcome of a task, nil if it has none or is not in the run.
    public func outcome(of id: HeadwayRun.TaskID) -> HeadwayRun.Outcome?
}

extension RunState : Codable {

    /// Encodes the state as an object, as the event `missed` contains it.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a state from an object.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension RunState.Task : Codable {

    /// Encodes the state as one of the `tasks` of a `RunState`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a state from one of the `tasks` of a `RunState`; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension RunState.Phase : Codable {

    /// Encodes the phase with the fields that it has in the state of a task: `phase`, and those for its details.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a phase from the fields of the state of a task; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the phase is unknown, or a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

extension RunState.Counts : Codable {

    /// Encodes the counts with the fields of the last line of a run.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes counts from their fields, such as those of the last line of a run.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
}

/// Why a task was never started.
///
/// ```swift
/// if case .skipped(.needs(let task)) = outcome { show("\(task.name) did not succeed") }
/// ```
@nonexhaustive public enum SkipReason : Hashable, Sendable {

    /// The task depends on the given one, directly or through others, and that one did not succeed.
    case needs(HeadwayRun.TaskID)

    /// The run stopped starting tasks when the given task failed.
    case stopped(by: HeadwayRun.TaskID)

    /// The task was removed from the run.
    case removed

    /// The outputs of the task are up to date; only `headway run` skips a task for this.
    case upToDate

    /// The condition of the task is false, which does not stop those that depend on it; only `headway run` knows conditions.
    case condition

    /// The task succeeded in an earlier run that this one goes on with; only `headway resume` skips a task for this.
    case doneEarlier
}

/// Identifies a task of a graph or a run by its index.
///
/// Two identifiers are equal if their indices are; the name is for people and may be missing.
///
/// ```swift
/// var graph = LaunchGraph()
/// let compile: TaskID = graph.add("compile") { _ in }
/// show("\(compile.name) is task \(compile.index)")  // compile is task 0
/// ```
public struct TaskID : Hashable, Comparable, Sendable {

    /// The index of the task, from 0, in the order in which tasks were added.
    public let index: Int

    /// The name of the task, empty if it is unknown.
    public let name: String

    /// Creates the identifier of the task at an index.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - name: The name.
    public init(_ index: Int, name: String = "")

    /// Compares the indices.
    public static func == (left: HeadwayRun.TaskID, right: HeadwayRun.TaskID) -> Bool

    /// Hashes the index.
    public func hash(into hasher: inout Hasher)

    /// Orders tasks by index.
    public static func < (left: HeadwayRun.TaskID, right: HeadwayRun.TaskID) -> Bool
}

extension TaskID : Codable {

    /// Encodes the name and the index with the fields that they have in an event: `task` and `id`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes an identifier from the fields of an event; unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing, or the index is not from 0 to 2³¹ − 1.
    public init(from decoder: any Decoder) throws
}

