internal import HeadwayPlan
internal import HeadwayStore

/// Where the history lies that a person means: beside a plan file, in this folder, or in a folder that was named.
struct HistoryPlace {
  /// The name of the plan whose file was named, nil where none was.
  let plan: String?
  /// The folder for records.
  let folder: String

  /// Finds the place.
  ///
  /// - Parameters:
  ///   - word: What was named: a plan file, or anything else.
  ///   - stateFolder: The folder for records that was named, nil for the one beside the plan.
  /// - Throws: `PlanFileError` for a plan file that cannot be read.
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

  /// Opens the history for reading; where there is none it is empty.
  func open() -> HistoryStore {
    HistoryStore(path: "\(folder)/\(HistoryStore.fileName)", makes: false)
  }
}
