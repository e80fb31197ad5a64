internal import HeadwayLock
public import HeadwayRun

/// The decision of a delegate about a run that is held after a failure.
public enum FailureDecision: Hashable, Sendable {
  /// The next task starts.
  case proceed
  /// The run ends.
  case end
  /// Nothing starts until somebody calls ``Launcher/proceed()`` or ``Launcher/cancel()``.
  case wait
}

/// Receives the events of a run; every method is optional.
///
/// ```swift
/// @MainActor final class StartView: LauncherDelegate {
///   var line = ""
///
///   func launcher(_ launcher: Launcher, didStart task: TaskID) { line = "\(task.name)…" }
/// }
/// ```
///
/// The methods may be synchronous. Each is called where its class is isolated: those of a main-actor class on the main
/// actor, those of an actor on that actor, and any others on the executor of the tasks.
///
/// They are called one after the other, in the order of the events; each call waits for the end of the one before. The run
/// does not wait for them unless it is held: a task may have ended when the call for its start arrives. There is no order
/// between these calls and the events in ``Launcher/events(keeping:beginningWithState:)``. The launcher holds its delegate
/// weakly.
public protocol LauncherDelegate: AnyObject, Sendable {
  /// A task starts.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task, with its name.
  func launcher(_ launcher: Launcher, didStart task: TaskID) async

  /// A task has succeeded.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  func launcher(_ launcher: Launcher, didComplete task: TaskID) async

  /// A task has failed, after its last attempt.
  ///
  /// The method may take its time to decide, for example to ask the user.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  ///   - outcome: Whether it failed or exceeded its time limit.
  ///   - error: The error that it threw, nil if there is none.
  /// - Returns: The decision, if the run is held by this failure; otherwise it is ignored.
  func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) async -> FailureDecision

  /// A task was skipped, removed or cancelled.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  ///   - outcome: The outcome.
  func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) async

  /// All tasks of a queue have ended; more may be added.
  ///
  /// - Parameter launcher: The run.
  func launcherDidEmptyQueue(_ launcher: Launcher) async

  /// The run has ended; this is the last call.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - result: The result of the run.
  func launcher(_ launcher: Launcher, didEnd result: LaunchResult) async
}

extension LauncherDelegate {
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didStart task: TaskID) async {}
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didComplete task: TaskID) async {}
  /// Returns `wait`.
  public func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) async -> FailureDecision { .wait }
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) async {}
  /// Does nothing.
  public func launcherDidEmptyQueue(_ launcher: Launcher) async {}
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didEnd result: LaunchResult) async {}
}

extension Launcher {
  /// Sets the delegate, which receives the events from now on.
  ///
  /// A call of the delegate that was set before may still be under way.
  ///
  /// - Parameter delegate: The delegate, which is held weakly; nil for none.
  public func setDelegate(_ delegate: (any LauncherDelegate)?) {
    let reporter = delegate.map { DelegateReporter($0) }
    let before = guarded.withLock { state in
      defer { state.reporter = reporter }
      return state.reporter
    }
    before?.stop()
    guard let reporter else { return }
    // Listens from here on, so that nothing is missed before the task below has begun.
    let events = events(keeping: .max)
    let task = runTask { [weak self] in
      for await event in events {
        guard let self, await reporter.notify(event, of: self) else { return }
      }
    }
    reporter.keep(task)
  }
}

/// Calls a delegate for each event.
final class DelegateReporter: Sendable {
  private weak let delegate: (any LauncherDelegate)?
  /// The task that listens.
  private let listening = TaskSlot()

  /// Creates a reporter.
  init(_ delegate: any LauncherDelegate) { self.delegate = delegate }

  /// Sets the task that listens.
  func keep(_ task: Task<Void, Never>) { listening.run(in: task) }

  /// Stops the calls, even if the listening task is set later.
  func stop() { listening.cancel() }

  /// Calls the delegate for an event.
  ///
  /// - Returns: Whether the delegate still exists.
  func notify(_ event: RunEvent, of launcher: Launcher) async -> Bool {
    guard let delegate else { return false }
    switch event.kind {
    case .taskStarted(let task, attempt: 1): await delegate.launcher(launcher, didStart: task)
    case .taskEnded(let task, let outcome, _, _):
      await notifyEnd(task, outcome, of: launcher, delegate)
    case .queueEmptied: await delegate.launcherDidEmptyQueue(launcher)
    case .runEnded:
      if let result = launcher.resultIfEnded { await delegate.launcher(launcher, didEnd: result) }
    default: break
    }
    return true
  }

  /// Calls the delegate for the end of a task.
  private func notifyEnd(
    _ task: TaskID, _ outcome: Outcome, of launcher: Launcher, _ delegate: any LauncherDelegate
  ) async {
    switch outcome {
    case .succeeded, .skipped(.upToDate), .skipped(.doneEarlier):
      await delegate.launcher(launcher, didComplete: task)
    case .cancelled, .skipped, .lost: await delegate.launcher(launcher, didDrop: task, outcome)
    case .failed, .timedOut:
      let error = launcher.error(of: task)
      switch await delegate.launcher(launcher, didFail: task, outcome, error: error) {
      case .proceed: launcher.proceed(after: task)
      case .end: launcher.end(after: task)
      case .wait: break
      }
    }
  }
}
