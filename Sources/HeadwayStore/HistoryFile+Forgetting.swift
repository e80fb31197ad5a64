/// The statements that forget runs.
final class ForgettingStatements {
  /// Finds a run that is leaving.
  let findLeaving: Statement
  /// Counts the runs of a plan that stay.
  let countRuns: Statement
  /// Lets the oldest run of a plan leave, but for one.
  let leaveOfPlan: Statement
  /// Lets the oldest run of all leave, but for one.
  let leaveOfAll: Statement
  /// Finds the last record of a step.
  let findBound: Statement
  /// Forgets the tasks of a step that no other run has seen.
  let forgetTasks: Statement
  /// Forgets the samples of a step.
  let forgetSamples: Statement
  /// Forgets the forecasts of a run.
  let forgetForecasts: Statement
  /// Forgets a run and gives its plan and graph.
  let forgetRun: Statement
  /// Forgets a plan that has no run.
  let forgetPlan: Statement
  /// Forgets a graph that has no run.
  let forgetGraph: Statement
  /// Counts the pages of the file.
  let countPages: Statement
  /// Counts the pages of the file that hold nothing.
  let countFree: Statement

  /// Prepares them.
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
  /// What a step of forgetting came to.
  enum Step {
    /// There may be more to forget.
    case more
    /// Everything is within its limits.
    case done
    /// The file is beyond its limit, and only the run that goes on is left in it.
    case crowded
  }

  /// The records that one step forgets: a few milliseconds.
  static let recordsPerStep = 500

  /// The bytes of a page, as SQLite makes them unless told otherwise.
  private func pageSize() throws(StoreError) -> Int64 { try database.number("PRAGMA page_size") }

  /// The bytes that the file takes up, with and without pages that hold nothing.
  func sizes() throws(StoreError) -> (whole: Int64, used: Int64) {
    let page = try pageSize()
    let pages = try forgetting.countPages.first { $0.integer(0) } ?? 0
    let free = try forgetting.countFree.first { $0.integer(0) } ?? 0
    return (pages * page, (pages - free) * page)
  }

  /// Does a small part of what the limits ask for, and gives free pages back to the system.
  ///
  /// - Parameter place: The run that goes on and stays.
  /// - Returns: Whether there is more to do.
  /// - Throws: `StoreError`; what this step did has not happened then.
  func forget(keeping place: RunPlace) throws(StoreError) -> Step {
    let sizes = try sizes()
    var step = Step.done
    try transaction { () throws(StoreError) in
      if let run = try forgetting.findLeaving.first(read: { $0.integer(0) }) {
        try forgetPart(of: run)
        step = .more
        return
      }
      if try forgetting.countRuns.first(place.plan, read: { $0.integer(0) }) ?? 0 > limits.runs {
        try forgetting.leaveOfPlan.run(place.plan, place.run)
        step = try forgetting.findLeaving.first { _ in Step.more } ?? .done
      } else if sizes.used > limits.bytes {
        try forgetting.leaveOfAll.run(place.run)
        step = try forgetting.findLeaving.first { _ in Step.more } ?? .crowded
      }
    }
    if sizes.whole > sizes.used { try database.run("PRAGMA incremental_vacuum(64)") }
    return step
  }

  /// Forgets some records of a run that is leaving, with the last of them the run.
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

  /// Forgets all runs of a plan.
  ///
  /// - Parameter plan: The name of the plan.
  /// - Throws: `StoreError`; nothing is forgotten then.
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

  /// Forgets everything.
  ///
  /// - Throws: `StoreError`; nothing is forgotten then.
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

  /// Gives all free pages back to the system, and carries the log over into the file.
  private func shrink() throws(StoreError) {
    try database.run("PRAGMA incremental_vacuum")
    // Another program may be reading; its last commit does the same later.
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
