internal import HeadwayRun

/// The statements that write a run.
final class WritingStatements {
  let begin: Statement
  let commit: Statement
  let addPlan: Statement
  let findPlan: Statement
  let addRun: Statement
  let findGraph: Statement
  let addGraph: Statement
  let addTask: Statement
  let addSample: Statement
  let addForecast: Statement
  let noteStored: Statement
  let findStored: Statement
  let forgetStored: Statement

  init(_ database: borrowing Database) throws(HistoryError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    addPlan = try database.prepare("INSERT OR IGNORE INTO plan (name) VALUES (?1)")
    findPlan = try database.prepare("SELECT id FROM plan WHERE name = ?1")
    addRun = try database.prepare(
      """
      INSERT INTO run (plan, name, began, workers, cores, host, graph, total, outcome)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      RETURNING id
      """)
    findGraph = try database.prepare("SELECT id FROM graph WHERE digest = ?1 AND bytes = ?2")
    addGraph = try database.prepare(
      "INSERT INTO graph (digest, bytes) VALUES (?1, ?2) RETURNING id")
    addTask = try database.prepare(
      """
      INSERT INTO task (plan, name, kind, fingerprint, last) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (plan, name, kind, fingerprint) DO UPDATE SET last = max(last, excluded.last)
      RETURNING id
      """)
    addSample = try database.prepare(
      """
      INSERT INTO sample
        (run, number, task, place, outcome, began, ran, took, attempts, expected, role, host, cpu,
         memory)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """)
    addForecast = try database.prepare(
      """
      INSERT OR REPLACE INTO forecast (run, time, fraction, low, median, high)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    noteStored = try database.prepare("INSERT OR IGNORE INTO stored (name) VALUES (?1)")
    findStored = try database.prepare("SELECT 1 FROM stored WHERE name = ?1")
    // The names begin with the time, so these are the oldest.
    forgetStored = try database.prepare(
      "DELETE FROM stored WHERE name < (SELECT name FROM stored ORDER BY name DESC LIMIT 1 OFFSET ?1)"
    )
  }
}

/// The position of a run in a file.
struct RunPosition: Hashable {
  /// The number of the run.
  var run: Int64
  /// The number of its plan.
  var plan: Int64
  /// The number of its next record.
  var next: Int
}

extension HistoryFile {
  /// The bytes of a name that are stored; longer names are cut.
  static let maxNameBytes = 1024
  /// The number of names of stored runs that are kept; far more than there are journals.
  private static let storedNames = 10_000

  /// Writes a run, in one transaction.
  ///
  /// - Parameter run: The run.
  /// - Returns: Its position; nil if it was stored before.
  /// - Throws: `HistoryError`; nothing has changed then.
  func write(_ run: RunRecord) throws(HistoryError) -> RunPosition? {
    let graph = run.graph.flatMap { PackedGraph(run.tasks, $0, limit: limits.graphBytes) }
    var position: RunPosition?
    try transaction { () throws(HistoryError) in
      position = nil
      guard try writing.findStored.first(Self.cut(run.name), read: { _ in true }) == nil,
        var next = try add(run, with: graph)
      else { return }
      for record in run.records { try add(record, of: run.tasks[record.index], at: &next) }
      try add(run.forecasts, of: next.run)
      position = next
    }
    return position
  }

  /// Adds forecasts: at most ten a second, later one for each 3 % of the elapsed time.
  private func add(_ forecasts: [ForecastRecord], of run: Int64) throws(HistoryError) {
    var next = Duration.zero
    for forecast in forecasts where forecast.at >= next {
      next = max(forecast.at + .milliseconds(100), forecast.at * 1.03)
      let remaining = forecast.remaining
      // NaN is less than nothing, so it is stored as 0.
      let fraction = forecast.fraction > 0 ? min(forecast.fraction, 1) : 0
      try writing.addForecast.run(
        run, forecast.at.storedNanoseconds, fraction, remaining?.low.storedNanoseconds,
        remaining?.median.storedNanoseconds, remaining?.high.storedNanoseconds)
    }
  }

  /// Adds a run, and its plan if it is new.
  private func add(
    _ run: RunRecord, with graph: PackedGraph?
  ) throws(HistoryError) -> RunPosition? {
    let name = Self.cut(run.plan)
    let hasEnded = run.total != nil && run.outcome != nil
    try writing.noteStored.run(Self.cut(run.name))
    try writing.forgetStored.run(Self.storedNames)
    try writing.addPlan.run(name)
    guard let plan = try writing.findPlan.first(name, read: { $0.integer(0) }),
      let id = try writing.addRun.first(
        plan, Self.cut(run.name), run.began, run.workers, run.machine.cores,
        Int64(bitPattern: run.machine.host),
        try graph.map { graph throws(HistoryError) in try number(of: graph) } ?? nil,
        hasEnded ? run.total?.storedNanoseconds : nil, hasEnded ? run.outcome?.runCode : nil,
        read: { $0.integer(0) })
    else { return nil }
    return RunPosition(run: id, plan: plan, next: 0)
  }

  /// Returns the number of a graph, which is added if no run had it before.
  private func number(of graph: PackedGraph) throws(HistoryError) -> Int64? {
    let digest = Int64(bitPattern: graph.digest)
    if let known = try writing.findGraph.first(digest, graph.bytes, read: { $0.integer(0) }) {
      return known
    }
    return try writing.addGraph.first(digest, graph.bytes) { $0.integer(0) }
  }

  /// Adds the record of a task that has ended.
  private func add(
    _ record: TaskRecord, of task: TaskIdentity, at position: inout RunPosition
  ) throws(HistoryError) {
    guard let outcome = record.outcome else { return }
    let id = try writing.addTask.first(
      position.plan, Self.cut(task.name), Self.cut(task.kind), Int64(bitPattern: task.fingerprint),
      position.run
    ) { $0.integer(0) }
    guard let id else { return }
    // Most tasks take one attempt; for those the time is stored once.
    let role = record.role == .task ? nil : Int64(record.role.rawValue)
    let took = record.attempts == 1 && record.took == record.ran ? nil : record.took
    try writing.addSample.run(
      position.run, position.next, id, record.index, outcome.number,
      record.began?.storedNanoseconds, record.ran.storedNanoseconds, took?.storedNanoseconds,
      record.attempts, record.expected?.storedNanoseconds, role, record.host.map(Self.cut),
      record.usage?.cpuTime.storedNanoseconds, record.usage?.peakMemory.map(Int64.init))
    position.next += 1
  }

  /// Cuts a name to the maximum length, between characters.
  static func cut(_ name: String) -> String {
    guard name.utf8.count > maxNameBytes else { return name }
    var size = 0
    let scalars = name.unicodeScalars.prefix { scalar in
      size += UTF8.width(scalar)
      return size <= maxNameBytes
    }
    return String(scalars)
  }
}
