internal import CLock

/// What idle threads wait for, without waking up for nothing: each post lets one of them go on.
@safe
package final class Gate: Sendable {
  /// The gate of the C part.
  ///
  /// Any thread may use it: the pointer never changes, and the gate has a lock of its own.
  private nonisolated(unsafe) let gate: OpaquePointer

  /// Creates a gate that nothing was posted to.
  package init() { unsafe gate = unsafe hw_gate_create() }

  deinit {
    // Reached only when no thread holds the gate, so none waits.
    unsafe hw_gate_destroy(gate)
  }

  /// Lets some waiting threads go on, or as many that will wait.
  package func post(_ count: Int) {
    if count > 0 { unsafe hw_gate_post(gate, UInt(count)) }
  }

  /// Waits for a post and uses it up.
  package func wait() { unsafe hw_gate_wait(gate) }
}
