import Console
import HeadwayProgress
import Synchronization

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

  /// What listeners write to.
  private let memory = Memory()
  /// What listens for the signals.
  private let watch: SignalWatch

  /// Begins to listen; from here on the signals do not end the process, until ``stop()``.
  init(cancels node: ProgressNode) {
    watch = SignalWatch { [memory] number in
      let event = Event(signal: number, moment: .now, snapshot: node.snapshot())
      memory.event.withLock { $0 = $0 ?? event }
      // Last, so that whoever sees the end of the work finds the event.
      node.cancel()
    }
  }

  /// Ends to listen: from here on the signals end the process again.
  func stop() { watch.stop() }

  /// The first signal, nil when there was none.
  var event: Event? { memory.event.withLock { $0 } }
}
