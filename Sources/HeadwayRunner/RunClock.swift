internal import HeadwayTime
internal import Synchronization

/// The time line of a run: zero when it begins, and standing still while the run is stopped.
///
/// Safe from any thread.
package final class RunClock: Sendable {
  /// The machine's time at zero, in nanoseconds.
  private let zero = Atomic<Int64>(0)

  /// Creates a clock that stands at zero now.
  package init() { restart() }

  /// The time since the run began.
  package var now: Duration {
    .nanoseconds(Self.machineTime - zero.load(ordering: .relaxed))
  }

  /// Sets the clock to zero.
  func restart() { zero.store(Self.machineTime, ordering: .relaxed) }

  /// Sets the clock back to a time that it has shown, so that what passed since then does not count.
  func goOn(from time: Duration) {
    zero.store(Self.machineTime - Self.nanoseconds(time), ordering: .relaxed)
  }

  /// The machine's monotonic time in nanoseconds.
  private static var machineTime: Int64 { nanoseconds(MonotonicTime.now) }

  /// A duration in nanoseconds; enough for 292 years.
  private static func nanoseconds(_ time: Duration) -> Int64 {
    time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
  }
}
