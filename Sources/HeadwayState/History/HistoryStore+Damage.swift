internal import HeadwayLibc

extension HistoryStore {
  /// The maximum number of damaged files that are preserved; after that the last one is overwritten.
  static let maxDamagedFiles = 9

  /// Renames a damaged file and its log, so that a new one can be created.
  ///
  /// - Returns: The new path, nil if the file cannot be renamed.
  static func setAside(_ path: String) -> String? {
    var name = "\(path).damaged"
    var number = 1
    while unsafe access(name, F_OK) == 0, number < maxDamagedFiles {
      number += 1
      name = "\(path).damaged-\(number)"
    }
    // The log first, so that it can never be applied to the new file.
    unsafe rename("\(path)-wal", "\(name)-wal")
    unsafe unlink("\(path)-shm")
    unsafe rename("\(path)-journal", "\(name)-journal")
    return unsafe rename(path, name) == 0 ? name : nil
  }
}
