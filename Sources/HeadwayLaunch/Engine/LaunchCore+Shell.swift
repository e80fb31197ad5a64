// The calls with which the shell drives the engine.

package import HeadwayRun
internal import HeadwayTime

extension LaunchCore {
  /// Begins the run.
  ///
  /// - Parameters:
  ///   - now: The time since the run began, usually zero.
  ///   - past: The tasks that have ended in an earlier run, without failures; they count as started there.
  package mutating func begin(at now: Duration, past: [(task: TaskID, outcome: Outcome)] = []) {
    let now = nanoseconds(now)
    emit(.runStarted(tasks: entries.count, workers: workers), at: now)
    endEarlier(past, at: now)
    hasBegun = true
    for index in entries.indices
    where entries[index].waitsFor == 0 && entries[index].phase == .waiting {
      makeReady(index, at: now)
    }
    if let runLimit {
      let moment = UInt64(max(now, 0)) &+ runLimit.nanosecondsUp
      timers.schedule(Timer(index: -1, kind: .run), atNanoseconds: moment)
      earliestArmed = min(earliestArmed, moment)
    }
    if ended == entries.count { emitIfOver(at: now) }
  }

  /// Ends tasks before the run begins.
  private mutating func endEarlier(_ past: [(task: TaskID, outcome: Outcome)], at now: Int64) {
    for (id, outcome) in past {
      entries[id.index].followsStart = true
      close(id.index, outcome, at: now)
    }
    for (id, outcome) in past where blocks(id.index, outcome) {
      skipDependents(of: id.index, outcome, at: now)
    }
    // The others follow once what they wait for has released them.
    let first = past.filter { entries[$0.task.index].waitsFor == 0 }
    for (id, _) in first { releaseDependents(of: id.index, at: now) }
  }

  /// Converts a time to nanoseconds.
  func nanoseconds(_ now: Duration) -> Int64 { Int64(clamping: now.nanosecondsDown) }

  /// A description of a task and its phase, for messages.
  private func describe(_ index: Int) -> String {
    "task '\(names[index])' (\(entries[index].phase), attempt \(entries[index].attempt))"
  }

  /// Records the start of an attempt; its time-out counts from here.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - now: The time since the run began.
  package mutating func attemptBegan(_ id: TaskID, at now: Duration) {
    let index = id.index
    precondition(
      [.handedOut, .ending, .killing].contains(entries[index].phase),
      "\(describe(index)) began without having been started")
    begin(index, at: nanoseconds(now))
  }

  /// Notes on which other machine an attempt is carried out.
  package mutating func attemptPlaced(_ id: TaskID, on host: String, at now: Duration) {
    emit(.taskPlaced(self.id(id.index), host: host), at: nanoseconds(now))
  }

  /// Notes which machines have not started.
  package mutating func workersWait(_ workers: RunEvent.WorkersWaiting, at now: Duration) {
    if endReason == nil { emit(.workersWaiting(workers), at: nanoseconds(now)) }
  }

  /// What a task that was handed out needs and no machine of the run has; nil if it has a machine, or any will do.
  package func unmetNeeds(of id: TaskID) -> Resources? {
    guard let placement, !entries[id.index].wasReady, placement.machine(of: id.index) == nil else {
      return nil
    }
    let needs = needs(of: id)
    return needs.isNothing ? nil : needs
  }

  /// The needs of the ready tasks that could start if there were machines for them.
  ///
  /// - Parameter most: The maximum number of tasks.
  /// - Returns: Each of the needs once, with the number of tasks; the needs of the task that would start first come first.
  /// - Complexity: O(queues² + `most`).
  package func readyNeeds(most: Int) -> [(needs: Resources, count: Int)] {
    var left = min(most, workersLeft - busy)
    var room = room
    var first: [(queue: Int, key: ReadyTasks.Key)] = []
    for queue in queues.indices where !queues[queue].needs.isNothing {
      if let index = firstReady(of: queue) { first.append((queue, key(index))) }
    }
    var all: [(needs: Resources, count: Int)] = []
    for (queue, _) in first.sorted(by: { $0.key < $1.key }) {
      let (pool, needs) = (queues[queue].pool, queues[queue].needs)
      let count = ready.count(of: queue, atMost: min(left, room[pool]))
      guard count > 0 else { continue }
      left -= count
      room[pool] -= count
      if let index = all.firstIndex(where: { $0.needs == needs }) {
        all[index].count += count
      } else {
        all.append((needs, count))
      }
    }
    return all
  }

  /// What a task needs of a machine, in a run in which a machine is chosen for each task.
  package func needs(of id: TaskID) -> Resources { queues[rule(id.index).queue].needs }

  /// Makes a task ready again that was handed out and cannot begin at the moment, because its machine was lost.
  ///
  /// - Parameters:
  ///   - id: A task that was handed out and has not begun; another one is left as it is.
  ///   - now: The time since the run began.
  package mutating func handBack(_ id: TaskID, at now: Duration) {
    let index = id.index
    guard entries[index].phase == .handedOut, !entries[index].wasReady else { return }
    release(index)
    entries[index].attempt -= 1
    // Not at once, so that nobody hands it out again and again.
    entries[index].phase = .backingOff
    arm(index, .retry, after: Self.handBackDelay, at: nanoseconds(now))
  }

  /// How long a task waits that was handed back, in nanoseconds.
  private static let handBackDelay: Int64 = 100_000_000

  /// Whether a task has not been started and waits only for a worker or for its pool.
  package func isReady(_ id: TaskID) -> Bool {
    entries[id.index].phase == .ready && entries[id.index].attempt == 0
  }

  /// Ends a ready task that has nothing to do, as its first attempt would, but without a worker.
  ///
  /// - Parameters:
  ///   - id: A ready task.
  ///   - result: The result that its first attempt would have.
  ///   - now: The time since the run began.
  /// - Returns: Whether the task has ended; not if it is not ready, or no task may start because the run is paused or held.
  package mutating func endReady(_ id: TaskID, result: Outcome, at now: Duration) -> Bool {
    guard isReady(id), !isPaused, !isHeld else { return false }
    ready.remove(id.index)
    entries[id.index].attempt = 1
    settle(id.index, result, at: nanoseconds(now))
    return true
  }

  /// Records that an attempt has ended but its descendants still run and must be ended too.
  ///
  /// The attempt keeps its worker until `attemptEnded`, which emits the result.
  ///
  /// - Parameters:
  ///   - id: A task with an attempt under way.
  ///   - result: The result of the attempt itself.
  ///   - now: The time since the run began.
  package mutating func attemptLingers(_ id: TaskID, result: Outcome, at now: Duration) {
    guard [.running, .handedOut, .serving].contains(entries[id.index].phase) else { return }
    pendingResults[id] = result
    startEnding(id.index, at: nanoseconds(now))
  }

  /// Marks an attempt successful before its outputs are recorded.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - result: The result of the attempt itself.
  /// - Returns: Whether the attempt counts as a success. If so, it remains one, however long it takes until
  ///   `attemptEnded`; otherwise nothing changes.
  package mutating func attemptSucceeds(_ id: TaskID, result: Outcome) -> Bool {
    guard entries[id.index].cause == .none, (pendingResults[id] ?? result) == .succeeded else {
      return false
    }
    disarm(id.index)
    pendingResults[id] = .succeeded
    entries[id.index].phase = .settling
    return true
  }

  /// Records that an attempt and its descendants have ended.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - result: The result of the attempt itself; ignored if the attempt was being ended.
  ///   - now: The time since the run began.
  package mutating func attemptEnded(_ id: TaskID, result: Outcome, at now: Duration) {
    let index = id.index
    precondition(
      [.handedOut, .running, .ending, .killing, .settling, .serving].contains(
        entries[index].phase),
      "\(describe(index)) ended without having been started")
    attemptEnded(index, result, at: nanoseconds(now))
  }

  /// Records that an attempt and its descendants have ended.
  ///
  /// - Parameters:
  ///   - index: The task.
  ///   - result: The result of the attempt itself.
  ///   - isRetryable: Whether a failure may be retried.
  ///   - retryDelay: The delay before the next attempt, nil for the usual one.
  ///   - now: The time in nanoseconds.
  mutating func attemptEnded(
    _ index: Int, _ result: Outcome, isRetryable: Bool = true, retryDelay: Duration? = nil,
    at now: Int64
  ) {
    disarm(index)
    // A service has given its worker back when it was ready.
    release(index)
    entries[index].isServing = false
    let pending = pendingResults.isEmpty ? nil : pendingResults.removeValue(forKey: TaskID(index))
    let outcome: Outcome
    switch entries[index].cause {
    case .timeout:
      // One that was ended before its own work began has a reason that says so.
      outcome = result.isStartFailure ? result : .timedOut(limit: shownTimeLimit(index))
    case .cancel, .removal:
      outcome = .cancelled
    case .idle:
      outcome = .succeeded
    case .none:
      let own = pending ?? result
      outcome = rule(index).role == .service ? outcomeOfEndedService(index, own) : own
    }
    entries[index].cause = .none
    if outcome.isFailure, isRetryable,
      let delay = self.retryDelay(index, requested: retryDelay, at: now)
    {
      backOff(index, for: delay, because: outcome, at: now)
    } else if outcome == .lost, mayRunAgain(index) {
      losses[TaskID(index), default: 0] += 1
      backOff(index, for: Self.delayAfterLoss, because: outcome, at: now)
    } else if holdsFailedTasks, outcome.isFailure, !rule(index).isOptional, endReason == nil {
      hold(index, because: outcome, at: now)
    } else {
      settle(index, outcome, at: now)
    }
  }

  /// Pauses the run: until `resume(at:)` no task starts and no deadline passes.
  ///
  /// - Parameter now: The time since the run began, which must stop until then.
  package mutating func pause(at now: Duration) { _ = pause(at: nanoseconds(now)) }

  /// Continues a paused run.
  ///
  /// - Parameter now: The time since the run began, the same as at the pause.
  package mutating func resume(at now: Duration) { resume(at: nanoseconds(now)) }

  /// Ends the run before its last task; a later call can only make it more urgent.
  ///
  /// - Parameters:
  ///   - urgency: Whether running tasks may still finish cleanly.
  ///   - now: The time since the run began.
  package mutating func end(_ urgency: Urgency, at now: Duration) {
    end(because: urgency == .immediate ? .cancelledImmediately : .cancelled, at: nanoseconds(now))
  }

  /// Ends the run for a reason other than a failure, or makes its end more urgent.
  mutating func end(because reason: RunEvent.EndReason, at now: Int64) {
    guard !isFinished, endReason != .cancelledImmediately else { return }
    let urgency: Urgency = reason == .cancelledImmediately ? .immediate : .graceful
    // A run that is ending because of a failure can still be cancelled, and a cancelled one can only be killed.
    if urgency == .graceful, endReason?.isRequest == true { return }
    // Deadlines continue, because those of the end must pass.
    resume(at: now)
    heldBy = nil
    let failed = undecided
    undecided = []
    let wasOver = ended == entries.count
    isOpen = false
    emit(.runEnding(reason), at: now)
    endReason = reason
    if wasOver { return emitIfOver(at: now) }
    // What has failed has not been cancelled.
    for index in failed { settle(index, lastOutcomes[TaskID(index)] ?? .cancelled, at: now) }
    dropWaiting(alsoAlways: urgency == .immediate, at: now) { _, _ in reason.outcomeOfWaiting }
    for index in entries.indices where endsWithRun(index, urgency) {
      if entries[index].cause == .none && pendingResults[TaskID(index)] == nil {
        entries[index].cause = .cancel
      }
      if urgency == .immediate { kill(index) } else { startEnding(index, at: now) }
    }
    endIdleServices(at: now)
  }
}
