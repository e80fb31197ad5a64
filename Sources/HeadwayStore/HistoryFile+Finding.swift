extension HistoryFile {
  /// Finds the plan with the most of some commands.
  ///
  /// - Parameters:
  ///   - fingerprints: The commands.
  ///   - name: The name of a plan to leave out.
  /// - Returns: The name of the plan, the newest of equals, and the number of commands in common; nil if there are none.
  /// - Throws: `StoreError`.
  func similar(
    to fingerprints: Set<UInt64>, except name: String
  ) throws(StoreError) -> (plan: String, shared: Int)? {
    try snapshot { () throws(StoreError) in
      let own = try writing.findPlan.first(Self.cut(name)) { $0.integer(0) }
      let query = try database.prepare("SELECT DISTINCT plan FROM task WHERE fingerprint = ?1")
      var shared: [Int64: Int] = [:]
      for fingerprint in fingerprints {
        try query.eachRow(Int64(bitPattern: fingerprint)) { row in
          shared[row.integer(0), default: 0] += 1
        }
      }
      if let own { shared[own] = nil }
      guard let best = shared.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
        return nil
      }
      let plan = try database.prepare("SELECT name FROM plan WHERE id = ?1").first(best.key) {
        $0.text(0)
      }
      return plan.map { ($0, best.value) }
    }
  }

  /// Reads an overview of the file.
  func summary() throws(StoreError) -> HistorySummary {
    try snapshot { () throws(StoreError) in
      var summary = HistorySummary()
      summary.bytes = try sizes().whole
      let query = try database.prepare(
        """
        SELECT plan.name, count(run.id), max(run.began),
          (SELECT count(*) FROM task WHERE task.plan = plan.id),
          (SELECT count(*) FROM sample WHERE sample.run IN
            (SELECT id FROM run WHERE run.plan = plan.id AND leaving = 0))
        FROM plan JOIN run ON run.plan = plan.id AND leaving = 0
        GROUP BY plan.id ORDER BY plan.name
        """)
      try query.eachRow { row in
        summary.plans.append(
          HistorySummary.Plan(
            name: row.text(0), runs: Int(row.integer(1)), tasks: Int(row.integer(3)),
            records: Int(row.integer(4)), last: row.integer(2)))
      }
      return summary
    }
  }

  /// The names of all runs that were stored.
  func storedNames() throws(StoreError) -> Set<String> {
    var names: Set<String> = []
    try database.prepare("SELECT name FROM stored").eachRow { row in names.insert(row.text(0)) }
    return names
  }

  /// Lists the newest runs of all plans.
  ///
  /// - Returns: The names of the runs and of their plans, the newest run first.
  func runs(limit: Int) throws(StoreError) -> [(name: String, plan: String)] {
    let query = try database.prepare(
      """
      SELECT run.name, plan.name FROM run JOIN plan ON plan.id = run.plan
      WHERE leaving = 0 ORDER BY run.id DESC LIMIT ?1
      """)
    var runs: [(name: String, plan: String)] = []
    try query.eachRow(max(limit, 0)) { row in runs.append((row.text(0), row.text(1))) }
    return runs
  }
}
