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
/// A task starts when all its dependencies have succeeded, or are optional and have failed, and a worker is free. Each
/// task gets exactly one outcome, and the run one result. During the run, tasks can be added and removed, and the run can
/// be paused, resumed and cancelled, from any thread and from inside tasks.
///
/// **Thread safety.** All members can be used from any thread.
///
/// **Lifetime.** A launcher lives as long as one of its tasks runs or waits for its next attempt, even if it is
/// released elsewhere. The errors that tasks throw are kept in the result.
///
/// **Cost.** A task's end takes one short lock, under which the next task is also taken. Events are created only while
/// there are listeners.
public final class Launcher: Sendable {
  /// The state that the lock protects.
  struct State: ~Copyable, Sendable {
    var core: LaunchCore
    /// The bodies of the tasks, by index; as many as `core.count`.
    var bodies: [TaskBody]
    /// The running attempts, by index.
    var running: [RunningTask?]
    /// The attempts among them that wait for a task slot.
    var waiting = WaitingAttempts()
    /// Whether a slot was started that has not taken an attempt yet.
    var isSlotStarting = false
    /// The number of attempts that have ended and whose spans have not; the run has no result before they have.
    var openSpans = 0
    /// The errors of failed tasks.
    var errors: [Int: AttemptFailure] = [:]
    /// When the run began, in nanoseconds of the timers, plus its pauses.
    var begin: UInt64 = 0
    /// The latest time that was passed to the engine, in nanoseconds since the beginning.
    var latest: Int64 = 0
    /// Whether the clock of the run is stopped, and the progress tree should be paused.
    var isPaused = false
    /// The launchers that run as tasks of this one.
    var inner: [Launcher] = []
    /// The launchers that this one runs as a task of.
    var outer: [Launcher] = []
    /// The signals that have asked for the end of the run.
    var signals = CancellationSignals()
    /// Whether the run has begun and signals are not watched yet.
    var isWatchDue = false
    /// Whether ``Launcher/cancel()`` was called.
    var wasCancelled = false
    /// Whether the run was cancelled because its progress was, which is not a call of ``Launcher/cancel()``.
    var followsProgress = false
    /// What must be released outside the lock.
    var discarded = Discarded()
    /// The duration of the run, once it has ended.
    var end: Int64?
    /// The timer for the next deadline.
    var timer: TimerService.Handle?
    /// The time to which that timer is set, in nanoseconds since the beginning; the largest value if it is not set.
    var timerTime = UInt64.max
    /// The latest task of each name, once it was needed.
    var nameTable: NameTable?
    /// The queue's own task, which is its first one even after `removeAll()`, with the index of its latest run.
    var own: (name: String, settings: TaskSettings, body: TaskBody, index: Int)?
    /// Notifies the delegate.
    var reporter: DelegateReporter?
    var listeners = Listeners()
    /// Called with the result, for those who wait for it.
    var waiters: [@Sendable (LaunchResult) -> Void] = []
    /// Called once all tasks have ended, for those who wait for that, by number.
    var emptyWaiters: [Int: @Sendable () -> Void] = [:]
    /// The latest number among these.
    var lastEmptyWaiter = 0
  }

  /// The name of the run, used if it is a task of another run.
  public let name: String
  let options: LauncherOptions
  /// Whether there is a tracer.
  let isTraced: Bool
  /// The root of the run's progress tree, with one unit for each task.
  let root: ProgressNode
  let guarded: Guarded<State>
  /// What the tasks have returned, nil if none returns anything.
  let outputs: TaskOutputs?
  /// Makes threads of short tasks back off while another one holds the lock of `guarded`.
  let lockBackoff = SpinBackoff()

  /// Creates a launcher for a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks.
  ///   - name: The name of the run, used if it is a task of another run.
  ///   - options: The options of the run.
  /// - Throws: `GraphError` if the graph cannot be run.
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
    isTraced = options.tracer != nil
    root = ProgressNode(name, total: graph.count == 0 ? nil : graph.count)
    outputs = graph.hasOutputs ? TaskOutputs(count: graph.count) : nil
    guarded = Guarded(
      State(
        core: core, bodies: graph.allBodies,
        running: Array(repeating: nil, count: graph.count)))
    root.onCancel { [weak self] in self?.followCancel() }
    if options.expected.contains(where: { $0 != nil }) {
      root.onRead { [weak self] in self?.moveByClock() }
    }
  }

  /// Moves the nodes of running tasks that do not report, when the tree is read.
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

  /// Sets the options of an engine that do not depend on its tasks.
  private static func setUp(_ core: inout LaunchCore, _ options: LauncherOptions) {
    core.isListening = false
    core.runLimit = options.deadline
    core.random = SplitMix64(seed: options.seed ?? UInt64.random(in: 0 ... .max))
  }

  // A queue without tasks may be released before it ends.
  deinit { unwatchSignals() }

  init(queue name: String, options: LauncherOptions) {
    self.name = name
    self.options = options
    isTraced = options.tracer != nil
    var core = LaunchCore(workers: options.workers, policy: options.policy)
    core.isOpen = true
    Self.setUp(&core, options)
    root = ProgressNode(name)
    outputs = nil
    guarded = Guarded(State(core: core, bodies: [], running: []))
    root.onCancel { [weak self] in self?.followCancel() }
  }

  /// The progress of the run, with one unit for each task and a node for each task that reports.
  ///
  /// Its `feed(every:)` delivers snapshots for a screen, and ends with the run. Cancelling it, also from another process that
  /// sees it, cancels the run as ``cancel()`` does. The launcher counts the tasks and finishes the node: do neither yourself.
  public var progress: ProgressNode { root }

  /// Starts the run and waits for its end.
  ///
  /// Cancelling the calling task cancels the run, and so do the signals of ``LauncherOptions/cancellationSignals``.
  ///
  /// - Returns: The outcomes of all tasks.
  /// - Complexity: O(1) in addition to the tasks.
  public func run() async -> LaunchResult {
    start()
    return await withTaskCancellationHandler {
      await result
    } onCancel: {
      cancel()
    }
  }

  /// Starts the run; further calls have no effect.
  ///
  /// - Complexity: O(tasks).
  public func start() {
    change { state, _ in begin(&state) }
  }

  /// Starts the run, under the lock; further calls have no effect.
  func begin(_ state: inout State) {
    guard !state.core.hasBegun else { return }
    state.begin = options.timers.nanoseconds
    state.core.begin(at: .zero)
    state.isWatchDue = !options.cancellationSignals.isEmpty
  }

  /// Starts the run and blocks the calling thread until its end, for programs without an asynchronous `main`.
  ///
  /// Tasks on the main actor wait for the main thread, so do not call it there if there are any. Do not call it from
  /// asynchronous code either, whose threads the tasks of the run may need: see ``run()``.
  ///
  /// - Returns: The outcomes of all tasks.
  /// - Complexity: O(1) in addition to the tasks.
  @available(*, noasync, message: "use run()")
  public func runBlocking() -> LaunchResult {
    start()
    let received = Guarded<LaunchResult?>(nil)
    let end = Semaphore()
    whenEnded { result in
      received.withLock { $0 = result }
      end.post()
    }
    end.wait()
    guard let result = received.withLock({ $0 }) else { preconditionFailure("no result") }
    return result
  }

  /// The outcomes of all tasks; waits for the end of the run.
  public var result: LaunchResult {
    get async {
      await withCheckedContinuation { continuation in
        whenEnded { continuation.resume(returning: $0) }
      }
    }
  }

  /// Calls a function with the result once the run has ended, at once if it has.
  private func whenEnded(_ body: @escaping @Sendable (LaunchResult) -> Void) {
    let result = guarded.withLock { state -> LaunchResult? in
      if let end = state.end { return LaunchResult(of: state, end: end, outputs) }
      state.waiters.append(body)
      return nil
    }
    guard let result else { return }
    completeEnd()
    body(result)
  }

  /// The current state of the run.
  ///
  /// - Complexity: O(tasks).
  public var state: RunState {
    guarded.withLock { state in
      let now = state.end ?? now(&state)
      return RunState(of: state.core, at: now)
    }
  }

  /// The events of the run from now on, in order, for any number of listeners.
  ///
  /// ```swift
  /// for await event in launcher.events() {
  ///   print(event)
  /// }
  /// ```
  ///
  /// The run does not wait for listeners: events that a listener has not received are kept, up to `limit`. Beyond it
  /// they are discarded, and the listener receives one `RunEvent.Kind.missed` instead, with their number and the state
  /// of the run after them. The sequence ends after `RunEvent.Kind.runEnded`, and when the iterating task is cancelled.
  /// It can be used from any thread, but iterated by only one task at a time.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of events that are kept for a listener that has not received them yet, at least 1.
  ///   - beginsWithState: Whether the first event is a `RunEvent.Kind.missed` with no missed events and the current
  ///     state of the run, for listeners that may start late.
  /// - Returns: The events for one listener; call again for another listener.
  /// - Complexity: O(1). Each event costs O(listeners), and nothing if there are none.
  public func events(
    keeping limit: Int = 10_000, beginningWithState beginsWithState: Bool = false
  ) -> some AsyncSequence<RunEvent, Never> & Sendable {
    RunEvents(self, limit: limit, beginsWithState: beginsWithState)
  }

  /// The result of the run, nil until it has ended.
  var resultIfEnded: LaunchResult? {
    let result = guarded.withLock { state in
      state.end.map { LaunchResult(of: state, end: $0, outputs) }
    }
    if result != nil { completeEnd() }
    return result
  }

  /// Restores the handlers of signals and finishes the progress, before anybody gets the result.
  ///
  /// The thread that has ended the run may not have come that far when another one asks for the result, so both call it; a second
  /// call does nothing.
  func completeEnd() {
    unwatchSignals()
    root.finish()
  }

  /// The error of a task's last attempt.
  func error(of task: TaskID) -> (any Error)? { guarded.withLock { $0.errors[task.index]?.error } }

  /// Cancels the run: tasks that have not started are not started, and running tasks are cancelled.
  ///
  /// Tasks that always run still do. A second call ends these too, immediately. After a signal or a cancel of ``progress`` has
  /// cancelled the run, the first call has no effect, because both ask for the same.
  public func cancel() {
    change { state, now in
      let isSecond =
        state.wasCancelled
        || !state.followsProgress && state.signals.first == nil
          && state.core.endReason?.isRequest ?? false
      state.wasCancelled = true
      // Tasks that always run do so even if the run is cancelled before it begins.
      begin(&state)
      state.core.end(because: isSecond ? .cancelledImmediately : .cancelled, at: now)
    }
  }

  /// Cancels the run because its progress was cancelled.
  private func followCancel() {
    change { state, now in
      begin(&state)
      state.followCancel(at: now)
    }
  }

  /// Pauses the run: no further task starts, its progress tree is paused, and its clock stops.
  ///
  /// Deadlines do not pass, and delays before retries do not continue. Times in events and results do not include the
  /// pause. A running function continues until it calls ``LaunchContext/checkpoint()``, which waits for the end of the
  /// pause.
  ///
  /// - Returns: Whether the run went on before.
  @discardableResult
  public func pause() -> Bool {
    change { state, now in state.core.pause(at: now) }
  }

  /// Resumes a paused run.
  ///
  /// - Returns: Whether the run was paused.
  @discardableResult
  public func resume() -> Bool {
    change { state, now in state.core.resume(at: now) }
  }

  func name(_ index: Int) -> String { guarded.withLock { $0.core.names[index] } }

  /// Extends the deadline of a running task.
  func extend(_ index: Int, attempt: Int, by duration: Duration) -> Bool {
    change { state, now in
      guard let running = state.running[index], Int(running.attempt) == attempt else {
        return false
      }
      return state.core.extend(index, by: duration, at: now)
    }
  }
}
