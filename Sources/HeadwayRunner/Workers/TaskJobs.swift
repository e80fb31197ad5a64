internal import HeadwayRun

/// Decides when jobs for single tasks are submitted to a cluster, and how many.
///
/// A job is for the tasks that need the same, and the one whose turn it is when the job starts gets it. So there are as many jobs in
/// the queue as tasks that could start, up to a limit, and a task that ends early, or that another machine runs, leaves none behind.
///
/// What tasks want changes all the time, so what has to be done is done ``interval`` later, as it is then. If jobs end before their
/// worker says anything, one at a time is tried, less and less often.
///
/// Not thread safe.
struct TaskJobs {
  /// What has to be done.
  struct Changes: Equatable {
    /// What the tasks need for which jobs are submitted, one entry for each job.
    var submissions: [Resources] = []
    /// How many jobs are of no use any more, by what their tasks would have needed.
    var surplus: [Resources: Int] = [:]
  }

  /// The time from when something has to be done to when it is.
  static let interval = Duration.milliseconds(100)
  /// How many jobs are submitted at a time, so that the run loop gets its turn.
  static let mostAtOnce = 32
  /// The delay after a job that could not be used; it doubles with each further one.
  private static let firstDelay = Duration.seconds(2)
  private static let mostDelay = Duration.seconds(60)
  /// After how many failures in a row no more jobs are submitted, about five minutes.
  private static let mostFailures = 10

  /// How many jobs there may be at once.
  let most: Int
  /// The number of the latest job.
  private(set) var lastNumber = 0
  /// When ``changes(for:having:used:at:)`` may have something to do, nil if nobody knows.
  private(set) var moment: Duration?
  private var failures = 0
  /// Before that time, nothing is submitted after a failure.
  private var pauseEnd: Duration?

  /// Creates a plan without jobs.
  ///
  /// - Parameter most: How many jobs there may be at once.
  init(most: Int) { self.most = most }

  /// Whether no more jobs are submitted, because too many could not be used.
  var isGivenUp: Bool { failures >= Self.mostFailures }

  /// Does nothing until ``changes(for:having:used:at:)`` is asked again.
  mutating func wait() { moment = nil }

  /// The number of the next job.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// What has to be done.
  ///
  /// - Parameters:
  ///   - wanted: What the ready tasks need, with their numbers, the first to start first.
  ///   - having: The number of jobs that have not begun a task, by what their tasks need.
  ///   - used: The number of all jobs.
  ///   - now: The time.
  /// - Returns: The changes, nil if nothing has to be done now.
  /// - Complexity: O(kinds of needs + `mostAtOnce`).
  mutating func changes(
    for wanted: [(needs: Resources, count: Int)], having: [Resources: Int], used: Int,
    at now: Duration
  ) -> Changes? {
    var changes = Changes()
    changes.surplus = having
    let isTrying = failures > 0
    var room = min(max(most - used, 0), isTrying ? 1 : Self.mostAtOnce)
    if isGivenUp || isTrying && !having.isEmpty { room = 0 }
    for (needs, count) in wanted {
      let own = having[needs] ?? 0
      changes.surplus[needs] = own > count ? own - count : nil
      let submitted = min(max(count - own, 0), room)
      room -= submitted
      changes.submissions += Array(repeating: needs, count: submitted)
    }
    if changes == Changes() {
      moment = nil
      return nil
    }
    let next = earliest(moment, now + Self.interval) ?? now
    moment = max(next, changes.submissions.isEmpty ? next : pauseEnd ?? next)
    guard let moment, moment <= now else { return nil }
    self.moment = nil
    return changes
  }

  /// Notes that a job could not be used.
  ///
  /// - Returns: Whether it is the first one since another could be; jobs that fail together count as one.
  mutating func noteFailure(at now: Duration) -> Bool {
    if let pauseEnd, now < pauseEnd { return false }
    let delay = min(Self.firstDelay * (1 << min(failures, 10)), Self.mostDelay)
    failures += 1
    pauseEnd = now + delay
    return failures == 1
  }

  /// Notes that a worker has begun.
  mutating func noteSuccess() { (failures, pauseEnd) = (0, nil) }
}
