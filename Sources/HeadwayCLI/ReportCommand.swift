internal import HeadwayLibc
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwayText

/// `headway report`: writes an HTML page about an earlier run.
struct ReportCommand {
  /// The number of runs that are listed if the requested one does not exist.
  private static let suggestedRuns = 5

  /// The name of a run or a plan, nil for the newest run.
  private let word: String?
  /// The state folder, nil for the one beside the plan.
  private let stateFolder: String?
  /// The path of the page, nil for a file in the state folder; `-` for standard output.
  private let output: String?

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.report.options)
    word = try parsed.onlyWord("name one run, or none for the newest")
    stateFolder = parsed.options["--state"]
    output = parsed.options["--output"]
  }

  func run() throws -> ExitCode {
    let location = try HistoryLocation(word, stateFolder: stateFolder)
    let file = try output.flatMap { $0 == "-" ? nil : $0 }.map { try PageFile($0) }
    let store = try location.open()
    if let file, file.isFile(store.path) {
      throw UsageError(message: "--output names the history; choose another file")
    }
    let stored = try find(location)
    let run = stored?.record ?? find(location.plan, in: store)
    for warning in store.warnings + (stored?.warnings ?? []) { printMessage(warning) }
    guard let run else {
      if store.warnings.isEmpty { printError(Self.notFound(word, in: store)) }
      return .unavailable
    }
    let report = RunReport(
      run, isRunning: stored.map(\.isRunning) ?? false,
      secondsFromUTC: Self.offset(at: run.began / 1000),
      failures: try Self.failures(of: run, stored, in: location.folder),
      hosts: Self.hosts(of: stored))
    let page = report.page()
    guard output != "-" else {
      try printOutput(page)
      return .success
    }
    let path: String
    if let file, let output {
      try file.write(page)
      path = output
    } else {
      // The names in a file are untrusted; the page stays in its folder.
      let name = String(run.name.map { $0 == "/" ? "-" : $0 })
      path = try PageFile.write(page, named: "\(name).html", stateFolder: location.folder)
    }
    try printOutput("\(path.sanitized)\n")
    return .success
  }

  /// The other machines that carried out the tasks of a run, by index.
  private static func hosts(of stored: StoredRun?) -> [Int: String] {
    guard let tasks = stored?.state.tasks else { return [:] }
    return tasks.enumerated().reduce(into: [:]) { hosts, task in
      hosts[task.offset] = task.element.host
    }
  }

  /// The facts about the failures of a run, as far as its logs still exist.
  private static func failures(
    of run: RunRecord, _ stored: StoredRun?, in folder: String
  ) throws(StateError) -> [Int: TaskFailure] {
    let failed = run.records.filter { $0.outcome?.isFailure == true }
      .prefix(RunReport.maxFailures)
    guard !failed.isEmpty else { return [:] }
    let logs = LogReader(try RunLogs(of: run, in: folder))
    var failures: [Int: TaskFailure] = [:]
    for record in failed where run.tasks.indices.contains(record.index) {
      let task = TaskID(record.index)
      failures[record.index] = TaskFailure(
        outcome: stored?.state.outcome(of: task),
        command: stored?.header.tasks[record.index].command ?? "",
        end: logs.tail(task, most: FailureLimits.bytes), log: logs.shownPath(task))
    }
    return failures
  }

  /// Reads the requested run, or the newest, from its journal; nil if it has none any more.
  private func find(_ location: HistoryLocation) throws(StateError) -> StoredRun? {
    if location.plan == nil,
      let folder = try RunFolder.named(word, in: location.folder)
    {
      return try folder.read()
    }
    guard let plan = location.plan ?? word else { return nil }
    return try RunFolder.newest(of: plan, in: location.folder)?.read()
  }

  /// Finds the requested run, or the newest, in the history.
  ///
  /// - Parameters:
  ///   - plan: The plan whose newest run is requested, nil if no plan file was given.
  ///   - store: The history.
  /// - Returns: The run, nil if there is none.
  private func find(_ plan: String?, in store: HistoryStore) -> RunRecord? {
    if plan == nil, let run = store.run(named: word) { return run }
    guard let plan = plan ?? word else { return nil }
    return store.history(of: plan, limit: 1).runs.first.flatMap { store.run(named: $0.name) }
  }

  /// The message for a run that does not exist.
  private static func notFound(_ word: String?, in store: HistoryStore) -> String {
    let latest = store.runs(limit: suggestedRuns)
    guard let word, !latest.isEmpty else {
      return "headway: no runs in \(store.path.sanitized); run a plan first\n"
    }
    let names = latest.map { "  \($0.name.sanitized)  \($0.plan.sanitized)\n" }.joined()
    return
      "headway: no run or plan '\(word.sanitized)' in \(store.path.sanitized); the latest runs are:\n\(names)"
  }

  /// The offset of local time from UTC at a time, in seconds.
  private static func offset(at seconds: Int64) -> Int {
    var time = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    return unsafe parts.tm_gmtoff
  }
}
