@testable import HeadwayTime

/// A runner without threads and clocks: the core, and the actions of a shell, one step at a time.
///
/// It is a value, so that a test can continue from one state in several ways. `violation` describes a promise that was
/// broken, if any.
struct RehearsedRunner {
  /// The core; keys, functions, callers and timers are numbers.
  typealias Core = TimeoutCore<Int, Int, Int, Int>

  /// The state of a thread.
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

  /// The state of a submission.
  struct Submission {
    var key: Int
    /// The number of the caller in the core, nil if it was refused.
    var id: UInt64?
    /// The time of the submission.
    var time: UInt64
    var timeout: UInt64
    /// The answer.
    var verdict: Core.Verdict?
    /// The submission whose function provided its result.
    var result: Int?
  }

  var core: Core
  var now: UInt64 = 1000
  /// The submissions; the number of a submission is also that of its function.
  var submissions: [Submission] = []
  var threads: [Int: Thread] = [:]
  var timers: [Int: Core.TimerRequest] = [:]
  /// The functions that were started, in order.
  var started: [Int] = []
  /// The functions that returned when no caller waited any more.
  var late: [Core.LateRun] = []
  /// A description of the first broken promise.
  var violation: String?
  /// Whether a thread could not be created, so that tasks may wait although threads are missing.
  var hasFailedThreads = false
  /// The number of the newest thread or timer.
  private var lastNumber = 0

  init(
    threads: Int = 2, stuck: Int = 2, queue: Int = 1000, repeatedKey: RepeatedKeyPolicy = .join,
    restarts: Int = 0
  ) {
    core = Core(
      Core.Limits(
        threads: threads, stuck: stuck, queue: queue, repeatedKey: repeatedKey, restarts: restarts))
  }

  /// The answer to a submission.
  subscript(_ submission: Int) -> Core.Verdict? { submissions[submission].verdict }

  /// The running functions, by submission.
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
  /// - Returns: The refusal, nil if the function was accepted.
  @discardableResult
  mutating func submit(_ key: Int, timeout: UInt64 = 10) -> Core.Refusal? {
    let number = submissions.count
    submissions.append(Submission(key: key, id: nil, time: now, timeout: timeout))
    var effects = Core.Effects()
    do throws(Core.Refusal) {
      submissions[number].id = try core.submit(
        number, key: key, body: number, timeout: timeout, at: now, &effects)
      perform(effects)
      return nil
    } catch {
      perform(effects)
      return error
    }
  }

  /// Runs every ready thread until all are running a function or waiting.
  mutating func settle() {
    while let number = threads.keys.sorted().first(where: { isReady($0) }) { step(number) }
  }

  /// Whether a thread is ready to ask for work.
  func isReady(_ number: Int) -> Bool {
    threads[number] == .arriving || threads[number] == .free
  }

  /// Makes a thread ask for work.
  mutating func step(_ number: Int) {
    let isArriving = threads[number] == .arriving
    var effects = Core.Effects()
    let step = core.next(isArriving: isArriving, at: now, &effects)
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
    perform(effects)
  }

  /// Makes a function return.
  ///
  /// - Parameters:
  ///   - body: The function; the earliest call of it returns.
  ///   - hasFailed: Whether it throws.
  mutating func finish(_ body: Int, hasFailed: Bool = false) {
    for number in threads.keys.sorted() {
      guard case .running(let run, body)? = threads[number] else { continue }
      threads[number] = .free
      var effects = Core.Effects()
      core.finish(run, hasFailed: hasFailed, at: now, &effects)
      perform(effects, result: body)
      return
    }
  }

  mutating func cancel(_ submission: Int) {
    guard let id = submissions[submission].id else { return }
    var effects = Core.Effects()
    core.cancel(id, &effects)
    perform(effects)
  }

  mutating func shutDown() {
    var effects = Core.Effects()
    core.shutDown(&effects)
    perform(effects)
  }

  /// Makes the start of a thread fail, if one is starting.
  mutating func failThread() {
    guard let number = threads.keys.sorted().first(where: { threads[$0] == .arriving }) else {
      return
    }
    hasFailedThreads = true
    threads[number] = nil
    var effects = Core.Effects()
    core.threadFailed(&effects)
    perform(effects)
  }

  /// Advances the time and optionally fires the timers that are due.
  ///
  /// - Parameters:
  ///   - time: The duration.
  ///   - isFiring: Whether the timers that are due fire.
  ///   - order: The order of timers with the same deadline.
  mutating func wait(
    _ time: UInt64, isFiring: Bool = true, order: ([Int]) -> Int? = { $0.first }
  ) {
    let end = now + time
    while isFiring {
      let next = timers.values.map(\.deadline).min() ?? .max
      guard next <= end else { break }
      now = max(now, next)
      let due = timers.filter { $0.value.deadline <= now }.keys.sorted()
      guard let timer = order(due), let request = timers.removeValue(forKey: timer) else { break }
      var effects = Core.Effects()
      core.expire(request.owner, at: now, &effects)
      perform(effects)
    }
    now = end
    if isFiring, core.callers.values.contains(where: { $0.lastDeadline <= now }) {
      report("a caller waits although its time has passed")
    }
    if isFiring, core.runs.values.contains(where: { $0.deadline <= now && !$0.isStuck }) {
      report("a run is not stuck although its time has passed")
    }
  }

  /// Records a broken promise.
  mutating func report(_ text: String) { if violation == nil { violation = text } }

  /// Returns a number for a thread or timer.
  private mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Performs effects as the shell does.
  private mutating func perform(_ effects: Core.Effects, result: Int? = nil) {
    for _ in 0..<effects.wakes {
      guard let idle = threads.keys.sorted().first(where: { threads[$0] == .waiting }) else {
        report("a thread is woken that does not wait")
        break
      }
      threads[idle] = .arriving
    }
    for _ in 0..<effects.starts { threads[number()] = .arriving }
    for timer in effects.timersToCancel { timers[timer] = nil }
    for request in effects.timerRequests where request.deadline < .max {
      let timer = number()
      if core.attach(timer, to: request) { timers[timer] = request }
    }
    for answer in effects.answers { note(answer, result) }
    if let run = effects.late { late.append(run) }
    checkInvariants()
  }

  /// Records an answer and checks that it is allowed.
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
    case .timedOut(attempts: 0):
      if now < end { report("\(answer.caller) was timed out early in the queue") }
      // A caller that joined may have caused the start.
      if core.limits.repeatedKey != .join && started.contains(answer.caller) {
        report("\(answer.caller) was told that it was not started, but it was")
      }
    case .timedOut(let attempts):
      if now < last { report("\(answer.caller) was timed out early") }
      if attempts > core.limits.restarts + 1 {
        report("\(answer.caller) was started \(attempts) times")
      }
    case .replaced, .cancelled, .shutDown, .noThread: break
    }
  }

  /// Checks the consistency of the core, the threads and the timers.
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
    if core.workers != Workers(count: threads.count, idle: waiting, arriving: arriving) {
      report("\(core.workers), but \(threads)")
    }
    let queued = core.tasks.values.filter(\.isQueued).count
    if queued != core.queue.count { report("\(queued) queued counted as \(core.queue.count)") }
    if core.queue.entryCount > 2 * queued + 65 { report("the queue is not swept") }
    if !core.isClosed && !hasFailedThreads && core.missingWorkers() != (0, 0) {
      report("a task waits although a thread could come")
    }
    for timer in timers {
      let isNeeded =
        switch timer.value.owner {
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
      if core.taskIDs[task.key] != id { report("task \(id) has lost its key") }
      if task.waitingCount == 0 && task.attempts == 0 { report("task \(id) is left over") }
    }
    if core.taskIDs.count != core.tasks.count { report("keys are left over") }
  }
}
