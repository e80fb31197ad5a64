@testable import HeadwayTime

/// A runner without threads and clocks: the core, and what a shell would do, one step at a time.
///
/// A value, so that a test can go on from one state in several ways. `violation` says what promise was
/// broken, if any.
struct RehearsedRunner {
  /// The core; keys, functions, callers and timers are numbers.
  typealias Core = TimeoutCore<Int, Int, Int, Int>

  /// What a thread is doing.
  enum Thread: Equatable {
    /// It was started or woken.
    case arriving
    /// It has just returned from a function.
    case free
    /// It waits.
    case waiting
    /// It runs a function.
    case running(run: UInt64, body: Int)
  }

  /// What is known of a submission.
  struct Submission {
    /// The key.
    var key: Int
    /// The number of the core, nil when it was refused.
    var id: UInt64?
    /// When it was submitted.
    var time: UInt64
    /// Its time-out.
    var timeout: UInt64
    /// What it was told.
    var verdict: Core.Verdict?
    /// Whose function's result it got.
    var result: Int?
  }

  /// The core.
  var core: Core
  /// The time.
  var now: UInt64 = 1000
  /// The submissions; the number of one is that of its function too.
  var submissions: [Submission] = []
  /// The threads by number.
  var threads: [Int: Thread] = [:]
  /// The timers that are set.
  var timers: [Int: Core.Alarm] = [:]
  /// The functions that were started, in their order.
  var started: [Int] = []
  /// The functions that returned with nobody to answer.
  var late: [Core.LateRun] = []
  /// The first broken promise.
  var violation: String?
  /// Whether threads were refused by the system, so that tasks may wait though hands are missing.
  var hasFailedThreads = false
  /// The last number that was given to a thread or timer.
  private var lastNumber = 0

  /// Creates a runner.
  init(
    threads: Int = 2, stuck: Int = 2, queue: Int = 1000, repeatedKey: RepeatedKeyPolicy = .join,
    restarts: Int = 0
  ) {
    core = Core(
      Core.Limits(
        threads: threads, stuck: stuck, queue: queue, repeatedKey: repeatedKey, restarts: restarts))
  }

  /// What a submission was told.
  subscript(_ submission: Int) -> Core.Verdict? { submissions[submission].verdict }

  /// The functions that run, by submission.
  var running: [Int] {
    threads.keys.sorted().compactMap { number in
      if case .running(_, let body)? = threads[number] { body } else { nil }
    }
  }

  /// Submits a function.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - timeout: The time-out.
  /// - Returns: The refusal, nil when it was taken.
  @discardableResult
  mutating func submit(_ key: Int, timeout: UInt64 = 10) -> Core.Refusal? {
    let number = submissions.count
    submissions.append(Submission(key: key, id: nil, time: now, timeout: timeout))
    var turn = Core.Turn()
    do throws(Core.Refusal) {
      submissions[number].id = try core.submit(
        number, key: key, body: number, timeout: timeout, at: now, &turn)
      perform(turn)
      return nil
    } catch {
      perform(turn)
      return error
    }
  }

  /// Lets every thread that can go on do so, until all run or wait.
  mutating func settle() {
    while let number = threads.keys.sorted().first(where: { isReady($0) }) { step(number) }
  }

  /// Whether a thread would ask for work.
  func isReady(_ number: Int) -> Bool {
    threads[number] == .arriving || threads[number] == .free
  }

  /// Lets a thread ask for work.
  mutating func step(_ number: Int) {
    let isArriving = threads[number] == .arriving
    var turn = Core.Turn()
    let step = core.next(isArriving: isArriving, at: now, &turn)
    switch step {
    case .end: threads[number] = nil
    case .wait: threads[number] = .waiting
    case .run(let run, let body):
      threads[number] = .running(run: run, body: body)
      let key = submissions[body].key
      let wanted = core.callers.values.contains {
        submissions[$0.caller].key == key && $0.lastDeadline > now
      }
      if !wanted { report("function \(body) was started for nobody") }
      if core.limits.repeatedKey != .join, let verdict = submissions[body].verdict {
        report("function \(body) was started although its caller was told \(verdict)")
      }
      started.append(body)
    }
    perform(turn)
  }

  /// Lets a function return.
  ///
  /// - Parameters:
  ///   - body: The function; the earliest call of it returns.
  ///   - hasFailed: Whether it throws.
  mutating func finish(_ body: Int, hasFailed: Bool = false) {
    for number in threads.keys.sorted() {
      guard case .running(let run, body)? = threads[number] else { continue }
      threads[number] = .free
      var turn = Core.Turn()
      core.finish(run, hasFailed: hasFailed, at: now, &turn)
      perform(turn, result: body)
      return
    }
  }

  /// Cancels a submission.
  mutating func cancel(_ submission: Int) {
    guard let id = submissions[submission].id else { return }
    var turn = Core.Turn()
    core.cancel(id, &turn)
    perform(turn)
  }

  /// Shuts the runner down.
  mutating func shutDown() {
    var turn = Core.Turn()
    core.shutDown(&turn)
    perform(turn)
  }

  /// Lets the start of a thread fail that has not arrived, if there is one.
  mutating func failThread() {
    guard let number = threads.keys.sorted().first(where: { threads[$0] == .arriving }) else {
      return
    }
    hasFailedThreads = true
    threads[number] = nil
    var turn = Core.Turn()
    core.threadFailed(&turn)
    perform(turn)
  }

  /// Lets time go by and, unless they are late, what is due fire.
  ///
  /// - Parameters:
  ///   - time: How much.
  ///   - isFiring: Whether the timers that are due fire.
  ///   - order: Which of several timers fires first.
  mutating func wait(
    _ time: UInt64, isFiring: Bool = true, order: ([Int]) -> Int? = { $0.first }
  ) {
    let end = now + time
    while isFiring {
      let next = timers.values.map(\.deadline).min() ?? .max
      guard next <= end else { break }
      now = max(now, next)
      let due = timers.filter { $0.value.deadline <= now }.keys.sorted()
      guard let timer = order(due), let alarm = timers.removeValue(forKey: timer) else { break }
      var turn = Core.Turn()
      core.expire(alarm.moment, at: now, &turn)
      perform(turn)
    }
    now = end
    if isFiring, core.callers.values.contains(where: { $0.lastDeadline <= now }) {
      report("a caller waits although its time has passed")
    }
    if isFiring, core.runs.values.contains(where: { $0.deadline <= now && !$0.isStuck }) {
      report("a run is not stuck although its time has passed")
    }
  }

  /// Notes a broken promise.
  mutating func report(_ text: String) { if violation == nil { violation = text } }

  /// A number for a thread or timer.
  private mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Does what a turn says, as the shell does.
  private mutating func perform(_ turn: Core.Turn, result: Int? = nil) {
    for _ in 0..<turn.wakes {
      guard let idle = threads.keys.sorted().first(where: { threads[$0] == .waiting }) else {
        report("a thread is woken that does not wait")
        break
      }
      threads[idle] = .arriving
    }
    for _ in 0..<turn.starts { threads[number()] = .arriving }
    for timer in turn.spentTimers { timers[timer] = nil }
    for alarm in turn.alarms where alarm.deadline < .max {
      let timer = number()
      if core.keep(timer, for: alarm) { timers[timer] = alarm }
    }
    for answer in turn.answers { note(answer, result) }
    if let run = turn.late { late.append(run) }
    checkInvariants()
  }

  /// Notes an answer, and whether it is one that may be given.
  private mutating func note(_ answer: Core.Answer, _ result: Int?) {
    let submission = submissions[answer.caller]
    if let earlier = submission.verdict {
      report("\(answer.caller) was told \(earlier) and then \(answer.verdict)")
    }
    submissions[answer.caller].verdict = answer.verdict
    let end = submission.time.advanced(upTo: submission.timeout)
    let (all, isEndless) = submission.timeout.multipliedReportingOverflow(
      by: UInt64(core.limits.restarts + 1))
    let last = isEndless ? .max : submission.time.advanced(upTo: all)
    switch answer.verdict {
    case .result:
      submissions[answer.caller].result = result
      if now >= last { report("\(answer.caller) got a result too late") }
      guard let result, submissions[result].key == submission.key else {
        return report("\(answer.caller) got the result of another key")
      }
      if core.limits.repeatedKey != .join && result != answer.caller {
        report("\(answer.caller) got the result of \(result)")
      }
    case .timedOut(.queued):
      if now < end { report("\(answer.caller) was timed out early in the queue") }
      // Who joined it may have had it started.
      if core.limits.repeatedKey != .join && started.contains(answer.caller) {
        report("\(answer.caller) was told that it was not started, but it was")
      }
    case .timedOut(.running(let attempts)):
      if now < last { report("\(answer.caller) was timed out early") }
      if attempts < 1 || attempts > core.limits.restarts + 1 {
        report("\(answer.caller) was started \(attempts) times")
      }
    case .replaced, .cancelled, .shutDown, .noThread: break
    }
  }

  /// Looks for a contradiction between the core, the threads and the timers.
  mutating func checkInvariants() {
    let counts = core.counts
    let told =
      counts.finished + counts.failed + counts.timedOutQueued + counts.timedOutRunning
      + counts.refused + counts.replaced + counts.cancelled + counts.shutDown + counts.noThread
    if counts.submitted != told + core.callers.count { report("the counters do not add up") }
    let runs = running.count
    if runs != core.runs.count { report("\(core.runs.count) runs in \(runs) threads") }
    if runs > core.limits.threads + core.limits.stuck { report("\(runs) functions run at once") }
    let stuck = core.runs.values.filter(\.isStuck).count
    if stuck != core.stuckCount { report("\(stuck) stuck counted as \(core.stuckCount)") }
    if runs - stuck > core.limits.threads { report("\(runs - stuck) run that are not stuck") }
    let waiting = threads.values.filter { $0 == .waiting }.count
    let arriving = threads.values.filter { $0 == .arriving }.count
    if core.hands != Hands(count: threads.count, idle: waiting, coming: arriving) {
      report("\(core.hands), but \(threads)")
    }
    let queued = core.tasks.values.filter(\.isQueued).count
    if queued != core.queue.count { report("\(queued) queued counted as \(core.queue.count)") }
    if core.queue.entryCount > 2 * queued + 65 { report("the queue is not swept") }
    if !core.isClosed && !hasFailedThreads && core.staffing() != (0, 0) {
      report("a task waits although a thread could come")
    }
    for timer in timers {
      let isNeeded =
        switch timer.value.moment {
        case .caller(let id): core.callers[id]?.timer == timer.key
        case .run(let id): core.runs[id]?.timer == timer.key
        }
      if !isNeeded { report("a timer for nothing: \(timer)") }
    }
    for caller in core.callers.values where caller.deadline < .max {
      if caller.timer.flatMap({ timers[$0] })?.deadline != caller.deadline {
        report("no timer for \(caller)")
      }
    }
    for (id, run) in core.runs where !run.isStuck && run.deadline < .max {
      let isWatched =
        run.timer.flatMap { timers[$0] } != nil
        || core.callers.values.contains { $0.task == run.task && $0.deadline <= run.deadline }
      if !isWatched { report("no timer will tell that run \(id) is stuck") }
    }
    for (id, task) in core.tasks {
      if core.current[task.key] != id { report("task \(id) has lost its key") }
      if task.waitingCount == 0 && task.attempts == 0 { report("task \(id) is left over") }
    }
    if core.current.count != core.tasks.count { report("keys are left over") }
  }
}
