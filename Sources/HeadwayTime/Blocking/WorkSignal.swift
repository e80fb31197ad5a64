internal import CTime

/// What idle threads wait for, without waking up for nothing: each post lets one of them go on.
@safe
final class WorkSignal: Sendable {
  /// The signal of the C part.
  ///
  /// Any thread may use it: the pointer never changes, and the signal has a lock of its own.
  private nonisolated(unsafe) let signal: OpaquePointer

  /// Creates a signal that nothing was posted to.
  init() { unsafe signal = unsafe hw_gate_create() }

  deinit {
    // Reached only when no thread holds the signal, so none waits.
    unsafe hw_gate_destroy(signal)
  }

  /// Lets some waiting threads go on, or as many that will wait.
  func post(_ count: Int) {
    if count > 0 { unsafe hw_gate_post(signal, UInt(count)) }
  }

  /// Waits for a post and uses it up.
  func wait() { unsafe hw_gate_wait(signal) }
}
