import CSQLite

/// A database in one file.
///
/// Safe from any thread: SQLite was told to let one call in at a time. ``transaction(_:)`` wants the database for
/// itself, which whoever starts the tasks sees to.
@safe
final class Database: Sendable {
  /// What SQLite says when it does not do what it was asked to.
  struct Failure: Error, CustomStringConvertible {
    /// What it says.
    let description: String
  }

  /// The database inside SQLite, which locks it for each call.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Opens a file, or makes it.
  ///
  /// - Parameter path: Where it is.
  /// - Throws: `Failure` when that cannot be.
  init(path: String) throws(Failure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe handle else {
      // The text is SQLite's own and lives as long as the program.
      let reason = unsafe String(cString: sqlite3_errstr(code))
      unsafe sqlite3_close(handle)
      throw Failure(description: "\(path) cannot be opened: \(reason)")
    }
    unsafe self.handle = opened
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Carries out statements that have no result.
  ///
  /// - Parameter statements: The statements, in SQL.
  /// - Throws: `Failure` when one of them cannot be carried out.
  func execute(_ statements: String) throws(Failure) {
    guard unsafe sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
      throw failure
    }
  }

  /// Carries out statements that are all done, or none of them.
  ///
  /// Fails at once where another program is writing: who calls this comes back later.
  ///
  /// - Parameter body: Carries them out.
  /// - Throws: What the body throws, and `Failure`.
  func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
    try execute("BEGIN IMMEDIATE")
    do throws(Failure) {
      try body()
      try execute("COMMIT")
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Reads the one number that a query gives.
  ///
  /// - Parameter query: The query, in SQL.
  /// - Returns: The number, 0 where there is no row.
  /// - Throws: `Failure`.
  func number(_ query: String) throws -> Int {
    var number = 0
    try forEachRow(of: query) { number = $0.number(0) }
    return number
  }

  /// Reads the rows of a query, one after the other.
  ///
  /// - Parameters:
  ///   - query: The query, in SQL.
  ///   - body: What to do with each.
  /// - Throws: `Failure`, and what the body throws, which ends the query.
  func forEachRow(of query: String, _ body: (borrowing Row) throws -> Void) throws {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK,
      let prepared = unsafe statement
    else { throw failure }
    let row = unsafe Row(of: prepared)
    while true {
      switch unsafe sqlite3_step(prepared) {
      case SQLITE_ROW: try body(row)
      case SQLITE_DONE: return
      default: throw failure
      }
    }
  }

  /// Ends what is being done at the moment, from any thread.
  func interrupt() { unsafe sqlite3_interrupt(handle) }

  /// What the last call complained of.
  private var failure: Failure {
    // The text is copied before anybody else uses the database.
    Failure(description: "the database says: \(unsafe String(cString: sqlite3_errmsg(handle)))")
  }
}

/// The row at which a query stands; the query ends with it.
@safe
struct Row: ~Copyable {
  /// The query inside SQLite, which is this value's own.
  private let statement: OpaquePointer

  /// Takes a query over.
  fileprivate init(of statement: OpaquePointer) { unsafe self.statement = unsafe statement }

  deinit { unsafe sqlite3_finalize(statement) }

  /// The number in a column, 0 where there is none.
  borrowing func number(_ column: Int32) -> Int {
    Int(unsafe sqlite3_column_int64(statement, column))
  }

  /// The text in a column, empty where there is none.
  borrowing func text(_ column: Int32) -> String {
    // Copied before the query moves on, which is how long SQLite keeps it.
    unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) } ?? ""
  }
}
