import HeadwayTime
import Testing

/// A wheel in a class, because `#expect` does not accept noncopyable values.
final class TestWheel<Payload> {
  var value: TimingWheel<Payload>

  init(now: UInt64 = 0, shape: WheelShape = .full) { value = TimingWheel(now: now, shape: shape) }

  var now: UInt64 { value.now }
  /// The number of scheduled timers.
  var count: Int { value.count }
  /// Whether no timer is scheduled.
  var isEmpty: Bool { value.isEmpty }
  var nextExpiry: UInt64? { value.nextExpiry }
  /// The bytes allocated.
  var memoryFootprint: Int { value.memoryFootprint }
  /// The number of entries, including dead ones.
  var storedEntries: Int { value.storedEntries }

  /// Checks the invariants.
  func brokenInvariants() -> [String] { value.brokenInvariants() }

  /// Schedules a timer.
  @discardableResult
  func schedule(_ payload: Payload, at deadline: UInt64) -> TimingWheel<Payload>.Handle {
    value.schedule(payload, at: deadline)
  }

  @discardableResult
  func cancel(_ handle: TimingWheel<Payload>.Handle) -> Payload? { value.cancel(handle) }

  @discardableResult
  func reschedule(_ handle: TimingWheel<Payload>.Handle, to deadline: UInt64) -> Bool {
    value.reschedule(handle, to: deadline)
  }

  /// Returns the deadline of a timer.
  func deadline(of handle: TimingWheel<Payload>.Handle) -> UInt64? { value.deadline(of: handle) }

  /// Releases the memory that the scheduled timers do not need.
  func shrinkToFit() { value.shrinkToFit() }

  /// Advances.
  ///
  /// - Parameters:
  ///   - now: The tick to advance to.
  ///   - limit: The maximum number of entries to examine.
  ///   - expire: The callback.
  /// - Returns: Whether all due timers have expired.
  /// - Throws: The error of the callback.
  @discardableResult
  func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimingWheel<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) ->
      Void
  ) throws(Failure) -> AdvanceResult {
    try value.advance(to: now, limit: limit, expire: expire)
  }

  /// Advances, and checks the invariants before and after.
  ///
  /// - Parameter now: The tick to advance to.
  /// - Returns: The payloads that expired, in order.
  func payloads(upTo now: UInt64) -> [Payload] {
    var seen: [Payload] = []
    #expect(brokenInvariants() == [])
    advance(to: now) { _, expired in seen.append(expired.payload) }
    #expect(brokenInvariants() == [])
    return seen
  }

  /// Advances and returns the tick of each expiry.
  ///
  /// - Parameter now: The tick to advance to.
  /// - Returns: The tick of the wheel at each expiry, in order.
  func ticks(upTo now: UInt64) -> [UInt64] {
    var seen: [UInt64] = []
    advance(to: now) { wheel, expired in
      if expired.deadline > wheel.now { Issue.record("\(expired) expired at \(wheel.now)") }
      seen.append(wheel.now)
    }
    return seen
  }

  /// Repeatedly sleeps until the next expiry and advances to it.
  ///
  /// - Parameter wakeups: The maximum number.
  /// - Returns: The payloads of each time.
  func wake(atMost wakeups: Int) -> [[Payload]] {
    var seen: [[Payload]] = []
    while seen.count < wakeups, let tick = nextExpiry, tick < .max {
      seen.append(payloads(upTo: tick))
    }
    return seen
  }
}

/// Reproducible random numbers.
struct WheelRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator of numbers.
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

/// The number of living payloads.
final class Ledger {
  /// The count.
  var alive = 0
}

/// A payload whose lifetime is observable.
final class Witness {
  /// The counter to use.
  private let ledger: Ledger

  /// Creates a witness and counts it.
  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledger.alive += 1
  }

  deinit { ledger.alive -= 1 }
}
