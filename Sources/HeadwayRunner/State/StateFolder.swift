internal import Glibc
package import HeadwayStore
internal import HeadwaySystem

/// The state folder: what is stored beyond a run.
///
/// ```
/// .headway/
///   .gitignore                           ignores the whole folder
///   logs/20261121-101500-4711/fetch.log  the output of a task
///   logs/20261121-101500-4711/.headway-run  marks the folder as that of a run
///   logs/latest                          a link to the newest run
///   contents/release/fetch               digests after the last success, by plan
///   secrets.key                          the key of the digests of secrets, in a plan that has some
///   history.sqlite                       durations and outcomes of earlier runs
/// ```
///
/// Everything in it is opened through `PrivateDirectory`: a folder of another user is refused, and links are not followed.
/// Only logs of runs that carry the marker of a run are ever removed.
struct StateFolder: Sendable {
  /// The name of the run, unique in this folder; empty for a folder without a run.
  let run: String
  /// The path of the folder, without a trailing slash.
  private let path: String
  /// The folder, nil if it does not exist.
  private let root: PrivateDirectory?
  /// The folder of this run's logs, nil without a run.
  let logs: PrivateDirectory?
  /// The folder of the plan's content records, nil if it does not exist.
  private let contents: PrivateDirectory?

  /// The number of runs whose logs are kept.
  static let keptRuns = 20
  /// The link to the logs of the newest run.
  static let latest = "latest"
  /// The file in a folder of logs that shows that a run has created it.
  static let marker = ".headway-run"
  /// The file of the key of the digests of secrets.
  static let secretKeyName = "secrets.key"
  /// The maximum number of bytes of a name in a file name; a longer one is cut and followed by what tells it apart.
  private static let maxNameBytes = 180

  /// Creates the folder of a run, and removes old logs.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a trailing slash.
  ///   - plan: The name of the plan; records are kept for each plan.
  /// - Throws: `RunnerError.state` if it cannot be written, belongs to another user or can be written by others.
  init(path: String, plan: String) throws(RunnerError) {
    // An existing folder belongs to the user, so it is not added to git's ignored files.
    let isNew = FileSystem.kind(of: Array(path.utf8), followsLinks: false) == nil
    let root = try RunnerError.opening { () throws(DirectoryError) in
      try PrivateDirectory(path: path, creates: true)
    }
    if isNew { _ = root.replace(".gitignore", with: Array("*\n".utf8)) }
    let run = Self.runName()
    let (contents, allLogs, logs) = try RunnerError.opening { () throws(DirectoryError) in
      let contents = try root.directory("contents", creates: true)
        .directory(Self.folderName(ofPlan: plan), creates: true)
      let allLogs = try root.directory("logs", creates: true)
      return (contents, allLogs, try allLogs.directory(run, creates: true))
    }
    let error = logs.replace(Self.marker, with: Array("The logs of a run of headway.\n".utf8))
    if error != 0 { throw .cannotWrite("\(logs.path)/\(Self.marker)", error) }
    allLogs.link(Self.latest, to: run)
    Self.removeOldLogs(in: allLogs)
    self.run = run
    self.path = path
    self.root = root
    self.logs = logs
    self.contents = contents
  }

  /// Opens a folder that may not exist, without creating anything.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a trailing slash.
  ///   - plan: The name of the plan.
  ///   - run: The name of an earlier run whose logs are read, empty for none.
  /// - Throws: `RunnerError.state` if it belongs to another user or can be written by others.
  init(existing path: String, plan: String, run: String = "") throws(RunnerError) {
    self.path = path
    self.run = run
    guard FileSystem.kind(of: Array(path.utf8), followsLinks: false) != nil else {
      (root, contents, logs) = (nil, nil, nil)
      return
    }
    let root = try RunnerError.opening { () throws(DirectoryError) in
      try PrivateDirectory(path: path, creates: false)
    }
    self.root = root
    // The names in a history are untrusted.
    let hasLogs = Self.processNumber(of: run) != nil
    logs =
      hasLogs
      ? try? root.directory("logs", creates: false).directory(run, creates: false) : nil
    contents = try? root.directory("contents", creates: false)
      .directory(Self.folderName(ofPlan: plan), creates: false)
  }

  /// The path of the history.
  var historyPath: String { "\(path)/\(HistoryStore.fileName)" }

  /// The file name of a task's log.
  static func logName(_ name: String, index: Int) -> String {
    "\(fileName(name, index: index)).log"
  }

  /// What decides whether a task is up to date.
  func subject(
    _ name: String, index: Int, command: [String], directory: String,
    variables: [ContentsRecord.Variable], inputs: [String], outputs: [String]
  ) -> ContentsRecord.Subject {
    ContentsRecord.Subject(
      command: command, directory: directory, variables: variables, inputs: inputs,
      outputs: outputs, folder: contents,
      name: Self.fileName(name, index: index))
  }

  /// The key of the digests of secrets, which never leaves this folder.
  ///
  /// - Parameter creates: Whether a missing one is made.
  /// - Returns: The key; without a stored one, a new one that fits no digest.
  func secretKey(creates: Bool) -> [UInt8] {
    let known = root?.contents(of: Self.secretKeyName, most: KeyedDigest.keyBytes + 1) ?? []
    if known.count == KeyedDigest.keyBytes { return known }
    var random = SystemRandomNumberGenerator()
    let key = (0..<KeyedDigest.keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &random)
    }
    if creates { _ = root?.replace(Self.secretKeyName, with: key, permissions: 0o600) }
    return key
  }

  /// What was lost because the folder or a part of it was removed during the run, a line each.
  var losses: [String] {
    if let root, !root.isInPlace {
      return ["'\(path)' was removed during the run; its logs and its history are lost"]
    }
    if let logs, !logs.isInPlace {
      return ["'\(logs.path)' was removed during the run; its logs are lost"]
    }
    return []
  }

  /// The file name for a task, unique in its plan: its own name where possible, otherwise its beginning and its index
  /// after `%-`, which no name contains that is not cut.
  static func fileName(_ name: String, index: Int) -> String {
    fileName(name, distinguishedBy: "\(index)")
  }

  /// The folder name for the records of a plan: its own name where possible, otherwise its beginning and a digest of all of it.
  static func folderName(ofPlan name: String) -> String {
    var digest = ContentDigest()
    digest.add(name)
    return fileName(name, distinguishedBy: digest.text)
  }

  /// A name as that of a file; a suffix tells it apart from other names if it is too long.
  private static func fileName(_ name: String, distinguishedBy suffix: String) -> String {
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
    return "\(text)%-\(suffix)"
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
  static func isAlive(_ process: pid_t) -> Bool {
    process > 1 && (kill(process, 0) == 0 || errno == EPERM)
  }

  /// Removes the logs of the oldest runs; what is not a log that a run has written stays.
  private static func removeOldLogs(in logs: PrivateDirectory) {
    let runs = logs.names().sorted().compactMap { name in
      processNumber(of: name).map { (name: name, process: $0) }
    }
    for old in runs.dropLast(keptRuns) where !isAlive(old.process) {
      guard let folder = try? logs.directory(old.name, creates: false), folder.hasFile(marker)
      else { continue }
      folder.remove(StoredFailure.fileName)
      let names = folder.names().filter { $0 != marker }
      for name in names where name.hasSuffix(".log") { folder.remove(name) }
      // The marker stays with a folder that has files of others.
      guard names.allSatisfy({ $0.hasSuffix(".log") }) else { continue }
      folder.remove(marker)
      logs.removeDirectory(old.name)
    }
  }
}

/// Opens the history in a state folder for reading; a missing file is an empty history.
///
/// - Parameter path: The path of the state folder.
/// - Returns: The history.
/// - Throws: `RunnerError.state` if the folder belongs to another user or can be written by others.
package func openHistory(stateFolder path: String) throws(RunnerError) -> HistoryStore {
  HistoryStore(path: try StateFolder(existing: path, plan: "").historyPath, creates: false)
}
