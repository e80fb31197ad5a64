import HeadwayProgress

/// The schema of the shop's data, version by version.
enum Schema {
  /// The migrations from each version to the next; a new file has version 0.
  private static let steps = [
    """
    CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO setting VALUES ('port', 0);
    """,
    """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cents INTEGER NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
    INSERT INTO item SELECT n, 'item ' || n, 100 + n * 7919 % 10000 FROM number;
    """,
    "CREATE INDEX item_by_price ON item (cents);",
  ]

  /// The newest version.
  static var newest: Int { steps.count }

  /// Reads the version of a database.
  ///
  /// - Parameter database: The database.
  /// - Returns: The version, 0 for a new one.
  /// - Throws: `Database.Failure`.
  static func version(of database: Database) throws -> Int {
    try database.number("PRAGMA user_version")
  }

  /// Migrates a database to the newest version, and reports each step to the current node.
  ///
  /// Each step is one transaction with the number of its version, so a cancelled migration continues with the next
  /// start.
  ///
  /// - Parameter database: The database.
  /// - Throws: `TooNew` if a newer program has changed the database, `Database.Failure`, and `CancellationError` if the
  ///   node is cancelled.
  static func migrate(_ database: Database) throws {
    let version = try version(of: database)
    guard version <= newest else { throw TooNew(version: version) }
    let progress = ProgressNode.joinCurrent("migrating", total: newest - version)
    defer { progress.finish() }
    // A step may take long, and SQLite does not know nodes.
    let handler = progress.onCancel { database.interrupt() }
    defer { handler.remove() }
    for (number, step) in steps.enumerated().dropFirst(version) {
      try progress.blockingCheckpoint()
      try database.transaction { () throws(Database.Failure) in
        try database.execute(step)
        try database.execute("PRAGMA user_version = \(number + 1)")
      }
      progress.complete(1)
    }
  }

  /// The error of a database that a newer program has changed.
  struct TooNew: Error, CustomStringConvertible {
    /// Its version.
    let version: Int

    /// The error as text.
    var description: String {
      "the data have version \(version), but this program supports only versions up to \(newest)"
    }
  }
}
