// What a launcher does around its engine: it starts what the engine says, tells it what came of it, and wakes it when
// something is due.

internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

extension Launcher {
  /// What is to be done outside the lock.
  struct Actions: ~Copyable {
    /// The attempts to begin.
    var starts: [(RunningTask, TaskBody)] = []
    /// The attempts to ask for their end, with what runs them.
    var cancels: [(RunningTask, TaskSlot?)] = []
    /// Whether a slot is to be started for the attempts that wait for one.
    var needsSlot = false
    /// The number of tasks without a body that are done.
    var plainEnds = 0
    /// Whether the run has been paused or has gone on, which the tree has to follow.
    var isPauseNews = false
    /// The attempts that are given up, with what runs them.
    var abandoned: [(RunningTask, TaskSlot?)] = []
    /// Those who wait for the result, with it.
    var waiters: [CheckedContinuation<LaunchResult, Never>] = []
    /// The listeners who wait for events.
    var listeners: [CheckedContinuation<Void, Never>] = []
    /// What is let go of, outside the lock because it may call back.
    var discarded = Launcher.Discarded()
    /// The result, once the run has ended.
    var result: LaunchResult?

    /// Creates actions that do nothing.
    init() {}
  }

  /// The time since the run began, without its pauses.
  func now(_ state: inout State) -> Int64 {
    state.core.hasBegun ? state.time(options.timers.nanoseconds) : 0
  }

  /// Changes the state under the lock, and does what follows from that outside.
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

  /// Takes what the engine commands, under the lock.
  private func collect(_ state: inout State, _ actions: inout Actions, at now: Int64) {
    guard state.core.hasBegun, state.end == nil else { return }
    while let command = state.core.nextCommand() {
      switch command {
      case .start(let id, _) where state.bodies[id.index].isNothing:
        // Over at once, and here: a long chain of such tasks must not take a stack frame each.
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
        actions.cancels.append((running, running.noteCancel()))
      case .kill(let id):
        // Nothing can end a function by force: the run goes on without it.
        guard let running = state.running[id.index] else { continue }
        actions.abandoned.append((running, running.noteCancel()))
      }
    }
    if !state.hasSlot {
      state.isSlotStarting = true
      actions.needsSlot = true
    }
    swap(&actions.discarded, &state.discarded)
    if state.isPaused != state.core.isPaused {
      actions.isPauseNews = true
      state.followPause(at: options.timers.nanoseconds)
    }
    actions.plainEnds += state.core.endedAside
    state.core.endedAside = 0
    setTimer(&state)
    if state.core.isListening { actions.listeners = state.deliver() }
    if state.core.isFinished { finish(&state, &actions, at: now) }
  }

  /// Begins an attempt, under the lock.
  private func begin(
    _ index: Int, attempt: Int, _ state: inout State, at now: Int64
  ) -> (RunningTask, TaskBody) {
    let running = RunningTask(self)
    state.begin(running, index: index, attempt: attempt, at: now)
    return (running, state.bodies[index])
  }

  /// Notes the end of the run, under the lock.
  private func finish(_ state: inout State, _ actions: inout Actions, at now: Int64) {
    let end = state.core.overSince ?? now
    state.end = end
    actions.result = LaunchResult(of: state, end: end)
    swap(&actions.waiters, &state.waiters)
    swap(&actions.discarded.bodies, &state.bodies)
    state.own = nil
    state.timer?.cancel()
    state.timer = nil
  }

  /// Sets the timer to the next deadline, if that comes before what it is set to.
  private func setTimer(_ state: inout State) {
    guard state.isTimerLate, let next = state.core.nextDeadline else { return }
    state.timerLine = state.core.earliestArmed
    let delay = next - .nanoseconds(now(&state))
    if state.timer?.reschedule(after: delay) ?? false { return }
    state.timer = options.timers.schedule(after: delay) { self.timeCame() }
  }

  /// Lets the engine look at its deadlines.
  private func timeCame() {
    change { state, now in
      state.timerLine = .max
      state.core.advance(to: .nanoseconds(now))
    }
  }

  /// Does what the engine has commanded.
  private func carryOut(_ actions: consuming Actions) {
    if actions.plainEnds > 0 { root.complete(actions.plainEnds) }
    if actions.isPauseNews { pauseTree() }
    for (running, slot) in actions.cancels { running.cancel(slot) }
    for (running, slot) in actions.abandoned {
      running.cancel(slot)
      end(running, .failure(GivenUp()))
    }
    if actions.needsSlot { startSlot() }
    for (running, body) in actions.starts { start(running, body) }
    for listener in actions.listeners { listener.resume() }
    guard let result = actions.result else { return }
    root.finish()
    for waiter in actions.waiters { waiter.resume(returning: result) }
  }

  /// Pauses the tree and the launchers that are tasks of this one, or lets them go on, as the run is by now.
  func pauseTree() {
    var isPaused: Bool
    repeat {
      let inner: [Launcher]
      (isPaused, inner) = guarded.withLock { ($0.isPaused, $0.inner) }
      if isPaused { root.pause() } else { root.resume() }
      for launcher in inner { _ = isPaused ? launcher.pause() : launcher.resume() }
      // Of a pause and its end at a time the later one holds.
    } while guarded.withLock { $0.isPaused } != isPaused
  }

  /// Starts an attempt that needs no slot.
  private func start(_ running: RunningTask, _ body: TaskBody) {
    switch body.form {
    case .nothing, .immediate, .asynchronous: break
    case .blocking(let function):
      let error = SystemThread.start(named: "headway-task") {
        self.end(running, Self.call(function, running))
      }
      // Not from here: many tasks without a thread, one after the other, must not take a stack frame each.
      if error != 0 { runTask { self.end(running, .failure(ThreadCreationError(code: error))) } }
    case .reporting(let function):
      runTask {
        let report = TaskReport(onFurther: { self.noteReportedAgain(running.index) }) {
          self.end(running, $0)
        }
        ProgressNode.withCurrent(running) {
          function(LaunchContext(running: running), report)
        }
      }
    }
  }

  /// Runs something in a Swift task of its own.
  @discardableResult
  func runTask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if let executor = options.executor {
      return Task.detached(executorPreference: executor, priority: options.priority) {
        await body()
      }
    }
    return Task.detached(priority: options.priority) { await body() }
  }

  /// Calls a synchronous function with its node as the current one.
  static func call(
    _ function: @Sendable (LaunchContext) throws -> Void, _ running: RunningTask
  ) -> Result<Void, any Error> {
    do {
      try ProgressNode.withCurrent(running) {
        try function(LaunchContext(running: running))
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Takes note of a second report.
  private func noteReportedAgain(_ index: Int) {
    change { state, now in
      guard !state.core.isFinished else { return }
      state.core.emit(.taskReportedAgain(state.core.id(index)), at: now)
    }
  }

  /// Takes the end of an attempt; one that was given up before is not heard.
  private func end(_ running: RunningTask, _ result: Result<Void, any Error>) {
    guard running.claimEnd().isFirst else { return }
    let isOver = change { state, now in note(running, result, in: &state, at: now) }
    running.finish(isOver: isOver)
  }

  /// Tells the engine the end of an attempt, under the lock.
  ///
  /// - Returns: Whether the task is over; otherwise another attempt follows.
  func note(
    _ running: RunningTask, _ result: Result<Void, any Error>, in state: inout State, at now: Int64
  ) -> Bool {
    let index = running.index
    state.running[index] = nil
    switch result {
    case .success:
      if !state.errors.isEmpty, let error = state.errors.removeValue(forKey: index) {
        state.discarded.errors.append(error)
      }
      if state.core.endPlainly(index, at: now) {
        // Who runs a body holds it still, but for one that only started something.
        if case .reporting = state.bodies[index].form {
          state.discarded.bodies.append(state.bodies[index])
        }
        state.bodies[index] = .nothing
        return true
      }
      state.core.attemptEnded(index, .succeeded, at: now)
    case .failure(let thrown):
      let final = thrown as? NonRetryable
      let error = final?.error ?? thrown
      // What was given up has thrown nothing, and its outcome is known.
      let kept = error is GivenUp ? nil : error
      let before = state.errors.removeValue(forKey: index)
      if let before { state.discarded.errors.append(before) }
      state.errors[index] = kept
      state.core.attemptEnded(
        index, .failed(.threw("\(error)")), isFinal: final != nil, at: now)
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
  /// What a run does not need any more.
  struct Discarded: Sendable {
    /// What attempts have thrown that others followed.
    var errors: [any Error] = []
    /// What tasks did that are over.
    var bodies: [TaskBody] = []

    /// Whether there is nothing.
    var isEmpty: Bool { errors.isEmpty && bodies.isEmpty }
  }
}

extension Launcher.State {
  /// The time since the run began without its pauses, which never goes back.
  ///
  /// - Parameter time: The time of the timers, read outside the lock.
  /// - Returns: The time in nanoseconds.
  @inline(__always)
  mutating func time(_ time: UInt64) -> Int64 {
    // A time that was read before a pause may lie before `begin`, which the pause has moved.
    if !isPaused { latest = max(latest, Int64(truncatingIfNeeded: time &- begin)) }
    return latest
  }

  /// Lets the time stand still, or go on from where it stood, as the engine is by now.
  mutating func followPause(at time: UInt64) {
    if isPaused { begin = time &- UInt64(latest) }
    isPaused = core.isPaused
  }

  /// Begins an attempt.
  @inline(__always)
  mutating func begin(_ attempt: RunningTask, index: Int, attempt number: Int, at now: Int64) {
    attempt.begin(index: index, attempt: Int32(number))
    running[index] = attempt
    core.begin(index, at: now)
  }

  /// Whether a deadline comes before the timer is set to.
  var isTimerLate: Bool { core.earliestArmed < timerLine }

  /// Gives the listeners what has happened.
  ///
  /// - Returns: Those who wait for it.
  mutating func deliver() -> [CheckedContinuation<Void, Never>] {
    let events = core.takeEvents()
    return events.isEmpty ? [] : listeners.receive(events)
  }

  /// Takes the next event of a listener.
  ///
  /// - Parameters:
  ///   - listener: The number of the listener.
  ///   - now: The time in nanoseconds, read only where the listener gets the state of the run.
  /// - Returns: What there is.
  mutating func take(by listener: Int, now: (inout Self) -> Int64) -> Listening.Offer {
    let (offer, missed) = listeners.take(listener, pending: core.events.count)
    guard let missed else { return offer }
    let time = end ?? now(&self)
    let state = RunState(of: core, at: time)
    return .event(RunEvent(time: .nanoseconds(time), kind: .missed(missed, state)))
  }
}

/// Stands for what an attempt that was given up has not thrown.
private struct GivenUp: Error {}

/// The error of a blocking task for which the system could not create a thread.
struct ThreadCreationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error code of the system.
  let code: Int32

  /// A message with the error code.
  var description: String { "cannot create a thread for the task: error \(code)" }
}
