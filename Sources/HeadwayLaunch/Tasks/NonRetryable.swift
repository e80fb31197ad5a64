/// What a task throws that must not be tried again, although it may be: a further attempt would end in the same way.
///
/// ```swift
/// guard fileExists(path) else { throw NonRetryable(NoDatabase(path)) }
/// ```
///
/// The run, its result and its events tell the error inside.
public struct NonRetryable: Error, Sendable, CustomStringConvertible {
  /// Why the task has failed.
  public let error: any Error

  /// Marks an error.
  ///
  /// - Parameter error: Why the task has failed.
  public init(_ error: any Error) { self.error = error }

  /// The words of the error inside.
  public var description: String { "\(error)" }
}
