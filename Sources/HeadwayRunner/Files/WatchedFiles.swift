internal import HeadwayFiles
internal import HeadwayLibc
package import HeadwayPlan
package import HeadwaySystem
internal import HeadwayText

/// The files whose changes make a run worth repeating: those that tasks read and that no task writes, and those of the plan.
package struct WatchedFiles: Hashable, Sendable {
  /// What changes when a file is written or replaced.
  private struct Stamp: Hashable {
    let size: Int
    let modified: Duration
    let identity: FileStatus.Identity
  }

  private var stamps: [PathBytes: Stamp] = [:]
  /// The folders in which such a file could appear or change.
  package private(set) var folders: Set<PathBytes> = []
  /// Whether a task has inputs.
  package private(set) var hasInputs = false

  /// The number of files.
  package var count: Int { stamps.count }

  /// Looks at files.
  ///
  /// - Parameters:
  ///   - plan: The plan, reduced to the tasks that are run; nil while it has errors.
  ///   - files: The files of the plan itself.
  ///   - folder: The folder of the plan.
  /// - Complexity: O(entries of the folders that the patterns lead through).
  package init(of plan: Plan?, files: [String], in folder: String) {
    var written: Set<PathBytes> = []
    for pattern in Self.distinct(plan?.tasks.flatMap(\.outputs)) {
      written.formUnion(FilePattern(pattern).search(in: folder).files)
    }
    let inputs = Self.distinct(plan?.tasks.flatMap(\.inputs))
    hasInputs = !inputs.isEmpty
    for pattern in inputs {
      let found = FilePattern(pattern).search(in: folder)
      folders.formUnion(found.folders)
      for file in found.files where !written.contains(file) {
        stamps[file] = Self.stamp(of: Self.path(of: file, in: folder))
      }
    }
    for file in files {
      let path = Array(file.utf8)
      stamps[path] = Self.stamp(of: path)
      let parent = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) }
      folders.insert(parent ?? [UInt8(ascii: ".")])
    }
  }

  /// Patterns, each once.
  private static func distinct(_ patterns: [String]?) -> [String] {
    Set((patterns ?? []).map { ExactText($0) }).map { String($0.text) }
  }

  /// Whether no file has changed, appeared or disappeared between two looks.
  package static func == (first: WatchedFiles, second: WatchedFiles) -> Bool {
    first.stamps == second.stamps
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(stamps) }

  private static func path(of file: PathBytes, in folder: String) -> PathBytes {
    file.first == UInt8(ascii: "/") ? file : Array("\(folder)/".utf8) + file
  }

  private static func stamp(of path: PathBytes) -> Stamp? {
    FileStatus(path).map {
      Stamp(size: $0.size, modified: $0.modified, identity: $0.identity)
    }
  }
}
