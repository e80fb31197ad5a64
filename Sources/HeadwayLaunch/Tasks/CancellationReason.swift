public import HeadwayRun

/// Why an attempt at a task was cancelled.
///
/// ```swift
/// graph.add("import", settings: TaskSettings(timeout: .seconds(60))) { context in
///   defer {
///     if case .timeout = context.cancellationReason { try? savePartialResult() }
///   }
///   try await importAll(context)
/// }
/// ```
@nonexhaustive
public enum CancellationReason: Hashable, Sendable, CustomStringConvertible {
  /// The attempt exceeded its time limit, or the task that of all its attempts.
  case timeout(Duration)
  /// The task was removed from the run.
  case removed
  /// The run is ending.
  case runEnding(RunEvent.EndReason)
  /// The task is a service that nothing needs any more.
  case notNeeded

  /// The reason, for people.
  public var description: String {
    switch self {
    case .timeout(let limit): "it took longer than \(limit)"
    case .removed: "it was removed"
    case .runEnding(.failure(let task)): "the run ends because '\(task.name)' failed"
    case .runEnding(.cancelled), .runEnding(.cancelledImmediately): "the run was cancelled"
    case .runEnding(.deadline(let limit)): "the run took longer than \(limit)"
    case .notNeeded: "nothing needs it any more"
    }
  }
}
