import HeadwayCollections
import HeadwayForecast
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayTime
import Synchronization

/// A task that blocks its thread, and gets one of its own.
///
/// ```swift
/// struct OpenDatabase: BlockingLaunchTask {
///   let name = "open the database"
///   func runBlocking(_ context: LaunchContext) throws {
///     try context.blockingCheckpoint()
///   }
/// }
/// ```
public protocol BlockingLaunchTask : HeadwayLaunch.LaunchTask {

    /// Does the work; it may block.
    ///
    /// - Parameter context: What the task may ask of the run.
    /// - Throws: Why it has failed.
    func runBlocking(_ context: HeadwayLaunch.LaunchContext) throws
}

extension BlockingLaunchTask {

    /// ``runBlocking(_:)`` on a thread of its own.
    public var body: HeadwayLaunch.TaskBody { get }

    /// Does the work on a thread of its own, for those who run the task by hand.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

/// What a delegate decides when a task of a held run has failed.
public enum FailureDecision : Hashable, Sendable {

    /// The next task starts.
    case proceed

    /// The run ends.
    case end

    /// Nothing starts until somebody calls ``Launcher/proceed()`` or ``Launcher/cancel()``.
    case wait
}

/// What happens to the rest of a run when a task fails that the run needs.
public enum FailurePolicy : Hashable, Sendable, Codable {

    /// Nothing more is started; what runs may end by itself.
    case stop

    /// All goes on that does not need the failed task.
    case keepGoing

    /// Nothing more is started, and what runs is ended.
    case failFast

    /// Nothing more is started until somebody decides whether the run goes on or ends.
    case hold
}

/// What a running task may ask of its run.
///
/// Safe from any thread, and after the end of the task, when it changes nothing any more.
public struct LaunchContext : Sendable {

    /// The name of the task.
    public var name: String { get }

    /// The task in its run.
    public var task: HeadwayRun.TaskID { get }

    /// The attempt, from 1.
    public var attempt: Int { get }

    /// The run, to which a task may add others.
    public var launcher: HeadwayLaunch.Launcher { get }

    /// The node of the task, which is the current one inside its body: what it calls reports by itself.
    ///
    /// A task that does not ask for it moves by its expected duration, and is held below 1 until it ends.
    ///
    /// - Complexity: O(1); the first call makes the node.
    public var progress: HeadwayProgress.ProgressNode { get }

    /// Whether the task is to end: its time is up, it was removed, or the run ends.
    ///
    /// - Complexity: O(1).
    public var isCancelled: Bool { get }

    /// Throws when the task is to end, and waits while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func checkpoint() async throws

    /// The same for a task on a thread of its own, which is blocked while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func blockingCheckpoint() throws

    /// Asks for more time, for a task that finds that it has more to do; a task that stays alive may ask again and again.
    ///
    /// - Parameter duration: The time that the task needs from now on.
    /// - Returns: Whether it has it: the task has no limit, or its time was not up yet.
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

/// Tasks, what each must wait for, and the pools that bound them.
///
/// A value without behaviour. Adding is O(1) amortized. Not checked here: cycles. A task on a cycle can never start;
/// who runs the graph refuses it.
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

    /// The limits of the pools, by place.
    public private(set) var poolLimits: [Int] { get }

    /// The dependencies, in the order in which they were added.
    public private(set) var edges: [HeadwayRun.TaskGraph.Edge] { get }

    /// Creates an empty graph.
    public init()

    /// Makes room, so that adding as many tasks and edges does not move what is there.
    ///
    /// - Parameters:
    ///   - tasks: The number of tasks in all.
    ///   - edges: The number of edges in all.
    public mutating func reserveCapacity(tasks: Int, edges: Int = 0)

    /// The number of tasks.
    public var count: Int { get }

    /// Adds a task.
    ///
    /// - Parameters:
    ///   - name: The name that events and surfaces show.
    ///   - settings: How the engine treats it.
    /// - Returns: Its identity in this graph.
    public mutating func add(_ name: String, settings: HeadwayLaunch.TaskSettings = TaskSettings()) -> HeadwayRun.TaskID

    /// Adds a task with what it does.
    ///
    /// - Parameters:
    ///   - name: The name that events and surfaces show.
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does.
    /// - Returns: Its identity in this graph.
    @discardableResult
    public mutating func add(_ name: String, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody) -> HeadwayRun.TaskID

    /// Adds a task with an asynchronous function.
    ///
    /// - Parameters:
    ///   - name: The name that events and surfaces show.
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does. What it throws is the reason of its failure.
    /// - Returns: Its identity in this graph.
    @discardableResult
    public mutating func add(_ name: String, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayRun.TaskID

    /// Adds a task that waits for others by their names, which may be added later.
    ///
    /// - Parameters:
    ///   - name: The name that events and surfaces show.
    ///   - earlier: The names of the tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does.
    /// - Returns: Its identity in this graph.
    @discardableResult
    public mutating func add(_ name: String, after earlier: [String], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody) -> HeadwayRun.TaskID

    /// Checks that the graph can be run: no name stands for two tasks, each that is waited for is there, and no tasks
    /// wait for each other in a circle.
    ///
    /// - Throws: ``GraphError``, the first that is found.
    /// - Complexity: O(tasks + edges).
    public func validate() throws(HeadwayRun.GraphError)

    /// Adds a task of a type of its own.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    /// - Returns: Its identity in this graph.
    @discardableResult
    public mutating func add(_ task: some HeadwayLaunch.LaunchTask, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings()) -> HeadwayRun.TaskID

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
    public mutating func order(_ task: HeadwayRun.TaskID, after earlier: HeadwayRun.TaskID)

    /// The name of a task.
    public func name(of task: HeadwayRun.TaskID) -> String

    /// How a task is treated.
    public func settings(of task: HeadwayRun.TaskID) -> HeadwayLaunch.TaskSettings
}

extension LaunchGraph {

    /// Creates a graph of the tasks that stand in a closure, in any order.
    ///
    /// Names are looked up when the graph is run, or validated.
    ///
    /// - Parameters:
    ///   - pools: How many tasks of each pool may run at once. A pool that is not named here has room for one.
    ///   - tasks: The tasks.
    public init(pools: [String : Int] = [:], @HeadwayLaunch.LaunchGraphBuilder _ tasks: () -> [HeadwayLaunch.PlannedTask])
}

/// Builds a graph from the tasks that stand in a closure.
@resultBuilder public enum LaunchGraphBuilder {

    /// A task with its place.
    public static func buildExpression(_ task: HeadwayLaunch.PlannedTask) -> [HeadwayLaunch.PlannedTask]

    /// A task that waits for nothing.
    public static func buildExpression(_ task: some HeadwayLaunch.LaunchTask) -> [HeadwayLaunch.PlannedTask]

    /// Several tasks.
    public static func buildExpression(_ tasks: [HeadwayLaunch.PlannedTask]) -> [HeadwayLaunch.PlannedTask]

    /// One after the other.
    public static func buildBlock(_ tasks: [HeadwayLaunch.PlannedTask]...) -> [HeadwayLaunch.PlannedTask]

    /// Those of a loop.
    public static func buildArray(_ tasks: [[HeadwayLaunch.PlannedTask]]) -> [HeadwayLaunch.PlannedTask]

    /// Those of a condition.
    public static func buildOptional(_ tasks: [HeadwayLaunch.PlannedTask]?) -> [HeadwayLaunch.PlannedTask]

    /// Those of a first branch.
    public static func buildEither(first tasks: [HeadwayLaunch.PlannedTask]) -> [HeadwayLaunch.PlannedTask]

    /// Those of a second branch.
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

    /// What came of the tasks, in the order in which they were added.
    ///
    /// It is read from what the run has noted, so that a large one costs nothing until somebody looks.
    public struct Tasks : RandomAccessCollection, Sendable {

        /// The place of the first task.
        public var startIndex: Int { get }

        /// The place behind the last task.
        public var endIndex: Int { get }

        /// What came of the task at a place.
        ///
        /// - Complexity: O(1).
        public subscript(place: Int) -> HeadwayLaunch.LaunchResult.Task { get }
    }

    /// The tasks, in the order in which they were added.
    public let tasks: HeadwayLaunch.LaunchResult.Tasks

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

/// A task with a name: what a program does at its start, or any other unit of a graph.
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
public protocol LaunchTask : Sendable {

    /// The name, which must be the only one of its kind in a graph.
    var name: String { get }

    /// Does the work.
    ///
    /// - Parameter context: What the task may ask of the run.
    /// - Throws: Why it has failed.
    func run(_ context: HeadwayLaunch.LaunchContext) async throws

    /// How the work is run; by default ``run(_:)`` as an asynchronous function.
    var body: HeadwayLaunch.TaskBody { get }
}

extension LaunchTask {

    /// The task with its place in a graph.
    public var planned: HeadwayLaunch.PlannedTask { get }

    /// The task, waiting for others; see ``PlannedTask/after(_:)``.
    public func after(_ names: String...) -> HeadwayLaunch.PlannedTask

    /// The task with a limit on its time; see ``PlannedTask/timeout(_:grace:)``.
    public func timeout(_ limit: Duration, grace: Duration = .seconds(5)) -> HeadwayLaunch.PlannedTask

    /// The task, tried again; see ``PlannedTask/retries(_:backoff:jitter:)``.
    public func retries(_ limit: Int, backoff: Duration = .seconds(1), jitter: Double = 0) -> HeadwayLaunch.PlannedTask

    /// The task, without which the run succeeds too.
    public func optional() -> HeadwayLaunch.PlannedTask

    /// The task, run however those before it ended.
    public func always() -> HeadwayLaunch.PlannedTask

    /// The task, started before ready ones of a lower priority; see ``PlannedTask/priority(_:)``.
    public func priority(_ priority: Int32) -> HeadwayLaunch.PlannedTask

    /// The task in a pool of the graph; see ``PlannedTask/pool(_:)``.
    public func pool(_ name: String) -> HeadwayLaunch.PlannedTask
}

extension LaunchTask {

    /// ``run(_:)`` as an asynchronous function.
    public var body: HeadwayLaunch.TaskBody { get }
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
    /// - Throws: ``GraphError`` when the graph cannot be run.
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

    /// Everything that happens from now on, in order.
    ///
    /// - Parameters:
    ///   - limit: The most events that are kept for a listener who has not taken them, at least 1.
    ///   - beginsWithState: Whether the first event is a ``RunEvent/Kind/missed(_:_:)`` of none, with the state of
    ///     the run at that moment: for those who may begin to listen late.
    /// - Returns: The events, for one listener; call again for another.
    /// - Complexity: O(1). Each event costs O(listeners); nothing while nobody listens.
    public func events(keeping limit: Int = 10_000, beginningWithState beginsWithState: Bool = false) -> HeadwayLaunch.RunEvents

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
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``; nothing has changed then.
    /// - Complexity: O(tasks that it waits for) amortized.
    @discardableResult
    public func add(_ name: String, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task with an asynchronous function, like the form that takes a body.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    ///   - body: What it does. What it throws is the reason of its failure.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ name: String, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task of a type of its own, like the form that takes a body.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - earlier: The tasks that it waits for.
    ///   - settings: How it is treated.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ task: some HeadwayLaunch.LaunchTask, after earlier: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings()) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

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
    /// let queue = Launcher.queue(CheckVersion())
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
    public static func queue(_ own: (any HeadwayLaunch.LaunchTask)? = nil, settings: HeadwayLaunch.TaskSettings = TaskSettings(), name: String = "queue", options: HeadwayLaunch.LauncherOptions = LauncherOptions()) -> HeadwayLaunch.Launcher
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

    /// Sets who is told what happens from now on, in place of who was told before.
    ///
    /// - Parameters:
    ///   - delegate: Who is told; it is not held. Nil for nobody.
    ///   - actor: Where the calls come; nil for the executor of the tasks.
    public func setDelegate(_ delegate: (any HeadwayLaunch.LauncherDelegate)?, on actor: (any Actor)? = nil)
}

/// Is told what happens in a run; every method may be left out.
///
/// The calls come one after the other, in the order of the events, on the actor that the delegate was set with. Between
/// them and what listeners of ``RunEvents`` get there is no order, and the run does not wait for them but where it
/// is held: a task may be over when its start is told. The launcher does not hold its delegate.
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
    ///   - outcome: Whether it failed or its time was up.
    ///   - error: What it threw, `CancellationError` where it was given up; nil when it threw nothing.
    /// - Returns: How a run goes on that is held by this failure; in others it means nothing.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) -> HeadwayLaunch.FailureDecision

    /// A task has ended without having been run to its end: it was skipped, removed or cancelled.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    ///   - outcome: How.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome)

    /// All tasks of a queue have ended; more may be added.
    ///
    /// - Parameter launcher: The run.
    func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher)

    /// The run has ended; nothing more is told.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - result: How each task ended.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult)
}

extension LauncherDelegate {

    /// Nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didStart task: HeadwayRun.TaskID)

    /// Nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didComplete task: HeadwayRun.TaskID)

    /// Waits.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) -> HeadwayLaunch.FailureDecision

    /// Nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome)

    /// Nothing.
    public func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher)

    /// Nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult)
}

/// How a graph is run.
public struct LauncherOptions : Sendable {

    /// The number of tasks that may run at once, at least 1; by default one for each core.
    ///
    /// A task that only waits takes a worker as well: where most wait for a network or a disk, allow more.
    public var workers: Int

    /// What a failure of a task means that the run needs.
    public var policy: HeadwayLaunch.FailurePolicy

    /// The time that the whole run may take, nil for no limit.
    public var deadline: Duration?

    /// How long each task is expected to take, by place; longer ways to the end start first.
    public var expected: [Duration?]

    /// Measures deadlines and pauses between attempts.
    public var timers: HeadwayTime.TimerService

    /// Runs the tasks that are not bound to an actor; nil for the executor that all tasks share.
    public var executor: (any TaskExecutor)?

    /// What pauses between attempts are drawn from, where they are left to chance; nil for another one in each run.
    public var seed: UInt64?

    /// The priority of the Swift tasks that run them.
    public var priority: TaskPriority?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - workers: The number of tasks that may run at once; nil for one for each core.
    ///   - policy: What a failure means.
    ///   - deadline: The time that the whole run may take.
    ///   - timers: Measures the time; in tests those of a virtual clock.
    ///   - executor: Runs the tasks.
    public init(workers: Int? = nil, policy: HeadwayLaunch.FailurePolicy = .stop, deadline: Duration? = nil, timers: HeadwayTime.TimerService = .suspending, executor: (any TaskExecutor)? = nil)
}

/// A task was started and let go of its report without using it.
public struct NeverReported : Error, Hashable, Sendable, CustomStringConvertible {

    /// Creates the error.
    public init()

    /// The error in words.
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

/// A task with its place in a graph: what it waits for, and how it is treated.
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
public struct PlannedTask : Sendable {

    /// The name, which must be the only one of its kind in a graph.
    public var name: String

    /// What it does.
    public var body: HeadwayLaunch.TaskBody

    /// The names of the tasks that it waits for.
    public var earlier: [String]

    /// How it is treated.
    public var settings: HeadwayLaunch.TaskSettings

    /// The name of its pool, nil for none.
    public var pool: String?

    /// Creates a task that does something.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - body: What it does.
    public init(_ name: String, _ body: HeadwayLaunch.TaskBody)

    /// Creates a task with an asynchronous function.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - body: What it does. What it throws is the reason of its failure.
    public init(_ name: String, _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void)

    /// The task, waiting for others as well.
    ///
    /// - Parameter names: The names of the tasks, which may stand anywhere in the graph.
    /// - Returns: The changed task.
    public func after(_ names: String...) -> HeadwayLaunch.PlannedTask

    /// The task with a limit on the time of one attempt.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - grace: How long it may go on after it was cancelled; then the run goes on without it.
    /// - Returns: The changed task.
    public func timeout(_ limit: Duration, grace: Duration = .seconds(5)) -> HeadwayLaunch.PlannedTask

    /// The task, tried again when it fails or its time is up.
    ///
    /// - Parameters:
    ///   - limit: The number of attempts after the first one.
    ///   - backoff: The pause before the second attempt, which doubles with each further one.
    ///   - jitter: The part of each pause that is left to chance, from 0 to 1.
    /// - Returns: The changed task.
    public func retries(_ limit: Int, backoff: Duration = .seconds(1), jitter: Double = 0) -> HeadwayLaunch.PlannedTask

    /// The task, without which the run succeeds too.
    ///
    /// - Returns: The changed task.
    public func optional() -> HeadwayLaunch.PlannedTask

    /// The task, run however those before it ended, and after a cancel too.
    ///
    /// - Returns: The changed task.
    public func always() -> HeadwayLaunch.PlannedTask

    /// The task, started before ready ones of a lower priority.
    ///
    /// - Parameter priority: The priority; 0 unless said otherwise.
    /// - Returns: The changed task.
    public func priority(_ priority: Int32) -> HeadwayLaunch.PlannedTask

    /// The task in a pool of the graph, which bounds how many of its tasks run at once.
    ///
    /// - Parameter name: The name of the pool.
    /// - Returns: The changed task.
    public func pool(_ name: String) -> HeadwayLaunch.PlannedTask
}

/// Names a pool of a graph by its place in it.
public struct PoolID : Hashable, Sendable {

    /// The place of the pool, from 0, in the order in which pools were added.
    public let index: Int

    /// Creates the identity of the pool at a place.
    public init(_ index: Int)
}

/// A task that is started and reports its end later, to the report that it was given.
///
/// ```swift
/// final class ChooseNetwork: ReportingTask {
///   let name = "choose network"
///   func start(_ context: LaunchContext, _ report: TaskReport) {
///     probe.begin { path in path == nil ? report.failed(NoPath()) : report.completed() }
///   }
/// }
/// ```
public protocol ReportingTask : HeadwayLaunch.LaunchTask {

    /// Starts the work, and returns.
    ///
    /// - Parameters:
    ///   - context: What the task may ask of the run.
    ///   - report: What is told the end, exactly once.
    func start(_ context: HeadwayLaunch.LaunchContext, _ report: HeadwayLaunch.TaskReport)
}

extension ReportingTask {

    /// ``start(_:_:)``.
    public var body: HeadwayLaunch.TaskBody { get }

    /// Starts the work and waits for its report, for those who run the task by hand.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

/// How often a task is tried again after it failed or ran out of time.
public struct RetryPolicy : Hashable, Sendable {

    /// The number of attempts after the first one.
    public var limit: Int

    /// The pause before the second attempt; it doubles with each further one, up to `longestBackoff`.
    public var backoff: Duration

    /// The part of each pause that is left to chance, from 0 to 1, so that many that failed together come back apart.
    public var jitter: Double

    /// The longest pause between two attempts.
    public static let longestBackoff: Duration

    /// A task that is tried once.
    public static let none: HeadwayLaunch.RetryPolicy

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The number of attempts after the first one.
    ///   - backoff: The pause before the second attempt.
    ///   - jitter: The part of each pause that is left to chance, from 0 to 1.
    public init(limit: Int, backoff: Duration, jitter: Double = 0)

    /// The pause before an attempt.
    ///
    /// - Parameter attempt: The attempt to come, from 2.
    /// - Returns: The backoff, doubled for each attempt after the second, at most `longestBackoff`.
    public func delay(before attempt: Int) -> Duration
}

/// The events of a run, in order; any number of listeners may iterate, each sees all of them.
///
/// ```swift
/// for await event in launcher.events() {
///   print(event)
/// }
/// ```
///
/// A listener gets what happens from the moment at which the sequence was made; one that may come late begins with the
/// state of the run: ``Launcher/events(keeping:beginningWithState:)``. The run never waits for one: what a listener
/// has not taken is kept up to a limit. One that falls further behind loses what it has not taken, and gets one
/// ``RunEvent/Kind/missed(_:_:)`` instead, with the number of lost events and the state of the run after them.
///
/// The sequence ends after ``RunEvent/Kind/runEnded``, and when the iterating task is cancelled. Safe from any
/// thread; iterated by one task at a time.
public struct RunEvents : AsyncSequence, Sendable {

    /// An event.
    public typealias Element = HeadwayRun.RunEvent

    /// Nothing is thrown.
    public typealias Failure = Never

    /// Goes on with what has not been taken.
    public func makeAsyncIterator() -> HeadwayLaunch.RunEvents.Iterator

    /// One who listens.
    public struct Iterator : AsyncIteratorProtocol {

        /// Waits for the next event.
        ///
        /// - Parameter actor: The actor to wait on: the caller's.
        /// - Returns: The event, nil after the last one and for a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> HeadwayRun.RunEvent?

        /// Waits for the next event.
        public mutating func next() async -> HeadwayRun.RunEvent?
    }
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

    /// The duration that was expected of a task before the run began, nil if unknown.
    public func expected(_ task: HeadwayRun.TaskID) -> Duration?

    /// The usual duration of a task in earlier runs in which it did its work, nil if unknown.
    public func usual(_ task: HeadwayRun.TaskID) -> Duration?

    /// Folds the next event of the run.
    ///
    /// An event of a task that the run does not have changes nothing.
    ///
    /// - Parameter event: The next event of the run.
    /// - Complexity: O(1), O(running tasks + children) for the end of a task, O(tasks) after a loss of events.
    public mutating func receive(_ event: HeadwayRun.RunEvent)

    /// Records the progress that a running task reports.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - part: The fraction that is done, from 0 to 1; other values and tasks that do not run are ignored.
    ///   - now: The time since the run began.
    public mutating func report(_ task: HeadwayRun.TaskID, part: Double, at now: Duration)

    /// Forecasts the run.
    ///
    /// - Parameter now: The time since the run began; a time before the latest one counts as the latest one.
    /// - Returns: The forecast of the run and of its running tasks.
    /// - Complexity: That of `GraphForecast.forecast(at:)`; O(1) if nothing happened and no time passed.
    public mutating func forecast(at now: Duration) -> HeadwayRun.RunForecast

    /// The critical path of the remaining tasks.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: The tasks from first to last, empty at the end.
    /// - Complexity: O(tasks + edges).
    public mutating func criticalPath(at now: Duration) -> [HeadwayRun.TaskID]
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

    /// Is told of each new value, from 0 to 1.
    public typealias ProgressListener = @Sendable (Double) -> Void

    /// Is told when all steps have finished.
    public typealias CompletionListener = @Sendable () -> Void

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
    public func setListeners(progress: HeadwayLaunch.SimulatedProgressRun.ProgressListener?, completion: HeadwayLaunch.SimulatedProgressRun.CompletionListener?) throws(HeadwayForecast.SimulatedProgressError)

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

/// What a task does, and how it is run.
///
/// ```swift
/// graph.add("fetch") { context in try await fetch(context.progress) }
/// graph.add("parse", .immediate { _ in parse() })
/// graph.add("legacy", .blocking { _ in readAll() })
/// graph.add("kit", .reporting { _, report in kit.start { report.end($0) } })
/// graph.add("store", .on(store) { store, _ in store.load() })
/// graph.add("window") { @MainActor _ in showWindow() }
/// ```
///
/// | form | runs on | when its time is up |
/// |---|---|---|
/// | ``asynchronous(_:)`` | a Swift task that runs nothing else meanwhile | that is cancelled; after the grace the run goes on without it |
/// | ``immediate(_:)`` | a worker's thread; it must not block | its node is cancelled; after the grace the run goes on without it |
/// | ``blocking(_:)`` | a thread of its own | its node is cancelled; after the grace the run goes on without it |
/// | ``reporting(_:)`` | starts on a worker's thread and ends when it says so | the same |
/// | ``on(_:_:)`` | the actor | like an asynchronous one |
public struct TaskBody : Sendable {

    /// A task that does nothing itself: it gathers those that it waits for.
    public static let nothing: HeadwayLaunch.TaskBody

    /// An asynchronous function.
    ///
    /// - Parameter body: What to do. What it throws is the reason of its failure.
    /// - Returns: The body.
    public static func asynchronous(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayLaunch.TaskBody

    /// A synchronous function that is soon done and does not block; it costs the least.
    ///
    /// - Parameter body: What to do. What it throws is the reason of its failure.
    /// - Returns: The body.
    public static func immediate(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) throws -> Void) -> HeadwayLaunch.TaskBody

    /// A synchronous function that may block its thread, and gets one of its own.
    ///
    /// - Parameter body: What to do. What it throws is the reason of its failure.
    /// - Returns: The body.
    public static func blocking(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) throws -> Void) -> HeadwayLaunch.TaskBody

    /// A function that starts something and returns; what it started reports its end later, once, from anywhere.
    ///
    /// - Parameter body: What to do. A report that is let go of unused is a failure.
    /// - Returns: The body.
    public static func reporting(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, HeadwayLaunch.TaskReport) -> Void) -> HeadwayLaunch.TaskBody

    /// A function that runs on an actor.
    ///
    /// For the main actor give a closure that says so, `{ @MainActor _ in show() }`: of an actor that is passed as a
    /// value the compiler does not know that it is the main one.
    ///
    /// - Parameters:
    ///   - actor: The actor, which the body holds.
    ///   - body: What to do there. What it throws is the reason of its failure.
    /// - Returns: The body.
    public static func on<A>(_ actor: A, _ body: @escaping @Sendable (isolated A, HeadwayLaunch.LaunchContext) async throws -> Void) -> HeadwayLaunch.TaskBody where A : Actor
}

/// Where a task that was started reports its end.
///
/// The first report counts. A second one changes nothing and says so; ``RunEvent/Kind/taskReportedAgain(_:)`` tells
/// whoever listens. A report that is let go of without having been used counts as a failure with ``NeverReported``, so
/// that a task which is forgotten does not hold up the run.
///
/// Safe from any thread.
final public class TaskReport : Sendable {

    deinit

    /// Reports success.
    ///
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func completed() -> Bool

    /// Reports a failure.
    ///
    /// - Parameter error: Why.
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func failed(_ error: any Error) -> Bool

    /// Reports a result.
    ///
    /// - Parameter result: Success, or why not.
    /// - Returns: Whether this was the first report.
    @discardableResult
    public func end(_ result: Result<Void, any Error>) -> Bool
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

    /// Which of several ready tasks starts first: those with the highest; 0 unless said otherwise.
    public var priority: Int32

    /// What sort of task it is, empty where that is not known.
    ///
    /// A forecast takes tasks of one kind to resemble each other.
    public var kind: String

    /// Creates settings; the defaults are those of a task that says nothing.
    public init(timeout: Duration? = nil, grace: Duration = .seconds(5), retries: HeadwayLaunch.RetryPolicy = .none, pool: HeadwayLaunch.PoolID? = nil, isOptional: Bool = false, isAlways: Bool = false, priority: Int32 = 0, kind: String = "")
}

/// The error of a blocking task for which the system could not create a thread.
public struct ThreadCreationError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The error code of the system.
    public let code: Int32

    /// A message with the error code.
    public var description: String { get }
}

