// What the shell tells the engine.

internal import HeadwayTime

extension LaunchCore {
  /// Begins the run.
  ///
  /// - Parameter now: The time since the run began, usually zero.
  public mutating func begin(at now: Duration) {
    tell(.runStarted(tasks: entries.count, workers: workers), at: now)
    for place in entries.indices where entries[place].waitsFor == 0 {
      makeReady(TaskID(place))
    }
    if entries.isEmpty { tell(.runEnded, at: now) }
    fill()
  }

  /// Takes note that an attempt has really begun; its time-out counts from here.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - now: The time since the run began.
  public mutating func attemptBegan(_ id: TaskID, at now: Duration) {
    let place = id.index
    precondition(
      [.handedOut, .ending, .killing].contains(entries[place].phase),
      "\(describe(id)) began without having been started")
    if !entries[place].hasBegun {
      entries[place].hasBegun = true
      entries[place].firstStart = now
    }
    tell(.taskStarted(id, attempt: Int(entries[place].attempt)), at: now)
    // It may have been cancelled between the command and now.
    guard entries[place].phase == .handedOut else { return }
    entries[place].phase = .running
    if let limit = graph.settings[place].timeout {
      entries[place].timer = timers.arm(at: now + limit, payload: .timeout(id))
    }
  }

  /// Takes note that an attempt has ended but left something behind that must be ended too.
  ///
  /// The attempt keeps its worker until `attemptEnded`, which tells the result then.
  ///
  /// - Parameters:
  ///   - id: A task with an attempt under way.
  ///   - result: How the attempt itself ended.
  ///   - now: The time since the run began.
  public mutating func attemptLingers(_ id: TaskID, result: AttemptResult, at now: Duration) {
    guard entries[id.index].phase == .running || entries[id.index].phase == .handedOut else {
      return
    }
    pendingResults[id] = result
    startEnding(id, at: now)
  }

  /// Takes note that an attempt is over, before its success is written down.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - result: How the attempt ended by itself.
  /// - Returns: Whether the attempt counts as a success. It then stays one, whatever time passes until
  ///   `attemptEnded`; otherwise nothing has changed.
  public mutating func attemptSucceeds(_ id: TaskID, result: AttemptResult) -> Bool {
    guard entries[id.index].cause == .none, (pendingResults[id] ?? result) == .succeeded else {
      return false
    }
    disarm(id)
    pendingResults[id] = .succeeded
    entries[id.index].phase = .settling
    return true
  }

  /// Takes note that an attempt is over and nothing of it is left.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - result: How the attempt ended by itself; it counts only where the attempt was not being ended.
  ///   - now: The time since the run began.
  public mutating func attemptEnded(_ id: TaskID, result: AttemptResult, at now: Duration) {
    let place = id.index
    precondition(
      [.handedOut, .running, .ending, .killing, .settling].contains(entries[place].phase),
      "\(describe(id)) ended without having been started")
    disarm(id)
    release(id)
    let outcome: Outcome
    switch entries[place].cause {
    case .timeout:
      outcome = .timedOut(limit: graph.settings[place].timeout ?? .zero)
    case .cancel:
      outcome = .cancelled
    case .none:
      switch pendingResults.removeValue(forKey: id) ?? result {
      case .succeeded: outcome = .succeeded
      case .upToDate: outcome = .upToDate
      case .failed(let failure): outcome = .failed(failure)
      }
    }
    pendingResults[id] = nil
    entries[place].cause = .none
    if outcome.isFailure && mayRetry(id) {
      backOff(id, because: outcome, at: now)
    } else {
      settle(id, outcome, at: now)
    }
    fill()
  }

  /// Lets time pass: attempts run out of time, graces end, retries come up.
  ///
  /// - Parameter now: The time since the run began.
  /// - Complexity: O(1) amortized for each deadline that has passed.
  public mutating func advance(to now: Duration) {
    while let timer = timers.popExpired(at: now) {
      switch timer {
      case .timeout(let id):
        entries[id.index].timer = nil
        entries[id.index].cause = .timeout
        let limit = graph.settings[id.index].timeout ?? .zero
        tell(.taskOverdue(id, attempt: Int(entries[id.index].attempt), limit: limit), at: now)
        startEnding(id, at: now)
      case .grace(let id):
        entries[id.index].timer = nil
        kill(id)
      case .retry(let id):
        entries[id.index].timer = nil
        makeReady(id)
      }
    }
    fill()
  }

  /// Ends the run before its last task; a later call can only make it more urgent.
  ///
  /// - Parameters:
  ///   - urgency: Whether tasks may end by themselves.
  ///   - now: The time since the run began.
  public mutating func end(_ urgency: Urgency, at now: Duration) {
    guard !isFinished, endReason != .killed else { return }
    switch urgency {
    case .inOrder:
      guard endReason != .cancelled else { return }
      tell(.runEnding(.cancelled), at: now)
      endReason = .cancelled
    case .atOnce:
      tell(.runEnding(.killed), at: now)
      endReason = .killed
    }
    dropWaiting(alsoAlways: urgency == .atOnce, at: now) { _ in .cancelled }
    for place in entries.indices where isMortal(place, urgency) {
      let id = TaskID(place)
      if entries[place].cause == .none && pendingResults[id] == nil {
        entries[place].cause = .cancel
      }
      if urgency == .atOnce { kill(id) } else { startEnding(id, at: now) }
    }
    fill()
  }
}
