internal import CSystem

/// The handlers of this process that pass signals on to one of its threads.
///
/// There are only one pipe and one thread in a process, so one object uses this for all others. Not thread safe.
package struct SignalHandlers: Sendable {
  package init() {}

  /// Starts the thread, before any handler is installed.
  ///
  /// The thread lives as long as the process.
  ///
  /// - Parameters:
  ///   - receive: Called for each signal on a thread of its own, so that one that is held up does not hold up the next. All
  ///     signals are blocked there, unless the system has no thread for it.
  ///   - onLoss: Called when no more signals can be received, because something has closed the descriptors.
  /// - Returns: Whether the system had the descriptors and a thread for it.
  package func start(
    _ receive: @escaping @Sendable (EndRequest) -> Void, onLoss: @escaping @Sendable () -> Void
  ) -> Bool {
    guard hw_handlers_open() == 0 else { return false }
    let error = SystemThread.start(named: "headway-signals", blocksSignals: true) {
      while let request = Self.next() {
        let error = SystemThread.start(named: "headway-signal", blocksSignals: true) {
          receive(request)
        }
        if error != 0 { receive(request) }
      }
      onLoss()
    }
    if error != 0 { hw_handlers_close() }
    return error == 0
  }

  /// Waits for the next signal.
  ///
  /// - Returns: The signal, nil if the descriptors were closed.
  private static func next() -> EndRequest? {
    var received = hw_request()
    guard unsafe hw_handlers_wait(&received) else { return nil }
    return EndRequest(
      number: received.number, isFromTerminal: received.is_from_terminal,
      milliseconds: received.milliseconds)
  }

  /// Installs the handler of a signal, unless the signal is ignored; nothing happens if it is installed.
  ///
  /// - Parameter number: The signal, less than 32.
  package func install(_ number: Int32) { hw_handler_install(number) }

  /// Installs the previous handler of a signal again, unless somebody else has installed one since.
  package func restore(_ number: Int32) { hw_handler_restore(number) }

  /// Ends this process by a signal, with the effect that it has by default, and writes what was printed before.
  package static func endProcess(by number: Int32) -> Never { hw_end_by_signal(number) }

  /// Sends a signal to this process.
  package func send(_ number: Int32) { hw_signal_process(number) }
}
