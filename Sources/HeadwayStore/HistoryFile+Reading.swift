internal import HeadwayForecast
internal import HeadwayRun

extension HistoryFile {
  /// Reads the last runs of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - most: The most runs.
  ///   - records: The records of tasks after which no older run is read.
  /// - Returns: The runs, the newest first; none for a plan that is not known.
  /// - Throws: `StoreError`.
  /// - Complexity: O(records of these runs).
  func history(
    of plan: String, runs most: Int, records: Int
  ) throws(StoreError) -> PlanHistory {
    try snapshot { () throws(StoreError) in
      var history = PlanHistory(plan: plan)
      guard let id = try writing.findPlan.first(Self.cut(plan), read: { $0.integer(0) }) else {
        return history
      }
      let query = try database.prepare(
        """
        SELECT id, name, began, workers, cores, host, total, outcome FROM run
        WHERE plan = ?1 AND leaving = 0 ORDER BY id DESC LIMIT ?2
        """)
      var numbers: [Int64] = []
      try query.eachRow(id, max(most, 0)) { row in
        numbers.append(row.integer(0))
        history.runs.append(PlanHistory.Run(row))
      }
      history.tasks = try readRecords(
        of: numbers, most: records, into: &history.runs)
      return history
    }
  }

  /// Reads one run.
  ///
  /// - Parameter name: The name of the run, nil for the newest of all; of runs of one name the newest is read.
  /// - Returns: The run, nil where there is none.
  /// - Throws: `StoreError`.
  /// - Complexity: O(records of the run + its graph).
  func run(named name: String?) throws(StoreError) -> KeptRun? {
    try snapshot { () throws(StoreError) in
      let query = try database.prepare(
        """
        SELECT run.id, run.name, began, workers, cores, host, total, outcome, plan.name, graph
        FROM run JOIN plan ON plan.id = run.plan
        WHERE (?1 IS NULL OR run.name = ?1) AND leaving = 0 ORDER BY run.id DESC LIMIT 1
        """)
      let found = try query.first(name.map(Self.cut)) { row in
        (
          number: row.integer(0), run: PlanHistory.Run(row), plan: row.text(8),
          graph: row.integer(9)
        )
      }
      guard let found else { return nil }
      var runs = [found.run]
      let tasks = try readRecords(of: [found.number], most: .max, into: &runs)
      runs[0].graph = try readGraph(found.graph)
      if let places = runs[0].graph?.tasks.indices,
        !runs[0].records.allSatisfy({ places.contains($0.place) })
      {
        runs[0].graph = nil
      }
      return KeptRun(plan: found.plan, tasks: tasks, run: runs[0])
    }
  }

  /// Reads the records and forecasts of runs.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the runs.
  ///   - most: The records after which the rest of the runs is left out.
  ///   - runs: The runs, in the same order.
  /// - Returns: The tasks that the records speak of.
  /// - Throws: `StoreError`.
  private func readRecords(
    of numbers: [Int64], most: Int, into runs: inout [PlanHistory.Run]
  ) throws(StoreError) -> [TaskIdentity] {
    let samples = try database.prepare(
      """
      SELECT task, place, outcome, began, ran, took, attempts, expected FROM sample
      WHERE run = ?1 ORDER BY number
      """)
    let forecasts = try database.prepare(
      "SELECT time, fraction, low, median, high FROM forecast WHERE run = ?1 ORDER BY time")
    var places: [Int64: Int] = [:]
    var found: [Int64] = []
    var count = 0
    for (place, run) in numbers.enumerated() {
      if count >= most {
        runs.removeLast(runs.count - place)
        break
      }
      var records: [PlanHistory.Record] = []
      try samples.eachRow(run) { row in
        // An outcome of a later version says nothing that this one understands.
        guard let outcome = Outcome.Kind(taskCode: Int(row.integer(2))) else { return }
        let number = row.integer(0)
        let task = places[number] ?? found.count
        if task == found.count {
          places[number] = task
          found.append(number)
        }
        let ran = Duration.nanoseconds(row.integer(4))
        let attempts = Int(row.integer(6))
        records.append(
          PlanHistory.Record(
            task: task, place: Int(row.integer(1)), outcome: outcome, began: row.duration(3),
            ran: ran, took: row.duration(5) ?? (attempts == 1 ? ran : nil), attempts: attempts,
            expected: row.duration(7)))
      }
      runs[place].records = records
      count += records.count
      try forecasts.eachRow(run) { row in
        runs[place].forecasts.append(ForecastRecord(row))
      }
    }
    return try readTasks(found)
  }

  /// Reads a graph; nil where there is none, or its bytes are not those that were written.
  private func readGraph(_ number: Int64) throws(StoreError) -> GraphRecord? {
    let query = try database.prepare("SELECT digest, bytes FROM graph WHERE id = ?1")
    let packed = try query.first(number) { row in
      PackedGraph(bytes: row.bytes(1), digest: UInt64(bitPattern: row.integer(0)))
    }
    return (packed ?? nil)?.graph
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
}

extension PlanHistory.Run {
  /// Reads what a run began and ended with.
  fileprivate init(_ row: borrowing Row) {
    self.init(
      name: row.text(1), began: row.integer(2), workers: Int(row.integer(3)),
      machine: MachineIdentity(
        cores: Int(row.integer(4)), host: UInt64(bitPattern: row.integer(5))),
      total: row.duration(6),
      outcome: row.isNull(7) ? nil : Outcome.Kind(runCode: Int(row.integer(7))))
  }
}

extension ForecastRecord {
  /// Reads what was shown.
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
