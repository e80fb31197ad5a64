internal import HeadwayLibc

/// The reason why a directory cannot be used.
package struct DirectoryError: Error, Hashable, Sendable {
  /// The path of the directory, or of what could not be done in it.
  package let path: String
  /// What is wrong, in words.
  package let reason: String
  /// The user whom the directory belongs to, nil if that is not what is wrong.
  package let owner: UInt32?

  /// Creates an error with a reason in words.
  package init(path: String, reason: String) {
    (self.path, self.reason, owner) = (path, reason, nil)
  }

  /// Creates an error for an error number of the system.
  init(path: String, code: Int32) {
    (self.path, reason, owner) = (path, errorDescription(code), nil)
  }

  /// Creates an error for a directory of another user.
  init(path: String, owner: UInt32) {
    self.path = path
    reason = "it belongs to another user (uid \(owner))"
    self.owner = owner
  }
}

/// A directory that only this user can change, held open.
///
/// Everything below it is opened relative to its descriptor, one name at a time, and links are never followed. So whoever
/// can write to a directory above it cannot make Headway write, read or remove anything elsewhere. Safe from any thread.
package final class PrivateDirectory: Sendable {
  /// The path, for messages.
  package let path: String
  /// The open directory.
  private let descriptor: Int32

  /// The flags of every file that is opened.
  ///
  /// Opening a pipe does not wait for its other end.
  private static let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
  /// The flags of every directory that is opened.
  private static let directoryFlags = flags | O_RDONLY | O_DIRECTORY

  /// Opens a directory.
  ///
  /// The last part of the path may be a link only if it belongs to this user.
  ///
  /// - Parameters:
  ///   - path: The path, without a trailing slash.
  ///   - creates: Whether it is created, with those above it, if it does not exist.
  ///   - permissions: Who may use the directories that are created, less what the process's mask takes away.
  /// - Throws: `DirectoryError` if it cannot be opened, belongs to another user or can be written by others.
  package init(
    path: String, creates: Bool, permissions: UInt16 = 0o755
  ) throws(DirectoryError) {
    if creates {
      let error = makeFolder(path, permissions: permissions)
      if error != 0 { throw DirectoryError(path: path, code: error) }
    }
    let link = FileStatus(path, followsLinks: false)
    let isOwnLink = link?.kind == .link && link?.owner == geteuid()
    let file = unsafe open(
      path, isOwnLink ? Self.directoryFlags & ~O_NOFOLLOW : Self.directoryFlags)
    self.path = path
    descriptor = file
    try check(errno)
  }

  /// Takes over an open directory, -1 if it could not be opened.
  private init(_ descriptor: Int32, error: Int32, path: String) throws(DirectoryError) {
    self.path = path
    self.descriptor = descriptor
    try check(error)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Checks that the directory is open, belongs to this user and cannot be written by others.
  private func check(_ error: Int32) throws(DirectoryError) {
    guard descriptor >= 0 else {
      // What Linux and macOS say about a link that must not be followed.
      if error == ELOOP || error == ENOTDIR {
        throw DirectoryError(path: path, reason: "it is not a directory")
      }
      throw DirectoryError(path: path, code: error)
    }
    guard let status = FileStatus(descriptor: descriptor) else {
      throw DirectoryError(path: path, code: errno)
    }
    guard status.owner == geteuid() else {
      throw DirectoryError(path: path, owner: status.owner)
    }
    guard status.permissions & 0o022 == 0 else {
      throw DirectoryError(
        path: path, reason: "other users can write to it (remove that with 'chmod go-w')")
    }
  }

  /// Whether its path still leads to it, so that what is written into it is kept.
  package var isInPlace: Bool {
    guard let identity else { return false }
    return FileStatus(path)?.identity == identity
  }

  /// Whether this and another one are the same directory, whatever their paths.
  package func isSame(as other: PrivateDirectory) -> Bool {
    identity.map { $0 == other.identity } ?? false
  }

  private var identity: FileStatus.Identity? { FileStatus(descriptor: descriptor)?.identity }

  /// A path to a name in it for calls that take no descriptor, short whatever the path of the directory.
  ///
  /// It leads into this directory as long as this object exists, also if the directory is moved. It is followed by the
  /// system, so the caller must know that the name itself is no link. Without `/proc`, it is the usual path.
  package func descriptorPath(_ name: String) -> String {
    let short = "/proc/self/fd/\(descriptor)"
    return unsafe access(short, F_OK) == 0 ? "\(short)/\(name)" : "\(path)/\(name)"
  }

  /// Waits until the disk has stored which names are in it.
  ///
  /// - Returns: 0, or an errno.
  package func sync() -> Int32 { waitForDisk(descriptor) }

  /// Waits until the disk has stored a file in it.
  ///
  /// - Returns: 0, or an errno, such as that of a file that does not exist.
  package func sync(_ name: String) -> Int32 {
    let file = openForReading(name)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return waitForDisk(file)
  }

  // MARK: Directories in it

  /// Opens a directory in this one.
  ///
  /// - Parameters:
  ///   - name: Its name, without a slash.
  ///   - creates: Whether it is created if it does not exist.
  ///   - permissions: Who may use it if it is created, less what the process's mask takes away.
  /// - Returns: The directory.
  /// - Throws: `DirectoryError`, as for the directory itself.
  package func directory(
    _ name: String, creates: Bool, permissions: UInt16 = 0o755
  ) throws(DirectoryError) -> PrivateDirectory {
    if creates, unsafe mkdirat(descriptor, name, mode_t(permissions)) != 0, errno != EEXIST {
      throw DirectoryError(path: "\(path)/\(name)", code: errno)
    }
    let file = unsafe openat(descriptor, name, Self.directoryFlags)
    return try PrivateDirectory(file, error: errno, path: "\(path)/\(name)")
  }

  /// Creates a directory in this one that does not exist yet.
  ///
  /// - Parameters:
  ///   - name: Its name, without a slash.
  ///   - permissions: Who may use it, less what the process's mask takes away.
  /// - Returns: 0, or an errno: `EEXIST` if there is something of that name.
  package func makeDirectory(_ name: String, permissions: UInt16 = 0o755) -> Int32 {
    unsafe mkdirat(descriptor, name, mode_t(permissions)) == 0 ? 0 : errno
  }

  /// The names in it without `.` and `..`, unordered; without names that are not valid UTF-8.
  package func names() -> [String] {
    let file = unsafe openat(descriptor, ".", Self.directoryFlags)
    return FileSystem.names(inOpen: file).compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Removes an empty directory.
  package func removeDirectory(_ name: String) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }

  // MARK: Files in it

  /// Opens a regular file to append to it; creates it if it does not exist.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  package func openForAppending(_ name: String) -> Int32 {
    let file = unsafe openat(
      descriptor, name, Self.flags | O_WRONLY | O_CREAT | O_APPEND, 0o644)
    return regular(file)
  }

  /// Opens a regular file that processes of this user lock; creates it if it does not exist.
  ///
  /// Others cannot open it: whoever may read a file may lock it for as long as he likes.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  package func openForLocking(_ name: String) -> Int32 {
    let file = regular(unsafe openat(descriptor, name, Self.flags | O_RDWR | O_CREAT, 0o600))
    // Earlier versions have let others read it.
    if file >= 0 { fchmod(file, 0o600) }
    return file
  }

  /// Whether a name still leads to an open file.
  package func has(_ name: String, as file: Int32) -> Bool {
    var (open, present) = (stat(), stat())
    return unsafe fstat(file, &open) == 0
      && fstatat(descriptor, name, &present, AT_SYMLINK_NOFOLLOW) == 0
      && open.st_ino == present.st_ino && open.st_dev == present.st_dev
  }

  /// Creates a file that does not exist yet; readers may see a part of it meanwhile.
  ///
  /// - Returns: 0, or an errno if there is no new file: `EEXIST` if there is something of that name.
  package func create(_ name: String, with bytes: [UInt8]) -> Int32 {
    let file = unsafe openat(
      descriptor, name, Self.flags | O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard file >= 0 else { return errno }
    let error = writeAll(file, bytes)
    close(file)
    if error != 0 { remove(name) }
    return error
  }

  /// Opens a regular file to read it.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  package func openForReading(_ name: String) -> Int32 {
    regular(unsafe openat(descriptor, name, Self.flags | O_RDONLY))
  }

  /// Closes a file that is not regular.
  private func regular(_ file: Int32) -> Int32 {
    guard file >= 0 else { return -1 }
    if FileStatus(descriptor: file)?.kind == .file { return file }
    close(file)
    errno = EINVAL
    return -1
  }

  /// Reads at most a number of bytes of a file; empty if it cannot be read.
  package func contents(of name: String, most limit: Int) -> [UInt8] {
    let file = openForReading(name)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return readAll(file, limit: limit).bytes
  }

  /// The number of bytes of a file, 0 if there is none.
  package func size(of name: String) -> Int {
    FileStatus(name, in: descriptor)?.size ?? 0
  }

  /// Whether there is a regular file of a name.
  package func hasFile(_ name: String) -> Bool { FileStatus(name, in: descriptor)?.kind == .file }

  /// Whether there is anything of a name.
  package func has(_ name: String) -> Bool { FileStatus(name, in: descriptor) != nil }

  /// Whether there is a socket of a name; a link to one is none.
  package func isSocket(_ name: String) -> Bool {
    FileStatus(name, in: descriptor)?.kind == .socket
  }

  /// How long ago what is at a name was changed, by the clock of the system; nil if nothing is there.
  ///
  /// It is negative if the clock was set back.
  package func age(of name: String) -> Duration? {
    var (status, now) = (stat(), timespec())
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      unsafe clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return nil }
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    // As durations, because times of files can be far apart.
    return .seconds(now.tv_sec) - .seconds(changed.tv_sec)
      + .nanoseconds(now.tv_nsec - changed.tv_nsec)
  }

  /// Replaces a file as a whole: readers see the old contents or the new ones, also after a crash.
  ///
  /// - Returns: 0, or an errno if the old file was left as it was.
  package func replace(
    _ name: String, with bytes: [UInt8], permissions: UInt16 = 0o644
  ) -> Int32 {
    replaceFile(name, in: descriptor, with: bytes, permissions: permissions)
  }

  /// Gives a file another name in this directory; a file that has that name is replaced.
  ///
  /// - Returns: 0, or an errno if nothing was changed.
  package func rename(_ name: String, to other: String) -> Int32 {
    unsafe renameat(descriptor, name, descriptor, other) == 0 ? 0 : errno
  }

  /// Gives a file a second name in this directory, unless that exists.
  ///
  /// - Returns: 0, or an errno if nothing was changed: `EEXIST` if there is something of that name.
  package func linkExclusively(_ name: String, to other: String) -> Int32 {
    unsafe linkat(descriptor, name, descriptor, other, 0) == 0 ? 0 : errno
  }

  /// Makes a link to another name in this directory, replacing another link.
  package func link(_ name: String, to target: String) {
    var status = stat()
    if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFLNK
    {
      remove(name)
    }
    unsafe symlinkat(target, descriptor, name)
  }

  /// Removes a file or a link, not what it leads to.
  package func remove(_ name: String) { unsafe unlinkat(descriptor, name, 0) }

  /// Removes a file that has certain contents.
  ///
  /// Who finds at the same time that a file is out of date does not remove the one that has taken its place: the directory is
  /// locked meanwhile, for other calls of this function.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - bytes: The contents; the file stays if it has others.
  package func remove(_ name: String, ifIts bytes: [UInt8]) {
    let lock = unsafe openat(descriptor, ".", Self.directoryFlags)
    guard lock >= 0 else { return }
    // Closing it unlocks the directory.
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0, contents(of: name, most: bytes.count + 1) == bytes else {
      return
    }
    remove(name)
  }
}
