internal import HeadwayRun

extension HistoryFile {
  /// Finds the plan that has the most commands in common with one that is not known by its name.
  ///
  /// - Parameters:
  ///   - fingerprints: The commands of the plan.
  ///   - name: The name of the plan, which does not count.
  /// - Returns: The name of the plan, the newest of equals, and the number of its commands that are looked for; nil
  ///   where no plan has any.
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

  /// Tells what the file holds.
  ///
  /// - Throws: `StoreError`.
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

  /// Lists the newest runs of all plans.
  ///
  /// - Parameter most: The most runs.
  /// - Returns: The runs, the newest first.
  /// - Throws: `StoreError`.
  func runs(most: Int) throws(StoreError) -> [RunSummary] {
    let query = try database.prepare(
      """
      SELECT run.name, plan.name, began, total, outcome FROM run JOIN plan ON plan.id = run.plan
      WHERE leaving = 0 ORDER BY run.id DESC LIMIT ?1
      """)
    var runs: [RunSummary] = []
    try query.eachRow(max(most, 0)) { row in
      runs.append(
        RunSummary(
          name: row.text(0), plan: row.text(1), began: row.integer(2), total: row.duration(3),
          outcome: row.isNull(4) ? nil : Outcome.Kind(runCode: Int(row.integer(4)))))
    }
    return runs
  }
}
