internal import CLock

/// A counting semaphore on which idle threads wait.
@safe
package final class Semaphore: Sendable {
  // Any thread may use it: the pointer never changes, and the semaphore has its own lock.
  private nonisolated(unsafe) let semaphore: OpaquePointer

  /// Creates a semaphore with a count of zero.
  package init() { unsafe semaphore = unsafe hw_semaphore_create() }

  deinit {
    // A waiting thread would hold a reference, so none is waiting.
    unsafe hw_semaphore_destroy(semaphore)
  }

  /// Adds to the count and wakes as many waiting threads.
  package func post(_ count: Int = 1) {
    if count > 0 { unsafe hw_semaphore_post(semaphore, UInt(count)) }
  }

  /// Blocks until the count is positive, then subtracts one.
  package func wait() { unsafe hw_semaphore_wait(semaphore) }

  /// Blocks until the count is positive, then subtracts one, but no longer than a limit.
  ///
  /// - Parameter limit: The maximum time to wait, at most a year.
  /// - Returns: Whether it has subtracted one.
  package func wait(for limit: Duration) -> Bool {
    let (seconds, attoseconds) = min(max(limit, .zero), .seconds(31_536_000)).components
    return unsafe hw_semaphore_wait_for(
      semaphore, seconds * 1_000_000_000 + attoseconds / 1_000_000_000) != 0
  }
}
