internal import HeadwayStore

/// `headway history`: shows what is kept of earlier runs, and forgets it when asked.
struct HistoryCommand {
  /// The word that asks to forget.
  private static let clearing = "clear"

  /// Whether something is to be forgotten.
  private let clears: Bool
  /// The plan as it was named: a file, or the name of a plan in the history; nil for all.
  private let word: String?
  /// The folder for records that was named, nil for the one beside the plan.
  private let stateFolder: String?

  /// Reads the arguments.
  ///
  /// - Throws: `ArgumentMistake`.
  init(_ arguments: [String]) throws(ArgumentMistake) {
    let parsed = try Arguments(arguments, known: [.init(name: "--state", value: "DIR")])
    var words = parsed.words[...]
    clears = words.first == Self.clearing
    if clears { words.removeFirst() }
    if let more = words.dropFirst().first {
      throw ArgumentMistake(message: "name one plan, or none for all of them, not '\(more)' too")
    }
    word = words.first
    stateFolder = parsed.options["--state"]
  }

  /// Shows or forgets.
  func run() throws -> ExitCode {
    let place = try HistoryPlace(word, stateFolder: stateFolder)
    let plan = place.plan ?? word
    let store = place.open()
    let code = clears ? clear(plan, in: store) : show(plan, in: store)
    for remark in store.remarks { printError("headway: \(remark)\n") }
    return store.remarks.isEmpty ? code : .unavailable
  }

  /// Shows what is kept of a plan, or of all.
  private func show(_ plan: String?, in store: HistoryStore) -> ExitCode {
    guard let plan else {
      let summary = store.list()
      // A line about the trouble says why there is nothing.
      guard store.remarks.isEmpty || !summary.plans.isEmpty else { return .unavailable }
      printOutput(HistoryText.list(summary, path: store.path))
      return .success
    }
    let history = store.history(of: plan)
    guard store.remarks.isEmpty || !history.runs.isEmpty else { return .unavailable }
    printOutput(HistoryText.plan(history, path: store.path))
    return .success
  }

  /// Forgets what is kept of a plan, or of all.
  private func clear(_ plan: String?, in store: HistoryStore) -> ExitCode {
    let known = store.list().plans.filter { plan == nil || $0.name == plan }
    guard store.clear(plan: plan) else { return .unavailable }
    let count = known.reduce(0) { $0 + $1.runs }
    printOutput("\(HistoryText.counted(count, "run")) forgotten\n")
    return .success
  }
}
