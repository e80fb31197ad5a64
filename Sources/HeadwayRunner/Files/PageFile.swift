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
  private let found: (device: dev_t, file: ino_t)?

  /// Finds what is to be written, and opens it if it is no file.
  ///
  /// A link is followed.
  ///
  /// - Parameter path: A path of the user's choice.
  /// - Throws: `RunnerError.system` if it cannot be opened.
  package init(_ path: String) throws(RunnerError) {
    self.path = path
    var (link, status) = (stat(), stat())
    let exists = unsafe stat(path, &status) == 0
    found = exists ? (status.st_dev, status.st_ino) : nil
    guard unsafe lstat(path, &link) == 0, link.st_mode & S_IFMT != S_IFREG else {
      // The run changes the current directory.
      target = .file(absolutePath(path))
      return
    }
    if exists, status.st_mode & S_IFMT == S_IFREG, let resolved = unsafe realpath(path, nil) {
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
    var status = stat()
    guard let found, unsafe stat(other, &status) == 0 else { return false }
    return found.device == status.st_dev && found.file == status.st_ino
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
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
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
