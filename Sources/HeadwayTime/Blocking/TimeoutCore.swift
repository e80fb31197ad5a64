/// The logic of a `TimeoutRunner`: who waits for which function, what runs next, and which answer each caller gets.
///
/// It is a value without clock, threads and callbacks. The shell passes the time in, and performs the resulting
/// `Effects` after it leaves the lock. Bodies, callers and timers are opaque to it.
///
///     caller ──┐ waits for                 attempts
///     caller ──┼──────────▶ task of a key ──────────▶ run ─ held by a thread until the function returns
///     caller ──┘  (at most one queued or                    (in time, or stuck after its deadline)
///                  running task a key)
///
/// A *caller* is one submission. Only `answer` removes it from `callers`, so each caller is answered exactly once. A
/// *task* is what the callers of one key wait for. It ends when one of its runs returns or when it is replaced; a run
/// that is still going then is late. A *run* is one call of a function, and only its return ends it.
///
/// Times are nanoseconds of one clock. A deadline has passed as soon as `now` reaches it: a function that returns at
/// that moment is late, even if the timer has not fired yet. So the result depends on times, and not on which thread
/// was first.
struct TimeoutCore<
  Key: Hashable & Sendable, Body: Sendable, Caller: Sendable, Timer: Sendable
>: Sendable {
  /// The limits and policies of a runner.
  struct Limits: Sendable {
    /// The maximum number of functions that run at once, not counting stuck ones.
    var threads: Int
    /// The maximum number of stuck functions whose threads are replaced.
    var stuck: Int
    /// The maximum number of tasks that wait for a thread.
    var queue: Int
    /// What happens if the key of a queued or running task is submitted.
    var repeatedKey: RepeatedKeyPolicy
    /// How often a function is restarted after a time-out.
    var restarts: Int
  }

  /// The caller or run that a deadline belongs to.
  enum DeadlineOwner: Hashable, Sendable {
    case caller(UInt64)
    case run(UInt64)
  }

  /// A request to set a timer.
  struct TimerRequest: Hashable, Sendable {
    let owner: DeadlineOwner
    let deadline: UInt64
  }

  /// The content of an answer.
  enum Verdict: Hashable, Sendable {
    /// The function that has just returned provides the result.
    case result
    /// The deadline passed after this number of starts of the function.
    case timedOut(attempts: Int)
    /// A later caller of the same key replaced this one.
    case replaced
    /// The caller was cancelled.
    case cancelled
    /// The runner was shut down.
    case shutDown
    /// The system could not create a thread.
    case noThread
  }

  /// An answer to a caller.
  struct Answer: Sendable {
    let caller: Caller
    let verdict: Verdict
  }

  /// A run that returned when no caller waited any more.
  struct LateRun: Sendable {
    let key: Key
    /// The number of the attempt, from 1.
    let attempt: Int
    /// The nanoseconds since its deadline; 0 if it was in time.
    let overdue: UInt64
  }

  /// The actions that the shell performs after it leaves the lock.
  struct Effects: Sendable {
    var answers: [Answer] = []
    var timerRequests: [TimerRequest] = []
    var timersToCancel: [Timer] = []
    /// Bodies to release outside the lock, because a release may run any code.
    var releasedBodies: [Body] = []
    /// The run that returned too late, if any.
    var late: LateRun?
    /// The number of idle threads to wake.
    var wakes = 0
    /// The number of threads to start.
    var starts = 0
  }

  /// The reason why a submission is not accepted.
  enum Refusal: Error, Sendable {
    case shutDown
    /// The key is queued or running, and the policy is `refuse`.
    case repeatedKey
    /// More functions are stuck than allowed; these are their keys, the longest overdue first.
    case tooManyStuck([Key])
    case queueFull
  }

  /// One submission that has not been answered.
  struct Waiter: Sendable {
    var caller: Caller
    var task: UInt64
    /// The time-out for each attempt.
    var timeout: UInt64
    /// The deadline of the current attempt.
    var deadline: UInt64
    /// The number of further attempts, if the function is running at the deadline.
    var restartsLeft: Int
    /// The timer of the deadline, nil until it is set.
    var timer: Timer?

    /// The deadline of the last attempt.
    var lastDeadline: UInt64 {
      let (rest, overflow) = timeout.multipliedReportingOverflow(by: UInt64(restartsLeft))
      return overflow ? .max : deadline.advanced(upTo: rest)
    }
  }

  /// A function, with the callers of one key that wait for it.
  struct Task: Sendable {
    let key: Key
    /// The function, nil if it will not be started again.
    var body: Body?
    /// The callers in order, including some that were answered already.
    var callers: [UInt64]
    /// The number of callers that were not answered.
    var waitingCount: Int
    var isQueued = false
    var attempts = 0
    var newestRun: UInt64 = 0
    var newestDeadline: UInt64 = 0
  }

  /// One call of a function.
  struct Run: Sendable {
    let key: Key
    /// The task that it was started for, which may have ended.
    let task: UInt64
    /// The number of the attempt, from 1.
    let attempt: Int
    /// The time when it was started.
    let start: UInt64
    /// The time at which it becomes stuck.
    let deadline: UInt64
    var isStuck = false
    /// Whether it has a timer of its own.
    var hasTimer = false
    /// That timer, nil until it is set.
    var timer: Timer?
  }

  let limits: Limits
  /// The submissions that were not answered, by number.
  var callers: [UInt64: Waiter] = [:]
  /// The tasks that have not ended, by number.
  var tasks: [UInt64: Task] = [:]
  /// The number of the task of each key.
  var taskIDs: [Key: UInt64] = [:]
  /// The calls that have not returned, by number.
  var runs: [UInt64: Run] = [:]
  /// The tasks that wait for a thread.
  var queue = TaskQueue()
  var workers = Workers()
  /// The number of stuck runs.
  var stuckCount = 0
  /// The counts of what has happened, without those of now.
  var counts = TimeoutRunnerStatistics()
  var isClosed = false
  /// The number of the newest caller, task or run.
  private var lastID: UInt64 = 0

  init(_ limits: Limits) { self.limits = limits }

  /// The maximum number of threads now: each stuck one adds one, up to a limit.
  var threadLimit: Int { limits.threads + min(stuckCount, limits.stuck) }

  /// The counts, with those of now.
  var statistics: TimeoutRunnerStatistics {
    var all = counts
    all.waiting = callers.count
    all.queued = queue.count
    all.running = runs.count
    all.stuck = stuckCount
    all.threads = workers.count
    return all
  }

  /// Returns a number that no caller, task or run has.
  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// The keys of the stuck runs, the longest overdue first; O(runs log runs).
  var stuckKeys: [Key] {
    runs.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      .filter(\.value.isStuck).map(\.value.key)
  }

  /// Stores a timer that the shell has set.
  ///
  /// - Parameters:
  ///   - timer: The timer.
  ///   - request: The request for it.
  /// - Returns: Whether the timer is still needed; if not, the shell has to cancel it.
  mutating func attach(_ timer: Timer, to request: TimerRequest) -> Bool {
    switch request.owner {
    case .caller(let id):
      guard callers[id]?.deadline == request.deadline else { return false }
      callers[id]?.timer = timer
    case .run(let id):
      guard let run = runs[id], !run.isStuck else { return false }
      runs[id]?.timer = timer
    }
    return true
  }
}

/// The threads of a runner.
struct Workers: Hashable, Sendable {
  /// All threads.
  var count = 0
  /// The threads that wait for work.
  var idle = 0
  /// The threads that were started or woken and have not asked for work yet.
  var arriving = 0
}

extension UInt64 {
  /// Returns the sum, limited to `UInt64.max`.
  func advanced(upTo nanoseconds: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(nanoseconds)
    return overflow ? .max : sum
  }
}
