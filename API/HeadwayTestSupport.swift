import HeadwayLock
import HeadwayTime

/// An executor that runs its jobs only when it is told to, on the thread that tells it.
///
/// A job is what a task does from one suspension to the next, or a step of the runtime's own. Where
/// all tasks of a test stand here and one thread runs them, nothing happens by chance:
///
/// ```swift
/// let executor = StepExecutor()
/// let task = Task(executorPreference: executor) { try await fetch() }
/// executor.drain()   // everything up to where the task waits for something
/// ```
///
/// Child tasks and the methods of actors follow their task; a `Task { }` that is made inside does
/// not: give it `executorPreference: StepExecutor.current`.
///
/// **Contract.** Safe from any thread: others may enqueue jobs while one runs them. Jobs run in the
/// order in which they came, whatever their priority; with a seed in an order that is drawn from
/// it, one that the order of their coming determines. An executor that is no longer told keeps its
/// jobs for ever.
final public class StepExecutor : TaskExecutor {

    public static let $current: TaskLocal<HeadwayTestSupport.StepExecutor?>

    /// The executor of the task that asks, when it runs inside ``withVirtualTime(seed:limit:_:)``;
    /// nil outside.
    public static var current: HeadwayTestSupport.StepExecutor? { get }

    /// Creates an executor without jobs.
    ///
    /// - Parameter seed: What the order of ready jobs is drawn from: one seed, one order. Nil for the
    ///   order in which they came.
    public init(seed: UInt64? = nil)

    /// The number of jobs that are ready to run.
    ///
    /// - Complexity: O(1).
    public var jobCount: Int { get }

    /// Takes up a job; the runtime calls this when a task can go on.
    ///
    /// - Parameter job: What to run later.
    /// - Complexity: O(1) amortized.
    public func enqueue(_ job: consuming ExecutorJob)

    /// Runs the next job, on this thread.
    ///
    /// - Returns: Whether there was one.
    /// - Complexity: O(1) amortized, and what the job takes.
    @discardableResult
    public func runNext() -> Bool

    /// Runs jobs until none is ready, those too that become ready meanwhile.
    ///
    /// - Complexity: O(1) for each job, amortized, and what the jobs take.
    public func drain()
}

/// A clock whose time passes only when it is told to, so that a test of 27 hours takes no time and
/// always goes the same way.
///
/// Hand it to code that takes a `Clock`, and let the time go on by hand, or leave that to
/// ``withVirtualTime(seed:limit:_:)``:
///
/// ```swift
/// let clock = VirtualClock()
/// let start = clock.now
/// clock.advance(by: .seconds(90))
/// start.duration(to: clock.now)   // 90 seconds
/// ```
///
/// **Contract.** Safe from any thread. A sleep ends in the first `advance` or `step` to its
/// deadline or past it, never before, or at once when its task is cancelled. What waits for one
/// moment wakes in the order in which it began to wait, and all that waits for an earlier moment
/// before it. Time never goes back. The clock counts nanoseconds from 0 to ``Instant/last``, 584
/// years later; a moment beyond that never comes, and who sleeps until then can only be cancelled.
///
/// **Design.** All who wait stand in one `TimingWheel` with ticks of a nanosecond, behind one lock.
/// What has come due is taken out under the lock and woken outside, one moment after the other:
/// what a wakened alarm arms for a moment on the way still wakes at that moment.
final public class VirtualClock : Clock {

    /// Creates a clock that stands at zero.
    public init()

    /// The present moment.
    public var now: HeadwayTestSupport.VirtualClock.Instant { get }

    /// One nanosecond.
    public var minimumResolution: Duration { get }

    /// The number of tasks that sleep on the clock.
    ///
    /// - Complexity: O(1).
    public var sleeperCount: Int { get }

    /// Waits until a moment has come.
    ///
    /// - Parameters:
    ///   - deadline: The moment; one that has come already returns at once.
    ///   - tolerance: Without meaning here: virtual time is exact.
    /// - Throws: `CancellationError` at once when the task is cancelled, before or during the sleep.
    /// - Complexity: O(1).
    public func sleep(until deadline: HeadwayTestSupport.VirtualClock.Instant, tolerance: Duration? = nil) async throws
}

extension VirtualClock {

    /// A moment of a virtual clock: how far it is from the clock's zero.
    public struct Instant : InstantProtocol, Hashable, Sendable {

        /// The distance from zero.
        public let offset: Duration

        /// Creates a moment.
        ///
        /// - Parameter offset: The distance from zero; a negative one is a moment before the clock's
        ///   beginning.
        public init(offset: Duration)

        /// The moment at which every clock begins.
        public static let zero: HeadwayTestSupport.VirtualClock.Instant

        /// The last moment that comes, 584 years after ``zero``.
        public static let last: HeadwayTestSupport.VirtualClock.Instant

        /// The moment that lies a duration later.
        ///
        /// - Parameter duration: How much later; a negative one leads back.
        /// - Returns: The moment; the farthest there is when the sum is beyond what a `Duration` holds.
        public func advanced(by duration: Duration) -> HeadwayTestSupport.VirtualClock.Instant

        /// The duration from this moment to another.
        ///
        /// - Parameter other: The other moment.
        /// - Returns: The duration, negative when the other moment is the earlier one; the longest
        ///   there is when it is beyond that.
        public func duration(to other: HeadwayTestSupport.VirtualClock.Instant) -> Duration

        /// Whether a moment comes before another.
        ///
        /// - Parameters:
        ///   - left: The one.
        ///   - right: The other.
        /// - Returns: Whether the left one comes first.
        public static func < (left: HeadwayTestSupport.VirtualClock.Instant, right: HeadwayTestSupport.VirtualClock.Instant) -> Bool
    }
}

extension VirtualClock {

    /// Lets time go on by a duration.
    ///
    /// - Parameter duration: How far; a negative one does nothing, and one that leads past
    ///   ``Instant/last`` ends there.
    /// - Complexity: O(1) for each that wakes, amortized.
    public func advance(by duration: HeadwayTestSupport.VirtualClock.Duration)

    /// Lets time go on to a moment, and wakes what waits for it or an earlier one.
    ///
    /// Alarms ring inside this call, each at its own moment. Sleeping tasks are only made ready: they
    /// run on their executors, mostly afterwards, and then see the moment to which time has gone on.
    /// To have each run at its own moment, go in steps.
    ///
    /// - Parameter deadline: The moment. Time does not go back: an earlier one than the present does
    ///   nothing.
    /// - Complexity: O(1) for each that wakes, amortized.
    public func advance(to deadline: HeadwayTestSupport.VirtualClock.Instant)

    /// Lets time go on to the next moment for which somebody waits, and wakes all who wait for it.
    ///
    /// - Returns: Whether somebody waited; otherwise time has not gone on. Who waits for a moment
    ///   that never comes does not count.
    /// - Complexity: O(1) for each that wakes, amortized.
    @discardableResult
    public func step() -> Bool
}

extension VirtualClock : HeadwayTime.TimerClock {

    /// The timers of the clock, which `withDeadline` uses: they fire while its time goes on, to the
    /// nanosecond.
    public var timers: HeadwayTime.TimerService { get }
}

extension VirtualClock.Instant : CustomStringConvertible {

    /// The distance from zero, as durations are written.
    public var description: String { get }
}

/// Why a body on virtual time was given up.
@nonexhaustive public enum VirtualTimeError : Error, Hashable, Sendable {

    /// Nobody could go on, and nobody waited for a moment that comes.
    ///
    /// The body waits for what is not on virtual time, or for what never happens.
    ///
    /// - Parameters:
    ///   - now: When that was.
    ///   - sleepers: How many tasks slept until a moment that never comes.
    case stuck(at: HeadwayTestSupport.VirtualClock.Instant, sleepers: Int)

    /// Time has gone on to as many moments as it may, and the body has not ended.
    ///
    /// - Parameters:
    ///   - now: When it was given up.
    ///   - moments: How many moments there were.
    case endless(at: HeadwayTestSupport.VirtualClock.Instant, moments: Int)

    /// Tasks went on again and again at one moment, so that time could not go on.
    ///
    /// - Parameters:
    ///   - now: The moment.
    ///   - jobs: How many jobs ran at it.
    case restless(at: HeadwayTestSupport.VirtualClock.Instant, jobs: Int)
}

extension VirtualTimeError : CustomStringConvertible {

    /// What happened, and what to do.
    public var description: String { get }
}

/// Runs a body and all its child tasks on virtual time: alone on this thread, step by step, without
/// waiting for anything real.
///
/// When nobody can go on, time goes on to the next moment for which somebody waits on the clock,
/// until the body has ended:
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
/// Every run of one body with one seed is the same run. Without a seed ready tasks run in the order
/// in which they became ready; each seed shuffles them in another way, and so finds what depends on
/// their order. That holds for what is on virtual time, and only for a body that asks nothing else
/// for chance: no system random numbers, no order of a `Set` or `Dictionary`.
///
/// **On virtual time** are the body, `async let` and task groups in it, the actors that they call,
/// sleeps and timers on the clock, and `withDeadline` with it.
///
/// **Outside** are the main actor and every actor with an executor of its own; `Task { }` and
/// `Task.detached { }`, unless they are given `executorPreference: StepExecutor.current`; threads,
/// callbacks, and sleeps on other clocks. A body that waits for them is stuck as soon as nothing
/// else can go on, because nobody can know how long to wait for them. Test what needs them with a
/// ``VirtualClock`` and a ``StepExecutor`` that you drive by hand, and wait between two steps for
/// what is outside.
///
/// A body that is given up is cancelled, and then has 10,000 moments to end; one that ignores that
/// is left behind. The body is also cancelled when the task that calls this function is.
///
/// - Parameters:
///   - seed: What the order of ready tasks is drawn from; nil for the order in which they became
///     ready.
///   - limit: The most moments that time may go on to, so that a loop that sleeps again and again
///     is found. How far those moments are apart does not matter.
///   - body: What to run. It is given the clock.
/// - Returns: What the body returns.
/// - Throws: What the body throws, or ``VirtualTimeError``.
/// - Complexity: O(1) for each job and each that wakes, amortized.
public func withVirtualTime<Result>(seed: UInt64? = nil, limit: Int = 1_000_000, _ body: @escaping @Sendable (HeadwayTestSupport.VirtualClock) async throws -> Result) throws -> Result where Result : Sendable

