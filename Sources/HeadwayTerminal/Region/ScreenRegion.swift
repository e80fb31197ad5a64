/// The rows at the bottom of a terminal that are redrawn: the live region.
///
/// The cursor stays in column 0 of the row below the region, so that other output, or the prompt after a crash, is
/// printed below it and not into it. The region remembers what was written last, and writes only the differences.
///
///     ✓ fetch      1.2s           for good, above
///     release      ━━━━━━╸────    ┐
///     • build      ━━━╸───────    ┘ the region
///     ▏                             the cursor
package struct ScreenRegion: Sendable {
  /// The time before anything is drawn: a short run is not worth a flicker.
  package static let delay = Duration.milliseconds(200)
  /// The minimum time from one frame to the next.
  package static let interval = Duration.milliseconds(100)
  /// The maximum number of rows.
  package static let maximumHeight = 16
  /// The rows that even a small terminal gives to the region, if it has them.
  private static let smallHeight = 6

  private let style: TerminalStyle
  /// Whether the cursor is hidden while the region is shown; only if another process shows it again when this one dies.
  private let hidesCursor: Bool
  /// The rows on the screen, empty if the region is not shown.
  private var rows: [Row] = []
  /// The size of the terminal when they were written.
  private var size = TerminalSize(columns: 0, rows: 0)
  /// Whether the cursor is hidden.
  private var isCursorHidden = false

  /// Creates a region that is not shown.
  ///
  /// - Parameters:
  ///   - style: What the terminal can do.
  ///   - hidesCursor: Whether the cursor is hidden while the region is shown.
  package init(style: TerminalStyle, hidesCursor: Bool) {
    self.style = style
    self.hidesCursor = hidesCursor
  }

  /// The maximum number of rows in a terminal, always less than the terminal has.
  ///
  /// Half of a terminal, so that the rows do not scroll away when it becomes half as wide and each one wraps; more of a
  /// very small one.
  package static func height(rows: Int) -> Int {
    min(max(rows / 2, min(rows - 1, smallHeight)), maximumHeight)
  }

  /// Whether the region is on the screen.
  package var isShown: Bool { !rows.isEmpty }

  /// Forgets the drawn rows after other output; the next frame appears below that.
  package mutating func forget() { rows = [] }

  /// Shows rows, and prints others above them that stay.
  ///
  /// - Parameters:
  ///   - new: The rows of the region, each narrower than the terminal.
  ///   - above: Rows to print above the region; longer ones are wrapped.
  ///   - now: The size of the terminal now.
  ///   - output: The bytes to append to; none if nothing changed.
  package mutating func show(
    _ new: [Row], above: [Row], size now: TerminalSize, into output: inout [UInt8]
  ) {
    guard !above.isEmpty || new != rows || (now != size && isShown) else { return }
    if above.isEmpty, now == size, isSmall(new) {
      change(to: new, into: &output)
      rows = new
      return
    }
    Escape.append(Escape.beginUpdate, to: &output)
    if !new.isEmpty, hidesCursor, !isCursorHidden {
      isCursorHidden = true
      Escape.append(Escape.hideCursor, to: &output)
    }
    var stopsWrapping = true
    // After a resize, rows may be elsewhere: wrapped, or scrolled away.
    if above.isEmpty, now == size {
      // Rows fit into the terminal. One can be too long only if terminals disagree on the width of a character.
      stopsWrapping = !new.allSatisfy(\.isCertain)
      if stopsWrapping { Escape.append(Escape.stopWrapping, to: &output) }
      change(to: new, into: &output)
    } else {
      erase(width: now.columns, into: &output)
      print(above, into: &output)
      Escape.append(Escape.stopWrapping, to: &output)
      print(new, into: &output)
    }
    (rows, size) = (new, now)
    if stopsWrapping { Escape.append(Escape.startWrapping, to: &output) }
    Escape.append(Escape.endUpdate, to: &output)
  }

  /// Whether at most one row is written: then half of a frame is never visible, so it needs no synchronized update.
  private func isSmall(_ new: [Row]) -> Bool {
    guard new.count == rows.count else { return false }
    var changed = 0
    for index in new.indices where new[index] != rows[index] {
      changed += 1
      if changed > 1 || !new[index].isCertain { return false }
    }
    return true
  }

  /// Removes the region, shows the cursor, and prints rows in its place that stay.
  package mutating func withdraw(printing above: [Row], width: Int, into output: inout [UInt8]) {
    let wasShown = isShown
    if wasShown { Escape.append(Escape.beginUpdate, to: &output) }
    erase(width: width, into: &output)
    print(above, into: &output)
    if isCursorHidden { Escape.append(Escape.showCursor, to: &output) }
    if wasShown { Escape.append(Escape.endUpdate, to: &output) }
    isCursorHidden = false
  }

  /// Clears the region and leaves the cursor where it began.
  private mutating func erase(width: Int, into output: inout [UInt8]) {
    guard isShown else { return }
    var height = rows.count
    if style.reflows, width != size.columns {
      height = rows.reduce(0) { $0 + $1.height(at: max(width, 1)) }
    }
    Escape.move(rows: -height, into: &output)
    output.append(0x0D)
    clearFromHere(into: &output)
    rows = []
  }

  /// Clears the screen from the cursor, which is in column 0, to its end.
  private func clearFromHere(into output: inout [UInt8]) {
    // The first row is cleared separately: tmux keeps in its scrollback what is cleared from the very first cell.
    Escape.append(Escape.clearRow, to: &output)
    Escape.move(rows: 1, into: &output)
    Escape.append(Escape.clearBelow, to: &output)
    Escape.move(rows: -1, into: &output)
  }

  /// Prints rows, each with a line end.
  private func print(_ rows: [Row], into output: inout [UInt8]) {
    for row in rows {
      row.encode(color: style.color, into: &output)
      output.append(contentsOf: [0x0D, 0x0A])
    }
  }

  /// Writes the differences between the rows on the screen and new ones.
  private func change(to new: [Row], into output: inout [UInt8]) {
    var position = rows.count
    for index in 0..<min(rows.count, new.count) where rows[index] != new[index] {
      // The position is saved and restored, not computed: if the terminal has just become narrower, a row may wrap
      // while it is written, and the cursor would be in the next row.
      if position == rows.count { Escape.append(Escape.saveCursor, to: &output) }
      Escape.move(rows: index - position, into: &output)
      rewrite(rows[index], as: new[index], into: &output)
      position = index
    }
    if position < rows.count { Escape.append(Escape.restoreCursor, to: &output) }
    if new.count < rows.count {
      Escape.move(rows: new.count - rows.count, into: &output)
      clearFromHere(into: &output)
    }
    print(Array(new.dropFirst(rows.count)), into: &output)
  }

  /// Writes the characters of a row that differ, with the cursor anywhere in that row.
  private func rewrite(_ old: Row, as new: Row, into output: inout [UInt8]) {
    // If terminals disagree on the width of a character, columns cannot be counted: the whole row is written.
    guard new.isCertain, old.isCertain else {
      output.append(0x0D)
      new.encode(color: style.color, into: &output)
      return Escape.append(Escape.clearRow, to: &output)
    }
    let same = zip(old.cells, new.cells).prefix { $0 == $1 }.count
    guard old.isAligned(with: new) else {
      var end = new.cells.count
      if old.columns == new.columns {
        let rest = zip(old.cells.dropFirst(same).reversed(), new.cells.dropFirst(same).reversed())
        end -= rest.prefix { $0 == $1 }.count
      }
      write(new, same..<end, into: &output)
      if old.columns > new.columns { Escape.append(Escape.clearRow, to: &output) }
      return
    }
    var position = same
    while position < new.cells.count {
      // A few unchanged characters are written again, because moving over them costs more.
      var end = position + 1
      var index = end
      while index < new.cells.count, index - end <= Self.shortGap {
        if old.cells[index] != new.cells[index] { end = index + 1 }
        index += 1
      }
      write(new, position..<end, into: &output)
      position = end
      while position < new.cells.count, old.cells[position] == new.cells[position] { position += 1 }
    }
  }

  /// The number of characters that cost less to write again than to move over.
  private static let shortGap = 2

  /// Writes a range of characters at their columns.
  private func write(_ row: Row, _ range: Range<Int>, into output: inout [UInt8]) {
    let column = row.cells[..<range.lowerBound].reduce(0) { $0 + Int($1.columns) }
    Escape.move(column: column, into: &output)
    row.encode(range, color: style.color, into: &output)
  }
}
