public import HeadwayRun

/// What came of a run: how each task ended, when and why.
public struct LaunchResult: Sendable {
  /// What came of one task.
  public struct Task: Sendable, Identifiable {
    /// The task.
    public let id: TaskID
    /// How it ended.
    public let outcome: Outcome
    /// Whether the run may succeed although this task failed.
    public let isOptional: Bool
    /// The attempts begun.
    public let attempts: Int
    /// When its first attempt began, since the run began; nil when none did.
    public let began: Duration?
    /// When it ended, since the run began.
    public let ended: Duration
    /// What its last attempt threw; nil when it threw nothing, or was given up.
    public let error: (any Error)?

    /// Its name.
    public var name: String { id.name }
  }

  /// What the run has noted of its tasks, from which results are made when somebody looks.
  private struct Notes: Sendable {
    /// What the engine has noted of each task.
    let entries: [LaunchCore.Entry]
    /// How tasks are treated.
    let rules: [TaskRule]
    /// The names of the tasks, by index.
    let names: [String]
    /// How tasks ended that did not succeed.
    let outcomes: [TaskID: Outcome]
    /// What failed tasks have thrown, by index.
    let errors: [Int: any Error]

    /// What came of the task at an index.
    subscript(index: Int) -> Task {
      let entry = entries[index]
      let id = TaskID(index, name: names[index])
      return Task(
        id: id, outcome: entry.hasSucceeded ? .succeeded : outcomes[id] ?? .cancelled,
        isOptional: rules[Int(entry.rule)].isOptional, attempts: Int(entry.attempt),
        began: entry.hasBegun ? .nanoseconds(entry.firstStart) : nil,
        ended: .nanoseconds(entry.end), error: errors[index])
    }
  }

  private let notes: Notes

  /// The tasks, in the order in which they were added.
  ///
  /// - Complexity: O(1); each task is made when it is looked at.
  public var tasks: LazyMapSequence<Range<Int>, Task> {
    let notes = notes
    return notes.entries.indices.lazy.map { notes[$0] }
  }

  /// Why the run ended before its last task; nil when it did not.
  public let endReason: RunEvent.EndReason?
  /// How long the run took.
  public let duration: Duration
  /// Whether the run was not ended early, and no task failed that it needs.
  ///
  /// A task that was removed has not failed, nor has one that was skipped for it. A failure that a delegate let pass is
  /// one.
  public let isSuccess: Bool

  /// What came of the task of a name, nil when there is none.
  ///
  /// Of several that had the name one after the other, the latest.
  ///
  /// - Complexity: O(tasks).
  public subscript(name: String) -> Task? {
    notes.names.lastIndex(of: name).map { notes[$0] }
  }

  /// The tasks that failed or ran out of time, and that the run needs.
  ///
  /// What the end of the run cut off is not among them: ``endReason`` tells of that.
  ///
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  public var failures: [Task] {
    notes.outcomes.filter { $0.value.isFailure }.keys.sorted().map { notes[$0.index] }
      .filter { !$0.isOptional }
  }

  /// Reads a run that has ended.
  ///
  /// - Complexity: O(tasks that did not succeed).
  init(of state: borrowing Launcher.State, end: Int64) {
    notes = Notes(
      entries: state.core.entries, rules: state.core.rules, names: state.core.names,
      outcomes: state.core.outcomes, errors: state.errors)
    endReason = state.core.endReason
    duration = .nanoseconds(end)
    isSuccess =
      state.core.endReason == nil
      && state.core.outcomes.allSatisfy { id, outcome in
        !outcome.isFailure || state.core.rule(id.index).isOptional
      }
  }
}
