internal import Glibc

/// An open history: the file, its prepared statements and its transactions.
///
/// Every trouble is thrown; ``HistoryStore`` stands in front and decides what trouble means for a run.
final class HistoryFile {
  /// How long a call waits for another program, in milliseconds: some transactions of ours, and no pause of the run.
  static let patience: Int32 = 200

  /// The file.
  let database: Database
  /// Whether the file can be read only.
  let isStill: Bool
  /// What the file may take up.
  let limits: HistoryLimits
  /// What changes the file.
  let writing: WritingStatements
  /// What forgets runs.
  let forgetting: ForgettingStatements

  /// Opens or makes a history.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - schema: The form that it is brought to.
  ///   - limits: What it may take up.
  ///   - patience: How long a lock of another program is waited for, in milliseconds.
  /// - Throws: `StoreError`; a file that is not ours has not been touched then.
  init(path: String, schema: Schema, limits: HistoryLimits, patience: Int32) throws(StoreError) {
    try Self.inspect(path)
    database = try Database(path: path, access: .creating)
    database.wait(milliseconds: patience)
    let isOurs = try database.number("PRAGMA application_id") == Schema.applicationID
    if !isOurs {
      guard try database.number("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw StoreError(.foreign, path: path)
      }
      // Must come before the first table; a file of one empty page is built anew for it.
      try database.run("PRAGMA auto_vacuum = INCREMENTAL")
      if try database.number("PRAGMA page_count") > 0 { try database.run("VACUUM") }
    }
    // With a log beside the file, a commit survives the death of the program, and a reader never waits for a writer.
    // Only a power cut may take the last commits, never the file.
    try database.run("PRAGMA synchronous = NORMAL")
    try schema.apply(to: database)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 1048576")
    isStill = false
    self.limits = limits
    writing = try WritingStatements(database)
    forgetting = try ForgettingStatements(database)
    if let pages = limits.pages { try database.limit(pages: pages) }
  }

  /// Opens a history that can be read only.
  ///
  /// What another program has not yet carried over from its log into the file is not seen.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - schema: The form that it must have.
  /// - Throws: `StoreError`.
  init(reading path: String, schema: Schema) throws(StoreError) {
    database = try Database(path: path, access: .still)
    guard try database.number("PRAGMA application_id") == Schema.applicationID,
      try database.number("PRAGMA user_version") == schema.steps.count
    else { throw StoreError(.readOnly, path: path) }
    isStill = true
    limits = HistoryLimits()
    writing = try WritingStatements(database)
    forgetting = try ForgettingStatements(database)
  }

  /// Looks into a file, without a lock or a trace, for signs that it is not ours.
  ///
  /// To open a file in earnest may change it: a log that another program left is carried over. So a file of another
  /// program must be known before. What cannot be read here is judged when it is opened.
  private static func inspect(_ path: String) throws(StoreError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    // A pipe would be waited for, and a device or a folder holds no history.
    guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError(.unreachable, path: path) }
    guard status.st_size > 0 else { return }
    guard let database = try? Database(path: path, access: .still),
      let owner = try? database.number("PRAGMA application_id"), owner != Schema.applicationID
    else { return }
    let isEmpty = (try? database.number("SELECT count(*) FROM sqlite_schema")) == 0
    let hasLog = unsafe stat("\(path)-wal", &status) == 0 && status.st_size > 0
    if owner != 0 || !isEmpty || hasLog { throw StoreError(.foreign, path: path) }
  }

  /// Does something in one transaction: all of it, or nothing.
  ///
  /// - Parameter body: What to do.
  /// - Throws: `StoreError`; nothing has changed then.
  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    do {
      // The write lock comes at once: waiting for it in the middle could only fail.
      try writing.begin.run()
      try body()
      try writing.commit.run()
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// Reads something from one state of the file, whatever others write meanwhile.
  ///
  /// - Parameter body: What to read.
  /// - Returns: What was read.
  /// - Throws: `StoreError`.
  func snapshot<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try database.run("BEGIN")
    defer { database.rollBack() }
    return try body()
  }
}
