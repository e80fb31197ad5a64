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
/// The methods are called one after the other, in the order of the events, on the actor that the delegate was set with.
/// The run does not wait for them unless it is held: a task may have ended when the call for its start arrives. There is
/// no order between these calls and the events in ``Launcher/events(keeping:beginningWithState:)``. The launcher holds its delegate weakly.
///
/// A class of the main actor conforms as `@preconcurrency LauncherDelegate`, and is then set with `MainActor.shared`.
public protocol LauncherDelegate: AnyObject, Sendable {
  /// A task starts.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task, with its name.
  func launcher(_ launcher: Launcher, didStart task: TaskID)

  /// A task has succeeded.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  func launcher(_ launcher: Launcher, didComplete task: TaskID)

  /// A task has failed, after its last attempt.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  ///   - outcome: Whether it failed or exceeded its time limit.
  ///   - error: The error that it threw, nil if there is none.
  /// - Returns: The decision, if the run is held by this failure; otherwise it is ignored.
  func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision

  /// A task was skipped, removed or cancelled.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  ///   - outcome: The outcome.
  func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome)

  /// All tasks of a queue have ended; more may be added.
  ///
  /// - Parameter launcher: The run.
  func launcherDidEmptyQueue(_ launcher: Launcher)

  /// The run has ended; this is the last call.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - result: The result of the run.
  func launcher(_ launcher: Launcher, didEnd result: LaunchResult)
}

extension LauncherDelegate {
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didStart task: TaskID) {}
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didComplete task: TaskID) {}
  /// Returns `wait`.
  public func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision { .wait }
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) {}
  /// Does nothing.
  public func launcherDidEmptyQueue(_ launcher: Launcher) {}
  /// Does nothing.
  public func launcher(_ launcher: Launcher, didEnd result: LaunchResult) {}
}

extension Launcher {
  /// Sets the delegate, which receives the events from now on.
  ///
  /// - Parameters:
  ///   - delegate: The delegate, which is held weakly; nil for none.
  ///   - actor: The actor on which it is called; nil for the executor of the tasks.
  public func setDelegate(_ delegate: (any LauncherDelegate)?, on actor: (any Actor)? = nil) {
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
        guard let self, await reporter.notify(event, of: self, isolation: actor) else { return }
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

  /// Calls the delegate for an event, on an actor.
  ///
  /// - Returns: Whether the delegate still exists.
  func notify(
    _ event: RunEvent, of launcher: Launcher, isolation: isolated (any Actor)?
  ) -> Bool {
    guard let delegate else { return false }
    switch event.kind {
    case .taskStarted(let task, attempt: 1): delegate.launcher(launcher, didStart: task)
    case .taskEnded(let task, let outcome, _, _): notifyEnd(task, outcome, of: launcher, delegate)
    case .queueEmptied: delegate.launcherDidEmptyQueue(launcher)
    case .runEnded:
      if let result = launcher.resultIfEnded { delegate.launcher(launcher, didEnd: result) }
    default: break
    }
    return true
  }

  /// Calls the delegate for the end of a task.
  private func notifyEnd(
    _ task: TaskID, _ outcome: Outcome, of launcher: Launcher, _ delegate: any LauncherDelegate
  ) {
    switch outcome {
    case .succeeded, .skipped(.upToDate), .skipped(.doneEarlier):
      delegate.launcher(launcher, didComplete: task)
    case .cancelled, .skipped, .lost: delegate.launcher(launcher, didDrop: task, outcome)
    case .failed, .timedOut:
      let error = launcher.error(of: task)
      switch delegate.launcher(launcher, didFail: task, outcome, error: error) {
      case .proceed: launcher.proceed(after: task)
      case .end: launcher.end(after: task)
      case .wait: break
      }
    }
  }
}
