public import Glibc
package import HeadwaySystem

/// The names in a directory without `.` and `..`, unordered.
public func folderEntries(_ path: String) -> [String] {
  FileSystem.names(in: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
}

/// Changes who may use a folder, which must exist; for programs there is `installProgram(_:at:)`.
public func setPermissions(_ permissions: mode_t, ofFolder path: String) {
  precondition(FileStatus(path, followsLinks: false)?.kind == .folder)
  precondition(unsafe chmod(path, permissions) == 0, "cannot change \(path): error \(errno)")
}

/// A temporary folder with files, removed with this object.
public final class Folder {
  /// The path, without a slash at its end.
  public let path: String

  /// Creates a folder with files in it, each holding its own name.
  public init(_ files: [String] = []) {
    var template = Array("/tmp/headway-tests-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { preconditionFailure("no temporary folder") }
    path = unsafe String(cString: made)
    for file in files { write(file, file) }
  }

  deinit { FileSystem.removeTree(Array(path.utf8)) }

  /// The folder, opened as a part of a state folder is.
  package func opened() throws -> PrivateDirectory {
    try PrivateDirectory(path: path, creates: false)
  }

  /// Writes a file, and makes the folders above it.
  public func write(_ name: String, _ text: String) {
    precondition(replaceFile(place(name), with: Array(text.utf8)) == 0)
  }

  /// Makes a program, and the folders above it.
  public func installProgram(_ name: String, _ text: String) {
    ProcessFixtures.installProgram(text, at: place(name))
  }

  /// The path of a file, whose folder is made if there is none.
  private func place(_ name: String) -> String {
    let whole = "\(path)/\(name)"
    let slash = whole.lastIndex(of: "/") ?? whole.startIndex
    precondition(makeFolder(String(whole[..<slash])) == 0)
    return whole
  }
}
