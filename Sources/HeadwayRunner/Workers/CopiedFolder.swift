internal import HeadwayLibc
internal import HeadwaySystem

/// The folder of a run on a machine that does not share that of the plan: its files are copied there, and removed after the run.
///
/// ```
///   CACHE/headway/files/20261127-093000-1234/        the folder of the run
///   CACHE/headway/files/20261127-093000-1234.lock    locked by each of its workers that is alive
/// ```
///
/// Folders without such a worker are left over, and the next worker removes them: only those with a lock that a worker has made,
/// because whoever may write here may keep something here, too. `headway` and `files` are private directories, so nobody else can put
/// a folder, a link or a lock there. Not thread safe.
final class CopiedFolder {
  private static let lockSuffix = ".lock"
  /// What the locks of workers contain, so that they are not taken for those of other programs.
  private static let mark = Array("headway worker\n".utf8)

  /// The absolute path.
  let path: String
  private let run: String
  /// The folder of all runs.
  private let base: PrivateDirectory
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
  /// - Throws: `RunnerError` if it cannot be created, or others could change what is in it.
  init(below cache: String?, run: String) throws(RunnerError) {
    let base: PrivateDirectory
    do throws(DirectoryError) {
      base = try PrivateDirectory(
        path: "\(cache ?? Self.cache)/headway", creates: true, permissions: 0o700
      ).directory("files", creates: true, permissions: 0o700)
    } catch {
      throw .copies(error.path, error.reason)
    }
    (self.base, self.run) = (base, run)
    path = "\(base.path)/\(run)"
    // Whoever removes what is left over has it only for a moment.
    guard let lock = Self.locked(run, in: base, LOCK_SH) else {
      throw .system("cannot lock '\(path)\(Self.lockSuffix)'", errno)
    }
    self.lock = lock
    let written = unsafe Self.mark.withUnsafeBytes {
      unsafe pwrite(lock, $0.baseAddress, $0.count, 0)
    }
    guard written == Self.mark.count else {
      let error = written < 0 ? errno : ENOSPC
      close(lock)
      throw .system("cannot write '\(path)\(Self.lockSuffix)'", error)
    }
    do throws(DirectoryError) {
      _ = try base.directory(run, creates: true, permissions: 0o700)
    } catch {
      close(lock)
      throw .copies(error.path, error.reason)
    }
    removeLeftovers()
  }

  deinit { close(lock) }

  /// Opens and locks the lock of a run; nil if that is not possible.
  private static func locked(
    _ run: String, in base: PrivateDirectory, _ mode: Int32
  ) -> Int32? {
    let name = run + lockSuffix
    while true {
      let file = base.openForLocking(name)
      guard file >= 0 else { return nil }
      if flock(file, mode) == 0 {
        // Whoever had locked it may have removed it: then it protects nothing.
        if base.has(name, as: file) { return file }
        close(file)
        continue
      }
      let error = errno
      close(file)
      errno = error
      guard error == EINTR else { return nil }
    }
  }

  /// Removes the other folders that workers have made and none has locked.
  private func removeLeftovers() {
    for name in base.names() where name.hasSuffix(Self.lockSuffix) {
      let other = String(name.dropLast(Self.lockSuffix.count))
      guard other != run, !other.isEmpty,
        base.contents(of: name, most: Self.mark.count + 1) == Self.mark,
        let lock = Self.locked(other, in: base, LOCK_EX | LOCK_NB)
      else { continue }
      remove(other)
      close(lock)
    }
  }

  /// Removes the folder, unless another worker uses it.
  func remove() {
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    remove(run)
  }

  /// Removes the folder of a run, and then its lock, which is locked.
  private func remove(_ run: String) {
    FileSystem.removeTree(Array(base.descriptorPath(run).utf8))
    base.remove(run + Self.lockSuffix)
  }
}
