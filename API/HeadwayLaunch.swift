import HeadwayCollections
import HeadwayForecast
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayTime
import Synchronization

/// Why an attempt at a task was cancelled.
///
/// ```swift
/// graph.add("import", settings: TaskSettings(timeout: .seconds(60))) { context in
///   defer {
///     if case .timeout = context.cancellationReason { try? savePartialResult() }
///   }
///   try await importAll(context)
/// }
/// ```
@nonexhaustive public enum CancellationReason : Hashable, Sendable, CustomStringConvertible {

    /// The attempt exceeded its time limit, or the task that of all its attempts.
    case timeout(Duration)

    /// The task was removed from the run.
    case removed

    /// The run is ending.
    case runEnding(HeadwayRun.RunEvent.EndReason)

    /// The task is a service that nothing needs any more.
    case notNeeded

    /// The reason, for people.
    public var description: String { get }
}

/// The decision of a delegate about a run that is held after a failure.
public enum FailureDecision : Hashable, Sendable {

    /// The next task starts.
    case proceed

    /// The run ends.
    case end

    /// Nothing starts until somebody calls ``Launcher/proceed()`` or ``Launcher/cancel()``.
    case wait
}

/// The context of a running attempt at a task.
///
/// Safe to use from any thread. Once the task has ended, its methods do nothing.
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

    /// Why the attempt was cancelled, nil if it was not.
    ///
    /// - Complexity: O(1).
    public var cancellationReason: HeadwayLaunch.CancellationReason? { get }

    /// Throws if the attempt was cancelled, and waits while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func checkpoint() async throws(CancellationError)

    /// Throws if the attempt was cancelled, and blocks the thread while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    public func blockingCheckpoint() throws(CancellationError)

    /// Extends the deadline of the attempt, as often as necessary, but not beyond ``TaskSettings/deadline``: a request that exceeds
    /// it changes nothing.
    ///
    /// - Parameter duration: The time that the attempt needs from now on.
    /// - Returns: Whether the attempt may take that long: true if it has no time limit; false if it has ended, its deadline has
    ///   passed, or the request exceeds ``TaskSettings/deadline``.
    @discardableResult
    public func extendDeadline(by duration: Duration) -> Bool
}

/// Why a task could not be added to a run.
///
/// ```swift
/// do throws(LaunchError) {
///   try launcher.add("index the files") { _ in }
/// } catch {
///   show("\(error)")  // the run has ended
/// }
/// ```
@nonexhaustive public enum LaunchError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The run has ended.
    case hasEnded

    /// A task with that name has not ended.
    case duplicateName(String)

    /// The task depends on one that the run does not have.
    case unknownTask(String)

    /// The task uses a pool that the run does not have.
    case unknownPool(String)

    /// A message with advice.
    public var description: String { get }
}

/// A run that did not succeed, as an error.
///
/// A launcher that is a task of another one throws it. Throw it yourself where a failed run has to be an error:
///
/// ```swift
/// let result = await launcher.run()
/// if !result.isSuccess { throw LaunchFailure(result: result) }
/// ```
public struct LaunchFailure : Error, Sendable, CustomStringConvertible {

    /// The result of the run.
    public let result: HeadwayLaunch.LaunchResult

    /// Creates an error.
    ///
    /// - Parameter result: The result of a run that did not succeed.
    public init(result: HeadwayLaunch.LaunchResult)

    /// Whether another run may succeed: false if a required task failed with ``NonRetryable``.
    ///
    /// A launcher that is a task of another one is not retried then, however many attempts that task has.
    ///
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    public var isRetryable: Bool { get }

    /// A message with the failed tasks, or why the run ended.
    public var description: String { get }
}

/// Tasks with their dependencies, and the pools that limit them.
///
/// Adding a task or a dependency takes amortized constant time. Cycles are not checked until a ``Launcher``
/// is created.
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

    /// Checks that the graph can be run: names are unique, all dependencies exist, and there are no cycles.
    ///
    /// A ``Launcher`` checks the same when it is created.
    ///
    /// - Throws: `GraphError`, the first one that is found.
    /// - Complexity: O(tasks + edges).
    public func validate() throws(HeadwayRun.GraphError)

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
    /// Names are resolved when a ``Launcher`` is created.
    ///
    /// - Parameters:
    ///   - pools: The number of tasks of each pool that may run at once; 1 for pools that are not listed.
    ///   - tasks: The tasks.
    public init(pools: [String : Int] = [:], @HeadwayLaunch.LaunchGraphBuilder _ tasks: () -> [HeadwayLaunch.PlannedTask])
}

extension LaunchGraph {

    /// Adds a service: a task that stays up while other tasks need it, and passes something to them.
    ///
    /// The tasks that come after it start once it is ready; from then on it does not occupy a worker. Once the last of them has
    /// ended, its Swift task is cancelled, and it has its grace period in which to close what it has opened; services are ended
    /// in the reverse order of their dependencies. A service that ends before that has failed, and is started again if its
    /// settings have retries. A service that no task comes after stays until all tasks have ended that do not prepare such a
    /// service; if there are none, until the run is cancelled.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - type: The type of what it passes to ``RunningService/ready(_:)``.
    ///   - inputs: The outputs of the tasks and services that it waits for.
    ///   - settings: The settings; the time limit is that for getting ready, and the retries are those of the whole run. Set a time
    ///     limit, so that a service that never gets ready does not hold up the run.
    ///   - body: The function, which stays until it is cancelled.
    /// - Returns: The output of the service.
    @discardableResult
    public mutating func addService<Value, each Input>(_ name: String, providing type: Value.Type, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.RunningService<Value>, repeat each Input) async throws -> Void) -> HeadwayLaunch.TaskOutput<Value> where Value : Sendable, repeat each Input : Sendable

    /// Adds a service that passes nothing to other tasks.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks and services that it waits for.
    ///   - settings: The settings; the time limit is that for getting ready, and the retries are those of the whole run. Set a time
    ///     limit, so that a service that never gets ready does not hold up the run.
    ///   - body: The function, which stays until it is cancelled.
    /// - Returns: The output of the service, for tasks that come after it.
    @discardableResult
    public mutating func addService<each Input>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.RunningService<Void>, repeat each Input) async throws -> Void) -> HeadwayLaunch.TaskOutput<Void> where repeat each Input : Sendable
}

/// Tasks that get the outputs of lists of tasks.
///
/// ```swift
/// let parts = files.map { file in graph.add("count \(file)") { try await count(file) } }
/// graph.add("sum", after: parts) { counts in counts.reduce(0, +) }
/// ```
extension LaunchGraph {

    /// Adds a task that gets the outputs of a list of tasks, in the order of the list.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func add<Input, Output>(_ name: String, after inputs: [HeadwayLaunch.TaskOutput<Input>], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable ([Input]) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where Input : Sendable, Output : Sendable

    /// Adds a task that gets its context and the outputs of a list of tasks.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func add<Input, Output>(_ name: String, after inputs: [HeadwayLaunch.TaskOutput<Input>], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, [Input]) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where Input : Sendable, Output : Sendable

    /// Adds a task that gets the outputs of a list of tasks, and whose function may block, so that it runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func addBlocking<Input, Output>(_ name: String, after inputs: [HeadwayLaunch.TaskOutput<Input>], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable ([Input]) throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where Input : Sendable, Output : Sendable

    /// Adds a task that gets its context and the outputs of a list of tasks, and whose function may block.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func addBlocking<Input, Output>(_ name: String, after inputs: [HeadwayLaunch.TaskOutput<Input>], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, [Input]) throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where Input : Sendable, Output : Sendable
}

extension LaunchGraph {

    /// Adds a task that gets the outputs of others, and returns one itself.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure. It is called once for each attempt, and
    ///     what the successful one returns is kept as long as the launcher and its result.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func add<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (repeat each Input) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where repeat each Input : Sendable, Output : Sendable

    /// Adds a task that gets its context and the outputs of others, and returns one itself.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func add<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, repeat each Input) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where repeat each Input : Sendable, Output : Sendable

    /// Adds a task whose function may block, so that it runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func addBlocking<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (repeat each Input) throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where repeat each Input : Sendable, Output : Sendable

    /// Adds a task whose function gets its context and may block, so that it runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task.
    @discardableResult
    @inlinable public mutating func addBlocking<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, repeat each Input) throws -> Output) -> HeadwayLaunch.TaskOutput<Output> where repeat each Input : Sendable, Output : Sendable

    /// Adds a task without which the run, and the tasks that get its output, go on if it fails.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task, which become optional.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task, nil if it did not succeed.
    @discardableResult
    @inlinable public mutating func addOptional<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (repeat each Input) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output?> where repeat each Input : Sendable, Output : Sendable

    /// Adds a task that gets its context, and without which the run and the tasks that get its output go on if it fails.
    ///
    /// - Parameters:
    ///   - name: The name that events and renderers show.
    ///   - inputs: The outputs of the tasks that it waits for.
    ///   - settings: The settings of the task, which become optional.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The output of the task, nil if it did not succeed.
    @discardableResult
    @inlinable public mutating func addOptional<each Input, Output>(_ name: String, after inputs: repeat HeadwayLaunch.TaskOutput<each Input>, settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, repeat each Input) async throws -> Output) -> HeadwayLaunch.TaskOutput<Output?> where repeat each Input : Sendable, Output : Sendable
}

/// Builds a graph from the tasks in a closure.
///
/// ```swift
/// @LaunchGraphBuilder func checks(_ names: [String]) -> [PlannedTask] {
///   for name in names {
///     PlannedTask(name) { _ in }.after("build")
///   }
/// }
/// let graph = LaunchGraph {
///   PlannedTask("build") { _ in }
///   checks(["lint", "test"])
/// }
/// ```
@resultBuilder public enum LaunchGraphBuilder {

    /// A task.
    public static func buildExpression(_ task: some HeadwayLaunch.PlannedTaskConvertible) -> [HeadwayLaunch.PlannedTask]

    /// Tasks that a function or a collection returns.
    public static func buildExpression(_ tasks: [HeadwayLaunch.PlannedTask]) -> [HeadwayLaunch.PlannedTask]

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

/// The result of a run: how each task ended, when and why.
///
/// ```swift
/// let result = await launcher.run()
/// for task in result.tasks { show("\(task.name): \(task.outcome)") }
/// ```
public struct LaunchResult : Sendable {

    /// The result of a task.
    ///
    /// ```swift
    /// let result: LaunchResult = try await Launcher(graph).run()
    /// let failures: [LaunchResult.Task] = result.failures
    /// for task in failures { show("\(task.name) failed after \(task.attempts) attempts") }
    /// ```
    public struct Task : Sendable, Identifiable {

        /// The task.
        public let id: HeadwayRun.TaskID

        /// The outcome of the task.
        public let outcome: HeadwayRun.Outcome

        /// Whether the run can succeed even if this task fails.
        public let isOptional: Bool

        /// The number of attempts.
        public let attempts: Int

        /// When the first attempt began, as the time since the run began; nil if there was none.
        public let began: Duration?

        /// When the task ended, as the time since the run began.
        public let ended: Duration

        /// The error that the last attempt threw; nil if there was none, or if the attempt was abandoned.
        public let error: (any Error)?

        /// Whether another run may succeed where this task failed: false if it failed with ``NonRetryable``.
        public let isRetryable: Bool

        /// The name of the task.
        public var name: String { get }
    }

    /// The results of the tasks, in the order in which the tasks were added.
    ///
    /// - Complexity: O(1); each result is computed when it is read.
    public var tasks: LazyMapSequence<Range<Int>, HeadwayLaunch.LaunchResult.Task> { get }

    /// Why the run ended early; nil if it did not.
    public let endReason: HeadwayRun.RunEvent.EndReason?

    /// The first signal that asked for the end of the run, nil if none did; see ``LauncherOptions/cancellationSignals``.
    ///
    /// Also set if the run was already ending for another reason, such as a failure.
    public let signal: HeadwayLaunch.LauncherSignal?

    /// The duration of the run.
    public let duration: Duration

    /// Whether the run did not end early and no required task failed.
    ///
    /// A task that was removed, or skipped because of a removed task, has not failed. A failure counts even if a delegate
    /// proceeded after it.
    public let isSuccess: Bool

    /// Throws if the run was not a success, for programs in which that is an error.
    ///
    /// ```swift
    /// try await launcher.run().get()
    /// ```
    ///
    /// - Returns: This result.
    /// - Throws: `CancellationError` if the run was cancelled and no required task failed, otherwise ``LaunchFailure``.
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    @discardableResult
    public func get() throws -> HeadwayLaunch.LaunchResult

    /// The signal that ended the run; nil if it succeeded, a required task failed, or it ended for another reason.
    ///
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    public var endingSignal: HeadwayLaunch.LauncherSignal? { get }

    /// The exit status of a program that is this run: 0 after a success, 128 and the number of ``endingSignal``, as a shell would say,
    /// otherwise 1.
    ///
    /// To end by the signal itself, so that the caller sees the reason, see ``LauncherSignal/endProcess()``.
    ///
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    public var exitStatus: Int32 { get }

    /// The result of the task with a name, nil if there is none.
    ///
    /// If several tasks had the name one after the other, this is the latest.
    ///
    /// - Complexity: O(tasks).
    public subscript(name: String) -> HeadwayLaunch.LaunchResult.Task? { get }

    /// The required tasks that failed or timed out.
    ///
    /// Tasks that were cancelled with the run are not included: see ``endReason``.
    ///
    /// - Complexity: O(f log f) for the f tasks that did not succeed.
    public var failures: [HeadwayLaunch.LaunchResult.Task] { get }
}

extension LaunchResult {

    /// What a task has returned, nil if it did not succeed; of a service, what it has passed to `ready`.
    ///
    /// - Complexity: O(1).
    public subscript<Value>(output: HeadwayLaunch.TaskOutput<Value>) -> Value? where Value : Sendable { get }

    /// What an optional task has returned, nil if it did not succeed.
    ///
    /// - Complexity: O(1).
    public subscript<Value>(output: HeadwayLaunch.TaskOutput<Value?>) -> Value? where Value : Sendable { get }
}

extension LaunchResult.Task : Codable {

    /// Encodes the result with the fields of the event `task_ended`, which `docs/events.md` describes.
    ///
    /// The error is encoded as text only, as the reason of the failure.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a result, also from an event `task_ended`; its ``error`` is nil, it is retryable, and unknown fields are ignored.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a field is missing or invalid.
    public init(from decoder: any Decoder) throws
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

/// Starts and ends a span for each attempt at a task, for a tracing system such as swift-distributed-tracing.
///
/// ```swift
/// struct SpanTracer: LaunchTracer {
///   /// The span around the run.
///   let parent = ServiceContext.current ?? .topLevel
///
///   func startSpan(for attempt: LaunchContext) -> any Tracing.Span {
///     InstrumentationSystem.tracer.startSpan(attempt.task.name, context: parent)
///   }
///
///   func endSpan(_ span: any Tracing.Span, outcome: Outcome, error: (any Error)?) {
///     if let error { span.recordError(error) }
///     span.end()
///   }
/// }
/// ```
///
/// A task that is retried has one span for each attempt, next to each other. A task without a body, and one that is never
/// started, has none. The calls for a span are ``startSpan(for:)``, one of the two `withSpan` around the function of the task,
/// and ``endSpan(_:outcome:error:)``, each exactly once. All spans have ended before the run has a result. That of a task may end
/// a moment after that of a task which depends on it has started.
///
/// The calls come from the threads that run the tasks, for several attempts at once, and outside of all locks. Keep them
/// short, as the next task of the worker waits for them.
public protocol LaunchTracer : Sendable {

    /// What stands for a span until it ends.
    associatedtype Span : Sendable

    /// Starts the span of an attempt, immediately before its function is called.
    ///
    /// - Parameter attempt: The attempt, with its task and its number.
    /// - Returns: The span.
    func startSpan(for attempt: HeadwayLaunch.LaunchContext) -> Self.Span

    /// Calls a synchronous function of a task with the span as the current one, so that its own spans become children.
    ///
    /// By default the function is called as it is.
    ///
    /// - Parameters:
    ///   - span: The span.
    ///   - body: The function, which must be called exactly once, before this one returns.
    func withSpan(_ span: Self.Span, _ body: () -> Void)

    /// Calls an asynchronous function of a task with the span as the current one, so that its own spans become children.
    ///
    /// By default the function is called as it is.
    ///
    /// - Parameters:
    ///   - span: The span.
    ///   - body: The function, which must be called exactly once, before this one returns.
    func withSpan(_ span: Self.Span, _ body: () async -> Void) async

    /// Ends the span of an attempt.
    ///
    /// The function may still run: that of a ``ReportingTask`` after its report, and one that has not ended within its grace
    /// period. Only the span of an attempt that was given up while ``startSpan(for:)`` was running ends after the run.
    ///
    /// - Parameters:
    ///   - span: The span.
    ///   - outcome: How the attempt ended.
    ///   - error: The error that the function threw, nil if there is none.
    func endSpan(_ span: Self.Span, outcome: HeadwayRun.Outcome, error: (any Error)?)
}

extension LaunchTracer {

    /// Calls the function.
    public func withSpan(_ span: Self.Span, _ body: () -> Void)

    /// Calls the function.
    public func withSpan(_ span: Self.Span, _ body: () async -> Void) async
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
/// A task starts when all its dependencies have succeeded, or are optional and have failed, and a worker is free. Each
/// task gets exactly one outcome, and the run one result. During the run, tasks can be added and removed, and the run can
/// be paused, resumed and cancelled, from any thread and from inside tasks.
///
/// **Thread safety.** All members can be used from any thread.
///
/// **Lifetime.** A launcher lives as long as one of its tasks runs or waits for its next attempt, even if it is
/// released elsewhere. The errors that tasks throw are kept in the result.
///
/// **Cost.** A task's end takes one short lock, under which the next task is also taken. Events are created only while
/// there are listeners.
final public class Launcher : Sendable {

    /// The name of the run, used if it is a task of another run.
    public let name: String

    /// Creates a launcher for a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks.
    ///   - name: The name of the run, used if it is a task of another run.
    ///   - options: The options of the run.
    /// - Throws: `GraphError` if the graph cannot be run.
    /// - Complexity: O(tasks + edges).
    public init(_ graph: HeadwayLaunch.LaunchGraph, name: String = "launch", options: HeadwayLaunch.LauncherOptions = LauncherOptions()) throws(HeadwayRun.GraphError)

    deinit

    /// The progress of the run, with one unit for each task and a node for each task that reports.
    ///
    /// Its `feed(every:)` delivers snapshots for a screen, and ends with the run. Cancelling it, also from another process that
    /// sees it, cancels the run as ``cancel()`` does. The launcher counts the tasks and finishes the node: do neither yourself.
    public var progress: HeadwayProgress.ProgressNode { get }

    /// Starts the run and waits for its end.
    ///
    /// Cancelling the calling task cancels the run, and so do the signals of ``LauncherOptions/cancellationSignals``.
    ///
    /// - Returns: The outcomes of all tasks.
    /// - Complexity: O(1) in addition to the tasks.
    public func run() async -> HeadwayLaunch.LaunchResult

    /// Starts the run; further calls have no effect.
    ///
    /// - Complexity: O(tasks).
    public func start()

    /// Starts the run and blocks the calling thread until its end, for programs without an asynchronous `main`.
    ///
    /// Tasks on the main actor wait for the main thread, so do not call it there if there are any. Do not call it from
    /// asynchronous code either, whose threads the tasks of the run may need: see ``run()``.
    ///
    /// - Returns: The outcomes of all tasks.
    /// - Complexity: O(1) in addition to the tasks.
    @available(*, noasync, message: "use run()")
    public func runBlocking() -> HeadwayLaunch.LaunchResult

    /// The outcomes of all tasks; waits for the end of the run.
    public var result: HeadwayLaunch.LaunchResult { get async }

    /// The current state of the run.
    ///
    /// - Complexity: O(tasks).
    public var state: HeadwayRun.RunState { get }

    /// The events of the run from now on, in order, for any number of listeners.
    ///
    /// ```swift
    /// for await event in launcher.events() {
    ///   print(event)
    /// }
    /// ```
    ///
    /// The run does not wait for listeners: events that a listener has not received are kept, up to `limit`. Beyond it
    /// they are discarded, and the listener receives one `RunEvent.Kind.missed` instead, with their number and the state
    /// of the run after them. The sequence ends after `RunEvent.Kind.runEnded`, and when the iterating task is cancelled.
    /// It can be used from any thread, but iterated by only one task at a time.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of events that are kept for a listener that has not received them yet, at least 1.
    ///   - beginsWithState: Whether the first event is a `RunEvent.Kind.missed` with no missed events and the current
    ///     state of the run, for listeners that may start late.
    /// - Returns: The events for one listener; call again for another listener.
    /// - Complexity: O(1). Each event costs O(listeners), and nothing if there are none.
    public func events(keeping limit: Int = 10_000, beginningWithState beginsWithState: Bool = false) -> some Sendable & AsyncSequence<HeadwayRun.RunEvent, Never>


    /// Cancels the run: tasks that have not started are not started, and running tasks are cancelled.
    ///
    /// Tasks that always run still do. A second call ends these too, immediately. After a signal or a cancel of ``progress`` has
    /// cancelled the run, the first call has no effect, because both ask for the same.
    public func cancel()

    /// Pauses the run: no further task starts, its progress tree is paused, and its clock stops.
    ///
    /// Deadlines do not pass, and delays before retries do not continue. Times in events and results do not include the
    /// pause. A running function continues until it calls ``LaunchContext/checkpoint()``, which waits for the end of the
    /// pause.
    ///
    /// - Returns: Whether the run went on before.
    @discardableResult
    public func pause() -> Bool

    /// Resumes a paused run.
    ///
    /// - Returns: Whether the run was paused.
    @discardableResult
    public func resume() -> Bool
}

extension Launcher {

    /// Adds a task to the run, before it begins or during it; it starts at once if it is ready and a worker is free.
    ///
    /// A task whose dependency has failed is skipped. If the run is ending, the task is not started unless it always
    /// runs.
    ///
    /// - Parameters:
    ///   - name: The name, which must differ from those of all tasks that have not ended.
    ///   - dependencies: The tasks that it depends on.
    ///   - settings: The settings of the task.
    ///   - body: The work.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``; nothing has changed then.
    /// - Complexity: O(tasks that it waits for) amortized.
    @discardableResult
    public func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: HeadwayLaunch.TaskBody) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task with an asynchronous function.
    ///
    /// - Parameters:
    ///   - name: The name, which must differ from those of all tasks that have not ended.
    ///   - dependencies: The tasks that it depends on.
    ///   - settings: The settings of the task.
    ///   - body: The function; an error that it throws is the reason of the failure.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ name: String, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings(), _ body: @escaping @Sendable (HeadwayLaunch.LaunchContext) async throws -> Void) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Adds a task that is a value of its own type.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - dependencies: The tasks that it depends on.
    ///   - settings: The settings of the task.
    /// - Returns: The task in this run.
    /// - Throws: ``LaunchError``.
    @discardableResult
    public func add(_ task: some HeadwayLaunch.LaunchTask, after dependencies: [HeadwayRun.TaskID] = [], settings: HeadwayLaunch.TaskSettings = TaskSettings()) throws(HeadwayLaunch.LaunchError) -> HeadwayRun.TaskID

    /// Removes a task: if it has not started it is not started, and if it is running it is cancelled.
    ///
    /// Tasks that depend on it are skipped, with it as the reason.
    ///
    /// - Parameter task: The task.
    /// - Returns: Whether the task was in this run and had not ended.
    /// - Complexity: O(tasks that need it).
    @discardableResult
    public func remove(_ task: HeadwayRun.TaskID) -> Bool

    /// Removes the task with a name that has not ended.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether there was one.
    /// - Complexity: O(1), after the first call for the run O(tasks).
    @discardableResult
    public func remove(named name: String) -> Bool

    /// Removes all tasks that have not started; running tasks continue.
    ///
    /// The own task of a queue stays, as the first one. If it has ended, it is added again.
    ///
    /// - Returns: The number of removed tasks.
    /// - Complexity: O(tasks).
    @discardableResult
    public func removeAll() -> Int

    /// Continues after a failure that holds the run; see `FailurePolicy.hold`.
    ///
    /// - Returns: Whether the run was held.
    @discardableResult
    public func proceed() -> Bool

    /// Closes a queue, and starts it if it has not begun: the run ends as soon as all tasks have ended.
    ///
    /// Until then tasks can still be added, such as by those that run.
    public func close()
}

extension Launcher {

    /// A queue for the whole process, which has not started.
    public static let shared: HeadwayLaunch.Launcher

    /// Creates a queue; by default a serial one: tasks run one at a time, in the order in which they are added.
    ///
    /// ```swift
    /// let queue = Launcher.makeQueue(CheckVersion())
    /// queue.setDelegate(self)
    /// try queue.add(ChooseNetwork())
    /// try queue.add(LoadData())
    /// queue.start()
    /// ```
    ///
    /// When a task has succeeded, the next one starts. After a failure the other tasks stay in the queue, and the
    /// delegate decides whether the next one starts or the run ends; without a delegate, call ``proceed()`` or
    /// ``cancel()``. An empty queue waits for more tasks, which start at once, until ``close()`` or ``cancel()``; only
    /// then it has a result.
    ///
    /// For independent jobs of which several run at once, and whose failures concern nobody else:
    ///
    /// ```swift
    /// let jobs = Launcher.makeQueue(workers: 4, policy: .keepGoing)
    /// jobs.start()
    /// for url in urls { try jobs.add(url) { context in try await load(url, context.progress) } }
    /// try await jobs.waitUntilEmpty()
    /// ```
    ///
    /// Tasks of a higher priority start first, then those that were added first.
    ///
    /// The queue keeps the outcome of every task, and the error of each that failed, until it is released. For a program that runs
    /// for months, create a new queue from time to time.
    ///
    /// - Parameters:
    ///   - own: The queue's own task, which is the first one, also after ``removeAll()``; nil for none.
    ///   - settings: The settings of the own task.
    ///   - name: The name of the queue, used if it is a task of another launcher.
    ///   - workers: The number of tasks that may run at once, at least 1.
    ///   - policy: The reaction to the failure of a task that is not optional. With one that ends the run, the queue is closed.
    ///   - options: The other options of the run; their `workers` and `policy` are not used.
    /// - Returns: The queue, which has not begun.
    public static func makeQueue(_ own: (any HeadwayLaunch.LaunchTask)? = nil, settings: HeadwayLaunch.TaskSettings = TaskSettings(), name: String = "queue", workers: Int = 1, policy: HeadwayRun.FailurePolicy = .hold, options: HeadwayLaunch.LauncherOptions = LauncherOptions()) -> HeadwayLaunch.Launcher

    /// Waits until all tasks that were added so far, and those that are added meanwhile, have ended.
    ///
    /// Returns at once if there are none. It waits for a run that has not begun, or that a failure holds, until someone starts it
    /// or proceeds. Do not call it in a task of the run, which would wait for itself.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled; the run goes on.
    /// - Complexity: O(1) in addition to the tasks.
    public func waitUntilEmpty() async throws(CancellationError)
}

extension Launcher : HeadwayLaunch.LaunchTask {

    /// ``run(_:)``, whose failure is final, because another attempt could not run the launcher again.
    public var body: HeadwayLaunch.TaskBody { get }

    /// Runs the launcher as a task of another one: its progress is part of the task's, and it is cancelled with the task.
    ///
    /// It is paused and resumed with the other run. A queue is closed: it ends when all its tasks have ended. If the
    /// other run ends before this task starts, the launcher never begins: call ``cancel()`` if something waits for its
    /// result or events.
    ///
    /// A launcher runs only once, so a task that is a launcher is not retried. To retry a whole run, create its launcher in the body
    /// of a task, and call this function there.
    ///
    /// - Parameter context: The context of the task in the other run.
    /// - Throws: `CancellationError` if the other run cancelled it; ``LaunchFailure`` if a required task failed, its own
    ///   deadline passed, or it was cancelled by itself.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

extension Launcher {

    /// Sets the delegate, which receives the events from now on.
    ///
    /// A call of the delegate that was set before may still be under way.
    ///
    /// - Parameter delegate: The delegate, which is held weakly; nil for none.
    public func setDelegate(_ delegate: (any HeadwayLaunch.LauncherDelegate)?)
}

/// Receives the events of a run; every method is optional.
///
/// ```swift
/// @MainActor final class StartView: LauncherDelegate {
///   var line = ""
///
///   func launcher(_ launcher: Launcher, didStart task: TaskID) { line = "\(task.name)…" }
/// }
/// ```
///
/// The methods may be synchronous. Each is called where its class is isolated: those of a main-actor class on the main
/// actor, those of an actor on that actor, and any others on the executor of the tasks.
///
/// They are called one after the other, in the order of the events; each call waits for the end of the one before. The run
/// does not wait for them unless it is held: a task may have ended when the call for its start arrives. There is no order
/// between these calls and the events in ``Launcher/events(keeping:beginningWithState:)``. The launcher holds its delegate
/// weakly.
public protocol LauncherDelegate : AnyObject, Sendable {

    /// A task starts.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task, with its name.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didStart task: HeadwayRun.TaskID) async

    /// A task has succeeded.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didComplete task: HeadwayRun.TaskID) async

    /// A task has failed, after its last attempt.
    ///
    /// The method may take its time to decide, for example to ask the user.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    ///   - outcome: Whether it failed or exceeded its time limit.
    ///   - error: The error that it threw, nil if there is none.
    /// - Returns: The decision, if the run is held by this failure; otherwise it is ignored.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) async -> HeadwayLaunch.FailureDecision

    /// A task was skipped, removed or cancelled.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - task: The task.
    ///   - outcome: The outcome.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome) async

    /// All tasks of a queue have ended; more may be added.
    ///
    /// - Parameter launcher: The run.
    func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher) async

    /// The run has ended; this is the last call.
    ///
    /// - Parameters:
    ///   - launcher: The run.
    ///   - result: The result of the run.
    func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult) async
}

extension LauncherDelegate {

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didStart task: HeadwayRun.TaskID) async

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didComplete task: HeadwayRun.TaskID) async

    /// Returns `wait`.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didFail task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome, error: (any Error)?) async -> HeadwayLaunch.FailureDecision

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didDrop task: HeadwayRun.TaskID, _ outcome: HeadwayRun.Outcome) async

    /// Does nothing.
    public func launcherDidEmptyQueue(_ launcher: HeadwayLaunch.Launcher) async

    /// Does nothing.
    public func launcher(_ launcher: HeadwayLaunch.Launcher, didEnd result: HeadwayLaunch.LaunchResult) async
}

/// The options of a launcher.
public struct LauncherOptions : Sendable {

    /// The number of tasks that may run at once, at least 1; by default one for each core.
    ///
    /// A task that only waits occupies a worker, too: allow more if most tasks wait for a network or a disk.
    public var workers: Int

    /// The reaction to the failure of a task that is not optional.
    public var policy: HeadwayRun.FailurePolicy

    /// The time limit of the whole run, nil for none; that of one task is ``TaskSettings/deadline``.
    public var deadline: Duration?

    /// The expected duration of each task, by index; tasks on the critical path start first.
    public var expected: [Duration?]

    /// The timers for deadlines and retries.
    public var timers: HeadwayTime.TimerService

    /// The executor of tasks that are not isolated to an actor; nil for the global one.
    public var executor: (any TaskExecutor)?

    /// The seed of the random part of delays between attempts; nil for a random seed.
    public var seed: UInt64?

    /// The priority of the Swift tasks that run the bodies; they run several bodies each, so it is the same for all tasks.
    ///
    /// A body that needs another one waits for a Swift task of its own: `try await Task(priority: .background) { … }.value`.
    public var priority: TaskPriority?

    /// The signals that cancel the run while it goes on; by default none.
    ///
    /// The first signal cancels the run as ``Launcher/cancel()`` does: services are ended in the reverse order of their
    /// dependencies, each with its grace period, and tasks that always run still do. If a signal of the same kind comes again, what
    /// is left ends immediately, without its grace period. Signals of another kind, and copies of a signal such as those of
    /// `timeout`, add nothing. ``LaunchResult/signal`` is the first of all signals.
    ///
    /// Handlers that the program has installed for these signals are replaced during the run, and are installed again when the
    /// last run that watches a signal has ended; so the next signal has its usual effect, which is to end the process. A signal that
    /// is ignored when the run begins stays ignored, as under `nohup`. All runs that watch a signal receive it, except that a
    /// launcher that is a task of another one leaves it to that one if both watch it.
    ///
    /// A signal that all threads of the program block cancels the run nevertheless, and is blocked again after it.
    ///
    /// If the system has no thread or descriptors left to watch them, signals keep the effect that they had.
    public var cancellationSignals: Set<HeadwayLaunch.LauncherSignal>

    /// Describes the error with which a task failed, for events, results and messages; by default `"\(error)"`.
    ///
    /// A program that uses Foundation may want the texts that Foundation has for people:
    ///
    /// ```swift
    /// options.describeError = { error in
    ///   (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    /// }
    /// ```
    ///
    /// Called on the thread that ended the attempt, outside of all locks, with the inner error of ``NonRetryable`` and ``RetryAfter``;
    /// also for errors of attempts that were cancelled or abandoned, but not for ``ServiceEnded``, which no task has thrown. The time
    /// that it takes is part of the attempt.
    public var describeError: @Sendable (any Error) -> String

    /// Replaces the error with which an attempt failed, before the run looks at it; by default no error is replaced.
    ///
    /// It decides in one place which errors are worth another attempt, and when:
    ///
    /// ```swift
    /// options.mapError = { error in
    ///   switch error {
    ///   case is NotFound: NonRetryable(error)
    ///   case is TooManyRequests: RetryAfter(.seconds(30), error)
    ///   default: error
    ///   }
    /// }
    /// ```
    ///
    /// An error that is in one of these wrappers already is replaced inside of it: what the task has decided stays. Called on the thread
    /// that ended the attempt, outside of all locks, before ``describeError``; also for errors of attempts that were cancelled or abandoned,
    /// but not for ``ServiceEnded``. The time that it takes is part of the attempt.
    public var mapError: @Sendable (any Error) -> any Error

    /// The tracer that starts and ends a span for each attempt at a task, nil for none.
    public var tracer: (any HeadwayLaunch.LaunchTracer)?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - workers: The number of tasks that may run at once; nil for one for each core.
    ///   - policy: The reaction to a failure.
    ///   - deadline: The time limit of the whole run.
    ///   - timers: The timers; in tests those of a virtual clock.
    ///   - executor: The executor of the tasks.
    ///   - expected: The expected duration of each task, by index.
    ///   - seed: The seed of the random part of delays between attempts.
    ///   - priority: The priority of the Swift tasks that run the bodies.
    ///   - cancellationSignals: The signals that cancel the run.
    ///   - tracer: The tracer of the attempts.
    ///   - describeError: Describes the error with which a task failed.
    ///   - mapError: Replaces the error with which an attempt failed.
    public init(workers: Int? = nil, policy: HeadwayRun.FailurePolicy = .stop, deadline: Duration? = nil, timers: HeadwayTime.TimerService = .suspending, executor: (any TaskExecutor)? = nil, expected: [Duration?] = [], seed: UInt64? = nil, priority: TaskPriority? = nil, cancellationSignals: Set<HeadwayLaunch.LauncherSignal> = [], tracer: (any HeadwayLaunch.LaunchTracer)? = nil, describeError: @escaping @Sendable (any Error) -> String = { "\($0)" }, mapError: @escaping @Sendable (any Error) -> any Error = { $0 })
}

/// A POSIX signal that can cancel a run; see ``LauncherOptions/cancellationSignals``.
///
/// Only signals that ask a program to end, or that have no meaning of their own, are listed. Others cannot be handled, such as
/// `SIGKILL` and `SIGSTOP`, report an error of the program itself, such as `SIGSEGV` and `SIGPIPE`, or mean something else, such as
/// `SIGCHLD` and `SIGTSTP`.
@nonexhaustive public enum LauncherSignal : Hashable, Sendable, CaseIterable, CustomStringConvertible {

    /// The usual request to end, from `kill`, a service manager, or the manager of a container.
    case sigterm

    /// Ctrl-C in a terminal.
    case sigint

    /// The terminal was closed.
    case sighup

    /// Ctrl-\\ in a terminal, which by default also writes a core dump.
    case sigquit

    /// The first signal whose meaning a program chooses.
    case sigusr1

    /// The second signal whose meaning a program chooses.
    case sigusr2

    /// Finds a signal by its number on this system.
    ///
    /// - Parameter number: The number, such as `SIGTERM`. The result is nil if the signal cannot cancel a run.
    public init?(number: Int32)

    /// The number of the signal on this system.
    public var number: Int32 { get }

    /// Ends the process by this signal, as if the program did not handle it, so that the caller sees the reason.
    ///
    /// ```swift
    /// let result = launcher.runBlocking()
    /// bars.finish()
    /// if let signal = result.endingSignal { signal.endProcess() }
    /// exit(result.exitStatus)
    /// ```
    ///
    /// A shell stops a script whose program was ended by Ctrl-C only if the program was ended by the signal. What was printed is
    /// written before, except for what other threads are printing at the moment; functions of `atexit` are not called, so finish `LiveBars`
    /// and consoles first. Safe from any thread, also from those that block signals.
    public func endProcess() -> Never

    /// The name of the signal, such as `SIGTERM`.
    public var description: String { get }
}

/// A task needs the output of one that did not succeed.
///
/// That can happen to a task that always runs, and to one that gets the output of an optional task. Pass
/// ``TaskOutput/ifSucceeded`` to such a task.
///
/// ```swift
/// let result = try await Launcher(graph).run()
/// if let missing = result["report"]?.error as? MissingOutput {
///   show("\(missing.task.name) has no output")  // build
/// }
/// ```
public struct MissingOutput : Error, Hashable, Sendable, CustomStringConvertible {

    /// The task that did not succeed.
    public let task: HeadwayRun.TaskID

    /// A message with advice.
    public var description: String { get }
}

/// The error of a task whose report was released without having been used.
///
/// ```swift
/// var graph = LaunchGraph()
/// graph.add("forgotten", .reporting { _, _ in })  // nobody keeps the report
/// let result = try await Launcher(graph).run()
/// let isForgotten = result["forgotten"]?.error is NeverReported  // true
/// ```
public struct NeverReported : Error, Hashable, Sendable, CustomStringConvertible {

    /// A message with advice.
    public var description: String { get }
}

/// An error wrapper that prevents retries of a task, for failures that would happen again.
///
/// ```swift
/// let retries = RetryPolicy(limit: 3, backoff: .seconds(1))
/// graph.add("open the database", settings: TaskSettings(retries: retries)) { _ in
///   guard fileExists(path) else { throw NonRetryable(NoDatabase()) }
/// }
/// ```
///
/// The run, its result and its events contain the inner error. A launcher that is a task of another one passes it on: that task
/// is not retried either. It also counts if the attempt throws it after its time limit has passed. See ``RetryAfter`` for failures that
/// need a longer delay.
public struct NonRetryable : Error, Sendable, CustomStringConvertible {

    /// The reason of the failure.
    public let error: any Error

    /// Wraps an error.
    ///
    /// - Parameter error: The reason of the failure.
    public init(_ error: any Error)

    /// The description of the inner error.
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
///   let path: String
///
///   var planned: PlannedTask {
///     PlannedTask("open \(path)", .blocking { _ in try open(path) }).retries(2)
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
    ///   - grace: The time between cancelling the task and continuing the run without it; 5 seconds by default.
    /// - Returns: The changed task.
    public func timeout(_ limit: Duration, grace: Duration = TaskDefaults.grace) -> HeadwayLaunch.PlannedTask

    /// Limits the time of the task with all its attempts and the delays between them.
    ///
    /// - Parameter limit: The limit, from the start of the first attempt.
    /// - Returns: The changed task.
    public func deadline(_ limit: Duration) -> HeadwayLaunch.PlannedTask

    /// Delays the first attempt.
    ///
    /// - Parameter delay: The delay, from the time at which the task could start.
    /// - Returns: The changed task.
    public func delay(_ delay: Duration) -> HeadwayLaunch.PlannedTask

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
///
/// ```swift
/// var graph = LaunchGraph()
/// let downloads: PoolID = graph.addPool(limit: 2)
/// for name in ["a.zip", "b.zip", "c.zip"] {
///   graph.add(name, settings: TaskSettings(pool: downloads)) { _ in }
/// }
/// ```
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

    /// Starts the work, and returns; called where the class is isolated, such as on the main actor.
    ///
    /// - Parameters:
    ///   - context: The context of the attempt.
    ///   - report: The report, to be used exactly once.
    func start(_ context: HeadwayLaunch.LaunchContext, _ report: HeadwayLaunch.TaskReport) async
}

extension ReportingTask {

    /// ``start(_:_:)``.
    public var body: HeadwayLaunch.TaskBody { get }

    /// Starts the work and waits for its report, for calls without a launcher.
    public func run(_ context: HeadwayLaunch.LaunchContext) async throws
}

/// An error wrapper that sets the delay before the next attempt at a task, for servers that say when to come back.
///
/// ```swift
/// let retries = RetryPolicy(limit: 5, backoff: .seconds(1))
/// graph.add("upload", settings: TaskSettings(retries: retries)) { _ in
///   let response = try await upload()
///   if response.status == 429 {
///     throw RetryAfter(.seconds(response.retryAfter), TooManyRequests())
///   }
/// }
/// ```
///
/// It only sets the delay: whether there is another attempt depends on ``TaskSettings/retries`` as usual, so it has no effect on a
/// task without retries. For this one attempt the delay replaces ``RetryPolicy/backoff``: it may be longer than
/// ``RetryPolicy/maximumDelay``, and has no random part. If it goes beyond ``TaskSettings/deadline``, the task fails at once. The run,
/// its result and its events contain the inner error.
public struct RetryAfter : Error, Sendable, CustomStringConvertible {

    /// The delay before the next attempt; less than zero counts as zero.
    public let delay: Duration

    /// The reason of the failure.
    public let error: any Error

    /// Wraps an error.
    ///
    /// - Parameters:
    ///   - delay: The delay before the next attempt.
    ///   - error: The reason of the failure.
    public init(_ delay: Duration, _ error: any Error)

    /// The description of the inner error.
    public var description: String { get }
}

/// The retries of a task that failed or exceeded its time limit.
///
/// ```swift
/// var graph = LaunchGraph()
/// let retries = RetryPolicy(limit: 3, backoff: .milliseconds(200), jitter: 0.5)
/// graph.add("connect", settings: TaskSettings(retries: retries)) { _ in try connect() }
/// ```
public struct RetryPolicy : Hashable, Sendable {

    /// The number of attempts after the first one.
    public var limit: Int

    /// The delay before the second attempt; with each further one it grows by ``factor``, up to ``maximumDelay``.
    ///
    /// Less than zero counts as zero.
    public var backoff: Duration

    /// By how much each delay is longer than the one before, at least 1: 2 by default, 1 for a constant interval.
    public var factor: Double

    /// The random part of each delay, from 0 to 1, so that tasks that failed together are not retried together.
    public var jitter: Double

    /// The maximum to which delays grow, five minutes by default; a longer ``backoff`` is kept, and does not grow.
    public var maximumDelay: Duration

    /// No retries.
    public static let none: HeadwayLaunch.RetryPolicy

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The number of attempts after the first one.
    ///   - backoff: The delay before the second attempt, which grows by `factor` with each further one; 1 second by default.
    ///   - jitter: The random part of each delay, from 0 to 1.
    ///   - factor: By how much each delay is longer than the one before, at least 1.
    ///   - maximumDelay: The maximum to which delays grow.
    public init(limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0, factor: Double = 2, maximumDelay: Duration = .seconds(300))
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
/// If a run ends early, because a task failed or it was cancelled, the fraction stops; it reaches 1 only if no task was
/// cut off.
///
/// A pure value with the time as an argument. Not thread safe. One forecaster is enough for a run: renderers and
/// recorders receive its state and forecast.
public struct RunForecaster : Sendable {

    /// The state of the run after the events received so far.
    public private(set) var state: HeadwayRun.RunState { get }

    /// Whether the files of tasks are still being looked at, at the beginning of the run: until then, for at most a few
    /// seconds, there is no estimate, because a run in which nothing has changed is over in that time.
    public var isLooking: Bool

    /// Creates a forecaster for a run that has not begun.
    ///
    /// - Parameters:
    ///   - graph: The tasks; the history identifies them by name and kind.
    ///   - workers: The number of tasks that run at once.
    ///   - history: The durations of earlier runs, empty for a first run.
    ///   - expected: Expected durations by index, used for tasks without history.
    ///   - mayBeUpToDate: The indices of the tasks that do nothing if neither their files nor a dependency have changed.
    ///   - processors: The number of processors of the machine, nil if unknown: tasks that compute take longer while there
    ///     are more of them.
    /// - Complexity: O(tasks + edges + samples of the history).
    public init(_ graph: HeadwayLaunch.LaunchGraph, workers: Int, history: HeadwayForecast.DurationHistory = DurationHistory(), expected: [Duration?] = [], mayBeUpToDate: Set<Int> = [], processors: Int? = nil)

    /// The expected duration of a task before the run began, nil if unknown.
    ///
    /// With these as `LauncherOptions.expected`, tasks on the critical path start first.
    public func expected(_ task: HeadwayRun.TaskID) -> Duration?

    /// Folds the next event of the run.
    ///
    /// An event of a task that is not in the run has no effect.
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

    /// Records what a look at the files of a task has shown before its start.
    ///
    /// - Parameters:
    ///   - task: A task that may be up to date.
    ///   - changed: Whether its inputs have changed, so that it will run; otherwise it runs only if a dependency changes
    ///     its files.
    ///   - now: The time since the run began.
    public mutating func found(_ task: HeadwayRun.TaskID, changed: Bool, at now: Duration)

    /// Records whether a task has changed its outputs, before its end; if it has not, nothing follows from it.
    ///
    /// - Parameters:
    ///   - task: A task that may be up to date.
    ///   - changed: Whether its outputs differ from those before it ran.
    ///   - now: The time since the run began.
    public mutating func foundOutputs(of task: HeadwayRun.TaskID, changed: Bool, at now: Duration)

    /// Forecasts the run.
    ///
    /// - Parameter now: The time since the run began; a time before the latest one counts as the latest one.
    /// - Returns: The forecast of the run and of its running tasks.
    /// - Complexity: That of `GraphForecast.forecast(at:)`; O(1) if nothing happened and no time passed.
    public mutating func forecast(at now: Duration) -> HeadwayRun.RunForecast
}

/// The context of a running service: a task that stays up while other tasks need it.
///
/// ```swift
/// @Sendable func serve(_ service: RunningService<Database>, _ settings: Settings) async throws {
///   let database = try await Database.open(settings.path)
///   service.ready(database)  // what needs the database starts now
///   await service.waitForShutdown()
///   await database.close()
/// }
/// let database = graph.addService("database", providing: Database.self, after: settings) {
///   try await serve($0, $1)
/// }
/// ```
///
/// Safe to use from any thread. After the end of the service its methods have no effect.
public struct RunningService<Value> : Sendable where Value : Sendable {

    /// The context of the attempt: progress, cancellation, and the number of the attempt.
    public let context: HeadwayLaunch.LaunchContext

    /// Reports that the service is ready, and what the tasks that need it get.
    ///
    /// Only the first call has an effect. A service that is started again has to call it as well; tasks keep the value that they
    /// received, so pass something that stays valid, such as an address or a pool of connections. The value must not keep this
    /// context, which keeps the launcher, which keeps the value.
    ///
    /// - Parameter value: The output of the service.
    /// - Complexity: O(tasks that wait for the service).
    public func ready(_ value: Value)

    /// Waits until the service is told to end: nothing needs it any more, the run was cancelled, or it was not ready in time.
    ///
    /// Call it in the function of the service, or in its child tasks: it waits for the cancellation of the calling Swift task.
    /// What follows has the grace period of the settings, and runs in a cancelled Swift task, in which `Task.sleep` and most
    /// network calls throw at once. Run such calls in `await Task { … }.value`.
    public func waitForShutdown() async
}

extension RunningService where Value == () {

    /// Reports that the service is ready.
    public func ready()
}

/// A service has returned although something still needed it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let server = graph.addService("server", providing: Int.self) { service in service.ready(8080) }
/// graph.add("ask it", after: server) { port in await ask(port) }
/// let result = try await Launcher(graph, options: LauncherOptions(policy: .failFast)).run()
/// let hasEndedEarly = result["server"]?.error is ServiceEnded  // true
/// ```
public struct ServiceEnded : Error, Hashable, Sendable, CustomStringConvertible {

    /// A message with advice.
    public var description: String { get }
}

/// Runs `SimulatedProgress` on a clock: updates a node as time passes, and notifies listeners.
///
/// ```swift
/// let run = SimulatedProgressRun("Signing in", strategy: .average)
/// try run.setUp(steps: 3, weights: [0.2, 0.5, 1])
/// try run.start(expecting: .seconds(2))
/// connect()
/// try run.finishStep()
/// ```
///
/// The node joins the current node, so that its parent also moves. It stays below its end until the last step has
/// finished. A reset returns it to its beginning; the shown fraction of its parent does not go back.
///
/// A call that is not allowed in the current state throws and changes nothing. Listeners are called one after the
/// other, in the order of the changes, on any thread and without a lock, so they may call back. While the value does
/// not move, nothing wakes up.
///
/// **Thread safety.** All members can be used from any thread.
final public class SimulatedProgressRun : Sendable {

    /// The node that is updated.
    ///
    /// A node that has finished stays so. After a reset of work that had finished, this is a new node with the same label, outside
    /// of the current node, whose units are done.
    public var node: HeadwayProgress.ProgressNode { get }

    /// Creates a run that has not started.
    ///
    /// - Parameters:
    ///   - label: The label of the node.
    ///   - strategy: How the durations of steps are estimated.
    ///   - units: The units of the current node that the work stands for; nil for all remaining ones.
    ///   - interval: The time between two values while the value moves, at least a millisecond.
    ///   - timers: The timers; `TimerService(clock:)` creates them for any clock.
    public init(_ label: String = "", strategy: HeadwayForecast.SimulatedProgress.Strategy = .recent, units: Int? = nil, interval: Duration = .milliseconds(100), timers: HeadwayTime.TimerService = .suspending)

    deinit

    /// The current state of the work.
    public var currentState: HeadwayForecast.SimulatedProgress.State { get }

    /// The raw value, from 0 to 1; see `SimulatedProgress.fraction(at:)`.
    public var fraction: Double { get }

    /// Sets the steps; see `SimulatedProgress.setUp(steps:concurrencies:weights:)`.
    ///
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
    ///   - weights: The accumulated weights; equal steps if nil.
    /// - Throws: `SimulatedProgressError`.
    public func setUp(steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Replaces the listeners; a reset does not remove them.
    ///
    /// They are retained until they are replaced, so they must not retain the run.
    ///
    /// - Parameters:
    ///   - progress: Called with each new value.
    ///   - completion: Called once when all steps have finished, but not by a reset.
    /// - Throws: `SimulatedProgressError` unless the state is initialized or reset.
    public func setListeners(progress: (@Sendable (Double) -> Void)?, completion: (@Sendable () -> Void)?) throws(HeadwayForecast.SimulatedProgressError)

    /// Starts the first step; see `SimulatedProgress.start(expecting:at:)`.
    ///
    /// - Parameter estimate: The expected duration of the first step, above zero.
    /// - Throws: `SimulatedProgressError`.
    public func start(expecting estimate: Duration) throws(HeadwayForecast.SimulatedProgressError)

    /// Adds steps; see `SimulatedProgress.addSteps(_:concurrencies:weights:at:)`.
    ///
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
    ///   - weights: The accumulated weights; if nil, the remaining weight is divided equally.
    /// - Throws: `SimulatedProgressError`.
    public func addSteps(_ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil) throws(HeadwayForecast.SimulatedProgressError)

    /// Reports that a step or a part of it has finished; see `SimulatedProgress.finishStep(at:)`.
    ///
    /// - Throws: `SimulatedProgressError`.
    public func finishStep() throws(HeadwayForecast.SimulatedProgressError)

    /// Returns to the beginning; see `SimulatedProgress.reset(at:)`.
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
/// graph.add("driver", .blocking { _, report in open().onEnd { report.complete(with: $0) } })
/// graph.add("store", .on(store) { store, _ in store.load() })
/// graph.add("window") { @MainActor _ in showWindow() }
/// ```
///
/// | form | runs on | when it is cancelled or exceeds its time limit |
/// |---|---|---|
/// | ``asynchronous(_:)`` | a Swift task of its own until it returns | the Swift task is cancelled; after the grace period the run goes on without it |
/// | ``immediate(_:)`` | a worker's thread; it must not block | its progress node is cancelled; after the grace period the run goes on without it |
/// | `blocking(_:)` | a thread of its own, until it returns or its report is used | as ``immediate(_:)`` |
/// | ``reporting(_:)`` | a Swift task of its own, in which it starts; it ends with its report | as ``immediate(_:)`` |
/// | ``on(_:_:)`` | the actor | as ``asynchronous(_:)`` |
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

    /// A synchronous function that may block while it starts some work, on a thread of its own; the work reports its end later,
    /// from any thread.
    ///
    /// - Parameter body: The function. A report that is released unused is a failure.
    /// - Returns: The body.
    public static func blocking(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, HeadwayLaunch.TaskReport) -> Void) -> HeadwayLaunch.TaskBody

    /// A function that starts some work and returns; the work reports its end later, from any thread.
    ///
    /// - Parameter body: The function, which may be isolated to an actor. A report that is released unused is a failure.
    /// - Returns: The body.
    public static func reporting(_ body: @escaping @Sendable (HeadwayLaunch.LaunchContext, HeadwayLaunch.TaskReport) async -> Void) -> HeadwayLaunch.TaskBody

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

/// What a task returns, to be passed to the tasks that need it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let settings: TaskOutput<Settings> = graph.add("read settings") { try await Settings.read() }
/// let database = graph.add("open database", after: settings) { try await Database.open($0.path) }
/// let cache = graph.addOptional("warm the cache", after: database) { try await Cache(of: $0) }
/// graph.add("listen", after: database, cache) { database, cache in  // Database, Cache?
///   try await listen(database, cache)
/// }
/// ```
///
/// The compiler checks the types where the graph is written, and a task can only be passed to tasks that are added after it,
/// so these dependencies have no cycles.
public struct TaskOutput<Value> : Sendable where Value : Sendable {

    /// The task that returns it.
    public let task: HeadwayRun.TaskID

    /// The output, or nil if the task did not succeed; of a service, what it has passed to `ready`, however it ended.
    ///
    /// For tasks that also start when this one has failed: tasks that always run, and any task if this one is optional.
    public var ifSucceeded: HeadwayLaunch.TaskOutput<Value?> { get }

    /// A part of the output, or another form of it, for tasks that need no more.
    ///
    /// ```swift
    /// let path = settings.map(\.path)
    /// ```
    ///
    /// - Parameter transform: The function, which should be short: it is called for each attempt that gets the output, and whenever the
    ///   output is read from a result, on any thread.
    /// - Returns: What the function returns; it is missing where the output is.
    public func map<Part>(_ transform: @escaping @Sendable (Value) -> Part) -> HeadwayLaunch.TaskOutput<Part> where Part : Sendable
}

/// The end of a task that was started and finishes later.
///
/// The first report counts. A further one changes nothing and is reported as `RunEvent.Kind.taskReportedAgain`.
/// A report that is released without having been used is a failure with ``NeverReported``, so that a forgotten task
/// does not block the run.
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
///
/// ```swift
/// var settings = TaskSettings(timeout: .seconds(10), grace: .seconds(1))
/// settings.isOptional = true  // the run succeeds without it
/// let task = graph.add("look for a new version", settings: settings) { _ in }
/// ```
public struct TaskSettings : Hashable, Sendable {

    /// The time limit of one attempt, nil for none.
    public var timeout: Duration?

    /// The time limit of the task with all its attempts and the delays between them, from the start of the first; nil for none.
    ///
    /// An attempt that is under way then is ended as at its own ``timeout``, and no further attempt starts. Services have none,
    /// because they stay.
    public var deadline: Duration?

    /// The delay before the first attempt, from the time at which the task could start; zero by default.
    ///
    /// The task needs no worker in the meantime, and other tasks do not wait for it.
    public var delay: Duration

    /// The time between asking a task to end and ending it by force.
    public var grace: Duration

    /// The retries after a failure.
    public var retries: HeadwayLaunch.RetryPolicy

    /// The pool that limits how many of its tasks run at once, in addition to the number of workers.
    public var pool: HeadwayLaunch.PoolID?

    /// Whether the run, and the tasks that depend on this one, go on if it fails.
    public var isOptional: Bool

    /// Whether the task runs however its dependencies ended, and even after the run was cancelled.
    ///
    /// It is skipped only if nothing that it comes after, directly or through others, was started.
    public var alwaysRuns: Bool

    /// The priority: ready tasks with a higher one start first; 0 by default.
    public var priority: Int32

    /// The kind of task, empty if it has none.
    ///
    /// A forecast assumes that tasks of one kind take similar times.
    public var kind: String

    /// Creates settings; the grace period is 5 seconds by default.
    public init(timeout: Duration? = nil, grace: Duration = TaskDefaults.grace, retries: HeadwayLaunch.RetryPolicy = .none, pool: HeadwayLaunch.PoolID? = nil, isOptional: Bool = false, alwaysRuns: Bool = false, priority: Int32 = 0, kind: String = "", deadline: Duration? = nil, delay: Duration = .zero)
}

extension Sequence where Self.Element : Sendable {

    /// Calls a function for each element, several at a time, and returns the results in the order of the elements.
    ///
    /// ```swift
    /// let bar = bars.add("resize", total: photos.count)
    /// let sizes = try await photos.concurrentMap { photo in
    ///   let size = try await resize(photo)
    ///   bar.complete()
    ///   return size
    /// }
    /// bar.end()
    /// ```
    ///
    /// The first error ends the rest: once it is noticed, calls that have begun are cancelled and waited for, and no further ones
    /// begin. The same happens if the calling task is cancelled. The calls are Swift tasks, so a function that blocks its thread, or
    /// computes for long, keeps other tasks of the program waiting. For jobs that need retries, time limits, names or priorities, see ``Launcher/makeQueue(_:settings:name:workers:policy:options:)``.
    ///
    /// - Parameters:
    ///   - workers: The number of calls at a time, at least 1; nil for one for each core.
    ///   - isolation: The actor of the caller, on which the elements are read.
    ///   - body: The function.
    /// - Returns: What the function returns for each element.
    /// - Throws: The first error of the function, or `CancellationError`.
    public func concurrentMap<Result>(workers: Int? = nil, isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Self.Element) async throws -> Result) async throws -> [Result] where Result : Sendable

    /// Calls a function for each element, several at a time.
    ///
    /// The first error ends the rest, as in ``concurrentMap(workers:isolation:_:)``.
    ///
    /// - Parameters:
    ///   - workers: The number of calls at a time, at least 1; nil for one for each core.
    ///   - isolation: The actor of the caller, on which the elements are read.
    ///   - body: The function.
    /// - Throws: The first error of the function, or `CancellationError`.
    public func concurrentForEach(workers: Int? = nil, isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Self.Element) async throws -> Void) async throws
}

