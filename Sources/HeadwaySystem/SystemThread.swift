internal import CSystem

/// Threads of the system, for code that blocks.
package enum SystemThread {
  /// Starts a detached thread.
  ///
  /// - Parameters:
  ///   - name: The name that debuggers show, cut after 15 bytes.
  ///   - blocksSignals: Whether all signals are blocked in the thread; otherwise it inherits the caller's mask, and so do
  ///     the processes that it starts.
  ///   - body: The function that the thread runs.
  /// - Returns: 0, or the error number of `pthread_create`; then `body` does not run.
  package static func start(
    named name: String, blocksSignals: Bool = false, _ body: @escaping @Sendable () -> Void
  ) -> Int32 {
    let start = unsafe Unmanaged.passRetained(Body(body))
    let error = unsafe hw_thread_start(
      name, blocksSignals ? 1 : 0,
      { context in
        guard let context = unsafe context else { return }
        // Balances the retain above; the C function passes the context on once.
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
      }, start.toOpaque())
    if error != 0 { unsafe start.release() }
    return error
  }

  /// A small number that differs between threads that live at the same time, as long as they are few.
  package static var number: Int { Int(hw_thread_number()) }

  /// The time that processors have spent on this thread; a system call.
  package static var processorTime: Duration { .nanoseconds(hw_thread_processor_time()) }

  /// A closure as an object that C can carry.
  private final class Body {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// The processors of the machine.
package enum Processors {
  /// The number of processors that are online, at least 1.
  package static var count: Int { Int(hw_processor_count()) }
}
