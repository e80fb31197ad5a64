internal import CHeadwaySQLite

/// A value that a statement takes.
protocol Bindable {
  /// Gives the value to a statement.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - place: The place of the value, from 1.
  func bind(to statement: borrowing Statement, at place: Int32)
}

extension Int64: Bindable {
  /// Gives the number to a statement.
  func bind(to statement: borrowing Statement, at place: Int32) {
    statement.bind(self, at: place)
  }
}

extension Int: Bindable {
  /// Gives the number to a statement.
  func bind(to statement: borrowing Statement, at place: Int32) {
    statement.bind(Int64(self), at: place)
  }
}

extension String: Bindable {
  /// Gives the text to a statement.
  func bind(to statement: borrowing Statement, at place: Int32) {
    statement.bind(self, at: place)
  }
}

extension Double: Bindable {
  /// Gives the number to a statement.
  func bind(to statement: borrowing Statement, at place: Int32) {
    statement.bind(self, at: place)
  }
}

extension [UInt8]: Bindable {
  /// Gives the bytes to a statement.
  func bind(to statement: borrowing Statement, at place: Int32) {
    statement.bind(self, at: place)
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  /// Gives the value to a statement, or NULL where there is none.
  func bind(to statement: borrowing Statement, at place: Int32) {
    if let self { self.bind(to: statement, at: place) } else { statement.bindNull(at: place) }
  }
}

/// A prepared statement, carried out any number of times and finalized with its owner.
///
/// Every use binds all values anew, and leaves the statement reset, so that it holds no lock between uses.
@safe
struct Statement: ~Copyable {
  /// SQLite's side of it, finalized in `deinit`.
  private let handle: OpaquePointer
  /// The path of the file, for errors.
  private let path: String

  /// Takes over a statement that SQLite has prepared.
  @unsafe
  init(handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  /// Gives the statement back.
  deinit { unsafe sqlite3_finalize(handle) }

  /// Carries the statement out, without a look at rows.
  ///
  /// - Parameter values: What stands for its question marks.
  /// - Throws: `StoreError`.
  func run<each Value: Bindable>(_ values: repeat each Value) throws(StoreError) {
    try eachRow(repeat each values) { _ in }
  }

  /// Carries the statement out and reads its first row.
  ///
  /// The statement is carried out to its end, so that one that changes something has done so.
  ///
  /// - Parameters:
  ///   - values: What stands for its question marks.
  ///   - read: Reads the row.
  /// - Returns: What was read, nil where there is no row.
  /// - Throws: `StoreError`.
  func first<each Value: Bindable, Result>(
    _ values: repeat each Value, read: (borrowing Row) -> Result
  ) throws(StoreError) -> Result? {
    var result: Result?
    try eachRow(repeat each values) { row in
      if result == nil { result = read(row) }
    }
    return result
  }

  /// Carries the statement out and reads all rows.
  ///
  /// - Parameters:
  ///   - values: What stands for its question marks.
  ///   - body: Takes a row; it must not use this statement.
  /// - Throws: `StoreError`.
  func eachRow<each Value: Bindable>(
    _ values: repeat each Value, body: (borrowing Row) -> Void
  ) throws(StoreError) {
    var place: Int32 = 0
    for value in repeat each values {
      place += 1
      value.bind(to: self, at: place)
    }
    precondition(
      unsafe sqlite3_bind_parameter_count(handle) == place, "a statement lacks a value")
    defer { unsafe sqlite3_reset(handle) }
    let row = unsafe Row(handle: handle)
    while true {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      body(row)
    }
  }

  /// Gives a number to the statement.
  fileprivate func bind(_ value: Int64, at place: Int32) {
    let code = unsafe sqlite3_bind_int64(handle, place, value)
    precondition(code == SQLITE_OK, "no number at place \(place) of a statement: \(code)")
  }

  /// Gives a text to the statement, which copies it.
  fileprivate func bind(_ value: String, at place: Int32) {
    var value = value
    let code = value.withUTF8 { text in
      // Never nil, or an empty text would become NULL.
      unsafe hs_bind_text(
        handle, place, UnsafeRawPointer(text.baseAddress) ?? UnsafeRawPointer(handle),
        Int32(clamping: text.count))
    }
    precondition(code == SQLITE_OK, "no text at place \(place) of a statement: \(code)")
  }

  /// Gives a number to the statement.
  fileprivate func bind(_ value: Double, at place: Int32) {
    let code = unsafe sqlite3_bind_double(handle, place, value)
    precondition(code == SQLITE_OK, "no number at place \(place) of a statement: \(code)")
  }

  /// Gives bytes to the statement, which copies them.
  fileprivate func bind(_ value: [UInt8], at place: Int32) {
    let code = unsafe value.withUnsafeBytes { bytes in
      // Never nil, or no bytes would become NULL.
      unsafe hs_bind_blob(
        handle, place, bytes.baseAddress ?? UnsafeRawPointer(handle), Int32(clamping: bytes.count))
    }
    precondition(code == SQLITE_OK, "no bytes at place \(place) of a statement: \(code)")
  }

  /// Gives NULL to the statement.
  fileprivate func bindNull(at place: Int32) {
    let code = unsafe sqlite3_bind_null(handle, place)
    precondition(code == SQLITE_OK, "no NULL at place \(place) of a statement: \(code)")
  }

  /// The error for a result, with SQLite's words about the last call.
  private func error(_ code: Int32) -> StoreError {
    // The connection lives as long as its statements, and the text is copied at once.
    let reason = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    return StoreError(code: code, path: path, reason: reason)
  }
}

/// The row that a statement stands at; valid while a body looks at it.
@safe
struct Row: ~Copyable {
  /// The statement that stands at the row.
  private let handle: OpaquePointer

  /// Looks at the row of a statement.
  @unsafe
  fileprivate init(handle: OpaquePointer) { unsafe self.handle = handle }

  /// The number in a column; 0 for NULL.
  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// The text in a column; empty for NULL.
  ///
  /// What is no UTF-8 is mended.
  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let size = Int(unsafe sqlite3_column_bytes(handle, column))
    // SQLite keeps the bytes until the statement moves on; they are copied here.
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: size), as: UTF8.self)
  }

  /// The number in a column; 0 for NULL.
  func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// The bytes in a column; none for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let size = Int(unsafe sqlite3_column_bytes(handle, column))
    // SQLite keeps the bytes until the statement moves on; they are copied here.
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size))
  }

  /// The time in a column of nanoseconds; nil for NULL.
  func duration(_ column: Int32) -> Duration? {
    isNull(column) ? nil : .nanoseconds(integer(column))
  }

  /// Whether a column is NULL.
  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }
}
