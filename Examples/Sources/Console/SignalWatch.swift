import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls a function on Ctrl-C, or when the process is told to end, which then does not end by itself.
package final class SignalWatch {
  /// The signals.
  private static let signals = [SIGINT, SIGTERM]

  /// What listens for the signals.
  private let sources: [any DispatchSourceSignal]

  /// Begins to listen; from here on the signals do not end the process, until ``stop()``.
  ///
  /// - Parameter handler: What to do with each of them, on some thread.
  package init(_ handler: @escaping @Sendable (_ signal: Int32) -> Void) {
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    for (source, number) in zip(sources, Self.signals) {
      source.setEventHandler { handler(number) }
      source.resume()
    }
  }

  /// Ends to listen: from here on the signals end the process again.
  package func stop() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  /// Ends the process by a signal, so that who started it sees that it did not end by itself.
  ///
  /// - Parameter number: The signal.
  package static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Whoever listens for a signal blocks it.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    exit(128 + number)
  }
}
