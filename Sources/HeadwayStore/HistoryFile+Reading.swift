extension HistoryFile {
  /// Reads the last runs of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - most: The most runs.
  /// - Returns: The runs, the newest first; none for a plan that is not known.
  /// - Throws: `StoreError`.
  /// - Complexity: O(records of these runs).
  func history(of plan: String, runs most: Int) throws(StoreError) -> PlanHistory {
    try snapshot { () throws(StoreError) in
      var history = PlanHistory(plan: plan)
      guard let id = try writing.findPlan.first(Self.cut(plan), read: { $0.integer(0) }) else {
        return history
      }
      let numbers = try readRuns(of: id, most: max(most, 0), into: &history)
      let samples = try database.prepare(
        "SELECT task, outcome, ran, attempts FROM sample WHERE run = ?1 ORDER BY place")
      let forecasts = try database.prepare(
        "SELECT time, low, median, high FROM forecast WHERE run = ?1 ORDER BY time")
      var places: [Int64: Int] = [:]
      var found: [Int64] = []
      for (place, run) in numbers.enumerated() {
        var records: [PlanHistory.Record] = []
        try samples.eachRow(run) { row in
          // An outcome of a later version says nothing that this one understands.
          guard let outcome = RecordedOutcome(rawValue: Int(row.integer(1))) else { return }
          let number = row.integer(0)
          let task = places[number] ?? found.count
          if task == found.count {
            places[number] = task
            found.append(number)
          }
          records.append(
            PlanHistory.Record(
              task: task, outcome: outcome, ran: .nanoseconds(row.integer(2)),
              attempts: Int(row.integer(3))))
        }
        history.runs[place].records = records
        try forecasts.eachRow(run) { row in
          history.runs[place].forecasts.append(
            ForecastRecord(
              at: .nanoseconds(row.integer(0)), low: .nanoseconds(row.integer(1)),
              median: .nanoseconds(row.integer(2)), high: .nanoseconds(row.integer(3))))
        }
      }
      history.tasks = try readTasks(found)
      return history
    }
  }

  /// Reads what runs began and ended with.
  ///
  /// - Returns: The numbers of the runs.
  private func readRuns(
    of plan: Int64, most: Int, into history: inout PlanHistory
  ) throws(StoreError) -> [Int64] {
    let query = try database.prepare(
      """
      SELECT id, began, workers, cores, host, total, outcome FROM run
      WHERE plan = ?1 AND leaving = 0 ORDER BY id DESC LIMIT ?2
      """)
    var numbers: [Int64] = []
    var runs: [PlanHistory.Run] = []
    try query.eachRow(plan, most) { row in
      numbers.append(row.integer(0))
      runs.append(
        PlanHistory.Run(
          began: row.integer(1), workers: Int(row.integer(2)),
          machine: MachineIdentity(
            cores: Int(row.integer(3)), host: UInt64(bitPattern: row.integer(4))),
          total: row.isNull(5) ? nil : .nanoseconds(row.integer(5)),
          outcome: row.isNull(6) ? nil : RunOutcome(rawValue: Int(row.integer(6)))))
    }
    history.runs = runs
    return numbers
  }

  /// Reads what tasks are known by.
  private func readTasks(_ numbers: [Int64]) throws(StoreError) -> [TaskIdentity] {
    let query = try database.prepare("SELECT name, kind, fingerprint FROM task WHERE id = ?1")
    var tasks: [TaskIdentity] = []
    tasks.reserveCapacity(numbers.count)
    for number in numbers {
      let task = try query.first(number) { row in
        TaskIdentity(
          name: row.text(0), kind: row.text(1), fingerprint: UInt64(bitPattern: row.integer(2)))
      }
      guard let task else {
        throw StoreError(.damaged, path: database.path, reason: "a record has no task")
      }
      tasks.append(task)
    }
    return tasks
  }

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
        SELECT name, count(run.id), max(run.began),
          (SELECT count(*) FROM task WHERE task.plan = plan.id),
          (SELECT count(*) FROM sample WHERE sample.run IN
            (SELECT id FROM run WHERE run.plan = plan.id AND leaving = 0))
        FROM plan JOIN run ON run.plan = plan.id AND leaving = 0
        GROUP BY plan.id ORDER BY name
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
}
