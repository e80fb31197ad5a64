internal import Glibc

/// Which file stands at a path, whatever it holds.
struct FileIdentity: Equatable {
  /// The number of the device.
  let device: dev_t
  /// The number of the file on the device.
  let file: ino_t

  /// Looks at a path; nil where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    file = status.st_ino
  }
}

extension HistoryStore {
  /// The most damaged files that are kept; the last one is overwritten then.
  static let mostAside = 9

  /// Renames a file and its log, so that a new one can be made and the old one be looked at.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: The new path, nil where the file cannot be renamed.
  static func setAside(_ path: String) -> String? {
    var name = "\(path).damaged"
    var number = 1
    while unsafe access(name, F_OK) == 0, number < mostAside {
      number += 1
      name = "\(path).damaged-\(number)"
    }
    // First the log: without its file nobody takes it for that of the new one.
    unsafe rename("\(path)-wal", "\(name)-wal")
    unsafe unlink("\(path)-shm")
    unsafe rename("\(path)-journal", "\(name)-journal")
    return unsafe rename(path, name) == 0 ? name : nil
  }
}
