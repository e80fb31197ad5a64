/// A file that a person asked for, such as a report.
package enum PageFile {
  /// Puts a text in place whole.
  ///
  /// - Parameters:
  ///   - text: What the file holds afterwards.
  ///   - path: The file.
  ///   - makesFolder: Whether the folder is made where there is none.
  /// - Returns: 0, or the error that left an old file as it was.
  package static func write(_ text: String, to path: String, makesFolder: Bool) -> Int32 {
    if makesFolder, let slash = path.lastIndex(of: "/") {
      let error = makeFolder(String(path[..<slash]))
      if error != 0 { return error }
    }
    return replaceFile(path, with: Array(text.utf8))
  }
}
