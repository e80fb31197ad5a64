import HeadwayTime
import Repetitions
import Testing

/// A lane against a plain sorted list, over random operations, inside and outside callbacks; two million in a long run.
struct TimeoutLaneModelTests {
  /// The durations and first ticks to try, with many operations each.
  static let cases: [(duration: UInt64, start: UInt64)] = [0, 1, 7, 400, 1 << 40].flatMap {
    duration in
    [0, 1 << 32 - 5, 1 << 63 - 5, UInt64.max - 70_000].map { (duration, $0) }
  }

  @Test(arguments: 0..<cases.count)
  func `Random operations agree with a sorted list`(number: Int) {
    let trial = LaneTrial(seed: UInt64(number), duration: Self.cases[number].duration)
    trial.run(operations: repetitions(40_000, real: 100_000), from: Self.cases[number].start)
    #expect(trial.mismatch == nil)
    // The random walk covered what it should.
    #expect(trial.expired > 1000)
    #expect(trial.throws > 100)
    #expect(trial.limited > 100)
  }

  @Test func `The list detects a broken lane`() {
    let trial = LaneTrial(seed: 1, duration: 7)
    var lane = TimeoutLane<Int>(duration: 7)
    trial.arm(&lane, at: 0)
    lane.schedule(99, now: 0)
    trial.compare(lane)
    #expect(trial.mismatch != nil)
  }
}

/// A random walk of a lane next to a list of the scheduled timers.
final class LaneTrial {
  /// A timer of the list.
  struct Timer {
    var handle: TimeoutLane<Int>.Handle
    var number: Int
    /// The deadline.
    var deadline: UInt64
    /// Whether its deadline was set during the running advance.
    var isNew: Bool
  }

  /// The error that callbacks sometimes throw.
  struct Refusal: Error {}

  private var generator: DeadlineWheelTests.Generator
  /// The duration of the timers.
  private let duration: UInt64
  private var now: UInt64 = 0
  /// The scheduled timers by deadline, those with the same deadline in the order in which they got it.
  private var timers: [Timer] = []
  /// Stale handles.
  private var stale: [TimeoutLane<Int>.Handle] = []
  /// The payload of the next timer.
  private var nextNumber = 0
  /// Whether an advance is running.
  private var isAdvancing = false

  /// A description of the first difference between lane and list.
  private(set) var mismatch: String?
  /// The number of expired timers.
  private(set) var expired = 0
  /// The number of callbacks that threw.
  private(set) var `throws` = 0
  /// The number of advances that a limit stopped.
  private(set) var limited = 0

  /// Creates a walk without timers.
  init(seed: UInt64, duration: UInt64) {
    generator = DeadlineWheelTests.Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
    self.duration = duration
  }

  /// Returns a random number below a bound.
  private func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// Records the first difference.
  private func demand(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, mismatch == nil { mismatch = text() }
  }

  /// Performs operations until they are done or a difference is found.
  ///
  /// - Parameters:
  ///   - operations: The number of operations, including those inside callbacks.
  ///   - start: The first tick.
  func run(operations: Int, from start: UInt64) {
    now = start
    var lane = TimeoutLane<Int>(duration: duration, now: start)
    var done = 0
    while done < operations, mismatch == nil {
      // In phases with many restarts and few advances dead entries accumulate.
      let isQuiet = (done / 5000) % 2 == 1
      if random(isQuiet ? 200 : 8) == 0 {
        done += advance(&lane)
      } else {
        change(&lane, atMost: isQuiet ? 12 : 60)
      }
      done += 1
      compare(lane)
      if done % 64 == 0, let violation = lane.invariantViolation() { demand(false, violation) }
    }
  }

  /// Schedules, cancels or restarts a timer, or tries a stale handle.
  func change(_ lane: inout TimeoutLane<Int>, atMost bound: Int) {
    // Sometimes a tick later, and sometimes the clock has gone back.
    let step = random(10)
    let told = step == 0 ? now &- UInt64(random(5)) : step < 4 ? later(UInt64(random(3))) : now
    let tick = told > now && step == 0 ? now : told
    switch random(8) {
    case 0, 1, 2:
      if timers.count < bound { arm(&lane, at: tick) } else { cancel(&lane) }
    case 3: cancel(&lane)
    case 4: tryStale(&lane, at: tick)
    default: restart(&lane, at: tick)
    }
  }

  /// Returns a tick after the latest one, or the last one.
  private func later(_ ticks: UInt64) -> UInt64 { now > .max - ticks ? .max : now + ticks }

  /// Inserts a timer into the list.
  private func insert(_ timer: Timer) {
    let place = timers.lastIndex { $0.deadline <= timer.deadline }.map { $0 + 1 } ?? 0
    timers.insert(timer, at: place)
  }

  /// Schedules a timer in both.
  func arm(_ lane: inout TimeoutLane<Int>, at tick: UInt64) {
    now = max(now, tick)
    let handle = lane.schedule(nextNumber, now: tick)
    insert(
      Timer(handle: handle, number: nextNumber, deadline: later(duration), isNew: isAdvancing))
    nextNumber += 1
  }

  /// Cancels a random timer in both, rarely the first one.
  private func cancel(_ lane: inout TimeoutLane<Int>) {
    guard let place = somewhere() else { return }
    let timer = timers.remove(at: place)
    let payload = lane.cancel(timer.handle)
    demand(payload == timer.number, "Cancelling \(timer) gave \(String(describing: payload)).")
    retire(timer.handle)
  }

  /// Restarts a random timer in both, rarely the first one.
  private func restart(_ lane: inout TimeoutLane<Int>, at tick: UInt64) {
    guard let place = somewhere() else { return }
    now = max(now, tick)
    var timer = timers[place]
    let isArmed = lane.restart(timer.handle, now: tick)
    demand(isArmed, "Restarting \(timer) found it gone.")
    guard timer.deadline != later(duration) else { return }
    timers.remove(at: place)
    timer.deadline = later(duration)
    timer.isNew = isAdvancing
    insert(timer)
  }

  /// Returns a random index in the list, the first one only one time in eight.
  private func somewhere() -> Int? {
    guard !timers.isEmpty else { return nil }
    return timers.count > 1 && random(8) != 0 ? 1 + random(timers.count - 1) : 0
  }

  /// Stores a stale handle.
  private func retire(_ handle: TimeoutLane<Int>.Handle) {
    if stale.count < 50 { stale.append(handle) } else { stale[random(50)] = handle }
  }

  /// Uses a stale handle in every possible way.
  private func tryStale(_ lane: inout TimeoutLane<Int>, at tick: UInt64) {
    guard !stale.isEmpty else { return }
    let handle = stale[random(stale.count)]
    now = max(now, tick)
    demand(lane.deadline(of: handle) == nil, "A stale handle has a deadline.")
    let isArmed = lane.restart(handle, now: tick)
    demand(!isArmed, "A stale handle was restarted.")
    let payload = lane.cancel(handle)
    demand(payload == nil, "A stale handle was cancelled.")
  }

  /// Advances both, with changes, throws and limits.
  ///
  /// - Parameter lane: The lane.
  /// - Returns: The number of changes inside callbacks.
  private func advance(_ lane: inout TimeoutLane<Int>) -> Int {
    let steps: [UInt64] = [0, 1, 5, duration, duration / 2, 100]
    let target = later(steps[random(steps.count)])
    let limit = random(3) == 0 ? 1 + random(5) : Int.max
    now = target
    isAdvancing = true
    var changes = 0
    var handed = 0
    do {
      let progress = try lane.advance(to: target, limit: limit) {
        lane, report throws(Refusal) in
        handed += 1
        changes += takeFirst(report, target: target)
        while random(3) != 0 {
          change(&lane, atMost: 60)
          compare(lane)
          changes += 1
        }
        if random(20) == 0 { throw Refusal() }
      }
      let isLeft = timers.contains { !$0.isNew && $0.deadline <= target }
      demand((progress == .limitReached) == isLeft, "\(progress), though left is \(isLeft).")
      demand(!isLeft || handed == limit, "\(handed) were handed out with limit \(limit).")
      if isLeft { limited += 1 }
    } catch {
      `throws` += 1
    }
    demand(handed <= limit, "The limit \(limit) was passed: \(handed).")
    isAdvancing = false
    for place in timers.indices { timers[place].isNew = false }
    return changes
  }

  /// Compares an expired timer with the first of the list that is due.
  ///
  /// - Parameters:
  ///   - report: The expired timer.
  ///   - target: The tick of the advance.
  /// - Returns: 1, for the operation that an expiry is.
  private func takeFirst(_ report: ExpiredTimer<Int>, target: UInt64) -> Int {
    guard let place = timers.firstIndex(where: { !$0.isNew }), timers[place].deadline <= target
    else {
      demand(false, "\(report) expired and nothing was due at \(target).")
      return 1
    }
    let timer = timers.remove(at: place)
    demand(
      report.payload == timer.number && report.deadline == timer.deadline,
      "\(report) expired and not \(timer).")
    retire(timer.handle)
    expired += 1
    return 1
  }

  /// Compares all properties.
  func compare(_ lane: borrowing TimeoutLane<Int>) {
    demand(lane.count == timers.count, "\(lane.count) timers and not \(timers.count).")
    demand(lane.now == now, "It is \(lane.now) and not \(now).")
    let expiry = lane.nextExpiry
    demand(expiry == timers.first?.deadline, "Next is \(String(describing: expiry)).")
    if let timer = timers.last {
      let deadline = lane.deadline(of: timer.handle)
      demand(deadline == timer.deadline, "\(timer) is due at \(String(describing: deadline)).")
    }
  }
}
