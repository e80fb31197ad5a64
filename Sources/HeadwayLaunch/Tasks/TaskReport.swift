internal import Synchronization

/// The end of a task that was started and finishes later.
///
/// The first report counts. A further one changes nothing and is reported as `RunEvent.Kind.taskReportedAgain`.
/// A report that is released without having been used is a failure with ``NeverReported``, so that a forgotten task
/// does not block the run.
///
/// Safe to use from any thread.
public final class TaskReport: Sendable {
  private let isUsed = Atomic<Bool>(false)
  private let onFirst: @Sendable (Result<Void, any Error>) -> Void
  private let onFurther: @Sendable () -> Void

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - onFurther: The function that is called for each report after the first.
  ///   - onFirst: The function that is called with the first one.
  init(
    onFurther: @escaping @Sendable () -> Void = {},
    _ onFirst: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.onFirst = onFirst
    self.onFurther = onFurther
  }

  deinit {
    if !isUsed.load(ordering: .relaxed) { onFirst(.failure(NeverReported())) }
  }

  /// Completes the task with success.
  ///
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func succeed() -> Bool { complete(with: .success(())) }

  /// Completes the task with a failure.
  ///
  /// - Parameter error: The reason.
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func fail(_ error: any Error) -> Bool { complete(with: .failure(error)) }

  /// Completes the task with a result.
  ///
  /// - Parameter result: Success or the reason of the failure.
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func complete(with result: Result<Void, any Error>) -> Bool {
    // Ordered by the lock that the first one takes.
    let isFirst = !isUsed.exchange(true, ordering: .relaxed)
    if isFirst { onFirst(result) } else { onFurther() }
    return isFirst
  }
}

/// The error of a task whose report was released without having been used.
///
/// ```swift
/// var graph = LaunchGraph()
/// graph.add("forgotten", .reporting { _, _ in })  // nobody keeps the report
/// let result = try await Launcher(graph).run()
/// let isForgotten = result["forgotten"]?.error is NeverReported  // true
/// ```
public struct NeverReported: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message with advice.
  public var description: String {
    "the task was started and never reported its end: keep the report until it is used"
  }
}
