internal import CTime
internal import HeadwayLock
internal import HeadwaySystem

/// The alarm of a clock of the machine: one thread that sleeps until the earliest wish.
///
/// The thread is started with the first wish, so that what never sets a timer has none.
@safe
final class SystemAlarm: TimerAlarm {
  /// What the wishes have come to.
  private struct State {
    /// The earliest wish that has not been rung, `UInt64.max` when there is none.
    var moment: UInt64 = .max
    /// What to call.
    var ring: (@Sendable () -> Void)?
    /// Whether the thread was started.
    var isStarted = false
    /// Whether the thread has to end.
    var isStopped = false
  }

  /// Which clock.
  private let clock: hw_clock
  /// What the thread waits for.
  ///
  /// Any thread may set it: the pointer never changes, and the kernel orders the rest.
  private nonisolated(unsafe) let alarm: OpaquePointer
  /// The wishes.
  private let state = Guarded(State())

  /// Creates an alarm on a clock of the machine.
  ///
  /// - Parameter isContinuous: Whether the clock goes on while the machine sleeps.
  init(isContinuous: Bool) {
    clock = isContinuous ? HW_CLOCK_CONTINUOUS : HW_CLOCK_SUSPENDING
    unsafe alarm = unsafe hw_alarm_create(clock)
  }

  deinit {
    // Reached only when no thread holds the alarm.
    unsafe hw_alarm_destroy(alarm)
  }

  var now: UInt64 { hw_clock_now(clock) }

  func start(_ ring: @escaping @Sendable () -> Void) {
    state.withLock { $0.ring = ring }
  }

  func set(_ moment: UInt64) {
    let needsThread = state.withLock { state in
      guard !state.isStopped, moment < state.moment else { return false }
      state.moment = moment
      // Under the lock, so that of two wishes the earlier one is the one that is set in the end.
      unsafe hw_alarm_set(alarm, moment)
      defer { state.isStarted = true }
      return !state.isStarted
    }
    if needsThread {
      let error = SystemThread.start(named: "headway-timers") { [self] in sleep() }
      precondition(error == 0, "cannot start the thread of the timers: error \(error)")
    }
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.ring = nil
      if state.isStarted { unsafe hw_alarm_set(alarm, 0) }
    }
  }

  /// Sleeps and rings until the alarm is stopped.
  private func sleep() {
    while true {
      unsafe hw_alarm_wait(alarm)
      let ring = state.withLock { state in
        state.moment = .max
        return state.ring
      }
      guard let ring else { return }
      ring()
    }
  }
}
