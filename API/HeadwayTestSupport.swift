import HeadwayCollections
import HeadwayLock
import HeadwayText
import HeadwayTime

/// A task executor that runs jobs only when it is asked to, on the calling thread.
///
/// A job is the part of a task between two suspension points. If all tasks of a test run on one `StepExecutor` and one
/// thread drives it, the test is deterministic:
///
/// ```swift
/// let executor = StepExecutor()
/// let task = Task(executorPreference: executor) { try await fetch() }
/// executor.drain()  // runs until the task waits for something
/// ```
///
/// Child tasks, and the actors that a task calls, use the executor of the task. A `Task { }` created inside does not:
/// pass it `executorPreference: StepExecutor.current`.
///
/// **Contract.** All members are safe from any thread, and jobs may be enqueued while others run. Jobs run in the
/// order in which they were enqueued, whatever their priority; with a seed they run in a random order that depends
/// only on the seed and on the order of enqueueing. Jobs of an executor that is not driven any more never run.
final public class StepExecutor : TaskExecutor {

    /// The executor of the current task inside ``withVirtualTime(seed:limit:_:)``, nil elsewhere.
    public static var current: HeadwayTestSupport.StepExecutor? { get }

    /// Creates an executor without jobs.
    ///
    /// - Parameter seed: The seed of the order in which ready jobs run; nil for the order of enqueueing.
    public init(seed: UInt64? = nil)

    /// Adds a job; called by the Swift runtime.
    ///
    /// - Parameter job: The job to run later.
    /// - Complexity: O(1) amortized.
    public func enqueue(_ job: consuming ExecutorJob)

    /// Runs jobs until none is ready, including those that become ready meanwhile.
    ///
    /// - Complexity: O(1) for each job, amortized, plus the jobs.
    public func drain()
}

/// A terminal in memory: what a person would see after a program has written some bytes.
///
/// It knows the escape sequences that Headway uses, keeps rows that scroll away, and wraps old lines again when its
/// width changes, as nearly all terminals do. Use it to test anything that draws: compare screens as text.
///
/// ```swift
/// var screen = TerminalScreen(columns: 20, rows: 3)
/// screen.write("fetch\r\nunpack")
/// let text = screen.text  // "fetch\nunpack"
/// ```
public struct TerminalScreen : Sendable {

    /// A position on the screen, from 0.
    ///
    /// ```swift
    /// var screen = TerminalScreen(columns: 20, rows: 3)
    /// screen.write("fetch\r\nunpack")
    /// let place: TerminalScreen.Place = screen.cursor  // row 1, column 6
    /// ```
    public struct Place : Hashable, Sendable {

        /// The row, from the top.
        public var row: Int

        /// The column, from the left.
        public var column: Int
    }

    /// The number of columns.
    public private(set) var columns: Int { get }

    /// The number of rows.
    public private(set) var rows: Int { get }

    /// The position of the cursor; the column is one past the last one if the next character wraps.
    public internal(set) var cursor: HeadwayTestSupport.TerminalScreen.Place { get }

    /// Whether the cursor is shown.
    public internal(set) var isCursorVisible: Bool { get }

    /// Creates an empty screen.
    ///
    /// - Parameters:
    ///   - columns: The number of columns, at least 1.
    ///   - rows: The number of rows, at least 1.
    public init(columns: Int, rows: Int)

    /// The rows on the screen, without blanks at their ends and without empty rows at the end.
    public var text: String { get }

    /// The rows that scrolled away and those on the screen.
    public var allText: String { get }

    /// Writes bytes, as a program writes to a terminal.
    ///
    /// - Parameter bytes: UTF-8 text and escape sequences, which may be cut anywhere.
    public mutating func write(_ bytes: [UInt8])

    /// Writes text.
    public mutating func write(_ text: String)

    /// Changes the size and wraps all lines again, as terminals do.
    ///
    /// - Parameters:
    ///   - columns: The new number of columns, at least 1.
    ///   - rows: The new number of rows, at least 1.
    public mutating func resize(columns: Int, rows: Int)
}

/// A clock that advances only when it is told to, so that a test of 27 hours takes no time and is deterministic.
///
/// Pass it to code that takes a `Clock`. Then advance it by hand, or let ``withVirtualTime(seed:limit:_:)`` do so:
///
/// ```swift
/// let clock = VirtualClock()
/// let start = clock.now
/// clock.advance(by: .seconds(90))
/// let passed = start.duration(to: clock.now)  // 90 seconds
/// ```
///
/// **Contract.** All members are safe from any thread. A sleep ends in the first `advance` or `step` that reaches its
/// deadline, never earlier, or at once when its task is cancelled. Sleeps end in the order of their deadlines, and
/// those with the same deadline in the order in which they began. Time never goes back. The clock counts nanoseconds
/// from 0 to ``Instant/last``, 584 years later. A later instant is never reached, so a sleep until then can only be
/// cancelled.
///
/// **Design.** Everything that waits is in one `TimingWheel` with ticks of a nanosecond, behind one lock. An advance
/// goes from deadline to deadline: it removes what is due under the lock and resumes it outside. So a timer that
/// another one schedules for a deadline on the way still fires at that deadline.
final public class VirtualClock : Clock {

    /// Creates a clock at ``Instant/zero``.
    public init()

    /// The current instant.
    public var now: HeadwayTestSupport.VirtualClock.Instant { get }

    /// One nanosecond.
    public var minimumResolution: Duration { get }

    /// Sleeps until an instant; returns at once if it has passed.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Ignored, because virtual time is exact.
    /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
    /// - Complexity: O(1).
    public func sleep(until deadline: HeadwayTestSupport.VirtualClock.Instant, tolerance: Duration? = nil) async throws(CancellationError)
}

extension VirtualClock {

    /// An instant of a virtual clock, as a distance from the clock's zero.
    ///
    /// ```swift
    /// let begin: VirtualClock.Instant = .zero
    /// let later = begin.advanced(by: .seconds(90))
    /// let offset = later.offset  // 90 seconds
    /// ```
    public struct Instant : InstantProtocol, Hashable, Sendable {

        /// The distance from ``zero``.
        public let offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The distance from ``zero``, which may be negative.
        public init(offset: Duration)

        /// The instant at which every virtual clock starts.
        public static let zero: HeadwayTestSupport.VirtualClock.Instant

        /// The last instant that a clock can reach, 584 years after ``zero``.
        public static let last: HeadwayTestSupport.VirtualClock.Instant

        /// Returns the instant a duration later.
        ///
        /// - Parameter duration: The duration, which may be negative.
        /// - Returns: The instant, limited to the range of `Duration`.
        public func advanced(by duration: Duration) -> HeadwayTestSupport.VirtualClock.Instant

        /// Returns the duration from this instant to another one.
        ///
        /// - Parameter other: The other instant.
        /// - Returns: The duration, negative if the other instant is earlier, limited to the range of `Duration`.
        public func duration(to other: HeadwayTestSupport.VirtualClock.Instant) -> Duration

        /// Whether an instant is before another one.
        ///
        /// - Parameters:
        ///   - left: An instant.
        ///   - right: Another instant.
        /// - Returns: Whether `left` is earlier.
        public static func < (left: HeadwayTestSupport.VirtualClock.Instant, right: HeadwayTestSupport.VirtualClock.Instant) -> Bool
    }
}

extension VirtualClock {

    /// Advances the clock by a duration.
    ///
    /// - Parameter duration: The duration. A negative one has no effect, and the clock stops at ``Instant/last``.
    /// - Complexity: O(1) for each sleep or timer that ends, amortized.
    public func advance(by duration: HeadwayTestSupport.VirtualClock.Duration)

    /// Advances the clock to an instant.
    ///
    /// Timers fire inside this call, each at its own instant. Sleeping tasks only become ready: they usually run on their
    /// executors after this call, and then see the instant to which the clock has advanced. To run each task at its own
    /// instant, call ``step()``.
    ///
    /// - Parameter deadline: The instant. One before ``now`` has no effect.
    /// - Complexity: O(1) for each sleep or timer that ends, amortized.
    public func advance(to deadline: HeadwayTestSupport.VirtualClock.Instant)

    /// Advances the clock to the next instant that something waits for.
    ///
    /// - Returns: Whether something waited; otherwise the clock has not advanced. Sleeps until an instant after
    ///   ``Instant/last`` do not count.
    /// - Complexity: O(1) for each sleep or timer that ends, amortized.
    @discardableResult
    public func step() -> Bool
}

extension VirtualClock {

    /// The timer service of the clock, which `withDeadline` uses; its timers fire to the nanosecond.
    public var timers: HeadwayTime.TimerService { get }
}

extension VirtualClock.Instant : CustomStringConvertible {

    /// The distance from zero, as `Duration` describes it.
    public var description: String { get }
}

/// The reason why a run on virtual time failed.
///
/// ```swift
/// do {
///   try withVirtualTime { clock in try await clock.sleep(until: never) }
/// } catch let error as VirtualTimeError {
///   show("\(error)")  // says where the run is stuck and what to do
/// }
/// ```
@nonexhaustive public enum VirtualTimeError : Error, Hashable, Sendable {

    /// No task could continue, and nothing waited for an instant that can be reached.
    ///
    /// The closure waits for something that is not on virtual time, or that never happens.
    ///
    /// - Parameters:
    ///   - now: The instant at which the run failed.
    ///   - sleepers: The number of tasks that slept until an instant that is never reached.
    case stuck(at: HeadwayTestSupport.VirtualClock.Instant, sleepers: Int)

    /// The clock advanced to as many instants as the limit allows, and the closure had not returned.
    ///
    /// - Parameters:
    ///   - now: The instant at which the run failed.
    ///   - instants: The number of instants.
    case limitReached(at: HeadwayTestSupport.VirtualClock.Instant, instants: Int)

    /// Tasks kept running at one instant, so that the clock could not advance.
    ///
    /// - Parameters:
    ///   - now: The instant.
    ///   - jobs: The number of jobs that ran at it.
    case livelock(at: HeadwayTestSupport.VirtualClock.Instant, jobs: Int)
}

extension VirtualTimeError : CustomStringConvertible {

    /// A message that says what happened and what to do.
    public var description: String { get }
}

/// Runs an asynchronous closure and its child tasks on virtual time, step by step on the calling thread.
///
/// Whenever no task can continue, the clock advances to the next instant that something waits for, until the closure
/// returns:
///
/// ```swift
/// @Test(arguments: 0..<100 as Range<UInt64>)
/// func `The second attempt comes after the backoff`(seed: UInt64) throws {
///   let attempts = try withVirtualTime(seed: seed) { clock in
///     try await retried(backoff: .seconds(3_600), clock: clock)
///   }
///   #expect(attempts == 2)
/// }
/// ```
///
/// All runs of a closure with the same seed are identical. Without a seed, ready tasks run in the order in which they
/// became ready. A seed selects a random order instead, which finds code that depends on the order. This holds for
/// everything on virtual time, provided that the closure uses no other randomness, such as the system's random
/// numbers or the order of a `Set` or `Dictionary`.
///
/// **On virtual time** are the closure, its `async let`s and task groups, the actors that they call, sleeps and
/// timers on the clock, and `withDeadline` with that clock.
///
/// **Not on virtual time** are the main actor and every actor with an executor of its own; `Task { }` and
/// `Task.detached { }`, unless they get `executorPreference: StepExecutor.current`; threads, callbacks, and sleeps on
/// other clocks. If the closure waits for one of these and nothing else can continue, the run fails with
/// ``VirtualTimeError/stuck(at:sleepers:)``, because there is no way to know how long to wait. To test such code,
/// drive a ``VirtualClock`` and a ``StepExecutor`` by hand, and wait for the outside between two steps.
///
/// If the run fails, the closure is cancelled and has 10,000 more instants to end; if it ignores the cancellation, it
/// is abandoned. The closure is also cancelled if the calling task is.
///
/// - Parameters:
///   - seed: The seed of the order in which ready tasks run; nil for the order in which they became ready.
///   - limit: The maximum number of instants to advance to, which ends a loop that sleeps forever. How far apart the
///     instants are does not matter.
///   - body: The closure, which receives the clock.
/// - Returns: The value that the closure returns.
/// - Throws: The error that the closure throws, or ``VirtualTimeError``.
/// - Complexity: O(1) for each job and each sleep or timer that ends, amortized.
public func withVirtualTime<Result>(seed: UInt64? = nil, limit: Int = 1_000_000, _ body: @escaping @Sendable (HeadwayTestSupport.VirtualClock) async throws -> Result) throws -> Result where Result : Sendable

