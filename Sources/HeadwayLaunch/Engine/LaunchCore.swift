internal import HeadwayCollections
package import HeadwayRun
internal import HeadwayTime

/// The engine that runs a graph of tasks: what may start, what must end, and how each task ended.
///
/// A pure value. It knows no clock, no process and no thread: whoever holds it passes the time in, carries out
/// the commands that it answers with, and tells it what came of them. The same calls give the same commands
/// and events, whatever the machine does.
///
/// ```
///            begin, attemptBegan, attemptEnded, advance, pause, add, remove, end
///   shell ──────────────────────────────────────────────────────────────────────▶ core
///         ◀──────────────────────────────────────────────────────────────────────
///            nextCommand: start, terminate, kill; takeEvents
/// ```
///
/// A task goes through these phases; every arrow is one event or one command:
///
/// ```
///   waiting ─▶ ready ─▶ handed out ─▶ running ─▶ settling ─▶ ended
///      │                    ▲  │         │          ▲
///      ▼                    │  └──┐      ▼          │ (left something behind, ran out of time, was cancelled)
///    ended (skipped)     backing off ◀─ ending ─▶ killing
/// ```
///
/// The time that is passed in is that of the run: it stands still while the run is paused. `settling` is a success that
/// the shell still has to write down: no time-out and no cancel reaches it any more.
///
/// Of the tasks that are ready, those with the highest priority start first, then those with the longest way to the
/// end of the graph behind them, then those that were added first, as many as workers and pools allow. Not thread
/// safe.
/// Complexity of a whole run: O(tasks + edges), where expectations are given O((tasks + edges) · log tasks).
package struct LaunchCore: ~Copyable, Sendable {
  /// What the shell must do next.
  package enum Command: Hashable, Sendable {
    /// Start an attempt, and answer with `attemptBegan` and `attemptEnded`, or only the latter.
    case start(TaskID, attempt: Int)
    /// Ask the attempt to end.
    case terminate(TaskID)
    /// End the attempt by force.
    case kill(TaskID)
  }

  /// How urgently a run is to end.
  package enum Urgency: Hashable, Sendable {
    /// Tasks that run are asked to end, and those that always run still do.
    case graceful
    /// Everything is ended by force.
    case immediate
  }

  /// Where a task stands.
  enum Phase: UInt8, Sendable {
    case waiting, ready, handedOut, running, ending, killing, settling, backingOff, ended
  }

  /// Why an attempt is being ended.
  enum Cause: UInt8, Sendable {
    /// It is not, or only what it left behind.
    case none
    /// It ran longer than allowed.
    case timeout
    /// The run ends, or the task was removed.
    case cancel
  }

  /// What a deadline is for.
  struct Timer: Sendable {
    /// The kinds of deadlines.
    enum Kind: UInt8, Sendable {
      case timeout, grace, retry, run
    }

    /// The task; none for the run.
    var index: Int32
    /// What it is for.
    var kind: Kind
  }

  /// What is kept of each task.
  struct Entry: Sendable {
    /// The number of tasks before it that have not ended.
    var waitsFor: Int32 = 0
    /// The attempts handed out so far.
    var attempt: Int32 = 0
    /// How it is treated, by index in `rules`.
    var rule: Int32 = 0
    /// Where it stands.
    var phase: Phase = .waiting
    /// Why its attempt is being ended.
    var cause: Cause = .none
    /// Whether an attempt has begun, so that `firstStart` holds.
    var hasBegun = false
    /// Whether it succeeded, so that nothing more is known about its end.
    var hasSucceeded = false
    /// The one deadline that it can have at a time, `none` while it has none.
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
  /// The number of attempts that may be under way at once.
  package let workers: Int
  /// What a failure means for the rest.
  package let policy: FailurePolicy
  /// Whether events are told; what is not told is not made.
  package var isListening = true

  /// The tasks, by index.
  var entries: [Entry]
  /// How tasks are treated.
  var rules: [TaskRule]
  /// Which tasks wait for which, those among them that were added to the run.
  var graph: TaskGraph
  /// The expected time from the start of each task to the end of all that waits for it.
  var criticalPathLengths: [Int64]
  /// The tasks that may start now.
  var ready: ReadyTasks
  /// The free places of each pool; as many as workers for those without a pool.
  var room: [Int]
  /// The attempts that hold a worker.
  var busy = 0
  /// The tasks that are over.
  var ended = 0
  /// How tasks ended that did not succeed.
  var outcomes: [TaskID: Outcome] = [:]
  /// The results that wait, of attempts whose leftovers are being ended or whose success is written down.
  var pendingResults: [TaskID: Outcome] = [:]
  /// How the last attempt of a task that backs off ended.
  var lastOutcomes: [TaskID: Outcome] = [:]
  /// Whether the run goes on when all its tasks are over, because more may be added.
  package var isOpen = false
  /// Whether nothing is started until somebody says that the run goes on.
  package var isHeld: Bool { heldBy != nil }
  /// The task whose failure holds the run, nil while none does.
  var heldBy: TaskID?
  /// Whether nothing is started and the time stands still.
  package var isPaused = false
  /// The time that the whole run may take, for the event that it has passed.
  var runLimit: Duration?
  /// When the run ended, in nanoseconds; nil while it has not.
  var overSince: Int64?
  /// Why the run ends early.
  var endReason: RunEvent.EndReason?
  /// The deadlines of attempts, graces and retries.
  var timers = DeadlineWheel<Timer>()
  /// The tasks that have ended without an attempt under way, since the shell has last asked.
  var endedAside = 0
  /// Whether several changes are made together, at the end of which is told whether the run is over.
  var isChanging = false
  /// Whether `begin` was called.
  var hasBegun = false
  /// What the pauses between attempts are drawn from; the same seed gives the same run.
  var random = SplitMix64(seed: 0x9E37_79B9_7F4A_7C15)
  /// A moment that no deadline comes before, in nanoseconds; the largest while there is none.
  var earliestArmed = UInt64.max
  /// The commands that the shell has not taken, in order from `commandsTaken`.
  var commands: [Command] = []
  /// How many of `commands` the shell has taken.
  var commandsTaken = 0
  /// The events that the shell has not taken.
  var events: [RunEvent] = []

  /// Creates an engine for a graph.
  ///
  /// - Parameters:
  ///   - graph: The tasks and their order.
  ///   - workers: The number of attempts that may be under way at once; must be at least 1.
  ///   - policy: What a failure means for the rest.
  ///   - expected: How long each task is expected to take, by index; equally long where nothing is known.
  /// - Throws: `GraphError.cycle` when tasks wait for each other in a circle.
  /// - Complexity: O(tasks + edges).
  package init(
    graph: borrowing LaunchGraph, workers: Int, policy: FailurePolicy, expected: [Duration?] = []
  ) throws(GraphError) {
    precondition(workers >= 1, "a run needs one worker at least, not \(workers)")
    self.workers = workers
    self.policy = policy
    let dependencies = TaskGraph(taskCount: graph.count, edges: graph.edges)
    let order = dependencies.topologicalOrder()
    if order.count < graph.count { throw graph.cycleError(dependencies) }
    let rules = graph.rules
    let criticalPathLengths = Self.criticalPathLengths(dependencies, order, expected)
    let ruleIndices = graph.ruleIndices
    var entries: [Entry] = []
    entries.reserveCapacity(graph.count)
    for index in 0..<graph.count {
      entries.append(
        Entry(waitsFor: dependencies.dependencyCounts[index], rule: ruleIndices[index]))
    }
    ready = ReadyTasks(
      count: graph.count, poolCount: graph.poolLimits.count + 1,
      pool: { rules[Int(ruleIndices[$0])].poolIndex },
      key: {
        ReadyTasks.Key(
          priority: rules[Int(ruleIndices[$0])].priority,
          criticalPathLength: criticalPathLengths[$0], index: Int32($0))
      })
    self.graph = dependencies
    room = [workers] + graph.poolLimits
    names = graph.names
    self.entries = entries
    self.rules = rules
    self.criticalPathLengths = criticalPathLengths
  }

  /// The expected time in nanoseconds from the start of each task to the end of all that waits for it.
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

  /// Creates an engine without tasks, to which some may be added.
  ///
  /// - Parameters:
  ///   - workers: The number of attempts that may be under way at once; must be at least 1.
  ///   - policy: What a failure means for the rest.
  init(workers: Int, policy: FailurePolicy) {
    precondition(workers >= 1, "a run needs one worker at least, not \(workers)")
    self.workers = workers
    self.policy = policy
    (names, entries, rules, criticalPathLengths) = ([], [], [], [])
    ready = ReadyTasks(
      count: 0, poolCount: 1, pool: { _ in 0 },
      key: { ReadyTasks.Key(priority: 0, criticalPathLength: 0, index: Int32($0)) })
    graph = TaskGraph()
    room = [workers]
  }

  /// Whether every task has an outcome, and no more can come.
  package var isFinished: Bool { ended == entries.count && !isOpen }

  /// The number of tasks, those among them that were added to the run.
  package var count: Int { entries.count }

  /// The moment at which `advance(to:)` has something to do, nil while there is none.
  ///
  /// - Complexity: O(1) amortized.
  package var nextDeadline: Duration? {
    mutating get {
      isPaused ? nil : timers.earliest
    }
  }

  /// The moment on the time line of the run at which a deadline passes.
  func moment(of timer: DeadlineWheel<Timer>.Handle) -> Duration {
    .nanoseconds(Int64(clamping: timers.deadline(of: timer) ?? 0))
  }

  /// Names the task at an index.
  func id(_ index: Int) -> TaskID { TaskID(index, name: names[index]) }

  /// How a task ended, nil while it has not.
  package func outcome(of id: TaskID) -> Outcome? {
    guard entries[id.index].phase == .ended else { return nil }
    return entries[id.index].hasSucceeded ? .succeeded : outcomes[id]
  }

  /// Takes the next command.
  ///
  /// - Returns: What to do next, nil when there is nothing.
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

  /// Takes what has happened since the last call.
  ///
  /// - Returns: The events, in order.
  package mutating func takeEvents() -> [RunEvent] {
    if events.isEmpty { return [] }
    defer { events = [] }
    return events
  }
}
