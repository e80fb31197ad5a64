// The serial queue: tasks one after the other, in the order in which they were added.

internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRun

extension Launcher {
  /// A queue for the whole process, which has not begun.
  public static let shared = Launcher.makeQueue()

  /// Creates a serial queue: tasks run one at a time, in the order in which they are added.
  ///
  /// ```swift
  /// let queue = Launcher.makeQueue(CheckVersion())
  /// queue.setDelegate(self, on: MainActor.shared)
  /// try queue.add(ChooseNetwork())
  /// try queue.add(LoadData())
  /// queue.start()
  /// ```
  ///
  /// A success starts the next task. After a failure the rest stays queued, and the delegate decides whether the next
  /// one starts or the run ends; without one ``proceed()`` and ``cancel()`` do. A queue whose tasks have all ended
  /// waits for more, which start at once, until ``close()`` or ``cancel()``; only then it has a result.
  ///
  /// - Parameters:
  ///   - own: The queue's own task, which is the first, also after ``removeAll()``; nil for none.
  ///   - settings: How the own task is treated.
  ///   - name: The name of the queue, for when it is itself a task of another launcher.
  ///   - options: How it is run; there is one worker, and a failure holds the run.
  /// - Returns: The queue, which has not begun.
  public static func makeQueue(
    _ own: (any LaunchTask)? = nil, settings: TaskSettings = TaskSettings(),
    name: String = "queue", options: LauncherOptions = LauncherOptions()
  ) -> Launcher {
    var options = options
    options.workers = 1
    options.policy = .hold
    let launcher = Launcher(queue: name, options: options)
    if let own {
      let rule = TaskRule(settings)
      launcher.guarded.withLock { state in
        state.own = (own.name, rule, own.body)
        _ = state.add(own.name, after: [], rule, own.body, at: 0)
      }
      launcher.root.addToTotal(1)
    }
    return launcher
  }
}

extension Launcher: LaunchTask {
  /// Runs the launcher as a task of another one: with its progress below that of the task, cancelled with it.
  ///
  /// While the other run is paused this one is as well, and it goes on with it, whoever has paused it. A queue is closed:
  /// it ends when what was added has ended. Where the other run ends before the turn of this one comes, this
  /// one never begins: who waits for its own result or events has to ``cancel()`` it then.
  ///
  /// - Parameter context: What the task may ask of the other run.
  /// - Throws: `CancellationError` when the other run cancelled it; otherwise ``LaunchFailure`` when a task has failed
  ///   that this run needs, when its own deadline has passed, and when it was cancelled by itself.
  public func run(_ context: LaunchContext) async throws {
    let node = context.progress
    if node.total == nil {
      node.total = 1
      // A launcher that has begun on its own, or runs in two places, keeps its tree to itself.
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

  /// Lets another launcher, which is a task of this one, follow its pauses.
  private func adopt(_ inner: Launcher) {
    let isPaused = guarded.withLock { state in
      state.inner.append(inner)
      return state.isPaused
    }
    if isPaused { pauseTree() }
  }

  /// Lets another launcher go its own way.
  private func letGo(of inner: Launcher) {
    guarded.withLock { state in
      if let index = state.inner.firstIndex(where: { $0 === inner }) {
        state.inner.remove(at: index)
      }
    }
  }
}

/// A launcher that was a task of another one did not succeed.
public struct LaunchFailure: Error, Sendable, CustomStringConvertible {
  /// What came of its run.
  public let result: LaunchResult

  /// The error in words: the tasks that failed, or why the run was ended.
  public var description: String {
    let names = result.failures.map { task -> String in
      let reason = task.error.map { "\($0)" } ?? "\(task.outcome)"
      return "'\(task.name)' (\(reason))"
    }
    if !names.isEmpty { return "failed: \(names.joined(separator: ", "))" }
    switch result.endReason {
    case .deadline(let limit): return "the run took longer than \(limit)"
    case .cancelled, .cancelledImmediately: return "the run was cancelled"
    case .failure(let task): return "the run was ended by '\(task.name)'"
    case nil: return "the run was ended"
    }
  }
}
