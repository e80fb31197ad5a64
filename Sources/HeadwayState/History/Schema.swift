/// The schema of a history, version by version.
///
/// A file contains the program that owns it (`application_id`) and its version (`user_version`). Each step migrates a file
/// to the next version; all missing steps run in one transaction, so no other process sees a file in between. For a new
/// version, add a script to ``history`` that ends by setting `user_version`; never change a released one.
///
/// ```
/// plan ─< run ─< sample >─ task      a sample is the record of a task in a run
///         │  └─< forecast            the forecasts that were shown during the run
///         └─> graph                  the dependencies, shared by runs with the same graph
/// stored                             the names of all runs that were ever stored
/// ```
struct Schema: Sendable {
  /// The scripts: the first one creates version 1, the next one migrates to version 2, and so on.
  let steps: [StaticString]

  /// The `application_id` of our files: "Hdwy" in ASCII.
  static let applicationID: Int64 = 1_214_543_737

  /// The current schema.
  static let history = Schema(steps: [version1, version2, version3, version4, version5])

  /// Migrates a file to the newest version; if that fails, the file is unchanged.
  ///
  /// - Parameter database: A file that is ours or empty.
  /// - Throws: `HistoryError`.
  func apply(to database: borrowing Database) throws(HistoryError) {
    if try missing(in: database).isEmpty { return }
    do {
      try database.run("BEGIN IMMEDIATE")
      // Again, now that no other process can do the same.
      for script in try missing(in: database) { try database.run(script) }
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// The steps that are missing in a file.
  private func missing(in database: borrowing Database) throws(HistoryError) -> ArraySlice<
    StaticString
  > {
    let version = try database.number("PRAGMA user_version")
    guard version >= 0, version <= steps.count else {
      throw HistoryError(.newer, path: database.path)
    }
    return steps[Int(version)...]
  }

  /// The first version.
  ///
  /// Times are nanoseconds, except `run.began`: milliseconds since 1970.
  private static let version1: StaticString = """
    PRAGMA application_id = 1214543737;

    CREATE TABLE plan (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    -- A run without an outcome is running or was killed. One that is leaving is being deleted.
    CREATE TABLE run (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      plan INTEGER NOT NULL,
      name TEXT NOT NULL,
      began INTEGER NOT NULL,
      workers INTEGER NOT NULL,
      cores INTEGER NOT NULL,
      host INTEGER NOT NULL,
      graph INTEGER,
      total INTEGER,
      outcome INTEGER,
      leaving INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX run_of_plan ON run (plan);
    CREATE INDEX run_of_graph ON run (graph);
    CREATE INDEX run_leaving ON run (leaving) WHERE leaving = 1;

    -- A graph is deleted with the last run that refers to it.
    CREATE TABLE graph (
      id INTEGER PRIMARY KEY,
      digest INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX graph_digest ON graph (digest);

    -- `last` is the newest run with a sample of the task; the task is deleted with that run.
    CREATE TABLE task (
      id INTEGER PRIMARY KEY,
      plan INTEGER NOT NULL,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      fingerprint INTEGER NOT NULL,
      last INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX task_of_plan ON task (plan, name, kind, fingerprint);
    CREATE INDEX task_fingerprint ON task (fingerprint);

    -- `number` counts the records of a run, so that new ones go to the end of its part of the tree; `place` is the index
    -- of the task in the graph. Without `took`, the only attempt took as long as the task ran.
    CREATE TABLE sample (
      run INTEGER NOT NULL,
      number INTEGER NOT NULL,
      task INTEGER NOT NULL,
      place INTEGER NOT NULL,
      outcome INTEGER NOT NULL,
      began INTEGER,
      ran INTEGER NOT NULL,
      took INTEGER,
      attempts INTEGER NOT NULL,
      expected INTEGER,
      PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;

    -- Without `median` there was no estimate.
    CREATE TABLE forecast (
      run INTEGER NOT NULL,
      time INTEGER NOT NULL,
      fraction REAL NOT NULL,
      low INTEGER,
      median INTEGER,
      high INTEGER,
      PRIMARY KEY (run, time)
    ) STRICT, WITHOUT ROWID;

    PRAGMA user_version = 1;
    """

  /// The second version: `role` says what a task is to its run, nothing for one that runs and ends.
  private static let version2: StaticString = """
    ALTER TABLE sample ADD COLUMN role INTEGER;

    PRAGMA user_version = 2;
    """

  /// The third version: `stored` has the names of all runs that were stored, also of those that were deleted since, so that no journal is
  /// imported twice.
  private static let version3: StaticString = """
    CREATE TABLE stored (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO stored SELECT name FROM run;

    PRAGMA user_version = 3;
    """

  /// The fourth version: `host` is the name of the machine on which the last attempt ran, nothing for that of the run.
  private static let version4: StaticString = """
    ALTER TABLE sample ADD COLUMN host TEXT;

    PRAGMA user_version = 4;
    """

  /// The fifth version: `cpu` is the time in nanoseconds that processors spent on the last attempt, and `memory` the bytes of its
  /// largest process, nothing where that is unknown.
  private static let version5: StaticString = """
    ALTER TABLE sample ADD COLUMN cpu INTEGER;
    ALTER TABLE sample ADD COLUMN memory INTEGER;

    PRAGMA user_version = 5;
    """
}
