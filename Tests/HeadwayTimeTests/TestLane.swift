import HeadwayTime
import Testing

/// A lane that can be handed about and asked inside `#expect`, which takes no values that cannot be copied.
final class TestLane<Payload> {
  /// The lane.
  var value: TimeoutLane<Payload>

  /// Creates a lane with nothing armed.
  init(duration: UInt64, now: UInt64 = 0) { value = TimeoutLane(duration: duration, now: now) }

  /// Creates a lane whose places are used less often.
  init(duration: UInt64, now: UInt64, generationLimit: UInt32) {
    value = TimeoutLane(duration: duration, now: now, generationLimit: generationLimit)
  }

  /// The latest tick.
  var now: UInt64 { value.now }
  /// The next expiry.
  var nextExpiry: UInt64? { value.nextExpiry }
  /// The number of armed timers.
  var count: Int { value.count }
  /// Whether nothing is armed.
  var isEmpty: Bool { value.isEmpty }
  /// The bytes allocated.
  var memoryFootprint: Int { value.memoryFootprint }
  /// The entries of the ring.
  var entryCount: Int { value.entryCount }
  /// The capacity of the ring.
  var entryCapacity: Int { value.entryCapacity }

  /// Looks for a contradiction.
  func invariantViolation() -> String? { value.invariantViolation() }

  /// Arms a timer.
  @discardableResult
  func schedule(_ payload: Payload, now: UInt64) -> TimeoutLane<Payload>.Handle {
    value.schedule(payload, now: now)
  }

  /// Cancels a timer.
  @discardableResult
  func cancel(_ handle: TimeoutLane<Payload>.Handle) -> Payload? { value.cancel(handle) }

  /// Restarts a timer.
  func restart(_ handle: TimeoutLane<Payload>.Handle, now: UInt64) -> Bool {
    value.restart(handle, now: now)
  }

  /// Looks a deadline up.
  func deadline(of handle: TimeoutLane<Payload>.Handle) -> UInt64? { value.deadline(of: handle) }

  /// Advances.
  ///
  /// - Parameters:
  ///   - now: The tick to advance to.
  ///   - limit: How many timers to hand out at most.
  ///   - expire: The callback.
  /// - Returns: How far it came.
  /// - Throws: What the callback throws.
  @discardableResult
  func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimeoutLane<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) ->
      Void
  ) throws(Failure) -> AdvanceResult {
    try value.advance(to: now, limit: limit, expire: expire)
  }

  /// Advances, and looks for a contradiction afterwards.
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
