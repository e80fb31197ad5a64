internal import Glibc

/// A pattern of files as plans have it: `src/**/*.c`.
///
/// `*`, `?` and `[…]` match within a name and never a leading dot; `**` stands for any number of folders, but
/// for those that begin with a dot. A pattern that names a folder means every file below it.
struct FilePattern {
  /// The parts between slashes.
  private let parts: [Substring]
  /// Whether the pattern begins at the root.
  private let isAbsolute: Bool

  /// The most folders that are entered one below the other; a link may lead in a circle.
  private static let mostLevels = 64

  /// Creates a pattern.
  init(_ text: String) {
    parts = text.split(separator: "/").filter { $0 != "." }
    isAbsolute = text.hasPrefix("/")
  }

  /// Finds the files that match.
  ///
  /// - Returns: Their paths, sorted by bytes, each once; empty when none matches.
  /// - Complexity: O(entries of the folders that the pattern leads through).
  func files() -> [String] {
    var found: Set<String> = []
    collect(parts[...], below: isAbsolute ? "/" : "", level: 0, into: &found)
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Follows the rest of the pattern below a folder.
  private func collect(
    _ rest: ArraySlice<Substring>, below folder: String, level: Int, into found: inout Set<String>
  ) {
    guard level <= Self.mostLevels else { return }
    guard let part = rest.first else {
      return collectAll(below: folder, level: level, into: &found)
    }
    if part == "**" {
      collect(rest.dropFirst(), below: folder, level: level, into: &found)
      for entry in folderEntries(folder) where !entry.name.hasPrefix(".") {
        let path = folder + entry.name
        if entry.isFolder ?? isFolder(path) ?? false {
          collect(rest, below: path + "/", level: level + 1, into: &found)
        }
      }
      return
    }
    if !part.contains(where: { "*?[\\".contains($0) }) {
      return take(folder + part, rest.dropFirst(), level: level, into: &found)
    }
    for entry in folderEntries(folder)
    where unsafe fnmatch(String(part), entry.name, FNM_PERIOD) == 0 {
      take(folder + entry.name, rest.dropFirst(), level: level, into: &found)
    }
  }

  /// Takes a path whose name matched: a file when the pattern ends here, a folder to go on in.
  private func take(
    _ path: String, _ rest: ArraySlice<Substring>, level: Int, into found: inout Set<String>
  ) {
    switch isFolder(path) {
    case true?: collect(rest, below: path + "/", level: level + 1, into: &found)
    case false? where rest.isEmpty: found.insert(path)
    default: break
    }
  }

  /// Takes every file below a folder, but for those whose name begins with a dot.
  private func collectAll(below folder: String, level: Int, into found: inout Set<String>) {
    guard !folder.isEmpty else { return }
    for entry in folderEntries(folder) where !entry.name.hasPrefix(".") {
      take(folder + entry.name, [], level: level, into: &found)
    }
  }
}
