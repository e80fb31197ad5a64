/// The statements that delete runs.
final class ForgettingStatements {
  let findLeaving: Statement
  let countRuns: Statement
  /// Marks the oldest run of a plan as leaving, except the given one.
  let leaveOfPlan: Statement
  /// Marks the oldest run of all as leaving, except the given one.
  let leaveOfAll: Statement
  let findBound: Statement
  let forgetTasks: Statement
  let forgetSamples: Statement
  let forgetForecasts: Statement
  let forgetRun: Statement
  let forgetPlan: Statement
  let forgetGraph: Statement
  let countPages: Statement
  let countFree: Statement

  init(_ database: borrowing Database) throws(StoreError) {
    findLeaving = try database.prepare("SELECT id FROM run WHERE leaving = 1 LIMIT 1")
    countRuns = try database.prepare("SELECT count(*) FROM run WHERE plan = ?1 AND leaving = 0")
    leaveOfPlan = try database.prepare(
      """
      UPDATE run SET leaving = 1
      WHERE id = (SELECT min(id) FROM run WHERE plan = ?1 AND leaving = 0) AND id <> ?2
      """)
    leaveOfAll = try database.prepare(
      """
      UPDATE run SET leaving = 1
      WHERE id = (SELECT min(id) FROM run WHERE leaving = 0) AND id <> ?1
      """)
    findBound = try database.prepare(
      "SELECT number FROM sample WHERE run = ?1 ORDER BY number LIMIT 1 OFFSET ?2")
    forgetTasks = try database.prepare(
      """
      DELETE FROM task WHERE last = ?1
      AND id IN (SELECT task FROM sample WHERE run = ?1 AND number < ?2)
      """)
    forgetSamples = try database.prepare("DELETE FROM sample WHERE run = ?1 AND number < ?2")
    forgetForecasts = try database.prepare("DELETE FROM forecast WHERE run = ?1")
    forgetRun = try database.prepare("DELETE FROM run WHERE id = ?1 RETURNING plan, graph")
    forgetPlan = try database.prepare(
      """
      DELETE FROM plan WHERE id = ?1
      AND NOT EXISTS (SELECT 1 FROM run WHERE run.plan = plan.id)
      """)
    forgetGraph = try database.prepare(
      """
      DELETE FROM graph WHERE id = ?1
      AND NOT EXISTS (SELECT 1 FROM run WHERE run.graph = graph.id)
      """)
    countPages = try database.prepare("PRAGMA page_count")
    countFree = try database.prepare("PRAGMA freelist_count")
  }
}

extension HistoryFile {
  /// The result of a step of deleting.
  enum Step {
    /// There may be more to delete.
    case more
    /// Everything is within its limits.
    case done
    /// The file is larger than its limit, and only the current run is left in it.
    case full
  }

  /// The records that one step deletes: a few milliseconds.
  static let recordsPerStep = 500

  /// The size of the file in bytes, with and without free pages.
  func sizes() throws(StoreError) -> (whole: Int64, used: Int64) {
    let page = try database.number("PRAGMA page_size")
    let pages = try forgetting.countPages.first { $0.integer(0) } ?? 0
    let free = try forgetting.countFree.first { $0.integer(0) } ?? 0
    return (pages * page, (pages - free) * page)
  }

  /// Deletes a small part of what exceeds the limits, and returns free pages to the system.
  ///
  /// - Parameter current: The current run, which stays.
  /// - Returns: Whether there is more to do.
  /// - Throws: `StoreError`; nothing has changed then.
  func forget(keeping current: RunPosition) throws(StoreError) -> Step {
    let sizes = try sizes()
    var step = Step.done
    try transaction { () throws(StoreError) in
      if let run = try forgetting.findLeaving.first(read: { $0.integer(0) }) {
        try forgetPart(of: run)
        step = .more
        return
      }
      if try forgetting.countRuns.first(current.plan, read: { $0.integer(0) }) ?? 0 > limits.runs {
        try forgetting.leaveOfPlan.run(current.plan, current.run)
        step = try forgetting.findLeaving.first { _ in Step.more } ?? .done
      } else if sizes.used > limits.bytes {
        try forgetting.leaveOfAll.run(current.run)
        step = try forgetting.findLeaving.first { _ in Step.more } ?? .full
      }
    }
    if sizes.whole > sizes.used { try database.run("PRAGMA incremental_vacuum(64)") }
    return step
  }

  /// Deletes some records of a run that is leaving; with the last of them, the run.
  private func forgetPart(of run: Int64) throws(StoreError) {
    let bound = try forgetting.findBound.first(run, Self.recordsPerStep) { $0.integer(0) }
    try forgetting.forgetTasks.run(run, bound ?? .max)
    try forgetting.forgetSamples.run(run, bound ?? .max)
    if bound != nil { return }
    try forgetting.forgetForecasts.run(run)
    let gone = try forgetting.forgetRun.first(run) { (plan: $0.integer(0), graph: $0.integer(1)) }
    guard let gone else { return }
    try forgetting.forgetPlan.run(gone.plan)
    try forgetting.forgetGraph.run(gone.graph)
  }

  /// Deletes all runs of a plan, or nothing if that fails.
  func clear(plan: String) throws(StoreError) {
    try transaction { () throws(StoreError) in
      guard let plan = try writing.findPlan.first(Self.cut(plan), read: { $0.integer(0) }) else {
        return
      }
      for table in [
        "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE plan = ?1)",
        "DELETE FROM forecast WHERE run IN (SELECT id FROM run WHERE plan = ?1)",
        "DELETE FROM task WHERE plan = ?1", "DELETE FROM run WHERE plan = ?1",
        "DELETE FROM plan WHERE id = ?1",
      ] as [StaticString] {
        try database.prepare(table).run(plan)
      }
      try database.run(
        "DELETE FROM graph WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.graph = graph.id)")
    }
    try shrink()
  }

  /// Deletes everything, or nothing if that fails.
  func clear() throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run(
        """
        DELETE FROM sample; DELETE FROM forecast; DELETE FROM task; DELETE FROM run;
        DELETE FROM graph; DELETE FROM plan
        """)
    }
    try shrink()
  }

  /// Returns all free pages to the system, and moves the write-ahead log into the file.
  private func shrink() throws(StoreError) {
    try database.run("PRAGMA incremental_vacuum")
    // Another program may be reading; its last commit does the same later.
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
