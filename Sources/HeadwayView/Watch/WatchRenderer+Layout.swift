internal import HeadwayBar
internal import HeadwayProgress
internal import HeadwayTerminal
internal import HeadwayText

/// The rows of the region.
extension WatchRenderer {
  /// The most children of work that have rows.
  private static let mostChildren = 3
  /// The columns before a label: those of the mark.
  private static let margin = 2
  /// The least columns for a detail: fewer are only cut.
  private static let shortDetail = 8

  /// Lays out the region.
  ///
  /// - Parameter now: The time since the watching began.
  /// - Returns: Fewer rows than the terminal has.
  /// - Complexity: O(works).
  mutating func regionRows(at now: Duration) -> [Row] {
    isMoving = false
    let room = size.rows - 1
    guard room > 0 else { return [] }
    var rows: [Row]
    if list.items.isEmpty {
      rows = [Row(WatchTable.nothing, .dim)]
      if room > 1, let message = list.message { rows.append(Row(message, .warning)) }
    } else {
      // A question and a message come before the work, for they are short-lived.
      let hasFooter = room > 2 || room > 1 && (list.asking != nil || list.message != nil)
      let shown = shownWorks(room: room - (hasFooter ? 1 : 0))
      noteLengths(shown.works)
      let columns = RegionColumns(columns: size.columns, longestName: longestName)
      rows = []
      for (index, children) in shown.works {
        rows.append(row(list.items[index], columns, at: now))
        let work = list.items[index].work
        for child in running(work).prefix(children) {
          rows.append(childRow(child, of: work, columns, at: now))
        }
      }
      if shown.left > 0 {
        rows.append(Row("  \(style.marks.ellipsis) and \(shown.left) more", .dim))
      }
      if hasFooter { rows.append(footer) }
      forgetBars()
    }
    let width = max(size.columns - 1, 1)
    for index in rows.indices { rows[index].cut(to: width, ellipsis: style.marks.ellipsis) }
    return rows
  }

  /// The rows that stay when the work has ended.
  func endRows() -> [Row] {
    list.items.map { item in
      var row = endRow(item.work)
      row.append("  \(item.work.title)", .bold)
      return row
    }
  }

  // MARK: What is shown

  /// Divides the rows among the works, and scrolls so that the chosen one is seen.
  ///
  /// - Parameter room: The rows, at least 1.
  /// - Returns: The indices of the works, each with the number of its children that have rows, and the number of other works.
  private mutating func shownWorks(
    room: Int
  ) -> (works: [(index: Int, children: Int)], left: Int) {
    let count = list.items.count
    guard count > room else {
      scrolled = 0
      var spare = room - count
      let works = list.items.indices.map { index in
        let children = min(running(list.items[index].work).count, Self.mostChildren, spare)
        spare -= children
        return (index, children)
      }
      return (works, 0)
    }
    // The last row counts the others.
    let visible = max(room - 1, 1)
    let chosen = list.chosenIndex ?? 0
    scrolled = min(max(scrolled, chosen - visible + 1), chosen, count - visible)
    let works = (scrolled..<scrolled + visible).map { (index: $0, children: 0) }
    return (works, room > 1 ? count - visible : 0)
  }

  /// The children of work that run.
  private func running(_ work: WatchedWork) -> [ProgressSnapshot] {
    work.end == nil ? work.snapshot.children.filter { !$0.isFinished } : []
  }

  /// Makes room for labels.
  private mutating func noteLengths(_ works: [(index: Int, children: Int)]) {
    for (index, children) in works {
      let work = list.items[index].work
      longestName = max(longestName, TextWidth.columns(of: work.title))
      for child in running(work).prefix(children) {
        let label = TextWidth.columns(of: TaskOutputText.line(child.label))
        longestName = max(longestName, label + Self.margin)
      }
    }
  }

  /// Removes the bars of work that is gone.
  private mutating func forgetBars() {
    // Rarely more than are there: then all are laid out again.
    guard bars.count > 2 * (Self.mostChildren + 1) * (list.items.count + 1) else { return }
    bars = [:]
  }

  // MARK: Rows

  /// The row of work.
  private mutating func row(
    _ item: WatchList.Item, _ columns: RegionColumns, at now: Duration
  ) -> Row {
    let work = item.work
    let isChosen = work.id == list.chosen
    var row = Row(isChosen ? "\(style.marks.chosen) " : "  ", .active)
    row.append(
      TextWidth.truncated(work.title, to: columns.nameWidth, ellipsis: style.marks.ellipsis),
      work.end == nil ? .bold : .plain)
    row.pad(to: Self.margin + columns.nameWidth + 2)
    if work.end != nil {
      row.append(endRow(work))
      row.append("  \(TaskOutputText.line(work.id))", .dim)
      return row
    }
    append(
      work.snapshot, NodeKey(work: work.id, node: nil), columns, at: now, .good,
      isPaused: work.snapshot.isPaused, to: &row)
    appendFacts(work, columns, to: &row)
    return row
  }

  /// How work has ended, in words.
  private func endRow(_ work: WatchedWork) -> Row {
    switch work.end {
    case .finished, nil:
      var row = Row("\(style.marks.succeeded) ", .good)
      row.append("finished")
      return row
    case .cancelled:
      var row = Row("\(style.marks.cancelled) ", .warning)
      row.append("cancelled")
      return row
    case .failed(let reason):
      var row = Row("\(style.marks.failed) ", .bad)
      row.append("failed", .bad)
      let line = TaskOutputText.line(reason)
      if !line.isEmpty { row.append(": \(line)") }
      return row
    case .lost(let reason):
      var row = Row("\(style.marks.failed) ", .bad)
      row.append(TaskOutputText.line(reason))
      return row
    }
  }

  /// The row of a part of work.
  private mutating func childRow(
    _ node: ProgressSnapshot, of work: WatchedWork, _ columns: RegionColumns, at now: Duration
  ) -> Row {
    var row = Row("  ")
    row.append("\(style.marks.running) ", .active)
    row.append(
      TextWidth.truncated(
        TaskOutputText.line(node.label), to: max(columns.nameWidth - Self.margin, 1),
        ellipsis: style.marks.ellipsis))
    row.pad(to: Self.margin + columns.nameWidth + 2)
    append(
      node, NodeKey(work: work.id, node: node.id), columns, at: now, .active,
      isPaused: node.isPaused || work.snapshot.isPaused, to: &row)
    let detail = TaskOutputText.line(node.detail ?? "")
    if !detail.isEmpty, columns.noteWidth >= Self.shortDetail { row.append("  \(detail)", .dim) }
    return row
  }

  /// Appends the bar and the percentage of a node.
  private mutating func append(
    _ node: ProgressSnapshot, _ key: NodeKey, _ columns: RegionColumns, at now: Duration,
    _ textStyle: TextStyle, isPaused: Bool, to row: inout Row
  ) {
    var bar = bars[key] ?? Self.model
    if isPaused { bar.pause(at: now / .seconds(1)) } else { bar.resume(at: now / .seconds(1)) }
    bar.isIndeterminate = node.isIndeterminate
    // The numbers are counted, so the bar shows them exactly and does not glide.
    if !node.isIndeterminate { bar.setValue(node.shownFraction, at: now / .seconds(1)) }
    if columns.barWidth > 0 {
      bar.layout.width = Double(columns.barWidth)
      bar.layout.height = 1
      cellBar.draw(bar, at: now / .seconds(1), isPaused ? .warning : textStyle, into: &row)
    }
    bars[key] = bar
    if node.isIndeterminate {
      if !isPaused, columns.barWidth > 0 { isMoving = true }
    } else {
      let percent = PercentText.whole(node.shownFraction)
      row.append(percent, endingAt: columns.timeEnd, key.node == nil ? .bold : .dim)
    }
    row.pad(to: columns.timeEnd)
  }

  private static let model: ProgressBar = {
    var bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    bar.setStyle(.cells, at: 0)
    return bar
  }()

  /// Appends the ID of work, its state or remaining time, and its detail, as far as there is room.
  private func appendFacts(_ work: WatchedWork, _ columns: RegionColumns, to row: inout Row) {
    let id = TaskOutputText.line(work.id)
    let separator = TextWidth.columns(of: style.marks.separator)
    let detail = TaskOutputText.line(work.snapshot.detail ?? "")
    /// The columns of the facts together.
    func width(_ facts: [String]) -> Int {
      facts.reduce(0) { $0 + TextWidth.columns(of: $1) } + separator * (facts.count - 1)
    }
    let long = WatchTable.state(work, style, isLong: true)
    let short = WatchTable.state(work, style, isLong: false)
    let details = detail.isEmpty ? [] : [detail]
    let whole = [id] + (long.map { [$0] } ?? []) + details
    var facts = whole
    var hasState = long != nil
    if width(whole) > columns.noteWidth {
      facts = [id] + (short.map { [$0] } ?? [])
      hasState = short != nil
      if width(facts) > columns.noteWidth { (facts, hasState) = ([id], false) }
      let left = columns.noteWidth - width(facts) - separator
      if !detail.isEmpty, left >= Self.shortDetail {
        facts.append(TextWidth.truncated(detail, to: left, ellipsis: style.marks.ellipsis))
      }
    }
    guard TextWidth.columns(of: id) <= columns.noteWidth else { return }
    let isSpecial = work.snapshot.isPaused || work.snapshot.isCancelled
    for (index, fact) in facts.enumerated() {
      row.append(index == 0 ? "  " : style.marks.separator, .dim)
      let isState = hasState && index == 1
      row.append(fact, index == 0 ? .dim : isState && isSpecial ? .warning : .plain)
    }
  }

  // MARK: The last row

  /// The question, the message or the keys.
  private var footer: Row {
    if let id = list.asking, let item = list.items.first(where: { $0.work.id == id }) {
      let words = "cancel \(item.work.title) (\(TaskOutputText.line(id)))?"
      return Row("\(words) y cancels it, any other key does not", .warning)
    }
    if let message = list.message { return Row(message, .warning) }
    let dot = style.marks.separator
    let arrows = style.unicode ? "↑↓ choose" : "j/k choose"
    let pause = list.resumes ? "p resumes" : "p pauses"
    return Row("\(arrows)\(dot)\(pause)\(dot)c cancels\(dot)q leaves", .dim)
  }
}
