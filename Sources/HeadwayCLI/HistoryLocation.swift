internal import HeadwayPlan
internal import HeadwayState

/// The location of a history and of its runs: beside a plan file, or in a given folder.
struct HistoryLocation {
  /// The name of the plan in the given plan file, nil if none was given.
  let plan: String?
  /// The state folder.
  let folder: String

  /// Finds the location.
  ///
  /// - Parameters:
  ///   - word: A plan file, or anything else.
  ///   - stateFolder: The state folder, nil for the one beside the plan; without a plan file, see `RunSearch`.
  ///   - directory: The folder in place of the current one, nil for that.
  /// - Throws: `UsageError` for a plan file that cannot be read, or a folder that is none.
  init(_ word: String?, stateFolder: String?, in directory: String? = nil) throws {
    guard let word, PlanFile.isPlan(word) else {
      plan = nil
      folder = try RunSearch(in: directory, stateFolder: stateFolder).stateFolder
      return
    }
    let file = try PlanFile([word], in: directory)
    plan = file.plan.name
    folder = stateFolder ?? StateFolder.path(in: file.folder)
  }

  /// Opens the history for reading; a missing file is an empty history.
  ///
  /// - Throws: `StateError.folder` if the state folder belongs to another user or can be written by others.
  func open() throws(StateError) -> HistoryStore { try openHistory(stateFolder: folder) }
}
