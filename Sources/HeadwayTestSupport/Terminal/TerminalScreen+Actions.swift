internal import HeadwayText

/// The effects of characters and sequences on the screen.
extension TerminalScreen {
  /// Prints a character at the cursor.
  mutating func print(_ scalar: Unicode.Scalar) {
    let width = TextWidth.columns(of: scalar)
    guard !joins(scalar), width > 0 else { return }
    if cursor.column + width > columns {
      if isWrapping {
        lines[top + cursor.row].goesOn = true
        cursor.column = 0
        advanceRow()
      } else {
        cursor.column = max(columns - width, 0)
      }
    }
    put(String(Character(scalar)), width: width)
  }

  /// Adds a character to the one before the cursor if both form one grapheme.
  private mutating func joins(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII, cursor.column > 0 else { return false }
    let line = top + cursor.row
    var column = min(cursor.column, columns) - 1
    if lines[line].cells[column].isEmpty, column > 0 { column -= 1 }
    let joined = lines[line].cells[column] + String(Character(scalar))
    guard joined.count == 1 else { return false }
    lines[line].cells[column] = joined
    return true
  }

  /// Writes a character to the cells at the cursor.
  private mutating func put(_ text: String, width: Int) {
    let line = top + cursor.row
    let end = min(cursor.column + width, columns)
    for column in cursor.column..<end { clear(line, column) }
    lines[line].cells[cursor.column] = text
    if end - cursor.column == 2 { lines[line].cells[cursor.column + 1] = "" }
    cursor.column = end
  }

  /// Clears a cell, and the other half of a wide character.
  private mutating func clear(_ line: Int, _ column: Int) {
    if lines[line].cells[column].isEmpty, column > 0 { lines[line].cells[column - 1] = " " }
    if column + 1 < columns, lines[line].cells[column + 1].isEmpty {
      lines[line].cells[column + 1] = " "
    }
    lines[line].cells[column] = " "
  }

  /// Moves to the next row, and scrolls if there is none.
  private mutating func advanceRow() {
    if cursor.row + 1 < rows {
      cursor.row += 1
    } else {
      lines.append(Self.blank(columns))
    }
  }

  /// Handles a control character.
  mutating func act(on code: UInt8) {
    switch code {
    case 0x08: cursor.column = max(min(cursor.column, columns - 1) - 1, 0)
    case 0x09: cursor.column = min((cursor.column / 8 + 1) * 8, columns - 1)
    case 0x0A: advanceRow()
    case 0x0D: cursor.column = 0
    default: break
    }
  }

  /// Handles a control sequence; those for colors, and unknown ones, have no effect.
  mutating func act(on sequence: ScreenParser.Sequence) {
    let count = max(sequence.parameters.first ?? 1, 1)
    switch sequence.final {
    case UInt8(ascii: "A"): cursor.row = max(cursor.row - count, 0)
    case UInt8(ascii: "B"): cursor.row = min(cursor.row + count, rows - 1)
    case UInt8(ascii: "C"): cursor.column = min(cursor.column + count, columns - 1)
    case UInt8(ascii: "D"): cursor.column = max(min(cursor.column, columns - 1) - count, 0)
    case UInt8(ascii: "G"): cursor.column = min(count, columns) - 1
    case UInt8(ascii: "H"):
      let column = sequence.parameters.dropFirst().first ?? 1
      cursor = Place(row: min(count, rows) - 1, column: min(max(column, 1), columns) - 1)
    case UInt8(ascii: "J"): clearBelow()
    case UInt8(ascii: "K"): clearRow(from: cursor.column)
    case UInt8(ascii: "h"), UInt8(ascii: "l"):
      setMode(sequence, isOn: sequence.final == UInt8(ascii: "h"))
    default: break
    }
  }

  /// Clears the row from a column on.
  private mutating func clearRow(from column: Int) {
    let line = top + cursor.row
    for column in min(column, columns - 1)..<columns { clear(line, column) }
    lines[line].goesOn = false
  }

  /// Clears from the cursor to the end of the screen.
  private mutating func clearBelow() {
    clearRow(from: cursor.column)
    for line in (top + cursor.row + 1)..<max(lines.count, top + cursor.row + 1) {
      lines[line] = Self.blank(columns)
    }
  }

  /// Sets one of the modes that Headway uses.
  private mutating func setMode(_ sequence: ScreenParser.Sequence, isOn: Bool) {
    guard sequence.isPrivate else { return }
    for mode in sequence.parameters {
      switch mode {
      case 7: isWrapping = isOn
      case 25: isCursorVisible = isOn
      case 2026: isUpdating = isOn
      default: break
      }
    }
  }
}
