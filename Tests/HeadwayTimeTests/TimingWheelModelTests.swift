import HeadwayTime
import Repetitions
import Testing

/// The wheel beside a plain list that does the same, over random calls, inside and outside callbacks; ten
/// million in a long run.
struct TimingWheelModelTests {
  /// A shape and a first tick.
  struct Case: CustomTestStringConvertible, Sendable {
    /// The number of bits of a level.
    var bits: Int
    var levels: Int
    /// The first tick of the wheel.
    var start: UInt64
    /// The number of uses of a node.
    var generations: UInt32 = .max >> 3

    /// The parameters of the case.
    var testDescription: String { "\(levels) levels of \(bits) bits from \(start)" }

    /// Shapes from tiny to full, at ticks around every critical power of two.
    static let all: [Case] = [0, (1 << 32) - 5, (1 << 63) - 5, 0 &- 70_000].flatMap { start in
      [
        Case(bits: 2, levels: 3, start: start), Case(bits: 1, levels: 4, start: start),
        Case(bits: 3, levels: 2, start: start, generations: 3),
        Case(bits: 6, levels: 3, start: start), Case(bits: 8, levels: 4, start: start),
      ]
    }
  }

  /// The number of calls of a case; all cases of a long run together make ten million.
  private static let operations = repetitions(50_000, real: 500_000)

  @Test(arguments: Case.all)
  func `The wheel behaves like a list`(_ shape: Case) {
    let trial = WheelTrial(shape, seed: shape.start &+ UInt64(shape.bits))
    trial.run(operations: Self.operations)
    #expect(trial.firstDifference == nil)
    // The random walk covered what it should.
    #expect(trial.expired > Self.operations / 25)
    #expect(trial.changedInside > Self.operations / 50)
    #expect(trial.throws > Self.operations / 1000)
    #expect(trial.cut > Self.operations / 1000)
    #expect(trial.exact > Self.operations / 250)
    #expect(trial.shrunk > Self.operations / 5000)
  }

  @Test func `The list detects a broken wheel`() {
    let trial = WheelTrial(Case.all[0], seed: 1)
    trial.check()
    #expect(trial.firstDifference == nil)
    trial.wheel.schedule(7, at: 3)
    trial.check()
    #expect(trial.firstDifference != nil)
  }
}

/// A random walk of a wheel next to a list of the scheduled timers.
final class WheelTrial {
  /// The error that callbacks sometimes throw.
  struct Refusal: Error {}

  var wheel: TimingWheel<UInt32>
  /// The state of the timer.
  private let list: WheelList
  /// The shape and the first tick.
  private let shape: TimingWheelModelTests.Case

  /// A description of the first difference between wheel and list.
  var firstDifference: String? { list.firstDifference }
  /// The number of expired timers.
  private(set) var expired = 0
  /// The number of calls inside callbacks.
  private(set) var changedInside = 0
  /// The number of callbacks that threw.
  private(set) var `throws` = 0
  /// The number of times that memory was given back.
  private(set) var shrunk = 0
  /// The number of advances that a limit stopped.
  private(set) var cut = 0
  /// The number of times that the next expiry had to be exact.
  private(set) var exact = 0

  /// Creates a walk without timers.
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

  /// Performs operations until they are done or a difference is found.
  ///
  /// - Parameter operations: The number of operations, including those inside callbacks.
  func run(operations: Int) {
    var done = 0
    var begun = 0
    while done + changedInside < operations, firstDifference == nil {
      step()
      done += 1
      // The last tick would end the walk.
      if done - begun >= 4096 {
        begun = done
        finish()
      }
    }
    finish()
  }

  /// Performs a random call on both and compares them.
  private func step() {
    switch list.randomNumber(16) {
    case 0..<11: change(&wheel, isInside: false)
    case 11: compareNext()
    case 12 where list.randomNumber(50) == 0:
      wheel.shrinkToFit()
      shrunk += 1
      check()
    default: advance(to: list.laterTick())
    }
  }

  /// Compares all properties.
  func check() {
    for broken in wheel.brokenInvariants() { list.demand(false, broken) }
    list.demand(wheel.count == list.timers.count, "\(wheel.count) are not \(list.timers.count)")
    for timer in list.timers {
      let deadline = wheel.deadline(of: timer.handle)
      list.demand(deadline == timer.deadline, "\(timer) is due at \(deadline ?? 0)")
    }
  }

  /// Expires all timers and continues with another wheel.
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

  /// Schedules, cancels or moves a timer, or tries a stale handle.
  private func change(_ wheel: inout TimingWheel<UInt32>, isInside: Bool) {
    switch list.randomNumber(11) {
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

  /// Uses a stale handle in every possible way.
  private func tryStale(_ wheel: inout TimingWheel<UInt32>) {
    guard let handle = list.anyStale() else { return }
    let payload = wheel.cancel(handle)
    list.demand(payload == nil, "a stale handle cancelled \(payload ?? 0)")
    let isArmed = wheel.reschedule(handle, to: list.now)
    list.demand(!isArmed, "a stale handle moved a timer")
    list.demand(wheel.deadline(of: handle) == nil, "a stale handle has a deadline")
  }

  /// Compares the next expiry and advances to it.
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
    guard !list.isCut, tick < .max, tick - list.now < 1 << 20 || list.randomNumber(50) == 0 else {
      return
    }
    // An advance to it makes progress: either a timer expires or the next expiry is later.
    let before = expired
    advance(to: tick, isGentle: true)
    guard let after = wheel.nextExpiry else { return }
    list.demand(expired > before || after > tick, "no progress at \(tick)")
  }

  /// Advances both, with callbacks that use the wheel, and compares the expired timers.
  ///
  /// - Parameters:
  ///   - target: The tick to advance to.
  ///   - isGentle: Whether no limit and no error stops it.
  private func advance(to target: UInt64, isGentle: Bool = false) {
    let limit = isGentle || list.randomNumber(3) != 0 ? Int.max : 1 + list.randomNumber(9)
    var handed = 0
    list.beginAdvance(to: target)
    do {
      let result = try wheel.advance(to: target, limit: limit) { wheel, timer throws(Refusal) in
        handed += 1
        list.expire(timer, at: wheel.now)
        while list.randomNumber(2) == 0 {
          changedInside += 1
          change(&wheel, isInside: true)
        }
        if list.randomNumber(16) == 0 { ask(&wheel) }
        if !isGentle, list.randomNumber(20) == 0 { throw Refusal() }
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

  /// Reads the next expiry in a callback.
  private func ask(_ wheel: inout TimingWheel<UInt32>) {
    if list.randomNumber(4) == 0 { wheel.shrinkToFit() }
    let tick = wheel.nextExpiry
    list.demand((tick == nil) == list.timers.isEmpty, "next is \(tick ?? 0)")
    if let tick, let earliest = list.earliest {
      list.demand(tick <= earliest, "inside, next \(tick) is later than \(earliest)")
    }
  }
}
