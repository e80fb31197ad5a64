/// The decisions of a `TimeoutRunner`: who waits for which function, what runs next, who is answered what.
///
/// A pure value. It has no clock, no thread and no callback: the shell passes the time in, does what the
/// answered ``Turn`` says after leaving the lock, and carries what it does not look into: bodies, callers and
/// timers.
///
///     caller ──┐ waits for                 attempts
///     caller ──┼──────────▶ task of a key ──────────▶ run ─ held by a thread until the function returns
///     caller ──┘  (one queued or running                    (in time, or stuck past its deadline)
///                  task a key at a time)
///
/// A *caller* is one submission. It leaves `callers` with its answer, and answers are made nowhere else, so
/// there is exactly one. A *task* is what callers of one key wait for. It is over when a run returns, or is
/// replaced; a run that outlives it is late. A *run* is one call of a function. Nothing ends it but its
/// return.
///
/// Time is nanoseconds of one clock, and a deadline has passed as soon as `now` has reached it: what returns
/// at that moment is late, even if the timer has not fired yet. So the outcome is a matter of times, not of
/// which thread was first.
struct TimeoutCore<
  Key: Hashable & Sendable, Body: Sendable, Caller: Sendable, Timer: Sendable
>: Sendable {
  /// What is allowed.
  struct Limits: Sendable {
    /// The most functions that run at once, those aside that are stuck.
    var threads: Int
    /// The most stuck functions whose thread is replaced.
    var stuck: Int
    /// The most tasks that wait for a thread.
    var queue: Int
    /// What the same key does while its task is queued or running.
    var repeatedKey: RepeatedKeyPolicy
    /// How often a function is started again after a time-out.
    var restarts: Int
  }

  /// What a timer stands for.
  enum Moment: Hashable, Sendable {
    /// The deadline of a caller.
    case caller(UInt64)
    /// The deadline of a run.
    case run(UInt64)
  }

  /// A timer to be set.
  struct Alarm: Hashable, Sendable {
    /// What it stands for.
    let moment: Moment
    /// When it has to fire.
    let deadline: UInt64
  }

  /// What a caller is told.
  enum Verdict: Hashable, Sendable {
    /// The result of the function that has just returned.
    case result
    /// The deadline has passed.
    case timedOut(TimeOut)
    /// A later caller of the same key has taken the place.
    case replaced
    /// The caller no longer wants to know.
    case cancelled
    /// The runner was shut down.
    case shutDown
    /// The system has no thread left.
    case noThread
  }

  /// A caller and what to tell it.
  struct Answer: Sendable {
    /// The caller.
    let caller: Caller
    /// What to tell it.
    let verdict: Verdict
  }

  /// A run that has returned with nobody to answer.
  struct LateRun: Sendable {
    /// The key.
    let key: Key
    /// Which attempt of its task it was, from 1.
    let attempt: Int
    /// The nanoseconds since its deadline; 0 when it was in time, but nobody waited any longer.
    let overdue: UInt64
  }

  /// What the shell has to do after leaving the lock.
  struct Turn: Sendable {
    /// Who is answered.
    var answers: [Answer] = []
    /// The timers to set.
    var alarms: [Alarm] = []
    /// The timers to cancel.
    var spentTimers: [Timer] = []
    /// Bodies that are no longer needed: their end may run anything, so it comes outside the lock.
    var released: [Body] = []
    /// The run that has returned too late, if it has.
    var late: LateRun?
    /// How many waiting threads to wake.
    var wakes = 0
    /// How many threads to start.
    var starts = 0
  }

  /// Why a submission is not taken.
  enum Refusal: Error, Sendable {
    /// The runner is shut down.
    case shutDown
    /// The key is queued or running, and the policy is to refuse.
    case repeatedKey
    /// More functions are stuck than allowed: their keys, the longest overdue first.
    case tooManyStuck([Key])
    /// The queue is full.
    case queueFull
  }

  /// One submission that has not been answered.
  struct Waiting: Sendable {
    /// Who waits.
    var caller: Caller
    /// The task it waits for.
    var task: UInt64
    /// How long a slice of its time is.
    var timeout: UInt64
    /// When the present slice ends.
    var deadline: UInt64
    /// How many more slices it has, if the function runs by then.
    var restartsLeft: Int
    /// The timer of the deadline, once it is set.
    var timer: Timer?

    /// When the last slice ends.
    var lastDeadline: UInt64 {
      let (rest, overflow) = timeout.multipliedReportingOverflow(by: UInt64(restartsLeft))
      return overflow ? .max : deadline.advanced(upTo: rest)
    }
  }

  /// What callers of one key wait for.
  struct Task: Sendable {
    /// The key.
    let key: Key
    /// The function, nil when it will not be started again.
    var body: Body?
    /// The callers in order, among them some that have gone.
    var callers: [UInt64]
    /// The number of callers that have not gone.
    var waitingCount: Int
    /// Whether it waits for a thread.
    var isQueued = false
    /// How often the function has been started.
    var attempts = 0
    /// The latest run.
    var newestRun: UInt64 = 0
    /// The deadline of the latest run.
    var newestDeadline: UInt64 = 0
  }

  /// One call of a function.
  struct Run: Sendable {
    /// The key.
    let key: Key
    /// The task it was started for, which may be over.
    let task: UInt64
    /// Which attempt of the task it is, from 1.
    let attempt: Int
    /// When it was started.
    let start: UInt64
    /// When it becomes stuck.
    let deadline: UInt64
    /// Whether it is stuck.
    var isStuck = false
    /// Whether it has a timer of its own.
    var isWatched = false
    /// That timer, once it is set.
    var timer: Timer?
  }

  /// What is allowed.
  let limits: Limits
  /// The submissions that have not been answered.
  var callers: [UInt64: Waiting] = [:]
  /// The tasks that are not over.
  var tasks: [UInt64: Task] = [:]
  /// The task of each key.
  var current: [Key: UInt64] = [:]
  /// The calls that have not returned.
  var runs: [UInt64: Run] = [:]
  /// The tasks that wait for a thread: those that are started again before the others.
  var queue = TaskLine()
  /// What the threads do.
  var hands = Hands()
  /// How many runs are stuck.
  var stuckCount = 0
  /// What has happened.
  var counts = Counts()
  /// Whether the runner is shut down.
  var isClosed = false
  /// The last number that was given to a caller, task or run.
  private var lastID: UInt64 = 0

  /// Creates the state of a runner that has done nothing.
  init(_ limits: Limits) { self.limits = limits }

  /// The most threads at present: a stuck one does not count, as long as it is within the limit.
  var allowance: Int { limits.threads + min(stuckCount, limits.stuck) }

  /// A number that no caller, task or run has.
  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// The keys of the stuck runs, the longest overdue first.
  ///
  /// - Complexity: O(runs log runs).
  var stuckKeys: [Key] {
    runs.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      .filter(\.value.isStuck).map(\.value.key)
  }

  /// Notes the timer of a moment, which the shell has set.
  ///
  /// - Parameters:
  ///   - timer: The timer.
  ///   - alarm: What it was set for.
  /// - Returns: Whether it is still needed; if not, it has to be cancelled.
  /// - Complexity: O(1).
  mutating func keep(_ timer: Timer, for alarm: Alarm) -> Bool {
    switch alarm.moment {
    case .caller(let id):
      guard callers[id]?.deadline == alarm.deadline else { return false }
      callers[id]?.timer = timer
    case .run(let id):
      guard let run = runs[id], !run.isStuck else { return false }
      runs[id]?.timer = timer
    }
    return true
  }
}

/// What has happened in a runner, as numbers that only grow.
struct Counts: Hashable, Sendable {
  /// Calls of `submit`.
  var submitted = 0
  /// Callers that were given a value.
  var finished = 0
  /// Callers that were given the function's error.
  var failed = 0
  /// Callers whose deadline passed before a thread was free.
  var timedOutQueued = 0
  /// Callers whose deadline passed while the function ran.
  var timedOutRunning = 0
  /// Submissions that were not taken.
  var refused = 0
  /// Callers whose place a later one of the same key has taken.
  var replaced = 0
  /// Callers that were cancelled.
  var cancelled = 0
  /// Callers that were answered because the runner was shut down.
  var shutDown = 0
  /// Callers that were answered because the system had no thread.
  var noThread = 0
  /// Submissions that joined a queued or running function.
  var joined = 0
  /// Functions that were started, those that were started again among them.
  var started = 0
  /// Functions that were started again after a time-out.
  var restarted = 0
  /// Functions that returned with nobody to answer.
  var late = 0
}

/// What the threads of a runner do.
struct Hands: Hashable, Sendable {
  /// The threads that there are, started ones that have not arrived yet among them.
  var count = 0
  /// Those that wait for work.
  var idle = 0
  /// Those that were started or woken and have not asked for work yet.
  var coming = 0
}

/// The moments of the core.
extension UInt64 {
  /// The moment that is a number of nanoseconds later; the last one there is when it is too far.
  func advanced(upTo nanoseconds: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(nanoseconds)
    return overflow ? .max : sum
  }
}
