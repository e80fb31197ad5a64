internal import Glibc

/// A path as bytes without NUL, which need not be valid UTF-8.
typealias PathBytes = [UInt8]

/// A pattern of files in a plan: `src/**/*.c`.
///
/// `*`, `?` and `[…]` match within a name, but not a leading dot. `**` matches any number of directories, except hidden
/// ones and links. A pattern that names a directory matches all files below it. Only regular files match, because
/// reading a pipe or a device may never end.
struct FilePattern {
  /// The parts between slashes.
  private let parts: [PathBytes]
  /// Whether the pattern begins at the root.
  private let isAbsolute: Bool

  /// The maximum depth of directories.
  private static let maxDepth = 256

  init(_ text: String) {
    parts = text.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }.filter {
      $0 != [UInt8(ascii: ".")]
    }
    isAbsolute = text.hasPrefix("/")
  }

  /// Finds the files that match.
  ///
  /// - Returns: Their paths, sorted by bytes, each once; empty when none matches.
  /// - Complexity: O(entries of the folders that the pattern leads through).
  func files() -> [PathBytes] {
    var found: Set<PathBytes> = []
    collect(parts[...], below: isAbsolute ? [UInt8(ascii: "/")] : [], level: 0, into: &found)
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Matches the rest of the pattern below a directory.
  private func collect(
    _ rest: ArraySlice<PathBytes>, below folder: PathBytes, level: Int,
    into found: inout Set<PathBytes>
  ) {
    guard level <= Self.maxDepth else { return }
    guard let part = rest.first else {
      return collectAll(below: folder, level: level, into: &found)
    }
    if part == Array("**".utf8) {
      // At the end of a pattern it means all files below, which are found in one pass.
      if rest.count == 1, !folder.isEmpty {
        return collectAll(below: folder, level: level, into: &found)
      }
      collect(rest.dropFirst(), below: folder, level: level, into: &found)
      for name in FileSystem.names(in: folder) where name.first != UInt8(ascii: ".") {
        let path = folder + name
        // Links may form a cycle.
        guard FileSystem.kind(of: path, followsLinks: false) == .folder else { continue }
        collect(rest, below: path + [UInt8(ascii: "/")], level: level + 1, into: &found)
      }
    } else if !part.contains(where: { "*?[\\".utf8.contains($0) }) {
      take(folder + part, rest.dropFirst(), level: level, into: &found)
    } else {
      for name in FileSystem.names(in: folder) where FileSystem.matches(name, pattern: part) {
        take(folder + name, rest.dropFirst(), level: level, into: &found)
      }
    }
  }

  /// Adds a file if the pattern ends here, or enters a directory.
  private func take(
    _ path: PathBytes, _ rest: ArraySlice<PathBytes>, level: Int, into found: inout Set<PathBytes>
  ) {
    switch FileSystem.kind(of: path, followsLinks: true) {
    case .folder: collect(rest, below: path + [UInt8(ascii: "/")], level: level + 1, into: &found)
    case .file where rest.isEmpty: found.insert(path)
    case .file, .other, nil: break
    }
  }

  /// Adds every file below a directory, except hidden files, and directories that are hidden or links.
  ///
  /// Following links would take exponential time in a directory with two links to itself.
  private func collectAll(below folder: PathBytes, level: Int, into found: inout Set<PathBytes>) {
    guard !folder.isEmpty, level <= Self.maxDepth else { return }
    for name in FileSystem.names(in: folder) where name.first != UInt8(ascii: ".") {
      let path = folder + name
      if FileSystem.kind(of: path, followsLinks: false) == .folder {
        collectAll(below: path + [UInt8(ascii: "/")], level: level + 1, into: &found)
      } else if FileSystem.kind(of: path, followsLinks: true) == .file {
        found.insert(path)
      }
    }
  }
}

/// Queries of the file system by paths that need not be valid UTF-8.
enum FileSystem {
  /// The kind of a file.
  enum Kind: Hashable {
    case file, folder, other
  }

  /// Calls a function with a path as a C string.
  static func withPath<Result>(_ path: PathBytes, _ body: (UnsafePointer<CChar>) -> Result)
    -> Result
  {
    unsafe (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
      // The array is not empty, because it has the NUL.
      guard let start = bytes.baseAddress else { preconditionFailure("no address") }
      return unsafe body(start)
    }
  }

  /// The kind of the file at a path, nil if there is none.
  static func kind(of path: PathBytes, followsLinks: Bool) -> Kind? {
    var status = stat()
    let result = unsafe withPath(path) {
      unsafe followsLinks ? stat($0, &status) : lstat($0, &status)
    }
    guard result == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  /// Whether a name matches a pattern of a shell.
  static func matches(_ name: PathBytes, pattern: PathBytes) -> Bool {
    unsafe withPath(name) { name in
      unsafe withPath(pattern) { pattern in unsafe fnmatch(pattern, name, FNM_PERIOD) == 0 }
    }
  }

  /// The names in a directory without `.` and `..`, unordered; empty if it cannot be read.
  static func names(in folder: PathBytes) -> [PathBytes] {
    let path = folder.isEmpty ? [UInt8(ascii: ".")] : folder
    guard let stream = unsafe withPath(path, { unsafe opendir($0) }) else { return [] }
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
