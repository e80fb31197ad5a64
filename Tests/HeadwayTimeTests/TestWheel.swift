import HeadwayTime
import Testing

/// A wheel that can be handed about and asked inside `#expect`, which takes no values that cannot be copied.
final class TestWheel<Payload> {
  /// The wheel.
  var value: TimingWheel<Payload>

  /// Creates a wheel without timers.
  init(now: UInt64 = 0, shape: WheelShape = .full) { value = TimingWheel(now: now, shape: shape) }

  /// The present tick.
  var now: UInt64 { value.now }
  /// The number of armed timers.
  var count: Int { value.count }
  /// Whether nothing is armed.
  var isEmpty: Bool { value.isEmpty }
  /// The next expiry.
  var nextExpiry: UInt64? { value.nextExpiry }
  /// The bytes allocated.
  var memoryFootprint: Int { value.memoryFootprint }
  /// The entries that are stored, dead ones among them.
  var storedEntries: Int { value.storedEntries }

  /// Looks for contradictions.
  func brokenInvariants() -> [String] { value.brokenInvariants() }

  /// Arms a timer.
  @discardableResult
  func schedule(_ payload: Payload, at deadline: UInt64) -> TimingWheel<Payload>.Handle {
    value.schedule(payload, at: deadline)
  }

  /// Cancels a timer.
  @discardableResult
  func cancel(_ handle: TimingWheel<Payload>.Handle) -> Payload? { value.cancel(handle) }

  /// Moves a timer.
  @discardableResult
  func reschedule(_ handle: TimingWheel<Payload>.Handle, to deadline: UInt64) -> Bool {
    value.reschedule(handle, to: deadline)
  }

  /// Looks a deadline up.
  func deadline(of handle: TimingWheel<Payload>.Handle) -> UInt64? { value.deadline(of: handle) }

  /// Advances.
  ///
  /// - Parameters:
  ///   - now: The tick to advance to.
  ///   - limit: The most entries to look at.
  ///   - expire: The callback.
  /// - Returns: How far it came.
  /// - Throws: What the callback throws.
  @discardableResult
  func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimingWheel<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) ->
      Void
  ) throws(Failure) -> AdvanceResult {
    try value.advance(to: now, limit: limit, expire: expire)
  }

  /// Advances, and looks for contradictions before and afterwards.
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

  /// Advances and tells when each timer expired.
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

  /// Sleeps until the next expiry and advances to it, again and again.
  ///
  /// - Parameter wakeups: How often at most.
  /// - Returns: The payloads of each time.
  func wake(atMost wakeups: Int) -> [[Payload]] {
    var seen: [[Payload]] = []
    while seen.count < wakeups, let tick = nextExpiry, tick < .max {
      seen.append(payloads(upTo: tick))
    }
    return seen
  }
}

/// Random numbers that are the same in every run.
struct WheelRandom: RandomNumberGenerator {
  /// The state.
  private var state: UInt64

  /// Creates a row of numbers.
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// The next number.
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

/// Counts the payloads that are alive.
final class Ledger {
  /// How many there are.
  var alive = 0
}

/// A payload whose life can be observed.
final class Witness {
  /// Where it is counted.
  private let ledger: Ledger

  /// Creates a witness and counts it.
  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledger.alive += 1
  }

  deinit { ledger.alive -= 1 }
}
