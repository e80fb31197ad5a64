// The outcomes of tasks, and their consequences for dependents.

internal import HeadwayRun

extension LaunchCore {
  /// Ends a task with an outcome, and updates its dependents.
  mutating func settle(_ index: Int, _ outcome: Outcome, at now: Int64) {
    close(index, outcome, at: now)
    if blocks(index, outcome) { skipDependents(of: index, outcome, at: now) }
    releaseDependents(of: index, which: entries[index].wasReady ? .needEnd : .all, at: now)
    if !outcome.isSuccess { stopAfterFailure(of: index, outcome, at: now) }
  }

  /// Skips all tasks that depend on a task, directly or through others.
  mutating func skipDependents(of first: Int, _ outcome: Outcome, at now: Int64) {
    // A stack, not recursion: a chain of a million tasks may be skipped at once.
    var open: [(index: Int, outcome: Outcome)] = [(first, outcome)]
    var freed: [Int] = []
    while let (index, outcome) = open.popLast() {
      let consequence = consequence(of: index, outcome)
      for position in 0..<graph.dependentCount(of: index) {
        let dependent = graph.dependent(position, of: index)
        guard !rule(dependent).alwaysRuns else { continue }
        switch entries[dependent].phase {
        case .waiting: break
        case .ready where entries[dependent].attempt == 0:
          // A service has released it, but no worker was free.
          ready.remove(dependent)
          freed.append(dependent)
        case .backingOff where entries[dependent].attempt == 0:
          // A service has released it, but its delay has not passed.
          disarm(dependent)
          freed.append(dependent)
        case .ready, .handedOut, .running, .ending, .killing, .settling, .backingOff, .serving,
          .ended:
          continue
        }
        close(dependent, consequence, at: now)
        open.append((dependent, consequence))
      }
    }
    for index in freed { releaseDependents(of: index, at: now) }
  }

  /// Makes dependents ready whose dependencies have all ended.
  ///
  /// A skipped task has its outcome at once, but releases its own dependents only after all its dependencies have
  /// ended: a clean-up task must not start while the tasks run that it cleans up after.
  ///
  /// - Parameters:
  ///   - index: The task that has ended, or the service that is ready.
  ///   - which: Which of its dependents count it as over.
  ///   - now: The time in nanoseconds.
  @inline(__always)
  mutating func releaseDependents(of index: Int, which: Release = .all, at now: Int64) {
    var open: [Int] = []
    var next = index
    while true {
      for position in 0..<graph.dependentCount(of: next) {
        let dependent = graph.dependent(position, of: next)
        if which != .all, next == index, (which == .needEnd) != rule(dependent).alwaysRuns {
          continue
        }
        entries[dependent].waitsFor -= 1
        if entries[next].attempt > 0 || entries[next].followsStart {
          entries[dependent].followsStart = true
        }
        guard entries[dependent].waitsFor == 0 else { continue }
        if entries[dependent].phase == .waiting {
          if !rule(dependent).alwaysRuns || entries[dependent].followsStart {
            makeReady(dependent, at: now)
            continue
          }
          // Nothing that it comes after was started, so there is nothing to clean up.
          skipCleanUp(dependent, after: next, at: now)
        }
        open.append(dependent)
      }
      guard let other = open.popLast() else { return }
      next = other
    }
  }

  /// The dependents of a service, by what they wait for.
  enum Release {
    /// All of them, as those of a task.
    case all
    /// Those that start when it is ready.
    case needReady
    /// Those that always run, which wait for its end.
    case needEnd
  }

  /// Skips a task that always runs because nothing before it was started.
  private mutating func skipCleanUp(_ index: Int, after last: Int, at now: Int64) {
    let outcome = consequence(of: last, outcome(of: TaskID(last)) ?? .cancelled)
    close(index, outcome, at: now)
    skipDependents(of: index, outcome, at: now)
  }

  /// Whether an outcome of a task prevents its dependents from running; a failure of an optional task does not, and
  /// neither does a condition that is false.
  func blocks(_ index: Int, _ outcome: Outcome) -> Bool {
    if outcome.isSuccess || outcome == .skipped(.condition) { return false }
    return !(outcome.isFailure && rule(index).isOptional)
  }

  /// The outcome of the dependents of a task that ended with an outcome; the reason names the first cause.
  func consequence(of index: Int, _ outcome: Outcome) -> Outcome {
    switch outcome {
    case .skipped: outcome
    // The end of a run cancels all tasks; the dependents of a single cancelled task are skipped.
    case .cancelled where endReason != nil: .cancelled
    case .cancelled, .failed, .timedOut, .succeeded, .lost: .skipped(.needs(id(index)))
    }
  }

  /// Marks a task as ended and emits the event.
  @inline(__always)
  mutating func close(_ index: Int, _ outcome: Outcome, at now: Int64) {
    switch entries[index].phase {
    case .waiting, .ready, .backingOff: endedAside.append(Int32(index))
    case .handedOut, .running, .ending, .killing, .settling, .serving, .ended: break
    }
    entries[index].phase = .ended
    entries[index].end = now
    ended += 1
    if case .succeeded = outcome {
      entries[index].hasSucceeded = true
    } else {
      outcomes[TaskID(index)] = outcome
    }
    if !lastOutcomes.isEmpty { lastOutcomes[TaskID(index)] = nil }
    if isListening {
      let entry = entries[index]
      let ran: Duration = entry.hasBegun ? .nanoseconds(now - entry.firstStart) : .zero
      emit(.taskEnded(id(index), outcome, attempts: Int(entry.attempt), ran: ran), at: now)
    }
    if services != nil {
      let rule = rule(index)
      services?.end(index, rule)
      endIdleServices(at: now)
    }
    if ended == entries.count { emitIfOver(at: now) }
  }

  /// Emits the end of the run, or that a queue is empty.
  mutating func emitIfOver(at now: Int64) {
    guard ended == entries.count, !isChanging, hasBegun else { return }
    if !isOpen { overSince = now }
    emit(isOpen ? .queueEmptied : .runEnded, at: now)
  }

  /// Applies the failure policy after the failure of a task.
  mutating func stopAfterFailure(of index: Int, _ outcome: Outcome, at now: Int64) {
    guard outcome.isFailure, !rule(index).isOptional, policy != .keepGoing,
      endReason == nil, !isFinished
    else { return }
    let id = id(index)
    if policy == .hold {
      guard !isHeld, !holdsFailedTasks else { return }
      heldBy = id
      return emit(.runHeld(by: id), at: now)
    }
    endReason = .failure(id)
    emit(.runEnding(.failure(id)), at: now)
    if isOpen {
      // A queue, to which nothing can be added any more.
      isOpen = false
      if ended == entries.count { return emitIfOver(at: now) }
    }
    // What waits for a task has been skipped; behind a service there may be tasks that wait for one that runs.
    let behind = entries[index].wasReady ? dependents(ofService: index) : []
    dropWaiting(alsoAlways: false, at: now) { dropped, last in
      last ?? .skipped(behind.contains(dropped) ? .needs(id) : .stopped(by: id))
    }
    endIdleServices(at: now)
    guard policy == .failFast else { return }
    for index in entries.indices where endsWithRun(index, .graceful) {
      if entries[index].cause == .none && pendingResults[TaskID(index)] == nil {
        entries[index].cause = .cancel
      }
      startEnding(index, at: now)
    }
  }

  /// Ends all tasks that have no running attempt.
  mutating func dropWaiting(
    alsoAlways: Bool, at now: Int64, outcome: (_ index: Int, _ last: Outcome?) -> Outcome
  ) {
    var freed: [Int] = []
    for index in entries.indices where alsoAlways || !rule(index).alwaysRuns {
      switch entries[index].phase {
      case .waiting, .ready, .backingOff:
        if entries[index].phase == .ready { ready.remove(index) }
        disarm(index)
        close(index, outcome(index, lastOutcomes[TaskID(index)]), at: now)
        if entries[index].waitsFor == 0 { freed.append(index) }
      case .handedOut, .running, .ending, .killing, .settling, .serving, .ended:
        break
      }
    }
    for index in freed {
      releaseDependents(of: index, which: entries[index].wasReady ? .needEnd : .all, at: now)
    }
  }
}
