import HeadwayTime
import Testing

/// A lane in a class, because `#expect` does not accept noncopyable values.
final class TestLane<Payload> {
  var value: TimeoutLane<Payload>

  /// Creates an empty lane.
  init(duration: UInt64, now: UInt64 = 0) { value = TimeoutLane(duration: duration, now: now) }

  /// Creates a lane whose slots are retired early.
  init(duration: UInt64, now: UInt64, generationLimit: UInt32) {
    value = TimeoutLane(duration: duration, now: now, generationLimit: generationLimit)
  }

  var now: UInt64 { value.now }
  var nextExpiry: UInt64? { value.nextExpiry }
  /// The number of scheduled timers.
  var count: Int { value.count }
  /// Whether no timer is scheduled.
  var isEmpty: Bool { value.isEmpty }
  /// The bytes allocated.
  var memoryFootprint: Int { value.memoryFootprint }
  /// The number of entries of the ring.
  var entryCount: Int { value.entryCount }
  var entryCapacity: Int { value.entryCapacity }

  /// Checks the invariants.
  func invariantViolation() -> String? { value.invariantViolation() }

  /// Schedules a timer.
  @discardableResult
  func schedule(_ payload: Payload, now: UInt64) -> TimeoutLane<Payload>.Handle {
    value.schedule(payload, now: now)
  }

  @discardableResult
  func cancel(_ handle: TimeoutLane<Payload>.Handle) -> Payload? { value.cancel(handle) }

  func restart(_ handle: TimeoutLane<Payload>.Handle, now: UInt64) -> Bool {
    value.restart(handle, now: now)
  }

  /// Returns the deadline of a timer.
  func deadline(of handle: TimeoutLane<Payload>.Handle) -> UInt64? { value.deadline(of: handle) }

  /// Advances.
  ///
  /// - Parameters:
  ///   - now: The tick to advance to.
  ///   - limit: The maximum number of timers to expire.
  ///   - expire: The callback.
  /// - Returns: Whether all due timers have expired.
  /// - Throws: The error of the callback.
  @discardableResult
  func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimeoutLane<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) ->
      Void
  ) throws(Failure) -> AdvanceResult {
    try value.advance(to: now, limit: limit, expire: expire)
  }

  /// Advances and checks the invariants.
  ///
  /// - Parameter now: The tick to advance to.
  /// - Returns: The payloads that expired, in order.
  func payloads(upTo now: UInt64) -> [Payload] {
    var seen: [Payload] = []
    advance(to: now) { _, expired in seen.append(expired.payload) }
    #expect(invariantViolation() == nil)
    return seen
  }
}
