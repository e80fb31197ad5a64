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
  /// Whether the cursor is hidden while the region is shown: only where somebody shows it again whatever happens.
  private let hidesCursor: Bool
  /// The rows on the screen, none when the region is not shown.
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

  /// Whether it is on the screen.
  package var isShown: Bool { !rows.isEmpty }

  /// Forgets the drawn rows after other output; the next frame appears below that.
  package mutating func forget() { rows = [] }

  /// Shows rows, and prints others above them for good.
  ///
  /// - Parameters:
  ///   - new: The rows of the region, each narrower than the terminal.
  ///   - above: Rows to print above the region; longer ones are wrapped.
  ///   - now: The size of the terminal now.
  ///   - output: The bytes to append to; none when nothing changed.
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
    // In another size rows may stand elsewhere: wrapped, or scrolled away where there are fewer.
    if above.isEmpty, now == size {
      // Rows have room. Only where terminals disagree on widths could one be too long after all.
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

  /// Whether no more than one row is to be written: nobody sees half of that, so it needs no frame around it.
  private func isSmall(_ new: [Row]) -> Bool {
    guard new.count == rows.count else { return false }
    var changed = 0
    for index in new.indices where new[index] != rows[index] {
      changed += 1
      if changed > 1 || !new[index].isCertain { return false }
    }
    return true
  }

  /// Takes the region away, shows the cursor, and prints rows for good where the region was.
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
    // Row by row at the top: tmux keeps in its history what is cleared from the very first cell.
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

  /// Writes what differs between the rows on the screen and new ones.
  private func change(to new: [Row], into output: inout [UInt8]) {
    var place = rows.count
    for index in 0..<min(rows.count, new.count) where rows[index] != new[index] {
      // Not counted back from there: in a terminal that has just become narrower a row may wrap meanwhile, and what
      // is written in it lead to the next one. The place of the cursor must not depend on that.
      if place == rows.count { Escape.append(Escape.saveCursor, to: &output) }
      Escape.move(rows: index - place, into: &output)
      rewrite(rows[index], as: new[index], into: &output)
      place = index
    }
    if place < rows.count { Escape.append(Escape.restoreCursor, to: &output) }
    if new.count < rows.count {
      Escape.move(rows: new.count - rows.count, into: &output)
      clearFromHere(into: &output)
    }
    print(Array(new.dropFirst(rows.count)), into: &output)
  }

  /// Writes the characters of a row that differ, with the cursor anywhere in that row.
  private func rewrite(_ old: Row, as new: Row, into output: inout [UInt8]) {
    // Where terminals disagree on a width, columns cannot be counted: the whole row is written.
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
    var place = same
    while place < new.cells.count {
      // A few that stay are written again: going over them costs more.
      var end = place + 1
      var index = end
      while index < new.cells.count, index - end <= Self.shortGap {
        if old.cells[index] != new.cells[index] { end = index + 1 }
        index += 1
      }
      write(new, place..<end, into: &output)
      place = end
      while place < new.cells.count, old.cells[place] == new.cells[place] { place += 1 }
    }
  }

  /// The characters that are rather written again than gone over.
  private static let shortGap = 2

  /// Writes some characters of a row where they belong.
  private func write(_ row: Row, _ range: Range<Int>, into output: inout [UInt8]) {
    let column = row.cells[..<range.lowerBound].reduce(0) { $0 + Int($1.columns) }
    Escape.move(column: column, into: &output)
    row.encode(range, color: style.color, into: &output)
  }
}
