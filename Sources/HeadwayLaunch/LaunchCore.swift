internal import HeadwayTime

/// The engine that runs a graph of tasks: what may start, what must end, and how each task ended.
///
/// A pure value. It knows no clock, no process and no thread: whoever holds it passes the time in, carries out
/// the commands that it answers with, and tells it what came of them. The same calls give the same commands
/// and events, whatever the machine does.
///
/// ```
///            begin, attemptBegan, attemptEnded, advance, end
///   shell ──────────────────────────────────────────────────▶ core
///         ◀──────────────────────────────────────────────────
///            nextCommand: start, terminate, kill; takeEvents
/// ```
///
/// A task goes through these phases; every arrow is one event or one command:
///
/// ```
///   waiting ─▶ ready ─▶ handed out ─▶ running ─▶ ended
///      │                    ▲  │         │  ▲
///      ▼                    │  └──┐      ▼  │ (left processes behind, ran out of time, was cancelled)
///    ended (skipped)     backing off ◀─ ending ─▶ killing
/// ```
///
/// Tasks that are ready start in the order of the graph, as many as workers and pools allow. Not thread safe.
/// Complexity of a whole run: O((tasks + edges) · log tasks); memory: one entry for each task and edge.
public struct LaunchCore: Sendable {
  /// What the shell must do next.
  public enum Command: Hashable, Sendable {
    /// Start an attempt, and answer with `attemptBegan` and `attemptEnded`, or only the latter.
    case start(TaskID, attempt: Int)
    /// Ask the attempt to end.
    case terminate(TaskID)
    /// End the attempt by force.
    case kill(TaskID)
  }

  /// How an attempt ended by itself.
  public enum AttemptResult: Hashable, Sendable {
    /// It did what it had to do.
    case succeeded
    /// There was nothing to do.
    case upToDate
    /// It failed.
    case failed(Failure)
  }

  /// What happens to the rest when a task fails that the run needs.
  public enum FailurePolicy: Hashable, Sendable {
    /// Nothing more is started; what runs may end by itself.
    case stop
    /// All goes on that does not need the failed task.
    case keepGoing
    /// Nothing more is started, and what runs is ended.
    case failFast
  }

  /// How urgently a run is to end.
  public enum Urgency: Hashable, Sendable {
    /// Tasks that run are asked to end, and those that always run still do.
    case inOrder
    /// Everything is ended by force.
    case atOnce
  }

  /// Where a task stands.
  private enum Phase: Sendable {
    case waiting, ready, handedOut, running, ending, killing, backingOff, ended
  }

  /// Why an attempt is being ended.
  private enum Cause: Sendable {
    /// It is not, or only what it left behind.
    case none
    /// It ran longer than allowed.
    case timeout
    /// The run ends.
    case cancel
  }

  /// What a deadline is for.
  private enum Timer: Sendable {
    case timeout(TaskID)
    case grace(TaskID)
    case retry(TaskID)
  }

  /// What is kept of each task.
  private struct Entry: Sendable {
    /// The number of tasks before it that have not ended.
    var waitsFor: Int32 = 0
    /// The attempts handed out so far.
    var attempt: Int32 = 0
    /// Where it stands.
    var phase: Phase = .waiting
    /// Why its attempt is being ended.
    var cause: Cause = .none
    /// Whether an attempt has begun, so that `firstStart` holds.
    var hasBegun = false
    /// When its first attempt began.
    var firstStart: Duration = .zero
    /// The one deadline that it can have at a time.
    var timer: DeadlineQueue<Timer>.Handle?
  }

  /// The graph that is run.
  public let graph: LaunchGraph
  /// The number of attempts that may be under way at once.
  public let workers: Int
  /// What a failure means for the rest.
  public let policy: FailurePolicy

  /// The tasks, by place.
  private var entries: [Entry]
  /// Where each task's dependents begin in `dependents`, with one more entry at the end.
  private let dependentsStart: [Int32]
  /// The tasks that wait for each task, one after another.
  private let dependents: [Int32]
  /// The tasks that may start now, by pool: those without a pool first.
  private var ready: [ReadyQueue]
  /// The free places of each pool; as many as workers for those without a pool.
  private var room: [Int]
  /// The attempts that hold a worker.
  private var busy = 0
  /// The tasks that are over.
  private var ended = 0
  /// The results and outcomes that wait: of attempts whose leftovers are being ended, and of retries.
  private var pendingResults: [TaskID: AttemptResult] = [:]
  /// How the last attempt of a task that backs off ended.
  private var lastOutcomes: [TaskID: Outcome] = [:]
  /// Why the run ends early.
  private var endReason: LaunchEvent.EndReason?
  /// The deadlines of attempts, graces and retries.
  private var timers = DeadlineQueue<Timer>()
  /// The commands that the shell has not taken, in order from `commandsTaken`.
  private var commands: [Command] = []
  /// How many of `commands` the shell has taken.
  private var commandsTaken = 0
  /// The events that the shell has not taken.
  private var events: [LaunchEvent] = []

  /// Creates an engine for a graph.
  ///
  /// - Parameters:
  ///   - graph: The tasks and their order.
  ///   - workers: The number of attempts that may be under way at once; must be at least 1.
  ///   - policy: What a failure means for the rest.
  /// - Throws: `GraphError.cycle` when tasks wait for each other in a circle.
  /// - Complexity: O(tasks + edges).
  public init(graph: LaunchGraph, workers: Int, policy: FailurePolicy) throws(GraphError) {
    precondition(workers >= 1, "a run needs one worker at least, not \(workers)")
    self.graph = graph
    self.workers = workers
    self.policy = policy
    let adjacency = Adjacency(graph)
    dependentsStart = adjacency.start
    dependents = adjacency.dependents
    entries = adjacency.waitsFor.map { Entry(waitsFor: $0) }
    ready = Array(repeating: ReadyQueue(), count: graph.poolLimits.count + 1)
    room = [workers] + graph.poolLimits
    if let cycle = adjacency.cycle() { throw .cycle(cycle) }
  }

  /// Whether every task has an outcome.
  public var isFinished: Bool { ended == entries.count }

  /// The moment at which `advance(to:)` has something to do, nil while there is none.
  ///
  /// - Complexity: O(1).
  public var nextDeadline: Duration? { timers.earliest }

  /// Takes the next command.
  ///
  /// - Returns: What to do next, nil when there is nothing.
  /// - Complexity: O(1).
  public mutating func nextCommand() -> Command? {
    guard commandsTaken < commands.count else {
      commands.removeAll(keepingCapacity: true)
      commandsTaken = 0
      return nil
    }
    defer { commandsTaken += 1 }
    return commands[commandsTaken]
  }

  /// Takes what has happened since the last call.
  ///
  /// - Returns: The events, in order.
  public mutating func takeEvents() -> [LaunchEvent] {
    defer { events = [] }
    return events
  }
}

// MARK: - What the shell tells

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

  /// Takes note that an attempt is over and nothing of it is left.
  ///
  /// - Parameters:
  ///   - id: A task whose start was commanded.
  ///   - result: How the attempt ended by itself; it counts only where the attempt was not being ended.
  ///   - now: The time since the run began.
  public mutating func attemptEnded(_ id: TaskID, result: AttemptResult, at now: Duration) {
    let place = id.index
    precondition(
      [.handedOut, .running, .ending, .killing].contains(entries[place].phase),
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
  /// - Complexity: O(log tasks) for each deadline that has passed.
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

// MARK: - Starting and ending

extension LaunchCore {
  /// Adds an event.
  private mutating func tell(_ kind: LaunchEvent.Kind, at now: Duration) {
    events.append(LaunchEvent(time: now, kind: kind))
  }

  /// Words for a message about a task in a wrong phase.
  private func describe(_ id: TaskID) -> String {
    "task '\(graph.names[id.index])' (\(entries[id.index].phase), attempt \(entries[id.index].attempt))"
  }

  /// The place of a task's pool in `ready` and `room`.
  private func poolPlace(_ id: TaskID) -> Int {
    graph.settings[id.index].pool.map { $0.index + 1 } ?? 0
  }

  /// Puts a task among those that may start.
  private mutating func makeReady(_ id: TaskID) {
    entries[id.index].phase = .ready
    ready[poolPlace(id)].insert(id)
  }

  /// Commands starts as long as there are workers and room in the pools.
  private mutating func fill() {
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
  private func nextPool() -> Int? {
    var best: (pool: Int, id: TaskID)?
    for pool in ready.indices where room[pool] > 0 {
      if let id = ready[pool].first, best.map({ id < $0.id }) ?? true { best = (pool, id) }
    }
    return best?.pool
  }

  /// Gives an attempt's worker and pool place back.
  private mutating func release(_ id: TaskID) {
    busy -= 1
    room[poolPlace(id)] += 1
  }

  /// Takes a task's deadline away.
  private mutating func disarm(_ id: TaskID) {
    if let timer = entries[id.index].timer.take() { timers.cancel(timer) }
  }

  /// Asks an attempt to end, and arms the end by force.
  private mutating func startEnding(_ id: TaskID, at now: Duration) {
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
  private mutating func kill(_ id: TaskID) {
    guard [.handedOut, .running, .ending].contains(entries[id.index].phase) else { return }
    disarm(id)
    entries[id.index].phase = .killing
    commands.append(.kill(id))
  }

  /// Whether an end of the run ends an attempt at a task.
  private func isMortal(_ place: Int, _ urgency: Urgency) -> Bool {
    switch entries[place].phase {
    case .handedOut, .running, .ending, .killing:
      urgency == .atOnce || !graph.settings[place].isAlways
    case .waiting, .ready, .backingOff, .ended:
      false
    }
  }

  /// Whether a task that went wrong gets another attempt.
  private func mayRetry(_ id: TaskID) -> Bool {
    let settings = graph.settings[id.index]
    guard Int(entries[id.index].attempt) <= settings.retries.limit else { return false }
    return endReason == nil || (settings.isAlways && endReason != .killed)
  }

  /// Puts a task aside until its next attempt.
  private mutating func backOff(_ id: TaskID, because outcome: Outcome, at now: Duration) {
    let next = Int(entries[id.index].attempt) + 1
    let delay = graph.settings[id.index].retries.delay(before: next)
    tell(.taskRetrying(id, attempt: next, delay: delay, because: outcome), at: now)
    entries[id.index].phase = .backingOff
    lastOutcomes[id] = outcome
    entries[id.index].timer = timers.arm(at: now + delay, payload: .retry(id))
  }
}

// MARK: - Outcomes

extension LaunchCore {
  /// Gives a task its outcome, and those that wait for it what follows.
  private mutating func settle(_ id: TaskID, _ outcome: Outcome, at now: Duration) {
    close(id, outcome, at: now)
    if blocks(id, outcome) { skipDependents(of: id, outcome, at: now) }
    release([id])
    stopAfterFailure(of: id, outcome, at: now)
  }

  /// Gives every task that needs the given one, directly or through others, its outcome.
  private mutating func skipDependents(of first: TaskID, _ outcome: Outcome, at now: Duration) {
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
  private mutating func release(_ first: [TaskID]) {
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
  private func blocks(_ id: TaskID, _ outcome: Outcome) -> Bool {
    if outcome.isSuccess { return false }
    return !(outcome.isFailure && graph.settings[id.index].isOptional)
  }

  /// The outcome of a task that needs one with the given outcome; the reason names the first cause.
  private func consequence(of id: TaskID, _ outcome: Outcome) -> Outcome {
    switch outcome {
    case .skipped: outcome
    case .cancelled: .cancelled
    case .failed, .timedOut, .succeeded, .upToDate: .skipped(.needs(id))
    }
  }

  /// Marks a task as over and tells it.
  private mutating func close(_ id: TaskID, _ outcome: Outcome, at now: Duration) {
    let entry = entries[id.index]
    entries[id.index].phase = .ended
    lastOutcomes[id] = nil
    ended += 1
    let ran = entry.hasBegun ? now - entry.firstStart : .zero
    tell(.taskEnded(id, outcome, attempts: Int(entry.attempt), ran: ran), at: now)
    if isFinished { tell(.runEnded, at: now) }
  }

  /// Stops starting tasks after the failure of one that the run needs, where the policy says so.
  private mutating func stopAfterFailure(of id: TaskID, _ outcome: Outcome, at now: Duration) {
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
  private mutating func dropWaiting(
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
      case .handedOut, .running, .ending, .killing, .ended:
        break
      }
    }
    release(freed)
  }
}
