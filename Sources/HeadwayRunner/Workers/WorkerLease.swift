/// The right of a worker to carry out attempts, which ends unless its runner renews it.
///
/// The worker sends numbered heartbeats, and the runner answers each at once:
///
/// ```
///   worker                                          runner
///     │ heartbeat 7, sent at t                        │
///     ├──────────────────────────────────────────────▶│ answered at e ≥ t
///     │ heartbeat 7                                   │
///     │◀──────────────────────────────────────────────┤
///   lease until t + patience                        lost after e + patience + endingTime
/// ```
///
/// The lease counts from when the heartbeat was *sent*, so an answer that was held up in the network does not extend it beyond
/// what its runner knows, and no clock is compared with that of another machine. This is the lease of Gray and Cheriton,
/// "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency" (1989). A pure value.
struct WorkerLease: Sendable {
  /// How long a worker may hear nothing, unless a run says otherwise.
  static let usualPatience = Duration.seconds(60)
  /// The shortest patience; below that, a busy machine would lose its tasks.
  static let leastPatience = Duration.seconds(2)
  /// How long a worker takes at most to end its attempts once its lease is over.
  static let endingTime = Duration.seconds(25)
  /// After which part of that the supervisor ends what the worker has not.
  static let supervisorTime = Duration.seconds(14)
  /// The heartbeats in one patience.
  private static let heartbeats: Int64 = 6

  /// How long the worker may hear nothing.
  let patience: Duration
  /// When the lease ends, by the worker's clock.
  private(set) var end: Duration
  /// When the next heartbeat is due.
  private(set) var nextHeartbeat: Duration
  /// The heartbeats that were not answered, in order.
  private var sent: [(number: Int, at: Duration)] = []
  private var count = 0

  /// Creates a lease.
  ///
  /// - Parameters:
  ///   - patience: How long the worker may hear nothing.
  ///   - start: When the worker says that it is prepared for the run; the runner starts nothing before it hears that.
  init(patience: Duration, from start: Duration) {
    self.patience = max(patience, Self.leastPatience)
    end = start + self.patience
    nextHeartbeat = start
  }

  /// The number of the heartbeat to send now, nil if none is due.
  mutating func heartbeat(at now: Duration) -> Int? {
    guard now >= nextHeartbeat else { return nil }
    count += 1
    sent.append((count, now))
    // Whole nanoseconds, as clocks have them.
    nextHeartbeat = now + .nanoseconds(Int64(patience / .nanoseconds(1)) / Self.heartbeats)
    return count
  }

  /// Extends the lease because a heartbeat was answered; an answer to none that was sent has no effect.
  mutating func renew(by number: Int) {
    guard let position = sent.firstIndex(where: { $0.number == number }) else { return }
    end = max(end, sent[position].at + patience)
    sent.removeFirst(position + 1)
  }
}
