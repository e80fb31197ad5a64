// The deadlines of a run: time limits, grace periods, delays before retries, and the deadline of the run.

internal import HeadwayRun
internal import HeadwayTime

extension LaunchCore {
  /// Advances the time: handles time limits, grace periods and retries that are due.
  ///
  /// - Parameter now: The time since the run began.
  /// - Complexity: O(1) amortized for each deadline that has passed.
  package mutating func advance(to now: Duration) {
    let now = nanoseconds(now)
    guard !isPaused else { return }
    while let timer = timers.popExpired(atNanoseconds: UInt64(max(now, 0))) {
      if timer.kind == .run {
        end(because: .deadline(runLimit ?? .zero), at: now)
        continue
      }
      let index = Int(timer.index)
      entries[index].timer = .none
      switch timer.kind {
      case .timeout where entries[index].phase == .ready:
        // No worker was free before the limit of all attempts.
        ready.remove(index)
        settle(
          index, lastOutcomes[TaskID(index)] ?? .timedOut(limit: shownTimeLimit(index)), at: now)
      case .timeout:
        entries[index].cause = .timeout
        let limit = shownTimeLimit(index)
        emit(
          .taskOverdue(id(index), attempt: Int(entries[index].attempt), limit: limit), at: now)
        startEnding(index, at: now)
      case .grace: kill(index)
      case .retry:
        makeReady(index)
        let limit = rule(index).deadline
        if limit >= 0, entries[index].hasBegun {
          arm(index, .timeout, after: limit - (now - entries[index].firstStart), at: now)
        }
      case .run: break
      }
    }
    earliestArmed = timers.earliest?.nanosecondsDown ?? .max
  }

  /// Why the attempt of a task is being ended.
  func cancellationReason(_ index: Int) -> CancellationReason {
    switch entries[index].cause {
    case .timeout: return .timeout(shownTimeLimit(index))
    case .idle: return .notNeeded
    case .removal: return .removed
    case .cancel, .none:
      if let endReason { return .runEnding(endReason) }
      let isIdle = services?.isIdle(index, isRunEnding: false) ?? false
      return rule(index).role == .service && isIdle ? .notNeeded : .removed
    }
  }

  /// Cancels the deadline of a task.
  @inline(__always)
  mutating func disarm(_ index: Int) {
    let timer = entries[index].timer
    guard timer != .none else { return }
    timers.cancel(timer)
    entries[index].timer = .none
  }

  /// Sets the deadline of a task.
  @inline(__always)
  mutating func arm(_ index: Int, _ kind: Timer.Kind, after delay: Int64, at now: Int64) {
    let (deadline, isNever) = now.addingReportingOverflow(delay)
    let moment = isNever ? UInt64.max : UInt64(max(deadline, 0))
    entries[index].timer = timers.schedule(
      Timer(index: Int32(index), kind: kind), atNanoseconds: moment)
    if moment < earliestArmed { earliestArmed = moment }
  }
}
