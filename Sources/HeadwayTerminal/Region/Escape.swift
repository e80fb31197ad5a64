/// All escape sequences that Headway writes; `TerminalScreen` understands each of them.
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
  /// Saves the position of the cursor.
  static let saveCursor: StaticString = "\u{1B}7"
  /// Restores the position of the cursor.
  static let restoreCursor: StaticString = "\u{1B}8"
  /// Clears the rest of the row.
  static let clearRow: StaticString = "\u{1B}[K"
  /// Clears from here to the end of the screen.
  static let clearBelow: StaticString = "\u{1B}[J"
  /// Begins the progress for the taskbar of the desktop, `TaskbarProgress`.
  static let beginTaskbar: StaticString = "\u{1B}]9;4;"
  /// Ends it: the terminator of strings, not the bell, which old terminals ring.
  static let endString: StaticString = "\u{1B}\\"

  /// Appends a constant.
  static func append(_ text: StaticString, to output: inout [UInt8]) {
    text.withUTF8Buffer { bytes in unsafe output.append(contentsOf: bytes) }
  }

  /// Removes the beginnings and ends of updates, for bytes that become one update.
  static func removingUpdates(from bytes: [UInt8]) -> [UInt8] {
    [beginUpdate, endUpdate].reduce(bytes) { bytes, mark in
      bytes.replacing(mark.withUTF8Buffer { unsafe Array($0) }, with: [])
    }
  }

  /// Appends a number from 0 on.
  static func append(number: Int, to output: inout [UInt8]) {
    var power = 1
    while number / power >= 10 { power *= 10 }
    while power > 0 {
      output.append(0x30 + UInt8(number / power % 10))
      power /= 10
    }
  }

  /// Appends a movement of the cursor: nothing for no rows, up for a negative number.
  static func move(rows: Int, into output: inout [UInt8]) {
    guard rows != 0 else { return }
    append("\u{1B}[", to: &output)
    append(number: abs(rows), to: &output)
    output.append(rows < 0 ? UInt8(ascii: "A") : UInt8(ascii: "B"))
  }

  /// Appends a movement to a column, from 0.
  static func move(column: Int, into output: inout [UInt8]) {
    guard column != 0 else { return output.append(0x0D) }
    append("\u{1B}[", to: &output)
    append(number: column + 1, to: &output)
    output.append(UInt8(ascii: "G"))
  }

  /// Appends the selection of a text style.
  ///
  /// - Parameters:
  ///   - textStyle: The style.
  ///   - before: The style before; a plain one needs no reset.
  ///   - output: The bytes to append to.
  static func style(_ textStyle: TextStyle, after before: TextStyle, into output: inout [UInt8]) {
    append("\u{1B}[", to: &output)
    let start = output.count
    if before != .plain, textStyle != .plain { append(";0", to: &output) }
    switch textStyle.kind {
    case .plain: break
    case .bold: append(";1", to: &output)
    case .dim: append(";2", to: &output)
    case .good: append(";32", to: &output)
    case .bad: append(";31", to: &output)
    case .warning: append(";33", to: &output)
    case .active: append(";36", to: &output)
    }
    if textStyle.isReversed { append(";7", to: &output) }
    textStyle.foreground.append(base: 38, to: &output)
    textStyle.background.append(base: 48, to: &output)
    if output.count > start { output.remove(at: start) }
    output.append(UInt8(ascii: "m"))
  }
}
