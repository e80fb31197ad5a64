public import HeadwayProgress
public import HeadwayRun

/// The context of a running attempt at a task.
///
/// Safe to use from any thread. Once the task has ended, its methods do nothing.
public struct LaunchContext: Sendable {
  let running: RunningTask

  /// The task.
  public var task: TaskID {
    TaskID(running.index, name: running.launcher.name(running.index))
  }

  /// The number of the attempt, from 1.
  public var attempt: Int { Int(running.attempt) }

  /// The launcher, to which a task may add others.
  public var launcher: Launcher { running.launcher }

  /// The progress node of the task, which is the current node in its body: functions that it calls report to it.
  ///
  /// If the task does not use it, its progress follows its expected duration and stays below 1 until the task ends.
  ///
  /// - Complexity: O(1); the first call creates the node.
  public var progress: ProgressNode { running.progress }

  /// Whether the attempt was cancelled: it exceeded its time limit, the task was removed, or the run ends.
  ///
  /// - Complexity: O(1).
  public var isCancelled: Bool { running.isCancelled }

  /// Why the attempt was cancelled, nil if it was not.
  ///
  /// - Complexity: O(1).
  public var cancellationReason: CancellationReason? { running.cancellationReason }

  /// Throws if the attempt was cancelled, and waits while the run is paused.
  ///
  /// - Throws: `CancellationError`.
  public func checkpoint() async throws(CancellationError) {
    if isCancelled { throw CancellationError() }
    try await progress.checkpoint()
  }

  /// Throws if the attempt was cancelled, and blocks the thread while the run is paused.
  ///
  /// - Throws: `CancellationError`.
  public func blockingCheckpoint() throws(CancellationError) {
    if isCancelled { throw CancellationError() }
    try progress.blockingCheckpoint()
  }

  /// Extends the deadline of the attempt, as often as necessary, but not beyond ``TaskSettings/deadline``: a request that exceeds
  /// it changes nothing.
  ///
  /// - Parameter duration: The time that the attempt needs from now on.
  /// - Returns: Whether the attempt may take that long: true if it has no time limit; false if it has ended, its deadline has
  ///   passed, or the request exceeds ``TaskSettings/deadline``.
  @discardableResult
  public func extendDeadline(by duration: Duration) -> Bool {
    running.launcher.extend(running.index, attempt: attempt, by: duration)
  }
}
