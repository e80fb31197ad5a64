internal import HeadwayTime
internal import Synchronization

/// The time of a run: zero when it begins, and stopped while the run is paused or the program is stopped.
///
/// Safe from any thread.
package final class RunClock: Sendable {
  /// The machine's time at zero, in nanoseconds.
  private let zero = Atomic<Int64>(0)
  /// The time at which the clock is stopped, in nanoseconds; negative while it runs.
  private let standing = Atomic<Int64>(-1)
  /// The machine's monotonic time.
  private let machineTime: @Sendable () -> Duration

  /// Creates a clock that shows zero.
  package convenience init() { self.init { MonotonicTime.now } }

  /// Creates a clock that shows zero and runs on a given time.
  init(machineTime: @escaping @Sendable () -> Duration) {
    self.machineTime = machineTime
    restart()
  }

  /// The time since the run began.
  package var now: Duration {
    while true {
      let standing = standing.load(ordering: .acquiring)
      if standing >= 0 { return .nanoseconds(standing) }
      let zero = zero.load(ordering: .acquiring)
      let time = machineNanoseconds - zero
      // If a whole pause has passed since `zero` was read, the time would include a part of it.
      if self.zero.load(ordering: .relaxed) == zero { return .nanoseconds(time) }
    }
  }

  /// Whether the clock is stopped.
  var isStopped: Bool { standing.load(ordering: .relaxed) >= 0 }

  /// Stops the clock.
  func stop() {
    standing.store(Self.nanoseconds(now), ordering: .relaxed)
  }

  /// Continues a stopped clock; does nothing if it runs.
  func resume() {
    let standing = standing.load(ordering: .relaxed)
    guard standing >= 0 else { return }
    zero.store(machineNanoseconds - standing, ordering: .releasing)
    self.standing.store(-1, ordering: .releasing)
  }

  /// Sets the clock to zero.
  func restart() { zero.store(machineNanoseconds, ordering: .relaxed) }

  private var machineNanoseconds: Int64 { Self.nanoseconds(machineTime()) }

  /// A duration in nanoseconds; enough for 292 years.
  private static func nanoseconds(_ time: Duration) -> Int64 {
    Int64(time.attoseconds / 1_000_000_000)
  }
}
