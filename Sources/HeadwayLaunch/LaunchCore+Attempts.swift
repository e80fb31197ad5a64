// How attempts start and end.

internal import HeadwayTime

extension LaunchCore {
  /// Adds an event.
  mutating func tell(_ kind: LaunchEvent.Kind, at now: Duration) {
    events.append(LaunchEvent(time: now, kind: kind))
  }

  /// Words for a message about a task in a wrong phase.
  func describe(_ id: TaskID) -> String {
    "task '\(graph.names[id.index])' (\(entries[id.index].phase), attempt \(entries[id.index].attempt))"
  }

  /// The place of a task's pool in `ready` and `room`.
  func poolPlace(_ id: TaskID) -> Int {
    graph.settings[id.index].pool.map { $0.index + 1 } ?? 0
  }

  /// Puts a task among those that may start.
  mutating func makeReady(_ id: TaskID) {
    entries[id.index].phase = .ready
    ready[poolPlace(id)].insert(id)
  }

  /// Commands starts as long as there are workers and room in the pools.
  mutating func fill() {
    while busy < workers, let pool = nextPool() {
      let id = ready[pool].removeFirst()
      // A task may have ended while it stood in the queue.
      guard entries[id.index].phase == .ready else { continue }
      busy += 1
      room[pool] -= 1
      entries[id.index].phase = .handedOut
      entries[id.index].attempt += 1
      commands.append(.start(id, attempt: Int(entries[id.index].attempt)))
    }
  }

  /// The pool whose first ready task comes next, among those with room.
  func nextPool() -> Int? {
    var best: (pool: Int, id: TaskID)?
    for pool in ready.indices where room[pool] > 0 {
      if let id = ready[pool].first, best.map({ id < $0.id }) ?? true { best = (pool, id) }
    }
    return best?.pool
  }

  /// Gives an attempt's worker and pool place back.
  mutating func release(_ id: TaskID) {
    busy -= 1
    room[poolPlace(id)] += 1
  }

  /// Takes a task's deadline away.
  mutating func disarm(_ id: TaskID) {
    if let timer = entries[id.index].timer.take() { timers.cancel(timer) }
  }

  /// Asks an attempt to end, and arms the end by force.
  mutating func startEnding(_ id: TaskID, at now: Duration) {
    guard entries[id.index].phase == .running || entries[id.index].phase == .handedOut else {
      return
    }
    disarm(id)
    let grace = graph.settings[id.index].grace
    guard grace > .zero else { return kill(id) }
    entries[id.index].phase = .ending
    commands.append(.terminate(id))
    entries[id.index].timer = timers.arm(at: now + grace, payload: .grace(id))
  }

  /// Ends an attempt by force.
  mutating func kill(_ id: TaskID) {
    guard [.handedOut, .running, .ending].contains(entries[id.index].phase) else { return }
    disarm(id)
    entries[id.index].phase = .killing
    commands.append(.kill(id))
  }

  /// Whether an end of the run ends an attempt at a task.
  func isMortal(_ place: Int, _ urgency: Urgency) -> Bool {
    switch entries[place].phase {
    case .handedOut, .running, .ending, .killing:
      urgency == .atOnce || !graph.settings[place].isAlways
    case .waiting, .ready, .settling, .backingOff, .ended:
      false
    }
  }

  /// Whether a task that went wrong gets another attempt.
  func mayRetry(_ id: TaskID) -> Bool {
    let settings = graph.settings[id.index]
    guard Int(entries[id.index].attempt) <= settings.retries.limit else { return false }
    return endReason == nil || (settings.isAlways && endReason != .killed)
  }

  /// Puts a task aside until its next attempt.
  mutating func backOff(_ id: TaskID, because outcome: Outcome, at now: Duration) {
    let next = Int(entries[id.index].attempt) + 1
    let delay = graph.settings[id.index].retries.delay(before: next)
    tell(.taskRetrying(id, attempt: next, delay: delay, because: outcome), at: now)
    entries[id.index].phase = .backingOff
    lastOutcomes[id] = outcome
    entries[id.index].timer = timers.arm(at: now + delay, payload: .retry(id))
  }
}
