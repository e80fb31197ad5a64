import Glibc
import Synchronization

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

    /// A timer that has expired, as a callback gets it.
    public struct Expired {

        /// What was scheduled.
        public let payload: Payload

        /// The tick at which it was due.
        public let deadline: UInt64
    }

    /// How far a call of `advance(to:limit:expire:)` came.
    public enum Progress : Sendable {

        /// Every timer that was due has been handed out.
        case caughtUp

        /// The limit was reached and more are due; the next call goes on from there.
        case limitReached
    }

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
    ///   - limit: How many timers to hand out at most, at least 1.
    ///   - expire: What to do with an expired timer.
    /// - Returns: Whether the limit held back a timer that is due.
    /// - Throws: What `expire` throws.
    /// - Complexity: O(1) for each timer that is handed out, averaged over the calls, however far time goes.
    @discardableResult
    @inlinable public mutating func advance<Failure>(to now: UInt64, limit: Int = .max, expire: (inout HeadwayTime.TimeoutLane<Payload>, consuming HeadwayTime.TimeoutLane<Payload>.Expired) throws(Failure) -> Void) throws(Failure) -> HeadwayTime.TimeoutLane<Payload>.Progress where Failure : Error
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

extension TimeoutLane.Expired : Sendable where Payload : Sendable {
}

