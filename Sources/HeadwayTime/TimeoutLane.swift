// A lane holds timers that all have the same duration: the idle time-outs of a thousand connections, the leases of a
// thousand locks, the time limits of a thousand requests.
//
// Contract. Time is a count of ticks that the caller passes in; a lane has no clock and no thread, and one owner at a
// time. A timer never expires early. Timers expire in the order of their deadlines, and those with the same deadline
// in the order in which they got it. `schedule`, `cancel`, `restart`, `nextExpiry` and each expiry take amortized
// constant time. Memory is allocated only when the lane holds more timers than ever before, and freed with the lane.
// `nextExpiry` is exact.
//
// Design. If all durations are equal and time does not go back, timers expire in the order in which they are scheduled,
// so a queue is enough. The queue is a ring buffer of 16-byte entries that refer to timers in a slab:
//
//     ring     first                                              end
//                |                                                 |
//        . . .  [40 #2]  [41 #0]  [45 #4]  [47 #3]  [52 #0]  [52 #1]  . . .
//                         dead     dead
//
//     slab     #0 52, payload    #1 52, payload    #2 40, payload    #3 47, payload    #4 free
//
// Here timer #0 was due at 41 and was restarted so that it is due at 52, and timer #4 was cancelled.
//
// An entry is live while its timer has the generation and the deadline of the entry. Cancelling changes the generation
// and restarting changes the deadline, so each is one write to the slab that leaves a dead entry in the ring. Two
// invariants bound the cost of dead entries:
//
// - The first entry of the ring is live. Removing it also removes the dead ones after it, so the next expiry is read
//   without a search.
// - There are at most two dead entries for each live one, plus 64. Beyond that the ring is compacted in place, which
//   examines fewer than two entries for each one that became dead since the last time.
//
// A restart that does not change the deadline (a second packet in the same tick) writes nothing.
//
// Slots of the slab are reused last in, first out, so that the memory of the next timer is likely to be cached. The
// generation in a handle distinguishes the uses of a slot. A slot whose generations are used up is retired, so a stale
// handle never refers to a later timer.

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
@safe
public struct TimeoutLane<Payload>: ~Copyable {
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
  public struct Handle: Hashable, Sendable {
    /// The slot in the slab.
    @usableFromInline let _id: UInt32
    /// The generation of the slot.
    @usableFromInline let _generation: UInt32

    @inlinable
    init(_id: UInt32, _generation: UInt32) {
      self._id = _id
      self._generation = _generation
    }
  }

  /// The number of ticks after which each timer expires.
  public let duration: UInt64
  @usableFromInline var _now: UInt64
  @usableFromInline var _slab: _Slab
  @usableFromInline var _ring: _Ring
  @usableFromInline let _reentrancyGuard: ReentrancyGuard

  /// Creates an empty lane.
  ///
  /// - Parameters:
  ///   - duration: The number of ticks after which each timer expires; with 0, it expires in the next advance.
  ///   - now: The current tick.
  @inlinable
  public init(duration: UInt64, now: UInt64 = 0) {
    self.init(duration: duration, now: now, generationLimit: .max - 1)
  }

  /// Creates a lane whose slots are retired after fewer uses, for tests.
  ///
  /// - Parameters:
  ///   - duration: The number of ticks after which each timer expires.
  ///   - now: The current tick.
  ///   - generationLimit: The generation at which a slot is retired: an even number, two for each use.
  @inlinable
  package init(duration: UInt64, now: UInt64, generationLimit: UInt32) {
    self.duration = duration
    _now = now
    _slab = _Slab(generationLimit: generationLimit)
    _ring = _Ring()
    _reentrancyGuard = ReentrancyGuard()
  }
}

// Sound: the memory behind the pointers belongs to this value, which cannot be copied, and contains only payloads and
// numbers.
extension TimeoutLane: @unchecked Sendable where Payload: Sendable {}

extension TimeoutLane {
  /// The current tick: the latest one that was passed to the lane.
  ///
  /// - Complexity: O(1).
  @inlinable public var now: UInt64 { _now }

  /// The number of scheduled timers.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { _ring.live }

  /// Whether no timer is scheduled.
  ///
  /// - Complexity: O(1).
  @inlinable public var isEmpty: Bool { _ring.isEmpty }

  /// The exact earliest deadline, or `nil` if no timer is scheduled.
  ///
  /// It may be before ``now`` if `advance(to:limit:expire:)` has not been called since then.
  ///
  /// - Complexity: O(1).
  @inlinable public var nextExpiry: UInt64? { _ring.isEmpty ? nil : _ring.first.deadline }

  /// The number of bytes that the lane has allocated and keeps for later timers.
  ///
  /// - Complexity: O(1).
  package var memoryFootprint: Int { _slab.bytes + _ring.bytes }

  /// Returns the deadline of a scheduled timer.
  ///
  /// - Parameter handle: The handle of the timer.
  /// - Returns: The deadline, or `nil` if the timer has expired or was cancelled.
  /// - Complexity: O(1).
  @inlinable
  public func deadline(of handle: Handle) -> UInt64? {
    _slab.isScheduled(handle) ? _slab.storage.deadline(of: handle._id) : nil
  }

  /// Schedules a timer that expires after the duration of the lane.
  ///
  /// - Parameters:
  ///   - payload: The value that `advance` returns when the timer expires.
  ///   - now: The current tick. A deadline beyond `UInt64.max` becomes `UInt64.max`.
  /// - Returns: A handle that cancels or restarts the timer.
  /// - Complexity: O(1) amortized; allocates only if the lane has never held as many timers.
  @inlinable
  @discardableResult
  public mutating func schedule(_ payload: consuming Payload, now: UInt64) -> Handle {
    let deadline = _deadline(from: now)
    let handle = _slab.insert(payload, deadline: deadline)
    _ring.append(_Entry(deadline: deadline, handle: handle))
    return handle
  }

  /// Cancels a timer.
  ///
  /// - Parameter handle: The handle of the timer.
  /// - Returns: The payload, or `nil` if the timer has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func cancel(_ handle: Handle) -> Payload? {
    guard _slab.isScheduled(handle) else { return nil }
    let payload = _slab.release(handle._id)
    _ring.discardEntry(of: handle._id, _slab.storage)
    return payload
  }

  /// Restarts the full duration of a timer, for example because there was activity.
  ///
  /// - Parameters:
  ///   - handle: The handle of the timer; it stays valid.
  ///   - now: The current tick.
  /// - Returns: Whether the timer was still scheduled; a stale handle changes nothing.
  /// - Complexity: O(1) amortized; allocates only if the lane has never held as many timers.
  @inlinable
  @discardableResult
  public mutating func restart(_ handle: Handle, now: UInt64) -> Bool {
    let deadline = _deadline(from: now)
    guard _slab.isScheduled(handle) else { return false }
    guard _slab.storage.deadline(of: handle._id) != deadline else { return true }
    _slab.storage.setDeadline(deadline, of: handle._id)
    _ring.append(_Entry(deadline: deadline, handle: handle))
    _ring.discardEntry(of: handle._id, _slab.storage)
    return true
  }

  /// Stores the current tick and returns the deadline of a timer that is scheduled now.
  @inlinable
  mutating func _deadline(from now: UInt64) -> UInt64 {
    if now > _now { _now = now }
    let (sum, overflow) = _now.addingReportingOverflow(duration)
    return overflow ? .max : sum
  }
}
