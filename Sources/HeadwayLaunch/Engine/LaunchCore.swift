internal import HeadwayCollections
package import HeadwayRun
internal import HeadwayTime

/// The engine that runs a graph of tasks: it decides which tasks start and which must end, and how each task ended.
///
/// A pure value without a clock, processes or threads. Its owner passes the time, carries out the commands that it
/// returns, and reports their results. The same calls give the same commands and events on any machine.
///
/// ```
///            begin, attemptBegan, attemptEnded, advance, pause, add, remove, end
///   shell ──────────────────────────────────────────────────────────────────────▶ core
///         ◀──────────────────────────────────────────────────────────────────────
///            nextCommand: start, terminate, kill; takeEvents
/// ```
///
/// A task goes through these phases; each arrow is an event or a command:
///
/// ```
///   waiting ─▶ ready ─▶ handed out ─▶ running ─▶ settling ─▶ ended
///      │                    ▲  │         │          ▲
///      ▼                    │  └──┐      ▼          │ (left something behind, ran out of time, was cancelled)
///    ended (skipped)     backing off ◀─ ending ─▶ killing
/// ```
///
/// A service goes from `running` to `serving` when it is ready, gives its worker back, and is ended once nothing needs it.
///
/// Times are times of the run, which stop while it is paused. A task is `settling` if it has succeeded and the shell
/// still has to record its outputs; it can no longer time out or be cancelled.
///
/// Ready tasks start in this order, as many as workers and pools allow: the highest priority first, then the longest
/// critical path to the end of the graph, then the order in which they were added. Not thread safe.
/// The complexity of a whole run is O(tasks + edges), or O((tasks + edges) · log tasks) with expected durations.
package struct LaunchCore: ~Copyable, Sendable {
  /// A command to the shell.
  package enum Command: Hashable, Sendable {
    /// Start an attempt, and report `attemptBegan` and `attemptEnded`, or only the latter.
    case start(TaskID, attempt: Int)
    /// Ask the attempt to end.
    case terminate(TaskID)
    /// Kill the attempt.
    case kill(TaskID)
  }

  /// The urgency of the end of a run.
  package enum Urgency: Hashable, Sendable {
    /// Running tasks are asked to end, and tasks that always run still do.
    case graceful
    /// All tasks are killed.
    case immediate
  }

  /// The phase of a task.
  enum Phase: UInt8, Sendable {
    case waiting, ready, handedOut, running, ending, killing, settling, backingOff, ended, serving
  }

  /// Why an attempt is being ended.
  enum Cause: UInt8, Sendable {
    /// It is not being ended, or only its orphans are.
    case none
    /// It exceeded its time limit.
    case timeout
    /// The run ends.
    case cancel
    /// The task was removed.
    case removal
    /// It is a service that nothing needs any more.
    case idle
  }

  /// A deadline.
  struct Timer: Sendable {
    /// The kinds of deadlines.
    enum Kind: UInt8, Sendable {
      case timeout, grace, retry, run
    }

    /// The index of the task; unused for the run.
    var index: Int32
    var kind: Kind
  }

  /// The state of a task.
  struct Entry: Sendable {
    /// The number of dependencies that have not ended.
    var waitsFor: Int32 = 0
    /// The number of attempts so far.
    var attempt: Int32 = 0
    /// The index of its rule in `rules`.
    var rule: Int32 = 0
    var phase: Phase = .waiting
    /// Whether a task that it comes after, directly or through others, was started.
    var followsStart = false
    /// Why its attempt is being ended.
    var cause: Cause = .none
    /// Whether an attempt has begun, so that `firstStart` is valid.
    var hasBegun = false
    /// Whether it succeeded, so that there is no entry in `outcomes`.
    var hasSucceeded = false
    /// Whether it is a service that has been ready, so that what waits for that has been released.
    var wasReady = false
    /// Whether its present attempt has been ready.
    var isServing = false
    /// Its deadline, or `none`; a task has at most one at a time.
    var timer = DeadlineWheel<Timer>.Handle.none
    /// When its first attempt began, in nanoseconds.
    var firstStart: Int64 = 0
    /// When its latest attempt began, in nanoseconds.
    var latestStart: Int64 = 0
    /// When it ended, in nanoseconds.
    var end: Int64 = 0
  }

  /// The names of the tasks, by index.
  var names: [String]
  /// The maximum number of attempts that run at once.
  package let workers: Int
  /// The number of attempts that may run at once for the time being, because some workers are gone or have not come; at least 0.
  package var workersLeft: Int
  /// The reaction to a failure.
  package let policy: FailurePolicy
  /// Whether there are listeners; otherwise no events are created.
  package var isListening = true

  var entries: [Entry]
  /// The rules of the tasks, without duplicates.
  var rules: RuleTable
  /// The dependents of each task, including tasks that were added to the run.
  var graph: TaskGraph
  /// The critical-path length of each task: the expected time from its start to the end of the last task that depends
  /// on it.
  var criticalPathLengths: [Int64]
  /// The ready tasks.
  var ready: ReadyTasks
  /// The services that have been ready and are to be started again, in this order.
  ///
  /// They need no worker: the tasks that hold the workers may be waiting for them.
  var restarts: [Int] = []
  /// The free slots of each pool; for tasks without a pool, the number of workers.
  var room: [Int]
  /// The queues of ready tasks, empty if no task needs anything of its machine: then there is one for each pool.
  let queues: [ReadyTasks.Queue]
  /// The machines of the run, if tasks need something of theirs; otherwise nil, and any free worker will do.
  package var placement: Placement?
  /// The attempts that hold a worker.
  var busy = 0
  /// The number of tasks that have ended.
  var ended = 0
  /// The outcomes of tasks that did not succeed.
  var outcomes: [TaskID: Outcome] = [:]
  /// The results of attempts whose orphans are being ended or whose success is being recorded.
  var pendingResults: [TaskID: Outcome] = [:]
  /// How many attempts of tasks were lost.
  var losses: [TaskID: Int] = [:]
  /// The outcomes of the last attempts of tasks that back off.
  var lastOutcomes: [TaskID: Outcome] = [:]
  /// Whether the run continues when all tasks have ended, because more may be added.
  package var isOpen = false
  /// Whether no task starts until someone continues the run.
  package var isHeld: Bool { heldBy != nil }
  /// The task whose failure holds the run, nil if it is not held.
  var heldBy: TaskID?
  /// Whether a required task that has failed waits until someone decides whether it runs again.
  ///
  /// Then the run is held with tasks that have not ended; otherwise it is held after their end, see `FailurePolicy.hold`.
  package var holdsFailedTasks = false
  /// The failed tasks on which nobody has decided, in the order in which they failed.
  var undecided: [Int] = []
  /// Whether no task starts and the clock is stopped.
  package var isPaused = false
  /// The time limit of the run, for its event.
  var runLimit: Duration?
  /// When the run ended, in nanoseconds; nil until then.
  var overSince: Int64?
  /// Why the run ends early.
  var endReason: RunEvent.EndReason?
  /// The deadlines of attempts, grace periods and retries.
  var timers = DeadlineWheel<Timer>()
  /// The indices of tasks that ended while no attempt was under way, since the shell last asked.
  var endedAside: [Int32] = []
  /// Which tasks need which services; nil if there are no services.
  var services: ServiceUse?
  /// Whether several changes are made together, after which the end of the run is checked once.
  var isChanging = false
  /// Whether `begin` was called.
  var hasBegun = false
  /// The random numbers for the delays before retries; the same seed gives the same run.
  var random = SplitMix64(seed: 0x9E37_79B9_7F4A_7C15)
  /// A lower bound of all deadlines, in nanoseconds; the largest value if there are none.
  var earliestArmed = UInt64.max
  /// The commands; those before `commandsTaken` were taken.
  var commands: [Command] = []
  var commandsTaken = 0
  /// The events that were not taken yet.
  var events: [RunEvent] = []

  /// Creates an engine for a graph.
  ///
  /// - Parameters:
  ///   - graph: The tasks and their dependencies.
  ///   - workers: The maximum number of attempts that run at once; must be at least 1.
  ///   - policy: The reaction to a failure.
  ///   - expected: The expected duration of each task, by index; tasks without one count as equally long.
  /// - Throws: `GraphError.cycle` if tasks depend on each other in a cycle.
  /// - Complexity: O(tasks + edges).
  package init(
    graph: borrowing LaunchGraph, workers: Int, policy: FailurePolicy, expected: [Duration?] = []
  ) throws(GraphError) {
    precondition(workers >= 1, "a run needs at least one worker, not \(workers)")
    self.workers = workers
    workersLeft = workers
    self.policy = policy
    let dependencies = TaskGraph(taskCount: graph.count, edges: graph.edges)
    let order = dependencies.topologicalOrder()
    if order.count < graph.count { throw graph.cycleError(dependencies) }
    var rules = graph.rules
    queues = rules.assignQueues(pools: graph.poolLimits.count + 1)
    if !queues.isEmpty { placement = Placement(mostOvertakers: workers) }
    let criticalPathLengths = Self.criticalPathLengths(dependencies, order, expected)
    let ruleIndices = graph.ruleIndices
    var entries: [Entry] = []
    entries.reserveCapacity(graph.count)
    for index in 0..<graph.count {
      entries.append(
        Entry(waitsFor: dependencies.dependencyCounts[index], rule: ruleIndices[index]))
    }
    ready = ReadyTasks(
      count: graph.count, queueCount: max(queues.count, graph.poolLimits.count + 1),
      queue: { [rules] in rules[ruleIndices[$0]].queue },
      key: { [rules] in
        ReadyTasks.Key(
          priority: rules[ruleIndices[$0]].priority,
          criticalPathLength: criticalPathLengths[$0], index: Int32($0))
      })
    self.graph = dependencies
    room = [workers] + graph.poolLimits
    names = graph.names
    self.entries = entries
    self.rules = rules
    self.criticalPathLengths = criticalPathLengths
    if rules.hasServices {
      services = ServiceUse(dependencies, count: graph.count) { rules[ruleIndices[$0]] }
    }
  }

  /// The critical-path length of each task in nanoseconds.
  ///
  /// A task without an expectation counts as the mean of those with one; if there is none, each task counts as 1.
  private static func criticalPathLengths(
    _ graph: TaskGraph, _ order: [Int32], _ expected: [Duration?]
  ) -> [Int64] {
    let known = expected.compactMap { $0.map { max($0 / .nanoseconds(1), 1) } }
    let mean = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
    var durations = [Double](repeating: mean, count: graph.count)
    if !known.isEmpty {
      for (task, duration) in expected.enumerated() where task < durations.count {
        if let duration { durations[task] = max(duration / .nanoseconds(1), 1) }
      }
    }
    return graph.criticalPathLengths(order: order, durations: durations)
      .map { Int64(min($0, 9e18)) }
  }

  /// Creates an engine without tasks; tasks can be added.
  ///
  /// - Parameters:
  ///   - workers: The maximum number of attempts that run at once; must be at least 1.
  ///   - policy: The reaction to a failure.
  init(workers: Int, policy: FailurePolicy) {
    precondition(workers >= 1, "a run needs at least one worker, not \(workers)")
    self.workers = workers
    workersLeft = workers
    self.policy = policy
    (names, entries, rules, criticalPathLengths) = ([], [], RuleTable(), [])
    ready = ReadyTasks(
      count: 0, queueCount: 1, queue: { _ in 0 },
      key: { ReadyTasks.Key(priority: 0, criticalPathLength: 0, index: Int32($0)) })
    graph = TaskGraph()
    room = [workers]
    queues = []
  }

  /// Whether every task has an outcome, and no more tasks can be added.
  package var isFinished: Bool { ended == entries.count && !isOpen }

  /// The number of tasks, including those that were added to the run.
  package var count: Int { entries.count }

  /// The next time at which `advance(to:)` has something to do, nil if there is none.
  ///
  /// - Complexity: O(1) amortized.
  package var nextDeadline: Duration? {
    mutating get {
      isPaused ? nil : timers.earliest
    }
  }

  /// The time of the run at which a deadline passes.
  func moment(of timer: DeadlineWheel<Timer>.Handle) -> Duration {
    .nanoseconds(Int64(clamping: timers.deadline(of: timer) ?? 0))
  }

  /// The identifier of the task at an index.
  func id(_ index: Int) -> TaskID { TaskID(index, name: names[index]) }

  /// The outcome of a task, nil until it has ended.
  package func outcome(of id: TaskID) -> Outcome? {
    guard entries[id.index].phase == .ended else { return nil }
    return entries[id.index].hasSucceeded ? .succeeded : outcomes[id]
  }

  /// Takes the next command.
  ///
  /// - Returns: The command, nil if there is none.
  /// - Complexity: O(1).
  package mutating func nextCommand() -> Command? {
    if commandsTaken < commands.count {
      defer { commandsTaken += 1 }
      return commands[commandsTaken]
    }
    commands.removeAll(keepingCapacity: true)
    commandsTaken = 0
    return takeStart().map { .start($0, attempt: Int(entries[$0.index].attempt)) }
  }

  /// Returns and removes the events since the last call.
  ///
  /// - Returns: The events, in order.
  package mutating func takeEvents() -> [RunEvent] {
    if events.isEmpty { return [] }
    defer { events = [] }
    return events
  }
}
