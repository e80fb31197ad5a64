internal import HeadwayLock
public import HeadwayRun

/// What a delegate decides when a task of a held run has failed.
public enum FailureDecision: Hashable, Sendable {
  /// The next task starts.
  case proceed
  /// The run ends.
  case end
  /// Nothing starts until somebody calls ``Launcher/proceed()`` or ``Launcher/cancel()``.
  case wait
}

/// Is told what happens in a run; every method may be left out.
///
/// The calls come one after the other, in the order of the events, on the actor that the delegate was set with. Between
/// them and what listeners of ``RunEvents`` get there is no order, and the run does not wait for them but where it
/// is held: a task may be over when its start is told. The launcher does not hold its delegate.
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
  ///   - outcome: Whether it failed or its time was up.
  ///   - error: What it threw, `CancellationError` where it was given up; nil when it threw nothing.
  /// - Returns: How a run goes on that is held by this failure; in others it means nothing.
  func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision

  /// A task has ended without having been run to its end: it was skipped, removed or cancelled.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - task: The task.
  ///   - outcome: How.
  func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome)

  /// All tasks of a queue have ended; more may be added.
  ///
  /// - Parameter launcher: The run.
  func launcherDidEmptyQueue(_ launcher: Launcher)

  /// The run has ended; nothing more is told.
  ///
  /// - Parameters:
  ///   - launcher: The run.
  ///   - result: How each task ended.
  func launcher(_ launcher: Launcher, didEnd result: LaunchResult)
}

extension LauncherDelegate {
  /// Nothing.
  public func launcher(_ launcher: Launcher, didStart task: TaskID) {}
  /// Nothing.
  public func launcher(_ launcher: Launcher, didComplete task: TaskID) {}
  /// Waits.
  public func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision { .wait }
  /// Nothing.
  public func launcher(_ launcher: Launcher, didDrop task: TaskID, _ outcome: Outcome) {}
  /// Nothing.
  public func launcherDidEmptyQueue(_ launcher: Launcher) {}
  /// Nothing.
  public func launcher(_ launcher: Launcher, didEnd result: LaunchResult) {}
}

extension Launcher {
  /// Sets who is told what happens from now on, in place of who was told before.
  ///
  /// - Parameters:
  ///   - delegate: Who is told; it is not held. Nil for nobody.
  ///   - actor: Where the calls come; nil for the executor of the tasks.
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
        guard let self, await reporter.tell(event, of: self, isolation: actor) else { return }
      }
    }
    reporter.keep(task)
  }
}

/// Tells a delegate what happens.
final class DelegateReporter: Sendable {
  /// The delegate.
  private weak let delegate: (any LauncherDelegate)?
  /// The task that listens.
  private let listening = TaskSlot()

  /// Creates a reporter.
  init(_ delegate: any LauncherDelegate) { self.delegate = delegate }

  /// Notes the task that listens.
  func keep(_ task: Task<Void, Never>) { listening.run(in: task) }

  /// Tells nothing more, also where the task that listens comes later.
  func stop() { listening.cancel() }

  /// Tells an event, on an actor.
  ///
  /// - Returns: Whether there still is a delegate.
  func tell(
    _ event: RunEvent, of launcher: Launcher, isolation: isolated (any Actor)?
  ) -> Bool {
    guard let delegate else { return false }
    switch event.kind {
    case .taskStarted(let task, attempt: 1): delegate.launcher(launcher, didStart: task)
    case .taskEnded(let task, let outcome, _, _): tell(task, outcome, of: launcher, delegate)
    case .queueEmptied: delegate.launcherDidEmptyQueue(launcher)
    case .runEnded:
      if let result = launcher.resultIfEnded { delegate.launcher(launcher, didEnd: result) }
    default: break
    }
    return true
  }

  /// Tells the end of a task.
  private func tell(
    _ task: TaskID, _ outcome: Outcome, of launcher: Launcher, _ delegate: any LauncherDelegate
  ) {
    switch outcome {
    case .succeeded, .skipped(.upToDate): delegate.launcher(launcher, didComplete: task)
    case .cancelled, .skipped: delegate.launcher(launcher, didDrop: task, outcome)
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
