/// A terminal in memory: what a person would see after a program has written some bytes.
///
/// It knows the escape sequences that Headway uses, keeps rows that scroll away, and wraps old lines again when its
/// width changes, as nearly all terminals do. Use it to test anything that draws: compare screens as text.
///
/// ```swift
/// var screen = TerminalScreen(columns: 20, rows: 3)
/// screen.write("fetch\r\nunpack")
/// let text = screen.text  // "fetch\nunpack"
/// ```
public struct TerminalScreen: Sendable {
  /// A position on the screen, from 0.
  ///
  /// ```swift
  /// var screen = TerminalScreen(columns: 20, rows: 3)
  /// screen.write("fetch\r\nunpack")
  /// let place: TerminalScreen.Place = screen.cursor  // row 1, column 6
  /// ```
  public struct Place: Hashable, Sendable {
    /// The row, from the top.
    public var row: Int
    /// The column, from the left.
    public var column: Int

    /// Creates a position.
    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// A row of cells; a wide character takes one cell and an empty one after it.
  struct Line: Hashable, Sendable {
    /// The text of each cell: a character, or nothing after a wide one.
    var cells: [String]
    /// Whether the text continues in the next row because it did not fit.
    var goesOn = false

    /// The cells up to the last one that is not blank.
    var used: Int { (cells.lastIndex { $0 != " " } ?? -1) + 1 }
    /// The text without blanks at its end.
    var text: String { cells[..<used].joined() }
  }

  /// The number of columns.
  public private(set) var columns: Int
  /// The number of rows.
  public private(set) var rows: Int
  /// The position of the cursor; the column is one past the last one if the next character wraps.
  public internal(set) var cursor = Place(row: 0, column: 0)
  /// The saved position of the cursor.
  private var saved = Place(row: 0, column: 0)
  /// Whether the cursor is shown.
  public internal(set) var isCursorVisible = true
  /// Whether the screen waits for the end of a synchronized update.
  package internal(set) var isUpdating = false
  /// Whether text that is too long continues in the next row.
  var isWrapping = true
  /// All rows, including those that scrolled away.
  var lines: [Line]
  /// The parser of the bytes.
  var parser = ScreenParser()

  /// Creates an empty screen.
  ///
  /// - Parameters:
  ///   - columns: The number of columns, at least 1.
  ///   - rows: The number of rows, at least 1.
  public init(columns: Int, rows: Int) {
    precondition(columns > 0 && rows > 0, "a screen cannot be \(columns) x \(rows)")
    (self.columns, self.rows) = (columns, rows)
    lines = Array(repeating: Self.blank(columns), count: rows)
  }

  /// The rows on the screen, without blanks at their ends and without empty rows at the end.
  public var text: String { Self.text(lines[top...]) }

  /// The rows that scrolled away and those on the screen.
  public var allText: String { Self.text(lines[...]) }

  /// The rows that scrolled away, the oldest first.
  package var scrollback: [String] { lines[..<top].map(\.text) }

  /// Writes bytes, as a program writes to a terminal.
  ///
  /// - Parameter bytes: UTF-8 text and escape sequences, which may be cut anywhere.
  public mutating func write(_ bytes: [UInt8]) {
    for byte in bytes {
      switch parser.take(byte) {
      case .nothing: break
      case .character(let scalar): print(scalar)
      case .control(let code): act(on: code)
      case .escape(UInt8(ascii: "7")): saved = cursor
      case .escape(UInt8(ascii: "8")): cursor = saved
      case .escape: break
      case .sequence(let sequence): act(on: sequence)
      }
    }
  }

  /// Writes text.
  public mutating func write(_ text: String) { write(Array(text.utf8)) }

  /// Changes the size and wraps all lines again, as terminals do.
  ///
  /// - Parameters:
  ///   - columns: The new number of columns, at least 1.
  ///   - rows: The new number of rows, at least 1.
  public mutating func resize(columns: Int, rows: Int) {
    precondition(columns > 0 && rows > 0, "a screen cannot be \(columns) x \(rows)")
    let here = top + cursor.row
    var wrapped: [Line] = []
    var place = Place(row: 0, column: 0)
    var start = 0
    while start < lines.count {
      var end = start
      while end < lines.count - 1, lines[end].goesOn { end += 1 }
      let cells = Self.join(lines[start...end])
      let offset =
        here >= start && here <= end ? (here - start) * self.columns + cursor.column : nil
      // Blank rows below the cursor are space, not text.
      if start > here, lines[start...].allSatisfy({ $0.used == 0 }) { break }
      let parts = Self.wrap(cells, keeping: offset ?? 0, columns: columns)
      if let offset {
        let row = min(offset / columns, parts.count - 1)
        place = Place(row: wrapped.count + row, column: offset - row * columns)
      }
      wrapped += parts
      start = end + 1
    }
    while wrapped.count < rows { wrapped.append(Self.blank(columns)) }
    (lines, self.columns, self.rows) = (wrapped, columns, rows)
    cursor = Place(row: max(place.row - top, 0), column: min(place.column, columns))
    saved = cursor
  }

  // MARK: Cells

  /// The index of the screen's first row among all rows.
  var top: Int { lines.count - rows }

  /// A row of blanks.
  static func blank(_ columns: Int) -> Line {
    Line(cells: Array(repeating: " ", count: columns))
  }

  /// Joins rows and drops empty ones at the end.
  private static func text(_ lines: ArraySlice<Line>) -> String {
    var rows = lines.map(\.text)
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.joined(separator: "\n")
  }

  /// Joins the rows of a line, without the gaps where a wide character did not fit.
  private static func join(_ rows: ArraySlice<Line>) -> [String] {
    var cells: [String] = []
    for row in rows {
      let startsWide = row.cells.count > 1 && row.cells[1].isEmpty
      if startsWide, !cells.isEmpty, cells.last == " " { cells.removeLast() }
      cells += row.cells
    }
    return cells
  }

  /// Divides a line into rows.
  ///
  /// - Parameters:
  ///   - cells: The cells of the line.
  ///   - kept: The number of cells that are kept even if they are blank, for the cursor.
  ///   - columns: The width of a row.
  /// - Returns: The rows, at least one.
  private static func wrap(_ cells: [String], keeping kept: Int, columns: Int) -> [Line] {
    let used = max((cells.lastIndex { $0 != " " } ?? -1) + 1, min(kept, cells.count))
    var rows: [Line] = []
    var row: [String] = []
    for index in 0..<used {
      let isWide = index + 1 < used && cells[index + 1].isEmpty
      if row.count + (isWide ? 2 : 1) > columns, !row.isEmpty {
        rows.append(Self.filled(row, columns, goesOn: true))
        row = []
      }
      row.append(cells[index])
    }
    rows.append(Self.filled(row, columns, goesOn: false))
    return rows
  }

  /// A row of the given cells and blanks after them.
  private static func filled(_ cells: [String], _ columns: Int, goesOn: Bool) -> Line {
    let missing = max(columns - cells.count, 0)
    let all = cells.prefix(columns) + Array(repeating: " ", count: missing)
    return Line(cells: Array(all), goesOn: goesOn)
  }
}
