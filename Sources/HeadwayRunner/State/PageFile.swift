/// A file that the user has asked for, such as a report.
package enum PageFile {
  /// Replaces the file as a whole.
  ///
  /// - Parameters:
  ///   - text: The new contents.
  ///   - path: The file.
  ///   - makesFolder: Whether its directory is created if it does not exist.
  /// - Returns: 0, or an errno if an old file was left as it was.
  package static func write(_ text: String, to path: String, makesFolder: Bool) -> Int32 {
    if makesFolder, let slash = path.lastIndex(of: "/") {
      let error = makeFolder(String(path[..<slash]))
      if error != 0 { return error }
    }
    return replaceFile(path, with: Array(text.utf8))
  }
}
