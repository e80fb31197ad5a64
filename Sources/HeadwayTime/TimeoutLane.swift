// A lane for timers that all wait equally long: the idle time-out of a thousand connections, the lease of a
// thousand locks, the time limit of a thousand requests.
//
// Contract. Time is a count of ticks that the caller passes in; the lane knows no clock and no thread, and
// has one owner at a time. A timer never expires early, timers expire in the order of their deadlines, and
// those of one deadline in the order in which they got it. `schedule`, `cancel`, `restart`, `nextExpiry` and
// each expiry take constant time, averaged over the calls; nothing is allocated once the lane has been as
// full as it gets, and the memory of that moment is kept until the lane goes. `nextExpiry` is exact.
//
// Design. When every timer waits equally long and time does not go back, the order of arming is the order of
// expiring, so a queue is all the order there is to keep: no heap, no wheel, no slot. The queue is a ring of
// 16-byte entries in memory without gaps, and the timers themselves stand in a slab that the entries point
// into:
//
//     ring     first                                              end
//                |                                                 |
//        . . .  [40 #2]  [41 #0]  [45 #4]  [47 #3]  [52 #0]  [52 #1]  . . .
//                         dead     dead
//
//     slab     #0 52, payload    #1 52, payload    #2 40, payload    #3 47, payload    #4 free
//
// Here timer #0 was due at 41 and was restarted at the tick that makes it 52, and timer #4 was cancelled.
//
// An entry is alive while its timer has the same generation and the same deadline as the entry. Cancelling
// ends the generation and restarting changes the deadline, so either is one write into the slab, and what
// they leave in the ring is a dead entry that nobody looks for. Two rules keep the dead from mattering:
//
// - The first entry of the ring is alive. Whatever kills it also drops the dead ones behind it, so the next
//   expiry is read, not searched.
// - There are never more than twice as many dead entries as live ones, and 64. One more, and the ring is
//   closed up in place. That costs less than two looks for each entry that died since the last time.
//
// A restart that does not change the deadline (a second packet in the same tick) writes nothing at all.
//
// Places of the slab are used again, last in, first out, so that the next timer finds warm memory; a
// generation in the handle tells the uses apart. A place whose generations are used up is taken out of
// service, so a stale handle can never meet a later timer.

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
@safe
public struct TimeoutLane<Payload>: ~Copyable {
  /// Names one armed timer; once that has expired or was cancelled, the handle is stale and does nothing.
  ///
  /// It is good for the lane that returned it and for no other.
  public struct Handle: Hashable, Sendable {
    /// The place in the slab.
    @usableFromInline let _id: UInt32
    /// Which use of the place is meant.
    @usableFromInline let _generation: UInt32

    /// Creates the name of a timer.
    @inlinable
    init(_id: UInt32, _generation: UInt32) {
      self._id = _id
      self._generation = _generation
    }
  }

  /// A timer that has expired, as `advance(to:limit:expire:)` hands it out.
  public typealias Expired = ExpiredTimer<Payload>

  /// How long every timer waits, in ticks.
  public let duration: UInt64
  /// The latest tick that the lane has been told of.
  @usableFromInline var _now: UInt64
  /// The timers.
  @usableFromInline var _slab: _Slab
  /// The order in which they expire.
  @usableFromInline var _ring: _Ring
  /// Whether an advance of this lane is running.
  @usableFromInline let _mark: AdvanceMark

  /// Creates a lane with nothing armed.
  ///
  /// - Parameters:
  ///   - duration: How many ticks every timer waits. With 0 a timer expires at the next advance.
  ///   - now: The current tick.
  @inlinable
  public init(duration: UInt64, now: UInt64 = 0) {
    self.init(duration: duration, now: now, generationLimit: .max - 1)
  }

  /// Creates a lane whose places are taken out of service after fewer uses, for tests of just that.
  ///
  /// - Parameters:
  ///   - duration: How many ticks every timer waits.
  ///   - now: The current tick.
  ///   - generationLimit: The generation that ends the service of a place: an even number, two for each use.
  @inlinable
  package init(duration: UInt64, now: UInt64, generationLimit: UInt32) {
    self.duration = duration
    _now = now
    _slab = _Slab(generationLimit: generationLimit)
    _ring = _Ring()
    _mark = AdvanceMark()
  }
}

// Sound: the memory behind the pointers belongs to this one value, which cannot be copied, and holds nothing
// but payloads and numbers. The mark is Sendable by itself.
extension TimeoutLane: @unchecked Sendable where Payload: Sendable {}

extension TimeoutLane {
  /// The latest tick that the lane has been told of.
  ///
  /// - Complexity: O(1).
  @inlinable public var now: UInt64 { _now }

  /// The number of armed timers.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { _ring.live }

  /// Whether nothing is armed.
  ///
  /// - Complexity: O(1).
  @inlinable public var isEmpty: Bool { _ring.isEmpty }

  /// The earliest deadline, exactly; nil when nothing is armed.
  ///
  /// It can lie in the past when time has gone on and `advance(to:limit:expire:)` has not been called yet.
  ///
  /// - Complexity: O(1).
  @inlinable public var nextExpiry: UInt64? { _ring.isEmpty ? nil : _ring.first.deadline }

  /// The number of bytes that the lane has allocated for timers.
  ///
  /// It grows with the most timers that were ever armed at once, and does not shrink.
  ///
  /// - Complexity: O(1).
  public var memoryFootprint: Int { _slab.bytes + _ring.bytes }

  /// Looks up when a timer expires.
  ///
  /// - Parameter handle: What `schedule(_:now:)` returned.
  /// - Returns: The tick, or nil when the handle is stale.
  /// - Complexity: O(1).
  @inlinable
  public func deadline(of handle: Handle) -> UInt64? {
    _slab.isArmed(handle) ? _slab.places.deadline(of: handle._id) : nil
  }

  /// Arms a timer that expires after the duration of the lane.
  ///
  /// - Parameters:
  ///   - payload: What the callback of `advance(to:limit:expire:)` is handed.
  ///   - now: The current tick. A sum beyond the last tick is read as the last tick.
  /// - Returns: The handle that cancels or restarts the timer.
  /// - Complexity: O(1), averaged over the calls; without allocation once the lane has been as full.
  @inlinable
  @discardableResult
  public mutating func schedule(_ payload: consuming Payload, now: UInt64) -> Handle {
    let deadline = _deadline(from: now)
    let handle = _slab.arm(payload, deadline: deadline)
    _ring.append(_Entry(deadline: deadline, handle: handle))
    return handle
  }

  /// Disarms a timer and gives its payload back.
  ///
  /// - Parameter handle: What `schedule(_:now:)` returned.
  /// - Returns: The payload, which the lane no longer holds; nil when the handle is stale.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  @discardableResult
  public mutating func cancel(_ handle: Handle) -> Payload? {
    guard _slab.isArmed(handle) else { return nil }
    let payload = _slab.release(handle._id)
    _ring.bury(handle._id, _slab.places)
    return payload
  }

  /// Lets a timer wait its full duration again, from now on: there was traffic.
  ///
  /// The handle stays good. Restarted twice in one tick, the second call finds nothing to do.
  ///
  /// - Parameters:
  ///   - handle: What `schedule(_:now:)` returned.
  ///   - now: The current tick.
  /// - Returns: Whether the timer was still armed.
  /// - Complexity: O(1), averaged over the calls; without allocation once the lane has been as full.
  @inlinable
  @discardableResult
  public mutating func restart(_ handle: Handle, now: UInt64) -> Bool {
    let deadline = _deadline(from: now)
    guard _slab.isArmed(handle) else { return false }
    guard _slab.places.deadline(of: handle._id) != deadline else { return true }
    _slab.places.setDeadline(deadline, of: handle._id)
    _ring.append(_Entry(deadline: deadline, handle: handle))
    _ring.bury(handle._id, _slab.places)
    return true
  }

  /// Takes note of the time and says when a timer that is armed now expires.
  @inlinable
  mutating func _deadline(from now: UInt64) -> UInt64 {
    if now > _now { _now = now }
    let (sum, overflow) = _now.addingReportingOverflow(duration)
    return overflow ? .max : sum
  }
}
