// Changes to a run in progress.

package import HeadwayRun
internal import HeadwayTime

extension LaunchCore {
  /// Adds a task to the run.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - settings: Its settings.
  ///   - dependencies: The tasks that it depends on.
  ///   - isReady: Whether it may start, which is true once the run has begun.
  ///   - now: The time in nanoseconds.
  /// - Returns: The index of the task, which has already ended if the run is ending or a dependency has failed.
  /// - Complexity: O(dependencies) amortized.
  mutating func add(
    _ name: String, _ settings: TaskSettings, after dependencies: [Int], isReady: Bool,
    at now: Int64
  ) -> Int {
    let index = entries.count
    names.append(name)
    criticalPathLengths.append(1)
    entries.append(Entry(rule: rules.index(for: settings)))
    let rule = rule(index)
    var cause: Outcome?
    var waits: [Int] = []
    var followsStart = dependencies.isEmpty
    for before in Set(dependencies).sorted() {
      if let outcome = outcome(of: TaskID(before)) {
        if entries[before].attempt > 0 || entries[before].followsStart { followsStart = true }
        if cause == nil, blocks(before, outcome) { cause = consequence(of: before, outcome) }
      } else if entries[before].wasReady, !rule.alwaysRuns {
        // A service that has released what waits for it.
        followsStart = true
      } else {
        waits.append(before)
      }
    }
    entries[index].waitsFor = Int32(waits.count)
    entries[index].followsStart = followsStart
    graph.addTask(after: waits)
    services?.add(index, rule, after: dependencies)
    emit(.taskAdded(id(index)), at: now)
    let mayStart = isReady && entries[index].waitsFor == 0
    let isCleanUp = rule.alwaysRuns && (followsStart || !waits.isEmpty)
    if isCleanUp, endReason != .cancelledImmediately {
      if mayStart { makeReady(index, at: now) }
    } else if let endReason {
      close(index, endReason.outcomeOfWaiting, at: now)
    } else if let cause {
      close(index, cause, at: now)
    } else if mayStart {
      makeReady(index, at: now)
    }
    return index
  }

  /// Removes a task: if it has not started it is not started, and if it is running it is cancelled.
  ///
  /// - Returns: Whether the task had not ended.
  mutating func remove(_ index: Int, at now: Int64) -> Bool {
    let outcome = lastOutcomes[TaskID(index)] ?? .skipped(.removed)
    return drop(index, outcome, at: now)
  }

  /// Cancels a task: one that runs is ended, and one that has not started is not started; its dependents are skipped.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The time since the run began.
  /// - Returns: Whether the task had not ended; one that has succeeded and whose success is being recorded has ended.
  package mutating func cancel(_ id: TaskID, at now: Duration) -> Bool {
    drop(id.index, .cancelled, at: nanoseconds(now))
  }

  /// Ends a task: with an outcome if it has not started or waits for another attempt, and by cancelling it if it runs.
  ///
  /// - Returns: Whether the task had not ended.
  private mutating func drop(_ index: Int, _ outcome: Outcome, at now: Int64) -> Bool {
    switch entries[index].phase {
    case .ended, .settling, .killing: return false
    case .waiting, .ready, .backingOff:
      if entries[index].phase == .ready { ready.remove(index) }
      disarm(index)
      let waited = entries[index].waitsFor > 0
      defer { decide(index, at: now) }
      close(index, outcome, at: now)
      skipDependents(of: index, outcome, at: now)
      // Its dependencies release the dependents when they end.
      if !waited {
        releaseDependents(of: index, which: entries[index].wasReady ? .needEnd : .all, at: now)
      }
    case .handedOut, .running, .ending, .serving:
      if entries[index].cause == .none { entries[index].cause = .removal }
      if entries[index].phase != .ending { startEnding(index, at: now) }
    }
    return true
  }

  /// Pauses the run: no task starts and no deadline passes.
  ///
  /// The time must not advance until the run continues.
  ///
  /// - Returns: Whether the run was not paused before.
  mutating func pause(at now: Int64) -> Bool {
    guard !isPaused, !isFinished, endReason == nil else { return false }
    isPaused = true
    emit(.runPaused, at: now)
    return true
  }

  /// Continues a paused run.
  ///
  /// - Returns: Whether the run was paused.
  @discardableResult
  mutating func resume(at now: Int64) -> Bool {
    guard isPaused else { return false }
    isPaused = false
    // No events after the end, which listeners may not have received yet.
    if !isFinished { emit(.runResumed, at: now) }
    return true
  }

  /// Continues a run that is held after a failure.
  ///
  /// - Returns: Whether the run was held.
  mutating func proceed(at now: Int64) -> Bool {
    guard isHeld, !isFinished else { return false }
    heldBy = nil
    emit(.runProceeding, at: now)
    return true
  }

  /// Closes a queue: the run ends when all tasks have ended.
  mutating func close(at now: Int64) {
    guard isOpen else { return }
    isOpen = false
    emitIfOver(at: now)
  }

  /// Gives a running task more time.
  ///
  /// - Parameters:
  ///   - index: The task.
  ///   - duration: The time limit from now on.
  ///   - now: The time in nanoseconds.
  /// - Returns: Whether the task has that time; a time shorter than the remaining one is ignored.
  mutating func extend(_ index: Int, by duration: Duration, at now: Int64) -> Bool {
    guard [.running, .serving].contains(entries[index].phase) else { return false }
    // No time limit.
    guard entries[index].timer != .none else { return true }
    let (deadline, isNever) = now.addingReportingOverflow(
      Int64(clamping: duration.nanosecondsUp))
    let moment = isNever ? UInt64.max : UInt64(max(deadline, 0))
    guard let present = timers.deadline(of: entries[index].timer) else { return false }
    guard moment > present else { return true }
    // The limit of the whole task stays.
    let limit = rule(index).deadline
    if limit >= 0, moment > UInt64(max(entries[index].firstStart, 0)) &+ UInt64(limit) {
      return false
    }
    timers.reschedule(entries[index].timer, toNanoseconds: moment)
    emit(.taskExtended(id(index), by: duration), at: now)
    return true
  }
}

extension RunEvent.EndReason {
  /// Whether the end was requested, or a deadline has passed.
  var isRequest: Bool {
    switch self {
    case .failure: false
    case .cancelled, .cancelledImmediately, .deadline: true
    }
  }

  /// The outcome of tasks that have not started.
  var outcomeOfWaiting: Outcome {
    switch self {
    case .failure(let task): .skipped(.stopped(by: task))
    case .cancelled, .cancelledImmediately, .deadline: .cancelled
    }
  }
}
