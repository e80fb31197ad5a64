internal import Glibc
internal import HeadwaySystem

/// A directory that only this user can change, held open.
///
/// Everything below it is opened relative to its descriptor, one name at a time, and links are never followed. So whoever
/// can write to a directory above it cannot make Headway write, read or remove anything elsewhere. Safe from any thread.
final class PrivateDirectory: Sendable {
  /// The path, for messages.
  let path: String
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
  /// - Throws: `RunnerError.state` if it cannot be opened, belongs to another user or can be written by others.
  init(path: String, creates: Bool) throws(RunnerError) {
    if creates {
      let error = makeFolder(path)
      if error != 0 { throw .cannotWrite(path, error) }
    }
    var link = stat()
    let isOwnLink =
      unsafe lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
      && link.st_uid == geteuid()
    let file = unsafe open(
      path, isOwnLink ? Self.directoryFlags & ~O_NOFOLLOW : Self.directoryFlags)
    self.path = path
    descriptor = file
    try check(errno)
  }

  /// Takes over an open directory, -1 if it could not be opened.
  private init(_ descriptor: Int32, error: Int32, path: String) throws(RunnerError) {
    self.path = path
    self.descriptor = descriptor
    try check(error)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Checks that the directory is open, belongs to this user and cannot be written by others.
  private func check(_ error: Int32) throws(RunnerError) {
    guard descriptor >= 0 else {
      // What Linux and macOS say about a link that must not be followed.
      if error == ELOOP || error == ENOTDIR { throw .state(path, "it is not a directory") }
      throw .cannotWrite(path, error)
    }
    let status = try status()
    guard status.st_uid == geteuid() else {
      throw .state(path, "it belongs to another user (uid \(status.st_uid))")
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .state(path, "other users can write to it (remove that with 'chmod go-w')")
    }
  }

  private func status() throws(RunnerError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotWrite(path, errno) }
    return status
  }

  /// Whether its path still leads to it, so that what is written into it is kept.
  var isInPlace: Bool {
    var now = stat()
    guard let status = try? status(), unsafe stat(path, &now) == 0 else { return false }
    return status.st_dev == now.st_dev && status.st_ino == now.st_ino
  }

  // MARK: Directories in it

  /// Opens a directory in this one.
  ///
  /// - Parameters:
  ///   - name: Its name, without a slash.
  ///   - creates: Whether it is created if it does not exist.
  /// - Returns: The directory.
  /// - Throws: `RunnerError.state`, as for the directory itself.
  func directory(_ name: String, creates: Bool) throws(RunnerError) -> PrivateDirectory {
    if creates, unsafe mkdirat(descriptor, name, 0o755) != 0, errno != EEXIST {
      throw .cannotWrite("\(path)/\(name)", errno)
    }
    let file = unsafe openat(descriptor, name, Self.directoryFlags)
    return try PrivateDirectory(file, error: errno, path: "\(path)/\(name)")
  }

  /// The names in it without `.` and `..`, unordered; without names that are not valid UTF-8.
  func names() -> [String] {
    let file = unsafe openat(descriptor, ".", Self.directoryFlags)
    guard file >= 0, let stream = unsafe fdopendir(file) else { return [] }
    defer { unsafe closedir(stream) }
    return unsafe FileSystem.names(in: stream).compactMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  /// Removes an empty directory.
  func removeDirectory(_ name: String) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }

  // MARK: Files in it

  /// Opens a regular file to append to it; creates it if it does not exist.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  func openForAppending(_ name: String) -> Int32 {
    let file = unsafe openat(
      descriptor, name, Self.flags | O_WRONLY | O_CREAT | O_APPEND, 0o644)
    return regular(file)
  }

  /// Opens a regular file to read it.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  func openForReading(_ name: String) -> Int32 {
    regular(unsafe openat(descriptor, name, Self.flags | O_RDONLY))
  }

  /// Closes a file that is not regular.
  private func regular(_ file: Int32) -> Int32 {
    var status = stat()
    guard file >= 0, unsafe fstat(file, &status) == 0 else { return -1 }
    if status.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    errno = EINVAL
    return -1
  }

  /// Reads at most a number of bytes of a file; empty if it cannot be read.
  func contents(of name: String, most limit: Int) -> [UInt8] {
    let file = openForReading(name)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return readAll(file, limit: limit).bytes
  }

  /// Whether there is a regular file of a name.
  func hasFile(_ name: String) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFREG
  }

  /// Replaces a file as a whole: readers see the old contents or the new ones, also after a crash.
  ///
  /// - Returns: 0, or an errno if the old file was left as it was.
  func replace(_ name: String, with bytes: [UInt8]) -> Int32 {
    replaceFile(name, in: descriptor, with: bytes)
  }

  /// Makes a link to another name in this directory, replacing another link.
  func link(_ name: String, to target: String) {
    var status = stat()
    if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFLNK
    {
      remove(name)
    }
    unsafe symlinkat(target, descriptor, name)
  }

  /// Removes a file or a link, not what it leads to.
  func remove(_ name: String) { unsafe unlinkat(descriptor, name, 0) }
}
