internal import HeadwayLibc

/// Reads at most a number of bytes of a file; empty if it cannot be read.
package func readFile(_ path: String, most limit: Int) -> [UInt8] {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  return readAll(file, limit: limit).bytes
}

/// Waits until the disk has stored what was written to an open file.
///
/// - Returns: An errno, or 0 if the file is stored or is not on a disk, such as a pipe.
package func waitForDisk(_ file: Int32) -> Int32 {
  #if canImport(Darwin)
    let isStored = fsync(file) == 0
  #else
    let isStored = fdatasync(file) == 0
  #endif
  if isStored { return 0 }
  // What file systems without a disk answer, and those that cannot store a directory by itself.
  return [EINVAL, EROFS, ENOTSUP].contains(errno) ? 0 : errno
}

/// Replaces a file as a whole: readers see the old contents or the new ones, also after a crash.
///
/// - Parameters:
///   - path: The file.
///   - directory: The descriptor of the directory that the path is relative to, nil for the current one.
///   - bytes: The new contents.
///   - permissions: Who may use the new file, less what the process's mask takes away.
/// - Returns: 0, or an errno if the old file was left as it was.
package func replaceFile(
  _ path: String, in directory: Int32? = nil, with bytes: [UInt8], permissions: UInt16 = 0o644
) -> Int32 {
  let directory = directory ?? AT_FDCWD
  let temporary = temporaryPath(beside: path)
  // A process with the same number may have left one behind; whatever is there is not written to.
  unsafe unlinkat(directory, temporary, 0)
  let file = unsafe openat(
    directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
    mode_t(permissions))
  guard file >= 0 else { return errno }
  var error = writeAll(file, bytes)
  if close(file) != 0 && error == 0 { error = errno }
  if error == 0 && (unsafe renameat(directory, temporary, directory, path)) != 0 { error = errno }
  if error != 0 { unsafe unlinkat(directory, temporary, 0) }
  return error
}

/// The most bytes of the name of a file that its temporary name begins with, so that it fits where the name does.
private let mostTemporaryBytes = 200

/// The path of the file that is about to replace another one.
private func temporaryPath(beside path: String) -> String {
  let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  var name = path[start...]
  while name.utf8.count > mostTemporaryBytes { name.unicodeScalars.removeLast() }
  return "\(path[..<start])\(name).\(getpid()).new"
}

/// Creates a directory and those above it.
///
/// - Parameters:
///   - path: The directory.
///   - permissions: Who may use the directories that are created, less what the process's mask takes away.
/// - Returns: 0, also if it exists, or an errno.
package func makeFolder(_ path: String, permissions: UInt16 = 0o755) -> Int32 {
  let mode = mode_t(permissions)
  if unsafe mkdir(path, mode) == 0 || errno == EEXIST { return 0 }
  guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
    return errno
  }
  let error = makeFolder(String(path[..<slash]), permissions: permissions)
  if error != 0 { return error }
  return unsafe mkdir(path, mode) == 0 || errno == EEXIST ? 0 : errno
}

/// A path as bytes without NUL, which need not be valid UTF-8.
package typealias PathBytes = [UInt8]

/// Directories, by paths that need not be valid UTF-8.
package enum FileSystem {
  /// Calls a function with a path as a C string.
  package static func withPath<Result>(
    _ path: PathBytes, _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    unsafe (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
      // The array is not empty, because it has the NUL.
      guard let start = bytes.baseAddress else { preconditionFailure("no address") }
      return unsafe body(start)
    }
  }

  /// Where a symbolic link points, nil if it is none or cannot be read.
  package static func target(ofLink path: PathBytes) -> PathBytes? {
    let most = Int(PATH_MAX)
    let target = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = unsafe withPath(path) { path in
        unsafe buffer.withMemoryRebound(to: CChar.self) { room in
          guard let start = room.baseAddress else { return 0 }
          return unsafe max(readlink(path, start, most), 0)
        }
      }
    }
    return target.isEmpty ? nil : target
  }

  /// Removes a file, or a folder with everything in it; links are removed, not followed.
  ///
  /// What cannot be removed stays.
  ///
  /// - Complexity: O(files). The deepest folder below `path` may be 4,096 bytes of names away.
  package static func removeTree(_ path: PathBytes) {
    if FileStatus(path, followsLinks: false)?.kind == .folder {
      for name in names(in: path) { removeTree(path + [UInt8(ascii: "/")] + name) }
      _ = unsafe withPath(path) { unsafe rmdir($0) }
    } else {
      _ = unsafe withPath(path) { unsafe unlink($0) }
    }
  }

  /// The names in a directory without `.` and `..`, unordered; empty if it cannot be read.
  package static func names(in folder: PathBytes) -> [PathBytes] {
    let path = folder.isEmpty ? [UInt8(ascii: ".")] : folder
    return names(
      inOpen: unsafe withPath(path) { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// The names in an open directory without `.` and `..`, unordered; empty if it cannot be read.
  ///
  /// - Parameter directory: Its descriptor, which this function closes; -1 if it could not be opened.
  /// - Returns: The names.
  static func names(inOpen directory: Int32) -> [PathBytes] {
    guard directory >= 0 else { return [] }
    guard let stream = unsafe fdopendir(directory) else {
      close(directory)
      return []
    }
    defer { unsafe closedir(stream) }
    var names: [PathBytes] = []
    while let entry = unsafe readdir(stream) {
      let name: PathBytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      if name != [0x2e] && name != [0x2e, 0x2e] { names.append(name) }
    }
    return names
  }
}

/// The folder of a path and the name in it; a name alone is in `.`.
package func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.lastIndex(of: "/") else { return (".", path) }
  let folder = slash == path.startIndex ? "/" : String(path[..<slash])
  return (folder, String(path[path.index(after: slash)...]))
}

/// The current directory.
package func currentFolder() -> String {
  guard let path = unsafe getcwd(nil, 0) else { return "." }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

/// The absolute form of a path, without `.` in it.
package func absolutePath(_ path: String) -> String {
  let whole = path.hasPrefix("/") ? path : "\(currentFolder())/\(path)"
  return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}
