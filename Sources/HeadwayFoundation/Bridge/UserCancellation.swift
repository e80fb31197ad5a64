public import Foundation

extension CocoaError {
  /// Runs a closure and throws `CocoaError(.userCancelled)` in place of a `CancellationError`.
  ///
  /// Headway throws `CancellationError` for every cancellation, as Swift's tasks do. Callers that are written for
  /// Foundation expect `NSUserCancelledError` in the Cocoa domain:
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
