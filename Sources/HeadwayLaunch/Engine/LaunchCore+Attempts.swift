// How attempts start and end.

internal import HeadwayCollections
internal import HeadwayRun
internal import HeadwayTime

extension LaunchCore {
  /// Adds an event, where somebody listens.
  @inline(__always)
  mutating func emit(_ kind: RunEvent.Kind, at now: Int64) {
    if isListening { events.append(RunEvent(time: .nanoseconds(now), kind: kind)) }
  }

  /// How a task is treated.
  @inline(__always)
  func rule(_ place: Int) -> TaskRule { rules[Int(entries[place].rule)] }

  /// What decides when a task starts.
  func key(_ place: Int) -> ReadyTasks.Key {
    ReadyTasks.Key(priority: rule(place).priority, ahead: ahead[place], place: Int32(place))
  }

  /// Puts a task among those that may start.
  @inline(__always)
  mutating func makeReady(_ place: Int) {
    entries[place].phase = .ready
    if ready.insert(place) { return }
    let key = key(place)
    ready.insertLate(key, pool: rule(place).poolPlace)
  }

  /// Takes the task that starts next, if a worker and its pool have room.
  ///
  /// - Returns: The task; `attemptBegan` and `attemptEnded`, or only the latter, have to follow.
  /// - Complexity: O(1); O(pools) where there are any.
  mutating func takeStart() -> TaskID? {
    guard let place = peekStart() else { return nil }
    takeStart(place)
    return id(place)
  }

  /// The task that starts next, if a worker and its pool have room.
  @inline(__always)
  mutating func peekStart() -> Int? {
    guard busy < workers, heldBy == nil, !isPaused else { return nil }
    while let (place, pool) = nextReady() {
      // One that was added later may have ended while it stood there.
      if entries[place].phase == .ready { return place }
      ready.removeFirst(place, pool: pool)
    }
    return nil
  }

  /// Takes the task that `peekStart` has named.
  @inline(__always)
  mutating func takeStart(_ place: Int) {
    let pool = rules[Int(entries[place].rule)].poolPlace
    ready.removeFirst(place, pool: pool)
    busy += 1
    room[pool] -= 1
    entries[place].phase = .handedOut
    entries[place].attempt += 1
  }

  /// Whether there is more to do for the shell than to wait.
  var hasMore: Bool {
    mutating get { commandsTaken < commands.count || ended == entries.count || peekStart() != nil }
  }

  /// The ready task that comes first of the pools with room.
  @inline(__always)
  private func nextReady() -> (place: Int, pool: Int)? {
    if room.count == 1 { return firstReady(of: 0).map { ($0, 0) } }
    var best: (place: Int, pool: Int)?
    for pool in room.indices where room[pool] > 0 {
      guard let place = firstReady(of: pool) else { continue }
      if let other = best, key(other.place) < key(place) { continue }
      best = (place, pool)
    }
    return best
  }

  /// The ready task of a pool that comes first.
  @inline(__always)
  private func firstReady(of pool: Int) -> Int? {
    let first = ready.first(of: pool)
    guard let late = ready.firstLate(of: pool) else { return first }
    if let first, key(first) < late { return first }
    return Int(late.place)
  }

  /// Gives an attempt's worker and pool place back.
  @inline(__always)
  mutating func release(_ place: Int) {
    busy -= 1
    room[rules[Int(entries[place].rule)].poolPlace] += 1
  }

  /// Takes a task's deadline away.
  @inline(__always)
  mutating func disarm(_ place: Int) {
    let timer = entries[place].timer
    guard timer != .none else { return }
    timers.cancel(timer)
    entries[place].timer = .none
  }

  /// Sets a task's deadline.
  @inline(__always)
  mutating func arm(_ place: Int, _ kind: Timer.Kind, after delay: Int64, at now: Int64) {
    let (deadline, isNever) = now.addingReportingOverflow(delay)
    let moment = isNever ? UInt64.max : UInt64(max(deadline, 0))
    entries[place].timer = timers.schedule(
      Timer(place: Int32(place), kind: kind), atNanoseconds: moment)
    if moment < earliestArmed { earliestArmed = moment }
  }

  /// Takes note that an attempt has really begun.
  @inline(__always)
  mutating func begin(_ place: Int, at now: Int64) {
    if !entries[place].hasBegun {
      entries[place].hasBegun = true
      entries[place].firstStart = now
    }
    entries[place].latestStart = now
    if isListening {
      emit(.taskStarted(id(place), attempt: Int(entries[place].attempt)), at: now)
    }
    // It may have been cancelled between the command and now.
    guard entries[place].phase == .handedOut else { return }
    entries[place].phase = .running
    let limit = rules[Int(entries[place].rule)].timeout
    if limit >= 0 { arm(place, .timeout, after: limit, at: now) }
  }

  /// Takes note that an attempt has succeeded by itself, the short way for those of which nothing else is known.
  ///
  /// - Returns: Whether that was all there was to do.
  @inline(__always)
  mutating func endPlainly(_ place: Int, at now: Int64) -> Bool {
    guard entries[place].phase == .running, entries[place].cause == .none, !isListening else {
      return false
    }
    disarm(place)
    release(place)
    close(place, .succeeded, at: now)
    releaseDependents(of: place)
    return true
  }

  /// Asks an attempt to end, and arms the end by force.
  mutating func startEnding(_ place: Int, at now: Int64) {
    guard entries[place].phase == .running || entries[place].phase == .handedOut else {
      return
    }
    disarm(place)
    let grace = Int64(clamping: rule(place).settings.grace.nanosecondsUp)
    guard grace > 0 else { return kill(place) }
    entries[place].phase = .ending
    commands.append(.terminate(id(place)))
    arm(place, .grace, after: grace, at: now)
  }

  /// Ends an attempt by force.
  mutating func kill(_ place: Int) {
    guard [.handedOut, .running, .ending].contains(entries[place].phase) else { return }
    disarm(place)
    entries[place].phase = .killing
    commands.append(.kill(id(place)))
  }

  /// Whether an end of the run ends an attempt at a task.
  func isMortal(_ place: Int, _ urgency: Urgency) -> Bool {
    switch entries[place].phase {
    case .handedOut, .running, .ending, .killing:
      urgency == .immediate || !rule(place).alwaysRuns
    case .waiting, .ready, .settling, .backingOff, .ended:
      false
    }
  }

  /// Whether a task that went wrong gets another attempt.
  func mayRetry(_ place: Int) -> Bool {
    let rule = rule(place)
    guard Int(entries[place].attempt) <= rule.settings.retries.limit else { return false }
    return endReason == nil || (rule.alwaysRuns && endReason != .cancelledImmediately)
  }

  /// Puts a task aside until its next attempt.
  mutating func backOff(_ place: Int, because outcome: Outcome, at now: Int64) {
    let next = Int(entries[place].attempt) + 1
    let retries = rule(place).settings.retries
    var delay = retries.delay(before: next)
    if retries.jitter > 0 {
      // Whole nanoseconds, as the wheel has them and events tell them.
      let shorter = delay - delay * (min(retries.jitter, 1) * random.nextUnit())
      delay = .nanoseconds(Int64(clamping: shorter.nanosecondsDown))
    }
    emit(.taskRetrying(id(place), attempt: next, delay: delay, because: outcome), at: now)
    entries[place].phase = .backingOff
    lastOutcomes[TaskID(place)] = outcome
    arm(place, .retry, after: Int64(clamping: delay.nanosecondsUp), at: now)
  }
}
