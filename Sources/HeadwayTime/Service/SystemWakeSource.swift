internal import CTime
internal import HeadwayLock
internal import HeadwaySystem

/// A wake source on a clock of the machine: one thread that sleeps until the earliest requested moment.
///
/// The thread starts with the first request, so a service without timers has none.
@safe
final class SystemWakeSource: WakeSource {
  private struct State {
    /// The earliest requested moment, `UInt64.max` if there is none.
    var moment: UInt64 = .max
    var handler: (@Sendable () -> Void)?
    var isStarted = false
    var isStopped = false
  }

  private let clock: hw_clock
  // Any thread may set the alarm: the pointer never changes, and the kernel orders the rest.
  private nonisolated(unsafe) let alarm: OpaquePointer
  private let state = Guarded(State())

  /// Creates a wake source on a clock of the machine.
  ///
  /// - Parameter isContinuous: Whether the clock advances while the machine sleeps.
  init(isContinuous: Bool) {
    clock = isContinuous ? HW_CLOCK_CONTINUOUS : HW_CLOCK_SUSPENDING
    unsafe alarm = unsafe hw_alarm_create(clock)
  }

  deinit {
    // The thread holds a reference, so it has ended.
    unsafe hw_alarm_destroy(alarm)
  }

  var now: UInt64 { hw_clock_now(clock) }

  func start(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.handler = handler }
  }

  func requestWake(at moment: UInt64) {
    let needsThread = state.withLock { state in
      guard !state.isStopped, moment < state.moment else { return false }
      state.moment = moment
      // Under the lock, so that the earlier of two concurrent requests is the one that is set last.
      unsafe hw_alarm_set(alarm, moment)
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard needsThread else { return }
    let error = SystemThread.start(named: "headway-timers") { [self] in run() }
    precondition(error == 0, "Cannot start the thread of the timers: error \(error).")
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.handler = nil
      if state.isStarted { unsafe hw_alarm_set(alarm, 0) }
    }
  }

  /// Sleeps and calls the handler until the source is stopped.
  private func run() {
    while true {
      unsafe hw_alarm_wait(alarm)
      let handler = state.withLock { state in
        state.moment = .max
        return state.handler
      }
      guard let handler else { return }
      handler()
    }
  }
}
