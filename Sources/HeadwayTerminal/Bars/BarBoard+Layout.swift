internal import HeadwayBar
internal import HeadwayText

/// The rows and lines of a board.
extension BarBoard {
  /// The columns of a measured time.
  private static let timeWidth = 7

  /// Lays out the region.
  ///
  /// - Parameter now: The time since the creation of the board.
  /// - Returns: Fewer rows than the terminal has, the last one a count if there are too many bars.
  mutating func regionRows(at now: Duration) -> [Row] {
    let room = ScreenRegion.height(rows: size.rows)
    guard room > 0, !entries.isEmpty else { return [] }
    let wanted = RegionColumns(columns: size.columns, longestName: longestName)
    if wanted != columns {
      columns = wanted
      for index in entries.indices { (entries[index].head, entries[index].tail) = (nil, nil) }
    }
    let count = entries.count > room ? room - 1 : entries.count
    var rows: [Row] = []
    rows.reserveCapacity(count + 1)
    for index in 0..<count { rows.append(row(index, at: now)) }
    if count < entries.count {
      var fold = Row("  \(style.marks.ellipsis) and \(entries.count - count) more", .dim)
      fold.cut(to: columns.width, ellipsis: "")
      rows.append(fold)
    }
    return rows
  }

  /// The columns before a label.
  static func indent(_ level: Int) -> Int { min(level, mostLevels) * 2 }

  /// The maximum number of levels that are indented: there is no room for more.
  private static let mostLevels = 8

  /// The row of a bar; the parts that do not move are laid out once.
  private mutating func row(_ index: Int, at now: Duration) -> Row {
    let level = entries[index].level
    var row = Row(capacity: columns.width + 1)
    if entries[index].head == nil { entries[index].head = head(entries[index]) }
    if let head = entries[index].head { row.append(head) }
    if columns.barWidth > 0 {
      entries[index].bar.layout.width = Double(columns.barWidth)
      entries[index].bar.layout.height = 1
      let textStyle: TextStyle =
        entries[index].bar.isPaused ? .warning : level == 0 ? .good : .active
      cellBar.draw(entries[index].bar, at: now / .seconds(1), textStyle, into: &row)
    }
    if entries[index].bar.isIndeterminate {
      let elapsed = DurationText.whole(now - entries[index].start)
      row.append(elapsed, endingAt: columns.timeEnd, .dim)
    } else {
      let percent = PercentText.whole(entries[index].bar.fraction(at: now / .seconds(1)))
      row.append(percent, endingAt: columns.timeEnd, level == 0 ? .bold : .dim)
    }
    if entries[index].tail == nil { entries[index].tail = tail(entries[index].facts) }
    if let tail = entries[index].tail { row.append(tail) }
    row.cut(to: columns.width, ellipsis: style.marks.ellipsis)
    return row
  }

  /// The row before a bar.
  private func head(_ entry: Entry) -> Row {
    var row = Row()
    if entry.level > 0 {
      row.pad(to: Self.indent(entry.level) - 2)
      row.append("\(style.marks.running) ", .active)
    }
    let label = TextWidth.truncated(
      entry.label, to: columns.nameWidth + 2 - row.columns, ellipsis: style.marks.ellipsis)
    row.append(label, entry.level == 0 ? .bold : .plain)
    row.pad(to: columns.nameWidth + (columns.barWidth > 0 ? 4 : 2))
    return row
  }

  /// As many facts as there is room for.
  private func tail(_ facts: [String]) -> Row {
    var row = Row()
    var room = columns.noteWidth
    let separator = style.marks.separator
    for (index, fact) in facts.enumerated() where !fact.isEmpty {
      let gap = index == 0 ? 0 : TextWidth.columns(of: separator)
      room -= gap + TextWidth.columns(of: fact)
      // Part of a fact is worse than none; only the first is cut.
      guard room >= 0 || index == 0 else { return row }
      row.append(index == 0 ? "  " : separator, .dim)
      row.append(fact, .plain)
    }
    return row
  }

  /// The progress of a bar in lines, nil if unknown: the reported one, as a line that stays must be true.
  func reportedFraction(of entry: Entry) -> Double? {
    let bar = entry.bar
    let length = bar.range.upperBound - bar.range.lowerBound
    guard !bar.isIndeterminate else { return nil }
    return length > 0 ? (bar.reported - bar.range.lowerBound) / length : 0
  }

  /// The line that a bar leaves when it ends.
  func endRow(_ entry: Entry, _ outcome: Outcome, _ note: String, _ took: Duration) -> Row {
    let time = DurationText.measured(took)
    guard interface == .live else {
      let words = outcome == .failed ? "failed after" : "done in"
      return Row("\(entry.label): \(words) \(time)\(note.isEmpty ? "" : ", \(note)")")
    }
    let hasFailed = outcome == .failed
    var row = Row(
      hasFailed ? style.marks.failed : style.marks.succeeded, hasFailed ? .bad : .good)
    row.append(" \(entry.label)")
    let names = RegionColumns(columns: size.columns, longestName: longestName)
    row.append("  ")
    row.append(time, endingAt: names.nameWidth + 2 + Self.timeWidth, .dim)
    if !note.isEmpty { row.append("  \(note)") }
    return row
  }

  /// The line of a bar that is due, nil if none is.
  func line(of entry: inout Entry, at now: Duration) -> Row? {
    let fraction = reportedFraction(of: entry)
    guard now >= entry.printed.due(fraction, interface) else { return nil }
    entry.printed.note(fraction, interface, at: now)
    let far =
      fraction.map { PercentText.whole($0) }
      ?? "still running, \(DurationText.whole(now - entry.start))"
    let facts = entry.facts.filter { !$0.isEmpty }
    return Row(([("\(entry.label): \(far)")] + facts).joined(separator: ", "))
  }
}
