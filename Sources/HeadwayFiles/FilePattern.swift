internal import HeadwayLibc
package import HeadwaySystem

/// A pattern of files in a plan: `src/**/*.c`.
///
/// `*`, `?` and `[…]` match within a name, but not a leading dot. `**` matches any number of directories, except hidden
/// ones and links. A pattern that names a directory, such as `.`, matches all files below it. Only regular files match,
/// because reading a pipe or a device may never end.
package struct FilePattern {
  /// The parts between slashes.
  private let parts: [PathBytes]
  /// Whether the pattern begins at the root.
  private let isAbsolute: Bool
  /// The maximum number of files and directories of one search.
  private let maxEntries: Int

  /// The maximum depth of directories.
  private static let maxDepth = 256

  /// Creates a pattern.
  ///
  /// - Parameters:
  ///   - text: The pattern as in a plan.
  ///   - maxEntries: The maximum number of files and directories of one search.
  package init(_ text: String, maxEntries: Int = 1_000_000) {
    var parts: [PathBytes] = []
    let names = text.utf8.split(separator: UInt8(ascii: "/"))
    for (index, name) in names.enumerated() {
      var part = Array(name)
      // A backslash before a slash means the slash, as in the C library.
      let precedesSlash = index < names.count - 1 || text.hasSuffix("/")
      if precedesSlash,
        !part.reversed().prefix(while: { $0 == Self.backslash }).count.isMultiple(of: 2)
      {
        part.removeLast()
        if part.isEmpty { continue }
      }
      // Two of them in a row match what one does.
      let isRepeated = part == Self.anyDepth && parts.last == Self.anyDepth
      if part != [UInt8(ascii: ".")] && !isRepeated { parts.append(part) }
    }
    self.parts = parts
    isAbsolute = text.isAbsolutePattern
    self.maxEntries = maxEntries
  }

  /// The part of a pattern that matches any number of directories.
  private static let anyDepth = Array("**".utf8)

  private static let backslash = UInt8(ascii: "\\")

  /// What a search has found.
  package struct Found {
    /// The paths of the files, sorted by bytes, each once; empty when none matches.
    package var files: [PathBytes] = []
    /// The limit that ended the search, in words; nil if it found everything.
    package var exceededLimit: String?
    /// The paths of the folders in which a file that matches could appear, as far as they exist.
    package var folders: Set<PathBytes> = []
  }

  /// Finds the files that match.
  ///
  /// - Parameters:
  ///   - folder: The folder to which a relative pattern belongs, nil for the current one.
  ///   - interruption: Ends the search when it is set.
  /// - Returns: What was found; the paths are relative to the folder unless the pattern is absolute.
  /// - Complexity: O(entries of the folders that the pattern leads through), for each `**` in it.
  package func search(in folder: String? = nil, until interruption: Interruption = Interruption())
    -> Found
  {
    var search = Search(interruption: interruption, maxEntries: maxEntries)
    let start = isAbsolute ? [UInt8(ascii: "/")] : folder.map { Array("\($0)/".utf8) } ?? []
    search.collect(parts[...], below: start, level: 0)
    let prefix = isAbsolute ? 0 : start.count
    return Found(
      files: search.found.map { Array($0.dropFirst(prefix)) }
        .sorted { $0.lexicographicallyPrecedes($1) },
      exceededLimit: search.exceededLimit, folders: search.folders)
  }

  /// A search in progress.
  private struct Search {
    let interruption: Interruption
    let maxEntries: Int
    var found: Set<PathBytes> = []
    /// The folders that were searched, or in which a file was looked for.
    var folders: Set<PathBytes> = []
    var exceededLimit: String?
    /// The number of files and directories so far.
    private var entries = 0
    /// The directories that were searched for the rest of a pattern, which several ways can lead to.
    private var visited: Set<Visit> = []

    private struct Visit: Hashable {
      let folder: PathBytes
      let partsLeft: Int
    }

    init(interruption: Interruption, maxEntries: Int) {
      self.interruption = interruption
      self.maxEntries = maxEntries
    }

    /// Matches the rest of a pattern below a directory.
    mutating func collect(_ rest: ArraySlice<PathBytes>, below folder: PathBytes, level: Int) {
      guard let part = rest.first else { return collectAll(below: folder, level: level) }
      guard visited.insert(Visit(folder: folder, partsLeft: rest.count)).inserted else { return }
      if part == FilePattern.anyDepth {
        // At the end of a pattern it means all files below, which are found in one pass.
        if rest.count == 1 { return collectAll(below: folder, level: level) }
        collect(rest.dropFirst(), below: folder, level: level)
        for name in names(in: folder, level) where name.first != UInt8(ascii: ".") {
          let path = folder + name
          // Links may form a cycle.
          guard FileStatus(path, followsLinks: false)?.kind == .folder else { continue }
          collect(rest, below: path + [UInt8(ascii: "/")], level: level + 1)
        }
      } else if !part.contains(where: \.isPatternCharacter) {
        folders.insert(folder.isEmpty ? [UInt8(ascii: ".")] : folder)
        take(folder + part, rest.dropFirst(), level: level)
      } else {
        for name in names(in: folder, level) where FileSystem.matches(name, pattern: part) {
          take(folder + name, rest.dropFirst(), level: level)
        }
      }
    }

    /// Adds a file if the pattern ends here, or enters a directory.
    private mutating func take(_ path: PathBytes, _ rest: ArraySlice<PathBytes>, level: Int) {
      switch FileStatus(path)?.kind {
      case .folder: collect(rest, below: path + [UInt8(ascii: "/")], level: level + 1)
      case .file where rest.isEmpty: found.insert(path)
      default: break
      }
    }

    /// Adds every file below a directory, except hidden files, and directories that are hidden or links.
    ///
    /// Following links would take exponential time in a directory with two links to itself.
    private mutating func collectAll(below folder: PathBytes, level: Int) {
      // A pattern such as `**/*` leads here from every level above.
      guard visited.insert(Visit(folder: folder, partsLeft: 0)).inserted else { return }
      for name in names(in: folder, level) where name.first != UInt8(ascii: ".") {
        let path = folder + name
        if FileStatus(path, followsLinks: false)?.kind == .folder {
          collectAll(below: path + [UInt8(ascii: "/")], level: level + 1)
        } else if FileStatus(path)?.kind == .file {
          found.insert(path)
        }
      }
    }

    /// The names in a directory; none once the search is interrupted or a limit is exceeded.
    private mutating func names(in folder: PathBytes, _ level: Int) -> [PathBytes] {
      if interruption.isDue() || exceededLimit != nil { return [] }
      if level > maxDepth {
        exceededLimit = "more than \(maxDepth) levels of folders"
        return []
      }
      folders.insert(folder.isEmpty ? [UInt8(ascii: ".")] : folder)
      let names = FileSystem.names(in: folder)
      entries += names.count
      if entries > maxEntries { exceededLimit = "more than \(maxEntries) files and folders" }
      return names
    }
  }
}

extension FileSystem {
  /// Whether a name matches a pattern of a shell.
  package static func matches(_ name: PathBytes, pattern: PathBytes) -> Bool {
    unsafe withPath(name) { name in
      unsafe withPath(pattern) { pattern in unsafe fnmatch(pattern, name, FNM_PERIOD) == 0 }
    }
  }
}
