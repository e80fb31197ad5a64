internal import Glibc
internal import HeadwaySystem

/// Reads at most a number of bytes of a file; empty if it cannot be read.
func readFile(_ path: String, most limit: Int) -> [UInt8] {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  return readAll(file, limit: limit).bytes
}

/// Replaces a file as a whole: readers see the old contents or the new ones, also after a crash.
///
/// - Parameters:
///   - path: The file.
///   - directory: The descriptor of the directory that the path is relative to.
///   - bytes: The new contents.
/// - Returns: 0, or an errno if the old file was left as it was.
func replaceFile(_ path: String, in directory: Int32 = AT_FDCWD, with bytes: [UInt8]) -> Int32 {
  let temporary = "\(path).\(getpid()).new"
  // A process with the same number may have left one behind; whatever is there is not written to.
  unsafe unlinkat(directory, temporary, 0)
  let file = unsafe openat(
    directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
  guard file >= 0 else { return errno }
  var error = writeAll(file, bytes)
  if close(file) != 0 && error == 0 { error = errno }
  if error == 0 && (unsafe renameat(directory, temporary, directory, path)) != 0 { error = errno }
  if error != 0 { unsafe unlinkat(directory, temporary, 0) }
  return error
}

/// Creates a directory and those above it.
///
/// - Returns: 0, also if it exists, or an errno.
func makeFolder(_ path: String) -> Int32 {
  if unsafe mkdir(path, 0o755) == 0 || errno == EEXIST { return 0 }
  guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
    return errno
  }
  let error = makeFolder(String(path[..<slash]))
  if error != 0 { return error }
  return unsafe mkdir(path, 0o755) == 0 || errno == EEXIST ? 0 : errno
}

/// The current directory.
func currentFolder() -> String {
  guard let path = unsafe getcwd(nil, 0) else { return "." }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

/// The absolute form of a path, without `.` in it.
func absolutePath(_ path: String) -> String {
  let whole = path.hasPrefix("/") ? path : "\(currentFolder())/\(path)"
  return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}

/// Changes the current directory.
///
/// - Throws: `RunnerError.folder` if that fails.
func enterFolder(_ path: String) throws(RunnerError) {
  if unsafe chdir(path) != 0 { throw .folder(path, errno) }
}
