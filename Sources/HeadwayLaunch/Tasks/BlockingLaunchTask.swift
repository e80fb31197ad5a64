internal import HeadwaySystem
internal import HeadwayTime

/// A task that may block; it runs on a thread of its own.
///
/// ```swift
/// struct OpenDatabase: BlockingLaunchTask {
///   let name = "open the database"
///   func runBlocking(_ context: LaunchContext) throws {
///     try context.blockingCheckpoint()
///   }
/// }
/// ```
public protocol BlockingLaunchTask: LaunchTask {
  /// Does the work; it may block.
  ///
  /// - Parameter context: The context of the attempt.
  /// - Throws: The reason of the failure.
  func runBlocking(_ context: LaunchContext) throws
}

extension BlockingLaunchTask {
  /// ``runBlocking(_:)`` on a thread of its own.
  public var body: TaskBody { .blocking { try runBlocking($0) } }

  /// Does the work on a thread of its own, for calls without a launcher.
  public func run(_ context: LaunchContext) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let error = SystemThread.start(named: "headway-task") {
        continuation.resume(with: Result { try runBlocking(context) })
      }
      if error != 0 { continuation.resume(throwing: ThreadCreationError(code: error)) }
    }
  }
}
