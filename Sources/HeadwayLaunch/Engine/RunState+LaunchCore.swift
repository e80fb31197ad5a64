internal import HeadwayRun

extension RunState {
  /// Creates the state of a run from its engine.
  ///
  /// - Complexity: O(tasks).
  init(of core: borrowing LaunchCore, at now: Int64) {
    self.init(taskCount: 0)
    tasks.reserveCapacity(core.count)
    workers = core.workers
    ending = core.endReason
    isPaused = core.isPaused
    total = core.overSince.map { .nanoseconds($0) }
    for index in 0..<core.count {
      let task = Task(
        core.entries[index], outcome: core.outcome(of: TaskID(index)), in: core, at: now)
      switch task.phase {
      case .waiting: break
      case .ended(let outcome): counts[outcome.kind] += 1
      case .running, .overdue, .backingOff: active.append(core.id(index))
      }
      tasks.append(task)
    }
    active.sort { tasks[$0.index].firstStart < tasks[$1.index].firstStart }
    heldBy = core.heldBy
  }
}

extension RunState.Task {
  /// Creates the state of a task from the engine.
  fileprivate init(
    _ entry: LaunchCore.Entry, outcome: Outcome?, in core: borrowing LaunchCore, at now: Int64
  ) {
    self.init()
    attempts = Int(entry.attempt)
    firstStart = .nanoseconds(entry.firstStart)
    latestStart = .nanoseconds(entry.latestStart)
    isReady = entry.isServing
    switch entry.phase {
    // Only a worker is missing for its next attempt.
    case .ready where entry.attempt > 0: phase = .backingOff(until: .nanoseconds(now))
    case .waiting, .ready, .handedOut: phase = .waiting
    // The delay before its first attempt has not passed.
    case .backingOff where entry.attempt == 0: phase = .waiting
    case .running, .settling, .serving: phase = .running
    case .ending, .killing: phase = entry.cause == .timeout ? .overdue : .running
    case .backingOff: phase = .backingOff(until: core.moment(of: entry.timer))
    case .ended:
      phase = .ended(outcome ?? .cancelled)
      if entry.hasBegun { ran = .nanoseconds(entry.end - entry.firstStart) }
    }
  }
}
