/// The rows at the bottom of a terminal that are drawn again and again.
///
/// The cursor rests in column 0 of the row below the region, so that whatever else is printed, or the prompt
/// after a crash, comes below it and not into it. What is known of the screen is what was written last; only
/// what differs is written again.
///
///     ✓ fetch      1.2s           for good, above
///     release      ━━━━━━╸────    ┐
///     • build      ━━━╸───────    ┘ the region
///     ▏                             the cursor
struct LiveRegion: Sendable {
  /// What the terminal can do.
  private let style: TerminalStyle
  /// The rows on the screen, none when the region is not shown.
  private var rows: [Row] = []
  /// The columns of the terminal when they were written.
  private var columns = 0
  /// Whether the cursor is hidden.
  private var isCursorHidden = false

  /// Creates a region that is not shown.
  init(style: TerminalStyle) { self.style = style }

  /// Shows rows, and prints others above them for good.
  ///
  /// - Parameters:
  ///   - new: The rows of the region, each narrower than the terminal.
  ///   - above: Rows to print above the region; longer ones are wrapped.
  ///   - width: The columns of the terminal now.
  ///   - output: The bytes to append to; none when nothing changed.
  mutating func show(_ new: [Row], above: [Row], width: Int, into output: inout [UInt8]) {
    guard !above.isEmpty || new != rows || (width != columns && !rows.isEmpty) else { return }
    Escape.append(Escape.beginUpdate, to: &output)
    if !new.isEmpty, !isCursorHidden {
      isCursorHidden = true
      Escape.append(Escape.hideCursor, to: &output)
    }
    var stopsWrapping = true
    if above.isEmpty, width == columns {
      // Rows have room. Only where terminals disagree on widths could one be too long after all.
      stopsWrapping = !new.allSatisfy { $0.cells.allSatisfy(\.isCertain) }
      if stopsWrapping { Escape.append(Escape.stopWrapping, to: &output) }
      change(to: new, into: &output)
    } else {
      erase(width: width, into: &output)
      print(above, into: &output)
      Escape.append(Escape.stopWrapping, to: &output)
      print(new, into: &output)
    }
    (rows, columns) = (new, width)
    if stopsWrapping { Escape.append(Escape.startWrapping, to: &output) }
    Escape.append(Escape.endUpdate, to: &output)
  }

  /// Takes the region away, shows the cursor, and prints rows for good where the region was.
  mutating func withdraw(printing above: [Row], width: Int, into output: inout [UInt8]) {
    let wasShown = !rows.isEmpty
    if wasShown { Escape.append(Escape.beginUpdate, to: &output) }
    erase(width: width, into: &output)
    print(above, into: &output)
    if isCursorHidden { Escape.append(Escape.showCursor, to: &output) }
    if wasShown { Escape.append(Escape.endUpdate, to: &output) }
    isCursorHidden = false
  }

  /// Clears the region and leaves the cursor where it began.
  private mutating func erase(width: Int, into output: inout [UInt8]) {
    guard !rows.isEmpty else { return }
    var height = rows.count
    if style.reflows, width != columns {
      height = rows.reduce(0) { $0 + $1.height(at: max(width, 1)) }
    }
    Escape.move(rows: -height, into: &output)
    output.append(0x0D)
    clearFromHere(into: &output)
    rows = []
  }

  /// Clears the screen from the cursor, which is in column 0, to its end.
  private func clearFromHere(into output: inout [UInt8]) {
    // Row by row at the top: tmux keeps in its history what is cleared from the very first cell.
    Escape.append(Escape.clearRow, to: &output)
    Escape.move(rows: 1, into: &output)
    Escape.append(Escape.clearBelow, to: &output)
    Escape.move(rows: -1, into: &output)
  }

  /// Prints rows, each with a line end.
  private func print(_ rows: [Row], into output: inout [UInt8]) {
    for row in rows {
      row.encode(colour: style.colour, into: &output)
      output.append(contentsOf: [0x0D, 0x0A])
    }
  }

  /// Writes what differs between the rows on the screen and new ones.
  private func change(to new: [Row], into output: inout [UInt8]) {
    var place = rows.count
    for index in 0..<min(rows.count, new.count) where rows[index] != new[index] {
      Escape.move(rows: index - place, into: &output)
      rewrite(rows[index], as: new[index], into: &output)
      place = index
    }
    let end = min(rows.count, new.count)
    Escape.move(rows: end - place, into: &output)
    output.append(0x0D)
    if new.count < rows.count { clearFromHere(into: &output) }
    print(Array(new.dropFirst(end)), into: &output)
  }

  /// Writes the characters of a row that differ, with the cursor anywhere in that row.
  private func rewrite(_ old: Row, as new: Row, into output: inout [UInt8]) {
    let prefix = zip(old.cells, new.cells).prefix { $0 == $1 }.count
    var first = prefix
    // Where terminals disagree on a width, columns cannot be counted: the whole row is written.
    if !new.cells.allSatisfy(\.isCertain) || !old.cells.allSatisfy(\.isCertain) { first = 0 }
    var last = new.cells.count
    if first == prefix, old.columns == new.columns {
      var suffix = zip(old.cells.reversed(), new.cells.reversed()).prefix { $0 == $1 }.count
      suffix = min(suffix, min(old.cells.count, new.cells.count) - first)
      last -= suffix
    }
    let column = new.cells[..<first].reduce(0) { $0 + $1.columns }
    Escape.move(column: column, into: &output)
    new.encode(first..<max(first, last), colour: style.colour, into: &output)
    if old.columns > new.columns || (first == 0 && prefix > 0) {
      Escape.append(Escape.clearRow, to: &output)
    }
  }
}
