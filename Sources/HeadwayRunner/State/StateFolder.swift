internal import Glibc
internal import HeadwayStore

/// The state folder: what is stored beyond a run.
///
/// ```
/// .headway/
///   .gitignore                           ignores the whole folder
///   logs/20261121-101500-4711/fetch.log  the output of a task
///   logs/latest                          a link to the newest run
///   contents/release/fetch               digests after the last success, by plan
///   history.sqlite                       durations and outcomes of earlier runs
/// ```
struct StateFolder {
  /// The path of the folder, without a trailing slash.
  let path: String
  /// The name of the run, unique in this folder.
  let run: String
  /// The name of the plan as a file name.
  private let plan: String

  /// The number of runs whose logs are kept.
  static let keptRuns = 20
  /// The maximum number of bytes of a task's name in a file name; a longer one is cut and followed by an index.
  private static let maxNameBytes = 180

  /// Creates the folder of a run, and removes old logs.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a trailing slash.
  ///   - plan: The name of the plan; records are kept for each plan.
  /// - Throws: `RunnerError.state` if it cannot be written.
  init(path: String, plan: String) throws(RunnerError) {
    self.path = path
    self.plan = Self.fileName(plan, index: 0)
    run = Self.runName()
    // An existing folder belongs to the user, so it is not added to git's ignored files.
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
    removeOldLogs()
  }

  /// Names an existing folder, without a run and without creating anything.
  init(existing path: String, plan: String) {
    self.path = path
    self.plan = Self.fileName(plan, index: 0)
    run = ""
  }

  /// The folder of the plan's content records.
  private var contentsFolder: String { "\(path)/contents/\(plan)" }

  /// The path of the history.
  var historyPath: String { "\(path)/\(HistoryStore.fileName)" }

  /// The folder of this run's logs.
  var logFolder: String { "\(path)/logs/\(run)" }

  /// The path of a task's log.
  func logPath(_ name: String, index: Int) -> String {
    "\(logFolder)/\(Self.fileName(name, index: index)).log"
  }

  /// The path of a task's content record.
  func contentsPath(_ name: String, index: Int) -> String {
    "\(contentsFolder)/\(Self.fileName(name, index: index))"
  }

  /// The file name for a task, unique in its plan: its own name where possible, otherwise its beginning and its index
  /// after `%-`, which no name contains that is not cut.
  static func fileName(_ name: String, index: Int) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      // Percent-encoded: characters that file names cannot have, and a dot that would hide the file.
      let isHidden = scalar == "." && text.isEmpty
      if scalar.value < 0x20 || scalar.value == 0x7f || scalar == "/" || scalar == "%" || isHidden {
        text += "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    guard text.utf8.count > maxNameBytes else { return text }
    while text.utf8.count > maxNameBytes { text.removeLast() }
    return "\(text)%-\(index)"
  }

  /// A name for a run: its time, so that names sort, and the process number.
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

  /// The process number at the end of the name of a run, nil if a name is not that of a run: `20261121-101500-4711`.
  static func processNumber(of name: String) -> pid_t? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 8, parts[1].utf8.count == 6,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    return pid_t(parts[2])
  }

  /// Whether a process exists, so that its run may still be running.
  private static func isAlive(_ process: pid_t) -> Bool {
    process > 1 && (kill(process, 0) == 0 || errno == EPERM)
  }

  /// Removes the logs of the oldest runs.
  private func removeOldLogs() {
    let runs = folderEntries("\(path)/logs").sorted().compactMap { name in
      Self.processNumber(of: name).map { (name: name, process: $0) }
    }
    for old in runs.dropLast(Self.keptRuns) where !Self.isAlive(old.process) {
      let folder = "\(path)/logs/\(old.name)"
      // Only logs; a folder with other files stays.
      for entry in folderEntries(folder) where entry.hasSuffix(".log") {
        unsafe unlink("\(folder)/\(entry)")
      }
      unsafe rmdir(folder)
    }
  }
}
