// How tasks get their outcome, and what follows for those that wait for them.

extension LaunchCore {
  /// Gives a task its outcome, and those that wait for it what follows.
  mutating func settle(_ id: TaskID, _ outcome: Outcome, at now: Duration) {
    close(id, outcome, at: now)
    if blocks(id, outcome) { skipDependents(of: id, outcome, at: now) }
    release([id])
    stopAfterFailure(of: id, outcome, at: now)
  }

  /// Gives every task that needs the given one, directly or through others, its outcome.
  mutating func skipDependents(of first: TaskID, _ outcome: Outcome, at now: Duration) {
    // A stack, not recursion: a chain of a million tasks may be skipped at once.
    var open: [(id: TaskID, outcome: Outcome)] = [(first, outcome)]
    while let (id, outcome) = open.popLast() {
      let consequence = consequence(of: id, outcome)
      for edge in dependentsStart[id.index]..<dependentsStart[id.index + 1] {
        let dependent = TaskID(Int(dependents[Int(edge)]))
        guard entries[dependent.index].phase == .waiting,
          !graph.settings[dependent.index].isAlways
        else { continue }
        close(dependent, consequence, at: now)
        open.append((dependent, consequence))
      }
    }
  }

  /// Tells those that wait for tasks that these, and all that they waited for, are over.
  ///
  /// A task that was skipped has its outcome at once but is passed on only when nothing before it runs any more:
  /// a clean-up must not begin beside what it cleans up after.
  mutating func release(_ first: [TaskID]) {
    var open = first
    while let id = open.popLast() {
      for edge in dependentsStart[id.index]..<dependentsStart[id.index + 1] {
        let dependent = TaskID(Int(dependents[Int(edge)]))
        entries[dependent.index].waitsFor -= 1
        guard entries[dependent.index].waitsFor == 0 else { continue }
        if entries[dependent.index].phase == .waiting {
          makeReady(dependent)
        } else {
          open.append(dependent)
        }
      }
    }
  }

  /// Whether the tasks that need a task cannot run after this outcome.
  func blocks(_ id: TaskID, _ outcome: Outcome) -> Bool {
    if outcome.isSuccess { return false }
    return !(outcome.isFailure && graph.settings[id.index].isOptional)
  }

  /// The outcome of a task that needs one with the given outcome; the reason names the first cause.
  func consequence(of id: TaskID, _ outcome: Outcome) -> Outcome {
    switch outcome {
    case .skipped: outcome
    case .cancelled: .cancelled
    case .failed, .timedOut, .succeeded, .upToDate: .skipped(.needs(id))
    }
  }

  /// Marks a task as over and tells it.
  mutating func close(_ id: TaskID, _ outcome: Outcome, at now: Duration) {
    let entry = entries[id.index]
    entries[id.index].phase = .ended
    lastOutcomes[id] = nil
    ended += 1
    let ran = entry.hasBegun ? now - entry.firstStart : .zero
    tell(.taskEnded(id, outcome, attempts: Int(entry.attempt), ran: ran), at: now)
    if isFinished { tell(.runEnded, at: now) }
  }

  /// Stops starting tasks after the failure of one that the run needs, where the policy says so.
  mutating func stopAfterFailure(of id: TaskID, _ outcome: Outcome, at now: Duration) {
    guard outcome.isFailure, !graph.settings[id.index].isOptional, policy != .keepGoing,
      endReason == nil, !isFinished
    else { return }
    endReason = .failure(id)
    tell(.runEnding(.failure(id)), at: now)
    dropWaiting(alsoAlways: false, at: now) { last in last ?? .skipped(.stopped(by: id)) }
    guard policy == .failFast else { return }
    for place in entries.indices where isMortal(place, .inOrder) {
      if entries[place].cause == .none && pendingResults[TaskID(place)] == nil {
        entries[place].cause = .cancel
      }
      startEnding(TaskID(place), at: now)
    }
  }

  /// Gives every task that has no attempt under way its outcome.
  mutating func dropWaiting(
    alsoAlways: Bool, at now: Duration, outcome: (_ last: Outcome?) -> Outcome
  ) {
    var freed: [TaskID] = []
    for place in entries.indices where alsoAlways || !graph.settings[place].isAlways {
      switch entries[place].phase {
      case .waiting, .ready, .backingOff:
        let id = TaskID(place)
        disarm(id)
        close(id, outcome(lastOutcomes[id]), at: now)
        if entries[place].waitsFor == 0 { freed.append(id) }
      case .handedOut, .running, .ending, .killing, .settling, .ended:
        break
      }
    }
    release(freed)
  }
}
