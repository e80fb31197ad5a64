public import HeadwayRun

/// The result of a run: how each task ended, when and why.
///
/// ```swift
/// let result = await launcher.run()
/// for task in result.tasks { show("\(task.name): \(task.outcome)") }
/// ```
public struct LaunchResult: Sendable {
  /// The result of a task.
  ///
  /// ```swift
  /// let result: LaunchResult = try await Launcher(graph).run()
  /// let failures: [LaunchResult.Task] = result.failures
  /// for task in failures { show("\(task.name) failed after \(task.attempts) attempts") }
  /// ```
  public struct Task: Sendable, Identifiable {
    /// The task.
    public let id: TaskID
    /// The outcome of the task.
    public let outcome: Outcome
    /// Whether the run can succeed even if this task fails.
    public let isOptional: Bool
    /// The number of attempts.
    public let attempts: Int
    /// When the first attempt began, as the time since the run began; nil if there was none.
    public let began: Duration?
    /// When the task ended, as the time since the run began.
    public let ended: Duration
    /// The error that the last attempt threw; nil if there was none, or if the attempt was abandoned.
    public let error: (any Error)?
    /// Whether another run may succeed where this task failed: false if it failed with ``NonRetryable``.
    public let isRetryable: Bool

    /// The name of the task.
    public var name: String { id.name }
  }

  /// The records of the run, from which results are computed when they are read.
  private struct Records: Sendable {
    let entries: [LaunchCore.Entry]
    let rules: RuleTable
    let names: [String]
    /// The outcomes of tasks that did not succeed.
    let outcomes: [TaskID: Outcome]
    /// The errors of failed tasks, by index.
    let errors: [Int: AttemptFailure]

    /// The result of the task at an index.
    subscript(index: Int) -> Task {
      let entry = entries[index]
      let id = TaskID(index, name: names[index])
      return Task(
        id: id, outcome: entry.hasSucceeded ? .succeeded : outcomes[id] ?? .cancelled,
        isOptional: rules[entry.rule].isOptional, attempts: Int(entry.attempt),
        began: entry.hasBegun ? .nanoseconds(entry.firstStart) : nil,
        ended: .nanoseconds(entry.end), error: errors[index]?.error,
        isRetryable: errors[index]?.isRetryable ?? true)
    }
  }

  private let records: Records
  /// What the tasks have returned, nil if none returns anything.
  let outputs: TaskOutputs?

  /// The results of the tasks, in the order in which the tasks were added.
  ///
  /// - Complexity: O(1); each result is computed when it is read.
  public var tasks: LazyMapSequence<Range<Int>, Task> {
    let records = records
    return records.entries.indices.lazy.map { records[$0] }
  }

  /// Why the run ended early; nil if it did not.
  public let endReason: RunEvent.EndReason?
  /// The first signal that asked for the end of the run, nil if none did; see ``LauncherOptions/cancellationSignals``.
  ///
  /// Also set if the run was already ending for another reason, such as a failure.
  public let signal: LauncherSignal?
  /// The duration of the run.
  public let duration: Duration
  /// Whether the run did not end early and no required task failed.
  ///
  /// A task that was removed, or skipped because of a removed task, has not failed. A failure counts even if a delegate
  /// proceeded after it.
  public let isSuccess: Bool

  /// Throws if the run was not a success, for programs in which that is an error.
  ///
  /// ```swift
  /// try await launcher.run().get()
  /// ```
  ///
  /// - Returns: This result.
  /// - Throws: `CancellationError` if the run was cancelled and no required task failed, otherwise ``LaunchFailure``.
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  @discardableResult
  public func get() throws -> LaunchResult {
    if isSuccess { return self }
    if wasCancelled { throw CancellationError() }
    throw LaunchFailure(result: self)
  }

  /// Whether the run was cancelled, and no required task failed.
  private var wasCancelled: Bool {
    switch endReason {
    case .cancelled, .cancelledImmediately: failures.isEmpty
    case .deadline, .failure, nil: false
    }
  }

  /// The signal that ended the run; nil if it succeeded, a required task failed, or it ended for another reason.
  ///
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  public var endingSignal: LauncherSignal? { !isSuccess && wasCancelled ? signal : nil }

  /// The exit status of a program that is this run: 0 after a success, 128 and the number of ``endingSignal``, as a shell would say,
  /// otherwise 1.
  ///
  /// To end by the signal itself, so that the caller sees the reason, see ``LauncherSignal/endProcess()``.
  ///
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  public var exitStatus: Int32 {
    if isSuccess { return 0 }
    return endingSignal.map { 128 + $0.number } ?? 1
  }

  /// The result of the task with a name, nil if there is none.
  ///
  /// If several tasks had the name one after the other, this is the latest.
  ///
  /// - Complexity: O(tasks).
  public subscript(name: String) -> Task? {
    records.names.lastIndex(of: name).map { records[$0] }
  }

  /// The required tasks that failed or timed out.
  ///
  /// Tasks that were cancelled with the run are not included: see ``endReason``.
  ///
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  public var failures: [Task] {
    records.outcomes.filter { $0.value.isFailure }.keys.sorted().map { records[$0.index] }
      .filter { !$0.isOptional }
  }

  /// Copies the records of a run that has ended.
  ///
  /// - Complexity: O(tasks that did not succeed).
  init(of state: borrowing Launcher.State, end: Int64, _ outputs: TaskOutputs?) {
    self.outputs = outputs
    records = Records(
      entries: state.core.entries, rules: state.core.rules, names: state.core.names,
      outcomes: state.core.outcomes, errors: state.errors)
    endReason = state.core.endReason
    signal = state.signals.first
    duration = .nanoseconds(end)
    isSuccess =
      state.core.endReason == nil
      && state.core.outcomes.allSatisfy { id, outcome in
        !outcome.isFailure || state.core.rule(id.index).isOptional
      }
  }
}
