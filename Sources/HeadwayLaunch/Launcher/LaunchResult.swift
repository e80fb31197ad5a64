/// What came of a run: how each task ended, when and why.
public struct LaunchResult: Sendable {
  /// What came of one task.
  public struct Task: Sendable, Identifiable {
    /// The task.
    public let id: TaskID
    /// How it ended.
    public let outcome: Outcome
    /// The attempts begun.
    public let attempts: Int
    /// When its first attempt began, since the run began; nil when none did.
    public let began: Duration?
    /// When it ended, since the run began.
    public let ended: Duration
    /// What its last attempt threw; nil when it threw nothing.
    public let error: (any Error)?

    /// Its name.
    public var name: String { id.name }
  }

  /// The tasks, in the order in which they were added.
  public let tasks: [Task]
  /// Why the run ended before its last task; nil when it did not.
  public let endReason: LaunchEvent.EndReason?
  /// How long the run took.
  public let duration: Duration
  /// Whether every task that the run needs has succeeded.
  public let isSuccess: Bool

  /// What came of the task of a name, nil when there is none.
  ///
  /// - Complexity: O(tasks).
  public subscript(name: String) -> Task? { tasks.first { $0.name == name } }

  /// The tasks that failed or ran out of time, and that the run needs.
  public var failures: [Task] { tasks.filter { $0.outcome.isFailure } }

  /// Reads a run that has ended.
  init(of state: borrowing Launcher.State, end: Int64) {
    var tasks: [Task] = []
    tasks.reserveCapacity(state.core.count)
    var isSuccess = state.core.endReason == nil
    for place in 0..<state.core.count {
      let entry = state.core.entries[place]
      let id = state.core.id(place)
      let outcome = state.core.outcome(of: id) ?? .cancelled
      tasks.append(
        Task(
          id: id, outcome: outcome, attempts: Int(entry.attempt),
          began: entry.hasBegun ? .nanoseconds(entry.firstStart) : nil,
          ended: .nanoseconds(entry.end), error: state.errors[place]))
      if outcome.isFailure, !state.core.rule(place).isOptional { isSuccess = false }
    }
    self.tasks = tasks
    self.isSuccess = isSuccess
    endReason = state.core.endReason
    duration = .nanoseconds(end)
  }
}
