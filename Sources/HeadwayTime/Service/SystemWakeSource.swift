internal import CTime
internal import HeadwayLock

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
    if needsThread { startThread(named: "headway-timers") { [self] in run() } }
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

/// Starts a detached thread; traps if the system cannot create one.
///
/// - Parameters:
///   - name: The name that debuggers show, at most 15 bytes.
///   - body: The work of the thread.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let error = tryStartingThread(named: name, body)
  precondition(error == 0, "Cannot start the thread \(name): error \(error).")
}

/// Starts a detached thread.
///
/// - Parameters:
///   - name: The name that debuggers show, at most 15 bytes.
///   - body: The work of the thread.
/// - Returns: 0, or the error number of the system; then `body` does not run.
package func tryStartingThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Int32
{
  let start = unsafe Unmanaged.passRetained(ThreadBody(body))
  let error = unsafe hw_thread_start(
    name,
    { context in
      guard let context = unsafe context else { return }
      // Balances the retain above; the C function passes the context on once.
      unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
    }, start.toOpaque())
  if error != 0 { unsafe start.release() }
  return error
}

/// The work of a thread, as an object that C can pass on.
private final class ThreadBody {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
