internal import CSystem

/// Locks files for as long as a process has them open.
///
/// The lock belongs to the open file, not to the process, and the kernel drops it when the last descriptor is closed,
/// however that happens. Asking for it does not take it.
package enum FileLock {
  /// Takes the lock of a file.
  ///
  /// - Parameters:
  ///   - file: The file, open for writing, or also for reading if the lock is shared.
  ///   - isShared: Whether others may have a shared lock at the same time.
  /// - Returns: 0, or an errno: `EAGAIN` if others have it.
  @discardableResult
  package static func take(_ file: Int32, isShared: Bool = false) -> Int32 {
    hw_file_lock(file, isShared)
  }

  /// Whether somebody else has the lock of a file; nil if the file system does not say.
  package static func isTaken(_ file: Int32) -> Bool? {
    let answer = hw_file_is_locked(file)
    return answer < 0 ? nil : answer == 1
  }
}
