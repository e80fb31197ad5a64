internal import HeadwayRun

/// A run that did not succeed, as an error.
///
/// A launcher that is a task of another one throws it. Throw it yourself where a failed run has to be an error:
///
/// ```swift
/// let result = await launcher.run()
/// if !result.isSuccess { throw LaunchFailure(result: result) }
/// ```
public struct LaunchFailure: Error, Sendable, CustomStringConvertible {
  /// The result of the run.
  public let result: LaunchResult

  /// Creates an error.
  ///
  /// - Parameter result: The result of a run that did not succeed.
  public init(result: LaunchResult) { self.result = result }

  /// Whether another run may succeed: false if a required task failed with ``NonRetryable``.
  ///
  /// A launcher that is a task of another one is not retried then, however many attempts that task has.
  ///
  /// - Complexity: O(f log f) for the f tasks that did not succeed.
  public var isRetryable: Bool { result.failures.allSatisfy(\.isRetryable) }

  /// A message with the failed tasks, or why the run ended.
  public var description: String {
    let names = result.failures.map { task -> String in
      let reason: String =
        if case .failed(let failure) = task.outcome {
          "\(failure)"
        } else {
          "\(task.outcome)"
        }
      return "'\(task.name)' (\(reason))"
    }
    if !names.isEmpty { return "failed: \(names.joined(separator: ", "))" }
    switch result.endReason {
    case .deadline(let limit): return "the run took longer than \(limit)"
    case .cancelled, .cancelledImmediately:
      return "the run was cancelled" + (result.signal.map { " by \($0)" } ?? "")
    case .failure(let task): return "the run ended because '\(task.name)' failed"
    case nil: return "the run ended early"
    }
  }
}
