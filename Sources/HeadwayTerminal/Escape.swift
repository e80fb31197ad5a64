/// The escape sequences that the surfaces use: all of them, so that `TerminalScreen` knows each.
enum Escape {
  /// Begins an update that the terminal shows at once when it ends.
  static let beginUpdate: StaticString = "\u{1B}[?2026h"
  /// Ends such an update.
  static let endUpdate: StaticString = "\u{1B}[?2026l"
  /// Hides the cursor.
  static let hideCursor: StaticString = "\u{1B}[?25l"
  /// Shows the cursor.
  static let showCursor: StaticString = "\u{1B}[?25h"
  /// Cuts rows that are too long instead of wrapping them.
  static let stopWrapping: StaticString = "\u{1B}[?7l"
  /// Wraps rows that are too long.
  static let startWrapping: StaticString = "\u{1B}[?7h"
  /// Clears the rest of the row.
  static let clearRow: StaticString = "\u{1B}[K"
  /// Clears from here to the end of the screen.
  static let clearBelow: StaticString = "\u{1B}[J"

  /// Appends a constant.
  static func append(_ text: StaticString, to output: inout [UInt8]) {
    text.withUTF8Buffer { bytes in unsafe output.append(contentsOf: bytes) }
  }

  /// Appends a movement of the cursor: nothing for no rows, up for a negative number.
  static func move(rows: Int, into output: inout [UInt8]) {
    if rows < 0 { output.append(contentsOf: "\u{1B}[\(-rows)A".utf8) }
    if rows > 0 { output.append(contentsOf: "\u{1B}[\(rows)B".utf8) }
  }

  /// Appends a movement to a column, from 0.
  static func move(column: Int, into output: inout [UInt8]) {
    if column == 0 {
      output.append(0x0D)
    } else {
      output.append(contentsOf: "\u{1B}[\(column + 1)G".utf8)
    }
  }

  /// Appends the choice of a pen.
  static func pen(_ pen: Pen, into output: inout [UInt8]) {
    append("\u{1B}[", to: &output)
    append(pen.parameters, to: &output)
    output.append(UInt8(ascii: "m"))
  }
}
