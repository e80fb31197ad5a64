import HeadwayTime
import Testing

/// The wheel beside a plain list that does the same, over ten million random calls, inside and outside
/// callbacks.
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
    var generations: UInt32 = .max >> 3

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

  #if TSAN
    /// The calls of a case: few, because one thread makes them all and ThreadSanitizer slows each down.
    private static let operations = 25_000
  #else
    /// The calls of a case; the cases make ten million together.
    private static let operations = 500_000
  #endif

  @Test(arguments: Case.all)
  func `The wheel does what a list does`(_ shape: Case) {
    let trial = WheelTrial(shape, seed: shape.start &+ UInt64(shape.bits))
    trial.run(operations: Self.operations)
    #expect(trial.mistake == nil)
    // The random walk went where it should.
    #expect(trial.expired > Self.operations / 25)
    #expect(trial.changedInside > Self.operations / 50)
    #expect(trial.throws > Self.operations / 1000)
    #expect(trial.cut > Self.operations / 1000)
    #expect(trial.exact > Self.operations / 250)
  }

  @Test func `The list tells a wheel that is wrong`() {
    let trial = WheelTrial(Case.all[0], seed: 1)
    trial.check()
    #expect(trial.mistake == nil)
    trial.wheel.schedule(7, at: 3)
    trial.check()
    #expect(trial.mistake != nil)
  }
}

/// A random walk of a wheel beside the list of what is armed.
final class WheelTrial {
  /// What a callback throws at times.
  struct Refusal: Error {}

  /// The wheel.
  var wheel: TimingWheel<UInt32>
  /// What is known of it.
  private let list: WheelList
  /// The shape and the first tick.
  private let shape: TimingWheelModelTests.Case

  /// The first difference between wheel and list, in words.
  var mistake: String? { list.mistake }
  /// How many timers expired.
  private(set) var expired = 0
  /// How many calls were made inside callbacks.
  private(set) var changedInside = 0
  /// How many callbacks threw.
  private(set) var `throws` = 0
  /// How often a limit was reached.
  private(set) var cut = 0
  /// How often the next expiry had to be exact.
  private(set) var exact = 0

  /// Creates a walk with nothing armed.
  init(_ shape: TimingWheelModelTests.Case, seed: UInt64) {
    self.shape = shape
    wheel = Self.wheel(of: shape)
    list = WheelList(shape, seed: seed)
  }

  /// A wheel of a shape.
  private static func wheel(of shape: TimingWheelModelTests.Case) -> TimingWheel<UInt32> {
    TimingWheel(
      now: shape.start,
      shape: WheelShape(bits: shape.bits, levels: shape.levels, generations: shape.generations))
  }

  /// Walks until the operations are done or something differs.
  ///
  /// - Parameter operations: How many operations, those inside callbacks included.
  func run(operations: Int) {
    var done = 0
    var begun = 0
    while done + changedInside < operations, mistake == nil {
      step()
      done += 1
      // The end of time would swallow the walk.
      if done - begun >= 4096 {
        begun = done
        finish()
      }
    }
    finish()
  }

  /// Makes a random call and compares.
  private func step() {
    switch list.dice(16) {
    case 0..<11: change(&wheel, isInside: false)
    case 11: compareNext()
    default: advance(to: list.laterTick())
    }
  }

  /// Compares all there is to compare.
  func check() {
    for broken in wheel.brokenInvariants() { list.demand(false, broken) }
    list.demand(wheel.count == list.timers.count, "\(wheel.count) are not \(list.timers.count)")
    for timer in list.timers {
      let deadline = wheel.deadline(of: timer.handle)
      list.demand(deadline == timer.deadline, "\(timer) is due at \(deadline ?? 0)")
    }
  }

  /// Lets everything expire and begins anew with another wheel.
  private func finish() {
    check()
    advance(to: .max - 1)
    for _ in 0..<400 where list.isCut { advance(to: .max - 1) }
    let left = list.timers.contains { $0.deadline < .max && $0.late?.tick != .max - 1 }
    list.demand(!left, "timers are left at the end of time")
    wheel = Self.wheel(of: shape)
    list.begin()
  }

  // MARK: - The calls

  /// Arms, cancels or moves a timer, or tries a stale handle.
  private func change(_ wheel: inout TimingWheel<UInt32>, isInside: Bool) {
    switch list.dice(11) {
    case 0..<5 where list.timers.count < 48:
      let deadline = list.anyDeadline()
      let number = list.nextNumber
      list.arm(wheel.schedule(number, at: deadline), at: deadline, isInside: isInside)
    case 5..<7, 0..<5:
      guard let place = list.somewhere() else { return }
      let timer = list.remove(at: place)
      let payload = wheel.cancel(timer.handle)
      list.demand(payload == timer.number, "cancelling \(timer) gave \(payload ?? .max)")
    case 7..<10:
      guard let place = list.somewhere() else { return }
      let deadline = list.anyDeadline()
      let isArmed = wheel.reschedule(list.timers[place].handle, to: deadline)
      list.demand(isArmed, "an armed timer was not moved")
      list.move(place, to: deadline, isInside: isInside)
    default: tryStale(&wheel)
    }
    list.demand(wheel.count == list.timers.count, "\(wheel.count) are not \(list.timers.count)")
  }

  /// Does with a stale handle whatever can be done.
  private func tryStale(_ wheel: inout TimingWheel<UInt32>) {
    guard let handle = list.anyStale() else { return }
    let payload = wheel.cancel(handle)
    list.demand(payload == nil, "a stale handle cancelled \(payload ?? 0)")
    let isArmed = wheel.reschedule(handle, to: list.now)
    list.demand(!isArmed, "a stale handle moved a timer")
    list.demand(wheel.deadline(of: handle) == nil, "a stale handle has a deadline")
  }

  /// Compares the next expiry, and advances to it.
  private func compareNext() {
    let tick = wheel.nextExpiry
    guard let earliest = list.earliest else {
      return list.demand(tick == nil, "nothing is armed, and something expires at \(tick ?? 0)")
    }
    guard let tick else { return list.demand(false, "no next expiry before \(earliest)") }
    list.demand(tick <= earliest, "next expiry \(tick) is later than \(earliest)")
    let isNear = earliest >> UInt64(shape.bits) == list.now >> UInt64(shape.bits)
    if !list.isCut, isNear {
      exact += 1
      list.demand(tick == earliest, "next expiry \(tick) is not \(earliest)")
    }
    guard !list.isCut, tick < .max, tick - list.now < 1 << 20 || list.dice(50) == 0 else { return }
    // An advance to it gets on: either something expires or the next answer is later.
    let before = expired
    advance(to: tick, isGentle: true)
    guard let after = wheel.nextExpiry else { return }
    list.demand(expired > before || after > tick, "no progress at \(tick)")
  }

  /// Lets time pass, with callbacks that use the wheel, and compares what expires.
  ///
  /// - Parameters:
  ///   - target: The tick to advance to.
  ///   - isGentle: Whether neither a limit nor a throw ends it before.
  private func advance(to target: UInt64, isGentle: Bool = false) {
    let limit = isGentle || list.dice(3) != 0 ? Int.max : 1 + list.dice(9)
    var handed = 0
    list.beginAdvance(to: target)
    do {
      let result = try wheel.advance(to: target, limit: limit) { wheel, timer throws(Refusal) in
        handed += 1
        list.expire(timer, at: wheel.now)
        while list.dice(2) == 0 {
          changedInside += 1
          change(&wheel, isInside: true)
        }
        if list.dice(16) == 0 { ask(&wheel) }
        if !isGentle, list.dice(20) == 0 { throw Refusal() }
      }
      if result == .limitReached { cut += 1 }
      list.endAdvance(result, at: wheel.now)
    } catch {
      `throws` += 1
      list.endAdvance(.limitReached, at: wheel.now)
    }
    expired += handed
    list.demand(handed <= limit, "\(handed) were handed out with limit \(limit)")
  }

  /// Asks for the next expiry in a callback.
  private func ask(_ wheel: inout TimingWheel<UInt32>) {
    let tick = wheel.nextExpiry
    list.demand((tick == nil) == list.timers.isEmpty, "next is \(tick ?? 0)")
    if let tick, let earliest = list.earliest {
      list.demand(tick <= earliest, "inside, next \(tick) is later than \(earliest)")
    }
  }
}
