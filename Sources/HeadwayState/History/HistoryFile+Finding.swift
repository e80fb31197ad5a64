internal import HeadwayRun

extension HistoryFile {
  /// The number of runs of another plan from which durations are read: the last one may have failed early, or have
  /// been up to date.
  private static let runsOfOtherPlan = 5

  /// Finds the plan with the most of some commands.
  ///
  /// - Parameters:
  ///   - fingerprints: The commands.
  ///   - name: The name of a plan to leave out.
  /// - Returns: The name of the plan, the newest of equals, and the number of commands in common; nil if there are none.
  /// - Throws: `HistoryError`.
  func similar(
    to fingerprints: Set<UInt64>, except name: String
  ) throws(HistoryError) -> (plan: String, shared: Int)? {
    try snapshot { () throws(HistoryError) in
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

  /// Reads how long the tasks of other plans took that are of some kinds.
  ///
  /// A task that ran many times counts once, with its last success: a new task of the kind is like another task, not
  /// like another run. So a few runs of each plan are enough, and the newest run of every plan comes first.
  ///
  /// - Parameters:
  ///   - kinds: The kinds, as they are stored.
  ///   - plan: The name of the plan to leave out.
  ///   - machine: The machine on which the runs took place.
  ///   - limit: The number of records that are read, whatever their kind and outcome.
  /// - Returns: The durations of each kind that was found.
  /// - Throws: `HistoryError`.
  /// - Complexity: O(*limit* log *n*) for *n* tasks in the file, and O(*m* log *m*) for *m* runs.
  func durations(
    ofKinds kinds: Set<String>, except plan: String, on machine: MachineIdentity, limit: Int
  ) throws(HistoryError) -> [String: [Duration]] {
    try snapshot { () throws(HistoryError) in
      let own = try writing.findPlan.first(Self.cut(plan)) { $0.integer(0) }
      let newest = try database.prepare(
        """
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY plan ORDER BY id DESC) AS age FROM run
          WHERE plan IS NOT ?1 AND leaving = 0 AND cores = ?2 AND host = ?3)
        WHERE age <= ?4 ORDER BY age, id DESC
        """)
      var runs: [Int64] = []
      try newest.eachRow(
        own, machine.cores, Int64(bitPattern: machine.host), Self.runsOfOtherPlan
      ) { row in runs.append(row.integer(0)) }
      let samples = try database.prepare(
        """
        SELECT outcome, ran, took, attempts, plan, name, kind
        FROM sample CROSS JOIN task ON task.id = sample.task WHERE run = ?1 ORDER BY number LIMIT ?2
        """)
      var durations: [String: [Duration]] = [:]
      var found: [Int64: Set<String>] = [:]
      var left = limit
      for run in runs where left > 0 {
        try samples.eachRow(run, left) { row in
          left -= 1
          guard Outcome.Kind(taskNumber: Int(row.integer(0))) == .succeeded else { return }
          let record = TaskRecord(
            index: 0, outcome: .succeeded, ran: .nanoseconds(row.integer(1)),
            took: row.duration(2), attempts: Int(row.integer(3)))
          let kind = row.text(6)
          guard let duration = record.duration, kinds.contains(kind),
            found[row.integer(4), default: []].insert(row.text(5)).inserted
          else { return }
          durations[kind, default: []].append(duration)
        }
      }
      return durations
    }
  }

  /// Reads an overview of the file.
  func summary() throws(HistoryError) -> HistorySummary {
    try snapshot { () throws(HistoryError) in
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
  func storedNames() throws(HistoryError) -> Set<String> {
    var names: Set<String> = []
    try database.prepare("SELECT name FROM stored").eachRow { row in names.insert(row.text(0)) }
    return names
  }

  /// Lists the newest runs of all plans.
  ///
  /// - Returns: The names of the runs and of their plans, the run that began last first.
  func runs(limit: Int) throws(HistoryError) -> [(name: String, plan: String)] {
    let query = try database.prepare(
      """
      SELECT run.name, plan.name FROM run JOIN plan ON plan.id = run.plan
      WHERE leaving = 0 ORDER BY began DESC, run.id DESC LIMIT ?1
      """)
    var runs: [(name: String, plan: String)] = []
    try query.eachRow(max(limit, 0)) { row in runs.append((row.text(0), row.text(1))) }
    return runs
  }
}
