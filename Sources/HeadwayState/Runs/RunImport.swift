/// Stores the runs that died before they could store themselves.
///
/// If the history is empty, these are all runs that were kept. So a history that was deleted is built again.
package enum RunImport {
  /// Stores all runs that are over and were never stored, the oldest first.
  ///
  /// A run whose journal cannot be read is left out, and so is one of another machine that may go on. It stops at the first run that
  /// cannot be stored, as while another program locks the history; the next command takes the others.
  ///
  /// - Parameters:
  ///   - runs: The runs.
  ///   - store: The history.
  ///   - current: The name of the run that begins, empty for none.
  package static func take(from runs: RunList, into store: HistoryStore, except current: String) {
    guard store.isWritable else { return }
    let names = runs.names.filter { $0 != current }
    guard !names.isEmpty, let known = store.storedNames() else { return }
    for name in names where !known.contains(name) {
      guard let folder = RunFolder(name, in: runs.folder), let run = try? folder.read(),
        run.isRunning == false
      else { continue }
      guard store.store(run.record) else { return }
    }
  }
}

/// Opens the history in a state folder for reading, after the runs that died were taken into it.
///
/// A missing file is an empty history, unless there are journals from which it can be built.
///
/// - Parameter path: The path of the state folder.
/// - Returns: The history.
/// - Throws: `StateError.folder` if the folder belongs to another user or can be written by others.
package func openHistory(stateFolder path: String) throws(StateError) -> HistoryStore {
  let state = try StateFolder(existing: path, plan: "")
  let store = HistoryStore(path: state.historyPath, creates: state.canBuildHistory)
  if let runs = state.runs { RunImport.take(from: runs, into: store, except: "") }
  return store
}

/// The runs of a state folder that go on, the newest first.
///
/// - Parameter path: The path of the state folder.
/// - Returns: The runs; those whose journals cannot be read are left out.
/// - Throws: `StateError.folder` if the folder belongs to another user or can be written by others.
package func runningRuns(stateFolder path: String) throws(StateError) -> [StoredRun] {
  try RunFolder.all(in: path).compactMap { folder in
    guard folder.mayBeRunning, let run = try? folder.read() else { return nil }
    return run.isRunning == true ? run : nil
  }
}
