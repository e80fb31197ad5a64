extension HistoryStore {
  /// Reads the last runs of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - runs: The most runs.
  ///   - records: The records of tasks after which no older run is read.
  /// - Returns: The runs, the newest first; none where nothing is known or can be read.
  /// - Complexity: O(records of these runs).
  package func history(of plan: String, runs: Int = 50, records: Int = .max) -> PlanHistory {
    read { file throws(StoreError) in try file.history(of: plan, runs: runs, records: records) }
      ?? PlanHistory(plan: plan)
  }

  /// The word for the newest run.
  package static let latest = "latest"

  /// Reads one run with its graph.
  ///
  /// - Parameter name: The name of the run; nil or ``latest`` for the newest of all plans.
  /// - Returns: The run, nil where there is none of this name or nothing can be read.
  /// - Complexity: O(records of the run + its graph).
  package func run(named name: String?) -> KeptRun? {
    read { file throws(StoreError) in
      try file.run(named: name == Self.latest ? nil : name)
    } ?? nil
  }

  /// Lists the newest runs of all plans, for those who look for a name.
  ///
  /// - Parameter limit: The most runs.
  /// - Returns: The runs, the newest first.
  package func runs(limit: Int) -> [RunSummary] {
    read { file throws(StoreError) in try file.runs(most: limit) } ?? []
  }

  /// Finds the plan that a plan may have been called before: the one with the most commands in common.
  ///
  /// - Parameters:
  ///   - fingerprints: The commands of the plan.
  ///   - name: The name of the plan, which does not count.
  /// - Returns: The plan and the number of commands in common; nil where there are none.
  /// - Complexity: O(*n* log *m*) for *n* commands and *m* tasks in the file.
  package func similar(
    to fingerprints: some Sequence<UInt64>, except name: String
  ) -> (plan: String, shared: Int)? {
    read { file throws(StoreError) in
      try file.similar(to: Set(fingerprints), except: name)
    } ?? nil
  }

  /// Tells what the history holds.
  package func list() -> HistorySummary {
    read { file throws(StoreError) in try file.summary() } ?? HistorySummary()
  }

  /// Forgets the runs of a plan, or of all plans; a run that goes on begins anew in the history.
  ///
  /// - Parameter plan: The name of the plan, nil for all.
  /// - Returns: Whether they are gone; otherwise a remark says why not.
  @discardableResult
  package func clear(plan: String? = nil) -> Bool {
    switch state {
    case .open:
      let cleared = use { file throws(StoreError) in
        if let plan { try file.clear(plan: plan) } else { try file.clear() }
      }
      guard case .failure(let error) = cleared else { return true }
      handle(error)
      if error.kind == .locked { remark(error.message) }
      // What was damaged is not in the history any more.
      return error.kind == .damaged
    case .still:
      remark(StoreError(.readOnly, path: path).message)
      return false
    case .waiting:
      remark(StoreError(.locked, path: path).message)
      return false
    case .off: return remarks.isEmpty
    }
  }

  /// Reads something from the file, nil where that is not possible.
  private func read<Result>(
    _ body: (HistoryFile) throws(StoreError) -> Result
  ) -> Result? {
    switch use(body) {
    case .success(let result): return result
    case .failure(let error):
      handle(error)
      if error.kind == .locked { remark(error.message) }
      return nil
    case nil: return nil
    }
  }
}
