internal import HeadwayLock
internal import HeadwaySystem
internal import Synchronization

/// The wheels of a timer service and the wake source that drives them.
@safe
final class TimerCore: Sendable {
  /// The maximum number of expired timers that are removed from a wheel before they run.
  static let batch = 64
  /// The number of wheels of a service: enough for the threads of a machine, each about 40 kB.
  static let shardCount = 8

  private let shards: [TimerShard]
  /// The same wheels, to use them without counting references: `shards` retains them.
  private let unretained: [Unmanaged<TimerShard>]
  private let scheduler: WakeScheduler

  /// Creates wheels that a wake source drives.
  ///
  /// - Parameters:
  ///   - source: The wake source.
  ///   - tick: The number of nanoseconds in a tick.
  ///   - shards: The number of wheels, a power of two.
  ///   - isPermanent: Whether the wheels live as long as the process.
  init(source: any WakeSource, tick: UInt64, shards: Int, isPermanent: Bool) {
    precondition(shards > 0 && shards & (shards - 1) == 0, "\(shards) is not a power of two")
    let scheduler = WakeScheduler(source: source, tick: tick)
    self.scheduler = scheduler
    let shards = (0..<shards).map { _ in TimerShard(scheduler, isPermanent: isPermanent) }
    self.shards = shards
    unsafe unretained = unsafe shards.map { unsafe .passUnretained($0) }
    // Captures the wheels and not the core, so that a dropped service stops the source.
    source.start { [shards] in Self.fire(shards, scheduler) }
  }

  /// The number of scheduled timers.
  var count: Int { shards.reduce(0) { $0 + $1.count } }

  /// The current time in nanoseconds.
  var nanoseconds: UInt64 { scheduler.nanoseconds }
  /// Whether no more timers are accepted.
  var isShutDown: Bool { scheduler.isStopped }

  /// Schedules an action on the wheel of the calling thread.
  @inline(__always)
  func schedule(
    _ action: consuming TimerAction, after delay: Duration, tolerance: Duration
  ) -> TimerService.Handle {
    schedule(consume action, at: scheduler.deadline(after: delay, tolerance: tolerance))
  }

  /// Schedules an action for a moment in nanoseconds.
  func schedule(
    _ action: consuming TimerAction, atMoment moment: UInt64, tolerance: Duration
  ) -> TimerService.Handle {
    schedule(consume action, at: scheduler.deadline(atMoment: moment, tolerance: tolerance))
  }

  /// Schedules an action for a tick.
  @inline(__always)
  private func schedule(
    _ action: consuming TimerAction, at deadline: UInt64
  ) -> TimerService.Handle {
    let shard = unsafe unretained[SystemThread.number & (unretained.count - 1)]
    // Moved through the closure, without counting references.
    var action = Optional.some(consume action)
    return unsafe shard._withUnsafeGuaranteedRef { $0.schedule(&action, at: deadline) }
  }

  /// The moment after a delay from now, in nanoseconds; now if the delay is not positive.
  func moment(after delay: Duration) -> UInt64 {
    let now = nanoseconds
    guard delay > .zero else { return now }
    let (moment, overflow) = now.addingReportingOverflow(delay.nanosecondsUp)
    return overflow ? .max : moment
  }

  /// The number of bytes allocated for timers.
  var memoryFootprint: Int { shards.reduce(0) { $0 + $1.memoryFootprint } }

  /// Releases the memory that the scheduled timers do not need.
  func shrinkToFit() {
    for shard in shards { shard.shrinkToFit() }
  }

  /// Cancels all timers and refuses new ones.
  ///
  /// - Returns: The number of timers that were scheduled.
  @discardableResult
  func shutDown() -> Int {
    scheduler.stop()
    var cancelled = 0
    for shard in shards {
      // The actions are released outside the lock, because that may run any code.
      cancelled += shard.close().count
    }
    return cancelled
  }

  /// Runs the actions that are due and requests a wake for the others.
  private static func fire(_ shards: [TimerShard], _ scheduler: WakeScheduler) {
    // From here on, each call of `schedule` requests a wake of its own; timers from earlier calls are seen below.
    scheduler.forget()
    var next = UInt64.max
    var actions: [TimerAction] = []
    var isCaughtUp = false
    // One batch of each wheel in turn, so that a wheel that never catches up does not starve the others.
    while !isCaughtUp {
      isCaughtUp = true
      next = .max
      for shard in shards {
        let expiry = shard.removeExpired(into: &actions, at: scheduler.now, limit: batch)
        for action in actions where !scheduler.isStopped { action.call() }
        actions.removeAll(keepingCapacity: true)
        if let expiry { next = min(next, expiry) } else { isCaughtUp = false }
      }
    }
    scheduler.requestWake(at: next)
  }
}

/// Converts times to ticks and requests wakes, but only for moments earlier than those requested before.
final class WakeScheduler: Sendable {
  private let source: any WakeSource
  /// The source if it is one of the machine's clocks, to read their time without a dynamic call.
  private let system: SystemWakeSource?
  /// The number of nanoseconds in a tick.
  private let tick: UInt64
  /// The earliest tick for which a wake is requested, `UInt64.max` if there is none.
  private let earliest = Atomic<UInt64>(.max)
  private let hasStopped = Atomic<Bool>(false)

  init(source: any WakeSource, tick: UInt64) {
    self.source = source
    system = source as? SystemWakeSource
    self.tick = tick
  }

  /// The current time in nanoseconds.
  @inline(__always)
  var nanoseconds: UInt64 { if let system { system.now } else { source.now } }
  /// The current tick, rounded down.
  var now: UInt64 { ticks(in: nanoseconds) }

  /// Returns the number of whole ticks in a number of nanoseconds.
  @inline(__always)
  private func ticks(in nanoseconds: UInt64) -> UInt64 {
    // By the usual tick, a constant, the compiler divides with a multiplication.
    tick == 1_000_000 ? nanoseconds / 1_000_000 : unusualTicks(in: nanoseconds)
  }

  // Not inlined, because the compiler would use its division in all cases.
  @inline(never)
  private func unusualTicks(in nanoseconds: UInt64) -> UInt64 { nanoseconds / tick }

  /// Returns the tick at which a delay ends, rounded up; `UInt64.max` if it is beyond the range.
  ///
  /// - Parameters:
  ///   - delay: The delay from now.
  ///   - tolerance: How much later the tick may be. The tick within it that has the most trailing zero bits is
  ///     returned.
  /// - Returns: The tick.
  @inline(__always)
  func deadline(after delay: Duration, tolerance: Duration) -> UInt64 {
    let (moment, overflow) = nanoseconds.addingReportingOverflow(delay.nanosecondsUp)
    return overflow ? .max : deadline(atMoment: moment, tolerance: tolerance)
  }

  /// Returns the tick at a moment in nanoseconds, rounded up.
  @inline(__always)
  func deadline(atMoment moment: UInt64, tolerance: Duration) -> UInt64 {
    // The end of time.
    if moment == .max { return .max }
    let exact = moment == 0 ? 0 : ticks(in: moment - 1) + 1
    if tolerance.attoseconds <= 0 { return exact }
    let slack = tolerance.nanosecondsUp / tick
    let step = (UInt64(1) << UInt64(63 - (slack | 1).leadingZeroBitCount)) - 1
    let (rounded, isTooFar) = exact.addingReportingOverflow(step)
    return isTooFar ? exact : rounded & ~step
  }

  /// Forgets the request that the source has just fulfilled.
  func forget() {
    // The locks of the wheels order this store: a `schedule` after `removeExpired` has read a wheel sees it.
    earliest.store(.max, ordering: .relaxed)
  }

  /// Requests a wake at a tick, unless an earlier one is requested already.
  func requestWake(at deadline: UInt64) {
    var known = earliest.load(ordering: .relaxed)
    while deadline < known {
      let (exchanged, original) = earliest.compareExchange(
        expected: known, desired: deadline, ordering: .relaxed)
      if exchanged {
        let (moment, overflow) = deadline.multipliedReportingOverflow(by: tick)
        return source.requestWake(at: overflow ? .max : moment)
      }
      known = original
    }
  }

  /// Whether the service is shut down; expired timers that were removed from a wheel do not run any more.
  var isStopped: Bool { hasStopped.load(ordering: .acquiring) }

  /// Stops the source.
  func stop() {
    hasStopped.store(true, ordering: .releasing)
    source.stop()
  }
}

/// One wheel of a service, behind its lock.
final class TimerShard: Sendable {
  private struct State: ~Copyable {
    var wheel: TimingWheel<TimerAction>
    /// Whether the service is shut down.
    var isClosed = false
  }

  private let state: Guarded<State>
  private let scheduler: WakeScheduler
  /// Whether the wheel lives as long as the process, so that handles need not retain it.
  private let isPermanent: Bool

  init(_ scheduler: WakeScheduler, isPermanent: Bool) {
    self.scheduler = scheduler
    self.isPermanent = isPermanent
    state = Guarded(State(wheel: TimingWheel(now: scheduler.now)))
  }

  /// The number of timers in the wheel.
  var count: Int { state.withLock { $0.wheel.count } }

  /// The number of bytes allocated for the wheel.
  var memoryFootprint: Int { state.withLock { $0.wheel.memoryFootprint } }

  /// Releases the memory that the scheduled timers do not need.
  func shrinkToFit() { state.withLock { $0.wheel.shrinkToFit() } }

  /// Schedules an action at a tick, unless the service is shut down.
  @inline(__always)
  func schedule(_ action: inout TimerAction?, at deadline: UInt64) -> TimerService.Handle {
    let timer = state.withLock { state -> TimingWheel<TimerAction>.Handle? in
      guard !state.isClosed, let action = action.take() else { return nil }
      return state.wheel.schedule(action, at: deadline)
    }
    guard let timer else { return TimerService.Handle() }
    scheduler.requestWake(at: deadline)
    return TimerService.Handle(self, isRetained: !isPermanent, timer)
  }

  /// Cancels a timer and returns whether it was scheduled.
  @inline(__always)
  func cancel(_ timer: TimingWheel<TimerAction>.Handle) -> Bool {
    // The action is released outside the lock, because that may run any code.
    let action = state.withLock { $0.wheel.cancel(timer) }
    return action != nil
  }

  /// Moves a timer and returns whether it was scheduled.
  func reschedule(_ timer: TimingWheel<TimerAction>.Handle, after delay: Duration) -> Bool {
    let deadline = scheduler.deadline(after: delay, tolerance: .zero)
    let isScheduled = state.withLock { $0.wheel.reschedule(timer, to: deadline) }
    if isScheduled { scheduler.requestWake(at: deadline) }
    return isScheduled
  }

  /// Whether a timer is in the wheel.
  func isScheduled(_ timer: TimingWheel<TimerAction>.Handle) -> Bool {
    state.withLock { $0.wheel.deadline(of: timer) != nil }
  }

  /// Removes timers that are due.
  ///
  /// - Parameters:
  ///   - actions: The array to append their actions to.
  ///   - now: The current tick.
  ///   - limit: The approximate maximum number of timers.
  /// - Returns: The tick at which to look again, `UInt64.max` if no timer is left; nil if more timers are due now.
  func removeExpired(
    into actions: inout [TimerAction], at now: UInt64, limit: Int
  ) -> UInt64? {
    var removed: [TimerAction] = []
    swap(&removed, &actions)
    let next = state.withLock { state -> UInt64? in
      let result = state.wheel.advance(to: now, limit: limit) { _, timer in
        removed.append(timer.payload)
      }
      return result == .caughtUp ? state.wheel.nextExpiry ?? .max : nil
    }
    swap(&removed, &actions)
    return next
  }

  /// Refuses new timers and returns the actions of all scheduled ones.
  func close() -> [TimerAction] {
    var actions: [TimerAction] = []
    state.withLock { state in
      state.isClosed = true
      state.wheel.removeAll { actions.append($0) }
    }
    return actions
  }
}
