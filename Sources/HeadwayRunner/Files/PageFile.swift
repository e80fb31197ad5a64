internal import HeadwayLibc
package import HeadwayState
internal import HeadwaySystem

/// The file of a page that the user has asked for, such as a report.
///
/// What is to be written is found when the value is created, before the program opens files of its own: in `/dev/fd/3` the
/// number is one that the caller has opened, or none.
package final class PageFile {
  /// What is written to.
  private enum Target {
    /// A file, which is replaced as a whole.
    case file(String)
    /// A pipe, a device, or a file that was created for a link that led to none.
    case descriptor(Int32)
  }

  private let path: String
  private let target: Target
  /// The file that the page replaces, nil if there is none.
  private let found: FileStatus.Identity?

  /// Finds what is to be written, and opens it if it is no file.
  ///
  /// A link is followed.
  ///
  /// - Parameter path: A path of the user's choice.
  /// - Throws: `RunnerError.system` if it cannot be opened.
  package init(_ path: String) throws(RunnerError) {
    self.path = path
    let status = FileStatus(path)
    found = status?.identity
    guard let link = FileStatus(path, followsLinks: false), link.kind != .file else {
      // The run changes the current directory.
      target = .file(absolutePath(path))
      return
    }
    if status?.kind == .file, let resolved = unsafe realpath(path, nil) {
      defer { unsafe free(resolved) }
      if let text = unsafe String(validatingCString: resolved) {
        target = .file(text)
        return
      }
    }
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .system("cannot write '\(path)'", errno) }
    target = .descriptor(file)
  }

  deinit {
    if case .descriptor(let file) = target { close(file) }
  }

  /// Whether the page would replace another file.
  ///
  /// - Parameter other: The path of the other file.
  /// - Returns: Whether both are the same file.
  package func isFile(_ other: String) -> Bool {
    guard let found else { return false }
    return found == FileStatus(other)?.identity
  }

  /// Writes the page.
  ///
  /// - Parameter text: The page.
  /// - Throws: `RunnerError.system` if it cannot be written; an old file is left as it was then.
  package func write(_ text: String) throws(RunnerError) {
    let bytes = Array(text.utf8)
    let error =
      switch target {
      case .file(let path): replaceFile(path, with: bytes)
      case .descriptor(let file): writeAll(file, bytes)
      }
    if error != 0 { throw .system("cannot write '\(path)'", error) }
  }

  /// The number of bytes of the file now, 0 if it does not exist or is no file.
  package var size: Int {
    guard case .file(let path) = target else { return 0 }
    return FileStatus(path)?.size ?? 0
  }

  /// Writes text after what the file has.
  ///
  /// - Parameter text: The text.
  /// - Throws: `RunnerError.system` if it cannot be written; an old file is left as it was then.
  package func append(_ text: String) throws(RunnerError) {
    guard case .file(let name) = target else { return try write(text) }
    let file = unsafe open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .system("cannot write '\(path)'", errno) }
    defer { close(file) }
    let before = lseek(file, 0, SEEK_END)
    let error = writeAll(file, Array(text.utf8))
    guard error != 0 else { return }
    ftruncate(file, before)
    throw .system("cannot write '\(path)'", error)
  }

  /// Writes a page into the folder `reports` of a state folder.
  ///
  /// - Parameters:
  ///   - text: The page.
  ///   - name: The name of the file, without a slash.
  ///   - stateFolder: The path of the state folder.
  /// - Returns: The path of the file.
  /// - Throws: `StateError.folder` if it cannot be written; an old file is left as it was then.
  package static func write(_ text: String, named name: String, stateFolder: String)
    throws(StateError) -> String
  {
    let folder = try StateError.opening { () throws(DirectoryError) in
      try PrivateDirectory(path: stateFolder, creates: true).directory("reports", creates: true)
    }
    let path = "\(folder.path)/\(name)"
    let error = folder.replace(name, with: Array(text.utf8))
    if error != 0 { throw .cannotWrite(path, error) }
    return path
  }
}
