public import Foundation
internal import HeadwayProgress

/// Functions that read and copy files in chunks and report the bytes to the current node.
///
/// ```swift
/// let node = ProgressNode("Installing", total: 2)
/// try node.withCurrent(units: 2) {
///   try FileProgress.copy(image, to: target)
/// }
/// ```
///
/// Each call joins the current node with `ProgressNode.joinCurrent`; the units of its child are bytes. The child has
/// the path of the file, the throughput and the remaining time; pauses do not count. Without a current node, the file
/// is read or copied in the same way.
///
/// - Cancel and pause: checked before each chunk, by default of 1 MiB. A cancel throws `CancellationError`, as
///   `ProgressNode.checkpoint()` does; `CocoaError.replacingCancellation` makes it the error that Foundation code expects.
/// - Errors: `CocoaError` with the path and the underlying system error.
/// - Thread safety: every function can be called on any thread.
/// - Blocking: the functions without `async` block the thread, also while the work is paused.
public enum FileProgress {
  /// Reads a regular file.
  ///
  /// - Parameters:
  ///   - file: The file; a symbolic link is followed.
  ///   - chunkSize: The bytes to read between two checks for cancel and pause; must be at least 1.
  /// - Returns: The bytes of the file.
  /// - Throws: `CancellationError` if the work is cancelled; `CocoaError` if the file cannot be read or is not a regular
  ///   file.
  public static func contents(of file: URL, chunkSize: Int = 1 << 20) throws -> Data {
    let task = try FileReading(file, chunkSize: chunkSize)
    var runner = FileTaskRunner(task, operation: nil, clock: ContinuousClock())
    return try runner.run()
  }

  /// Reads a regular file without blocking the caller's actor.
  ///
  /// - Parameters:
  ///   - file: The file; a symbolic link is followed.
  ///   - chunkSize: The bytes to read between two checks for cancel and pause; must be at least 1.
  /// - Returns: The bytes of the file.
  /// - Throws: `CancellationError` if the work or the task is cancelled; `CocoaError` if the file cannot be read or is not
  ///   a regular file.
  @concurrent
  public static func contents(of file: URL, chunkSize: Int = 1 << 20) async throws -> Data {
    let task = try FileReading(file, chunkSize: chunkSize)
    var runner = FileTaskRunner(task, operation: nil, clock: ContinuousClock())
    return try await runner.runWaiting()
  }

  /// Copies a regular file, with its permissions.
  ///
  /// The bytes are written to a temporary file beside the destination, which is renamed at the end, so a partial copy
  /// is never visible. It is removed if the copy fails or is cancelled.
  ///
  /// - Parameters:
  ///   - source: The file; a symbolic link is followed.
  ///   - destination: The path of the copy, in an existing directory.
  ///   - isReplacing: Whether an existing file is replaced; a symbolic link is replaced itself.
  ///   - chunkSize: The bytes to copy between two checks for cancel and pause; must be at least 1.
  /// - Throws: `CancellationError` if the work is cancelled; `CocoaError` if the source cannot be read or is not a regular
  ///   file, or if the destination exists or cannot be written. Then nothing has changed.
  public static func copy(
    _ source: URL, to destination: URL, replacing isReplacing: Bool = false,
    chunkSize: Int = 1 << 20
  ) throws {
    let task = try FileCopying(
      source, to: destination, isReplacing: isReplacing, chunkSize: chunkSize)
    var runner = FileTaskRunner(task, operation: .copying, clock: ContinuousClock())
    try runner.run()
  }

  /// Copies a regular file, with its permissions, without blocking the caller's actor.
  ///
  /// Works like the blocking function.
  ///
  /// - Parameters:
  ///   - source: The file; a symbolic link is followed.
  ///   - destination: The path of the copy, in an existing directory.
  ///   - isReplacing: Whether an existing file is replaced; a symbolic link is replaced itself.
  ///   - chunkSize: The bytes to copy between two checks for cancel and pause; must be at least 1.
  /// - Throws: `CancellationError` if the work or the task is cancelled; `CocoaError` if the source cannot be read or is not
  ///   a regular file, or if the destination exists or cannot be written.
  @concurrent
  public static func copy(
    _ source: URL, to destination: URL, replacing isReplacing: Bool = false,
    chunkSize: Int = 1 << 20
  ) async throws {
    let task = try FileCopying(
      source, to: destination, isReplacing: isReplacing, chunkSize: chunkSize)
    var runner = FileTaskRunner(task, operation: .copying, clock: ContinuousClock())
    try await runner.runWaiting()
  }
}
