/// How functions are started and return, and how deadlines pass.
extension TimeoutCore {
  /// What a thread does next.
  enum Step: Sendable {
    /// It calls a function and then says `finish`.
    case run(UInt64, Body)
    /// It waits to be woken.
    case wait
    /// It ends.
    case end
  }

  /// Decides what a thread does next.
  ///
  /// - Parameters:
  ///   - isArriving: Whether the thread was just started or woken.
  ///   - now: The time.
  ///   - turn: What to do is added to it.
  /// - Returns: The next step.
  /// - Complexity: O(1) in the long run, and O(callers of the task).
  mutating func next(isArriving: Bool, at now: UInt64, _ turn: inout Turn) -> Step {
    if isArriving { hands.coming -= 1 }
    if isClosed || hands.count > allowance {
      hands.count -= 1
      // It may have been woken for a task that another thread has to take now.
      staff(&turn)
      return .end
    }
    while let id = queue.popFirst() {
      guard tasks[id]?.isQueued == true else { continue }
      lapse(id, at: now, &turn)
      dropIfUnwanted(id, &turn)
      if let body = start(id, at: now, &turn) { return .run(body.run, body.body) }
    }
    hands.idle += 1
    return .wait
  }

  /// Starts a task that is queued.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The time.
  ///   - turn: What to do is added to it.
  /// - Returns: The run and its function, nil when nobody waits for it any more.
  private mutating func start(
    _ id: UInt64, at now: UInt64, _ turn: inout Turn
  ) -> (run: UInt64, body: Body)? {
    guard var task = tasks.removeValue(forKey: id) else { return nil }
    guard task.isQueued, let body = task.body else {
      tasks[id] = task
      return nil
    }
    task.isQueued = false
    task.attempts += 1
    if task.attempts > limits.restarts { task.body = nil }
    // It is in time as long as anybody who waits for it now is. Those who join later do not prolong that:
    // else a function that never returns would not count as stuck while new callers come.
    let deadline = task.callers.reduce(now) { max($0, callers[$1]?.deadline ?? 0) }
    let run = nextID()
    runs[run] = Run(
      key: task.key, task: id, attempt: task.attempts, start: now, deadline: deadline)
    task.newestRun = run
    task.newestDeadline = deadline
    counts.started += 1
    if task.attempts > 1 { counts.restarted += 1 }
    tasks[id] = task
    leaveQueue()
    return (run, body)
  }

  /// Notes that a function has returned: whoever waits for it gets the result.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - hasFailed: Whether it has thrown.
  ///   - now: The time.
  ///   - turn: What to do is added to it.
  /// - Complexity: O(callers of the task).
  mutating func finish(_ id: UInt64, hasFailed: Bool, at now: UInt64, _ turn: inout Turn) {
    guard let run = runs.removeValue(forKey: id) else {
      preconditionFailure("run \(id) has returned twice")
    }
    if run.isStuck { stuckCount -= 1 }
    if let timer = run.timer { turn.spentTimers.append(timer) }
    lapse(run.task, at: now, &turn)
    let answered = answerAll(of: run.task, .result, &turn)
    if hasFailed { counts.failed += answered } else { counts.finished += answered }
    removeTask(run.task, &turn)
    if answered == 0 {
      counts.late += 1
      let overdue = now > run.deadline ? now - run.deadline : 0
      turn.late = LateRun(key: run.key, attempt: run.attempt, overdue: overdue)
    }
  }

  /// Notes that a timer has fired.
  ///
  /// - Parameters:
  ///   - moment: What it stands for.
  ///   - now: The time.
  ///   - turn: What to do is added to it.
  /// - Complexity: O(1) in the long run.
  mutating func expire(_ moment: Moment, at now: UInt64, _ turn: inout Turn) {
    switch moment {
    case .caller(let id): expireCaller(id, at: now, &turn)
    case .run(let id): expireRun(id, at: now, &turn)
    }
    staff(&turn)
  }

  /// Lets a caller's slice end: it is answered, or has another one.
  private mutating func expireCaller(_ id: UInt64, at now: UInt64, _ turn: inout Turn) {
    guard var waiting = callers[id] else { return }
    guard let task = tasks[waiting.task] else {
      preconditionFailure("caller \(id) waits for nothing: \(waiting)")
    }
    waiting.timer = nil
    var isRestarting = false
    while waiting.deadline <= now, task.attempts > 0, waiting.restartsLeft > 0 {
      waiting.restartsLeft -= 1
      waiting.deadline = waiting.deadline.advanced(upTo: waiting.timeout)
      isRestarting = true
    }
    callers[id] = waiting
    guard waiting.deadline > now else {
      if task.attempts > 0 && task.newestDeadline <= now {
        expireRun(task.newestRun, at: now, &turn)
      }
      answer(id, .timedOut(task.attempts > 0 ? .running(attempts: task.attempts) : .queued), &turn)
      dropIfUnwanted(waiting.task, &turn)
      return
    }
    turn.alarms.append(Alarm(moment: .caller(id), deadline: waiting.deadline))
    if isRestarting { restart(waiting.task, at: now, &turn) }
  }

  /// Starts the function of a task again if its latest run is stuck and it may be.
  private mutating func restart(_ id: UInt64, at now: UInt64, _ turn: inout Turn) {
    guard let task = tasks[id], task.newestDeadline <= now else { return }
    expireRun(task.newestRun, at: now, &turn)
    // A function that stays stuck again must not take the threads that are left.
    guard !task.isQueued, task.attempts <= limits.restarts, stuckCount <= limits.stuck else {
      return
    }
    tasks[id]?.isQueued = true
    queue.append(id, isUrgent: true)
  }

  /// Counts a run as stuck, if its deadline has passed.
  private mutating func expireRun(_ id: UInt64, at now: UInt64, _ turn: inout Turn) {
    guard let run = runs[id], !run.isStuck else { return }
    guard run.deadline <= now else {
      turn.alarms.append(Alarm(moment: .run(id), deadline: run.deadline))
      return
    }
    if let timer = run.timer { turn.spentTimers.append(timer) }
    runs[id]?.timer = nil
    runs[id]?.isStuck = true
    stuckCount += 1
  }

  /// How many threads to wake and to start for what is queued.
  func staffing() -> (wakes: Int, starts: Int) {
    let wanted = max(0, queue.count - hands.coming)
    let wakes = min(wanted, hands.idle)
    return (wakes, min(wanted - wakes, max(0, allowance - hands.count)))
  }

  /// Wakes and starts threads for what is queued.
  ///
  /// - Parameter turn: What to do is added to it.
  /// - Complexity: O(1).
  mutating func staff(_ turn: inout Turn) {
    guard !isClosed else { return }
    let (wakes, starts) = staffing()
    hands.idle -= wakes
    hands.count += starts
    hands.coming += wakes + starts
    turn.wakes += wakes
    turn.starts += starts
  }
}

/// How callers and tasks go.
extension TimeoutCore {
  /// Answers a caller: the only place where one leaves.
  mutating func answer(_ id: UInt64, _ verdict: Verdict, _ turn: inout Turn) {
    guard let waiting = callers.removeValue(forKey: id) else {
      preconditionFailure("caller \(id) is answered twice, now \(verdict)")
    }
    if let timer = waiting.timer { turn.spentTimers.append(timer) }
    watchNewestRun(of: waiting.task, &turn)
    turn.answers.append(Answer(caller: waiting.caller, verdict: verdict))
    switch verdict {
    case .result: break  // Counted by who knows whether it is a value or an error.
    case .timedOut(.queued): counts.timedOutQueued += 1
    case .timedOut(.running): counts.timedOutRunning += 1
    case .replaced: counts.replaced += 1
    case .cancelled: counts.cancelled += 1
    case .shutDown: counts.shutDown += 1
    case .noThread: counts.noThread += 1
    }
    forget(id, waiting.task)
  }

  /// Gives the latest run of a task a timer of its own, because a caller leaves whose timer may have stood
  /// for it.
  ///
  /// A run is in time as long as one of the callers is that it was started for, so mostly their timers will
  /// do.
  private mutating func watchNewestRun(of task: UInt64, _ turn: inout Turn) {
    guard let id = tasks[task]?.newestRun, let run = runs[id], !run.isStuck, !run.isWatched else {
      return
    }
    runs[id]?.isWatched = true
    turn.alarms.append(Alarm(moment: .run(id), deadline: run.deadline))
  }

  /// Takes a caller off its task's list, now or when enough have gone.
  private mutating func forget(_ id: UInt64, _ task: UInt64) {
    tasks[task]?.waitingCount -= 1
    guard let list = tasks[task], list.callers.count > 2 * list.waitingCount + 32 else { return }
    tasks[task]?.callers = list.callers.filter { callers[$0] != nil }
  }

  /// Answers all callers of a task.
  ///
  /// - Parameters:
  ///   - task: The task, which may be over.
  ///   - verdict: What to tell them.
  ///   - turn: What to do is added to it.
  /// - Returns: How many there were.
  @discardableResult
  mutating func answerAll(of task: UInt64, _ verdict: Verdict, _ turn: inout Turn) -> Int {
    var answered = 0
    for id in tasks[task]?.callers ?? [] where callers[id] != nil {
      answer(id, verdict, &turn)
      answered += 1
    }
    return answered
  }

  /// Answers the callers of a task whose time has passed without that their timer has fired yet.
  mutating func lapse(_ id: UInt64, at now: UInt64, _ turn: inout Turn) {
    guard let task = tasks[id] else { return }
    for caller in task.callers {
      guard let waiting = callers[caller] else { continue }
      if task.attempts == 0 {
        if waiting.deadline <= now { answer(caller, .timedOut(.queued), &turn) }
      } else if waiting.lastDeadline <= now {
        answer(caller, .timedOut(.running(attempts: task.attempts)), &turn)
      }
    }
  }

  /// Takes a task out of the queue if nobody waits for it, and ends it if it has not begun.
  mutating func dropIfUnwanted(_ id: UInt64, _ turn: inout Turn) {
    guard let task = tasks[id], task.waitingCount == 0 else { return }
    if task.attempts == 0 {
      removeTask(id, &turn)
    } else if task.isQueued {
      tasks[id]?.isQueued = false
      leaveQueue()
    }
  }

  /// Ends a task whose callers have all been answered.
  mutating func removeTask(_ id: UInt64, _ turn: inout Turn) {
    guard let task = tasks.removeValue(forKey: id) else { return }
    if let body = task.body { turn.released.append(body) }
    if current[task.key] == id { current[task.key] = nil }
    if task.isQueued { leaveQueue() }
  }

  /// Notes that a task does not wait for a thread any longer.
  private mutating func leaveQueue() {
    queue.leave { [tasks] in tasks[$0]?.isQueued == true }
  }
}
