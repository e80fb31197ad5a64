import CTime
import HeadwayLock
import HeadwaySystem
import Synchronization

/// Whether an `advance` expired all timers that were due.
///
/// ```swift
/// var result = AdvanceResult.limitReached
/// while result == .limitReached {
///   result = wheel.advance(to: 100, limit: 1_000) { _, timer in expired.append(timer.payload) }
///   handleOtherWork()
/// }
/// ```
@frozen public enum AdvanceResult : Hashable, Sendable {

    /// Every timer that was due has expired.
    case caughtUp

    /// The limit stopped the call; the next call continues there.
    case limitReached
}

/// A blocking function with the key that identifies it, for a ``TimeoutRunner``.
///
/// ```swift
/// struct Lookup: BlockingTask {
///   let key: String
///   func run() throws -> Address { try resolve(key) }
/// }
/// let address = try await runner.run(Lookup(key: "example.org"))
/// ```
public protocol BlockingTask<Key, Value> : Sendable {

    /// The type of the key.
    associatedtype Key : Hashable, Sendable

    /// The type of the result.
    associatedtype Value : Sendable

    /// The key.
    var key: Self.Key { get }

    /// Does the work on a thread of the runner, where it may block for any time.
    ///
    /// - Returns: The result.
    /// - Throws: Any error.
    func run() throws -> Self.Value
}

/// Where completion handlers run: on an actor, a task executor, a queue, or the runner's own thread.
///
/// ```swift
/// try runner.submit("a", on: .main) { work() } completion: { label.show($0) }
/// try runner.submit("b", on: .actor(cache)) { work() } completion: { log($0) }
/// try runner.submit("c", on: CompletionExecutor { queue.async(execute: $0) }) { work() } completion: { log($0) }
/// ```
public struct CompletionExecutor : Sendable {

    /// Creates an executor from a function that enqueues work, for example on a dispatch queue or an event loop.
    ///
    /// - Parameter enqueue: A function that arranges for its argument to be called once. It is called on threads of the
    ///   runner and its timers, and on the thread of the submitter, so it should not block or call the argument directly.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)

    /// The main actor.
    public static let main: HeadwayTime.CompletionExecutor

    /// Returns an executor that runs handlers on an actor, in an order that the actor chooses.
    ///
    /// - Parameter actor: The actor, which is retained until its last handler has run.
    /// - Returns: The executor.
    public static func actor(_ actor: some Actor) -> HeadwayTime.CompletionExecutor

    /// Returns an executor that runs handlers on a task executor, for example an event loop.
    ///
    /// - Parameter executor: The task executor.
    /// - Returns: The executor.
    public static func executor(_ executor: some TaskExecutor) -> HeadwayTime.CompletionExecutor
}

/// The error for work that did not end by its deadline, from `withDeadline` and from ``TimeoutRunner``.
public struct DeadlineExceeded : Error, Hashable, Sendable, CustomStringConvertible {

    /// The time that was allowed, from the call to the deadline.
    ///
    /// For a deadline at an instant it is the time that was left. If a ``TimeoutRunner`` restarts functions, it is the
    /// time that each attempt was allowed.
    public let limit: Duration

    /// The number of times the work was started before the deadline.
    ///
    /// It is 0 if no thread of a ``TimeoutRunner`` was free. Then the function did not start for this caller, and will
    /// not. Otherwise the function of a runner is still running, because it cannot be stopped. For `withDeadline` it is
    /// 1.
    public let attempts: Int

    /// The error that the work has thrown because it was cancelled, nil if it has not ended.
    ///
    /// It does not count when errors are compared.
    public let underlying: (any Error)?

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - limit: The time that was allowed.
    ///   - attempts: The number of times the work was started.
    ///   - underlying: The error that the work has thrown because it was cancelled, nil if it has not ended.
    public init(limit: Duration, attempts: Int = 1, underlying: (any Error)? = nil)

    /// Whether two errors say the same of the deadline.
    public static func == (left: HeadwayTime.DeadlineExceeded, right: HeadwayTime.DeadlineExceeded) -> Bool

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher)

    /// A message with the time that was allowed.
    public var description: String { get }
}

/// A timer that has expired, as `advance` passes it to its closure.
///
/// ```swift
/// var due: [String] = []
/// wheel.advance(to: 100) { (_, timer: consuming ExpiredTimer<String>) in
///   due.append("\(timer.payload) was due at \(timer.deadline)")  // ping was due at 90
/// }
/// ```
public struct ExpiredTimer<Payload> {

    /// The payload of the timer.
    public let payload: Payload

    /// The tick at which the timer was due.
    public let deadline: UInt64
}

extension ExpiredTimer : Sendable where Payload : Sendable {
}

/// The policy of a runner for a key that is submitted again while its function is queued or running.
///
/// ```swift
/// var configuration = TimeoutRunner<String, String>.Configuration(timeout: .seconds(10))
/// configuration.repeatedKey = .replace  // of the searches for one field, only the last one counts
/// let search = TimeoutRunner(configuration)
/// ```
public enum RepeatedKeyPolicy : Hashable, Sendable {

    /// The new caller waits for the same function, until its own deadline. Its own function does not run.
    ///
    /// A stuck function counts as running, so a caller that joins it times out unless the function returns. In return, a
    /// key never holds more than one thread, unless the function is restarted.
    case join

    /// The earlier callers fail with ``TimeoutRunnerError/replaced(key:)`` at once, and the new function runs.
    ///
    /// If the earlier function is still queued, it never starts, and the new one takes its place in the queue. If it is
    /// running, it continues, and its result is late.
    case replace

    /// The new submission throws ``TimeoutRunnerError/refused(key:)``.
    case refuse
}

/// A timer that repeats; see ``TimerService/schedule(every:tolerance:_:)``.
///
/// All members are safe from any thread and inside the action.
///
/// ```swift
/// final class Heartbeat: Sendable {
///   private let timer: RepeatingTimer
///
///   init(_ timers: TimerService, ping: @escaping @Sendable () -> Void) {
///     timer = timers.schedule(every: .seconds(30), ping)
///   }
///
///   deinit { timer.cancel() }
/// }
/// ```
final public class RepeatingTimer : Sendable {

    /// Cancels the timer and releases its action.
    ///
    /// - Returns: Whether the action will not run any more. If not, it is running at the moment, for the last time; or the timer
    ///   was cancelled before, or the service had been shut down.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool

    /// Whether the timer is scheduled, or its action runs and will run again.
    ///
    /// - Complexity: O(1).
    public var isScheduled: Bool { get }
}

/// A timer with one action that can be started again and again, also after it has expired.
///
/// ```swift
/// let idle: ReusableTimer = TimerService.continuous.makeTimer { connection.close() }
/// idle.start(after: .seconds(30))
/// idle.start(after: .seconds(30))  // true: the connection was used, and its time begins again
/// idle.cancel()  // true: the action will not run
/// idle.start(after: .seconds(30))  // false: it was not running
/// ```
///
/// A ``TimerService/Handle`` can be rescheduled only until its timer has expired. A timer that is released is cancelled.
/// Starting allocates nothing. All members are safe from any thread and inside the action.
final public class ReusableTimer : Sendable {

    deinit

    /// Starts the timer, or starts it anew if it runs already.
    ///
    /// - Parameters:
    ///   - delay: The delay from now, as for ``TimerService/schedule(after:tolerance:_:)``.
    ///   - tolerance: How much later the action may run.
    /// - Returns: Whether the timer was running; then the action does not run for the earlier start. If not, it was never
    ///   started, was cancelled, or its action has run or is about to run for the earlier start, too.
    /// - Complexity: O(1).
    @discardableResult
    public func start(after delay: Duration, tolerance: Duration = .zero) -> Bool

    /// Cancels the timer, which can be started again.
    ///
    /// - Returns: Whether the timer was running. If so, the action does not run until the next start.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool

    /// Whether the timer is running.
    ///
    /// - Complexity: O(1).
    public var isRunning: Bool { get }
}

/// Timers that all have the same duration, for example the idle time-outs of many connections.
///
/// ```swift
/// var lane = TimeoutLane<String>(duration: 30)
/// let handle = lane.schedule("connection 7", now: 0)
/// let next = lane.nextExpiry  // 30
/// let isOpen = lane.restart(handle, now: 12)  // true: there was activity
/// var idle: [String] = []
/// lane.advance(to: 42) { _, timer in idle.append(timer.payload) }  // connection 7
/// ```
///
/// Use one lane for each duration, or a ``TimingWheel`` if there are many durations.
///
/// A lane is not thread safe: it has one owner at a time. Time never goes back: an earlier tick counts as ``now``.
public struct TimeoutLane<Payload> : ~Copyable {

    /// A handle of a scheduled timer.
    ///
    /// The handle becomes stale when its timer expires or is cancelled; a stale handle has no effect. A handle is valid
    /// only for the lane that returned it.
    ///
    /// ```swift
    /// var lane = TimeoutLane<Int>(duration: 30)
    /// var timeouts: [Int: TimeoutLane<Int>.Handle] = [:]
    /// timeouts[7] = lane.schedule(7, now: 0)
    /// if let timeout = timeouts[7] { lane.restart(timeout, now: 12) }  // there was activity
    /// ```
    public struct Handle : Hashable, Sendable {
    }

    /// The number of ticks after which each timer expires.
    public let duration: UInt64

    /// Creates an empty lane.
    ///
    /// - Parameters:
    ///   - duration: The number of ticks after which each timer expires; with 0, it expires in the next advance.
    ///   - now: The current tick.
    @inlinable public init(duration: UInt64, now: UInt64 = 0)
}

extension TimeoutLane {

    /// Advances the lane to a tick and passes each expired timer to a closure, the earliest first.
    ///
    /// The closure may schedule, cancel and restart timers through its first parameter. It may also assign another lane,
    /// which ends this call. A timer that it schedules or restarts expires in a later call, even if it is due at once.
    ///
    /// - Parameters:
    ///   - now: The current tick. A tick before ``now`` counts as ``now``.
    ///   - limit: The maximum number of timers to expire; values below 1 count as 1.
    ///   - expire: Receives each expired timer. It must not advance the same lane; doing so traps.
    /// - Returns: Whether all due timers have expired.
    /// - Throws: What the closure throws. The timer it received is gone; all others expire in the next call.
    /// - Complexity: O(expired timers), amortized, however far the lane advances.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimeoutLane<Payload>, consuming HeadwayTime.ExpiredTimer<Payload>) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.AdvanceResult where Failure : Error
}

extension TimeoutLane : @unchecked Sendable where Payload : Sendable {
}

extension TimeoutLane {

    /// The current tick: the latest one that was passed to the lane.
    ///
    /// - Complexity: O(1).
    @inlinable public var now: UInt64 { get }

    /// The number of scheduled timers.
    ///
    /// - Complexity: O(1).
    @inlinable public var count: Int { get }

    /// Whether no timer is scheduled.
    ///
    /// - Complexity: O(1).
    @inlinable public var isEmpty: Bool { get }

    /// The exact earliest deadline, or `nil` if no timer is scheduled.
    ///
    /// It may be before ``now`` if `advance(to:limit:expire:)` has not been called since then.
    ///
    /// - Complexity: O(1).
    @inlinable public var nextExpiry: UInt64? { get }

    /// Returns the deadline of a scheduled timer.
    ///
    /// - Parameter handle: The handle of the timer.
    /// - Returns: The deadline, or `nil` if the timer has expired or was cancelled.
    /// - Complexity: O(1).
    @inlinable public func deadline(of handle: HeadwayTime.TimeoutLane<Payload>.Handle) -> UInt64?

    /// Schedules a timer that expires after the duration of the lane.
    ///
    /// - Parameters:
    ///   - payload: The value that `advance` returns when the timer expires.
    ///   - now: The current tick. A deadline beyond `UInt64.max` becomes `UInt64.max`.
    /// - Returns: A handle that cancels or restarts the timer.
    /// - Complexity: O(1) amortized; allocates only if the lane has never held as many timers.
    @discardableResult
    @inlinable public mutating func schedule(_ payload: consuming Payload, now: UInt64) -> HeadwayTime.TimeoutLane<Payload>.Handle

    /// Cancels a timer.
    ///
    /// - Parameter handle: The handle of the timer.
    /// - Returns: The payload, or `nil` if the timer has expired or was cancelled before.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func cancel(_ handle: HeadwayTime.TimeoutLane<Payload>.Handle) -> Payload?

    /// Restarts the full duration of a timer, for example because there was activity.
    ///
    /// - Parameters:
    ///   - handle: The handle of the timer; it stays valid.
    ///   - now: The current tick.
    /// - Returns: Whether the timer was still scheduled; a stale handle changes nothing.
    /// - Complexity: O(1) amortized; allocates only if the lane has never held as many timers.
    @discardableResult
    @inlinable public mutating func restart(_ handle: HeadwayTime.TimeoutLane<Payload>.Handle, now: UInt64) -> Bool
}

/// Runs functions that block and cannot be cancelled, and answers each caller exactly once, at its deadline at the
/// latest.
///
/// ```swift
/// let runner = TimeoutRunner<String, Address>(timeout: .seconds(10))
/// let address = try await runner.run("example.org") { try resolve("example.org") }
///
/// try runner.submit("example.org", on: .main) {
///   try resolve("example.org")
/// } completion: { result in
///   switch result {
///   case .success(let address): show(address)
///   case .failure(let error): show(error)   // DeadlineExceeded after 10 seconds
///   }
/// }
/// ```
///
/// For asynchronous work, which can be cancelled, use `withDeadline(in:)`.
///
/// **Results.** Each caller gets exactly one result: the value of the function, its error, or ``DeadlineExceeded``.
/// The time-out counts from the submission. If no thread is free before the deadline, the function never starts, and
/// ``DeadlineExceeded/attempts`` is 0. If the function is running at the deadline, it continues, because nothing can
/// stop it. When it returns and no caller waits any more, its result is passed to the handler for late results and
/// counted. A result at the deadline or later is late, whichever thread was first. Completion handlers run on the
/// executor that the caller chooses, for results and time-outs alike, and never inside a lock. They never run inside
/// `submit` either, except if the system cannot create a thread for them.
///
/// **Threads.** Functions run on the runner's own threads, never on those of Swift's tasks. Threads start when they
/// are needed, at most as many as the configuration allows, and then sleep until the runner ends. A function that has
/// not returned by its deadline is *stuck*: it is listed in ``stuck`` and keeps its thread, and another thread may
/// take its place so that other functions are not starved. While more than `stuckLimit` functions are stuck, `submit`
/// throws ``TimeoutRunnerError/tooManyStuck(limit:keys:)``, and queued functions wait for the remaining threads or
/// time out. So there are never more than `threads + stuckLimit` threads. When a stuck function returns after all,
/// its thread ends, unless it is needed again.
///
/// **Keys.** ``RepeatedKeyPolicy`` decides what happens if a key is submitted that is already queued or running. A key
/// that is not in use takes no memory.
///
/// **The end.** A runner that is shut down or released fails all waiting callers with ``TimeoutRunnerError/shutDown``.
/// Running functions continue, their results are late, and then their threads end. No thread is killed.
///
/// All members are safe from any thread, also inside functions and completion handlers. A submission costs a few short
/// locks and a timer.
final public class TimeoutRunner<Key, Value> : Sendable where Key : Hashable, Key : Sendable, Value : Sendable {

    /// Creates a runner; its threads start with the first submissions.
    ///
    /// - Parameter configuration: The limits and policies. `threads` must be at least 1, and no limit may be negative.
    public init(_ configuration: HeadwayTime.TimeoutRunner<Key, Value>.Configuration)

    /// Creates a runner with the default configuration.
    ///
    /// - Parameter timeout: The time-out of calls that do not pass one.
    public convenience init(timeout: Duration)

    deinit

    /// Submits a function and passes its result to a completion handler.
    ///
    /// - Parameters:
    ///   - key: The key that identifies the function.
    ///   - timeout: The time-out from now, or nil for that of the configuration. If it is zero or less, nothing runs, and
    ///     the handler gets ``DeadlineExceeded``.
    ///   - executor: Where the handler runs, or nil for the executor of the configuration.
    ///   - body: The function, which is called on a thread of the runner.
    ///   - completion: The handler, which is called once.
    /// - Throws: ``TimeoutRunnerError`` if the submission is not accepted; then the handler is not called.
    /// - Complexity: O(1).
    public func submit(_ key: Key, timeout: Duration? = nil, on executor: HeadwayTime.CompletionExecutor? = nil, body: @escaping @Sendable () throws -> Value, completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws(HeadwayTime.TimeoutRunnerError)

    /// Submits a task and passes its result to a completion handler.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - timeout: The time-out from now, or nil for that of the configuration.
    ///   - executor: Where the handler runs, or nil for the executor of the configuration.
    ///   - completion: The handler, which is called once.
    /// - Throws: ``TimeoutRunnerError`` if the submission is not accepted; then the handler is not called.
    /// - Complexity: O(1).
    public func submit<Task>(_ task: Task, timeout: Duration? = nil, on executor: HeadwayTime.CompletionExecutor? = nil, completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws(HeadwayTime.TimeoutRunnerError) where Key == Task.Key, Value == Task.Value, Task : HeadwayTime.BlockingTask

    /// Runs a function and waits for its result without blocking the caller's thread.
    ///
    /// A caller that is cancelled stops waiting at once. If the function is running, it continues, and its result is
    /// late. If it is queued and no one else waits for it, it never starts.
    ///
    /// - Parameters:
    ///   - key: The key that identifies the function.
    ///   - timeout: The time-out from now, or nil for that of the configuration.
    ///   - body: The function, which is called on a thread of the runner.
    /// - Returns: The value that the function returns.
    /// - Throws: The error of the function, ``DeadlineExceeded``, ``TimeoutRunnerError``, or `CancellationError`.
    /// - Complexity: O(1).
    public func run(_ key: Key, timeout: Duration? = nil, body: @escaping @Sendable () throws -> Value) async throws -> Value

    /// Runs a task and waits for its result without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - timeout: The time-out from now, or nil for that of the configuration.
    /// - Returns: The value that the task returns.
    /// - Throws: The error of the task, ``DeadlineExceeded``, ``TimeoutRunnerError``, or `CancellationError`.
    /// - Complexity: O(1).
    public func run<Task>(_ task: Task, timeout: Duration? = nil) async throws -> Value where Key == Task.Key, Value == Task.Value, Task : HeadwayTime.BlockingTask

    /// The current counts of the runner, all read at the same moment.
    ///
    /// - Complexity: O(1).
    public var statistics: HeadwayTime.TimeoutRunnerStatistics { get }

    /// The functions that have not returned by their deadline, the longest overdue first.
    ///
    /// - Complexity: O(n log n) in the number of running functions.
    public var stuck: [HeadwayTime.TimeoutRunner<Key, Value>.StuckFunction] { get }

    /// Shuts the runner down: fails all waiting callers, starts no more functions, and ends each thread when it is free.
    ///
    /// Later submissions are refused. Shutting down twice has no further effect.
    ///
    /// - Complexity: O(n log n) in the number of waiting callers.
    public func shutDown()
}

extension TimeoutRunner {

    /// The limits and policies of a runner.
    public struct Configuration : Sendable {

        /// The time-out of calls that do not pass one.
        public var timeout: Duration

        /// The maximum number of functions that run at once, not counting stuck ones.
        ///
        /// 64 by default, on every machine: functions that block need threads and not processors. A thread is started only if
        /// a function waits and no other thread is free. Beyond the limit functions wait in the queue, where their time runs.
        public var threads: Int

        /// The maximum number of stuck functions whose threads are replaced; 64 by default.
        ///
        /// While more are stuck, the runner accepts nothing.
        public var stuckLimit: Int

        /// The maximum number of functions that wait for a thread; 100,000 by default.
        ///
        /// Each takes nearly a kilobyte.
        public var queueLimit: Int

        /// What happens if a key is submitted that is already queued or running; `join` by default.
        public var repeatedKey: HeadwayTime.RepeatedKeyPolicy

        /// How often a function is restarted after a time-out; 0 by default.
        ///
        /// The function is started again with the same time-out, while the first call continues as a stuck one. A caller
        /// waits up to `restartLimit + 1` times its time-out, if the function was running at its first deadline, and gets
        /// the result of whichever call returns first. No function is restarted while more than ``stuckLimit`` are stuck.
        public var restartLimit: Int

        /// Where completion handlers run if the call does not say so.
        ///
        /// By default they run one after the other on a thread of the runner.
        public var executor: HeadwayTime.CompletionExecutor?

        /// The timers, which must not be shut down before the runner.
        public var timers: HeadwayTime.TimerService

        /// The handler for results that no caller waits for; it runs on ``executor``.
        public var lateResult: (@Sendable (HeadwayTime.TimeoutRunner<Key, Value>.LateResult) -> Void)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - timeout: The time-out of calls that do not pass one.
        ///   - threads: The maximum number of functions that run at once, not counting stuck ones.
        ///   - stuckLimit: The maximum number of stuck functions whose threads are replaced.
        ///   - queueLimit: The maximum number of functions that wait for a thread.
        ///   - repeatedKey: What happens if a key is submitted that is already queued or running.
        ///   - restartLimit: How often a function is restarted after a time-out.
        ///   - executor: Where completion handlers run if the call does not say so.
        ///   - timers: The timers.
        ///   - lateResult: The handler for results that no caller waits for.
        public init(timeout: Duration, threads: Int = 64, stuckLimit: Int = 64, queueLimit: Int = 100_000, repeatedKey: HeadwayTime.RepeatedKeyPolicy = .join, restartLimit: Int = 0, executor: HeadwayTime.CompletionExecutor? = nil, timers: HeadwayTime.TimerService = .continuous, lateResult: (@Sendable (HeadwayTime.TimeoutRunner<Key, Value>.LateResult) -> Void)? = nil)
    }

    /// The result of a function that returned when no caller waited for it any more.
    ///
    /// ```swift
    /// configuration.lateResult = { (late: TimeoutRunner<String, Int>.LateResult) in
    ///   show("\(late.key) came \(late.overdue) too late")
    /// }
    /// ```
    public struct LateResult : Sendable {

        /// The key of the function.
        public let key: Key

        /// The number of the attempt, from 1.
        public let attempt: Int

        /// The value that the function returned, or the error that it threw.
        public let result: Result<Value, any Error>

        /// The time since the deadline; zero if the function was in time, but its callers had been cancelled or replaced.
        public let overdue: Duration
    }

    /// A function that has not returned by its deadline.
    ///
    /// ```swift
    /// let stuck: [TimeoutRunner<String, Int>.StuckFunction] = runner.stuck
    /// for function in stuck {
    ///   show("\(function.key) has run for \(function.running)")
    /// }
    /// ```
    public struct StuckFunction : Sendable {

        /// The key of the function.
        public let key: Key

        /// The number of the attempt, from 1.
        public let attempt: Int

        /// The time since the function was started.
        public let running: Duration

        /// The time since its deadline.
        public let overdue: Duration
    }
}

/// A runner for functions that return values of different types.
extension TimeoutRunner where Value == any Sendable {

    /// Runs a function of a type of its own, and waits for its result without blocking the caller's thread.
    ///
    /// ```swift
    /// let runner = TimeoutRunner<String, any Sendable>(timeout: .seconds(10))
    /// let address = try await runner.run("example.org", as: Address.self) { try resolve("example.org") }
    /// let size = try await runner.run("/mnt/backup", as: Int.self) { try freeSpace("/mnt/backup") }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key that identifies the function.
    ///   - type: The type of the value.
    ///   - timeout: The time-out from now, or nil for that of the configuration.
    ///   - body: The function, which is called on a thread of the runner.
    /// - Returns: The value that the function returns.
    /// - Throws: The error of the function, ``DeadlineExceeded``, ``TimeoutRunnerError`` or `CancellationError`;
    ///   ``TimeoutRunnerError/differentType(key:expected:actual:)`` if a function of the same key was joined that has returned a
    ///   value of another type.
    /// - Complexity: O(1).
    public func run<Result>(_ key: Key, as type: Result.Type, timeout: Duration? = nil, body: @escaping @Sendable () throws -> Result) async throws -> Result where Result : Sendable
}

/// The reason why a runner does not accept a submission, or gives it up.
@nonexhaustive public enum TimeoutRunnerError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The key is queued or running, and the policy is ``RepeatedKeyPolicy/refuse``.
    case refused(key: String)

    /// A later submission of the same key replaced this one, because of ``RepeatedKeyPolicy/replace``.
    case replaced(key: String)

    /// More functions are stuck than allowed. `keys` has up to ten of their keys, the longest overdue first.
    case tooManyStuck(limit: Int, keys: [String])

    /// The queue is full.
    case queueFull(limit: Int)

    /// The runner was shut down or released.
    case shutDown

    /// The system cannot create a thread, and the runner has none.
    case noThread

    /// The call joined a function of the same key that has returned a value of another type.
    case differentType(key: String, expected: String, actual: String)

    /// A message that says what happened and what to do.
    public var description: String { get }
}

/// The counts of a ``TimeoutRunner``, all read at the same moment.
///
/// ``submitted`` is the sum of ``waiting`` and the counts from ``finished`` to ``noThread``: each submission is in
/// exactly one of them.
///
/// ```swift
/// let statistics: TimeoutRunnerStatistics = runner.statistics
/// show("\(statistics.finished) of \(statistics.submitted) in time, \(statistics.stuck) stuck")
/// ```
public struct TimeoutRunnerStatistics : Hashable, Sendable {

    /// The number of submissions, not counting those that were cancelled before.
    public internal(set) var submitted: Int { get }

    /// The number of callers that got a value.
    public internal(set) var finished: Int { get }

    /// The number of callers that got the error of the function.
    public internal(set) var failed: Int { get }

    /// The number of callers whose deadline passed before a thread was free.
    public internal(set) var timedOutQueued: Int { get }

    /// The number of callers whose deadline passed while the function was running.
    public internal(set) var timedOutRunning: Int { get }

    /// The number of submissions that were not accepted.
    public internal(set) var refused: Int { get }

    /// The number of callers that a later submission of the same key replaced.
    public internal(set) var replaced: Int { get }

    /// The number of callers that were cancelled.
    public internal(set) var cancelled: Int { get }

    /// The number of callers that were waiting when the runner was shut down.
    public internal(set) var shutDown: Int { get }

    /// The number of callers that failed because the system could not create a thread.
    public internal(set) var noThread: Int { get }

    /// The number of callers that are waiting now.
    public internal(set) var waiting: Int { get }

    /// The number of functions that returned when no caller waited any more.
    public internal(set) var late: Int { get }

    /// The number of functions that are waiting for a thread now.
    public internal(set) var queued: Int { get }

    /// The number of functions that are running now, including stuck ones.
    public internal(set) var running: Int { get }

    /// The number of functions that are running now and have passed their deadline.
    public internal(set) var stuck: Int { get }

    /// The number of threads now.
    public internal(set) var threads: Int { get }
}

/// Timers on a clock, for any number of threads and tasks, with a single sleeping thread.
///
/// ```swift
/// let timers = TimerService.continuous
/// let timer = timers.schedule(after: .seconds(30)) { connection.close() }
/// timer.reschedule(after: .seconds(30))   // the connection was used
/// timer.cancel()                          // true: the action will not run
/// try await timers.sleep(for: .milliseconds(20))
/// ```
///
/// To limit the time of asynchronous work, use `withDeadline(in:)`; for a function that blocks, use ``TimeoutRunner``.
///
/// **Contract.** An action never runs early, and at most one tick late if the machine is not busy. It runs once,
/// unless it is cancelled. If a cancellation races with the expiry, exactly one of them wins, and ``Handle/cancel()``
/// returns which. Actions run one after the other, outside all locks: on the thread of the service, for other clocks
/// in the task that sleeps on the clock, and for a virtual clock in the caller that advances it. Keep actions short,
/// and hand longer work to another thread or task. Scheduling and cancelling take one short lock and allocate nothing
/// beyond the closure itself. All members are safe from any thread and inside actions.
///
/// **Design.** A service has eight timing wheels, each behind its own lock, so that threads rarely contend; a handle
/// knows its wheel. An empty wheel takes about 40 kB. The thread sleeps until the earliest deadline of all wheels, and
/// only an earlier one changes that, so a timer that is cancelled in time costs no system call. When the thread wakes,
/// it removes expired timers in batches and runs them without holding a lock.
///
/// A service that is shut down or released runs no more actions: it releases all scheduled timers and cancels all
/// sleeping tasks.
final public class TimerService : Sendable {

    /// The service of `ContinuousClock`, which advances while the machine sleeps.
    ///
    /// It lives as long as the process.
    public static let continuous: HeadwayTime.TimerService

    /// The service of `SuspendingClock`, which stops while the machine sleeps.
    ///
    /// It lives as long as the process.
    public static let suspending: HeadwayTime.TimerService

    /// Creates a service on a clock.
    ///
    /// - Parameters:
    ///   - clock: The clock, for example `ContinuousClock()`, or a virtual clock in tests. The clocks of the machine need
    ///     one thread, which starts with the first timer; any other clock needs a task that sleeps on it.
    ///   - tick: The resolution: deadlines are rounded up to a multiple of it. It is at least a nanosecond.
    public convenience init<C>(clock: C, tick: Duration = .milliseconds(1)) where C : Clock, C.Duration == Duration

    deinit

    /// The number of scheduled timers, including sleeping tasks and deadlines.
    ///
    /// - Complexity: O(1).
    public var count: Int { get }

    /// Schedules an action.
    ///
    /// - Parameters:
    ///   - delay: The delay from now. An action with a delay of zero or less runs at once, but never inside this call. A
    ///     delay beyond the range of the clock never ends.
    ///   - tolerance: How much later the action may run. Its time is moved to a rounder one within the tolerance, where
    ///     it may coincide with others and save a wake-up.
    ///   - action: The action, which runs on the thread of the service and must not block.
    /// - Returns: A handle that cancels or reschedules the timer. The timer stays scheduled if you discard it.
    /// - Complexity: O(1).
    @discardableResult
    public func schedule(after delay: Duration, tolerance: Duration = .zero, _ action: consuming @escaping @Sendable () -> Void) -> HeadwayTime.TimerService.Handle

    /// Releases the memory that the scheduled timers do not need.
    ///
    /// A service keeps the memory of timers that have expired or were cancelled, for later ones. Call this method after an
    /// unusually large number of timers. A block of 1,024 timers is released when none of them is scheduled.
    ///
    /// - Complexity: O(n), where n is the largest number of timers since the last call. The service locks one of its eight
    ///   wheels after the other, about a millisecond for 100,000 timers.
    public func shrinkToFit()

    /// Suspends the current task without blocking a thread.
    ///
    /// - Parameters:
    ///   - duration: The time to sleep. Zero or less returns at once.
    ///   - tolerance: How much longer the sleep may take.
    /// - Throws: `CancellationError` if the task is cancelled or the service is shut down.
    public func sleep(for duration: Duration, tolerance: Duration = .zero) async throws(CancellationError)

    /// Shuts the service down: releases scheduled actions without running them, and cancels sleeping tasks.
    ///
    /// Later calls of `schedule` return a handle that is not scheduled. The shared services cannot be shut down.
    ///
    /// - Returns: The number of timers that were scheduled.
    /// - Complexity: O(timers).
    @discardableResult
    public func shutDown() -> Int
}

extension TimerService {

    /// Schedules an action at a constant rate.
    ///
    /// ```swift
    /// let heartbeat = TimerService.continuous.schedule(every: .seconds(30)) { connection.ping() }
    /// heartbeat.cancel()
    /// ```
    ///
    /// The action runs one period from now for the first time, and then at multiples of the period from now, so delays do not
    /// add up. If it takes longer than a period, or the machine was busy, the runs that were missed are combined into one, which
    /// starts at once.
    ///
    /// - Parameters:
    ///   - period: The time from one run to the next, which must be positive. A period below a tick of the service is a tick.
    ///   - tolerance: How much later each run may be.
    ///   - action: The action, which runs on the thread of the service and must not block.
    /// - Returns: The timer. It goes on if you discard it.
    /// - Complexity: O(1), for each run, too.
    @discardableResult
    public func schedule(every period: Duration, tolerance: Duration = .zero, _ action: @escaping @Sendable () -> Void) -> HeadwayTime.RepeatingTimer

    /// Schedules an action at an instant of a clock.
    ///
    /// - Parameters:
    ///   - instant: The instant; if it has passed, the action runs at once, but never inside this call.
    ///   - clock: The clock of the instant, `ContinuousClock` by default; it should be that of the service.
    ///   - tolerance: How much later the action may run.
    ///   - action: The action, which runs on the thread of the service and must not block.
    /// - Returns: A handle that cancels or reschedules the timer.
    /// - Complexity: O(1).
    @discardableResult
    public func schedule<C>(at instant: C.Instant, clock: C = ContinuousClock(), tolerance: Duration = .zero, _ action: @escaping @Sendable () -> Void) -> HeadwayTime.TimerService.Handle where C : Clock, C.Duration == Duration

    /// Ticks at a constant rate, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await tick in TimerService.continuous.ticks(every: .seconds(1)) {
    ///   show("\(tick) s")
    /// }
    /// ```
    ///
    /// The first tick comes a period after the iteration began, and the others at multiples of it, so delays do not add up.
    /// An element is the number of its tick, from 1. If the loop takes longer than a period, the next tick comes at once, and
    /// those before it are left out. The sequence ends when the task is cancelled or the service is shut down.
    ///
    /// - Parameters:
    ///   - period: The time from one tick to the next, which must be positive.
    ///   - tolerance: How much later each tick may be.
    /// - Returns: The ticks. Each iteration begins anew.
    public func ticks(every period: Duration, tolerance: Duration = .zero) -> some Sendable & AsyncSequence<Int, Never>

}

extension TimerService {

    /// Creates a timer that can be started again and again.
    ///
    /// - Parameter action: The action, which runs on the thread of the service and must not block.
    /// - Returns: The timer, which is not running.
    public func makeTimer(_ action: @escaping @Sendable () -> Void) -> HeadwayTime.ReusableTimer
}

extension TimerService {

    /// A handle of a timer, which cancels or reschedules it.
    ///
    /// All members are safe from any thread. A handle retains neither the service nor the action.
    ///
    /// ```swift
    /// struct Autosave {
    ///   let timers: TimerService
    ///   let save: @Sendable () -> Void
    ///   var timer: TimerService.Handle?
    ///
    ///   mutating func keyWasPressed() {
    ///     if timer?.reschedule(after: .seconds(1)) == true { return }
    ///     timer = timers.schedule(after: .seconds(1), save)
    ///   }
    /// }
    /// ```
    public struct Handle : Sendable {

        /// Cancels the timer.
        ///
        /// - Returns: Whether the timer was still scheduled. If so, its action will not run and is released. If not, the
        ///   action has run, is about to run, or was cancelled before, or the service was shut down.
        /// - Complexity: O(1).
        @discardableResult
        public func cancel() -> Bool

        /// Reschedules the timer.
        ///
        /// - Parameter delay: The new delay from now, without tolerance.
        /// - Returns: Whether the timer was still scheduled. If not, nothing changes.
        /// - Complexity: O(1); for a later time a single write under the lock.
        @discardableResult
        public func reschedule(after delay: Duration) -> Bool

        /// Whether the timer is scheduled.
        ///
        /// - Complexity: O(1).
        public var isScheduled: Bool { get }
    }
}

/// A hierarchical timing wheel: schedules, cancels and reschedules millions of timers in constant time.
///
/// A wheel counts integer ticks and has no clock. Its owner passes the current tick in and gets the expired timers:
///
/// ```swift
/// var wheel = TimingWheel<String>()
/// let fetch = wheel.schedule("fetch", at: 500)
/// wheel.schedule("ping", at: 90)
/// let next = wheel.nextExpiry  // 90
/// var expired: [String] = []
/// wheel.advance(to: 100) { wheel, timer in
///   expired.append(timer.payload)  // ping
///   wheel.schedule("ping", at: timer.deadline + 90)  // the closure may use the wheel
/// }
/// let first = wheel.cancel(fetch)  // "fetch"
/// let second = wheel.cancel(fetch)  // nil: the timer is gone
/// ```
///
/// **Contract.** A timer never expires before its deadline. It expires exactly once, in the first `advance` that
/// reaches its deadline, unless it is cancelled. Timers expire in the order of their deadlines. The order of timers
/// with the same deadline is unspecified, but it is the same for the same sequence of calls. Timers whose deadline had
/// passed when they were scheduled expire first in the next `advance`, in unspecified order. Time never goes back: an
/// earlier `now` counts as the current tick. Every tick up to `UInt64.max - 1` can be used. A deadline of `UInt64.max`
/// means never, and as `now` it counts as the tick before. A wheel is not thread safe: it has one owner at a time. A
/// ``TimerService`` shares wheels between threads.
///
/// **Design.** A hierarchical timing wheel (Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*, 1987) of four
/// levels with 256 slots each. A timer fewer than 256 ticks away is on level 0, in the slot of the lowest byte of its
/// deadline; one fewer than 65,536 ticks away on level 1, in the slot of the second byte; and so on. When the wheel
/// reaches a slot of level 0, the timers in it expire; those in a slot of a higher level move to the levels below:
///
/// ```
///                        deadline 00 01 2C 07       now 00 01 29 F0: 535 ticks to go
///                                        │
///  level 3  16,777,216 ticks a slot      │
///  level 2      65,536                   │
///  level 1         256         · · · · · 2C · · ·   moved     at 00 01 2C 00, to slot 07 of level 0
///  level 0           1         · 07 · · · · · · ·   expires   at 00 01 2C 07
///  overflow 2³² ticks away and more, in a heap: no slot ever holds two rotations
/// ```
///
/// A slot is a list of chunks of packed 8-byte entries (`SlotChunks`) that refer to a slab of nodes (`NodeSlab`).
/// Cancelling frees the node and leaves its entry, which is dropped later. Moving a deadline to a later tick is a single
/// write: the timer is filed again when its old slot is due. Occupied slots are marked in a bit map, so a jump costs only
/// what the slots on the way hold, however far it goes. Decision 8 in `docs/dev/decisions` has the reasons.
///
/// | operation | cost | allocates |
/// |---|---|---|
/// | `schedule` | O(1) | once for each 1,000 timers beyond the largest number so far |
/// | `cancel`, `reschedule` | O(1) | never |
/// | `advance` | O(expired timers + occupied slots passed); each timer within 2³² ticks moves at most three times | never |
/// | `nextExpiry` | O(1) | never |
/// | timers at least 2³² ticks away | O(log n) of such timers | when the heap grows |
///
/// All costs are amortized: a call examines at most 62 entries for earlier cancellations. There is one exception. If
/// many timers are cancelled and scheduled again for the same tick, sweeping cannot tell their old and new entries
/// apart. With more than 2,048 entries plus four for each timer, one call goes through all of them.
public struct TimingWheel<Payload> : ~Copyable {

    /// A handle of a scheduled timer.
    ///
    /// The handle becomes stale when its timer expires or is cancelled. A stale handle has no effect, however long it is
    /// kept, because no generation of a node is used twice. A handle is valid only for the wheel that returned it.
    ///
    /// ```swift
    /// var wheel = TimingWheel<String>()
    /// var timeouts: [String: TimingWheel<String>.Handle] = [:]
    /// timeouts["host-1"] = wheel.schedule("host-1", at: 500)
    /// if let timeout = timeouts.removeValue(forKey: "host-1") { wheel.cancel(timeout) }
    /// ```
    public struct Handle : Hashable, Sendable {
    }

    /// Creates an empty wheel.
    ///
    /// - Parameter now: The current tick; `UInt64.max` counts as the tick before.
    @inlinable public init(now: UInt64 = 0)

    @inlinable deinit
}

extension TimingWheel {

    /// Advances the wheel to a tick and passes each expired timer to a closure.
    ///
    /// The closure may use the wheel through its first parameter: it may schedule, cancel and reschedule timers, and
    /// even assign another wheel. Assigning another wheel ends this call; the old wheel continues where it is advanced
    /// next. The timer that the closure receives has already left the wheel, so cancelling it returns `nil`. A timer
    /// that the closure schedules for a later tick of this call expires in this call; one for a tick that has passed
    /// expires after the wheel has advanced further.
    ///
    /// - Parameters:
    ///   - now: The current tick. A tick before ``now`` counts as ``now``.
    ///   - limit: The maximum number of entries to examine, so that very many timers on one tick cannot block the
    ///     caller; values below 1 count as 1. The next call continues where the limit stopped this one.
    ///   - expire: Receives each expired timer. It must not advance the same wheel; doing so traps.
    /// - Returns: Whether all due timers have expired.
    /// - Throws: What the closure throws. The timer it received is gone; all others expire in the next call.
    /// - Complexity: O(expired timers + occupied slots passed), amortized; each timer moves at most three times.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimingWheel<Payload>, consuming HeadwayTime.ExpiredTimer<Payload>) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.AdvanceResult where Failure : Error
}

extension TimingWheel {

    /// The tick at which to advance next: no timer expires before it.
    ///
    /// The value is the exact earliest deadline if that deadline
    /// - is in the same block of 256 ticks as ``now``, or
    /// - is at least 2³² ticks away, or
    /// - is in a slot of at most 31 entries, and at most four slots before it hold only cancelled or moved timers.
    ///
    /// Otherwise the value may be earlier than the deadline; advancing to it always makes progress. The value is
    /// ``now`` if a timer is due or a limit cut an advance short, `nil` if no timer is scheduled, and `UInt64.max` if
    /// none of the scheduled timers will ever expire.
    ///
    /// - Complexity: O(1) amortized: one chunk of 31 entries on each level, and at most four more on each level but the
    ///   lowest to remove the entries of cancelled and moved timers.
    @inlinable public var nextExpiry: UInt64? { mutating get }
}

extension TimingWheel {

    /// Releases the memory that the scheduled timers do not need.
    ///
    /// A wheel keeps the memory of timers that have expired or were cancelled, for later ones. Call this method after an
    /// unusually large number of timers. It moves no timer, so a block of 1,024 timers is released when none of them is
    /// scheduled. All handles stay valid, and stale ones stale. Inside the closure of `advance` it does nothing.
    ///
    /// ```swift
    /// var wheel = TimingWheel<Int>()
    /// let handles = (0..<100_000).map { wheel.schedule($0, at: 500) }
    /// for handle in handles.dropFirst() { wheel.cancel(handle) }
    /// wheel.shrinkToFit()  // 3 MB less
    /// let left = wheel.cancel(handles[0])  // 0
    /// ```
    ///
    /// - Complexity: O(n), where n is the largest number of timers since the last call.
    public mutating func shrinkToFit()
}

extension TimingWheel {

    /// The current tick.
    @inlinable public var now: UInt64 { get }

    /// The exact number of scheduled timers.
    ///
    /// - Complexity: O(1).
    @inlinable public var count: Int { get }

    /// Whether no timer is scheduled.
    @inlinable public var isEmpty: Bool { get }

    /// Schedules a timer.
    ///
    /// A wheel holds at most 4,294,967,295 timers at once.
    ///
    /// - Parameters:
    ///   - payload: The value that `advance` returns when the timer expires.
    ///   - deadline: The tick at which the timer expires; `UInt64.max` means never. A timer whose deadline has passed
    ///     expires in the next `advance`, never inside this call. If it is scheduled inside an `advance`, it waits until
    ///     the wheel advances further, so that a timer that reschedules itself cannot block that call.
    /// - Returns: A handle that cancels or reschedules the timer.
    /// - Complexity: O(1) amortized; O(log n) for a deadline at least 2³² ticks away.
    @discardableResult
    @inlinable public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> HeadwayTime.TimingWheel<Payload>.Handle

    /// Cancels a timer.
    ///
    /// - Parameter handle: The handle of the timer.
    /// - Returns: The payload, or `nil` if the timer has expired or was cancelled before.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func cancel(_ handle: HeadwayTime.TimingWheel<Payload>.Handle) -> Payload?

    /// Changes the deadline of a scheduled timer.
    ///
    /// Moving a deadline to a later tick is a single write. Use this method to extend an idle time-out whenever there is
    /// activity.
    ///
    /// - Parameters:
    ///   - handle: The handle of the timer; it stays valid.
    ///   - deadline: The new deadline, as for ``schedule(_:at:)``.
    /// - Returns: Whether the timer was still scheduled; a stale handle changes nothing.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func reschedule(_ handle: HeadwayTime.TimingWheel<Payload>.Handle, to deadline: UInt64) -> Bool

    /// Returns the deadline of a scheduled timer.
    ///
    /// - Parameter handle: The handle of the timer.
    /// - Returns: The deadline, or `nil` if the timer has expired or was cancelled.
    /// - Complexity: O(1).
    @inlinable public func deadline(of handle: HeadwayTime.TimingWheel<Payload>.Handle) -> UInt64?

    /// Cancels all timers.
    ///
    /// - Parameter body: Receives each payload, in no particular order. It cannot use the wheel.
    /// - Complexity: O(n), where n is the largest number of timers that were ever scheduled at once.
    @inlinable public mutating func removeAll(_ body: (consuming Payload) -> Void = { _ in })
}

extension TimingWheel : @unchecked Sendable where Payload : Sendable {
}

/// Runs a closure with a time limit, and cancels it when the time limit passes.
///
/// ```swift
/// let page = try await withDeadline(in: .seconds(5)) {
///   try await download(url)
/// }
/// ```
///
/// - If the closure returns a value, this function returns it, even after the deadline.
/// - If the closure throws an error before the deadline, or if the caller is cancelled, the error is rethrown.
/// - If the closure throws any error after the deadline has cancelled it, this function throws ``DeadlineExceeded`` with that
///   error as its ``DeadlineExceeded/underlying``. Libraries have errors of their own for a cancellation, such as `URLError`.
///
/// The limit counts from the call, however late the closure begins, such as on a busy actor.
///
/// This function always waits for the closure to end, so a closure that does not respond to cancellation can exceed the
/// limit. For a function that blocks and cannot be cancelled, use a ``TimeoutRunner``. The cancellation handlers of the
/// closure run on the thread of the timers, so a handler that blocks delays all deadlines. Of nested deadlines the
/// earliest one applies, because it also cancels the inner closures.
///
/// The closure runs on the caller's actor and may use values that are not `Sendable`. It runs in a child task, so
/// cancelling it does not cancel the caller. The child has the caller's priority, task-local values and executor, and
/// is cancelled with the caller.
///
/// The names follow Swift Evolution proposal SE-0526, which is not part of Swift 6.3. There, the error of the closure is
/// rethrown unchanged, and its `CancellationError` has the deadline as its reason. In Swift 6.3 no error has a reason, so
/// ``DeadlineExceeded`` contains it.
///
/// - Parameters:
///   - limit: The time that the closure may take. If it is zero or less, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
/// - Complexity: O(1): one timer and one child task.
@inlinable public func withDeadline<C, Result>(in limit: Duration, tolerance: Duration? = nil, clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result) async throws -> Result where C : Clock, C.Duration == Duration

/// Runs a closure for at most a certain time, and cancels it then: `withDeadline(in:)` with fewer words.
///
/// ```swift
/// let page = try await withDeadline(.seconds(5)) { try await download("index.html") }
/// ```
///
/// - Parameters:
///   - limit: The time that the closure may take. If it is zero or less, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
/// - Complexity: O(1).
@inlinable public func withDeadline<C, Result>(_ limit: Duration, tolerance: Duration? = nil, clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result) async throws -> Result where C : Clock, C.Duration == Duration

/// Runs a closure until an instant of a clock, and cancels it at that instant.
///
/// Except for the deadline this is `withDeadline(in:)`. Pass one instant to several calls to let them share a deadline.
///
/// - Parameters:
///   - deadline: The instant. If it has passed, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock of the instant, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
/// - Complexity: O(1).
@inlinable public func withDeadline<C, Result>(_ deadline: C.Instant, tolerance: Duration? = nil, clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result) async throws -> Result where C : Clock, C.Duration == Duration

