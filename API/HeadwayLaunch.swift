import HeadwayCollections
import HeadwayForecast
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayTime
import Synchronization

/// The decision of a delegate about a run that is held after a failure.
public enum FailureDecision : Hashable, Sendable {

    /// The next task starts.
    case proceed

    /// The run ends.
    case end

    /// Nothing starts until somebody calls ``Launcher/proceed()`` or ``Launcher/cancel()``.
    case wait
}

/// The reaction of a run to the failure of a task that is not optional.
public enum FailurePolicy : Hashable, Sendable, Codable {

    /// No further tasks start; running ones may finish.
    case stop

    /// All tasks that do not depend on the failed one go on.
    case keepGoing

    /// No further tasks start, and running ones are ended.
    case failFast

    /// No further tasks start until the run is continued or ended.
    case hold
}

/// The context of a running attempt at a task.
///
/// Safe to use from any thread. After the end of the task its methods have no effect.
public struct LaunchContext : Sendable {

    /// The task.
    public var task: HeadwayRun.TaskID { get }

    /// The number of the attempt, from 1.
    public var attempt: Int { get }

    /// The launcher, to which a task may add others.
    public var launcher: HeadwayLaunch.Launcher { get }

    /// The progress node of the task, which is the current node in its body: functions that it calls report to it.
    ///
    /// If the task does not use it, its progress follows its expected duration and stays below 1 until the task ends.
    ///
    /// - Complexity: O(1); the first call creates the node.
    public var progress: HeadwayProgress.ProgressNode { get }

    /// Whether the attempt was cancelled: it exceeded its time limit, the task was removed, or the run ends.
    ///
    /// - Complexity: O(1).
    public var isCancelled: Bool { get }

    /// Throws if the attempt was cancelled, and waits while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func checkpoint() async throws

    /// Throws if the attempt was cancelled, and blocks the thread while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func blockingCheckpoint() throws

    /// Extends the deadline of the attempt, as often as necessary.
    ///
    /// - Parameter duration: The time that the attempt needs from now on.
    /// - Returns: Whether the attempt has that time: it has no time limit, or its deadline had not passed.
    @discardableResult
    public func extendDeadline(by duration: Duration) -> Bool
}

/// Why a task could not be added to a run.
@nonexhaustive public enum LaunchError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The run has ended.
    case hasEnded

    /// A task of that name has not ended.
    case duplicateName(String)

    /// The task was to wait for one that the run does not have.
    case unknownTask(String)

    /// The task was to run in a pool that the run does not have.
    case unknownPool(String)

    /// The error in words.
    public var description: String { get }
}

/// A launcher that was a task of another one did not succeed.
public struct LaunchFailure : Error, Sendable, CustomStringConvertible {

    /// What came of its run.
    public let result: HeadwayLaunch.LaunchResult

    /// The error in words: the tasks that failed, or why the run was ended.
    public var description: String { get }
}

/// Tasks with their dependencies, and the pools that limit them.
///
/// Adding a task or a dependency takes amortized constant time. Cycles are not checked until the graph is validated or
/// run.
///
/// ```swift
/// var graph = LaunchGraph()
/// let fetch = graph.add("fetch")
/// let unpack = graph.add("unpack")
/// graph.addDependency(of: unpack, on: fetch)
/// ```
public struct LaunchGraph : Sendable {

    /// Creates an empty graph.
    public init()

    /// Reserves memory for tasks and dependencies.
    ///
    /// - Parameters:
    ///   - tasks: The total number of tasks.
    ///   - edges: The total number of dependencies.
    public mutating func reserveCapacity(tasks: Int, edges: Int = 0)

    /// The number of tasks.
    public var count: Int { get }

    /// Adds a task.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The work; by default nothing, for a task that groups others.
    /// - Returns: The identifier in this graph.
    @discardableResult
    public mutating func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody = .nothing) -> HeadwayRun.TaskID

    /// Adds a task with an asynchronous function.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The identifier in this graph.
    @discardableResult
    public mutating func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayRun.TaskID

    /// Adds a task that is a value of its own type.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: The settings of the task.
    /// - Returns: The identifier in this graph.
    @discardableResult
    public mutating func add(_ task: some HeadwayLaunch.LaunchTask, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings()) -> HeadwayRun.TaskID

    /// Adds a pool.
    ///
    /// - Parameter limit: The number of its tasks that may run at once, at least 1.
    /// - Returns: The identifier in this graph.
    public mutating func addPool(limit: Int) -> HeadwayLaunch.PoolID

    /// Adds a dependency between two tasks of this graph.
    ///
    /// - Parameters:
    ///   - task: The task that waits.
    ///   - dependency: The task that it waits for.
    public mutating func addDependency(of task: HeadwayRun.TaskID, on dependency: HeadwayRun.TaskID)

    /// The settings of a task.
    public func settings(of task: HeadwayRun.TaskID) -> HeadwayLaunch.TaskSettings
}

extension LaunchGraph {

    /// Creates a graph of the tasks in a closure, in any order.
    ///
    /// Names are resolved when the graph is validated or run.
    ///
    /// - Parameters:
    ///   - pools: The number of tasks of each pool that may run at once; 1 for pools that are not listed.
    ///   - tasks: The tasks.
    public init(pools: [String : Int] = [:], @HeadwayLaunch.LaunchGraphBuilder _ tasks: () -> [HeadwayLaunch.PlannedTask])
}

/// Builds a graph from the tasks in a closure.
@resultBuilder public enum LaunchGraphBuilder {

    /// A task.
    public static func buildExpression(_ task: some HeadwayLaunch.PlannedTaskConvertible) -> [HeadwayLaunch.PlannedTask]

    /// The tasks of a block.
    public static func buildBlock(_ tasks: [HeadwayLaunch.PlannedTask]...) -> [HeadwayLaunch.PlannedTask]

    /// The tasks of a loop.
    public static func buildArray(_ tasks: [[HeadwayLaunch.PlannedTask]]) -> [HeadwayLaunch.PlannedTask]

    /// The tasks of an optional branch.
    public static func buildOptional(_ tasks: [HeadwayLaunch.PlannedTask]?) -> [HeadwayLaunch.PlannedTask]

    /// The tasks of a first branch.
    public static func buildEither(first tasks: [HeadwayLaunch.PlannedTask]) -> [HeadwayLaunch.PlannedTask]

    /// The tasks of a second branch.
    public static func buildEither(second tasks: [HeadwayLaunch.PlannedTask]) -> [HeadwayLaunch.PlannedTask]
}

/// What came of a run: how each task ended, when and why.
public struct LaunchResult : Sendable {

    /// What came of one task.
    public struct Task : Sendable, Identifiable {

        /// The task.
        public let id: HeadwayRun.TaskID

        /// How it ended.
        public let outcome: HeadwayRun.Outcome

        /// Whether the run may succeed although this task failed.
        public let isOptional: Bool

        /// The attempts begun.
        public let attempts: Int

        /// When its first attempt began, since the run began; nil when none did.
        public let began: Duration?

        /// When it ended, since the run began.
        public let ended: Duration

        /// What its last attempt threw; nil when it threw nothing, or was given up.
        public let error: (any Error)?

        /// Its name.
        public var name: String { get }
    }

    /// The tasks, in the order in which they were added.
    ///
    /// - Complexity: O(1); each task is made when it is looked at.
    public var tasks: LazyMapSequence<Range<Int>, HeadwayLaunch.LaunchResult.Task> { get }

    /// Why the run ended before its last task; nil when it did not.
    public let endReason: HeadwayRun.RunEvent.EndReason?

    /// How long the run took.
    public let duration: Duration

    /// Whether the run was not ended early, and no task failed that it needs.
    ///
    /// A task that was removed has not failed, nor has one that was skipped for it. A failure that a delegate let pass is
    /// one.
    public let isSuccess: Bool

    /// What came of the task of a name, nil when there is none.
    ///
    /// Of several that had the name one after the other, the latest.
    ///
    /// - Complexity: O(tasks).
    public subscript(name: String) -> HeadwayLaunch.LaunchResult.Task? { get }

    /// The tasks that failed or ran out of time, and that the run needs.
    ///
    /// What the end of the run cut off is not among them: ``endReason`` tells of that.
    ///
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    public var failures: [HeadwayLaunch.LaunchResult.Task] { get }
}

/// A named unit of work in a graph.
///
/// ```swift
/// struct LoadData: LaunchTask {
///   let name = "load data"
///   func run(_ context: LaunchContext) async throws {
///     try await context.checkpoint()
///   }
/// }
/// graph.add(LoadData())
/// ```
public protocol LaunchTask : HeadwayLaunch.PlannedTaskConvertible {

    /// The name, unique in the graph.
    var name: String { get }

    /// Does the work.
    ///
    /// - Parameter context: The context of the attempt.
    /// - Throws: The reason of the failure.
    func run(_ context: HeadwayLaunch.LaunchContext) async throws

    /// The body of the task; by default ``run(_:)`` as an asynchronous function.
    var body: HeadwayLaunch.TaskBody { get }
}

extension LaunchTask {

    /// ``run(_:)`` as an asynchronous function.
    public var body: HeadwayLaunch.TaskBody { get }

    /// The task without dependencies.
    public var planned: HeadwayLaunch.PlannedTask { get }
}

/// Runs a graph of tasks once, inside a program.
///
/// ```swift
/// var graph = LaunchGraph()
/// let network = graph.add("choose network") { context in try await chooseNetwork(context) }
/// graph.add("load data", after: [network], settings: TaskSettings(timeout: .seconds(10))) { context in
///   try await load(context.progress)
/// }
/// let result = try await Launcher(graph).run()
/// ```
///
/// A task starts when all that it waits for has succeeded and a worker is free. Whatever happens, each task gets
/// exactly one outcome, and the run one result. While it runs, tasks may be added and removed, and the whole may be
/// paused, resumed and cancelled, from any thread and from inside tasks.
///
/// **Thread safety.** All members, from any thread.
///
/// **Life.** A launcher lives as long as one of its tasks runs or waits for its next attempt, whoever holds it. What a
/// task throws is kept in the result.
///
/// **Cost.** One short lock for each task that ends, which also takes the next one; nothing is written down for
/// listeners while nobody listens.
final public class Launcher : Sendable {

    /// The name of the run, for when it is a task of another one.
    public let name: String

    /// Creates a launcher that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks.
    ///   - name: The name of the run, for when it is itself a task of another one.
    ///   - options: How the tasks are run.
    /// - Throws: `GraphError` when the graph cannot be run.
    /// - Complexity: O(tasks + edges).
    public init(_ graph: HeadwayLaunch.LaunchGraph, name: String = "launch", options: HeadwayLaunch.LauncherOptions = LauncherOptions()) throws(HeadwayRun.GraphError)

    /// The progress of the run: a unit for each task, and a node for each task that reports.
    ///
    /// Its `feed(every:)` gives pictures of it for a screen, and ends with the run.
    public var progress: HeadwayProgress.ProgressNode { get }

    /// Begins the run and waits for its end.
    ///
    /// The run is cancelled when the calling task is.
    ///
    /// - Returns: How each task ended.
    /// - Complexity: O(1) beside the tasks.
    public func run() async -> HeadwayLaunch.LaunchResult

    /// Begins the run; only the first call does anything.
    ///
    /// - Complexity: O(tasks).
    public func start()

    /// How each task ended; waits for the end of the run.
    public var result: HeadwayLaunch.LaunchResult { get async }

    /// How the run stands.
    ///
    /// - Complexity: O(tasks).
    public var state: HeadwayRun.RunState { get }

    /// Everything that happens from now on, in order; any number of listeners may ask for it.
    ///
    /// ```swift
    /// for await event in launcher.events() {
    ///   print(event)
    /// }
    /// ```
    ///
    /// The run never waits for a listener. One that falls further behind than `limit` loses the events that it has not
    /// taken, and gets one `RunEvent.Kind.missed` instead, with the number of lost events and the state of the run after
    /// them. The sequence ends after `RunEvent.Kind.runEnded`, and when the iterating task is cancelled. Safe from any
    /// thread; iterated by one task at a time.
    ///
    /// - Parameters:
    ///   - limit: The most events that are kept for a listener who has not taken them, at least 1.
    ///   - beginsWithState: Whether the first event is a `RunEvent.Kind.missed` of none, with the state of
    ///     the run at that moment: for those who may begin to listen late.
    /// - Returns: The events, for one listener; call again for another.
    /// - Complexity: O(1). Each event costs O(listeners); nothing while nobody listens.
    public func events(keeping limit: Int = 10_000, beginningWithState beginsWithState: Bool = false) -> some Sendable & AsyncSequence<HeadwayRun.RunEvent, Never>


    /// Ends the run: what has not started never will, and what runs is cancelled.
    ///
    /// Tasks that always run still do. A second call ends those as well, at once.
    public func cancel()

    /// Starts no further task, pauses the tree of progress, and lets the time of the run stand still.
    ///
    /// Neither deadlines nor the pauses before retries go on, and what is told of times counts none of it. A body that
    /// runs goes on until it looks: ``LaunchContext/checkpoint()`` waits for the end of the pause.
    ///
    /// - Returns: Whether the run went on before.
    @discardableResult
    public func pause() -> Bool

    /// Goes on after a pause.
    ///
    /// - Returns: Whether the run was paused.
    @discardableResult
    public func resume() -> Bool
}

extension Launcher {

    /// Adds a task to the run, before it begins or while it goes on; where a worker is free it starts at once.
    ///
    /// A task that needs one which has failed is skipped, as if it had been there before. In a run that is ending it is
    /// not started, unless it always runs.
    ///
    /// - Parameters:
    ///   - name: Its name, which no other task has that has not ended.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``; nothing has changed then.
    /// - Complexity: O(tasks that it waits for) amortized.
    @discardableResult
    public func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task with an asynchronous function, like the form that takes a body.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does. What it throws is the reason of its failure.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task of a type of its own, like the form that takes a body.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - dependencies: The tasks that it waits for.
    ///   - settings: How it is treated.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ task: some HeadwayLaunch.LaunchTask, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings()) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Removes a task: one that has not started never will, one that runs is cancelled.
    ///
    /// Tasks that need it are skipped, with it as the reason.
    ///
    /// - Parameter task: The task.
    /// - Returns: Whether there was something to remove: a task of this run that has not ended.
    /// - Complexity: O(tasks that need it).
    @discardableResult
    public func remove(_ task: HeadwayRun.TaskID) -> Bool

    /// Removes the task of a name that has not ended.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether there was one.
    /// - Complexity: O(1), after the first call for the run O(tasks).
    @discardableResult
    public func remove(named name: String) -> Bool

    /// Removes all tasks that have not started; those that run go on.
    ///
    /// The task of its own that a queue was made with is put in again, as the first.
    ///
    /// - Returns: How many were removed.
    /// - Complexity: O(tasks).
    @discardableResult
    public func removeAll() -> Int

    /// Goes on with the next task after a failure at which the run was held, see ``FailurePolicy/hold``.
    ///
    /// - Returns: Whether the run was held.
    @discardableResult
    public func proceed() -> Bool

    /// Ends a queue when what was added has ended; nothing can be added any more.
    public func close()
}

extension Launcher {

    /// A queue for the whole process, which has not begun.
    public static let shared: HeadwayLaunch.Launcher

    /// Creates a serial queue: tasks run one at a time, in the order in which they are added.
    ///
    /// ```swift
    /// let queue = Launcher.makeQueue(CheckVersion())
    /// queue.setDelegate(self, on: MainActor.shared)
    /// try queue.add(ChooseNetwork())
    /// try queue.add(LoadData())
    /// queue.start()
    /// ```
    ///
    /// A success starts the next task. After a failure the rest stays queued, and the delegate decides whether the next
    /// one starts or the run ends; without one ``proceed()`` and ``cancel()`` do. A queue whose tasks have all ended
    /// waits for more, which start at once, until ``close()`` or ``cancel()``; only then it has a result.
    ///
    /// - Parameters:
    ///   - own: The queue's own task, which is the first, also after ``removeAll()``; nil for none.
    ///   - settings: How the own task is treated.
    ///   - name: The name of the queue, for when it is itself a task of another launcher.
    ///   - options: How it is run; there is one worker, and a failure holds the run.
    /// - Returns: The queue, which has not begun.
    public static func makeQueue(_ own: (any HeadwayLaunch.LaunchTask)? = nil, settings: HeadwayLaunch.TaskSettings = TaskSettings(), name: String = "queue", options: HeadwayLaunch.LauncherOptions = LauncherOptions()) -> HeadwayLaunch.Launcher
}

extension Launcher : HeadwayLaunch.LaunchTask {

    /// Runs the launcher as a task of another one: with its progress below that of the task, cancelled with it.
    ///
    /// While the other run is paused this one is as well, and it goes on with it, whoever has paused it. A queue is closed:
    /// it ends when what was added has ended. Where the other run ends before the turn of this one comes, this
    /// one never begins: who waits for its own result or events has to ``cancel()`` it then.
    ///
    /// - Parameter context: What the task may ask of the other run.
    /// - Throws: `CancellationError` when the other run cancelled it; otherwise ``LaunchFailure`` when a task has failed
    ///   that this run needs, when its own deadline has passed, and when it was cancelled by itself.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

extension Launcher {

    /// Sets the delegate, which receives the events from now on.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, which is held weakly; nil for none.
    ///   - actor: The actor on which it is called; nil for the executor of the tasks.
    public func setDelegate(_ delegate: (any HeadwayLaunch.LauncherDelegate)?, on actor: (any Actor)? = nil)
}

/// Receives the events of a run; every method is optional.
///
/// The methods are called one after the other, in the order of the events, on the actor that the delegate was set with.
/// The run does not wait for them unless it is held: a task may have ended when the call for its start arrives. There is
/// no order between these calls and the events in ``Launcher/events(keeping:beginningWithState:)``. The launcher holds its delegate weakly.
///
/// A class of the main actor conforms as `@preconcurrency LauncherDelegate`, and is then set with `MainActor.shared`.
public protocol LauncherDelegate : AnyObject, Sendable {

    /// A task starts.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task, with its name.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didStart task: HeadwayRun.TaskID)

    /// A task has succeeded.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didComplete task: HeadwayRun.TaskID)

    /// A task has failed, after its last attempt.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    ///   - outcome: Whether it failed or exceeded its time limit.
    ///   - error: The error that it threw, nil if there is none.
    /// - Returns: The decision, if the run is held by this failure; otherwise it is ignored.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) -> HeadwayLaunch.FailureDecision

    /// A task was skipped, removed or cancelled.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    ///   - outcome: The outcome.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome)

    /// All tasks of a queue have ended; more may be added.
    ///
    /// - Parameter launcher: The run.
    func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher)

    /// The run has ended; this is the last call.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - result: The result of the run.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult)
}

extension LauncherDelegate {

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didStart task: HeadwayRun.TaskID)

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didComplete task: HeadwayRun.TaskID)

    /// Returns `wait`.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) -> HeadwayLaunch.FailureDecision

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome)

    /// Does nothing.
    public func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher)

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult)
}

/// The options of a launcher.
public struct LauncherOptions : Sendable {

    /// The number of tasks that may run at once, at least 1; by default one for each core.
    ///
    /// A task that only waits occupies a worker, too: allow more if most tasks wait for a network or a disk.
    public var workers: Int

    /// The reaction to the failure of a task that is not optional.
    public var policy: HeadwayLaunch.FailurePolicy

    /// The time limit of the whole run, nil for none.
    public var deadline: Duration?

    /// The expected duration of each task, by index; tasks on the critical path start first.
    public var expected: [Duration?]

    /// The timers for deadlines and retries.
    public var timers: HeadwayTime.TimerService

    /// The executor of tasks that are not isolated to an actor; nil for the global one.
    public var executor: (any TaskExecutor)?

    /// The priority of the Swift tasks that run the bodies.
    public var priority: TaskPriority?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - workers: The number of tasks that may run at once; nil for one for each core.
    ///   - policy: The reaction to a failure.
    ///   - deadline: The time limit of the whole run.
    ///   - timers: The timers; in tests those of a virtual clock.
    ///   - executor: The executor of the tasks.
    public init(workers: Int? = nil, policy: HeadwayLaunch.FailurePolicy = .stop, deadline: Duration? = nil, timers: HeadwayTime.TimerService = .suspending, executor: (any TaskExecutor)? = nil)
}

/// The error of a task whose report was released without having been used.
public struct NeverReported : Error, Hashable, Sendable, CustomStringConvertible {

    /// A message with advice.
    public var description: String { get }
}

/// What a task throws that must not be tried again, although it may be: a further attempt would end in the same way.
///
/// ```swift
/// guard fileExists(path) else { throw NonRetryable(NoDatabase(path)) }
/// ```
///
/// The run, its result and its events tell the error inside.
public struct NonRetryable : Error, Sendable, CustomStringConvertible {

    /// Why the task has failed.
    public let error: any Error

    /// Marks an error.
    ///
    /// - Parameter error: Why the task has failed.
    public init(_ error: any Error)

    /// The words of the error inside.
    public var description: String { get }
}

/// A task with its dependencies and settings, to be added to a graph.
///
/// Made from a ``LaunchTask`` by one of its modifiers, or directly:
///
/// ```swift
/// let graph = LaunchGraph {
///   PlannedTask("choose network") { context in try await chooseNetwork(context) }
///   PlannedTask("load data") { context in try await load(context.progress) }
///     .after("choose network")
///     .timeout(.seconds(10))
///   CheckVersion()
///     .after("choose network")
///     .optional()
/// }
/// ```
public struct PlannedTask : HeadwayLaunch.PlannedTaskConvertible {

    /// The settings.
    public var settings: HeadwayLaunch.TaskSettings

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - body: The work.
    public init(_ name: String, _ body: HeadwayLaunch.TaskBody)

    /// Creates a task with an asynchronous function.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - body: The function; an error that it throws is the reason of the failure.
    public init(_ name: String, _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void)

    /// The task itself.
    public var planned: HeadwayLaunch.PlannedTask { get }
}

/// What a graph is built from: a ``LaunchTask``, or a task with dependencies and settings.
///
/// Conform to it directly if a type of your own knows its form, dependencies or limits:
///
/// ```swift
/// struct OpenDatabase: PlannedTaskConvertible {
///   var planned: PlannedTask {
///     PlannedTask("open the database", .blocking { _ in try open() }).timeout(.seconds(10))
///   }
/// }
/// ```
public protocol PlannedTaskConvertible : Sendable {

    /// The task with its dependencies and settings.
    var planned: HeadwayLaunch.PlannedTask { get }
}

extension PlannedTaskConvertible {

    /// Adds dependencies.
    ///
    /// - Parameter names: The names of the tasks, in any order in the graph.
    /// - Returns: The changed task.
    public func after(_ names: String...) -> HeadwayLaunch.PlannedTask

    /// Limits the time of one attempt.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - grace: The time after cancelling it after which the run goes on without it; 5 seconds by default.
    /// - Returns: The changed task.
    public func timeout(_ limit: Duration, grace: Duration = TaskDefaults.grace) -> HeadwayLaunch.PlannedTask

    /// Retries the task when it fails or exceeds its time limit.
    ///
    /// - Parameters:
    ///   - limit: The number of attempts after the first one.
    ///   - backoff: The delay before the second attempt, which doubles with each further one; 1 second by default.
    ///   - jitter: The random part of each delay, from 0 to 1.
    /// - Returns: The changed task.
    public func retries(_ limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0) -> HeadwayLaunch.PlannedTask

    /// Makes the task optional: the run, and the tasks that depend on this one, go on if it fails.
    ///
    /// - Returns: The changed task.
    public func optional() -> HeadwayLaunch.PlannedTask

    /// Runs the task however its dependencies ended, and even after the run was cancelled.
    ///
    /// - Returns: The changed task.
    public func always() -> HeadwayLaunch.PlannedTask

    /// Starts the task before ready ones of a lower priority.
    ///
    /// - Parameter priority: The priority; 0 by default.
    /// - Returns: The changed task.
    public func priority(_ priority: Int32) -> HeadwayLaunch.PlannedTask

    /// Puts the task in a pool, which limits how many of its tasks run at once.
    ///
    /// - Parameter name: The name of the pool.
    /// - Returns: The changed task.
    public func pool(_ name: String) -> HeadwayLaunch.PlannedTask
}

/// The identifier of a pool in a graph.
public struct PoolID : Hashable, Sendable {
}

/// A task that is started and reports its end later.
///
/// ```swift
/// final class ChooseNetwork: ReportingTask {
///   let name = "choose network"
///   func start(_ context: LaunchContext, _ report: TaskReport) {
///     probe.begin { path in path == nil ? report.fail(NoPath()) : report.succeed() }
///   }
/// }
/// ```
public protocol ReportingTask : HeadwayLaunch.LaunchTask {

    /// Starts the work, and returns.
    ///
    /// - Parameters:
    ///   - context: The context of the attempt.
    ///   - report: The report, to be used exactly once.
    func start(_ context: HeadwayLaunch.LaunchContext, _ report: HeadwayLaunch.TaskReport)
}

extension ReportingTask {

    /// ``start(_:_:)``.
    public var body: HeadwayLaunch.TaskBody { get }

    /// Starts the work and waits for its report, for calls without a launcher.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

/// The retries of a task that failed or exceeded its time limit.
public struct RetryPolicy : Hashable, Sendable {

    /// The number of attempts after the first one.
    public var limit: Int

    /// The delay before the second attempt; it doubles with each further one, up to five minutes.
    public var backoff: Duration

    /// The random part of each delay, from 0 to 1, so that tasks that failed together are not retried together.
    public var jitter: Double

    /// No retries.
    public static let none: HeadwayLaunch.RetryPolicy

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The number of attempts after the first one.
    ///   - backoff: The delay before the second attempt.
    ///   - jitter: The random part of each delay, from 0 to 1.
    public init(limit: Int, backoff: Duration, jitter: Double = 0)
}

/// Folds the events of a run into its state, and forecasts its progress and remaining time.
///
/// ```
///   RunEvent ──▶ RunState, GraphForecast ──▶ raw values ──▶ ShownProgress, ShownRemaining ──▶ RunForecast
///                              ▲
///             history ─────────┘
/// ```
///
/// ```swift
/// var forecaster = RunForecaster(graph, workers: 4, history: history)
/// let events = launcher.events()  // before the run begins
/// launcher.start()
/// for await event in events {
///   forecaster.receive(event)
///   show(forecaster.forecast(at: event.time))
/// }
/// ```
///
/// To show progress between events too, ask at the time of a clock that was started with the run; the article
/// "Forecasting your own run" has an example.
///
/// Receiving an event is cheap; a forecast is computed only when asked for. The raw values depend on nothing but the
/// events and the time, so two forecasters that received the same events agree.
///
/// When a run begins to end early, because a task failed or somebody asked for it, the fraction stays where it is; it
/// reaches 1 only if no task was cut off.
///
/// A pure value with the time as an argument. Not thread safe. One is enough for a run: whoever shows or records the run
/// is given its state and forecast.
public struct RunForecaster : Sendable {

    /// The state of the run after the events received so far.
    public private(set) var state: HeadwayRun.RunState { get }

    /// Creates a forecaster for a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks; the history identifies them by name and kind.
    ///   - workers: The number of tasks that run at a time.
    ///   - history: The durations of earlier runs, empty for a first run.
    ///   - expected: Expected durations by index, used for tasks without history.
    /// - Complexity: O(tasks + edges + samples of the history).
    public init(_ graph: HeadwayLaunch.LaunchGraph, workers: Int, history: HeadwayForecast.DurationHistory = DurationHistory(), expected: [Duration?] = [])

    /// Folds the next event of the run.
    ///
    /// An event of a task that the run does not have changes nothing.
    ///
    /// - Parameter event: The next event of the run.
    /// - Complexity: O(1), O(running tasks + children) for the end of a task, O(tasks) after a loss of events.
    public mutating func receive(_ event: HeadwayRun.RunEvent)

    /// Forecasts the run.
    ///
    /// - Parameter now: The time since the run began; a time before the latest one counts as the latest one.
    /// - Returns: The forecast of the run and of its running tasks.
    /// - Complexity: That of `GraphForecast.forecast(at:)`; O(1) if nothing happened and no time passed.
    public mutating func forecast(at now: Duration) -> HeadwayRun.RunForecast
}

/// Runs `SimulatedProgress` on a clock: moves a node while time passes, and tells listeners.
///
/// ```swift
/// let run = SimulatedProgressRun("Signing in", strategy: .average)
/// try run.setUp(steps: 3, weights: [0.2, 0.5, 1])
/// try run.start(expecting: .seconds(2))
/// connect()
/// try run.finishStep()
/// ```
///
/// The node joins the current one, so that what it is part of moves as well. It stays below its end until the last step
/// has finished, and is taken back to its beginning by a reset; what was shown of a tree that it is part of stays.
///
/// A call that the state does not allow throws and changes nothing. Listeners are called one after the other, in the
/// order of what happened, outside of any lock, on whichever thread that is; they may call back. While the value
/// stands, nothing wakes up.
///
/// **Thread safety.** All members, from any thread.
final public class SimulatedProgressRun : Sendable {

    /// The node, which this moves.
    public let node: HeadwayProgress.ProgressNode

    /// Creates a run that has not begun.
    ///
    /// - Parameters:
    ///   - label: The words that name the work.
    ///   - strategy: From what the durations of steps are estimated.
    ///   - units: The units of the current node that the work stands for; nil for all that are left.
    ///   - interval: The time from one value to the next while it moves, at least a millisecond.
    ///   - timers: Measures the time; `TimerService(clock:)` does it on any clock.
    public init(_ label: String = "", strategy: HeadwayForecast.SimulatedProgress.Strategy = .recent, units: Int? = nil, interval: Duration = .milliseconds(100), timers: HeadwayTime.TimerService = .suspending)

    deinit

    /// Where the work stands.
    public var currentState: HeadwayForecast.SimulatedProgress.State { get }

    /// The raw value, from 0 to 1; see `SimulatedProgress.fraction(at:)`.
    public var fraction: Double { get }

    /// Sets the steps up; see `SimulatedProgress.setUp(steps:concurrencies:weights:)`.
    ///
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
    ///   - weights: The accumulated weights; equal steps when nil.
    /// - Throws: `SimulatedProgressError`.
    public func setUp(steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Sets the listeners in place of those before; a reset leaves them.
    ///
    /// They are held until they are replaced: what they capture must not hold the run.
    ///
    /// - Parameters:
    ///   - progress: Takes each new value.
    ///   - completion: Is called once when all steps have finished, and not by a reset.
    /// - Throws: `SimulatedProgressError` unless the state is initialized or reset.
    public func setListeners(progress: (@Sendable (Double) -> Void)?, completion: (@Sendable () -> Void)?) throws(HeadwayForecast.SimulatedProgressError)

    /// Begins the first step; see `SimulatedProgress.start(expecting:at:)`.
    ///
    /// - Parameter estimate: How long the first step is expected to take; above zero.
    /// - Throws: `SimulatedProgressError`.
    public func start(expecting estimate: Duration) throws(HeadwayForecast.SimulatedProgressError)

    /// Adds steps; see `SimulatedProgress.addSteps(_:concurrencies:weights:at:)`.
    ///
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
    ///   - weights: The accumulated weights; what is left, divided equally, when nil.
    /// - Throws: `SimulatedProgressError`.
    public func addSteps(_ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Takes note that a step, or a part of it, has finished; see `SimulatedProgress.finishStep(at:)`.
    ///
    /// - Throws: `SimulatedProgressError`.
    public func finishStep() throws(HeadwayForecast.SimulatedProgressError)

    /// Goes back to the beginning; see `SimulatedProgress.reset(at:)`.
    ///
    /// - Throws: `SimulatedProgressError`.
    public func reset() throws(HeadwayForecast.SimulatedProgressError)
}

/// The work of a task, and how it runs.
///
/// ```swift
/// graph.add("fetch") { context in try await fetch(context.progress) }
/// graph.add("parse", .immediate { _ in parse() })
/// graph.add("legacy", .blocking { _ in readAll() })
/// graph.add("kit", .reporting { _, report in kit.start { report.complete(with: $0) } })
/// graph.add("store", .on(store) { store, _ in store.load() })
/// graph.add("window") { @MainActor _ in showWindow() }
/// ```
///
/// | form | runs on | when it is cancelled or exceeds its time limit |
/// |---|---|---|
/// | ``asynchronous(_:)`` | a Swift task of its own until it returns | the Swift task is cancelled; after the grace period the run goes on without it |
/// | ``immediate(_:)`` | a worker's thread; it must not block | its progress node is cancelled; after the grace period the run goes on without it |
/// | ``blocking(_:)`` | a thread of its own | the same |
/// | ``reporting(_:)`` | starts on a worker's thread and ends with its report | the same |
/// | ``on(_:_:)`` | the actor | like an asynchronous one |
public struct TaskBody : Sendable {

    /// A body that does nothing, for a task that groups others.
    public static let nothing: HeadwayLaunch.TaskBody

    /// An asynchronous function.
    ///
    /// - Parameter body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The body.
    public static func asynchronous(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayLaunch.TaskBody

    /// A short synchronous function that does not block; this form costs the least.
    ///
    /// - Parameter body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The body.
    public static func immediate(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) throws -> Void) -> HeadwayLaunch.TaskBody

    /// A synchronous function that may block; it runs on a thread of its own.
    ///
    /// - Parameter body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The body.
    public static func blocking(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) throws -> Void) -> HeadwayLaunch.TaskBody

    /// A function that starts some work and returns; the work reports its end later, from any thread.
    ///
    /// - Parameter body: The function. A report that is released unused is a failure.
    /// - Returns: The body.
    public static func reporting(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, HeadwayLaunch.TaskReport) -> Void) -> HeadwayLaunch.TaskBody

    /// A function that runs on an actor.
    ///
    /// For the main actor use a closure that is isolated to it, `{ @MainActor _ in show() }`: the compiler does not know
    /// that an actor passed as a value is the main actor.
    ///
    /// - Parameters:
    ///   - actor: The actor, which the body retains.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The body.
    public static func on<A>(_ actor: A, _ body: @escaping @Sendable (isolated A, HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayLaunch.TaskBody where A : Actor
}

/// The end of a task that was started and finishes later.
///
/// The first report counts. A further one changes nothing and is reported as `RunEvent.Kind.taskReportedAgain`.
/// A report that is released without having been used counts as a failure with ``NeverReported``, so that a forgotten
/// task does not hold up the run.
///
/// Safe to use from any thread.
final public class TaskReport : Sendable {

    deinit

    /// Completes the task with success.
    ///
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func succeed() -> Bool

    /// Completes the task with a failure.
    ///
    /// - Parameter error: The reason.
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func fail(_ error: any Error) -> Bool

    /// Completes the task with a result.
    ///
    /// - Parameter result: Success or the reason of the failure.
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func complete(with result: Result<Void, any Error>) -> Bool
}

/// The settings of a task.
public struct TaskSettings : Hashable, Sendable {

    /// The time limit of one attempt, nil for none.
    public var timeout: Duration?

    /// The time between asking a task to end and ending it by force.
    public var grace: Duration

    /// The retries after a failure.
    public var retries: HeadwayLaunch.RetryPolicy

    /// The pool that limits how many of its tasks run at once, in addition to the number of workers.
    public var pool: HeadwayLaunch.PoolID?

    /// Whether the run, and the tasks that depend on this one, go on if it fails.
    public var isOptional: Bool

    /// Whether the task runs however its dependencies ended, and even after the run was cancelled.
    public var alwaysRuns: Bool

    /// The priority: ready tasks with a higher one start first; 0 by default.
    public var priority: Int32

    /// The kind of task, empty if it has none.
    ///
    /// A forecast assumes that tasks of one kind take similar times.
    public var kind: String

    /// Creates settings; the grace period is 5 seconds by default.
    public init(timeout: Duration? = nil, grace: Duration = TaskDefaults.grace, retries: HeadwayLaunch.RetryPolicy = .none, pool: HeadwayLaunch.PoolID? = nil, isOptional: Bool = false, alwaysRuns: Bool = false, priority: Int32 = 0, kind: String = "")
}

