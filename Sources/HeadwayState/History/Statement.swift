internal import CHeadwaySQLite

/// A value that can be bound to a parameter of a statement.
protocol Bindable {
  /// Binds the value to a parameter, counted from 1, and returns the result code.
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32
}

extension Int64: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_int64(statement.handle, index, self)
  }
}

extension Int: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    Int64(self).bind(to: statement, at: index)
  }
}

extension String: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { text in
      // Never nil, or an empty text would become NULL.
      unsafe hs_bind_text(
        statement.handle, index,
        UnsafeRawPointer(text.baseAddress) ?? UnsafeRawPointer(statement.handle),
        Int32(clamping: text.count))
    }
  }
}

extension Double: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_double(statement.handle, index, self)
  }
}

extension [UInt8]: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    unsafe withUnsafeBytes { bytes in
      // Never nil, or no bytes would become NULL.
      unsafe hs_bind_blob(
        statement.handle, index, bytes.baseAddress ?? UnsafeRawPointer(statement.handle),
        Int32(clamping: bytes.count))
    }
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
    if let self { return self.bind(to: statement, at: index) }
    return unsafe sqlite3_bind_null(statement.handle, index)
  }
}

/// A prepared statement, which can be run any number of times and is finalized with its owner.
///
/// Every run binds all values and resets the statement afterwards, so that it holds no lock between runs.
@safe
struct Statement: ~Copyable {
  /// The statement of SQLite, finalized in `deinit`.
  fileprivate let handle: OpaquePointer
  /// The path of the file, for errors.
  private let path: String

  /// Takes ownership of a prepared statement.
  @unsafe
  init(handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs the statement and ignores its rows.
  func run<each Value: Bindable>(_ values: repeat each Value) throws(HistoryError) {
    try eachRow(repeat each values) { _ in }
  }

  /// Runs the statement to its end and reads its first row, nil if there is none.
  func first<each Value: Bindable, Result>(
    _ values: repeat each Value, read: (borrowing Row) -> Result
  ) throws(HistoryError) -> Result? {
    var result: Result?
    try eachRow(repeat each values) { row in
      if result == nil { result = read(row) }
    }
    return result
  }

  /// Runs the statement and reads all rows.
  ///
  /// - Parameters:
  ///   - values: The values of its parameters.
  ///   - body: Called with each row; it must not use this statement.
  /// - Throws: `HistoryError`.
  func eachRow<each Value: Bindable>(
    _ values: repeat each Value, body: (borrowing Row) -> Void
  ) throws(HistoryError) {
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      let code = value.bind(to: self, at: index)
      precondition(code == SQLITE_OK, "cannot bind parameter \(index): \(code)")
    }
    precondition(
      unsafe sqlite3_bind_parameter_count(handle) == index, "a statement lacks a value")
    defer { unsafe sqlite3_reset(handle) }
    let row = unsafe Row(handle: handle)
    while true {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      body(row)
    }
  }

  /// Creates the error for a result code, with SQLite's message about the last call.
  private func error(_ code: Int32) -> HistoryError {
    // The connection lives as long as its statements, and the text is copied at once.
    let reason = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    return HistoryError(code: code, path: path, reason: reason)
  }
}

/// The current row of a statement, valid only inside `eachRow`.
@safe
struct Row: ~Copyable {
  private let handle: OpaquePointer

  @unsafe
  fileprivate init(handle: OpaquePointer) { unsafe self.handle = handle }

  /// The number in a column; 0 for NULL.
  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// The text in a column, with invalid UTF-8 repaired; empty for NULL.
  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let size = Int(unsafe sqlite3_column_bytes(handle, column))
    // The bytes are valid until the next step; they are copied here.
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: size), as: UTF8.self)
  }

  /// The number in a column; 0 for NULL.
  func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// The bytes in a column; none for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let size = Int(unsafe sqlite3_column_bytes(handle, column))
    // The bytes are valid until the next step; they are copied here.
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size))
  }

  /// The time in a column of nanoseconds; nil for NULL.
  func duration(_ column: Int32) -> Duration? {
    isNull(column) ? nil : .nanoseconds(integer(column))
  }

  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }
}
