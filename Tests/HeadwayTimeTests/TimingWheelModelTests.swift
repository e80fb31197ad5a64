import HeadwayTime
import Testing

/// The wheel beside a sorted list that does the same, over random calls.
struct TimingWheelModelTests {
  /// A shape and a first tick.
  struct Case: CustomTestStringConvertible, Sendable {
    /// The bits of a level.
    var bits: Int
    /// The number of levels.
    var levels: Int
    /// The tick that the wheel begins at.
    var start: UInt64
    /// How often a node may be used.
    var generations: UInt32 = .max >> 2

    /// The case in words.
    var testDescription: String { "\(levels) levels of \(bits) bits from \(start)" }

    /// Shapes from tiny to full, at ticks around every power that can go wrong.
    static let all: [Case] = [0, (1 << 32) - 5, (1 << 63) - 5, 0 &- 70_000].flatMap { start in
      [
        Case(bits: 2, levels: 3, start: start), Case(bits: 1, levels: 4, start: start),
        Case(bits: 3, levels: 2, start: start, generations: 3),
        Case(bits: 6, levels: 3, start: start), Case(bits: 8, levels: 4, start: start),
      ]
    }
  }

  @Test(arguments: Case.all)
  func `The wheel does what a sorted list does`(_ shape: Case) {
    var run = WheelModel(shape, seed: shape.start &+ UInt64(shape.bits))
    for step in 0..<Self.steps {
      run.step()
      if step % 4096 == 0 { run.check() }
    }
    run.finish()
    #expect(run.mistakes == [])
  }

  /// The calls of each case.
  static let steps = 500_000
}

/// A wheel and the list that it is compared with.
struct WheelModel: ~Copyable {
  /// A timer of the list.
  private struct Timer {
    /// When it expires.
    var deadline: UInt64
    /// The wheel's handle.
    var handle: TimingWheel<UInt32>.Handle
    /// What it carries.
    var number: UInt32
  }

  /// The wheel.
  private var wheel: TimingWheel<UInt32>
  /// The armed timers, in no order.
  private var timers: [Timer] = []
  /// Where each number stands in `timers`, -1 when it is not armed.
  private var places: [Int] = []
  /// Handles that are stale.
  private var stale: [TimingWheel<UInt32>.Handle] = []
  /// The state of the random numbers.
  private var random: UInt64
  /// The present tick.
  private var now: UInt64
  /// The bits that all levels cover.
  private let span: Int
  /// What went wrong.
  private(set) var mistakes: [String] = []

  /// Creates a wheel of a shape.
  init(_ shape: TimingWheelModelTests.Case, seed: UInt64) {
    wheel = TimingWheel(
      now: shape.start,
      shape: WheelShape(bits: shape.bits, levels: shape.levels, generations: shape.generations))
    now = shape.start
    span = shape.bits * shape.levels
    random = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493
  }

  /// Makes a random call and compares.
  mutating func step() {
    switch next(16) {
    case 0..<6 where timers.count < 120: schedule()
    case 6..<9: cancel()
    case 9..<12: reschedule()
    case 12: cancelStale()
    case 13: compareNext()
    default: advance(to: now &+ min(distance(), .max - now), limit: next(3) == 0 ? next(9) : .max)
    }
  }

  /// Lets everything expire.
  mutating func finish() {
    check()
    advance(to: .max - 1, limit: .max)
    expect(timers.allSatisfy { $0.deadline == .max }, "timers are left at the end of time")
  }

  /// Looks at the wheel's inner order.
  mutating func check() {
    for broken in wheel.brokenInvariants() { expect(false, broken) }
  }

  // MARK: - The calls

  /// Arms a timer.
  private mutating func schedule() {
    let deadline = anyDeadline()
    let number = UInt32(places.count)
    places.append(timers.count)
    let handle = wheel.schedule(number, at: deadline)
    timers.append(Timer(deadline: deadline, handle: handle, number: number))
    expect(wheel.count == timers.count, "the count is off after schedule")
  }

  /// Cancels an armed timer.
  private mutating func cancel() {
    guard !timers.isEmpty else { return }
    let timer = timers[next(timers.count)]
    let payload = wheel.cancel(timer.handle)
    expect(payload == timer.number, "cancel answered \(String(describing: payload))")
    forget(timer.number)
    expect(wheel.count == timers.count, "the count is off after cancel")
  }

  /// Moves an armed timer.
  private mutating func reschedule() {
    guard !timers.isEmpty else { return }
    let place = next(timers.count)
    let deadline = anyDeadline()
    expect(wheel.reschedule(timers[place].handle, to: deadline), "an armed timer was not moved")
    timers[place].deadline = deadline
    expect(wheel.deadline(of: timers[place].handle) == deadline, "a moved deadline is another")
  }

  /// Tries handles that are stale.
  private mutating func cancelStale() {
    guard !stale.isEmpty else { return }
    let handle = stale[next(stale.count)]
    let payload = wheel.cancel(handle)
    expect(payload == nil, "a stale handle cancelled \(String(describing: payload))")
    expect(!wheel.reschedule(handle, to: now), "a stale handle moved a timer")
    expect(wheel.deadline(of: handle) == nil, "a stale handle has a deadline")
  }

  /// Compares the next expiry.
  private mutating func compareNext() {
    let tick = wheel.nextExpiry
    guard let earliest = timers.map(\.deadline).min() else {
      return expect(tick == nil, "nothing is armed, and something expires at \(tick ?? 0)")
    }
    guard let tick else { return expect(false, "no next expiry before \(earliest)") }
    expect(tick <= max(earliest, now), "next expiry \(tick) is later than \(earliest)")
    // An advance to it gets on: either something expires or the next answer is later.
    advance(to: max(now, tick), limit: .max)
    if let after = wheel.nextExpiry {
      expect(after > tick || after == .max, "no progress at \(tick)")
    }
  }

  /// Lets time pass, with callbacks that use the wheel, and compares what expired.
  private mutating func advance(to target: UInt64, limit: Int) {
    var expired: [UInt32] = []
    var last: UInt64 = 0
    var isOrdered = true
    let result = wheel.advance(to: target, limit: limit) { wheel, timer in
      expired.append(timer.payload)
      // Those that were late when they were armed come when they may; all others in the order of their deadlines.
      guard timer.deadline >= wheel.now else { return }
      isOrdered = isOrdered && timer.deadline == wheel.now && timer.deadline >= last
      last = timer.deadline
    }
    now = max(now, target)
    expect(isOrdered, "timers expired early or out of order")
    for number in expired {
      let place = places[Int(number)]
      guard place >= 0 else {
        expect(false, "timer \(number) expired, and is not armed")
        continue
      }
      expect(timers[place].deadline <= now, "timer \(number) expired early")
      forget(number)
    }
    guard result == .caughtUp else {
      now = wheel.now
      return
    }
    let reached = wheel.now
    expect(reached == now, "the wheel is at \(reached)")
    let left = timers.first { $0.deadline <= now && $0.deadline < .max }
    expect(left == nil, "a timer for \(left?.deadline ?? 0) is left behind")
    expect(wheel.count == timers.count, "the count is off after advance")
  }

  // MARK: - Helpers

  /// Takes a timer off the list.
  private mutating func forget(_ number: UInt32) {
    let place = places[Int(number)]
    places[Int(number)] = -1
    let handle = timers[place].handle
    let oldest = next(64)
    if stale.count == 64 { stale.remove(at: oldest) }
    stale.append(handle)
    let last = timers.removeLast()
    if last.number != number {
      timers[place] = last
      places[Int(last.number)] = place
    }
  }

  /// Notes a mistake.
  private mutating func expect(_ holds: Bool, _ mistake: @autoclosure () -> String) {
    if !holds && mistakes.count < 10 { mistakes.append("at \(now): \(mistake())") }
  }

  /// A deadline: around a power of the levels, anywhere, past, or at the end of time.
  private mutating func anyDeadline() -> UInt64 {
    switch next(32) {
    case 0: 0
    case 1: now
    case 2: .max - UInt64(next(3))
    case 3: now &- UInt64(next(100))
    default: now &+ min(distance(), .max - now)
    }
  }

  /// A number of ticks of any magnitude, small ones more often.
  private mutating func distance() -> UInt64 {
    let bits = next(8) == 0 ? next(min(span + 4, 60)) : next(max(span * 2 / 3, 2))
    return (1 << UInt64(bits)) &+ UInt64(next(5)) &- 2 &+ UInt64(next(max(1, 1 << min(bits, 20))))
  }

  /// A random number below a bound.
  private mutating func next(_ bound: Int) -> Int {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Int(truncatingIfNeeded: random >> 11) % bound
  }
}
