public import Foundation
internal import HeadwayProgress

/// Reads and copies files in chunks, and reports the bytes to the current node.
///
/// ```swift
/// let node = ProgressNode("Installing", total: 2)
/// try node.withCurrent(units: 2) {
///   try FileProgress.copy(image, to: target)
/// }
/// ```
///
/// Each call joins the current node by `ProgressNode.joinCurrent`: the units of its child are bytes. The
/// child says which file it is about, how many bytes come through in a second of work, and how long it will
/// still take; pauses do not count. Without a current node the file is read or copied all the same.
///
/// - Cancel and pause: looked at before each chunk. A cancel is thrown as `CocoaError(.userCancelled)`.
/// - Errors: those of Foundation, as `CocoaError` with the path, and the one of the system below it.
/// - Thread safety: everything, from any thread.
/// - The forms without `async` block the thread, also while the work is paused.
public enum FileProgress {
  /// The bytes of a chunk where nothing else is said: enough that the system calls do not weigh.
  public static let chunkSize = 1 << 20

  /// Reads a regular file.
  ///
  /// - Parameters:
  ///   - file: The file; a symbolic link is followed.
  ///   - chunkSize: The bytes to read between two looks at cancel and pause; it must be at least 1.
  /// - Returns: The bytes of the file.
  /// - Throws: `CocoaError(.userCancelled)` when the work is cancelled; `CocoaError` when the file cannot be
  ///   read, is a folder or no regular file.
  public static func contents(of file: URL, chunkSize: Int = chunkSize) throws -> Data {
    let work = try FileReading(file, chunkSize: chunkSize)
    var run = FileRun(work, operation: nil, clock: ContinuousClock())
    return try run.toEnd()
  }

  /// Reads a regular file without blocking the caller's actor.
  ///
  /// - Parameters:
  ///   - file: The file; a symbolic link is followed.
  ///   - chunkSize: The bytes to read between two looks at cancel and pause; it must be at least 1.
  /// - Returns: The bytes of the file.
  /// - Throws: `CocoaError(.userCancelled)` when the work or the task is cancelled; `CocoaError` when the
  ///   file cannot be read, is a folder or no regular file.
  @concurrent
  public static func contents(of file: URL, chunkSize: Int = chunkSize) async throws -> Data {
    let work = try FileReading(file, chunkSize: chunkSize)
    var run = FileRun(work, operation: nil, clock: ContinuousClock())
    return try await run.toEndWaiting()
  }

  /// Copies a regular file, with its permissions.
  ///
  /// The bytes go to a new file beside the destination, which takes its name in one step at the end: nobody
  /// sees half a copy. It is removed when the copy fails or is cancelled.
  ///
  /// - Parameters:
  ///   - source: The file; a symbolic link is followed.
  ///   - destination: Where the copy goes, in a folder that exists.
  ///   - isReplacing: Whether a file that is there already is replaced; a symbolic link there is replaced
  ///     itself.
  ///   - chunkSize: The bytes to copy between two looks at cancel and pause; it must be at least 1.
  /// - Throws: `CocoaError(.userCancelled)` when the work is cancelled; `CocoaError` when the source cannot
  ///   be read, is a folder or no regular file, or when the destination exists or cannot be written. Nothing
  ///   has changed then.
  public static func copy(
    _ source: URL, to destination: URL, replacing isReplacing: Bool = false,
    chunkSize: Int = chunkSize
  ) throws {
    let work = try FileCopying(
      source, to: destination, isReplacing: isReplacing, chunkSize: chunkSize)
    var run = FileRun(work, operation: .copying, clock: ContinuousClock())
    try run.toEnd()
  }

  /// Copies a regular file, with its permissions, without blocking the caller's actor.
  ///
  /// All that is said of the form that blocks holds.
  ///
  /// - Parameters:
  ///   - source: The file; a symbolic link is followed.
  ///   - destination: Where the copy goes, in a folder that exists.
  ///   - isReplacing: Whether a file that is there already is replaced; a symbolic link there is replaced
  ///     itself.
  ///   - chunkSize: The bytes to copy between two looks at cancel and pause; it must be at least 1.
  /// - Throws: `CocoaError(.userCancelled)` when the work or the task is cancelled; `CocoaError` when the
  ///   source cannot be read, is a folder or no regular file, or when the destination exists or cannot be
  ///   written.
  @concurrent
  public static func copy(
    _ source: URL, to destination: URL, replacing isReplacing: Bool = false,
    chunkSize: Int = chunkSize
  ) async throws {
    let work = try FileCopying(
      source, to: destination, isReplacing: isReplacing, chunkSize: chunkSize)
    var run = FileRun(work, operation: .copying, clock: ContinuousClock())
    try await run.toEndWaiting()
  }
}
