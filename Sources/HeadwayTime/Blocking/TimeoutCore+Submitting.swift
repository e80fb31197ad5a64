/// How callers come.
extension TimeoutCore {
  /// Takes a submission.
  ///
  /// - Parameters:
  ///   - caller: Who is answered.
  ///   - key: The key.
  ///   - body: The function; not kept when the caller joins.
  ///   - timeout: The nanoseconds from now to the deadline; with 0 it has passed already.
  ///   - now: The time.
  ///   - turn: What to do is added to it.
  /// - Returns: The number of the caller.
  /// - Throws: ``Refusal``: nothing has changed then but a counter.
  /// - Complexity: O(1), with `replace` O(callers of the key), when refused O(runs log runs).
  mutating func submit(
    _ caller: Caller, key: Key, body: Body, timeout: UInt64, at now: UInt64, _ turn: inout Turn
  ) throws(Refusal) -> UInt64 {
    counts.submitted += 1
    do throws(Refusal) {
      guard !isClosed else { throw .shutDown }
      let id = nextID()
      guard timeout > 0 else {
        counts.timedOutQueued += 1
        turn.answers.append(Answer(caller: caller, verdict: .timedOut(.queued)))
        return id
      }
      let task = try place(key, body, &turn)
      let waiting = Waiting(
        caller: caller, task: task, timeout: timeout, deadline: now.advanced(upTo: timeout),
        restartsLeft: limits.restarts)
      callers[id] = waiting
      tasks[task]?.callers.append(id)
      tasks[task]?.waitingCount += 1
      turn.alarms.append(Alarm(moment: .caller(id), deadline: waiting.deadline))
      staff(&turn)
      return id
    } catch {
      counts.refused += 1
      throw error
    }
  }

  /// Finds or makes the task of a new caller.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: The function.
  ///   - turn: What to do is added to it.
  /// - Returns: The task.
  /// - Throws: ``Refusal``.
  private mutating func place(
    _ key: Key, _ body: Body, _ turn: inout Turn
  ) throws(Refusal) -> UInt64 {
    guard let id = current[key], let task = tasks[id] else { return try enqueue(key, body) }
    switch limits.repeatedKey {
    case .refuse:
      throw .repeatedKey
    case .join:
      counts.joined += 1
      return id
    case .replace where task.attempts == 0:
      // It has not begun: the new function takes its place in the queue.
      answerAll(of: id, .replaced, &turn)
      if let old = task.body { turn.released.append(old) }
      tasks[id]?.body = body
      return id
    case .replace:
      // The old task keeps its key if the new one is refused.
      let new = try enqueue(key, body)
      answerAll(of: id, .replaced, &turn)
      removeTask(id, &turn)
      current[key] = new
      return new
    }
  }

  /// Makes a task that waits for a thread.
  private mutating func enqueue(_ key: Key, _ body: Body) throws(Refusal) -> UInt64 {
    guard stuckCount <= limits.stuck else { throw .tooManyStuck(stuckKeys) }
    let free = hands.idle + hands.coming + max(0, allowance - hands.count)
    guard queue.count - free < limits.queue else { throw .queueFull }
    let id = nextID()
    tasks[id] = Task(key: key, body: body, callers: [], waitingCount: 0, isQueued: true)
    current[key] = id
    queue.append(id, isUrgent: false)
    return id
  }

  /// Answers a caller that no longer wants to know.
  ///
  /// A function that was not started and that nobody else waits for never will be; one that runs goes on.
  ///
  /// - Parameters:
  ///   - id: The caller.
  ///   - turn: What to do is added to it.
  /// - Complexity: O(1).
  mutating func cancel(_ id: UInt64, _ turn: inout Turn) {
    guard let task = callers[id]?.task else { return }
    answer(id, .cancelled, &turn)
    dropIfUnwanted(task, &turn)
  }

  /// Ends everything: who waits is answered, nothing is started any more, threads end as soon as they are
  /// free.
  ///
  /// - Parameter turn: What to do is added to it.
  /// - Complexity: O(callers log callers).
  mutating func shutDown(_ turn: inout Turn) {
    isClosed = true
    empty(.shutDown, &turn)
    turn.wakes += hands.idle
    hands.coming += hands.idle
    hands.idle = 0
  }

  /// Notes that a thread could not be started.
  ///
  /// What is queued waits for the threads that there are. If there is none, it is answered.
  ///
  /// - Parameter turn: What to do is added to it.
  /// - Complexity: O(1), without any thread O(callers log callers).
  mutating func threadFailed(_ turn: inout Turn) {
    hands.count -= 1
    hands.coming -= 1
    if hands.count == 0 { empty(.noThread, &turn) }
  }

  /// Answers all callers, in the order of their submission, and ends all tasks.
  private mutating func empty(_ verdict: Verdict, _ turn: inout Turn) {
    for id in callers.keys.sorted() { answer(id, verdict, &turn) }
    for id in tasks.keys.sorted() { removeTask(id, &turn) }
  }
}
