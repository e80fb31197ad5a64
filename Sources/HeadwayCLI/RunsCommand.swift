internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayText

/// `headway runs`: lists what runs, and what ran.
struct RunsCommand {
  /// The number of runs that have ended that are listed unless another one is given.
  static let usualLimit = 10

  /// A plan file, or the name of a plan; nil for all plans.
  private let word: String?
  /// The state folder, nil for the one beside the plan.
  private let stateFolder: String?
  /// The folder in place of the current one, nil for that.
  private let directory: String?
  private let limit: Int
  private let isJSON: Bool

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.runs.options)
    word = try parsed.onlyWord("name one plan, or none for all plans")
    stateFolder = parsed.options["--state"]
    directory = parsed.directory
    isJSON = parsed.options["--json"] != nil
    limit = try parsed.wholeNumber("--limit") ?? Self.usualLimit
  }

  /// Prints the list.
  ///
  /// - Throws: `UsageError`, `StateError` or `RunnerError`.
  func run() throws -> ExitCode {
    let location = try HistoryLocation(word, stateFolder: stateFolder, in: directory)
    let plan = location.plan ?? word
    var running: [ListedRun] = []
    var ended: [ListedRun] = []
    let entries = try RunFolder.entries(in: location.folder)
    let names = Set(entries.compactMap { $0.usable?.name })
    // Runs inside of others stand below them, the oldest first; in a list of one plan, each stands for itself.
    var parts: [String: [RunFolder]] = [:]
    for entry in entries {
      let folder: RunFolder
      switch entry {
      case .folder(let usable): folder = usable
      case .unusable(let name, let reason):
        if ended.count < limit { printMessage(StateError.run(name, reason).message) }
        continue
      }
      if plan == nil, let outer = folder.outer, names.contains(outer) {
        parts[outer, default: []].insert(folder, at: 0)
        continue
      }
      // What has ended is not read to count it.
      guard folder.mayBeRunning || ended.count < limit else { continue }
      do throws(StateError) {
        let header = try folder.header()
        if let plan, header.plan != plan { continue }
        let listed = try ListedRun(folder, header)
        for warning in listed.run.warnings { printMessage(warning) }
        if listed.run.isRunning == true {
          running.append(listed)
        } else if ended.count < limit {
          ended.append(listed)
        }
      } catch {
        printMessage(error.message)
      }
    }
    var runs: [ListedRun] = []
    for listed in running + ended {
      runs.append(listed)
      for part in parts[listed.folder.name] ?? [] {
        do throws(StateError) {
          var listed = try ListedRun(part)
          listed.isPart = true
          runs.append(listed)
        } catch {
          printMessage(error.message)
        }
      }
    }
    if isJSON {
      if !runs.isEmpty { try printOutput(runs.map(RunsText.json).joined()) }
    } else if runs.isEmpty {
      let what = plan.map { " of \($0.sanitized)" } ?? ""
      try printOutput("no runs\(what) in \(location.folder.sanitized)\n")
    } else {
      let style = TerminalStyle(environment: environmentValue)
      try printOutput(RunsText(style: style).table(runs))
    }
    return .success
  }
}
