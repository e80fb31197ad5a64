package import HeadwayRun

extension HistoryStore {
  /// Reads the last runs of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - limit: The maximum number of runs.
  ///   - records: The number of records after which no older run is read.
  /// - Returns: The runs, the newest first; none for an unknown plan, or if nothing can be read.
  /// - Complexity: O(records of these runs).
  package func history(of plan: String, limit: Int = 50, records: Int = .max) -> PlanHistory {
    read { file throws(HistoryError) in try file.history(of: plan, limit: limit, records: records) }
      ?? PlanHistory(plan: plan)
  }

  /// The name that stands for the newest run.
  package static let latest = "latest"

  /// Reads one run with its graph.
  ///
  /// - Parameter name: The name of the run; nil or ``latest`` for the newest of all plans.
  /// - Returns: The run, nil if there is none with this name or nothing can be read.
  /// - Complexity: O(records of the run + its graph).
  package func run(named name: String?) -> RunRecord? {
    read { file throws(HistoryError) in
      try file.run(named: name == Self.latest ? nil : name)
    } ?? nil
  }

  /// The names of the runs that were stored, also of those that were deleted since; nil if they cannot be read.
  package func storedNames() -> Set<String>? {
    read { file throws(HistoryError) in try file.storedNames() }
  }

  /// Lists the names of the newest runs of all plans, the newest first, with the names of their plans.
  package func runs(limit: Int) -> [(name: String, plan: String)] {
    read { file throws(HistoryError) in try file.runs(limit: limit) } ?? []
  }

  /// Finds the plan with the most of some commands, which may be a former name of a plan.
  ///
  /// - Parameters:
  ///   - fingerprints: The commands.
  ///   - name: The name of a plan to leave out.
  /// - Returns: The plan and the number of commands in common; nil if there are none.
  /// - Complexity: O(*n* log *m*) for *n* commands and *m* tasks in the file.
  package func similar(
    to fingerprints: some Sequence<UInt64>, except name: String
  ) -> (plan: String, shared: Int)? {
    read { file throws(HistoryError) in
      try file.similar(to: Set(fingerprints), except: name)
    } ?? nil
  }

  /// Returns an overview of the history.
  package func list() -> HistorySummary {
    read { file throws(HistoryError) in try file.summary() } ?? HistorySummary()
  }

  /// Deletes the runs of a plan, or of all plans.
  ///
  /// - Parameter plan: The name of the plan, nil for all.
  /// - Returns: Whether they are deleted; otherwise a warning says why not.
  @discardableResult
  package func clear(plan: String? = nil) -> Bool {
    switch state {
    case .open:
      let cleared = use { file throws(HistoryError) in
        if let plan { try file.clear(plan: plan) } else { try file.clear() }
      }
      guard case .failure(let error) = cleared else { return true }
      handle(error)
      if error.kind == .locked { warn(error.message) }
      // A damaged file was replaced by an empty one.
      return error.kind == .damaged
    case .readOnly:
      warn(HistoryError(.readOnly, path: path).message)
      return false
    case .waiting:
      warn(HistoryError(.locked, path: path).message)
      return false
    case .off: return warnings.isEmpty
    }
  }

  /// Reads from the file, nil if that is impossible.
  func read<Result>(
    _ body: (HistoryFile) throws(HistoryError) -> Result
  ) -> Result? {
    switch use(body) {
    case .success(let result): return result
    case .failure(let error):
      handle(error)
      if error.kind == .locked { warn(error.message) }
      return nil
    case nil:
      // That nothing is known is not that there is nothing; a run goes on without what earlier ones took.
      if case .waiting = state, isReader { warn(HistoryError(.locked, path: path).message) }
      return nil
    }
  }
}
