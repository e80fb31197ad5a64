internal import CTime
internal import HeadwayLock
internal import HeadwaySystem
internal import Synchronization

/// The wheels of a timer service and what wakes them.
final class TimerCore: Sendable {
  /// The most expired timers that are taken out of a wheel before they are run.
  static let batch = 64
  /// The number of wheels of a service: enough for the threads of a machine, each about 40 kB.
  static let shardCount = 8

  /// The wheels.
  private let shards: [TimerShard]
  /// What rings when the earliest timer is due.
  private let waker: TimerWaker

  /// Creates wheels on an alarm.
  ///
  /// - Parameters:
  ///   - alarm: The clock and what rings.
  ///   - tick: The nanoseconds of a tick.
  ///   - shards: The number of wheels.
  init(alarm: any TimerAlarm, tick: UInt64, shards: Int) {
    let waker = TimerWaker(alarm: alarm, tick: tick)
    self.waker = waker
    self.shards = (0..<shards).map { _ in TimerShard(waker) }
    // The wheels are held, the core is not: when the service goes, the alarm is stopped.
    alarm.start { [shards = self.shards] in Self.fire(shards, waker) }
  }

  /// The number of timers that are scheduled.
  var count: Int { shards.reduce(0) { $0 + $1.count } }

  /// The present moment in nanoseconds.
  var nanoseconds: UInt64 { waker.nanoseconds }

  /// Schedules an action on the wheel of the calling thread.
  func schedule(_ action: TimerAction, after delay: Duration, tolerance: Duration) -> TimerToken {
    let shard = shards[SystemThread.number % shards.count]
    let deadline = waker.deadline(after: delay, tolerance: tolerance)
    guard let handle = shard.schedule(action, at: deadline) else {
      return TimerToken(shard: nil, handle: .none)
    }
    return TimerToken(shard: shard, handle: handle)
  }

  /// Takes everything out of the wheels and keeps it out.
  ///
  /// - Returns: The number of timers that were scheduled.
  @discardableResult
  func shutDown() -> Int {
    waker.stop()
    var dropped = 0
    for shard in shards {
      let actions = shard.close()
      dropped += actions.count
      for action in actions { action.drop() }
    }
    return dropped
  }

  /// Runs what is due and sees to it that the rest is rung for.
  private static func fire(_ shards: [TimerShard], _ waker: TimerWaker) {
    // From here on whoever schedules asks for the alarm itself; what was scheduled before is seen below.
    waker.forget()
    var next = UInt64.max
    var actions: [TimerAction] = []
    var isCaughtUp = false
    // A batch of each wheel in turn: one that never catches up must not keep the others waiting.
    while !isCaughtUp {
      isCaughtUp = true
      next = .max
      for shard in shards {
        let turn = shard.take(&actions, at: waker.now, limit: batch)
        for action in actions {
          if waker.isStopped { action.drop() } else { action.fire() }
        }
        actions.removeAll(keepingCapacity: true)
        if turn.isCaughtUp { next = min(next, turn.next) } else { isCaughtUp = false }
      }
    }
    waker.wake(at: next)
  }
}

/// When the alarm of a service has to ring, in ticks.
final class TimerWaker: Sendable {
  /// The clock and what rings.
  private let alarm: any TimerAlarm
  /// The nanoseconds of a tick.
  private let tick: UInt64
  /// The tick that the alarm is set to at the latest, `UInt64.max` when it is not set.
  private let earliest = Atomic<UInt64>(.max)

  /// Whether the service is shut down: what was taken out of a wheel before is not run any more.
  private let hasStopped = Atomic<Bool>(false)

  /// Creates a waker.
  init(alarm: any TimerAlarm, tick: UInt64) {
    self.alarm = alarm
    self.tick = tick
  }

  /// The present moment in nanoseconds.
  var nanoseconds: UInt64 { alarm.now }
  /// The last tick that has come.
  var now: UInt64 { alarm.now / tick }

  /// The tick that a delay ends with, rounded up; `UInt64.max` when it is too far.
  ///
  /// - Parameters:
  ///   - delay: How long from now.
  ///   - tolerance: How much later it may be: the tick with the most zero bits within it is taken.
  /// - Returns: The tick.
  func deadline(after delay: Duration, tolerance: Duration) -> UInt64 {
    let (moment, overflow) = alarm.now.addingReportingOverflow(delay.nanosecondsUp)
    if overflow { return .max }
    let exact = moment / tick + (moment % tick == 0 ? 0 : 1)
    if tolerance <= .zero { return exact }
    let slack = tolerance.nanosecondsUp / tick
    let step = (UInt64(1) << UInt64(63 - (slack | 1).leadingZeroBitCount)) - 1
    let (rounded, isTooFar) = exact.addingReportingOverflow(step)
    return isTooFar ? exact : rounded & ~step
  }

  /// Forgets that the alarm is set, because it has rung.
  func forget() {
    // The locks of the wheels order this: whoever schedules after `take` has looked at a wheel sees it.
    earliest.store(.max, ordering: .relaxed)
  }

  /// Sees to it that the alarm rings by a tick.
  func wake(at deadline: UInt64) {
    var known = earliest.load(ordering: .relaxed)
    while deadline < known {
      let (exchanged, original) = earliest.compareExchange(
        expected: known, desired: deadline, ordering: .relaxed)
      if exchanged {
        let (moment, overflow) = deadline.multipliedReportingOverflow(by: tick)
        return alarm.set(overflow ? .max : moment)
      }
      known = original
    }
  }

  /// Whether the service is shut down.
  var isStopped: Bool { hasStopped.load(ordering: .acquiring) }

  /// Ends the alarm.
  func stop() {
    hasStopped.store(true, ordering: .releasing)
    alarm.stop()
  }
}

/// One wheel of a service behind its lock.
final class TimerShard: Sendable {
  /// The wheel, and whether it takes timers.
  private struct State: ~Copyable {
    /// The timers.
    var wheel: TimingWheel<TimerAction>
    /// Whether the service is shut down.
    var isClosed = false
  }

  /// What a look at the wheel has brought.
  struct Turn {
    /// Whether everything that was due has been taken.
    var isCaughtUp: Bool
    /// The tick to look again at, `UInt64.max` when there are no timers.
    var next: UInt64
  }

  /// The wheel.
  private let state: Guarded<State>
  /// What wakes the service.
  private let waker: TimerWaker

  /// Creates a wheel.
  init(_ waker: TimerWaker) {
    self.waker = waker
    state = Guarded(State(wheel: TimingWheel(now: waker.now)))
  }

  /// The number of timers in the wheel.
  var count: Int { state.withLock { $0.wheel.count } }

  /// Puts a timer into the wheel.
  ///
  /// - Parameters:
  ///   - action: What happens when it fires.
  ///   - deadline: The tick.
  /// - Returns: The timer, nil when the service is shut down.
  func schedule(_ action: TimerAction, at deadline: UInt64) -> TimingWheel<TimerAction>.Handle? {
    let handle = state.withLock { state -> TimingWheel<TimerAction>.Handle? in
      state.isClosed ? nil : state.wheel.schedule(action, at: deadline)
    }
    if handle != nil { waker.wake(at: deadline) }
    return handle
  }

  /// Takes a timer out of the wheel.
  ///
  /// - Parameter handle: The timer.
  /// - Returns: Whether it was there.
  func cancel(_ handle: TimingWheel<TimerAction>.Handle) -> Bool {
    // The action is released here, outside the lock: its end may run anything.
    let action = state.withLock { $0.wheel.cancel(handle) }
    return action != nil
  }

  /// Moves a timer.
  ///
  /// - Parameters:
  ///   - handle: The timer.
  ///   - delay: How long from now.
  /// - Returns: Whether it was there.
  func reschedule(_ handle: TimingWheel<TimerAction>.Handle, after delay: Duration) -> Bool {
    let deadline = waker.deadline(after: delay, tolerance: .zero)
    let isMoved = state.withLock { $0.wheel.reschedule(handle, to: deadline) }
    if isMoved { waker.wake(at: deadline) }
    return isMoved
  }

  /// Whether a timer is in the wheel.
  func isScheduled(_ handle: TimingWheel<TimerAction>.Handle) -> Bool {
    state.withLock { $0.wheel.deadline(of: handle) != nil }
  }

  /// Takes what is due.
  ///
  /// - Parameters:
  ///   - actions: What to add it to.
  ///   - now: The present tick.
  ///   - limit: About how many timers to take.
  /// - Returns: What comes next.
  func take(_ actions: inout [TimerAction], at now: UInt64, limit: Int) -> Turn {
    var taken: [TimerAction] = []
    swap(&taken, &actions)
    let turn = state.withLock { state in
      let result = state.wheel.advance(to: now, limit: limit) { _, timer in
        taken.append(timer.payload)
      }
      return Turn(isCaughtUp: result == .caughtUp, next: state.wheel.nextExpiry ?? .max)
    }
    swap(&taken, &actions)
    return turn
  }

  /// Empties the wheel for good.
  ///
  /// - Returns: What was scheduled.
  func close() -> [TimerAction] {
    var actions: [TimerAction] = []
    state.withLock { state in
      state.isClosed = true
      state.wheel.removeAll { actions.append($0) }
    }
    return actions
  }
}
