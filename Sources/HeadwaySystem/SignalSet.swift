internal import HeadwayLibc

/// A set of signals.
package struct SignalSet: Sendable {
  private var set = sigset_t()

  /// Creates a set.
  package init(_ signals: [Int32]) {
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
  }

  /// All signals.
  package static var all: SignalSet {
    var all = SignalSet([])
    unsafe sigfillset(&all.set)
    return all
  }

  /// Runs a function on this thread while these signals are blocked; the threads that it starts inherit that.
  ///
  /// - Parameter body: The function.
  /// - Returns: The result of the function.
  package func whileBlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    var before = sigset_t()
    var set = set
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  /// Waits for one of these signals, which are blocked.
  ///
  /// - Returns: The signal.
  package func wait() -> Int32 {
    var signal: Int32 = 0
    repeat {} while unsafe withUnsafePointer(to: set, { unsafe sigwait($0, &signal) }) != 0
    return signal
  }
}
