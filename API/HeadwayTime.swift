import Glibc
import Synchronization

/// How far an `advance` came.
@frozen public enum AdvanceResult : Hashable, Sendable {

    /// Every timer whose deadline has come has expired.
    case caughtUp

    /// The limit was reached before that: the next call goes on there.
    case limitReached
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
    /// The callback may schedule, cancel and restart timers through its first parameter, and may put another lane
    /// in its place, with which this call is over. It must not advance the lane. A timer that it arms or restarts
    /// waits for a later call even when it is due at once. When it throws, the timer that it was handed is gone
    /// and the others wait for the next call.
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
    @inlinable public mutating func restart(_ handle: HeadwayTime.TimeoutLane<Payload>.Handle, now: UInt64) -> Bool
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
/// **Contract.** A timer expires never before its deadline, in the first `advance` to it or past it, exactly once,
/// unless it is cancelled. Timers expire in the order of their deadlines; those of one tick in no promised order, though
/// always the same for the same calls. Those whose deadline had come when they were armed expire first in the next
/// `advance`, in no promised order either. Time never goes back: an earlier `now` counts as the present one. All ticks up
/// to `UInt64.max - 1` are right; `UInt64.max` is never: no timer expires then, and as `now` it counts as the tick
/// before. Not thread safe: one owner at a time; a `TimerService` shares wheels.
///
/// **Design.** A hierarchical timing wheel (Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*, 1987) of four
/// levels with 256 slots each. A timer whose deadline is fewer than 256 ticks away stands on level 0, in the slot of the
/// deadline's lowest byte; one that is fewer than 65,536 away on level 1, in the slot of its second byte; and so on. When the time comes
/// to a slot of level 0, its timers expire; a slot of a higher level is dealt out to the levels below:
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
/// A slot is an array of packed 8-byte entries (``SlotChunks``) over a slab of nodes (``NodeSlab``). To cancel is to
/// free the node; the entry that is left behind finds that out when its slot comes due or is swept. When there are more than
/// three entries for each armed timer, and 1,024, a call sweeps one chunk of 31. To move a deadline
/// to a later one is a single write: the timer is filed anew when its old slot comes due. Occupied slots are
/// bits, so a jump costs what the slots on the way hold, however far it goes.
///
/// | operation | cost | allocates |
/// |---|---|---|
/// | `schedule` | O(1) | once in about 1,000 timers more than ever before |
/// | `cancel`, `reschedule` | O(1) | never |
/// | `advance` | O(expired + occupied slots passed), each timer is moved three times at most | never |
/// | `nextExpiry` | O(1) | never |
/// | beyond 2³² ticks | O(log n) of those beyond | the heap grows |
///
/// All are amortized: a call pays at most 31 looks for earlier cancellations. Only where many timers are cancelled and armed again
/// for the very same tick do entries pile up that sweeping cannot tell apart; with more than four for each timer, and
/// 2,048, one call goes through them all.
public struct TimingWheel<Payload> : ~Copyable {

    /// Names one armed timer.
    ///
    /// A handle whose timer has expired or was cancelled is stale: it does nothing and says so, for as long as it is kept,
    /// because no generation of a node is used twice. It belongs to the wheel that made it.
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
    /// Inside the callback the wheel may be used through the parameter: to schedule, cancel, reschedule, or even to put
    /// another wheel in its place. With that this call is over, and the wheel that was there goes on wherever it is advanced
    /// next. What was handed out is out of the wheel: to cancel it says that it is gone. A timer that is scheduled for a tick
    /// still to come in this call expires in this call; one for a tick that has come does once the time goes on.
    ///
    /// - Parameters:
    ///   - now: The present tick. An earlier one than before counts as the present.
    ///   - limit: The most entries to look at, so that a great number on one tick cannot hold the caller up; below 1
    ///     counts as 1. Where it ends a call, the next call goes on.
    ///   - expire: What to do with each timer. It must not advance the same wheel: that is a misuse and traps.
    /// - Returns: Whether everything that has come has expired.
    /// - Throws: What the callback throws. The timer that was handed out is gone; all others expire at the next call.
    /// - Complexity: O(expired + occupied slots passed), amortized; each timer is dealt out three times at most.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimingWheel<Payload>, consuming HeadwayTime.TimingWheel<Payload>.Expired) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.AdvanceResult where Failure : Error
}

extension TimingWheel {

    /// A tick that no timer expires before: the one to wake up at.
    ///
    /// It is the earliest deadline itself where that is in the same 256 ticks as `now`, which share all but the lowest byte, or
    /// at least 2³² ticks away, or where the slot that holds it has at most 31 entries; otherwise it may be earlier, and
    /// to advance to it always gets on. It is `now` when something is due or an advance was cut short, and nil when no timer
    /// is armed; `UInt64.max` says that of those that are armed none will ever expire.
    ///
    /// - Complexity: O(1) amortized: one chunk of 31 entries for each level, and those that have to be tidied away because their
    ///   timers were cancelled or moved, at most four more for each level but the lowest.
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
    ///   - deadline: The tick at which it expires, any; `UInt64.max` is never. One that has come already expires at the next `advance`, never inside
    ///     this call; armed inside an `advance`, it waits until the time has gone on, so that a timer which arms itself anew cannot hold it up.
    /// - Returns: The handle that cancels or reschedules it.
    /// - Complexity: O(1) amortized; O(log n) for a deadline in another 2³² ticks. At most 4,294,967,295 timers at once.
    @discardableResult
    @inlinable public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> HeadwayTime.TimingWheel<Payload>.Handle

    /// Disarms a timer.
    ///
    /// - Parameter handle: What `schedule` returned.
    /// - Returns: The payload, which the wheel does not keep; nil when the timer has expired or was cancelled before.
    /// - Complexity: O(1) amortized.
    @discardableResult
    @inlinable public mutating func cancel(_ handle: HeadwayTime.TimingWheel<Payload>.Handle) -> Payload?

    /// Moves the deadline of an armed timer.
    ///
    /// A later deadline is one write, so this is the way to keep an idle time-out away: call it at every sign of life.
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
}

extension TimingWheel : @unchecked Sendable where Payload : Sendable {
}

