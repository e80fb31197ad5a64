import Dispatch
import HeadwayProgress
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Cancels a node on Ctrl-C, or when the process is told to end, and remembers when that was.
final class Interruption {
  /// What happened.
  struct Event: Sendable {
    /// The signal.
    let signal: Int32
    /// When it came.
    let moment: ContinuousClock.Instant
    /// How far the work was.
    let snapshot: ProgressSnapshot
  }

  /// Keeps the first signal.
  private final class Memory: Sendable {
    /// The first signal, nil while there was none.
    let event = Mutex<Event?>(nil)
  }

  /// The signals.
  private static let signals = [SIGINT, SIGTERM]

  /// What listeners write to.
  private let memory = Memory()
  /// What listens for the signals.
  private let sources: [any DispatchSourceSignal]

  /// Begins to listen; from here on the signals do not end the process, until ``stop()``.
  init(cancels node: ProgressNode) {
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    for (source, number) in zip(sources, Self.signals) {
      source.setEventHandler { [memory] in
        let event = Event(signal: number, moment: .now, snapshot: node.snapshot())
        memory.event.withLock { $0 = $0 ?? event }
        // Last, so that whoever sees the end of the work finds the event.
        node.cancel()
      }
      source.resume()
    }
  }

  /// Ends to listen: from here on the signals end the process again.
  func stop() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  /// The first signal, nil when there was none.
  var event: Event? { memory.event.withLock { $0 } }
}
