internal import Glibc
internal import HeadwaySystem

/// A page that the user has asked for, such as a report.
package enum PageFile {
  /// Writes a page into the folder `reports` of a state folder.
  ///
  /// - Parameters:
  ///   - text: The page.
  ///   - name: The name of the file, without a slash.
  ///   - stateFolder: The path of the state folder.
  /// - Returns: The path of the file.
  /// - Throws: `RunnerError.state` if it cannot be written; an old file is left as it was then.
  package static func write(_ text: String, named name: String, stateFolder: String)
    throws(RunnerError) -> String
  {
    let folder = try PrivateDirectory(path: stateFolder, creates: true)
      .directory("reports", creates: true)
    let path = "\(folder.path)/\(name)"
    let error = folder.replace(name, with: Array(text.utf8))
    if error != 0 { throw .cannotWrite(path, error) }
    return path
  }

  /// Writes a page to a path of the user's choice: replaces a file as a whole, and writes into a pipe or a device.
  ///
  /// A link is followed: what it leads to is written.
  ///
  /// - Throws: `RunnerError.system` if it cannot be written; an old file is left as it was then.
  package static func write(_ text: String, to path: String) throws(RunnerError) {
    let error = write(Array(text.utf8), to: path)
    if error != 0 { throw .system("cannot write '\(path)'", error) }
  }

  private static func write(_ bytes: [UInt8], to path: String) -> Int32 {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
      return replaceFile(path, with: bytes)
    }
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let target = unsafe realpath(path, nil)
    {
      defer { unsafe free(target) }
      return unsafe replaceFile(String(cString: target), with: bytes)
    }
    // A pipe, a device, or a link to a file that does not exist yet.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { return errno }
    let error = writeAll(file, bytes)
    return close(file) != 0 && error == 0 ? errno : error
  }
}
