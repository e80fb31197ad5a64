import HeadwayProgress
import Stopwatch
import Synchronization

/// A feed that follows two threads which change a node all the time.
enum FeedTrial {
  /// The length of a frame: short, so that there are many frames.
  private static let frame = Duration.microseconds(500)
  /// The time for the feed to deliver the last value.
  private static let patience = Duration.milliseconds(200)

  /// Follows the changes to the end.
  ///
  /// - Parameter changes: The number of changes of both threads together.
  /// - Returns: The wake-ups per frame, the changes that the last snapshot does not have, and the nanoseconds per
  ///   change of one thread.
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
    // Much longer than the frame in which the last value arrives; the snapshot of the end does not count as one.
    try? await Task.sleep(for: patience)
    root.finish()
    let (seen, wakes, last) = await watcher.value
    return [
      Double(wakes) / ((last - start) / frame + 1), Double(changes - seen),
      Stopwatch.per(time, changes / 2),
    ]
  }
}

/// The continuous clock, which counts the sleeps.
private final class CountingClock: Clock {
  /// The number of sleeps.
  let sleeps = Atomic<Int>(0)
  private let clock = ContinuousClock()

  /// The current instant.
  var now: ContinuousClock.Instant { clock.now }
  /// The resolution.
  var minimumResolution: Duration { clock.minimumResolution }

  /// Creates a clock.
  init() {}

  /// Sleeps.
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    sleeps.wrappingAdd(1, ordering: .relaxed)
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
