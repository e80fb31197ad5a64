internal import CHeadwaySQLite
internal import HeadwayLibc
internal import HeadwaySystem

/// An open SQLite database: the one owner of its connection, which closes with it.
///
/// Used from one thread at a time, so SQLite takes no mutex. The text of every statement is a literal of this module
/// (`StaticString`), so untrusted text never becomes SQL: values are bound.
@safe
struct Database: ~Copyable {
  /// How a file is opened.
  enum Access {
    /// For reading and writing; a missing file is created.
    case creating
    /// For reading a file as immutable: without a lock, without creating files beside it, without its log.
    case readOnly
  }

  /// The first version of SQLite with strict tables.
  private static let oldestLibrary: Int32 = 3_037_000

  let path: String
  /// The connection of SQLite, closed in `deinit`.
  private let handle: OpaquePointer

  /// Opens a file.
  ///
  /// - Throws: `HistoryError`; a damaged file may be noticed only at the first use.
  init(path: String, access: Access) throws(HistoryError) {
    guard sqlite3_libversion_number() >= Self.oldestLibrary else {
      throw HistoryError(.unreachable, path: path, reason: "SQLite 3.37 or newer is needed")
    }
    var opened: OpaquePointer?
    let code: Int32
    // SQLite rejects a link anywhere in the path, so those above the file are resolved.
    let resolved = Self.resolvingFolder(of: path)
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    switch access {
    case .creating:
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | common
      code = unsafe sqlite3_open_v2(resolved, &opened, flags, nil)
    case .readOnly:
      let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | common
      let address = "file:\(Self.escaped(resolved))?immutable=1"
      code = unsafe sqlite3_open_v2(address, &opened, flags, nil)
    }
    guard code == SQLITE_OK, let handle = unsafe opened else {
      // The text is static; a failed open leaves a handle to close.
      let reason = unsafe String(cString: sqlite3_errstr(code))
      unsafe sqlite3_close_v2(opened)
      throw HistoryError(code: code, path: path, reason: reason)
    }
    self.path = path
    unsafe self.handle = handle
  }

  /// The path with the folder of the file resolved; unchanged if the folder does not exist.
  private static func resolvingFolder(of path: String) -> String {
    let (folder, name) = splitPath(path)
    guard let resolved = unsafe realpath(folder, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved).map { "\($0)/\(name)" } ?? path
  }

  /// Closes the connection once its last statement is gone.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Sets how long a call waits for a lock of another program.
  func wait(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

  /// Limits the number of pages of the file, as a full disk does.
  func limit(pages: Int) throws(HistoryError) {
    // The only text that is not a literal, because a pragma takes no bound values; a number is all digits.
    let code = unsafe sqlite3_exec(handle, "PRAGMA max_page_count = \(pages)", nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs statements without values or rows.
  func run(_ script: StaticString) throws(HistoryError) {
    // A literal ends in a zero byte and lives as long as the program.
    let code = script.withUTF8Buffer { text in
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        unsafe sqlite3_exec(handle, text.baseAddress, nil, nil, nil)
      }
    }
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs a statement once and ignores its rows.
  func run<each Value: Bindable>(
    _ text: StaticString, _ values: repeat each Value
  ) throws(HistoryError) {
    try prepare(text, isKept: false).run(repeat each values)
  }

  /// Runs a query that returns one number; 0 if it returns none.
  func number<each Value: Bindable>(
    _ query: StaticString, _ values: repeat each Value
  ) throws(HistoryError) -> Int64 {
    try prepare(query, isKept: false).first(repeat each values) { $0.integer(0) } ?? 0
  }

  /// Prepares a statement, which can be run any number of times.
  ///
  /// - Parameters:
  ///   - text: The statement.
  ///   - isKept: Whether it is run many times, see `SQLITE_PREPARE_PERSISTENT`.
  /// - Returns: The statement.
  /// - Throws: `HistoryError`.
  func prepare(_ text: StaticString, isKept: Bool = true) throws(HistoryError) -> Statement {
    var prepared: OpaquePointer?
    let code = text.withUTF8Buffer { text in
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        unsafe sqlite3_prepare_v3(
          handle, text.baseAddress, Int32(text.count),
          isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &prepared, nil)
      }
    }
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw error(code) }
    return unsafe Statement(handle: statement, path: path)
  }

  /// Rolls an open transaction back.
  func rollBack() {
    // A failed commit may have rolled back already; any error here was reported before.
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// Creates the error for a result code, with SQLite's message about the last call.
  private func error(_ code: Int32) -> HistoryError {
    // The text is copied before the next call changes it.
    HistoryError(code: code, path: path, reason: unsafe String(cString: sqlite3_errmsg(handle)))
  }

  /// Escapes a path for the URI that SQLite takes.
  private static func escaped(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      default: text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }
}
