// The shell around the engine: it executes the engine's commands, reports their results, and wakes the engine at
// deadlines.

internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRun
internal import HeadwayTime

extension Launcher {
  /// What must be done outside the lock.
  struct Actions: ~Copyable {
    /// The attempts to start.
    var starts: [(RunningTask, TaskBody)] = []
    /// The attempts to cancel, with the slots that run them.
    var cancels: [(RunningTask, TaskSlot?)] = []
    /// Whether the run has begun, and signals must be watched from now on.
    var isWatchDue = false
    /// Whether a slot must be started for waiting attempts.
    var needsSlot = false
    /// The number of tasks without a body that have ended.
    var plainEnds = 0
    /// Whether the run was paused or resumed, which the tree has to follow.
    var didPauseChange = false
    /// The attempts to abandon, with the slots that run them.
    var abandoned: [(RunningTask, TaskSlot?)] = []
    /// Called with the result, for those who wait for it.
    var waiters: [@Sendable (LaunchResult) -> Void] = []
    /// Called because all tasks have ended.
    var emptyWaiters: [Int: @Sendable () -> Void] = [:]
    /// The listeners that wait for events.
    var listeners: [CheckedContinuation<Void, Never>] = []
    /// What must be released outside the lock, because that may call back.
    var discarded = Launcher.Discarded()
    /// The result, if the run has ended.
    var result: LaunchResult?

    init() {}
  }

  /// The time since the run began, without its pauses.
  func now(_ state: inout State) -> Int64 {
    state.core.hasBegun ? state.time(options.timers.nanoseconds) : 0
  }

  /// Changes the state under the lock, and carries out the resulting actions outside of it.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout State, Int64) -> Result) -> Result {
    var actions = Actions()
    let result = guarded.withLock { state in
      let now = now(&state)
      let result = body(&state, now)
      collect(&state, &actions, at: now)
      return result
    }
    carryOut(actions)
    return result
  }

  /// Collects the engine's commands, under the lock.
  private func collect(_ state: inout State, _ actions: inout Actions, at now: Int64) {
    // Tasks can also be removed before the run begins.
    guard state.core.hasBegun, state.end == nil else { return collectEnds(&state, &actions) }
    swap(&actions.isWatchDue, &state.isWatchDue)
    while let command = state.core.nextCommand() {
      switch command {
      case .start(let id, _) where state.bodies[id.index].isNothing:
        // Ends at once, in this loop: a long chain of such tasks must not use a stack frame for each.
        state.core.begin(id.index, at: now)
        state.core.attemptEnded(id.index, .succeeded, at: now)
        actions.plainEnds += 1
      case .start(let id, let attempt):
        let start = begin(id.index, attempt: attempt, &state, at: now)
        if start.1.needsSlot {
          state.waiting.append(start.0)
        } else {
          actions.starts.append(start)
        }
      case .terminate(let id):
        guard let running = state.running[id.index] else { continue }
        let reason = state.core.cancellationReason(id.index)
        actions.cancels.append((running, running.noteCancel(because: reason)))
      case .kill(let id):
        // A function cannot be ended by force, so the run continues without it.
        guard let running = state.running[id.index] else { continue }
        let reason = state.core.cancellationReason(id.index)
        actions.abandoned.append((running, running.noteCancel(because: reason)))
      }
    }
    if !state.hasSlot {
      state.isSlotStarting = true
      actions.needsSlot = true
    }
    if state.isPaused != state.core.isPaused {
      actions.didPauseChange = true
      state.followPause(at: options.timers.nanoseconds)
    }
    setTimer(&state)
    collectEnds(&state, &actions)
    // When the run has a result, or a listener its last event, all spans have ended.
    if state.core.isFinished, state.openSpans > 0 { return }
    if state.core.isListening { actions.listeners = state.deliver() }
    if state.core.isFinished { finish(&state, &actions, at: now) }
  }

  /// Collects what follows from the end of tasks, under the lock.
  private func collectEnds(_ state: inout State, _ actions: inout Actions) {
    if !state.core.endedAside.isEmpty {
      actions.plainEnds += state.core.endedAside.count
      state.discardBodiesEndedAside()
    }
    swap(&actions.discarded, &state.discarded)
    if state.isEmpty, !state.emptyWaiters.isEmpty {
      swap(&actions.emptyWaiters, &state.emptyWaiters)
    }
  }

  /// Starts an attempt, under the lock.
  private func begin(
    _ index: Int, attempt: Int, _ state: inout State, at now: Int64
  ) -> (RunningTask, TaskBody) {
    let running = RunningTask(self)
    state.begin(running, index: index, attempt: attempt, at: now)
    return (running, state.bodies[index])
  }

  /// Records the end of the run, under the lock.
  private func finish(_ state: inout State, _ actions: inout Actions, at now: Int64) {
    let end = state.core.overSince ?? now
    state.end = end
    actions.result = LaunchResult(of: state, end: end, outputs)
    swap(&actions.waiters, &state.waiters)
    actions.discarded.bodies += state.bodies
    state.bodies = []
    state.own = nil
    state.timer?.cancel()
    state.timer = nil
  }

  /// Sets the timer to the next deadline, if that is earlier than its current time.
  private func setTimer(_ state: inout State) {
    guard state.isTimerLate, let next = state.core.nextDeadline else { return }
    state.timerTime = state.core.earliestArmed
    let delay = next - .nanoseconds(now(&state))
    if state.timer?.reschedule(after: delay) ?? false { return }
    state.timer = options.timers.schedule(after: delay) { self.timerFired() }
  }

  /// Lets the engine handle deadlines that have passed.
  private func timerFired() {
    change { state, now in
      state.timerTime = .max
      state.core.advance(to: .nanoseconds(now))
    }
  }

  /// Carries out the engine's commands.
  private func carryOut(_ actions: consuming Actions) {
    // Before this call starts the first tasks.
    if actions.isWatchDue, actions.result == nil { watchSignals() }
    if actions.plainEnds > 0 { root.complete(actions.plainEnds) }
    if actions.didPauseChange { pauseTree() }
    for (running, slot) in actions.cancels { running.cancel(slot) }
    for (running, slot) in actions.abandoned {
      running.cancel(slot)
      end(running, .failure(.abandoned))
    }
    if actions.needsSlot { startSlot() }
    for (running, body) in actions.starts { start(running, body) }
    for listener in actions.listeners { listener.resume() }
    for waiter in actions.emptyWaiters.values { waiter() }
    guard let result = actions.result else { return }
    completeEnd()
    for waiter in actions.waiters { waiter(result) }
  }

  /// Pauses or resumes the tree and the launchers that are tasks of this one, to match the state of the run.
  func pauseTree() {
    var isPaused: Bool
    repeat {
      let inner: [Launcher]
      (isPaused, inner) = guarded.withLock { ($0.isPaused, $0.inner) }
      if isPaused { root.pause() } else { root.resume() }
      for launcher in inner { _ = isPaused ? launcher.pause() : launcher.resume() }
      // Another thread may have changed the state in the meantime.
    } while guarded.withLock { $0.isPaused } != isPaused
  }

  /// Emits the event of a second report.
  func noteReportedAgain(_ index: Int) {
    change { state, now in
      guard !state.core.isFinished else { return }
      state.core.emit(.taskReportedAgain(state.core.id(index)), at: now)
    }
  }

  /// Handles the end of an attempt; ignored if the attempt was abandoned before.
  func end(_ running: RunningTask, _ result: Result<Void, any Error>) {
    end(running, described(result))
  }

  /// The result of an attempt with what comes from its error, which must not be asked under the lock.
  func described(_ result: Result<Void, any Error>) -> Result<Void, AttemptFailure> {
    result.mapError { AttemptFailure($0, map: options.mapError, describe: options.describeError) }
  }

  /// Handles the end of an attempt; ignored if the attempt was abandoned before.
  private func end(_ running: RunningTask, _ result: Result<Void, AttemptFailure>) {
    guard running.claimEnd().isFirst else { return }
    let isOver = change { state, now in note(running, result, in: &state, at: now) }
    running.finish(isOver: isOver)
    if isTraced, let span = running.span { end(span) }
  }

  /// Whether the end of an attempt is not that of a service which returns although it must stay.
  ///
  /// Inlined, because the state would be copied for a call.
  @inline(__always)
  private func isPlainEnd(
    of index: Int, _ result: Result<Void, AttemptFailure>, _ state: borrowing State
  ) -> Bool {
    guard state.core.services != nil, case .success = result else { return true }
    return state.core.rule(index).role != .service || state.core.entries[index].cause != .none
  }

  /// Reports the end of an attempt to the engine, under the lock; `end(_:)` of its span must follow outside.
  ///
  /// - Returns: Whether the task has ended; otherwise another attempt follows.
  func note(
    _ running: RunningTask, _ result: Result<Void, AttemptFailure>, in state: inout State,
    at now: Int64
  ) -> Bool {
    let isOver = noteEnd(of: running, result, in: &state, at: now)
    if isTraced, let span = running.span { state.note(span, of: running.index) }
    return isOver
  }

  /// Reports the end of an attempt to the engine.
  private func noteEnd(
    of running: RunningTask, _ result: Result<Void, AttemptFailure>, in state: inout State,
    at now: Int64
  ) -> Bool {
    let index = running.index
    // A body sees that the progress was cancelled before the run is told.
    if case .failure = result, root.isCancelled { state.followCancel(at: now) }
    state.running[index] = nil
    switch isPlainEnd(of: index, result, state) ? result : .failure(.serviceEnded) {
    case .success:
      if !state.errors.isEmpty, let error = state.errors.removeValue(forKey: index) {
        state.discarded.errors.append(error)
      }
      // Tasks that get it are started under the lock, too, so they start after this.
      let output = running.output.take()
      if state.core.endPlainly(index, at: now) {
        if let output { outputs?[index] = output }
        // The caller that runs the body still retains it, unless the body only started something.
        if state.bodies[index].reports {
          state.discarded.bodies.append(state.bodies[index])
        }
        state.bodies[index] = .nothing
        return true
      }
      state.core.attemptEnded(index, .succeeded, at: now)
      if let output {
        // It may have returned too late, or after it was cancelled.
        if state.core.entries[index].hasSucceeded {
          outputs?[index] = output
        } else {
          state.discarded.outputs.append(output)
        }
      }
    case .failure(let failure):
      let before = state.errors.removeValue(forKey: index)
      if let before { state.discarded.errors.append(before) }
      if failure.error != nil { state.errors[index] = failure }
      state.core.attemptEnded(
        index, .failed(.threw(failure.text)), isRetryable: failure.isRetryable,
        retryDelay: failure.delay, at: now)
      // What a service throws when it is told to end is no failure.
      if state.core.entries[index].hasSucceeded, let error = state.errors.removeValue(forKey: index)
      {
        state.discarded.errors.append(error)
      }
    }
    let isOver = state.core.entries[index].phase == .ended
    if isOver {
      state.discarded.bodies.append(state.bodies[index])
      state.bodies[index] = .nothing
    }
    return isOver
  }
}

extension Launcher {
  /// What a run no longer needs.
  struct Discarded: Sendable {
    /// The errors of attempts that were retried.
    var errors: [AttemptFailure] = []
    /// The bodies of tasks that have ended.
    var bodies: [TaskBody] = []
    /// What attempts have returned that did not succeed.
    var outputs: [StoredOutput] = []

    var isEmpty: Bool { errors.isEmpty && bodies.isEmpty && outputs.isEmpty }
  }
}

extension Launcher.State {
  /// The time since the run began, without its pauses; it never goes back.
  ///
  /// - Parameter time: The time of the timers, read outside the lock.
  /// - Returns: The time in nanoseconds.
  @inline(__always)
  mutating func time(_ time: UInt64) -> Int64 {
    // A time that was read before a pause may be before `begin`, which the pause has moved.
    if !isPaused { latest = max(latest, Int64(truncatingIfNeeded: time &- begin)) }
    return latest
  }

  /// Cancels the run because its progress was cancelled, if nothing else has asked for its end.
  mutating func followCancel(at now: Int64) {
    guard end == nil, !(core.endReason?.isRequest ?? false) else { return }
    followsProgress = true
    core.end(because: .cancelled, at: now)
  }

  /// Stops or restarts the clock of the run, to match the engine.
  mutating func followPause(at time: UInt64) {
    if isPaused { begin = time &- UInt64(latest) }
    isPaused = core.isPaused
  }

  @inline(__always)
  mutating func begin(_ attempt: RunningTask, index: Int, attempt number: Int, at now: Int64) {
    attempt.begin(index: index, attempt: Int32(number))
    running[index] = attempt
    core.begin(index, at: now)
  }

  /// Whether there is a deadline before the time of the timer.
  var isTimerLate: Bool { core.earliestArmed < timerTime }

  /// Discards the bodies of tasks that ended without an attempt; those of a run that is over are released anyway.
  mutating func discardBodiesEndedAside() {
    if !core.isFinished {
      for index in core.endedAside where !bodies[Int(index)].isNothing {
        discarded.bodies.append(bodies[Int(index)])
        bodies[Int(index)] = .nothing
      }
    }
    core.endedAside.removeAll(keepingCapacity: true)
  }

  /// Delivers new events to the listeners.
  ///
  /// - Returns: The listeners to wake.
  mutating func deliver() -> [CheckedContinuation<Void, Never>] {
    let events = core.takeEvents()
    return events.isEmpty ? [] : listeners.receive(events)
  }

  /// Returns the next event of a listener.
  ///
  /// - Parameters:
  ///   - listener: The number of the listener.
  ///   - now: The time in nanoseconds, read only if the listener gets the state of the run.
  /// - Returns: The event, if there is one.
  mutating func take(by listener: Int, now: (inout Self) -> Int64) -> Listening.Offer {
    let (offer, missed) = listeners.take(listener, pending: core.events.count)
    guard let missed else { return offer }
    let time = end ?? now(&self)
    let state = RunState(of: core, at: time)
    return .event(RunEvent(time: .nanoseconds(time), kind: .missed(missed, state)))
  }
}

/// The error of a blocking task for which the system could not create a thread.
struct ThreadCreationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error code of the system.
  let code: Int32

  /// A message with the error code.
  var description: String { "cannot create a thread for the task: error \(code)" }
}
