public import Foundation
public import HeadwayProgress

extension CocoaError {
  /// Runs a body, and throws `CocoaError(.userCancelled)` where it throws `CancellationError`.
  ///
  /// Code that was written for Foundation knows a cancel as `NSUserCancelledError` of the Cocoa domain:
  ///
  /// ```swift
  /// func filter(_ image: Image) throws -> Image {
  ///   try CocoaError.replacingCancellation {
  ///     for row in image.rows { try node.blockingCheckpoint() }
  ///     return image
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter body: What to do.
  /// - Returns: What the body returns.
  /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`, every other error as it is.
  public static func replacingCancellation<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch is CancellationError { throw CocoaError(.userCancelled) }
  }

  /// Runs an asynchronous body, and throws `CocoaError(.userCancelled)` where it throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on: the caller's.
  ///   - body: What to do.
  /// - Returns: What the body returns.
  /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`, every other error as it is.
  public static func replacingCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch is CancellationError { throw CocoaError(.userCancelled) }
  }
}

extension ProgressNode {
  /// Waits while the node is paused, and throws when the work is to end, as Foundation's callers expect it.
  ///
  /// - Parameter isolation: The actor to wait on: the caller's.
  /// - Throws: `CocoaError(.userCancelled)` when the node or the task is cancelled, also while it waits.
  /// - Complexity: O(1); two loads where there is nothing to wait for.
  public func userCheckpoint(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(CocoaError) {
    do { try await checkpoint(isolation: isolation) } catch { throw CocoaError(.userCancelled) }
  }

  /// Waits while the node is paused, and throws when the work is to end, for loops on plain threads.
  ///
  /// It blocks the thread while the node is paused, so asynchronous code calls
  /// ``userCheckpoint(isolation:)``.
  ///
  /// - Throws: `CocoaError(.userCancelled)` when the node is cancelled, also while it waits.
  /// - Complexity: O(1); one load where there is nothing to wait for.
  public func blockingUserCheckpoint() throws(CocoaError) {
    do { try blockingCheckpoint() } catch { throw CocoaError(.userCancelled) }
  }
}
