/// The form of a history, version by version.
///
/// A file says whose it is (`application_id`) and of which version (`user_version`). A step brings a file from the version
/// before to its own in one transaction with all others that are missing, so a file is never seen in between. For a new
/// version, add a script to ``history`` that ends by setting `user_version`; never change one that was released.
///
/// ```
/// plan ─< run ─< sample >─ task      a sample: one task in one run
///         │  └─< forecast            what was said during the run
///         └─> graph                  what waited for what; runs of the same graph share it
/// ```
struct Schema: Sendable {
  /// The scripts: the first makes version 1 of an empty file, the next version 2 of that, and so on.
  let steps: [StaticString]

  /// What `application_id` says in our files: "Hdwy" in ASCII.
  static let applicationID: Int64 = 1_214_543_737

  /// The form of today's history.
  static let history = Schema(steps: [version1])

  /// Brings a file to the newest version.
  ///
  /// - Parameter database: The file, which is ours or holds nothing.
  /// - Throws: `StoreError`; the file is as before then.
  func apply(to database: borrowing Database) throws(StoreError) {
    if try missing(in: database).isEmpty { return }
    do {
      try database.run("BEGIN IMMEDIATE")
      // Again, now that nobody else can do the same.
      for script in try missing(in: database) { try database.run(script) }
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// The steps that a file has not seen yet.
  private func missing(in database: borrowing Database) throws(StoreError) -> ArraySlice<
    StaticString
  > {
    let version = try database.number("PRAGMA user_version")
    guard version >= 0, version <= steps.count else {
      throw StoreError(.newer, path: database.path)
    }
    return steps[Int(version)...]
  }

  /// The first version.
  ///
  /// Times are nanoseconds, but for `run.began`: milliseconds since 1970.
  private static let version1: StaticString = """
    PRAGMA application_id = 1214543737;

    CREATE TABLE plan (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    -- A run without an outcome goes on, or was killed. One that is leaving is being forgotten.
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

    -- A graph is forgotten with the last run that refers to it.
    CREATE TABLE graph (
      id INTEGER PRIMARY KEY,
      digest INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX graph_digest ON graph (digest);

    -- `last` is the newest run with a sample of the task; with that run the task is forgotten.
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

    -- `number` counts the records of a run, so that new ones go to the end of its part of the tree; `place` is that of
    -- the task in the graph. Without `took`, the one attempt took as long as all of it ran.
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

    -- Without `median` it was told that there is no estimate.
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
}
