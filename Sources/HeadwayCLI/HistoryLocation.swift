internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwayStore

/// The location of a history: beside a plan file, in the current folder, or in a given folder.
struct HistoryLocation {
  /// The name of the plan in the given plan file, nil if none was given.
  let plan: String?
  /// The state folder.
  let folder: String

  /// Finds the location.
  ///
  /// - Parameters:
  ///   - word: A plan file, or anything else.
  ///   - stateFolder: The state folder, nil for the one beside the plan.
  /// - Throws: `UsageError` for a plan file that cannot be read.
  init(_ word: String?, stateFolder: String?) throws {
    var beside = "."
    if let word, PlanFile.isPlan(word) {
      let file = try PlanFile([word])
      (plan, beside) = (file.plan.name, file.folder)
    } else {
      plan = nil
    }
    folder = stateFolder ?? (beside == "." ? ".headway" : "\(beside)/.headway")
  }

  /// Opens the history for reading; a missing file is an empty history.
  ///
  /// - Throws: `RunnerError.state` if the state folder belongs to another user or can be written by others.
  func open() throws(RunnerError) -> HistoryStore { try openHistory(stateFolder: folder) }
}
