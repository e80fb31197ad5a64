import CSQLite

/// A database in one file.
///
/// Safe to use from any thread: SQLite serializes the calls. ``transaction(_:)`` needs exclusive access, which a pool
/// of tasks provides.
@safe
final class Database: Sendable {
  /// An error of SQLite.
  struct Failure: Error, CustomStringConvertible {
    /// The message of SQLite.
    let description: String
  }

  /// The handle of SQLite, which is locked for each call.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Opens or creates a file.
  ///
  /// - Parameter path: The path.
  /// - Throws: `Failure` if it cannot be opened.
  init(path: String) throws(Failure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe handle else {
      // The text belongs to SQLite and lives as long as the program.
      let reason = unsafe String(cString: sqlite3_errstr(code))
      unsafe sqlite3_close(handle)
      throw Failure(description: "\(path) cannot be opened: \(reason)")
    }
    unsafe self.handle = opened
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Executes statements without a result.
  ///
  /// - Parameter statements: The statements, in SQL.
  /// - Throws: `Failure` if one of them fails.
  func execute(_ statements: String) throws(Failure) {
    guard unsafe sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
      throw failure
    }
  }

  /// Executes statements in a transaction: all of them or none.
  ///
  /// Fails at once if another program is writing; the caller tries again later.
  ///
  /// - Parameter body: Executes the statements.
  /// - Throws: The error of the body, and `Failure`.
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

  /// Returns the single number of a query.
  ///
  /// - Parameter query: The query, in SQL.
  /// - Returns: The number, 0 where there is no row.
  /// - Throws: `Failure`.
  func number(_ query: String) throws -> Int {
    var number = 0
    try forEachRow(of: query) { number = $0.number(0) }
    return number
  }

  /// Reads the rows of a query.
  ///
  /// - Parameters:
  ///   - query: The query, in SQL.
  ///   - body: Called with each row.
  /// - Throws: `Failure`, and the error of the body, which ends the query.
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

  /// Interrupts the current statement, from any thread.
  func interrupt() { unsafe sqlite3_interrupt(handle) }

  /// The error of the last call.
  private var failure: Failure {
    // The text is copied before another thread uses the database.
    Failure(description: "the database says: \(unsafe String(cString: sqlite3_errmsg(handle)))")
  }
}

/// The current row of a query.
@safe
struct Row: ~Copyable {
  /// The statement, owned by this value.
  private let statement: OpaquePointer

  /// Creates a value that owns a statement.
  fileprivate init(of statement: OpaquePointer) { unsafe self.statement = unsafe statement }

  deinit { unsafe sqlite3_finalize(statement) }

  /// The number in a column, 0 if there is none.
  borrowing func number(_ column: Int32) -> Int {
    Int(unsafe sqlite3_column_int64(statement, column))
  }

  /// The text in a column, empty if there is none.
  borrowing func text(_ column: Int32) -> String {
    // SQLite keeps the text only until the next row.
    unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) } ?? ""
  }
}
