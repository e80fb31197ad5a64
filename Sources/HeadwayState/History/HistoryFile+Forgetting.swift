extension HistoryFile {
  /// The result of a step of deleting.
  enum Step {
    /// There may be more to delete.
    case more
    /// Everything is within its limits, or only the current run is left.
    case done
  }

  /// The records that one step deletes: a few milliseconds.
  static let recordsPerStep = 500

  /// The size of the file in bytes, with and without free pages.
  func sizes() throws(HistoryError) -> (whole: Int64, used: Int64) {
    let page = try database.number("PRAGMA page_size")
    let pages = try database.number("PRAGMA page_count")
    let free = try database.number("PRAGMA freelist_count")
    return (pages * page, (pages - free) * page)
  }

  /// Deletes a small part of what exceeds the limits, and returns free pages to the system.
  ///
  /// - Parameter current: The current run, which stays.
  /// - Returns: Whether there is more to do.
  /// - Throws: `HistoryError`; nothing has changed then.
  func forget(keeping current: RunPosition) throws(HistoryError) -> Step {
    let sizes = try sizes()
    var step = Step.done
    try transaction { () throws(HistoryError) in
      if let run = try leavingRun() {
        try forgetPart(of: run)
        step = .more
        return
      }
      let runs = try database.number(
        "SELECT count(*) FROM run WHERE plan = ?1 AND leaving = 0", current.plan)
      if runs > limits.runs {
        try database.run(
          """
          UPDATE run SET leaving = 1
          WHERE id = (SELECT min(id) FROM run WHERE plan = ?1 AND leaving = 0) AND id <> ?2
          """, current.plan, current.run)
        step = try leavingRun() == nil ? .done : .more
      } else if sizes.used > limits.bytes {
        try database.run(
          """
          UPDATE run SET leaving = 1
          WHERE id = (SELECT min(id) FROM run WHERE leaving = 0) AND id <> ?1
          """, current.run)
        step = try leavingRun() == nil ? .done : .more
      }
    }
    if sizes.whole > sizes.used { try database.run("PRAGMA incremental_vacuum(64)") }
    return step
  }

  /// The run that is being deleted, `nil` if there is none.
  private func leavingRun() throws(HistoryError) -> Int64? {
    try database.prepare("SELECT id FROM run WHERE leaving = 1 LIMIT 1").first { $0.integer(0) }
  }

  /// Deletes some records of a run that is leaving; with the last of them, the run.
  private func forgetPart(of run: Int64) throws(HistoryError) {
    let query = try database.prepare(
      "SELECT number FROM sample WHERE run = ?1 ORDER BY number LIMIT 1 OFFSET ?2")
    let bound = try query.first(run, Self.recordsPerStep) { $0.integer(0) }
    try database.run(
      """
      DELETE FROM task WHERE last = ?1
      AND id IN (SELECT task FROM sample WHERE run = ?1 AND number < ?2)
      """, run, bound ?? .max)
    try database.run("DELETE FROM sample WHERE run = ?1 AND number < ?2", run, bound ?? .max)
    if bound != nil { return }
    try database.run("DELETE FROM forecast WHERE run = ?1", run)
    try database.run("DELETE FROM run WHERE id = ?1", run)
    try database.run(
      "DELETE FROM plan WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.plan = plan.id)")
    try forgetUnusedGraphs()
  }

  /// Deletes the graphs that no run refers to.
  private func forgetUnusedGraphs() throws(HistoryError) {
    try database.run(
      "DELETE FROM graph WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.graph = graph.id)")
  }

  /// Deletes all runs of a plan, or nothing if that fails.
  func clear(plan: String) throws(HistoryError) {
    try transaction { () throws(HistoryError) in
      guard let plan = try writing.findPlan.first(Self.cut(plan), read: { $0.integer(0) }) else {
        return
      }
      for table in [
        "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE plan = ?1)",
        "DELETE FROM forecast WHERE run IN (SELECT id FROM run WHERE plan = ?1)",
        "DELETE FROM task WHERE plan = ?1", "DELETE FROM run WHERE plan = ?1",
        "DELETE FROM plan WHERE id = ?1",
      ] as [StaticString] {
        try database.run(table, plan)
      }
      try forgetUnusedGraphs()
    }
    try shrink()
  }

  /// Deletes everything, or nothing if that fails.
  func clear() throws(HistoryError) {
    try transaction { () throws(HistoryError) in
      try database.run(
        """
        DELETE FROM sample; DELETE FROM forecast; DELETE FROM task; DELETE FROM run;
        DELETE FROM graph; DELETE FROM plan
        """)
    }
    try shrink()
  }

  /// Returns all free pages to the system, and moves the write-ahead log into the file.
  private func shrink() throws(HistoryError) {
    try database.run("PRAGMA incremental_vacuum")
    // Another program may be reading; its last commit does the same later.
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
