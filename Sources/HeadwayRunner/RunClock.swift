internal import HeadwayTime
internal import Synchronization

/// The time line of a run: zero when it begins, and standing still while the run is paused or stopped.
///
/// Safe from any thread.
package final class RunClock: Sendable {
  /// The machine's time at zero, in nanoseconds.
  private let zero = Atomic<Int64>(0)
  /// The time at which it stands still, in nanoseconds; negative while it goes on.
  private let standing = Atomic<Int64>(-1)

  /// Creates a clock that stands at zero now.
  package init() { restart() }

  /// The time since the run began.
  package var now: Duration {
    while true {
      let standing = standing.load(ordering: .acquiring)
      if standing >= 0 { return .nanoseconds(standing) }
      let zero = zero.load(ordering: .acquiring)
      let time = Self.machineTime - zero
      // A whole pause may have passed in between, of which the reading would hold only a part.
      if self.zero.load(ordering: .relaxed) == zero { return .nanoseconds(time) }
    }
  }

  /// Whether the time stands still.
  var isStanding: Bool { standing.load(ordering: .relaxed) >= 0 }

  /// Lets the time stand still.
  func stand() {
    standing.store(Self.nanoseconds(now), ordering: .relaxed)
  }

  /// Lets the time go on from where it stands; changes nothing while it goes on.
  func goOn() {
    let standing = standing.load(ordering: .relaxed)
    guard standing >= 0 else { return }
    zero.store(Self.machineTime - standing, ordering: .releasing)
    self.standing.store(-1, ordering: .releasing)
  }

  /// Sets the clock to zero.
  func restart() { zero.store(Self.machineTime, ordering: .relaxed) }

  /// The machine's monotonic time in nanoseconds.
  private static var machineTime: Int64 { nanoseconds(MonotonicTime.now) }

  /// A duration in nanoseconds; enough for 292 years.
  private static func nanoseconds(_ time: Duration) -> Int64 {
    time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
  }
}
