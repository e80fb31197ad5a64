// The start and the end of attempts.

internal import HeadwayCollections
internal import HeadwayRun
internal import HeadwayTime

extension LaunchCore {
  /// Adds an event, if there are listeners.
  @inline(__always)
  mutating func emit(_ kind: RunEvent.Kind, at now: Int64) {
    if isListening { events.append(RunEvent(time: .nanoseconds(now), kind: kind)) }
  }

  @inline(__always)
  func rule(_ index: Int) -> TaskRule { rules[entries[index].rule] }

  /// The settings of a task.
  func settings(_ index: Int) -> TaskSettings { rules.settings[Int(entries[index].rule)] }

  /// The key that decides when a task starts.
  ///
  /// Inlined, because the engine would be copied for a call.
  @inline(__always)
  func key(_ index: Int) -> ReadyTasks.Key {
    ReadyTasks.Key(
      priority: rule(index).priority, criticalPathLength: criticalPathLengths[index],
      index: Int32(index))
  }

  /// Makes a task ready that nothing holds back any more, once the delay before its first attempt has passed.
  @inline(__always)
  mutating func makeReady(_ index: Int, at now: Int64) {
    let delay = rules[entries[index].rule].delay
    guard delay > 0 else { return makeReady(index) }
    entries[index].phase = .backingOff
    arm(index, .retry, after: delay, at: now)
  }

  /// Makes a task ready to start.
  @inline(__always)
  mutating func makeReady(_ index: Int) {
    entries[index].phase = .ready
    if entries[index].wasReady {
      restarts.append(index)
      return
    }
    if ready.insert(index) { return }
    let key = key(index)
    ready.insertLate(key, queue: rule(index).queue)
  }

  /// Takes the task that starts next, if a worker and its pool have room.
  ///
  /// - Returns: The task; `attemptBegan` and `attemptEnded`, or only the latter, must follow.
  /// - Complexity: O(1), or O(pools) if there are any.
  mutating func takeStart() -> TaskID? {
    guard let index = peekStart() else { return nil }
    takeStart(index)
    return id(index)
  }

  /// The task that starts next: a service that is started again, or a task if a worker and its pool have room.
  @inline(__always)
  mutating func peekStart() -> Int? {
    guard heldBy == nil, !isPaused else { return nil }
    while let index = restarts.first {
      if entries[index].phase == .ready { return index }
      restarts.removeFirst()
    }
    guard busy < workersLeft else { return nil }
    while let (index, queue) = nextReady() {
      // A task that was added later may have ended since.
      if entries[index].phase == .ready { return index }
      ready.removeFirst(index, queue: queue)
    }
    return nil
  }

  /// Starts the task that `peekStart` has returned.
  @inline(__always)
  mutating func takeStart(_ index: Int) {
    if entries[index].wasReady {
      restarts.removeFirst()
    } else {
      let pool = rules[entries[index].rule].poolIndex
      ready.removeFirst(index, queue: rules[entries[index].rule].queue)
      busy += 1
      room[pool] -= 1
      if !queues.isEmpty { place(index) }
    }
    entries[index].phase = .handedOut
    entries[index].attempt += 1
  }

  /// Takes what a task needs of a machine.
  @inline(never)
  private mutating func place(_ index: Int) {
    let needs = queues[rules[entries[index].rule].queue].needs
    if needs.isNothing { return }
    let isOvertaking = placement?.waitingTask.map { key($0) < key(index) } ?? false
    placement?.take(index, needs, isOvertaking: isOvertaking)
  }

  /// Whether the shell has to do more than wait.
  var hasMore: Bool {
    mutating get { commandsTaken < commands.count || ended == entries.count || peekStart() != nil }
  }

  /// The first ready task of all pools that have room, and for which a machine has room.
  @inline(__always)
  private mutating func nextReady() -> (index: Int, queue: Int)? {
    if room.count == 1, queues.isEmpty { return firstReady(of: 0).map { ($0, 0) } }
    if !queues.isEmpty { return nextPlaceable() }
    var best: (index: Int, queue: Int)?
    for pool in room.indices where room[pool] > 0 {
      guard let index = firstReady(of: pool) else { continue }
      if let other = best, key(other.index) < key(index) { continue }
      best = (index, pool)
    }
    return best
  }

  /// The first ready task of all queues for which a machine has room; or which can never start, so that it fails.
  ///
  /// - Complexity: O(queues · machines).
  private mutating func nextPlaceable() -> (index: Int, queue: Int)? {
    var best: (index: Int, queue: Int)?
    var waiting: (index: Int, queue: Int)?
    for queue in queues.indices where room[queues[queue].pool] > 0 {
      guard let index = firstReady(of: queue) else { continue }
      let needs = queues[queue].needs
      if needs.isNothing || placement?.machine(for: needs, task: index) != nil
        || placement?.isHopeless(needs) == true
      {
        if best.map({ key(index) < key($0.index) }) ?? true { best = (index, queue) }
      } else if waiting.map({ key(index) < key($0.index) }) ?? true {
        waiting = (index, queue)
      }
    }
    // One that waits only because its pool is full is not forgotten.
    if let present = placement?.waitingTask, entries[present].phase == .ready,
      room[rule(present).poolIndex] == 0, waiting.map({ key(present) < key($0.index) }) ?? true
    {
      return best
    }
    placement?.wait(waiting?.index, waiting.map { queues[$0.queue].needs } ?? Resources())
    return best
  }

  /// The first ready task of a queue.
  @inline(__always)
  func firstReady(of queue: Int) -> Int? {
    let first = ready.first(of: queue)
    guard let late = ready.firstLate(of: queue) else { return first }
    if let first, key(first) < late { return first }
    return Int(late.index)
  }

  /// Releases the worker and the slot in the pool of an attempt, if it holds any: that of a service that has been ready, also of
  /// an earlier attempt, does not.
  @inline(__always)
  mutating func release(_ index: Int) {
    if entries[index].wasReady { return }
    busy -= 1
    room[rules[entries[index].rule].poolIndex] += 1
    if !queues.isEmpty { placement?.release(index) }
  }

  /// Records the start of an attempt.
  @inline(__always)
  mutating func begin(_ index: Int, at now: Int64) {
    if !entries[index].hasBegun {
      entries[index].hasBegun = true
      entries[index].firstStart = now
    }
    entries[index].latestStart = now
    if isListening {
      emit(.taskStarted(id(index), attempt: Int(entries[index].attempt)), at: now)
    }
    // It may have been cancelled between the command and now.
    guard entries[index].phase == .handedOut else { return }
    entries[index].phase = .running
    // It may have waited for a worker until the limit of all attempts.
    if rules[entries[index].rule].deadline >= 0 { disarm(index) }
    let limit = timeLimit(index)
    if limit >= 0 { arm(index, .timeout, after: limit, at: now) }
  }

  /// The time limit of the latest attempt in nanoseconds, less than 0 for none: its own, or what is left of that of the task.
  @inline(__always)
  func timeLimit(_ index: Int) -> Int64 {
    let rule = rules[entries[index].rule]
    guard rule.deadline >= 0 else { return rule.timeout }
    let left = max(rule.deadline - (entries[index].latestStart - entries[index].firstStart), 0)
    return rule.timeout < 0 ? left : min(rule.timeout, left)
  }

  /// The setting that limits the latest attempt.
  func shownTimeLimit(_ index: Int) -> Duration {
    let rule = rule(index)
    let isOwn = rule.deadline < 0 || timeLimit(index) == rule.timeout
    let settings = settings(index)
    return (isOwn ? settings.timeout : settings.deadline) ?? .zero
  }

  /// Ends a successful attempt in the simplest case, which is fast.
  ///
  /// - Returns: Whether it was that case.
  @inline(__always)
  mutating func endPlainly(_ index: Int, at now: Int64) -> Bool {
    guard entries[index].phase == .running, entries[index].cause == .none, !isListening else {
      return false
    }
    disarm(index)
    release(index)
    close(index, .succeeded, at: now)
    releaseDependents(of: index, at: now)
    return true
  }

  /// Asks an attempt to end, and sets the deadline after which it is killed.
  mutating func startEnding(_ index: Int, at now: Int64) {
    guard [.running, .handedOut, .serving].contains(entries[index].phase) else { return }
    disarm(index)
    let grace = rule(index).grace
    guard grace > 0 else { return kill(index) }
    entries[index].phase = .ending
    commands.append(.terminate(id(index)))
    arm(index, .grace, after: grace, at: now)
  }

  /// Kills an attempt.
  mutating func kill(_ index: Int) {
    guard [.handedOut, .running, .ending, .serving].contains(entries[index].phase) else { return }
    disarm(index)
    entries[index].phase = .killing
    commands.append(.kill(id(index)))
  }

  /// Whether the end of the run also ends an attempt at a task.
  func endsWithRun(_ index: Int, _ urgency: Urgency) -> Bool {
    switch entries[index].phase {
    case .handedOut, .running, .ending, .killing:
      urgency == .immediate || !rule(index).alwaysRuns
    // It ends after the tasks that need it.
    case .serving: urgency == .immediate
    case .waiting, .ready, .settling, .backingOff, .ended:
      false
    }
  }

  /// How the latest attempt of a task has ended, which has ended or waits for its next attempt.
  func attemptOutcome(_ index: Int) -> Outcome {
    let id = TaskID(index)
    return outcome(of: id) ?? lastOutcomes[id] ?? .cancelled
  }

  /// The delay after which a failed task gets another attempt, nil if it gets none.
  ///
  /// - Parameters:
  ///   - index: The task.
  ///   - requested: The delay that the failure asks for, nil for the usual one.
  ///   - now: The time in nanoseconds.
  /// - Returns: The delay.
  mutating func retryDelay(_ index: Int, requested: Duration?, at now: Int64) -> Duration? {
    let rule = rule(index)
    let counted = Int(entries[index].attempt) - (losses[TaskID(index)] ?? 0)
    guard counted <= rule.retryLimit, mayStart(rule) else { return nil }
    let delay = requested ?? usualDelay(index)
    guard rule.deadline >= 0 else { return delay }
    let left = rule.deadline - (now - entries[index].firstStart)
    return delay < .nanoseconds(left) ? delay : nil
  }

  /// How many attempts of a task may be lost before the task is: it may be what ends the machines.
  package static let mostLosses = 3
  /// The delay before the next attempt after one was lost.
  static let delayAfterLoss = Duration.seconds(1)

  /// Whether a task gets another attempt after one was lost, which does not count as one of its retries.
  func mayRunAgain(_ index: Int) -> Bool {
    let rule = rule(index)
    return !rule.runsOnce && (losses[TaskID(index)] ?? 0) < Self.mostLosses
      && mayStart(rule)
  }

  /// Whether a task with a rule may still be started, although the run may be ending.
  private func mayStart(_ rule: TaskRule) -> Bool {
    endReason == nil || (rule.alwaysRuns && endReason != .cancelledImmediately)
  }

  /// The delay before the next attempt of a task by its settings.
  private mutating func usualDelay(_ index: Int) -> Duration {
    let retries = settings(index).retries
    let delay = retries.delay(before: Int(entries[index].attempt) + 1)
    guard retries.jitter > 0 else { return delay }
    // Whole nanoseconds, as in the timer wheel and in events.
    let shorter = delay - delay * (min(retries.jitter, 1) * random.nextUnit())
    return .nanoseconds(Int64(clamping: shorter.nanosecondsDown))
  }

  /// Schedules the next attempt of a task.
  mutating func backOff(
    _ index: Int, for delay: Duration, because outcome: Outcome, at now: Int64
  ) {
    let next = Int(entries[index].attempt) + 1
    emit(.taskRetrying(id(index), attempt: next, delay: delay, because: outcome), at: now)
    entries[index].phase = .backingOff
    lastOutcomes[TaskID(index)] = outcome
    arm(index, .retry, after: Int64(clamping: delay.nanosecondsUp), at: now)
  }
}
