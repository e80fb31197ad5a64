// Runs bodies that need no thread of their own in a few Swift tasks, the task slots, one body after the other.
//
//                 waiting attempts: ▢ ▢ ▢ ▢
//                                   │
//     slot ── takes one ──────────┘ and, before it runs the body, sees to it that another slot comes if more wait;
//               ▲          body ends: takes the next one
//               └──────────────────
//
// So a body that suspends or takes long does not delay others, as if each had its own Swift task, while thousands of
// short bodies share as many Swift tasks as there are threads.

internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayTime

extension Launcher {
  /// Starts a slot; `isSlotStarting` was set before.
  func startSlot() {
    let slot = TaskSlot()
    slot.run(in: runTask { await self.runBodies(in: slot) })
  }

  /// Runs bodies until there is none left for this slot.
  private func runBodies(in slot: TaskSlot) async {
    var next = takeFirst(slot)
    var before: RunningTask?
    while let (running, body) = next.take() {
      switch body.form {
      case .asynchronous(let function):
        let result =
          isTraced
          ? await Self.callTraced(function, running) : await Self.call(function, running)
        next = endAndTakeNext(running, result, spare: spare(&before), slot)
        before = running
      default:
        next = runImmediate(running, body, slot)
      }
    }
  }

  /// An unused attempt: the previous one if nothing else retains it, or a new one.
  private func spare(_ before: inout RunningTask?) -> RunningTask {
    guard isKnownUniquelyReferenced(&before), let before = before.take() else {
      return RunningTask(self)
    }
    return before.renewed()
  }

  /// Runs immediate bodies one after the other.
  ///
  /// - Returns: The next attempt, of another form; nil if there is none.
  private func runImmediate(
    _ first: RunningTask, _ firstBody: TaskBody, _ slot: TaskSlot
  ) -> (RunningTask, TaskBody)? {
    var (running, body) = (first, firstBody)
    var before: RunningTask?
    while true {
      guard case .immediate(let function) = body.form else { return (running, body) }
      let result = call(function, running)
      guard let next = endAndTakeNext(running, result, spare: spare(&before), slot) else {
        return nil
      }
      before = running
      (running, body) = next
    }
  }

  /// Calls an asynchronous function inside its span.
  private static func callTraced(
    _ function: @Sendable (LaunchContext) async throws -> Void, _ running: RunningTask
  ) async -> Result<Void, any Error> {
    guard let span = running.span else { return await call(function, running) }
    return await span.call(LaunchContext(running: running)) { await call(function, running) }
  }

  /// Calls an asynchronous function with its node as the current node.
  private static func call(
    _ function: @Sendable (LaunchContext) async throws -> Void, _ running: RunningTask
  ) async -> Result<Void, any Error> {
    do {
      try await ProgressNode.withCurrent(running) {
        try await function(LaunchContext(running: running))
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Takes the first attempt of a slot that has started.
  ///
  /// - Returns: The attempt; nil when others were faster.
  private func takeFirst(_ slot: TaskSlot) -> (RunningTask, TaskBody)? {
    let spare = RunningTask(self)
    let time = options.timers.nanoseconds
    let (next, hasMore) = guarded.withLock { state in
      state.isSlotStarting = false
      let next = state.takeNext(slot, spare: spare, at: state.time(time))
      return (next, state.hasMore)
    }
    if hasMore { change { _, _ in } }
    return next
  }

  /// Handles the end of an attempt, and takes the next one of the slot.
  ///
  /// - Parameters:
  ///   - running: The attempt.
  ///   - result: The result of the attempt.
  ///   - spare: An unused attempt, for the next task.
  ///   - slot: The slot.
  /// - Returns: The next attempt; nil if there is none, or if the slot was cancelled with this one.
  private func endAndTakeNext(
    _ running: RunningTask, _ result: Result<Void, any Error>, spare: RunningTask,
    _ slot: TaskSlot
  ) -> (RunningTask, TaskBody)? {
    // Before the end is claimed: a description that takes long counts as part of the attempt, which can still be abandoned.
    let result = described(result)
    let (isFirst, mayGoOn) = running.claimEnd()
    // An abandoned attempt has ended before, and its slot is cancelled.
    guard isFirst else { return nil }
    // The body may have cancelled the Swift task in which it ran; that must not affect the next body.
    let isUsable = mayGoOn && !Task.isCancelled
    lockBackoff.waitIfLocked()
    let time = options.timers.nanoseconds
    let (isOver, next, hasMore) = guarded.withLock { state in
      lockBackoff.didLock()
      defer { lockBackoff.willUnlock() }
      let now = state.time(time)
      let isOver = note(running, result, in: &state, at: now)
      let next = isUsable ? state.takeNext(slot, spare: spare, at: now) : nil
      return (isOver, next, state.hasMore)
    }
    running.finish(isOver: isOver)
    if isTraced, let span = running.span { end(span) }
    // Rare: a task of another form, another slot, a listener or a deadline.
    if hasMore { change { _, _ in } }
    return next
  }
}

extension Launcher.State {
  /// Whether a slot will come, or none is needed; no body starts while the run is paused.
  var hasSlot: Bool { isSlotStarting || waiting.isEmpty || core.isPaused }

  /// Takes the next attempt of a slot.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - spare: An unused attempt, for a task that has not been started.
  ///   - now: The time in nanoseconds.
  /// - Returns: The attempt; nil if there is none, or if the next one does not use a slot.
  mutating func takeNext(
    _ slot: TaskSlot, spare: RunningTask, at now: Int64
  ) -> (RunningTask, TaskBody)? {
    while !core.isPaused, let running = waiting.popFirst() {
      // Abandoned before it could start.
      if running.hasEnded { continue }
      running.slot = slot
      // Cancelled before there was a slot: its body sees that, and is the last one of this slot.
      if running.isCancelled { slot.cancel() }
      return (running, bodies[running.index])
    }
    guard core.commands.isEmpty, let index = core.peekStart(), bodies[index].needsSlot else {
      return nil
    }
    core.takeStart(index)
    begin(spare, index: index, attempt: Int(core.entries[index].attempt), at: now)
    if spare.slot !== slot { spare.slot = slot }
    return (spare, bodies[index])
  }

  /// Whether there is more to do than to run the next task.
  var hasMore: Bool {
    mutating get {
      isTimerLate || !core.endedAside.isEmpty || !discarded.isEmpty || !core.events.isEmpty
        || !hasSlot || core.hasMore
    }
  }
}

/// The attempts that wait for a slot, first in, first out.
///
/// Not thread safe.
struct WaitingAttempts: Sendable {
  /// The attempts; those before `taken` were taken.
  private var attempts: [RunningTask?] = []
  private var taken = 0

  var isEmpty: Bool { taken == attempts.count }

  /// The number of entries, including those of attempts that were taken.
  var entryCount: Int { attempts.count }

  /// Adds an attempt at the end.
  ///
  /// - Complexity: O(1) amortized.
  mutating func append(_ attempt: RunningTask) { attempts.append(attempt) }

  /// Removes and returns the first attempt.
  ///
  /// - Returns: The attempt, nil when there is none.
  /// - Complexity: O(1) amortized.
  mutating func popFirst() -> RunningTask? {
    guard taken < attempts.count else { return nil }
    let first = attempts[taken].take()
    taken += 1
    // Compacts even if the queue never becomes empty.
    if 2 * taken > attempts.count + Self.fewest {
      attempts.removeFirst(taken)
      taken = 0
    }
    return first
  }

  /// The number of entries below which compaction is not worth its cost.
  private static let fewest = 64
}
