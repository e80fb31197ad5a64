internal import HeadwayText

/// A row of text for a terminal: characters with their styles and widths.
package struct Row: Hashable, Sendable {
  /// A character with its style.
  package struct Cell: Hashable, Sendable {
    /// The code point, or the number of a cluster of several with `clusterMark`.
    package let glyph: UInt32
    /// The columns it takes.
    package let columns: UInt8
    package let textStyle: TextStyle

    /// The bit that distinguishes a cluster from a code point.
    package static let clusterMark: UInt32 = 1 << 31

    /// Whether it is a blank that shows nothing.
    package var isBlank: Bool {
      glyph == 0x20 && textStyle.background.isNone && !textStyle.isReversed
    }
  }

  /// The characters from left to right, none of width 0.
  package private(set) var cells: [Cell] = []
  /// The columns that the row takes.
  package private(set) var columns = 0
  /// The characters of more than one code point, in the order of their cells.
  private var clusters: [String] = []
  /// Whether the last text has right-to-left letters, so that a terminal would mirror what follows together with it.
  private var endsRightToLeft = false

  /// Creates an empty row.
  package init() {}

  /// Creates an empty row with room for some cells.
  package init(capacity: Int) { cells.reserveCapacity(capacity) }

  /// Creates a row of one text.
  package init(_ text: String, _ textStyle: TextStyle = .plain) { append(text, textStyle) }

  /// Whether all terminals agree on the widths, because every character is a single code point.
  package var isCertain: Bool { clusters.isEmpty }

  /// Whether all characters are in the same columns as those of another row.
  package func isAligned(with other: Row) -> Bool {
    cells.count == other.cells.count
      && zip(cells, other.cells).allSatisfy { $0.columns == $1.columns }
  }

  /// Appends text; characters without width are dropped.
  ///
  /// Right-to-left text reorders nothing but itself: before anything but blanks is appended, it gets a left-to-right mark.
  package mutating func append(_ text: String, _ textStyle: TextStyle = .plain) {
    if endsRightToLeft { endRightToLeft() }
    let start = (cells: cells.count, columns: columns)
    for scalar in text.unicodeScalars {
      guard let width = TextWidth.columns(ofSimple: scalar) else {
        cells.removeLast(cells.count - start.cells)
        columns = start.columns
        return append(characters: text, textStyle)
      }
      append(scalar.value, width, textStyle)
    }
  }

  /// Appends text whose characters may have several code points or none to show.
  private mutating func append(characters text: String, _ textStyle: TextStyle) {
    for character in text {
      let width = TextWidth.columns(of: character)
      guard width > 0 else { continue }
      let scalars = character.unicodeScalars
      if scalars.contains(where: \.isRightToLeft) { endsRightToLeft = true }
      if let first = scalars.first, scalars.count == 1 {
        append(first.value, width, textStyle)
      } else {
        append(Cell.clusterMark | UInt32(clusters.count), width, textStyle)
        clusters.append(String(character))
      }
    }
  }

  /// Puts a left-to-right mark behind the last letter, in the same cell: whatever rewrites the letter writes the mark.
  private mutating func endRightToLeft() {
    endsRightToLeft = false
    guard let index = cells.lastIndex(where: { !$0.isBlank }) else { return }
    let last = cells[index]
    if last.glyph & Cell.clusterMark != 0 {
      clusters[Int(last.glyph & ~Cell.clusterMark)] += Self.leftToRightMark
    } else if let letter = Unicode.Scalar(last.glyph) {
      cells[index] = Cell(
        glyph: Cell.clusterMark | UInt32(clusters.count), columns: last.columns,
        textStyle: last.textStyle)
      clusters.append("\(letter)\(Self.leftToRightMark)")
    }
  }

  private static let leftToRightMark = "\u{200E}"

  /// Appends another row.
  package mutating func append(_ other: Row) {
    if endsRightToLeft { endRightToLeft() }
    endsRightToLeft = other.endsRightToLeft
    let base = UInt32(clusters.count)
    columns += other.columns
    guard base > 0, !other.clusters.isEmpty else {
      clusters += other.clusters
      cells += other.cells
      return
    }
    for cell in other.cells {
      let isCluster = cell.glyph & Cell.clusterMark != 0
      cells.append(
        Cell(
          glyph: isCluster ? cell.glyph + base : cell.glyph, columns: cell.columns,
          textStyle: cell.textStyle))
    }
    clusters += other.clusters
  }

  /// Appends a code point of one column.
  package mutating func append(_ scalar: Unicode.Scalar, _ textStyle: TextStyle) {
    if endsRightToLeft { endRightToLeft() }
    append(scalar.value, 1, textStyle)
  }

  /// Appends a cell.
  private mutating func append(_ glyph: UInt32, _ width: Int, _ textStyle: TextStyle) {
    cells.append(Cell(glyph: glyph, columns: UInt8(width), textStyle: textStyle))
    columns += width
  }

  /// Appends blanks up to a column.
  package mutating func pad(to column: Int) {
    while columns < column { append(0x20, 1, .plain) }
  }

  /// Appends text that ends at a column, or after one blank if there is no room.
  package mutating func append(
    _ text: String, endingAt column: Int, _ textStyle: TextStyle = .plain
  ) {
    pad(to: column - TextWidth.columns(of: text))
    // Side by side, a name and a number would be read as one word.
    if cells.last?.isBlank == false { append(" ") }
    append(text, textStyle)
  }

  /// Truncates the row to a number of columns, and removes blanks at its end.
  package mutating func cut(to width: Int, ellipsis: String) {
    if columns > width {
      let mark = TextWidth.columns(of: ellipsis) < width ? ellipsis : ""
      let room = width - TextWidth.columns(of: mark)
      while columns > room { removeLast() }
      append(mark, cells.last?.textStyle ?? .plain)
    }
    while cells.last?.isBlank == true { removeLast() }
  }

  /// The row up to a column, and the rest without the blanks at its beginning.
  ///
  /// - Parameter column: The column.
  /// - Returns: Both parts.
  package func split(at column: Int) -> (head: Row, rest: Row) {
    var (head, rest) = (Row(), Row())
    for cell in cells {
      let isHead = rest.cells.isEmpty && head.columns + Int(cell.columns) <= column
      if isHead {
        head.append(cell, of: self)
      } else if !rest.cells.isEmpty || !cell.isBlank {
        rest.append(cell, of: self)
      }
    }
    return (head, rest)
  }

  /// Appends a cell of another row.
  private mutating func append(_ cell: Cell, of row: Row) {
    guard cell.glyph & Cell.clusterMark != 0 else {
      return append(cell.glyph, Int(cell.columns), cell.textStyle)
    }
    append(
      Cell.clusterMark | UInt32(clusters.count), Int(cell.columns), cell.textStyle)
    clusters.append(row.clusters[Int(cell.glyph & ~Cell.clusterMark)])
  }

  /// Removes the last character.
  private mutating func removeLast() {
    let last = cells.removeLast()
    columns -= Int(last.columns)
    if last.glyph & Cell.clusterMark != 0 { clusters.removeLast() }
  }

  /// The number of rows of a terminal that the row takes once it is wrapped.
  ///
  /// - Parameter width: The columns of the terminal, at least 1.
  /// - Returns: At least 1.
  package func height(at width: Int) -> Int {
    guard columns > width else { return 1 }
    var height = 1
    var column = 0
    for cell in cells {
      // A wide character that does not fit goes to the next row as a whole.
      if column + Int(cell.columns) > width { (height, column) = (height + 1, 0) }
      column += Int(cell.columns)
    }
    return height
  }

  /// Appends a range of the row's characters as bytes.
  ///
  /// - Parameters:
  ///   - range: The indices of the characters.
  ///   - color: Whether to apply their styles.
  ///   - output: The bytes to append to.
  package func encode(_ range: Range<Int>, color: Bool, into output: inout [UInt8]) {
    var textStyle = TextStyle.plain
    for cell in cells[range] {
      if color, cell.textStyle != textStyle {
        Escape.style(cell.textStyle, after: textStyle, into: &output)
        textStyle = cell.textStyle
      }
      encode(cell.glyph, into: &output)
    }
    if textStyle != .plain { Escape.style(.plain, after: textStyle, into: &output) }
  }

  /// Appends the whole row as bytes.
  package func encode(color: Bool, into output: inout [UInt8]) {
    encode(cells.indices, color: color, into: &output)
  }

  /// Writes rows as lines, without blanks at their ends.
  package static func print(_ rows: [Row], color: Bool, into output: inout [UInt8]) {
    for var row in rows {
      row.cut(to: .max, ellipsis: "")
      row.encode(color: color, into: &output)
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends a character as UTF-8.
  private func encode(_ glyph: UInt32, into output: inout [UInt8]) {
    if glyph < 0x80 { return output.append(UInt8(glyph)) }
    guard glyph & Cell.clusterMark == 0, let scalar = Unicode.Scalar(glyph) else {
      output.append(contentsOf: clusters[Int(glyph & ~Cell.clusterMark)].utf8)
      return
    }
    for unit in scalar.utf8 { output.append(unit) }
  }
}
