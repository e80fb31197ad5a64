internal import HeadwaySystem
internal import HeadwayTime

/// A task that blocks its thread, and gets one of its own.
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
  /// - Parameter context: What the task may ask of the run.
  /// - Throws: Why it has failed.
  func runBlocking(_ context: LaunchContext) throws
}

extension BlockingLaunchTask {
  /// ``runBlocking(_:)`` on a thread of its own.
  public var body: TaskBody { .blocking { try runBlocking($0) } }

  /// Does the work on a thread of its own, for those who run the task by hand.
  public func run(_ context: LaunchContext) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let error = SystemThread.start(named: "headway-task") {
        continuation.resume(with: Result { try runBlocking(context) })
      }
      if error != 0 { continuation.resume(throwing: ThreadCreationError(code: error)) }
    }
  }
}
