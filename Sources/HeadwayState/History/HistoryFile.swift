internal import HeadwayLibc
internal import HeadwaySystem

/// An open history: the file, its prepared statements and its transactions.
///
/// It throws every error; ``HistoryStore`` decides what an error means for a run.
final class HistoryFile {
  /// How long a call waits for a lock, in milliseconds: long enough for some transactions, short for a run.
  private static let lockTimeout: Int32 = 200

  let database: Database
  let limits: HistoryLimits
  let writing: WritingStatements

  /// Opens or creates a history.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - schema: The schema to which an older file is migrated.
  ///   - limits: The limits of the file.
  /// - Throws: `HistoryError`; a file of another program has not been touched then.
  init(path: String, schema: Schema, limits: HistoryLimits) throws(HistoryError) {
    try Self.inspect(path)
    database = try Database(path: path, access: .creating)
    database.wait(milliseconds: Self.lockTimeout)
    let isOurs = try database.number("PRAGMA application_id") == Schema.applicationID
    if !isOurs {
      guard try database.number("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw HistoryError(.foreign, path: path)
      }
      // Nothing can be lost while the file is created: what a power failure leaves of it is replaced like a damaged
      // file. Waiting for the disk here would delay the first task.
      try database.run("PRAGMA synchronous = OFF")
      // Must be set before the first table; a file of one empty page is rebuilt for it.
      try database.run("PRAGMA auto_vacuum = INCREMENTAL")
      if try database.number("PRAGMA page_count") > 0 { try database.run("VACUUM") }
    }
    try schema.apply(to: database)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 1048576")
    // With a write-ahead log, a commit survives a crash of the program, and a reader never waits for a writer.
    // Only a power failure may lose the last commits, never the file.
    try database.run("PRAGMA synchronous = NORMAL")
    // Half of the usual cache in memory; a larger one does not make short transactions faster.
    try database.run("PRAGMA cache_size = -1000")
    self.limits = limits
    writing = try WritingStatements(database)
    if let pages = limits.pages { try database.limit(pages: pages) }
  }

  /// Opens a read-only history.
  ///
  /// Commits that are still in the write-ahead log of another program are not seen.
  init(reading path: String, schema: Schema) throws(HistoryError) {
    _ = try Self.size(of: path)
    database = try Database(path: path, access: .readOnly)
    guard try database.number("PRAGMA application_id") == Schema.applicationID,
      try database.number("PRAGMA user_version") == schema.steps.count
    else { throw HistoryError(.readOnly, path: path) }
    limits = HistoryLimits()
    writing = try WritingStatements(database)
  }

  /// The size of a file in bytes, 0 if there is none.
  ///
  /// Opening a pipe would block, a device or a folder is not a history, and a link may lead to a file of another user.
  private static func size(of path: String) throws(HistoryError) -> Int {
    guard let file = FileStatus(path, followsLinks: false) else { return 0 }
    switch file.kind {
    case .file: return file.size
    case .folder: throw HistoryError(.unreachable, path: path, reason: "it is a folder")
    case .link: throw HistoryError(.unreachable, path: path, reason: "it is a link")
    default: throw HistoryError(.unreachable, path: path, reason: "it is not a file")
    }
  }

  /// Checks whether a file belongs to another program, without a lock and without changing it.
  ///
  /// Opening a file for writing may change it, because SQLite applies the log that another program left. Whatever cannot
  /// be read here fails when the file is opened.
  private static func inspect(_ path: String) throws(HistoryError) {
    guard try size(of: path) > 0 else { return }
    guard let database = try? Database(path: path, access: .readOnly),
      let owner = try? database.number("PRAGMA application_id"), owner != Schema.applicationID
    else { return }
    let isEmpty = (try? database.number("SELECT count(*) FROM sqlite_schema")) == 0
    let hasLog = FileStatus("\(path)-wal").map { $0.size > 0 } ?? false
    if owner != 0 || !isEmpty || hasLog { throw HistoryError(.foreign, path: path) }
  }

  /// Runs a transaction; if it throws, nothing has changed.
  func transaction(_ body: () throws(HistoryError) -> Void) throws(HistoryError) {
    do {
      // Takes the write lock first: waiting for it in the middle could only fail.
      try writing.begin.run()
      try body()
      try writing.commit.run()
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// Reads from one consistent state of the file, whatever other processes write meanwhile.
  func snapshot<Result>(
    _ body: () throws(HistoryError) -> Result
  ) throws(HistoryError) -> Result {
    try database.run("BEGIN")
    defer { database.rollBack() }
    return try body()
  }
}
