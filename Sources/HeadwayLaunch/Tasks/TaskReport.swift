internal import Synchronization

/// Where a task that was started reports its end.
///
/// The first report counts. A second one changes nothing and says so; ``RunEvent/Kind/taskReportedAgain(_:)`` tells
/// whoever listens. A report that is let go of without having been used counts as a failure with ``NeverReported``, so
/// that a task which is forgotten does not hold up the run.
///
/// Safe from any thread.
public final class TaskReport: Sendable {
  /// Whether the end was told.
  private let isTold = Atomic<Bool>(false)
  /// Takes the end.
  private let tell: @Sendable (Result<Void, any Error>) -> Void
  /// Takes note of a report after the first.
  private let tellAgain: @Sendable () -> Void

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - tellAgain: Is called for each report after the first.
  ///   - tell: Is called with the first.
  init(
    again tellAgain: @escaping @Sendable () -> Void = {},
    _ tell: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.tell = tell
    self.tellAgain = tellAgain
  }

  deinit {
    if !isTold.load(ordering: .relaxed) { tell(.failure(NeverReported())) }
  }

  /// Reports success.
  ///
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func succeed() -> Bool { complete(with: .success(())) }

  /// Reports a failure.
  ///
  /// - Parameter error: Why.
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func fail(_ error: any Error) -> Bool { complete(with: .failure(error)) }

  /// Reports a result.
  ///
  /// - Parameter result: Success, or why not.
  /// - Returns: Whether this was the first report.
  @discardableResult
  public func complete(with result: Result<Void, any Error>) -> Bool {
    // Ordered by the lock that the first one takes.
    let isFirst = !isTold.exchange(true, ordering: .relaxed)
    if isFirst { tell(result) } else { tellAgain() }
    return isFirst
  }
}

/// A task was started and let go of its report without using it.
public struct NeverReported: Error, Hashable, Sendable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// The error in words.
  public var description: String {
    "the task was started and never reported its end: keep the report until it is used"
  }
}
