import HeadwayProgress
import Stopwatch
import Synchronization

/// A feed that follows two threads which change a node without a pause.
enum FeedTrial {
  /// The length of a frame: short, so that the writers last for many.
  private static let frame = Duration.microseconds(500)
  /// The time that the feed gets for the last value.
  private static let patience = Duration.milliseconds(200)

  /// Follows the changes to the end.
  ///
  /// - Parameter changes: The number of changes of both threads together.
  /// - Returns: The wake-ups for each frame that there was time for, the changes that the last snapshot does not
  ///   have, and the nanoseconds for a change of one thread.
  static func run(_ changes: Int) async -> [Double] {
    let root = ProgressNode(total: 1)
    let node = root.child(units: 1, total: changes)
    let clock = CountingClock()
    let feed = root.feed(every: frame, clock: clock)
    let start = clock.now
    let watcher = Task.detached {
      var (snapshots, seen, wakes) = (0, 0, 0)
      var last = start
      for await snapshot in feed where !snapshot.isFinished {
        snapshots += 1
        seen = max(seen, snapshot.children.first?.completed ?? 0)
        wakes = max(snapshots, clock.sleeps.load(ordering: .relaxed) + 1)
        last = clock.now
      }
      return (seen, wakes, last)
    }
    let time = Stopwatch.pair { _ in
      for _ in 0..<changes / 2 { node.complete(1) }
    }
    // Far more than the frame in which the last value comes; the snapshot of the end does not count as one.
    try? await Task.sleep(for: patience)
    root.finish()
    let (seen, wakes, last) = await watcher.value
    return [
      Double(wakes) / ((last - start) / frame + 1), Double(changes - seen),
      Stopwatch.per(time, changes / 2),
    ]
  }
}

/// The continuous clock, which counts how often somebody sleeps by it.
private final class CountingClock: Clock {
  /// How often somebody has slept.
  let sleeps = Atomic<Int>(0)
  /// The clock.
  private let clock = ContinuousClock()

  /// The moment.
  var now: ContinuousClock.Instant { clock.now }
  /// The shortest time that the clock knows.
  var minimumResolution: Duration { clock.minimumResolution }

  /// Creates a clock by which nobody has slept.
  init() {}

  /// Sleeps.
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    sleeps.wrappingAdd(1, ordering: .relaxed)
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
