internal import HeadwayText

/// The search for the newest run.
extension RunFolder {
  /// Finds the newest run.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan, nil for all plans.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The run, nil if there is none.
  /// - Throws: `StateError.newestRun` if a run cannot be read that may be the one; `StateError.folder` if the state folder cannot be
  ///   used.
  package static func newest(
    of plan: String?, in stateFolder: String
  ) throws(StateError) -> RunFolder? {
    try newest(of: plan, in: stateFolder) { folder throws(StateError) -> RunFolder? in
      _ = try folder.header()
      return folder
    }
  }

  /// Looks at runs, the newest first, until one of them is what is meant: all commands that take the newest run search so.
  ///
  /// Runs inside of others are looked at only if there are no others: of the plan if one is given, or at all. A run that died while it
  /// wrote its header has done nothing and is left out.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan, nil for all plans.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  ///   - result: Returns what is found in a run, nil to look at an older one.
  /// - Returns: What was found, nil if there is nothing.
  /// - Throws: `StateError.newestRun` if a run cannot be read that may be the one; the errors of `result`.
  package static func newest<Result>(
    of plan: String?, in stateFolder: String,
    _ result: (RunFolder) throws(StateError) -> Result?
  ) throws(StateError) -> Result? {
    var inner: [RunFolder] = []
    var hasOwn = false
    func look(at folder: RunFolder) throws(StateError) -> Result? {
      if !folder.hasWholeHeader, !folder.mayBeRunning { return nil }
      if let plan, try !folder.header().plan.isExactly(plan) { return nil }
      hasOwn = true
      return try result(folder)
    }
    do throws(StateError) {
      for entry in try entries(in: stateFolder) {
        switch entry {
        case .folder(let folder) where folder.outer != nil: inner.append(folder)
        case .folder(let folder): if let found = try look(at: folder) { return found }
        case .unusable(let name, let reason):
          throw .run(name, reason)
        }
      }
      guard !hasOwn else { return nil }
      for folder in inner {
        if let found = try look(at: folder) { return found }
      }
      return nil
    } catch .run(let name, let reason) {
      throw .newestRun(name, reason)
    }
  }
}
