import CTime
import HeadwayLock
import Synchronization

/// How far an `advance` came.
@frozen public enum AdvanceResult : Hashable, Sendable {

    /// Every timer whose deadline has come has expired.
    case caughtUp

    /// The limit was reached before that: the next call goes on there.
    case limitReached
}

/// A task for a `TimeoutRunner`: a function that blocks, and the key that tells it from others.
///
/// ```swift
/// struct Lookup: BlockingTask {
///   let key: String
///   func run() throws -> Address { try resolve(key) }
/// }
/// let address = try await runner.run(Lookup(key: "example.org"))
/// ```
public protocol BlockingTask<Key, Value> : Sendable {

    /// What tells tasks apart.
    associatedtype Key : Hashable, Sendable

    /// What the function returns.
    associatedtype Value : Sendable

    /// The key.
    var key: Self.Key { get }

    /// The function. It may block for as long as it likes, and is called on a thread of the runner.
    ///
    /// - Returns: The result.
    /// - Throws: Whatever it fails with.
    func run() throws -> Self.Value
}

/// Where a completion handler runs: an actor, a task executor, a queue, or the runner's own thread.
///
/// Results and time-outs alike are handed to it, from whichever thread they arise on.
///
/// ```swift
/// try runner.submit("a", on: .main) { work() } completion: { label.show($0) }
/// try runner.submit("b", on: .actor(cache)) { work() } completion: { log($0) }
/// try runner.submit("c", on: CompletionExecutor { queue.async(execute: $0) }) { work() } completion: { log($0) }
/// ```
public struct CompletionExecutor : Sendable {

    /// Creates an executor from a function that hands work on, such as that of a dispatch queue or an event
    /// loop.
    ///
    /// - Parameter enqueue: Sees to it that its argument is called once. It is called on threads of the runner
    ///   and of its timers, and on that of the submitter; it should neither block nor call the argument itself.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)

    /// The main actor.
    public static let main: HeadwayTime.CompletionExecutor

    /// An actor; the order of two completions is the actor's choice.
    ///
    /// - Parameter actor: The actor, which is kept until its last completion has run.
    /// - Returns: Its executor.
    public static func actor(_ actor: some Actor) -> HeadwayTime.CompletionExecutor

    /// A task executor, for example an event loop.
    ///
    /// - Parameter executor: The executor.
    /// - Returns: The executor for completions.
    public static func executor(_ executor: some TaskExecutor) -> HeadwayTime.CompletionExecutor
}

/// The error of a body that was cancelled because its deadline had passed.
public struct DeadlineExceeded : Error, Hashable, Sendable, CustomStringConvertible {

    /// How long the body was allowed to take, from the call on: for an instant, what was left until then.
    public let limit: Duration

    /// Creates the error.
    ///
    /// - Parameter limit: How long the body was allowed to take.
    public init(limit: Duration)

    /// The error in words.
    public var description: String { get }
}

/// A timer that has expired, as the callback of an advance gets it.
public struct ExpiredTimer<Payload> {

    /// What it carries.
    public let payload: Payload

    /// The tick at which it was to expire.
    public let deadline: UInt64
}

extension ExpiredTimer : Sendable where Payload : Sendable {
}

/// What a runner does when a key is submitted again while its function is queued or running.
public enum RepeatedKeyPolicy : Hashable, Sendable {

    /// The new caller waits for the same function, until its own deadline. Its own function is not run.
    ///
    /// A function that is stuck is running: who joins it times out unless it returns. In exchange a key never
    /// holds more than one thread, unless the function is started again.
    case join

    /// The earlier callers fail with ``TimeoutRunnerError/replaced(key:)`` at once, and the new function is
    /// run.
    ///
    /// A function that waits for a thread is never started then, and the new one takes its place. One that runs
    /// goes on, and its result is late.
    case replace

    /// The new submission throws ``TimeoutRunnerError/refused(key:)``.
    case refuse
}

/// Whether a runner starts a function again that has not returned by its deadline.
public enum RestartPolicy : Hashable, Sendable {

    /// It is started once.
    case never

    /// It is started again with the same time-out, at most so many times, while the first call goes on as a
    /// stuck one.
    ///
    /// A caller waits `limit + 1` times its time-out in all, if the function runs by its first one, and gets
    /// the result of whichever call returns first. Nothing is started again while more functions are stuck than
    /// allowed.
    case again(limit: Int)
}

/// How a deadline found the function when it passed.
///
/// `TimeoutRunner.run` throws it; a completion handler finds it in its outcome.
public enum TimeOut : Error, Hashable, Sendable, CustomStringConvertible {

    /// No thread was free by then: the function was not started for this caller and will not be.
    case queued

    /// The function was running, and goes on: it cannot be stopped. It was started as often as this says.
    case running(attempts: Int)

    /// The time-out in words.
    public var description: String { get }
}

/// The limits of a `TimeoutRunner` that says nothing else.
public enum TimeoutDefaults {

    /// Threads: twice the number of processors, because functions that block seldom use one, and at least four.
    public static let threads: Int

    /// Stuck functions: few enough for any system's limit of threads.
    public static let stuckLimit: Int

    /// Tasks in the queue: nearly a kilobyte each, so less than 100 megabytes.
    public static let queueLimit: Int
}

/// Timers that all wait equally long, for example the idle time-outs of many connections.
///
/// ```swift
/// var lane = TimeoutLane<String>(duration: 30)
/// let handle = lane.schedule("connection 7", now: 0)
/// lane.nextExpiry                        // 30
/// lane.restart(handle, now: 12)          // true: there was traffic
/// lane.advance(to: 42) { lane, expired in print("\(expired.payload) was idle") }
/// ```
///
/// Where durations differ, use one lane for each, or a timing wheel.
///
/// Not thread safe: one owner at a time. Time is whatever the caller counts; it never goes back, an earlier
/// time is read as the latest one seen.
public struct TimeoutLane<Payload> : ~Copyable {

    /// Names one armed timer; once that has expired or was cancelled, the handle is stale and does nothing.
    ///
    /// It is good for the lane that returned it and for no other.
    public struct Handle : Hashable, Sendable {
    }

    /// A timer that has expired, as `advance(to:limit:expire:)` hands it out.
    public typealias Expired = HeadwayTime.ExpiredTimer<Payload>

    /// How long every timer waits, in ticks.
    public let duration: UInt64

    /// Creates a lane with nothing armed.
    ///
    /// - Parameters:
    ///   - duration: How many ticks every timer waits. With 0 a timer expires at the next advance.
    ///   - now: The current tick.
    @inlinable public init(duration: UInt64, now: UInt64 = 0)
}

extension TimeoutLane {

    /// Goes on in time and hands out each timer whose deadline has come, the earliest first.
    ///
    /// The callback may schedule, cancel and restart timers through its first parameter, and may put another
    /// lane in its place, with which this call is over. It must not advance the lane. A timer that it arms or
    /// restarts waits for a later call even when it is due at once. When it throws, the timer that it was
    /// handed is gone and the others wait for the next call.
    ///
    /// - Parameters:
    ///   - now: The current tick; one before the latest tick seen is read as that.
    ///   - limit: How many timers to hand out at most; below 1 counts as 1.
    ///   - expire: What to do with an expired timer.
    /// - Returns: Whether the limit held back a timer that is due.
    /// - Throws: What `expire` throws.
    /// - Complexity: O(1) for each timer that is handed out, averaged over the calls, however far time goes.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimeoutLane<Payload>, consuming HeadwayTime.TimeoutLane<Payload>.Expired) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.AdvanceResult where Failure : Error
}

extension TimeoutLane : @unchecked Sendable where Payload : Sendable {
}

extension TimeoutLane {

    /// The latest tick that the lane has been told of.
    ///
    /// - Complexity: O(1).
    @inlinable public var now: UInt64 { get }

    /// The number of armed timers.
    ///
    /// - Complexity: O(1).
    @inlinable public var count: Int { get }

    /// Whether nothing is armed.
    ///
    /// - Complexity: O(1).
    @inlinable public var isEmpty: Bool { get }

    /// The earliest deadline, exactly; nil when nothing is armed.
    ///
    /// It can lie in the past when time has gone on and `advance(to:limit:expire:)` has not been called yet.
    ///
    /// - Complexity: O(1).
    @inlinable public var nextExpiry: UInt64? { get }

    /// The number of bytes that the lane has allocated for timers.
    ///
    /// It grows with the most timers that were ever armed at once, and does not shrink.
    ///
    /// - Complexity: O(1).
    public var memoryFootprint: Int { get }

    /// Looks up when a timer expires.
    ///
    /// - Parameter handle: What `schedule(_:now:)` returned.
    /// - Returns: The tick, or nil when the handle is stale.
    /// - Complexity: O(1).
    @inlinable public func deadline(of handle: HeadwayTime.TimeoutLane<Payload>.Handle) -> UInt64?

    /// Arms a timer that expires after the duration of the lane.
    ///
    /// - Parameters:
    ///   - payload: What the callback of `advance(to:limit:expire:)` is handed.
    ///   - now: The current tick. A sum beyond the last tick is read as the last tick.
    /// - Returns: The handle that cancels or restarts the timer.
    /// - Complexity: O(1), averaged over the calls; without allocation once the lane has been as full.
    @discardableResult
    @inlinable public mutating func schedule(_ payload: consuming Payload, now: UInt64) -> HeadwayTime.TimeoutLane<Payload>.Handle

    /// Disarms a timer and gives its payload back.
    ///
    /// - Parameter handle: What `schedule(_:now:)` returned.
    /// - Returns: The payload, which the lane no longer holds; nil when the handle is stale.
    /// - Complexity: O(1), averaged over the calls.
    @discardableResult
    @inlinable public mutating func cancel(_ handle: HeadwayTime.TimeoutLane<Payload>.Handle) -> Payload?

    /// Lets a timer wait its full duration again, from now on: there was traffic.
    ///
    /// The handle stays good. Restarted twice in one tick, the second call finds nothing to do.
    ///
    /// - Parameters:
    ///   - handle: What `schedule(_:now:)` returned.
    ///   - now: The current tick.
    /// - Returns: Whether the timer was still armed.
    /// - Complexity: O(1), averaged over the calls; without allocation once the lane has been as full.
    @discardableResult
    @inlinable public mutating func restart(_ handle: HeadwayTime.TimeoutLane<Payload>.Handle, now: UInt64) -> Bool
}

/// Runs functions that block and cannot be cancelled, and answers each caller exactly once: by its deadline
/// at the latest.
///
/// ```swift
/// let runner = TimeoutRunner<String, Address>(timeout: .seconds(10))
/// let address = try await runner.run("example.org") { try resolve("example.org") }
///
/// try runner.submit("example.org", on: .main) {
///   try resolve("example.org")
/// } completion: { outcome in
///   switch outcome {
///   case .finished(let address): show(address)
///   case .failed(let error): show(error)
///   case .timedOut(let timeOut): show(timeOut)
///   }
/// }
/// ```
///
/// For asynchronous work, which can be cancelled, use `withDeadline(in:)`.
///
/// **Answers.** A caller is told one thing, once: the function's value, its error, or that the deadline has
/// passed. The deadline counts from the submission. A function that has no thread by then is never started,
/// and ``TimeOut/queued`` says so. One that is running goes on, as nothing can stop it; when it returns with
/// nobody to answer, its result goes to the handler for late results and is counted. A result that comes at
/// the deadline or after it is late, whichever thread was first. Completions run on the executor that the
/// caller names, results and time-outs alike, and never inside `submit` or a lock (but inside `submit` where the system has no
/// thread left for them).
///
/// **Threads.** Functions run on threads of the runner alone, never on those of Swift's tasks. They start
/// when they are needed, at most as many as the configuration allows, and then stay and sleep until the
/// runner ends. A function that is past its deadline is *stuck*: it is listed in ``stuck``, keeps its thread,
/// and another thread may take its place, so that it does not starve the others. When more are stuck than
/// `stuckLimit`, no new function is taken: `submit` throws ``TimeoutRunnerError/tooManyStuck(limit:keys:)``,
/// and what is queued is left to the threads that remain, or times out. So there are never more than `threads
/// + stuckLimit` threads. The thread of a stuck function that returns after all ends, or takes the place of
/// one that is missing.
///
/// **Keys.** What happens to a key that is queued or running already is the choice of ``RepeatedKeyPolicy``.
/// A key that is not used again costs nothing after its answer.
///
/// **The end.** A runner that is shut down or dropped answers who waits with ``TimeoutRunnerError/shutDown``,
/// queued or running. Running functions go on to their end, their results are late, and then their threads
/// end. No thread is killed.
///
/// All members are safe from any thread, inside functions and completions too. A submission costs a few short
/// locks and a timer.
final public class TimeoutRunner<Key, Value> : Sendable where Key : Hashable, Key : Sendable, Value : Sendable {

    /// The one thing that a caller is told.
    public enum Outcome : Sendable {

        /// The function has returned in time.
        case finished(Value)

        /// The function has thrown in time, or the runner could not keep the submission: ``TimeoutRunnerError``.
        case failed(any Error)

        /// The deadline has passed.
        case timedOut(HeadwayTime.TimeOut)

        /// Returns the value, or throws what has come in its place.
        ///
        /// - Returns: The value of the function.
        /// - Throws: The error, or the ``TimeOut``.
        public func get() throws -> Value
    }

    /// Creates a runner; its threads start with the first submissions.
    ///
    /// - Parameter configuration: What it may use, and its policies. `threads` must be at least 1, the limits
    ///   must not be negative.
    public init(_ configuration: HeadwayTime.TimeoutRunner<Key, Value>.Configuration)

    /// Creates a runner with the usual configuration.
    ///
    /// - Parameter timeout: How long a caller waits that says nothing else.
    public convenience init(timeout: Duration)

    deinit

    /// Submits a function and tells a handler the outcome.
    ///
    /// - Parameters:
    ///   - key: What tells the function from others.
    ///   - timeout: How long the caller waits from now on; nil is what the configuration says. Zero and less
    ///     has passed already: the handler is told ``TimeOut/queued``, and nothing is run.
    ///   - executor: Where the handler runs; nil is what the configuration says.
    ///   - body: The function, called on a thread of the runner.
    ///   - completion: The handler, called once.
    /// - Throws: ``TimeoutRunnerError`` when the submission is not taken; then the handler is not called.
    /// - Complexity: O(1).
    public func submit(_ key: Key, timeout: Duration? = nil, on executor: HeadwayTime.CompletionExecutor? = nil, body: @escaping @Sendable () throws -> Value, completion: @escaping @Sendable (HeadwayTime.TimeoutRunner<Key, Value>.Outcome) -> Void) throws(HeadwayTime.TimeoutRunnerError)

    /// Submits a task and tells a handler the outcome.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
    ///   - executor: Where the handler runs; nil is what the configuration says.
    ///   - completion: The handler, called once.
    /// - Throws: ``TimeoutRunnerError`` when the submission is not taken; then the handler is not called.
    /// - Complexity: O(1).
    public func submit<Task>(_ task: Task, timeout: Duration? = nil, on executor: HeadwayTime.CompletionExecutor? = nil, completion: @escaping @Sendable (HeadwayTime.TimeoutRunner<Key, Value>.Outcome) -> Void) throws(HeadwayTime.TimeoutRunnerError) where Key == Task.Key, Value == Task.Value, Task : HeadwayTime.BlockingTask

    /// Runs a function and waits for it without holding the caller's thread.
    ///
    /// A cancelled caller stops waiting at once. A function that runs goes on then, and its result is late; one
    /// that is queued and that nobody else waits for is never started. A caller that is cancelled before is not
    /// submitted.
    ///
    /// - Parameters:
    ///   - key: What tells the function from others.
    ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
    ///   - body: The function, called on a thread of the runner.
    /// - Returns: What the function returns.
    /// - Throws: What the function throws, ``TimeOut``, ``TimeoutRunnerError``, or `CancellationError`.
    /// - Complexity: O(1).
    public func run(_ key: Key, timeout: Duration? = nil, body: @escaping @Sendable () throws -> Value) async throws -> Value

    /// Runs a task and waits for it without holding the caller's thread.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - timeout: How long the caller waits from now on; nil is what the configuration says.
    /// - Returns: What the task's function returns.
    /// - Throws: What the function throws, ``TimeOut``, ``TimeoutRunnerError``, or `CancellationError`.
    /// - Complexity: O(1).
    public func run<Task>(_ task: Task, timeout: Duration? = nil) async throws -> Value where Key == Task.Key, Value == Task.Value, Task : HeadwayTime.BlockingTask

    /// The numbers of the runner at this moment, all of the same moment.
    ///
    /// - Complexity: O(1).
    public var statistics: HeadwayTime.TimeoutStatistics { get }

    /// The functions that are past their deadline and have not returned, the longest overdue first.
    ///
    /// - Complexity: O(n log n) in the functions that run.
    public var stuck: [HeadwayTime.TimeoutRunner<Key, Value>.StuckFunction] { get }

    /// Ends the runner: answers who waits, starts nothing more, and lets each thread end when it is free.
    ///
    /// What is submitted afterwards is refused. Doing it twice does nothing more.
    ///
    /// - Complexity: O(n log n) in the callers that wait.
    public func shutDown()
}

extension TimeoutRunner {

    /// What a runner may use, and its policies.
    public struct Configuration : Sendable {

        /// How long a caller waits that says nothing else.
        public var timeout: Duration

        /// The most functions that run at once, stuck ones aside; twice the number of processors, and at least
        /// four, by default.
        public var threads: Int

        /// The most stuck functions whose thread is replaced by another, 64 by default; while there are more,
        /// nothing is taken.
        public var stuckLimit: Int

        /// The most tasks that wait for a thread; 100,000 by default, each of which is nearly a kilobyte.
        public var queueLimit: Int

        /// What a key does that is queued or running already; `join` by default.
        public var repeatedKey: HeadwayTime.RepeatedKeyPolicy

        /// Whether a function is started again after a time-out; `never` by default.
        public var restart: HeadwayTime.RestartPolicy

        /// Where completions run that name no executor; by default a thread of the runner's own, one after the
        /// other.
        public var executor: HeadwayTime.CompletionExecutor?

        /// The timers, which must not be shut down before the runner.
        public var timers: HeadwayTime.TimerService

        /// What is told the results that answer nobody; it runs where completions run that name no executor.
        public var lateResult: (@Sendable (HeadwayTime.TimeoutRunner<Key, Value>.LateResult) -> Void)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - timeout: How long a caller waits that says nothing else.
        ///   - threads: The most functions that run at once, stuck ones aside.
        ///   - stuckLimit: The most stuck functions whose thread is replaced by another.
        ///   - queueLimit: The most tasks that wait for a thread.
        ///   - repeatedKey: What a key does that is queued or running already.
        ///   - restart: Whether a function is started again after a time-out.
        ///   - executor: Where completions run that name no executor.
        ///   - timers: The timers.
        ///   - lateResult: What is told the results that answer nobody.
        public init(timeout: Duration, threads: Int = TimeoutDefaults.threads, stuckLimit: Int = TimeoutDefaults.stuckLimit, queueLimit: Int = TimeoutDefaults.queueLimit, repeatedKey: HeadwayTime.RepeatedKeyPolicy = .join, restart: HeadwayTime.RestartPolicy = .never, executor: HeadwayTime.CompletionExecutor? = nil, timers: HeadwayTime.TimerService = .continuous, lateResult: (@Sendable (HeadwayTime.TimeoutRunner<Key, Value>.LateResult) -> Void)? = nil)
    }

    /// What a function returned when nobody waited for it any longer.
    public struct LateResult : Sendable {

        /// The key of the function.
        public let key: Key

        /// Which start of the function it was, from 1.
        public let attempt: Int

        /// What it returned or threw.
        public let outcome: HeadwayTime.TimeoutRunner<Key, Value>.Outcome

        /// How long after its deadline it came; zero when it was in time, but its callers had been answered
        /// otherwise.
        public let overdue: Duration
    }

    /// A function that has not returned by its deadline.
    public struct StuckFunction : Sendable {

        /// The key of the function.
        public let key: Key

        /// Which start of the function it is, from 1.
        public let attempt: Int

        /// How long it has run.
        public let running: Duration

        /// How long its deadline has passed.
        public let overdue: Duration
    }
}

/// Why a runner does not take or does not keep a submission.
///
/// Later versions may add cases: a `switch` over it needs `@unknown default`.
@nonexhaustive public enum TimeoutRunnerError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The key is queued or running, and the policy is to refuse it.
    case refused(key: String)

    /// A later submission of the same key has taken the place, as the policy says.
    case replaced(key: String)

    /// More functions are stuck than allowed. Of their keys come the ten that are longest overdue.
    case tooManyStuck(limit: Int, keys: [String])

    /// As many tasks as allowed wait for a thread.
    case queueFull(limit: Int)

    /// The runner was shut down or dropped.
    case shutDown

    /// The system has no thread left, and the runner has none.
    case noThread

    /// The error in words, with what to do about it.
    public var description: String { get }
}

/// The numbers of a `TimeoutRunner`, all of the same moment.
///
/// Every submission is in exactly one of the numbers from `finished` to `noThread`, or is `waiting`: together
/// they are `submitted`.
public struct TimeoutStatistics : Hashable, Sendable {

    /// Calls of `submit` and `run`, but for those that were cancelled before.
    public let submitted: Int

    /// Callers that were told a value.
    public let finished: Int

    /// Callers that were told the function's error.
    public let failed: Int

    /// Callers whose deadline passed before a thread was free.
    public let timedOutQueued: Int

    /// Callers whose deadline passed while the function ran.
    public let timedOutRunning: Int

    /// Submissions that were not taken.
    public let refused: Int

    /// Callers whose place a later submission of the same key has taken.
    public let replaced: Int

    /// Callers that were cancelled.
    public let cancelled: Int

    /// Callers that were waiting when the runner was shut down.
    public let shutDown: Int

    /// Callers for whom the system had no thread.
    public let noThread: Int

    /// Callers that wait for their answer now.
    public let waiting: Int

    /// Submissions that joined a function that was queued or running.
    public let joined: Int

    /// Calls of functions, those after a time-out among them.
    public let started: Int

    /// Calls of functions after a time-out.
    public let restarted: Int

    /// Functions that returned with nobody to answer.
    public let late: Int

    /// Functions that wait for a thread now.
    public let queued: Int

    /// Functions that run now, stuck ones among them.
    public let running: Int

    /// Functions that run now and are past their deadline.
    public let stuck: Int

    /// The threads that functions run on.
    public let threads: Int
}

/// A clock that has a timer service of its own, which `withDeadline` uses.
///
/// `ContinuousClock` and `SuspendingClock` have one for the whole process. A clock without one gets a service
/// for each call, with a wheel of its own: one that is used often should conform.
public protocol TimerClock : Clock where Self.Duration == Duration {

    /// The service of the clock.
    var timers: HeadwayTime.TimerService { get }
}

/// Timers on a clock, for any number of threads and tasks: one sleeping thread however many there are.
///
/// ```swift
/// let timers = TimerService.continuous
/// let token = timers.schedule(after: .seconds(30)) { connection.close() }
/// token.reschedule(after: .seconds(30))   // a sign of life
/// token.cancel()                          // true: it will not run
/// try await timers.sleep(for: .milliseconds(20))
/// ```
///
/// For a limit on a piece of asynchronous work use `withDeadline(in:)`, for one on a function that blocks
/// `TimeoutRunner`.
///
/// **Contract.** An action runs never before its time, and at most one tick after it when the machine is not
/// busy. It runs once, unless it is cancelled; a cancellation that comes while timers fire has exactly one
/// winner, and says who it was. Actions run one after the other, outside all locks: on the service's thread, on
/// another clock in the task that sleeps on it, on a virtual clock in whoever advances it. Let them be short
/// and hand longer work on. Scheduling and cancelling take one short lock and cost no
/// allocation beyond the action's own. All members are safe from any thread and inside actions.
///
/// **Design.** Eight timing wheels, each behind a lock of its own, so that threads seldom meet; the token knows
/// which. An empty one takes about 40 kB. The thread sleeps until the earliest deadline of all and is set anew only for an
/// earlier one, so a timer that is cancelled in time costs no system call. When it wakes, it takes what has
/// expired in batches and runs them with no lock held.
///
/// A service that is dropped or shut down runs nothing more: what is scheduled is released, who sleeps is
/// cancelled.
final public class TimerService : Sendable {

    /// The service of `ContinuousClock`, whose time goes on while the machine sleeps.
    ///
    /// It lives as long as the process.
    public static let continuous: HeadwayTime.TimerService

    /// The service of `SuspendingClock`, whose time stands still while the machine sleeps.
    ///
    /// It lives as long as the process.
    public static let suspending: HeadwayTime.TimerService

    /// Creates a service on a clock.
    ///
    /// - Parameters:
    ///   - clock: The clock, for example `ContinuousClock()`, or a virtual clock in tests. The machine's clocks
    ///     cost one thread, started with the first timer; any other a task that sleeps on it.
    ///   - tick: How exact the timers are: deadlines are rounded up to a whole number of these. At least a
    ///     nanosecond.
    public convenience init<C>(clock: C, tick: Duration = .milliseconds(1)) where C : Clock, C.Duration == Duration

    deinit

    /// The number of timers that are scheduled, sleepers and deadlines among them.
    ///
    /// - Complexity: O(shards).
    public var count: Int { get }

    /// Schedules an action.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero and less is at once, though never inside this call; what is too far
    ///     for the clock is never.
    ///   - tolerance: How much later it may run. The time is moved to a rounder one within it, where it may
    ///     meet others and save a wake-up.
    ///   - action: What to do, on the service's thread. It must not block.
    /// - Returns: What cancels or moves it. It may be dropped: the timer stays.
    /// - Complexity: O(1).
    @discardableResult
    public func schedule(after delay: Duration, tolerance: Duration = .zero, _ action: @escaping @Sendable () -> Void) -> HeadwayTime.TimerToken

    /// Sleeps without holding a thread.
    ///
    /// - Parameters:
    ///   - duration: How long. Zero and less is not at all.
    ///   - tolerance: How much longer it may be.
    /// - Throws: `CancellationError`, at once when the task is cancelled, or when the service is shut down.
    public func sleep(for duration: Duration, tolerance: Duration = .zero) async throws

    /// Ends the service: releases what is scheduled without running it, and cancels who sleeps.
    ///
    /// What is scheduled afterwards never runs, and its token says that it is not scheduled. The shared
    /// services cannot be shut down.
    ///
    /// - Returns: How many timers were still scheduled.
    /// - Complexity: O(timers).
    @discardableResult
    public func shutDown() -> Int
}

/// One timer of a service: what cancels and moves it.
///
/// Safe from any thread. It keeps neither the service nor the action.
public struct TimerToken : Sendable {

    /// Cancels the timer.
    ///
    /// - Returns: Whether it was still scheduled: then its action will not run, and has been released. If not,
    ///   it has run, is about to, was cancelled before, or the service was shut down.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool

    /// Moves the timer to a new time, counted from now.
    ///
    /// - Parameter delay: How long to wait from now; the tolerance it was scheduled with no longer counts.
    /// - Returns: Whether it was still scheduled; if not, nothing happens.
    /// - Complexity: O(1); to a later time one write under the lock.
    @discardableResult
    public func reschedule(after delay: Duration) -> Bool

    /// Whether the timer is scheduled.
    ///
    /// - Complexity: O(1).
    public var isScheduled: Bool { get }
}

/// Timers by the million, on plain integer ticks: schedule, cancel and reschedule in constant time.
///
/// A wheel knows no clock. Whoever holds it says what time it is, and is told which timers have expired:
///
/// ```swift
/// var wheel = TimingWheel<String>()
/// let fetch = wheel.schedule("fetch", at: 500)
/// wheel.schedule("ping", at: 90)
/// wheel.nextExpiry                                  // 90
/// wheel.advance(to: 100) { wheel, timer in
///   print(timer.payload)                            // ping
///   wheel.schedule("ping", at: timer.deadline + 90)  // the wheel may be used in here
/// }
/// wheel.cancel(fetch)                               // "fetch"
/// wheel.cancel(fetch)                               // nil: it is gone, and nothing happens
/// ```
///
/// **Contract.** A timer expires never before its deadline, in the first `advance` to it or past it, exactly
/// once, unless it is cancelled. Timers expire in the order of their deadlines; those of one tick in no
/// promised order, though always the same for the same calls. Those whose deadline had come when they were
/// armed expire first in the next `advance`, in no promised order either. Time never goes back: an earlier
/// `now` counts as the present one. All ticks up to `UInt64.max - 1` are right; `UInt64.max` is never: no
/// timer expires then, and as `now` it counts as the tick before. Not thread safe: one owner at a time; a
/// `TimerService` shares wheels.
///
/// **Design.** A hierarchical timing wheel (Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*,
/// 1987) of four levels with 256 slots each. A timer whose deadline is fewer than 256 ticks away stands on
/// level 0, in the slot of the deadline's lowest byte; one that is fewer than 65,536 away on level 1, in the
/// slot of its second byte; and so on. When the time comes to a slot of level 0, its timers expire; a slot of
/// a higher level is dealt out to the levels below:
///
/// ```
///                        deadline 00 01 2C 07       now 00 01 29 F0: 535 ticks to go
///                                        │
///  level 3  16,777,216 ticks a slot      │
///  level 2      65,536                   │
///  level 1         256         · · · · · 2C · · ·   dealt out at 00 01 2C 00, to slot 07 of level 0
///  level 0           1         · 07 · · · · · · ·   expires   at 00 01 2C 07
///  far      2³² ticks away and more, in a heap: no slot ever stands for two times
/// ```
///
/// A slot is a list of chunks of packed 8-byte entries (`SlotChunks`) over a slab of nodes (`NodeSlab`). To cancel is
/// to free the node; the entry that is left behind finds that out when its slot comes due or is swept. When
/// there are more than three entries for each armed timer, and 1,024, a call sweeps one chunk of 31. To move
/// a deadline to a later one is a single write: the timer is filed anew when its old slot comes due. Occupied
/// slots are bits, so a jump costs what the slots on the way hold, however far it goes.
///
/// | operation | cost | allocates |
/// |---|---|---|
/// | `schedule` | O(1) | once in about 1,000 timers more than ever before |
/// | `cancel`, `reschedule` | O(1) | never |
/// | `advance` | O(expired + occupied slots passed), each timer within 2³² ticks is moved three times at most | never |
/// | `nextExpiry` | O(1) | never |
/// | beyond 2³² ticks | O(log n) of those beyond | the heap grows |
///
/// All are amortized: a call pays at most 31 looks for earlier cancellations. Only where many timers are
/// cancelled and armed again for the very same tick do entries pile up that sweeping cannot tell apart; with
/// more than four for each timer, and 2,048, one call goes through them all.
public struct TimingWheel<Payload> : ~Copyable {

    /// Names one armed timer.
    ///
    /// A handle whose timer has expired or was cancelled is stale: it does nothing and says so, for as long as
    /// it is kept, because no generation of a node is used twice. It belongs to the wheel that made it.
    public struct Handle : Hashable, Sendable {
    }

    /// A timer that has expired, as `advance` hands it out.
    public typealias Expired = HeadwayTime.ExpiredTimer<Payload>

    /// Creates a wheel without timers.
    ///
    /// - Parameter now: The present tick; `UInt64.max` counts as the one before.
    @inlinable public init(now: UInt64 = 0)

    @inlinable deinit
}

extension TimingWheel {

    /// Lets the time go on and hands out the timers that have expired.
    ///
    /// Inside the callback the wheel may be used through the parameter: to schedule, cancel, reschedule, or
    /// even to put another wheel in its place. With that this call is over, and the wheel that was there goes
    /// on wherever it is advanced next. What was handed out is out of the wheel: to cancel it says that it is
    /// gone. A timer that is scheduled for a tick still to come in this call expires in this call; one for a
    /// tick that has come does once the time goes on.
    ///
    /// - Parameters:
    ///   - now: The present tick. An earlier one than before counts as the present.
    ///   - limit: The most entries to look at, so that a great number on one tick cannot hold the caller up;
    ///     below 1 counts as 1. Where it ends a call, the next call goes on.
    ///   - expire: What to do with each timer. It must not advance the same wheel: that is a misuse and traps.
    /// - Returns: Whether everything that has come has expired.
    /// - Throws: What the callback throws. The timer that was handed out is gone; all others expire at the next
    ///   call.
    /// - Complexity: O(expired + occupied slots passed), amortized; each timer is dealt out three times at
    ///   most.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimingWheel<Payload>, consuming HeadwayTime.TimingWheel<Payload>.Expired) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.AdvanceResult where Failure : Error
}

extension TimingWheel {

    /// A tick that no timer expires before: the one to wake up at.
    ///
    /// It is the earliest deadline itself where that is in the same 256 ticks as `now`, which share all but the
    /// lowest byte, or at least 2³² ticks away, or where the slot that holds it has at most 31 entries
    /// and no more than four slots before it hold nothing but timers that were cancelled or moved;
    /// otherwise it may be earlier, and to advance to it always gets on. It is `now` when something is due or
    /// an advance was cut short, and nil when no timer is armed; `UInt64.max` says that of those that are armed
    /// none will ever expire.
    ///
    /// - Complexity: O(1) amortized: one chunk of 31 entries for each level, and those that have to be tidied
    ///   away because their timers were cancelled or moved, at most four more for each level but the lowest.
    @inlinable public var nextExpiry: UInt64? { mutating get }
}

extension TimingWheel {

    /// The tick that the wheel has come to.
    @inlinable public var now: UInt64 { get }

    /// The number of timers that are armed, to the one.
    ///
    /// - Complexity: O(1).
    @inlinable public var count: Int { get }

    /// Whether no timer is armed.
    @inlinable public var isEmpty: Bool { get }

    /// The bytes that the wheel has allocated; they are kept for later timers.
    ///
    /// - Complexity: O(1).
    public var memoryFootprint: Int { get }

    /// Arms a timer.
    ///
    /// - Parameters:
    ///   - payload: What `advance` hands out when the timer expires.
    ///   - deadline: The tick at which it expires, any; `UInt64.max` is never. One that has come already
    ///     expires at the next `advance`, never inside this call; armed inside an `advance`, it waits until the
    ///     time has gone on, so that a timer which arms itself anew cannot hold it up.
    /// - Returns: The handle that cancels or reschedules it.
    /// - Complexity: O(1) amortized; O(log n) for a deadline 2³² ticks away and more. At most 4,294,967,295 timers
    ///   at once.
    @discardableResult
    @inlinable public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> HeadwayTime.TimingWheel<Payload>.Handle

    /// Disarms a timer.
    ///
    /// - Parameter handle: What `schedule` returned.
    /// - Returns: The payload, which the wheel does not keep; nil when the timer has expired or was cancelled
    ///   before.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func cancel(_ handle: HeadwayTime.TimingWheel<Payload>.Handle) -> Payload?

    /// Moves the deadline of an armed timer.
    ///
    /// A later deadline is one write, so this is the way to keep an idle time-out away: call it at every sign
    /// of life.
    ///
    /// - Parameters:
    ///   - handle: What `schedule` returned; it stays valid.
    ///   - deadline: The new tick, any; like in `schedule`.
    /// - Returns: Whether the timer was armed; a stale handle changes nothing.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func reschedule(_ handle: HeadwayTime.TimingWheel<Payload>.Handle, to deadline: UInt64) -> Bool

    /// The tick at which a timer will expire.
    ///
    /// - Parameter handle: What `schedule` returned.
    /// - Returns: The deadline, nil when the timer has expired or was cancelled.
    /// - Complexity: O(1).
    @inlinable public func deadline(of handle: HeadwayTime.TimingWheel<Payload>.Handle) -> UInt64?

    /// Disarms all timers.
    ///
    /// - Parameter body: What to do with each payload, in no order. It cannot use the wheel.
    /// - Complexity: O(nodes): all timers that were ever armed at once.
    @inlinable public mutating func removeAll(_ body: (consuming Payload) -> Void = { _ in })
}

extension TimingWheel : @unchecked Sendable where Payload : Sendable {
}

/// Runs a body with a time limit: when it has passed, the body is cancelled and waited for.
///
/// ```swift
/// let page = try await withDeadline(in: .seconds(5)) {
///   try await download(url)
/// }
/// ```
///
/// - If the body returns a value, that value is returned, even after the deadline.
/// - If it throws `CancellationError` because of the deadline, ``DeadlineExceeded`` is thrown. If the caller
///   was cancelled as well, `CancellationError` is.
/// - Any other error of the body comes through unchanged.
///
/// The body is *waited for*: one that does not listen to cancellation makes the call as long as itself.
/// Functions that block and cannot be cancelled belong into a `TimeoutRunner`. The body's cancellation handlers
/// run on the thread of the timers: a handler that blocks holds up all deadlines. Of nested deadlines the
/// earlier counts: it cancels the inner body too.
///
/// The body runs on the caller's actor and may use what is not `Sendable`. It is a child task of the caller,
/// so that cancelling it does not cancel the caller: it has the caller's priority, task-local values and
/// executor, and is cancelled with it.
///
/// The names follow Swift Evolution proposal SE-0526, accepted with modifications in July 2026 and not in Swift
/// 6.3. There the body's error comes through as it is, and a deadline shows as the reason of its
/// `CancellationError`. Swift 6.3 has no such reason, so ``DeadlineExceeded`` takes that error's place.
///
/// - Parameters:
///   - limit: How long the body may take, from now on the clock. Zero and less has passed already: the body
///     starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on: the caller's.
///   - body: What to do.
/// - Returns: What the body returns.
/// - Throws: ``DeadlineExceeded``, or what the body throws.
/// - Complexity: O(1): one timer and one child task.
@inlinable public func withDeadline<C, Result>(in limit: Duration, tolerance: Duration? = nil, clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result) async throws -> Result where C : Clock, C.Duration == Duration

/// Runs a body until an instant of a clock: when it has come, the body is cancelled and waited for.
///
/// It is `withDeadline(in:)` with the instant in place of the time that is left until then; all that is said
/// there holds. Pass one deadline down through several calls to let them share it.
///
/// - Parameters:
///   - deadline: The instant by which the body has to be done. One that has passed starts the body cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock of the instant, `ContinuousClock` by default.
///   - isolation: The actor to run on: the caller's.
///   - body: What to do.
/// - Returns: What the body returns.
/// - Throws: ``DeadlineExceeded``, or what the body throws.
/// - Complexity: O(1).
@inlinable public func withDeadline<C, Result>(_ deadline: C.Instant, tolerance: Duration? = nil, clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result) async throws -> Result where C : Clock, C.Duration == Duration

extension ContinuousClock : HeadwayTime.TimerClock {

    /// The service of the clock, the same for the whole process.
    public var timers: HeadwayTime.TimerService { get }
}

extension SuspendingClock : HeadwayTime.TimerClock {

    /// The service of the clock, the same for the whole process.
    public var timers: HeadwayTime.TimerService { get }
}

