public import Foundation
package import HeadwayProgress

extension CocoaError {
  /// Runs a closure and throws `CocoaError(.userCancelled)` in place of a `CancellationError`.
  ///
  /// Foundation code expects `NSUserCancelledError` in the Cocoa domain for a cancellation:
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
  /// - Parameter body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`; other errors unchanged.
  public static func replacingCancellation<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch is CancellationError { throw CocoaError(.userCancelled) }
  }

  /// Runs an asynchronous closure and throws `CocoaError(.userCancelled)` in place of a `CancellationError`.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by default the caller's.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`; other errors unchanged.
  public static func replacingCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch is CancellationError { throw CocoaError(.userCancelled) }
  }
}

extension ProgressNode {
  /// Waits while the node is paused and throws a Foundation error if it is cancelled.
  ///
  /// - Parameter isolation: The actor to wait on; by default the caller's.
  /// - Throws: `CocoaError(.userCancelled)` if the node or the task is cancelled, also while it waits.
  /// - Complexity: O(1); two loads if there is nothing to wait for.
  package func userCheckpoint(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(CocoaError) {
    do { try await checkpoint(isolation: isolation) } catch { throw CocoaError(.userCancelled) }
  }

  /// Waits while the node is paused and throws a Foundation error if it is cancelled, for work on threads.
  ///
  /// It blocks the thread while the node is paused. Asynchronous code calls ``userCheckpoint(isolation:)`` instead.
  ///
  /// - Throws: `CocoaError(.userCancelled)` if the node is cancelled, also while it waits.
  /// - Complexity: O(1); one load if there is nothing to wait for.
  package func blockingUserCheckpoint() throws(CocoaError) {
    do { try blockingCheckpoint() } catch { throw CocoaError(.userCancelled) }
  }
}
