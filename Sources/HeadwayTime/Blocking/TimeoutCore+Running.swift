// How functions start and return, and how deadlines pass.
extension TimeoutCore {
  /// The next step of a thread.
  enum Step: Sendable {
    /// Calls a function and then `finish`.
    case run(UInt64, Body)
    /// Waits until it is woken.
    case wait
    /// Ends.
    case end
  }

  /// Decides what a thread does next.
  ///
  /// - Parameters:
  ///   - isArriving: Whether the thread was just started or woken.
  ///   - now: The current time.
  ///   - effects: The effects to append to.
  /// - Returns: The next step.
  /// - Complexity: Amortized O(1), plus O(callers of the task).
  mutating func next(isArriving: Bool, at now: UInt64, _ effects: inout Effects) -> Step {
    if isArriving { workers.arriving -= 1 }
    if isClosed || workers.count > threadLimit {
      workers.count -= 1
      // This thread may have been woken for a task that another thread has to run now.
      addWorkers(&effects)
      return .end
    }
    while let id = queue.popFirst() {
      guard tasks[id]?.isQueued == true else { continue }
      answerExpired(id, at: now, &effects)
      dropIfUnwanted(id, &effects)
      if let body = start(id, at: now, &effects) { return .run(body.run, body.body) }
    }
    workers.idle += 1
    return .wait
  }

  /// Starts a queued task.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The current time.
  ///   - effects: The effects to append to.
  /// - Returns: The run and its function, nil if no one waits for it any more.
  private mutating func start(
    _ id: UInt64, at now: UInt64, _ effects: inout Effects
  ) -> (run: UInt64, body: Body)? {
    guard var task = tasks.removeValue(forKey: id) else { return nil }
    guard task.isQueued, let body = task.body else {
      tasks[id] = task
      return nil
    }
    task.isQueued = false
    task.attempts += 1
    if task.attempts > limits.restarts { task.body = nil }
    // The deadline of a run is the latest deadline of its callers at the start. Callers that join later do not extend
    // it, or a function that never returns would not count as stuck while new callers join.
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

  /// Records that a function has returned, and answers the callers that wait for it.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - hasFailed: Whether the function threw an error.
  ///   - now: The current time.
  ///   - effects: The effects to append to.
  /// - Complexity: O(callers of the task).
  mutating func finish(_ id: UInt64, hasFailed: Bool, at now: UInt64, _ effects: inout Effects) {
    guard let run = runs.removeValue(forKey: id) else {
      preconditionFailure("Run \(id) has returned twice.")
    }
    if run.isStuck { stuckCount -= 1 }
    if let timer = run.timer { effects.timersToCancel.append(timer) }
    answerExpired(run.task, at: now, &effects)
    let answered = answerAll(of: run.task, .result, &effects)
    if hasFailed { counts.failed += answered } else { counts.finished += answered }
    removeTask(run.task, &effects)
    if answered == 0 {
      counts.late += 1
      let overdue = now > run.deadline ? now - run.deadline : 0
      effects.late = LateRun(key: run.key, attempt: run.attempt, overdue: overdue)
    }
  }

  /// Records that a timer has fired.
  ///
  /// - Parameters:
  ///   - owner: The caller or run of the timer.
  ///   - now: The current time.
  ///   - effects: The effects to append to.
  /// - Complexity: Amortized O(1).
  mutating func expire(_ owner: DeadlineOwner, at now: UInt64, _ effects: inout Effects) {
    switch owner {
    case .caller(let id): expireCaller(id, at: now, &effects)
    case .run(let id): expireRun(id, at: now, &effects)
    }
    addWorkers(&effects)
  }

  /// Answers a caller whose deadline has passed, or moves the deadline to the next attempt.
  private mutating func expireCaller(_ id: UInt64, at now: UInt64, _ effects: inout Effects) {
    guard var waiter = callers[id] else { return }
    guard let task = tasks[waiter.task] else {
      preconditionFailure("Caller \(id) waits for no task: \(waiter).")
    }
    waiter.timer = nil
    var isRestarting = false
    while waiter.deadline <= now, task.attempts > 0, waiter.restartsLeft > 0 {
      waiter.restartsLeft -= 1
      waiter.deadline = waiter.deadline.advanced(upTo: waiter.timeout)
      isRestarting = true
    }
    callers[id] = waiter
    guard waiter.deadline > now else {
      if task.attempts > 0 && task.newestDeadline <= now {
        expireRun(task.newestRun, at: now, &effects)
      }
      answer(id, .timedOut(attempts: task.attempts), &effects)
      dropIfUnwanted(waiter.task, &effects)
      return
    }
    effects.timerRequests.append(TimerRequest(owner: .caller(id), deadline: waiter.deadline))
    if isRestarting { restart(waiter.task, at: now, &effects) }
  }

  /// Queues a task for a restart if its newest run is stuck and the limits allow it.
  private mutating func restart(_ id: UInt64, at now: UInt64, _ effects: inout Effects) {
    guard let task = tasks[id], task.newestDeadline <= now else { return }
    expireRun(task.newestRun, at: now, &effects)
    // Restarting a function that will be stuck again must not use up the remaining threads.
    guard !task.isQueued, task.attempts <= limits.restarts, stuckCount <= limits.stuck else {
      return
    }
    tasks[id]?.isQueued = true
    queue.append(id, isRestarted: true)
  }

  /// Marks a run as stuck if its deadline has passed.
  private mutating func expireRun(_ id: UInt64, at now: UInt64, _ effects: inout Effects) {
    guard let run = runs[id], !run.isStuck else { return }
    guard run.deadline <= now else {
      effects.timerRequests.append(TimerRequest(owner: .run(id), deadline: run.deadline))
      return
    }
    if let timer = run.timer { effects.timersToCancel.append(timer) }
    runs[id]?.timer = nil
    runs[id]?.isStuck = true
    stuckCount += 1
  }

  /// Returns the number of threads to wake and to start for the queued tasks.
  func missingWorkers() -> (wakes: Int, starts: Int) {
    let wanted = max(0, queue.count - workers.arriving)
    let wakes = min(wanted, workers.idle)
    return (wakes, min(wanted - wakes, max(0, threadLimit - workers.count)))
  }

  /// Wakes and starts threads for the queued tasks.
  ///
  /// - Parameter effects: The effects to append to.
  mutating func addWorkers(_ effects: inout Effects) {
    guard !isClosed else { return }
    let (wakes, starts) = missingWorkers()
    workers.idle -= wakes
    workers.count += starts
    workers.arriving += wakes + starts
    effects.wakes += wakes
    effects.starts += starts
  }
}

// How callers are answered and tasks end.
extension TimeoutCore {
  /// Answers and removes a caller; nothing else removes one.
  mutating func answer(_ id: UInt64, _ verdict: Verdict, _ effects: inout Effects) {
    guard let waiter = callers.removeValue(forKey: id) else {
      preconditionFailure("Caller \(id) is answered twice, now with \(verdict).")
    }
    if let timer = waiter.timer { effects.timersToCancel.append(timer) }
    ensureTimerOfNewestRun(of: waiter.task, &effects)
    effects.answers.append(Answer(caller: waiter.caller, verdict: verdict))
    switch verdict {
    case .result: break  // `finish` counts values and errors.
    case .timedOut(attempts: 0): counts.timedOutQueued += 1
    case .timedOut: counts.timedOutRunning += 1
    case .replaced: counts.replaced += 1
    case .cancelled: counts.cancelled += 1
    case .shutDown: counts.shutDown += 1
    case .noThread: counts.noThread += 1
    }
    forget(id, waiter.task)
  }

  /// Requests a timer for the newest run of a task, because a caller is leaving whose timer may have covered it.
  ///
  /// A run has the latest deadline of the callers that it was started for, so their timers usually suffice.
  private mutating func ensureTimerOfNewestRun(of task: UInt64, _ effects: inout Effects) {
    guard let id = tasks[task]?.newestRun, let run = runs[id], !run.isStuck, !run.hasTimer else {
      return
    }
    runs[id]?.hasTimer = true
    effects.timerRequests.append(TimerRequest(owner: .run(id), deadline: run.deadline))
  }

  /// Removes a caller from the list of its task, at once or when enough have been answered.
  private mutating func forget(_ id: UInt64, _ task: UInt64) {
    tasks[task]?.waitingCount -= 1
    guard let list = tasks[task], list.callers.count > 2 * list.waitingCount + 32 else { return }
    tasks[task]?.callers = list.callers.filter { callers[$0] != nil }
  }

  /// Answers all callers of a task.
  ///
  /// - Parameters:
  ///   - task: The task, which may have ended.
  ///   - verdict: The content of the answers.
  ///   - effects: The effects to append to.
  /// - Returns: The number of callers.
  @discardableResult
  mutating func answerAll(of task: UInt64, _ verdict: Verdict, _ effects: inout Effects) -> Int {
    var answered = 0
    for id in tasks[task]?.callers ?? [] where callers[id] != nil {
      answer(id, verdict, &effects)
      answered += 1
    }
    return answered
  }

  /// Answers the callers of a task whose deadline has passed although their timer has not fired yet.
  mutating func answerExpired(_ id: UInt64, at now: UInt64, _ effects: inout Effects) {
    guard let task = tasks[id] else { return }
    for caller in task.callers {
      guard let waiter = callers[caller] else { continue }
      let deadline = task.attempts == 0 ? waiter.deadline : waiter.lastDeadline
      if deadline <= now { answer(caller, .timedOut(attempts: task.attempts), &effects) }
    }
  }

  /// Removes a task from the queue if no one waits for it, and ends it if it has never started.
  mutating func dropIfUnwanted(_ id: UInt64, _ effects: inout Effects) {
    guard let task = tasks[id], task.waitingCount == 0 else { return }
    if task.attempts == 0 {
      removeTask(id, &effects)
    } else if task.isQueued {
      tasks[id]?.isQueued = false
      leaveQueue()
    }
  }

  /// Removes a task whose callers have all been answered.
  mutating func removeTask(_ id: UInt64, _ effects: inout Effects) {
    guard let task = tasks.removeValue(forKey: id) else { return }
    if let body = task.body { effects.releasedBodies.append(body) }
    if taskIDs[task.key] == id { taskIDs[task.key] = nil }
    if task.isQueued { leaveQueue() }
  }

  /// Records that a task does not wait for a thread any longer.
  private mutating func leaveQueue() {
    queue.leave { [tasks] in tasks[$0]?.isQueued == true }
  }
}
