/// A row of text for a terminal: characters, how each is set, and how many columns they take.
struct Row: Hashable, Sendable {
  /// A character and how it is set.
  struct Cell: Hashable, Sendable {
    /// The character.
    let character: Character
    /// How it is set.
    let pen: Pen
    /// The columns it takes.
    let columns: Int

    /// Whether all terminals agree on its width: it is a single code point.
    var isCertain: Bool { character.unicodeScalars.count == 1 }
  }

  /// The characters from left to right, none of width 0.
  private(set) var cells: [Cell] = []
  /// The columns that the row takes.
  private(set) var columns = 0

  /// Creates an empty row.
  init() {}

  /// Creates a row of one text.
  init(_ text: String, _ pen: Pen = .plain) { append(text, pen) }

  /// Appends text; characters without width are dropped.
  mutating func append(_ text: String, _ pen: Pen = .plain) {
    for character in text {
      let width = TextWidth.columns(of: character)
      guard width > 0 else { continue }
      cells.append(Cell(character: character, pen: pen, columns: width))
      columns += width
    }
  }

  /// Appends blanks up to a column.
  mutating func pad(to column: Int) {
    if columns < column { append(String(repeating: " ", count: column - columns)) }
  }

  /// Appends text that ends at a column, or right here when there is no room.
  mutating func append(_ text: String, endingAt column: Int, _ pen: Pen = .plain) {
    pad(to: column - TextWidth.columns(of: text))
    append(text, pen)
  }

  /// Shortens the row to a number of columns, and drops blanks at its end.
  mutating func cut(to width: Int, ellipsis: String) {
    if columns > width {
      let mark = TextWidth.columns(of: ellipsis) < width ? ellipsis : ""
      let room = width - TextWidth.columns(of: mark)
      while columns > room { removeLast() }
      append(mark, cells.last?.pen ?? .plain)
    }
    while cells.last?.character == " " { removeLast() }
  }

  /// Removes the last character.
  private mutating func removeLast() { columns -= cells.removeLast().columns }

  /// The number of rows of a terminal that the row takes once it is wrapped.
  ///
  /// - Parameter width: The columns of the terminal, at least 1.
  /// - Returns: At least 1.
  func height(at width: Int) -> Int {
    guard columns > width else { return 1 }
    var height = 1
    var column = 0
    for cell in cells {
      // A wide character that does not fit goes to the next row as a whole.
      if column + cell.columns > width { (height, column) = (height + 1, 0) }
      column += cell.columns
    }
    return height
  }

  /// Appends a range of the row's characters as bytes.
  ///
  /// - Parameters:
  ///   - range: The places of the characters.
  ///   - colour: Whether to set them as their pens say.
  ///   - output: The bytes to append to.
  func encode(_ range: Range<Int>, colour: Bool, into output: inout [UInt8]) {
    var pen = Pen.plain
    for cell in cells[range] {
      if colour, cell.pen != pen {
        pen = cell.pen
        Escape.pen(pen, into: &output)
      }
      output.append(contentsOf: cell.character.utf8)
    }
    if pen != .plain { Escape.pen(.plain, into: &output) }
  }

  /// Appends the whole row as bytes.
  func encode(colour: Bool, into output: inout [UInt8]) {
    encode(cells.indices, colour: colour, into: &output)
  }
}
