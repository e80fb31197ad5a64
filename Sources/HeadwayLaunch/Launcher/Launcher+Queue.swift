// Queues: runs without a graph, to which tasks are added while they go on.

internal import HeadwayLock
internal import HeadwayProgress
public import HeadwayRun

extension Launcher {
  /// A queue for the whole process, which has not started.
  public static let shared = Launcher.makeQueue()

  /// Creates a queue; by default a serial one: tasks run one at a time, in the order in which they are added.
  ///
  /// ```swift
  /// let queue = Launcher.makeQueue(CheckVersion())
  /// queue.setDelegate(self)
  /// try queue.add(ChooseNetwork())
  /// try queue.add(LoadData())
  /// queue.start()
  /// ```
  ///
  /// When a task has succeeded, the next one starts. After a failure the other tasks stay in the queue, and the
  /// delegate decides whether the next one starts or the run ends; without a delegate, call ``proceed()`` or
  /// ``cancel()``. An empty queue waits for more tasks, which start at once, until ``close()`` or ``cancel()``; only
  /// then it has a result.
  ///
  /// For independent jobs of which several run at once, and whose failures concern nobody else:
  ///
  /// ```swift
  /// let jobs = Launcher.makeQueue(workers: 4, policy: .keepGoing)
  /// jobs.start()
  /// for url in urls { try jobs.add(url) { context in try await load(url, context.progress) } }
  /// try await jobs.waitUntilEmpty()
  /// ```
  ///
  /// Tasks of a higher priority start first, then those that were added first.
  ///
  /// The queue keeps the outcome of every task, and the error of each that failed, until it is released. For a program that runs
  /// for months, create a new queue from time to time.
  ///
  /// - Parameters:
  ///   - own: The queue's own task, which is the first one, also after ``removeAll()``; nil for none.
  ///   - settings: The settings of the own task.
  ///   - name: The name of the queue, used if it is a task of another launcher.
  ///   - workers: The number of tasks that may run at once, at least 1.
  ///   - policy: The reaction to the failure of a task that is not optional. With one that ends the run, the queue is closed.
  ///   - options: The other options of the run; their `workers` and `policy` are not used.
  /// - Returns: The queue, which has not begun.
  public static func makeQueue(
    _ own: (any LaunchTask)? = nil, settings: TaskSettings = TaskSettings(),
    name: String = "queue", workers: Int = 1, policy: FailurePolicy = .hold,
    options: LauncherOptions = LauncherOptions()
  ) -> Launcher {
    var options = options
    options.workers = max(workers, 1)
    options.policy = policy
    let launcher = Launcher(queue: name, options: options)
    if let own {
      launcher.guarded.withLock { state in
        state.own = (own.name, settings, own.body, index: 0)
        _ = state.add(own.name, after: [], settings, own.body, at: 0)
      }
      launcher.root.addToTotal(1)
    }
    return launcher
  }

  /// Waits until all tasks that were added so far, and those that are added meanwhile, have ended.
  ///
  /// Returns at once if there are none. It waits for a run that has not begun, or that a failure holds, until someone starts it
  /// or proceeds. Do not call it in a task of the run, which would wait for itself.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled; the run goes on.
  /// - Complexity: O(1) in addition to the tasks.
  public func waitUntilEmpty() async throws(CancellationError) {
    let (ended, continuation) = AsyncStream<Never>.makeStream()
    let number = change { state, _ in state.addEmptyWaiter { continuation.finish() } }
    // Ends with the queue's tasks, or with the cancellation of this one.
    for await _ in ended {}
    guard let number else { return }
    let wasWaiting = guarded.withLock { $0.emptyWaiters.removeValue(forKey: number) != nil }
    if wasWaiting { throw CancellationError() }
  }
}

extension Launcher.State {
  /// Whether every task has ended.
  var isEmpty: Bool { core.ended == core.count }

  /// Adds a function that is called once all tasks have ended.
  ///
  /// - Parameter body: The function; it must not call the launcher.
  /// - Returns: The number under which it waits; nil if it was called because there is nothing to wait for.
  mutating func addEmptyWaiter(_ body: @escaping @Sendable () -> Void) -> Int? {
    guard !isEmpty else {
      body()
      return nil
    }
    lastEmptyWaiter += 1
    emptyWaiters[lastEmptyWaiter] = body
    return lastEmptyWaiter
  }
}

extension Launcher: LaunchTask {
  /// ``run(_:)``, whose failure is final, because another attempt could not run the launcher again.
  public var body: TaskBody {
    .asynchronous { context in
      do {
        try await self.run(context)
      } catch let failure as LaunchFailure {
        throw NonRetryable(failure)
      }
    }
  }

  /// Runs the launcher as a task of another one: its progress is part of the task's, and it is cancelled with the task.
  ///
  /// It is paused and resumed with the other run. A queue is closed: it ends when all its tasks have ended. If the
  /// other run ends before this task starts, the launcher never begins: call ``cancel()`` if something waits for its
  /// result or events.
  ///
  /// A launcher runs only once, so a task that is a launcher is not retried. To retry a whole run, create its launcher in the body
  /// of a task, and call this function there.
  ///
  /// - Parameter context: The context of the task in the other run.
  /// - Throws: `CancellationError` if the other run cancelled it; ``LaunchFailure`` if a required task failed, its own
  ///   deadline passed, or it was cancelled by itself.
  public func run(_ context: LaunchContext) async throws {
    let node = context.progress
    if node.total == nil {
      node.total = 1
      // A launcher that was started on its own, or is a task in two places, is not part of the task's progress.
      try? node.add(root, units: 1)
    }
    let outer = context.launcher
    outer.adopt(self)
    defer { outer.letGo(of: self) }
    start()
    close()
    let result = await withTaskCancellationHandler {
      await self.result
    } onCancel: {
      cancel()
    }
    if result.isSuccess { return }
    if context.isCancelled { throw CancellationError() }
    throw LaunchFailure(result: result)
  }

  /// Lets another launcher, which is a task of this one, follow its pauses and leave signals to it.
  private func adopt(_ inner: Launcher) {
    inner.guarded.withLock { $0.outer.append(self) }
    let isPaused = guarded.withLock { state in
      state.inner.append(inner)
      return state.isPaused
    }
    if isPaused { pauseTree() }
  }

  /// Removes another launcher that was a task of this one.
  private func letGo(of inner: Launcher) {
    inner.guarded.withLock { state in
      if let index = state.outer.firstIndex(where: { $0 === self }) {
        state.outer.remove(at: index)
      }
    }
    guarded.withLock { state in
      if let index = state.inner.firstIndex(where: { $0 === inner }) {
        state.inner.remove(at: index)
      }
    }
  }
}
