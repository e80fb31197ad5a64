public import HeadwayProgress
public import HeadwayRun

/// What a running task may ask of its run.
///
/// Safe from any thread, and after the end of the task, when it changes nothing any more.
public struct LaunchContext: Sendable {
  /// The attempt.
  let running: RunningTask

  /// The name of the task.
  public var name: String { running.launcher.name(running.index) }

  /// The task in its run.
  public var task: TaskID { TaskID(running.index, name: name) }

  /// The attempt, from 1.
  public var attempt: Int { Int(running.attempt) }

  /// The run, to which a task may add others.
  public var launcher: Launcher { running.launcher }

  /// The node of the task, which is the current one inside its body: what it calls reports by itself.
  ///
  /// A task that does not ask for it moves by its expected duration, and is held below 1 until it ends.
  ///
  /// - Complexity: O(1); the first call makes the node.
  public var progress: ProgressNode { running.progress }

  /// Whether the task is to end: its time is up, it was removed, or the run ends.
  ///
  /// - Complexity: O(1).
  public var isCancelled: Bool { running.isCancelled }

  /// Throws when the task is to end, and waits while the run is paused.
  ///
  /// - Throws: `CancellationError`.
  public func checkpoint() async throws {
    if isCancelled { throw CancellationError() }
    try await progress.checkpoint()
  }

  /// The same for a task on a thread of its own, which is blocked while the run is paused.
  ///
  /// - Throws: `CancellationError`.
  public func blockingCheckpoint() throws {
    if isCancelled { throw CancellationError() }
    try progress.blockingCheckpoint()
  }

  /// Asks for more time, for a task that finds that it has more to do; a task that stays alive may ask again and again.
  ///
  /// - Parameter duration: The time that the task needs from now on.
  /// - Returns: Whether it has it: the task has no limit, or its time was not up yet.
  @discardableResult
  public func extendDeadline(by duration: Duration) -> Bool {
    running.launcher.extend(running.index, attempt: attempt, by: duration)
  }
}
