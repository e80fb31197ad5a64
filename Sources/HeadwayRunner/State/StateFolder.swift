internal import Glibc
internal import HeadwayStore

/// The folder that keeps what outlives a run: logs, the record of contents, the history.
///
/// ```
/// .headway/
///   .gitignore            keeps all of it out of version control
///   logs/20261121-101500-4711/fetch.log
///   logs/latest           a link to the newest
///   contents/release/fetch  digests after the last success, by plan
///   history.sqlite        how long tasks took in earlier runs, and how they ended
/// ```
struct StateFolder {
  /// The path of the folder, without a slash at its end.
  let path: String
  /// The name of the run, unique in this folder.
  let run: String
  /// The name of the plan, as the name of a file.
  private let plan: String

  /// The logs of this many runs are kept.
  static let keptRuns = 20
  /// The most bytes of a file's name that a task's name may take; a number follows where it is cut.
  private static let mostName = 180

  /// Makes the folder ready for a run.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a slash at its end.
  ///   - plan: The name of the plan; tasks of different plans have nothing to do with each other.
  /// - Throws: `RunnerError.state` when it cannot be written.
  init(path: String, plan: String) throws(RunnerError) {
    self.path = path
    self.plan = Self.fileName(plan, place: 0)
    run = Self.runName()
    // Only a folder that is ours is kept out of version control.
    let isNew = FileSystem.kind(of: Array(path.utf8), followsLinks: true) == nil
    for folder in [logFolder, contentsFolder] {
      let error = makeFolder(folder)
      if error != 0 { throw .state(folder, error) }
    }
    if isNew {
      _ = replaceFile("\(path)/.gitignore", with: Array("*\n".utf8))
    }
    unsafe unlink("\(path)/logs/latest")
    unsafe symlink(run, "\(path)/logs/latest")
    forgetOldLogs()
  }

  /// Names a folder as it is, without a run and without making anything.
  init(existing path: String, plan: String) {
    self.path = path
    self.plan = Self.fileName(plan, place: 0)
    run = ""
  }

  /// The folder with the records of contents of the plan.
  private var contentsFolder: String { "\(path)/contents/\(plan)" }

  /// The path of the history of all plans.
  var historyPath: String { "\(path)/\(HistoryStore.fileName)" }

  /// The folder with the logs of this run.
  var logFolder: String { "\(path)/logs/\(run)" }

  /// The path of a task's log.
  func logPath(_ name: String, place: Int) -> String {
    "\(logFolder)/\(Self.fileName(name, place: place)).log"
  }

  /// The path of a task's record of contents.
  func contentsPath(_ name: String, place: Int) -> String {
    "\(contentsFolder)/\(Self.fileName(name, place: place))"
  }

  /// The name of a file for a task: the task's own where that is possible.
  static func fileName(_ name: String, place: Int) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      // What a file system would stumble over, or hide, is written as in a web address.
      let isHidden = scalar == "." && text.isEmpty
      if scalar.value < 0x20 || scalar.value == 0x7f || scalar == "/" || scalar == "%" || isHidden {
        text += "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    guard text.utf8.count > mostName else { return text }
    while text.utf8.count > mostName { text.removeLast() }
    return "\(text)-\(place)"
  }

  /// A name for a run that sorts by time.
  private static func runName() -> String {
    var seconds = time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
      guard let start = room.baseAddress else { return "" }
      let size = unsafe strftime(start, 64, "%Y%m%d-%H%M%S", &parts)
      return unsafe size > 0 ? String(cString: start) : ""
    }
    return "\(text)-\(getpid())"
  }

  /// Whether a run may still be going: its name ends in the number of its process.
  private static func isAlive(_ run: String) -> Bool {
    guard let number = run.split(separator: "-").last.flatMap({ pid_t($0) }), number > 1 else {
      return false
    }
    return kill(number, 0) == 0 || errno == EPERM
  }

  /// Removes the logs of the oldest runs.
  private func forgetOldLogs() {
    let runs = folderEntries("\(path)/logs").filter { $0.first?.isNumber ?? false }
      .sorted()
    for old in runs.dropLast(Self.keptRuns) where !Self.isAlive(old) {
      let folder = "\(path)/logs/\(old)"
      // Only files that we made, and no folder that holds anything else.
      for entry in folderEntries(folder) where entry.hasSuffix(".log") {
        unsafe unlink("\(folder)/\(entry)")
      }
      unsafe rmdir(folder)
    }
  }
}
