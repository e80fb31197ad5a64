internal import HeadwayRun

extension HistoryFile {
  /// Reads the last runs of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - limit: The maximum number of runs.
  ///   - records: The number of records after which no older run is read.
  /// - Returns: The runs, the newest first; none for an unknown plan.
  /// - Throws: `HistoryError`.
  /// - Complexity: O(records of these runs).
  func history(of plan: String, limit: Int, records: Int) throws(HistoryError) -> PlanHistory {
    try snapshot { () throws(HistoryError) in
      var history = PlanHistory(plan: plan)
      guard let id = try writing.findPlan.first(Self.cut(plan), read: { $0.integer(0) }) else {
        return history
      }
      let query = try database.prepare(
        """
        SELECT id, name, began, workers, cores, host, total, outcome FROM run
        WHERE plan = ?1 AND leaving = 0 ORDER BY began DESC, id DESC LIMIT ?2
        """)
      var numbers: [Int64] = []
      try query.eachRow(id, max(limit, 0)) { row in
        numbers.append(row.integer(0))
        history.runs.append(RunRecord(row, plan: plan))
      }
      history.tasks = try readRecords(of: numbers, limit: records, into: &history.runs)
      for index in history.runs.indices { history.runs[index].tasks = history.tasks }
      return history
    }
  }

  /// Reads one run with its graph.
  ///
  /// - Parameter name: The name of the run, nil for the newest of all; of several runs with this name the newest is read.
  /// - Returns: The run, nil if there is none.
  /// - Throws: `HistoryError`.
  /// - Complexity: O(records of the run + its graph).
  func run(named name: String?) throws(HistoryError) -> RunRecord? {
    try snapshot { () throws(HistoryError) in
      let query = try database.prepare(
        """
        SELECT run.id, run.name, began, workers, cores, host, total, outcome, plan.name, graph
        FROM run JOIN plan ON plan.id = run.plan
        WHERE (?1 IS NULL OR run.name = ?1) AND leaving = 0 ORDER BY began DESC, run.id DESC LIMIT 1
        """)
      let found = try query.first(name.map(Self.cut)) { row in
        (number: row.integer(0), run: RunRecord(row, plan: row.text(8)), graph: row.integer(9))
      }
      guard let found else { return nil }
      var runs = [found.run]
      if let stored = try readGraph(found.graph, of: found.number) {
        runs[0].tasks = stored.tasks
        runs[0].graph = stored.graph
        _ = try readRecords(of: [found.number], into: &runs, isIndexedByGraph: true)
        return runs[0]
      }
      // Without a graph, each record stands for a task of its own.
      let tasks = try readRecords(of: [found.number], into: &runs)
      runs[0].tasks = runs[0].records.map { tasks[$0.index] }
      for index in runs[0].records.indices { runs[0].records[index].index = index }
      return runs[0]
    }
  }

  /// Reads the records and forecasts of runs.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the runs in the file.
  ///   - limit: The number of records after which the other runs are left out.
  ///   - runs: The runs, in the same order.
  ///   - isIndexedByGraph: Whether records refer to the tasks of the graph, not to the tasks that are returned.
  /// - Returns: The tasks that the records refer to.
  /// - Throws: `HistoryError`.
  private func readRecords(
    of numbers: [Int64], limit: Int = .max, into runs: inout [RunRecord],
    isIndexedByGraph: Bool = false
  ) throws(HistoryError) -> [TaskIdentity] {
    let samples = try database.prepare(
      """
      SELECT task, place, outcome, began, ran, took, attempts, expected, role, host, cpu, memory
      FROM sample WHERE run = ?1 ORDER BY number
      """)
    let forecasts = try database.prepare(
      "SELECT time, fraction, low, median, high FROM forecast WHERE run = ?1 ORDER BY time")
    var indices: [Int64: Int] = [:]
    var found: [Int64] = []
    var count = 0
    for (position, run) in numbers.enumerated() {
      if count >= limit {
        runs.removeLast(runs.count - position)
        break
      }
      var records: [TaskRecord] = []
      try samples.eachRow(run) { row in
        // This version does not know the outcomes of later ones.
        guard let outcome = Outcome.Kind(taskNumber: Int(row.integer(2))) else { return }
        var index = Int(row.integer(1))
        if !isIndexedByGraph {
          let number = row.integer(0)
          index = indices[number] ?? found.count
          if index == found.count {
            indices[number] = index
            found.append(number)
          }
        }
        records.append(
          TaskRecord(
            index: index, outcome: outcome, began: row.duration(3),
            ran: .nanoseconds(row.integer(4)), took: row.duration(5),
            attempts: Int(row.integer(6)), expected: row.duration(7),
            // A role that only later versions know reads as a task.
            role: TaskRecord.Role(rawValue: Int(row.integer(8))) ?? .task,
            host: row.isNull(9) ? nil : row.text(9),
            usage: row.duration(10).map { cpu in
              ResourceUsage(
                cpuTime: cpu, peakMemory: row.isNull(11) ? nil : Int(row.integer(11)))
            }))
      }
      runs[position].records = records
      count += records.count
      try forecasts.eachRow(run) { row in runs[position].forecasts.append(ForecastRecord(row)) }
    }
    return try readTasks(found)
  }

  /// Reads the graph of a run; nil if there is none, its bytes were changed, or records refer to tasks outside of it.
  private func readGraph(
    _ number: Int64, of run: Int64
  ) throws(HistoryError) -> (tasks: [TaskIdentity], graph: TaskGraph)? {
    let query = try database.prepare("SELECT digest, bytes FROM graph WHERE id = ?1")
    let packed = try query.first(number) { row in
      PackedGraph(bytes: row.bytes(1), digest: UInt64(bitPattern: row.integer(0)))
    }
    guard let contents = (packed ?? nil)?.unpacked else { return nil }
    let outside = try database.prepare(
      "SELECT count(*) FROM sample WHERE run = ?1 AND place NOT BETWEEN 0 AND ?2 - 1")
    return try outside.first(run, contents.tasks.count) { $0.integer(0) } == 0 ? contents : nil
  }

  /// Reads the identities of tasks.
  private func readTasks(_ numbers: [Int64]) throws(HistoryError) -> [TaskIdentity] {
    let query = try database.prepare("SELECT name, kind, fingerprint FROM task WHERE id = ?1")
    var tasks: [TaskIdentity] = []
    tasks.reserveCapacity(numbers.count)
    for number in numbers {
      let task = try query.first(number) { row in
        TaskIdentity(
          name: row.text(0), kind: row.text(1), fingerprint: UInt64(bitPattern: row.integer(2)))
      }
      guard let task else {
        throw HistoryError(.damaged, path: database.path, reason: "a record has no task")
      }
      tasks.append(task)
    }
    return tasks
  }
}

extension RunRecord {
  /// Reads the columns of the table of runs.
  fileprivate init(_ row: borrowing Row, plan: String) {
    self.init(
      plan: plan, name: row.text(1), began: row.integer(2), workers: Int(row.integer(3)),
      machine: MachineIdentity(
        cores: Int(row.integer(4)), host: UInt64(bitPattern: row.integer(5))),
      total: row.duration(6),
      outcome: row.isNull(7) ? nil : Outcome.Kind(runCode: Int(row.integer(7))))
  }
}

extension ForecastRecord {
  fileprivate init(_ row: borrowing Row) {
    self.init(
      at: .nanoseconds(row.integer(0)), fraction: row.double(1),
      remaining: row.isNull(3)
        ? nil
        : RemainingTime(
          low: .nanoseconds(row.integer(2)), median: .nanoseconds(row.integer(3)),
          high: .nanoseconds(row.integer(4))))
  }
}
