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
///   waiting ─▶ ready ─▶ handed out ─▶ running ─▶ settling ─▶ ended
///      │                    ▲  │         │          ▲
///      ▼                    │  └──┐      ▼          │ (left processes behind, ran out of time, was cancelled)
///    ended (skipped)     backing off ◀─ ending ─▶ killing
/// ```
///
/// `settling` is a success that the shell still has to write down: no time-out and no cancel reaches it any more.
///
/// Tasks that are ready start in the order of the graph, as many as workers and pools allow. Not thread safe.
/// Complexity of a whole run: O((tasks + edges) · log tasks); memory: one entry for each task and edge.
public struct LaunchCore: ~Copyable, Sendable {
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
  enum Phase: Sendable {
    case waiting, ready, handedOut, running, ending, killing, settling, backingOff, ended
  }

  /// Why an attempt is being ended.
  enum Cause: Sendable {
    /// It is not, or only what it left behind.
    case none
    /// It ran longer than allowed.
    case timeout
    /// The run ends.
    case cancel
  }

  /// What a deadline is for.
  enum Timer: Sendable {
    case timeout(TaskID)
    case grace(TaskID)
    case retry(TaskID)
  }

  /// What is kept of each task.
  struct Entry: Sendable {
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
    var timer: DeadlineWheel<Timer>.Handle?
  }

  /// The graph that is run.
  public let graph: LaunchGraph
  /// The number of attempts that may be under way at once.
  public let workers: Int
  /// What a failure means for the rest.
  public let policy: FailurePolicy

  /// The tasks, by place.
  var entries: [Entry]
  /// Where each task's dependents begin in `dependents`, with one more entry at the end.
  let dependentsStart: [Int32]
  /// The tasks that wait for each task, one after another.
  let dependents: [Int32]
  /// The tasks that may start now, by pool: those without a pool first.
  var ready: [ReadyQueue]
  /// The free places of each pool; as many as workers for those without a pool.
  var room: [Int]
  /// The attempts that hold a worker.
  var busy = 0
  /// The tasks that are over.
  var ended = 0
  /// The results and outcomes that wait: of attempts whose leftovers are being ended, and of retries.
  var pendingResults: [TaskID: AttemptResult] = [:]
  /// How the last attempt of a task that backs off ended.
  var lastOutcomes: [TaskID: Outcome] = [:]
  /// Why the run ends early.
  var endReason: LaunchEvent.EndReason?
  /// The deadlines of attempts, graces and retries.
  var timers = DeadlineWheel<Timer>()
  /// The commands that the shell has not taken, in order from `commandsTaken`.
  var commands: [Command] = []
  /// How many of `commands` the shell has taken.
  var commandsTaken = 0
  /// The events that the shell has not taken.
  var events: [LaunchEvent] = []

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
  /// - Complexity: O(1) amortized.
  public var nextDeadline: Duration? { mutating get { timers.earliest } }

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
