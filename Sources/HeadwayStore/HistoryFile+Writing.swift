internal import HeadwayForecast
internal import HeadwayRun

/// The statements that write a run.
final class WritingStatements {
  /// Begins a transaction that writes.
  let begin: Statement
  /// Ends a transaction.
  let commit: Statement
  /// Adds a plan, or nothing where it is there.
  let addPlan: Statement
  /// Finds a plan by its name.
  let findPlan: Statement
  /// Adds a run.
  let addRun: Statement
  /// Finds a graph by its digest and its bytes.
  let findGraph: Statement
  /// Adds a graph and gives its number.
  let addGraph: Statement
  /// Finds the plan of a run.
  let findRun: Statement
  /// Adds a task or finds it, notes its newest run, and gives its number.
  let addTask: Statement
  /// Adds a sample.
  let addSample: Statement
  /// Adds a forecast.
  let addForecast: Statement
  /// Notes the end of a run.
  let endRun: Statement

  /// Prepares them.
  init(_ database: borrowing Database) throws(StoreError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    addPlan = try database.prepare("INSERT OR IGNORE INTO plan (name) VALUES (?1)")
    findPlan = try database.prepare("SELECT id FROM plan WHERE name = ?1")
    addRun = try database.prepare(
      """
      INSERT INTO run (plan, name, began, workers, cores, host, graph)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      RETURNING id
      """)
    findGraph = try database.prepare("SELECT id FROM graph WHERE digest = ?1 AND bytes = ?2")
    addGraph = try database.prepare(
      "INSERT INTO graph (digest, bytes) VALUES (?1, ?2) RETURNING id")
    findRun = try database.prepare("SELECT plan FROM run WHERE id = ?1")
    addTask = try database.prepare(
      """
      INSERT INTO task (plan, name, kind, fingerprint, last) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (plan, name, kind, fingerprint) DO UPDATE SET last = max(last, excluded.last)
      RETURNING id
      """)
    addSample = try database.prepare(
      """
      INSERT INTO sample
        (run, number, task, place, outcome, began, ran, took, attempts, expected)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    addForecast = try database.prepare(
      """
      INSERT OR REPLACE INTO forecast (run, time, fraction, low, median, high)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    endRun = try database.prepare("UPDATE run SET total = ?2, outcome = ?3 WHERE id = ?1")
  }
}

/// What is to be written next.
struct Batch {
  /// Tasks that are over.
  var tasks: [TaskRecord] = []
  /// Forecasts that were made.
  var forecasts: [ForecastRecord] = []
  /// The end of the run, nil while it goes on.
  var end: (total: Duration, outcome: Outcome.Kind)?

  /// Whether there is nothing to write.
  var isEmpty: Bool { tasks.isEmpty && forecasts.isEmpty && end == nil }
}

/// A run in a file: where its next record goes.
struct RunPlace: Hashable {
  /// The number of the run.
  var run: Int64
  /// The number of its plan.
  var plan: Int64
  /// The place of its next record.
  var next: Int
}

extension HistoryFile {
  /// The bytes of a name that are kept; longer ones are cut.
  static let mostName = 1024

  /// Writes what is new, in one transaction.
  ///
  /// - Parameters:
  ///   - batch: What is new.
  ///   - run: What the run began with, but for its graph.
  ///   - graph: The graph, nil where it is not kept.
  ///   - place: Where the run stands, nil before its first batch.
  /// - Returns: Where the run stands now.
  /// - Throws: `StoreError`; nothing has changed then.
  func write(
    _ batch: Batch, of run: RunRecord, with graph: PackedGraph?, at place: RunPlace?
  ) throws(StoreError) -> RunPlace {
    var now = place
    try transaction { () throws(StoreError) in
      // A run that somebody cleared while it went on begins again.
      var stands =
        try place.map { place throws(StoreError) in
          try writing.findRun.first(place.run) { _ in place }
        } ?? nil
      if stands == nil { stands = try add(run, with: graph) }
      guard var stands else { return }
      for record in batch.tasks { try add(record, at: &stands) }
      for forecast in batch.forecasts {
        let remaining = forecast.remaining
        try writing.addForecast.run(
          stands.run, forecast.at.kept, forecast.fraction, remaining?.low.kept,
          remaining?.median.kept, remaining?.high.kept)
      }
      if let end = batch.end {
        try writing.endRun.run(stands.run, end.total.kept, end.outcome.runCode)
      }
      now = stands
    }
    guard let now else { preconditionFailure("a run was added and has no place") }
    return now
  }

  /// Adds a run, and its plan where it is new.
  private func add(
    _ run: RunRecord, with graph: PackedGraph?
  ) throws(StoreError) -> RunPlace? {
    let name = Self.cut(run.plan)
    try writing.addPlan.run(name)
    guard let plan = try writing.findPlan.first(name, read: { $0.integer(0) }),
      let id = try writing.addRun.first(
        plan, Self.cut(run.name), run.began, run.workers, run.machine.cores,
        Int64(bitPattern: run.machine.host),
        try graph.map { graph throws(StoreError) in try number(of: graph) } ?? nil,
        read: { $0.integer(0) })
    else { return nil }
    return RunPlace(run: id, plan: plan, next: 0)
  }

  /// The number of a graph, which is added where no run had it before; nil where that gives none.
  private func number(of graph: PackedGraph) throws(StoreError) -> Int64? {
    let digest = Int64(bitPattern: graph.digest)
    if let known = try writing.findGraph.first(digest, graph.bytes, read: { $0.integer(0) }) {
      return known
    }
    return try writing.addGraph.first(digest, graph.bytes) { $0.integer(0) }
  }

  /// Adds a record of a task.
  private func add(_ record: TaskRecord, at place: inout RunPlace) throws(StoreError) {
    let task = record.task
    let id = try writing.addTask.first(
      place.plan, Self.cut(task.name), Self.cut(task.kind), Int64(bitPattern: task.fingerprint),
      place.run
    ) { $0.integer(0) }
    guard let id else { return }
    // Most tasks take one attempt; for those the time is kept once.
    let took = record.attempts == 1 && record.took == record.ran ? nil : record.took
    try writing.addSample.run(
      place.run, place.next, id, record.place, record.outcome.taskCode, record.began?.kept,
      record.ran.kept, took?.kept, record.attempts, record.expected?.kept)
    place.next += 1
  }

  /// A name within the limit.
  static func cut(_ name: String) -> String {
    guard name.utf8.count > mostName else { return name }
    var size = 0
    let kept = name.unicodeScalars.prefix { scalar in
      size += UTF8.width(scalar)
      return size <= mostName
    }
    return String(kept)
  }
}
