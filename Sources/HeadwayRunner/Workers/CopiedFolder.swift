internal import HeadwayLibc
internal import HeadwaySystem

/// The folder of a run on a machine that does not share that of the plan: its files are copied there, and removed after the run.
///
/// ```
///   CACHE/headway/files/20261127-093000-1234/        the folder of the run
///   CACHE/headway/files/20261127-093000-1234.lock    locked by each of its workers that is alive
/// ```
///
/// Folders without such a worker are left over, and the next worker removes them. Not thread safe.
final class CopiedFolder {
  private static let lockSuffix = ".lock"

  /// The absolute path.
  let path: String
  private let lockPath: String
  /// The open lock.
  private let lock: Int32

  /// The cache of the user.
  private static var cache: String {
    let named = environmentValue("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return named ?? "\(environmentValue("HOME") ?? "/tmp")/.cache"
  }

  /// Creates the folder, and removes those that are left over beside it.
  ///
  /// - Parameters:
  ///   - cache: The folder below which it is, nil for the cache of the user.
  ///   - run: The name of the run, without slashes.
  /// - Throws: `RunnerError` if it cannot be created.
  init(below cache: String?, run: String) throws(RunnerError) {
    let base = (cache ?? Self.cache) + "/headway/files"
    path = "\(base)/\(run)"
    lockPath = path + Self.lockSuffix
    var error = makeFolder(base, permissions: 0o700)
    if error != 0 { throw .system("cannot create '\(base)'", error) }
    // Whoever removes what is left over has it only for a moment.
    guard let lock = Self.locked(lockPath, LOCK_SH) else {
      throw .system("cannot lock '\(lockPath)'", errno)
    }
    self.lock = lock
    error = makeFolder(path, permissions: 0o700)
    if error != 0 {
      close(lock)
      throw .system("cannot create '\(path)'", error)
    }
    removeLeftovers(in: base)
  }

  deinit { close(lock) }

  /// Opens and locks a file; nil if that is not possible.
  private static func locked(_ path: String, _ mode: Int32) -> Int32? {
    while true {
      let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { return nil }
      if flock(file, mode) == 0 {
        // Whoever had locked it may have removed it: then it protects nothing.
        var (locked, present) = (stat(), stat())
        if unsafe fstat(file, &locked) == 0, unsafe stat(path, &present) == 0,
          locked.st_ino == present.st_ino, locked.st_dev == present.st_dev
        {
          return file
        }
        close(file)
        continue
      }
      let error = errno
      close(file)
      guard error == EINTR else { return nil }
    }
  }

  /// Removes the other folders that no worker has locked, also those whose lock is gone.
  private func removeLeftovers(in base: String) {
    for name in FileSystem.names(in: Array(base.utf8)) {
      // Nobody else should have anything here; if so, it stays.
      guard name.first.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true else {
        continue
      }
      var path = "\(base)/\(String(decoding: name, as: UTF8.self))"
      if path.hasSuffix(Self.lockSuffix) { path.removeLast(Self.lockSuffix.count) }
      let lockPath = path + Self.lockSuffix
      guard path != self.path, let lock = Self.locked(lockPath, LOCK_EX | LOCK_NB) else { continue }
      Self.remove(Array(path.utf8))
      _ = unsafe unlink(lockPath)
      close(lock)
    }
  }

  /// Removes the folder, unless another worker uses it.
  func remove() {
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    Self.remove(Array(path.utf8))
    _ = unsafe unlink(lockPath)
  }

  /// Removes a folder with everything in it; links are removed, not followed.
  private static func remove(_ path: PathBytes) {
    if FileSystem.kind(of: path, followsLinks: false) == .folder {
      for name in FileSystem.names(in: path) { remove(path + [UInt8(ascii: "/")] + name) }
      _ = unsafe FileSystem.withPath(path) { unsafe rmdir($0) }
    } else {
      _ = unsafe FileSystem.withPath(path) { unsafe unlink($0) }
    }
  }
}
