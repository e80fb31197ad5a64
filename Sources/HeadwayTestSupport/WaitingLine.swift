internal import HeadwayTime

/// All who wait for virtual time, and the time itself: the core of a clock, without lock and
/// without effect.
///
/// It answers with whom to wake; its holder leaves the lock and wakes them.
struct WaitingLine: ~Copyable {
  /// Who waits.
  enum Waiter {
    /// A sleeping task.
    case task(CheckedContinuation<Void, any Error>)
    /// The alarm of a number.
    case alarm(Int)
  }

  /// One who waits, as the wheel carries it.
  struct Wait {
    /// Who waits.
    let waiter: Waiter
    /// How many began to wait before: the order of those who wait for the same moment.
    let number: UInt64
  }

  /// Names one who waits.
  typealias Handle = TimingWheel<Wait>.Handle

  /// What is known of an alarm.
  struct Alarm {
    /// What to call when it rings.
    var ring: (@Sendable () -> Void)?
    /// Its place in the line; nil or stale when it is not set.
    var wish: Handle?
    /// Whether it rings at present.
    var isRinging = false
    /// Whether it has to ring again as soon as it has ended to ring.
    var ringsAgain = false
  }

  /// All who wait; its present tick is the present moment.
  private var wheel = TimingWheel<Wait>()
  /// The number of those who have begun to wait.
  private var number: UInt64 = 0
  /// The alarms that have not been stopped.
  private var alarms: [Int: Alarm] = [:]
  /// The number of alarms that were ever made.
  private var alarmNumber = 0
  /// The number of tasks among those who wait.
  private(set) var sleeperCount = 0

  /// Creates a line without anybody, at zero.
  init() {}

  /// The present tick.
  var now: UInt64 { wheel.now }

  /// Lets someone wait.
  ///
  /// - Complexity: O(1).
  private mutating func add(_ waiter: Waiter, at tick: UInt64) -> Handle {
    number += 1
    return wheel.schedule(Wait(waiter: waiter, number: number), at: tick)
  }

  /// Takes out all who wait for a tick or an earlier one, and lets time go on to it.
  ///
  /// - Complexity: O(n log n) for n who are taken out.
  private mutating func take(at tick: UInt64) -> [Waiter] {
    var due: [Wait] = []
    wheel.advance(to: tick) { _, expired in due.append(expired.payload) }
    // The wheel promises no order among those of one tick.
    due.sort { $0.number < $1.number }
    for wait in due {
      // An alarm's wish is stale now, and says so itself.
      if case .task = wait.waiter { sleeperCount -= 1 }
    }
    return due.map(\.waiter)
  }

  /// Takes out all who wait for the next tick for which somebody waits.
  ///
  /// - Parameters:
  ///   - limit: The last tick to go to, less than `UInt64.max`.
  ///   - arrives: Whether time goes on to the limit when nobody waits; otherwise it stands still.
  /// - Returns: Whom to wake, in order; empty when nobody waits for the limit or an earlier tick.
  /// - Complexity: O(n log n) for n who are taken out, amortized.
  mutating func takeNext(upTo limit: UInt64, arrives: Bool) -> [Waiter] {
    while let tick = wheel.nextExpiry, tick <= limit {
      let due = take(at: tick)
      if !due.isEmpty { return due }
    }
    return arrives ? take(at: limit) : []
  }
}

// MARK: - Sleepers

extension WaitingLine {
  /// Lets a task sleep.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - tick: The tick to wake at.
  /// - Returns: Its place in the line; nil when the tick has come, and the task has to be woken
  ///   now.
  /// - Complexity: O(1).
  mutating func addSleeper(
    _ task: CheckedContinuation<Void, any Error>, until tick: UInt64
  ) -> Handle? {
    guard tick > now else { return nil }
    sleeperCount += 1
    return add(.task(task), at: tick)
  }

  /// Takes a sleeper out before its time.
  ///
  /// - Parameter place: Its place in the line.
  /// - Returns: The task; nil when it was woken already.
  /// - Complexity: O(1).
  mutating func removeSleeper(_ place: Handle) -> CheckedContinuation<Void, any Error>? {
    guard case .task(let task)? = wheel.cancel(place)?.waiter else { return nil }
    sleeperCount -= 1
    return task
  }
}

// MARK: - Alarms

extension WaitingLine {
  /// Makes an alarm that is not set.
  ///
  /// - Returns: Its number.
  /// - Complexity: O(1).
  mutating func addAlarm() -> Int {
    alarmNumber += 1
    alarms[alarmNumber] = Alarm()
    return alarmNumber
  }

  /// Says what to do when an alarm rings.
  ///
  /// - Parameters:
  ///   - ring: What to do.
  ///   - alarm: The number of the alarm.
  /// - Complexity: O(1).
  mutating func start(_ ring: @escaping @Sendable () -> Void, of alarm: Int) {
    alarms[alarm]?.ring = ring
  }

  /// Sets an alarm, unless it rings earlier already or was stopped.
  ///
  /// - Parameters:
  ///   - alarm: The number of the alarm.
  ///   - tick: The tick at which it has to ring.
  /// - Complexity: O(1).
  mutating func set(_ alarm: Int, to tick: UInt64) {
    guard let known = alarms[alarm] else { return }
    if let wish = known.wish, let earlier = wheel.deadline(of: wish) {
      if tick < earlier { wheel.reschedule(wish, to: tick) }
    } else {
      let wish = add(.alarm(alarm), at: tick)
      alarms[alarm]?.wish = wish
    }
  }

  /// Lets an alarm begin to ring.
  ///
  /// - Parameter alarm: The number of the alarm.
  /// - Returns: What to call before `endRing`; nil when it was stopped or never started, or rings
  ///   already and will ring again.
  /// - Complexity: O(1).
  mutating func beginRing(_ alarm: Int) -> (@Sendable () -> Void)? {
    guard let known = alarms[alarm], let ring = known.ring else { return nil }
    if known.isRinging {
      alarms[alarm]?.ringsAgain = true
      return nil
    }
    alarms[alarm]?.isRinging = true
    return ring
  }

  /// Notes that an alarm has ended to ring.
  ///
  /// - Parameter alarm: The number of the alarm.
  /// - Returns: Whether it has to ring once more.
  /// - Complexity: O(1).
  mutating func endRing(_ alarm: Int) -> Bool {
    guard let known = alarms[alarm] else { return false }
    alarms[alarm]?.isRinging = known.ringsAgain
    alarms[alarm]?.ringsAgain = false
    return known.ringsAgain
  }

  /// Takes an alarm out for good.
  ///
  /// - Parameter alarm: The number of the alarm.
  /// - Complexity: O(1).
  mutating func stop(_ alarm: Int) {
    if let wish = alarms.removeValue(forKey: alarm)?.wish { wheel.cancel(wish) }
  }
}
