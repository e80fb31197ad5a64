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
      for index in entries.indices { entries[index].forgetRows() }
    }
    let count = entries.count > room ? room - 1 : entries.count
    var rows: [Row] = []
    rows.reserveCapacity(count + 1)
    for index in 0..<count { rows.append(row(index, at: now)) }
    if count < entries.count {
      var fold = Row("  \(style.marks.ellipsis) \(words.more(entries.count - count))", .dim)
      fold.cut(to: columns.width, ellipsis: "")
      rows.append(fold)
    }
    return rows
  }

  /// The columns before a label.
  static func indent(_ level: Int) -> Int { min(level, mostLevels) * 2 }

  /// The maximum number of levels that are indented: there is no room for more.
  private static let mostLevels = 8

  /// The row of a bar; what does not move is laid out once.
  private mutating func row(_ index: Int, at now: Duration) -> Row {
    if updateWork(index, at: now) {
      (entries[index].tail, entries[index].row) = (nil, nil)
    }
    if let row = entries[index].row { return row }
    let row = newRow(index, at: now)
    // The elapsed time of unknown progress changes, too.
    let isStill =
      !entries[index].bar.isIndeterminate && entries[index].bar.activity(at: now) == .still
    if isStill { entries[index].row = row }
    return row
  }

  /// Lays out the row of a bar.
  private mutating func newRow(_ index: Int, at now: Duration) -> Row {
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
    if entries[index].tail == nil {
      // Where there is room for a few characters only, a text would say nothing.
      let cutsFirst = !entries[index].facts.isEmpty && columns.noteWidth > 3
      entries[index].tail = tail(entries[index].allFacts(words), cutsFirst: cutsFirst)
    }
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
  ///
  /// - Parameters:
  ///   - facts: The texts, the most important first.
  ///   - cutsFirst: Whether a part of the first one is better than none.
  /// - Returns: The row.
  private func tail(_ facts: [String], cutsFirst: Bool) -> Row {
    var row = Row()
    var room = columns.noteWidth
    let separator = style.marks.separator
    for (index, fact) in facts.enumerated() where !fact.isEmpty {
      let gap = index == 0 ? 0 : TextWidth.columns(of: separator)
      room -= gap + TextWidth.columns(of: fact)
      // A part of a number is wrong.
      guard room >= 0 || (index == 0 && cutsFirst) else { return row }
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
  func endRow(
    _ index: Int, _ outcome: Outcome, _ note: String, at now: Duration
  ) -> Row {
    var entry = entries[index]
    let time = DurationText.measured(now - entry.start)
    _ = entry.updateWork(at: now, words)
    let isWhole = outcome == .succeeded
    let facts =
      note.isEmpty ? entry.work?.summary(isWhole: isWhole, at: now, words) ?? [] : [note]
    guard interface == .live else {
      return Row(
        ([words.line(words.path(labels(of: index)), words.ended(outcome, after: time))] + facts)
          .joined(separator: words.comma))
    }
    let (mark, color): (String, TextStyle) =
      switch outcome {
      case .failed: (style.marks.failed, .bad)
      case .stopped: (style.marks.cancelled, .warning)
      case .succeeded, .removed: (style.marks.succeeded, .good)
      }
    var row = Row(mark, color)
    row.append(" \(entry.label)")
    let names = RegionColumns(columns: size.columns, longestName: longestName)
    row.append("  ")
    let texts = (note.isEmpty ? words.ending(outcome).map { [$0] } ?? [] : []) + facts
    let end = texts.isEmpty ? "" : "  \(texts.joined(separator: style.marks.separator))"
    // In a narrow terminal the text is more important than its column.
    let room = size.columns - 1 - TextWidth.columns(of: end)
    row.append(time, endingAt: min(names.nameWidth + 2 + Self.timeWidth, room), .dim)
    row.append(end)
    return row
  }

  /// A line about a bar that has not ended.
  mutating func line(_ index: Int, at now: Duration) -> Row {
    _ = updateWork(index, at: now)
    let entry = entries[index]
    let far =
      reportedFraction(of: entry).map { PercentText.whole($0) }
      ?? words.stillRunning(DurationText.whole(now - entry.start))
    let facts = entry.allFacts(words).filter { !$0.isEmpty }
    return Row(
      ([words.line(words.path(labels(of: index)), far)] + facts).joined(separator: words.comma))
  }
}

extension BarBoard.Entry {
  /// The texts beside the bar: those of the caller, and those of the counts.
  func allFacts(_ words: BoardWords) -> [String] { facts + (work?.facts(words) ?? []) }

  /// When the next line is due.
  ///
  /// - Parameters:
  ///   - fraction: The progress, nil if unknown.
  ///   - interface: The way to show bars.
  ///   - tree: The lines of the outermost bar around it, or its own.
  ///   - hasNested: Whether it has nested bars.
  ///   - now: The time since the creation of the board.
  /// - Returns: The time, which may have passed.
  func lineDue(
    _ fraction: Double?, _ interface: BarsInterface, in tree: PrintedBar, hasNested: Bool,
    at now: Duration
  ) -> Duration {
    let usual = printed.due(fraction, interface, in: tree, isNested: level > 0)
    guard !hasNested, let work, work.completed != saidSilence,
      let silence = work.silence(at: now)
    else { return usual }
    return min(usual, max(silence.start, tree.earliest(interface)))
  }

  /// Records that a line was printed.
  mutating func note(_ fraction: Double?, _ interface: BarsInterface, at now: Duration) {
    printed.note(fraction, interface, at: now)
    if let work, let silence = work.silence(at: now), silence.start <= now {
      saidSilence = work.completed
    }
  }

  /// Has all parts of the row laid out again.
  mutating func forgetRows() { (head, tail, row) = (nil, nil, nil) }

  /// Brings the counts up to date.
  ///
  /// - Parameters:
  ///   - now: The time since the creation of the board.
  ///   - words: The words of the board.
  /// - Returns: Whether there is something new to say about them.
  mutating func updateWork(at now: Duration, _ words: BoardWords) -> Bool {
    guard work != nil else { return false }
    if isChanged {
      isChanged = false
      work?.setPaused(bar.isPaused, at: now)
      if !bar.isIndeterminate, work?.total != 0 { work?.report(bar.reported, at: now) }
    }
    return work?.update(at: now, words) ?? false
  }
}
