// How callers are submitted and cancelled, and how the runner ends.
extension TimeoutCore {
  /// Submits a function.
  ///
  /// - Parameters:
  ///   - caller: The caller.
  ///   - key: The key.
  ///   - body: The function; not stored if the caller joins another one.
  ///   - timeout: The nanoseconds from now to the deadline; with 0 the caller times out at once.
  ///   - now: The current time.
  ///   - effects: The effects to append to.
  /// - Returns: The number of the caller.
  /// - Throws: `Refusal`; then nothing has changed but a count.
  /// - Complexity: O(1), with `replace` O(callers of the key), if refused O(runs log runs).
  mutating func submit(
    _ caller: Caller, key: Key, body: Body, timeout: UInt64, at now: UInt64,
    _ effects: inout Effects
  ) throws(Refusal) -> UInt64 {
    counts.submitted += 1
    do throws(Refusal) {
      guard !isClosed else { throw .shutDown }
      let id = nextID()
      guard timeout > 0 else {
        counts.timedOutQueued += 1
        effects.answers.append(Answer(caller: caller, verdict: .timedOut(attempts: 0)))
        return id
      }
      let task = try task(for: key, body, &effects)
      let waiter = Waiter(
        caller: caller, task: task, timeout: timeout, deadline: now.advanced(upTo: timeout),
        restartsLeft: limits.restarts)
      callers[id] = waiter
      tasks[task]?.callers.append(id)
      tasks[task]?.waitingCount += 1
      effects.timerRequests.append(TimerRequest(owner: .caller(id), deadline: waiter.deadline))
      addWorkers(&effects)
      return id
    } catch {
      counts.refused += 1
      throw error
    }
  }

  /// Finds or adds the task for a new caller.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: The function.
  ///   - effects: The effects to append to.
  /// - Returns: The task.
  /// - Throws: `Refusal`.
  private mutating func task(
    for key: Key, _ body: Body, _ effects: inout Effects
  ) throws(Refusal) -> UInt64 {
    guard let id = taskIDs[key], let task = tasks[id] else { return try enqueue(key, body) }
    switch limits.repeatedKey {
    case .refuse:
      throw .repeatedKey
    case .join:
      counts.joined += 1
      return id
    case .replace where task.attempts == 0:
      // It has not started: the new function takes its place in the queue.
      answerAll(of: id, .replaced, &effects)
      if let old = task.body { effects.releasedBodies.append(old) }
      tasks[id]?.body = body
      return id
    case .replace:
      // The old task keeps its key if the new one is refused.
      let new = try enqueue(key, body)
      answerAll(of: id, .replaced, &effects)
      removeTask(id, &effects)
      taskIDs[key] = new
      return new
    }
  }

  /// Adds a task that waits for a thread.
  private mutating func enqueue(_ key: Key, _ body: Body) throws(Refusal) -> UInt64 {
    guard stuckCount <= limits.stuck else { throw .tooManyStuck(stuckKeys) }
    let free = workers.idle + workers.arriving + max(0, threadLimit - workers.count)
    guard queue.count - free < limits.queue else { throw .queueFull }
    let id = nextID()
    tasks[id] = Task(key: key, body: body, callers: [], waitingCount: 0, isQueued: true)
    taskIDs[key] = id
    queue.append(id, isRestarted: false)
    return id
  }

  /// Cancels a caller.
  ///
  /// A queued function that no one else waits for never starts; a running one continues.
  ///
  /// - Parameters:
  ///   - id: The caller.
  ///   - effects: The effects to append to.
  mutating func cancel(_ id: UInt64, _ effects: inout Effects) {
    guard let task = callers[id]?.task else { return }
    answer(id, .cancelled, &effects)
    dropIfUnwanted(task, &effects)
  }

  /// Answers all callers, starts no more functions, and ends each thread when it is free.
  ///
  /// - Parameter effects: The effects to append to.
  /// - Complexity: O(callers log callers).
  mutating func shutDown(_ effects: inout Effects) {
    isClosed = true
    answerEveryone(.shutDown, &effects)
    effects.wakes += workers.idle
    workers.arriving += workers.idle
    workers.idle = 0
  }

  /// Records that a thread could not be started.
  ///
  /// Queued tasks wait for the other threads. If there are none, all callers are answered.
  ///
  /// - Parameter effects: The effects to append to.
  /// - Complexity: O(1), without any thread O(callers log callers).
  mutating func threadFailed(_ effects: inout Effects) {
    workers.count -= 1
    workers.arriving -= 1
    if workers.count == 0 { answerEveryone(.noThread, &effects) }
  }

  /// Answers all callers in the order of their submission, and removes all tasks.
  private mutating func answerEveryone(_ verdict: Verdict, _ effects: inout Effects) {
    for id in callers.keys.sorted() { answer(id, verdict, &effects) }
    for id in tasks.keys.sorted() { removeTask(id, &effects) }
  }
}
