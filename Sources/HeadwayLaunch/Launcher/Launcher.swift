internal import HeadwayCollections
internal import HeadwayLock
public import HeadwayProgress
public import HeadwayRun
internal import HeadwayTime

/// Runs a graph of tasks once, inside a program.
///
/// ```swift
/// var graph = LaunchGraph()
/// let network = graph.add("choose network") { context in try await chooseNetwork(context) }
/// graph.add("load data", after: [network], settings: TaskSettings(timeout: .seconds(10))) { context in
///   try await load(context.progress)
/// }
/// let result = try await Launcher(graph).run()
/// ```
///
/// A task starts when all that it waits for has succeeded and a worker is free. Whatever happens, each task gets
/// exactly one outcome, and the run one result. While it runs, tasks may be added and removed, and the whole may be
/// paused, resumed and cancelled, from any thread and from inside tasks.
///
/// **Thread safety.** All members, from any thread.
///
/// **Life.** A launcher lives as long as one of its tasks runs or waits for its next attempt, whoever holds it. What a
/// task throws is kept in the result.
///
/// **Cost.** One short lock for each task that ends, which also takes the next one; nothing is written down for
/// listeners while nobody listens.
public final class Launcher: Sendable {
  /// What is guarded by the lock.
  struct State: ~Copyable, Sendable {
    /// The engine.
    var core: LaunchCore
    /// What the tasks do, by index; as long as `core.count`.
    var bodies: [TaskBody]
    /// The attempts under way, by index.
    var running: [RunningTask?]
    /// The attempts among them that wait for a slot.
    var waiting = WaitingAttempts()
    /// Whether a slot was started that has not taken an attempt yet.
    var isSlotStarting = false
    /// What failed tasks have thrown.
    var errors: [Int: any Error] = [:]
    /// When it began, in nanoseconds of the timers; later by as long as it was paused.
    var begin: UInt64 = 0
    /// The latest time that was told to the engine, in nanoseconds since the begin.
    var latest: Int64 = 0
    /// Whether the time stands still, and the tree is to be paused.
    var isPaused = false
    /// The launchers that run as tasks of this one.
    var inner: [Launcher] = []
    /// What is to be let go of outside the lock.
    var discarded = Discarded()
    /// How long it took, once it has ended.
    var end: Int64?
    /// The timer for the next deadline.
    var timer: TimerService.Handle?
    /// What that timer is set to, in nanoseconds since the begin; the largest while it is not set.
    var timerLine = UInt64.max
    /// The latest task of each name, once somebody has asked for one.
    var nameTable: NameTable?
    /// The task that a queue begins with, whatever is removed.
    var own: (name: String, rule: TaskRule, body: TaskBody)?
    /// What tells the delegate.
    var reporter: DelegateReporter?
    /// Those who listen.
    var listeners = Listeners()
    /// Those who wait for the result.
    var waiters: [CheckedContinuation<LaunchResult, Never>] = []
  }

  /// The name of the run, for when it is a task of another one.
  public let name: String
  /// How the graph is run.
  let options: LauncherOptions
  /// The root of the run's progress: a unit for each task.
  let root: ProgressNode
  /// The state.
  let guarded: Guarded<State>
  /// Makes threads of short tasks back off from the lock of `guarded` while another holds it.
  let lockBackoff = SpinBackoff()

  /// Creates a launcher that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks.
  ///   - name: The name of the run, for when it is itself a task of another one.
  ///   - options: How the tasks are run.
  /// - Throws: `GraphError` when the graph cannot be run.
  /// - Complexity: O(tasks + edges).
  public init(
    _ graph: LaunchGraph, name: String = "launch", options: LauncherOptions = LauncherOptions()
  ) throws(GraphError) {
    self.name = name
    let graph = try graph.resolved()
    var core = try LaunchCore(
      graph: graph, workers: max(options.workers, 1), policy: options.policy,
      expected: options.expected)
    Self.setUp(&core, options)
    self.options = options
    root = ProgressNode(name, total: graph.count == 0 ? nil : graph.count)
    guarded = Guarded(
      State(
        core: core, bodies: graph.allBodies,
        running: Array(repeating: nil, count: graph.count)))
    if options.expected.contains(where: { $0 != nil }) {
      root.onRead { [weak self] in self?.moveByClock() }
    }
  }

  /// Moves the nodes of running tasks that report nothing, for those who look at the tree.
  private func moveByClock() {
    let expected = options.expected
    let parts = guarded.withLock { state -> [(RunningTask, Double)] in
      let now = now(&state)
      return state.running.prefix(expected.count).compactMap { running in
        guard let running, let duration = expected[running.index], duration > .zero else {
          return nil
        }
        let begin = state.core.entries[running.index].latestStart
        return (running, Duration.nanoseconds(now - begin) / duration)
      }
    }
    for (running, part) in parts { running.moveByClock(to: part) }
  }

  /// Tells an engine what does not depend on its tasks.
  private static func setUp(_ core: inout LaunchCore, _ options: LauncherOptions) {
    core.isListening = false
    core.runLimit = options.deadline
    core.random = SplitMix64(seed: options.seed ?? UInt64.random(in: 0 ... .max))
  }

  /// Creates a queue without tasks.
  init(queue name: String, options: LauncherOptions) {
    self.name = name
    self.options = options
    var core = LaunchCore(workers: options.workers, policy: options.policy)
    core.isOpen = true
    Self.setUp(&core, options)
    root = ProgressNode(name)
    guarded = Guarded(State(core: core, bodies: [], running: []))
  }

  /// The progress of the run: a unit for each task, and a node for each task that reports.
  ///
  /// Its `feed(every:)` gives pictures of it for a screen, and ends with the run.
  public var progress: ProgressNode { root }

  /// Begins the run and waits for its end.
  ///
  /// The run is cancelled when the calling task is.
  ///
  /// - Returns: How each task ended.
  /// - Complexity: O(1) beside the tasks.
  public func run() async -> LaunchResult {
    start()
    return await withTaskCancellationHandler {
      await result
    } onCancel: {
      cancel()
    }
  }

  /// Begins the run; only the first call does anything.
  ///
  /// - Complexity: O(tasks).
  public func start() {
    change { state, _ in begin(&state) }
  }

  /// Begins the run, under the lock; only the first call does anything.
  func begin(_ state: inout State) {
    guard !state.core.hasBegun else { return }
    state.begin = options.timers.nanoseconds
    state.core.begin(at: .zero)
  }

  /// How each task ended; waits for the end of the run.
  public var result: LaunchResult {
    get async {
      await withCheckedContinuation { continuation in
        let result = guarded.withLock { state -> LaunchResult? in
          if let end = state.end { return LaunchResult(of: state, end: end) }
          state.waiters.append(continuation)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  /// How the run stands.
  ///
  /// - Complexity: O(tasks).
  public var state: RunState {
    guarded.withLock { state in
      let now = state.end ?? now(&state)
      return RunState(of: state.core, at: now)
    }
  }

  /// Everything that happens from now on, in order; any number of listeners may ask for it.
  ///
  /// ```swift
  /// for await event in launcher.events() {
  ///   print(event)
  /// }
  /// ```
  ///
  /// The run never waits for a listener. One that falls further behind than `limit` loses the events that it has not
  /// taken, and gets one `RunEvent.Kind.missed` instead, with the number of lost events and the state of the run after
  /// them. The sequence ends after `RunEvent.Kind.runEnded`, and when the iterating task is cancelled. Safe from any
  /// thread; iterated by one task at a time.
  ///
  /// - Parameters:
  ///   - limit: The most events that are kept for a listener who has not taken them, at least 1.
  ///   - beginsWithState: Whether the first event is a `RunEvent.Kind.missed` of none, with the state of
  ///     the run at that moment: for those who may begin to listen late.
  /// - Returns: The events, for one listener; call again for another.
  /// - Complexity: O(1). Each event costs O(listeners); nothing while nobody listens.
  public func events(
    keeping limit: Int = 10_000, beginningWithState beginsWithState: Bool = false
  ) -> some AsyncSequence<RunEvent, Never> & Sendable {
    RunEvents(self, limit: limit, beginsWithState: beginsWithState)
  }

  /// What came of the run, nil while it has not ended.
  var resultIfEnded: LaunchResult? {
    guarded.withLock { state in state.end.map { LaunchResult(of: state, end: $0) } }
  }

  /// What a task threw in its last attempt.
  func error(of task: TaskID) -> (any Error)? { guarded.withLock { $0.errors[task.index] } }

  /// Ends the run: what has not started never will, and what runs is cancelled.
  ///
  /// Tasks that always run still do. A second call ends those as well, at once.
  public func cancel() {
    change { state, now in
      let isSecond = state.core.endReason?.isRequest ?? false
      // Those that always run do so even in a run that is cancelled before it begins.
      begin(&state)
      state.core.end(because: isSecond ? .cancelledImmediately : .cancelled, at: now)
    }
  }

  /// Starts no further task, pauses the tree of progress, and lets the time of the run stand still.
  ///
  /// Neither deadlines nor the pauses before retries go on, and what is told of times counts none of it. A body that
  /// runs goes on until it looks: ``LaunchContext/checkpoint()`` waits for the end of the pause.
  ///
  /// - Returns: Whether the run went on before.
  @discardableResult
  public func pause() -> Bool {
    change { state, now in state.core.pause(at: now) }
  }

  /// Goes on after a pause.
  ///
  /// - Returns: Whether the run was paused.
  @discardableResult
  public func resume() -> Bool {
    change { state, now in state.core.resume(at: now) }
  }

  /// The name of a task.
  func name(_ index: Int) -> String { guarded.withLock { $0.core.names[index] } }

  /// Gives a running task more time.
  func extend(_ index: Int, attempt: Int, by duration: Duration) -> Bool {
    change { state, now in
      guard let running = state.running[index], Int(running.attempt) == attempt else {
        return false
      }
      return state.core.extend(index, by: duration, at: now)
    }
  }
}
