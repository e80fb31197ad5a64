import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls a function for SIGINT and SIGTERM, which then do not end the process.
package final class SignalWatch {
  /// The signals.
  private static let signals = [SIGINT, SIGTERM]

  /// The sources of the signals.
  private let sources: [any DispatchSourceSignal]

  /// Starts handling signals; they do not end the process until ``stop()``.
  ///
  /// - Parameter handler: The function, which is called on any thread.
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

  /// Stops handling signals: from here on they end the process again.
  package func stop() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}
