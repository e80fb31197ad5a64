internal import HeadwayRunner
internal import HeadwayState
internal import HeadwayText

/// `headway history`: shows or clears the history.
struct HistoryCommand {
  private let clears: Bool
  /// A plan file, or the name of a plan in the history; nil for all plans.
  private let word: String?
  /// The state folder, nil for the one beside the plan.
  private let stateFolder: String?

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.history.options)
    clears = parsed.words.first == "clear"
    word = try parsed.onlyWord("name one plan, or none for all plans", after: clears ? 1 : 0)
    // Nothing is deleted because a name was forgotten.
    switch (clears, word, parsed.options["--all"]) {
    case (true, nil, nil):
      throw UsageError(message: "name the plan whose runs to delete, or delete all with --all")
    case (true, _?, _?): throw UsageError(message: "name a plan or --all, not both")
    case (false, _, _?): throw UsageError(message: "--all is an option of `history clear` only")
    case (true, _, _), (false, _, nil): break
    }
    stateFolder = parsed.options["--state"]
  }

  func run() throws -> ExitCode {
    let location = try HistoryLocation(word, stateFolder: stateFolder)
    let plan = location.plan ?? word
    let store = try location.open()
    let code = try clears ? clear(plan, in: store) : show(plan, in: store, location)
    for warning in store.warnings { printMessage(warning) }
    return store.warnings.isEmpty ? code : .unavailable
  }

  /// Shows the history of a plan, or an overview of all plans.
  private func show(
    _ plan: String?, in store: HistoryStore, _ location: HistoryLocation
  ) throws -> ExitCode {
    guard let plan else {
      let summary = store.list()
      // A warning says why there is nothing.
      guard store.warnings.isEmpty || !summary.plans.isEmpty else { return .unavailable }
      try printOutput(HistoryText.list(summary, path: store.path))
      return .success
    }
    var history = store.history(of: plan)
    let running = try runningRuns(stateFolder: location.folder).filter { $0.header.plan == plan }
    for run in running.reversed() { history.add(running: run.record) }
    guard store.warnings.isEmpty || !history.runs.isEmpty else { return .unavailable }
    try printOutput(
      HistoryText.plan(history, running: Set(running.map(\.header.run)), path: store.path))
    return .success
  }

  /// Deletes the runs of a plan, or of all plans.
  private func clear(_ plan: String?, in store: HistoryStore) throws(RunnerError) -> ExitCode {
    let known = store.list().plans.filter { plan == nil || $0.name == plan }
    guard store.clear(plan: plan) else { return .unavailable }
    let count = known.reduce(0) { $0 + $1.runs }
    try printOutput("\(counted(count, "run")) deleted\n")
    return .success
  }
}
