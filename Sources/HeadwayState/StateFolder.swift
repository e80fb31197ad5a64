package import HeadwayFiles
package import HeadwayLibc
package import HeadwaySystem
internal import HeadwayText

/// The state folder: what is stored beyond a run.
///
/// ```
/// .headway/
///   .gitignore                     ignores the whole folder
///   runs/20261121-101500-4711/     a run
///     run.json                     what was asked, and the plan as it was read
///     journal.jsonl                its events
///     logs/fetch.log               the output of a task
///     outer                        the name of the run in one of whose tasks it was started
///   runs/latest                    a link to the newest run
///   locks/release.lock             held by the runs of a plan
///   contents/release/fetch         digests after the last success, by plan
///   secrets.key                    the key of the digests of plans with secrets
///   history.sqlite                 durations and outcomes of earlier runs
/// ```
///
/// Everything in it is opened through `PrivateDirectory`: a folder of another user is refused, and links are not followed.
/// Only folders of runs that have a header are ever removed, see `RunRetention`.
package struct StateFolder: Sendable {
  /// The name of the run, unique in this folder; empty for a folder without a run.
  package let run: String
  /// The path of the folder, without a trailing slash.
  package let path: String
  /// The folder, nil if it does not exist.
  private let root: PrivateDirectory?
  /// All runs, nil if there is no folder for them.
  package let runs: RunList?
  /// The place of this run in the order in which runs began; 0 without a run.
  package let order: Int64
  /// The folder of this run, nil without a run.
  package let runFolder: PrivateDirectory?
  /// The folder of this run's logs, nil without a run.
  package let logs: PrivateDirectory?
  /// The folder of the plan's content records, nil if it does not exist.
  private let contents: PrivateDirectory?
  /// The lock of the plan, nil without a run.
  private let lock: PlanLock?
  /// The other runs of the plan that went on when this one was created.
  package let others: [String]

  /// The path of the state folder of the plans in a folder.
  ///
  /// - Parameter folder: The path of the folder; `.` for the current one.
  /// - Returns: The path, without a trailing slash.
  package static func path(in folder: String) -> String {
    if folder == "." { return ".headway" }
    return folder.hasSuffix("/") ? "\(folder).headway" : "\(folder)/.headway"
  }

  /// The link to the newest run.
  static let latest = "latest"
  /// How often another name is tried for a run whose name is taken.
  private static let maxNames = 1000
  /// The file of the key of the digests of plans with secrets.
  static let secretKeyName = "secrets.key"
  /// The maximum number of bytes of a name in a file name; a longer one is cut and followed by what tells it apart.
  private static let maxNameBytes = 180

  /// Creates the folder of a run.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a trailing slash.
  ///   - plan: The name of the plan; records are kept for each plan.
  ///   - sharing: How the run takes part in the plan.
  ///   - clock: The time in milliseconds since 1970.
  /// - Throws: `StateError.folder` if it cannot be written, belongs to another user or can be written by others;
  ///   `StateError.busy` if other runs of the plan go on and must not.
  package init(
    path: String, plan: String, sharing: PlanSharing = PlanSharing(),
    clock: () -> Int64 = currentMilliseconds
  ) throws(StateError) {
    // An existing folder belongs to the user, so it is not added to git's ignored files.
    let isNew = FileStatus(path, followsLinks: false) == nil
    let root = try StateError.opening { () throws(DirectoryError) in
      try PrivateDirectory(path: path, creates: true)
    }
    if isNew { _ = root.replace(".gitignore", with: Array("*\n".utf8)) }
    let name = Self.folderName(ofPlan: plan)
    let (records, all, locks) = try StateError.opening { () throws(DirectoryError) in
      (
        try root.directory("contents", creates: true).directory(name, creates: true),
        try root.directory(RunFolder.parent, creates: true),
        try root.directory(PlanLock.folder, creates: true)
      )
    }
    let runs = RunList(all)
    let around = (sharing.outer?.runs ?? []).compactMap { RunFolder($0, in: all) }
    let same = around.last { (try? $0.header())?.plan.isExactly(plan) ?? false }?.name
    let lock = try PlanLock(name, in: locks, sharing, runs, plan: plan, inside: same)
    others = same == nil && lock.isShared ? runs.running(plan) : []
    self.lock = lock
    (contents, self.runs) = (records, runs)
    // After it has waited for others.
    let now = clock()
    order = runs.nextOrder(at: now)
    let run = try Self.makeRun(in: all, at: now)
    (runFolder, logs) = try StateError.opening { () throws(DirectoryError) in
      let folder = try all.directory(run, creates: false)
      return (folder, try folder.directory(RunFolder.logs, creates: true))
    }
    if let outer = around.first {
      _ = runFolder?.replace(RunFolder.outerName, with: Array("\(outer.name)\n".utf8))
    } else {
      all.link(Self.latest, to: run)
    }
    self.run = run
    self.path = path
    self.root = root
  }

  /// Opens a folder that may not exist, without creating anything.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, without a trailing slash.
  ///   - plan: The name of the plan.
  ///   - run: The name of an earlier run whose logs are read, empty for none.
  /// - Throws: `StateError.folder` if it belongs to another user or can be written by others.
  package init(existing path: String, plan: String, run: String = "") throws(StateError) {
    self.path = path
    self.run = run
    order = 0
    guard FileStatus(path, followsLinks: false) != nil else {
      (root, contents, runs, runFolder, logs, lock, others) = (nil, nil, nil, nil, nil, nil, [])
      return
    }
    let root = try StateError.opening { () throws(DirectoryError) in
      try PrivateDirectory(path: path, creates: false)
    }
    self.root = root
    (lock, others) = (nil, [])
    // The names in a history are untrusted.
    let isRun = Self.processNumber(of: run) != nil
    let parent = RunFolder.parent
    runs =
      root.has(parent)
      ? RunList(
        try StateError.opening { () throws(DirectoryError) in
          try root.directory(parent, creates: false)
        }) : nil
    runFolder = isRun ? try? runs?.folder.directory(run, creates: false) : nil
    logs = try? runFolder?.directory(RunFolder.logs, creates: false)
    contents = try? root.directory("contents", creates: false)
      .directory(Self.folderName(ofPlan: plan), creates: false)
  }

  /// The path of the history.
  package var historyPath: String { "\(path)/\(HistoryStore.fileName)" }

  /// The file name of a task's log.
  package static func logName(_ name: String, index: Int) -> String {
    "\(fileName(name, index: index)).log"
  }

  /// The file name of the log of the commands that check whether a service is ready, which is that of no task.
  ///
  /// A percent sign in the name of a task is encoded, so only what is added here has one before a dash and letters.
  package static func readinessLogName(_ name: String, index: Int) -> String {
    "\(fileName(name, index: index))%-ready.log"
  }

  /// What decides whether a task is up to date.
  package func subject(
    _ name: String, index: Int, command: [String], directory: String,
    variables: [ContentsRecord.Variable], inputs: [String], outputs: [String], key: [UInt8]? = nil
  ) -> ContentsRecord.Subject {
    ContentsRecord.Subject(
      command: command, directory: directory, variables: variables, inputs: inputs,
      outputs: outputs, folder: contents,
      name: Self.fileName(name, index: index), key: key)
  }

  /// The key of the digests of plans with secrets, which never leaves this folder.
  ///
  /// - Parameter creates: Whether a missing one is made.
  /// - Returns: The key; without a stored one, a new one that fits no digest.
  package func secretKey(creates: Bool) -> [UInt8] {
    func stored() -> [UInt8]? {
      let key = root?.contents(of: Self.secretKeyName, most: KeyedDigest.keyBytes + 1)
      return key?.count == KeyedDigest.keyBytes ? key : nil
    }
    if let key = stored() { return key }
    var random = SystemRandomNumberGenerator()
    let key = (0..<KeyedDigest.keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &random)
    }
    guard creates else { return key }
    _ = root?.replace(Self.secretKeyName, with: key, permissions: 0o600)
    // Another run may have made one at the same time.
    return stored() ?? key
  }

  /// What was lost because the folder or a part of it was removed during the run, a line each.
  package var losses: [String] {
    if let root, !root.isInPlace {
      return [
        "'\(path)' was removed during the run; its journal, its logs and its history are lost"
      ]
    }
    if let runFolder, !runFolder.isInPlace {
      return ["'\(runFolder.path)' was removed during the run; its journal and its logs are lost"]
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

  /// Creates the folder of a run under a name that no other run has.
  private static func makeRun(
    in runs: PrivateDirectory, at now: Int64
  ) throws(StateError) -> String {
    var error: Int32 = 0
    // A process may carry out several runs within a second, and its number may have been used at this time before the
    // clock was set back. A later second is as good as a name.
    for later in 0..<maxNames {
      let name = runName(at: now / 1000 + Int64(later))
      // It has the commands of the plan, which are nobody else's business.
      error = runs.makeDirectory(name, permissions: 0o700)
      if error == 0 { return name }
      if error != EEXIST { break }
    }
    throw .cannotWrite(runs.path, error)
  }

  /// A name for a run: its time and the process number.
  ///
  /// The time is in UTC, so that names sort by it as long as the clock is not set back, whatever the time zone.
  private static func runName(at seconds: Int64) -> String {
    "\(calendarText("%Y%m%d-%H%M%S", seconds: seconds))-\(getpid())"
  }

  /// The process number at the end of the name of a run, nil if a name is not that of a run: `20261121-101500-4711`.
  package static func processNumber(of name: String) -> pid_t? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 8, parts[1].utf8.count == 6,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    return pid_t(parts[2])
  }

  /// The time in the name of a run, in milliseconds since 1970; 0 for another name.
  ///
  /// Older versions wrote local time, for which it is wrong by some hours.
  static func time(of name: String) -> Int64 {
    guard processNumber(of: name) != nil else { return 0 }
    let digits = name.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(14).map { Int32($0) - 48 }
    func number(_ places: Range<Int>) -> Int32 { digits[places].reduce(0) { $0 * 10 + $1 } }
    var parts = unsafe tm()
    unsafe parts.tm_year = number(0..<4) - 1900
    unsafe parts.tm_mon = number(4..<6) - 1
    unsafe parts.tm_mday = number(6..<8)
    unsafe parts.tm_hour = number(8..<10)
    unsafe parts.tm_min = number(10..<12)
    unsafe parts.tm_sec = number(12..<14)
    return unsafe Int64(timegm(&parts)) * 1000
  }

  /// Whether there is no history yet, but journals from which it can be built.
  var canBuildHistory: Bool {
    guard let root, let runs, !root.hasFile(HistoryStore.fileName), unsafe access(path, W_OK) == 0
    else { return false }
    return runs.unorderedNames.contains { RunFolder($0, in: runs.folder) != nil }
  }

  /// Removes the oldest runs.
  package func removeOldRuns(_ retention: RunRetention) {
    if let runs { retention.apply(in: runs, for: run) }
  }

  /// Notes the size of the run that ends.
  package func noteSize() {
    if let runs, let runFolder { RunRetention.noteSize(of: runFolder, named: run, in: runs.folder) }
  }
}
