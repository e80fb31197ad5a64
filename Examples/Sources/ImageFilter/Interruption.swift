import Console
import HeadwayProgress
import Synchronization

/// Cancels a node on SIGINT or SIGTERM, and remembers the time.
final class Interruption {
  /// A signal.
  struct Event: Sendable {
    /// The number of the signal.
    let signal: Int32
    /// When it came.
    let moment: ContinuousClock.Instant
    /// The progress of the work at that time.
    let snapshot: ProgressSnapshot
  }

  /// Receives the first signal.
  private final class Memory: Sendable {
    /// The first signal, nil if there was none.
    let event = Mutex<Event?>(nil)
  }

  private let memory = Memory()
  /// The handler of the signals.
  private let watch: SignalWatch

  /// Starts handling signals; they do not end the process until ``stop()``.
  init(cancels node: ProgressNode) {
    watch = SignalWatch { [memory] number in
      let event = Event(signal: number, moment: .now, snapshot: node.snapshot())
      memory.event.withLock { $0 = $0 ?? event }
      // Last, so that the event exists when the work ends.
      node.cancel()
    }
  }

  /// Stops handling signals: from here on they end the process again.
  func stop() { watch.stop() }

  /// The first signal, nil if there was none.
  var event: Event? { memory.event.withLock { $0 } }
}
