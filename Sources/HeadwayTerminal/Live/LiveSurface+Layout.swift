internal import HeadwayBar
internal import HeadwayForecast
internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayText

/// The columns of the live region, the same for the header and the tasks.
///
///     ▸ name        ━━━━━━━╸────────   12s  what else is to be said
///       |nameWidth| |  barWidth    | |   | |
struct LiveColumns: Hashable, Sendable {
  /// The most columns that a row may take: one less than the terminal has, so that nothing wraps.
  let width: Int
  /// The columns of names.
  let nameWidth: Int
  /// The columns of bars, 0 when there is no room for them.
  let barWidth: Int

  /// The columns of a time or a percentage.
  static let timeWidth = 5
  /// The narrowest terminal in which bars are drawn.
  private static let narrowestWithBars = 48
  /// The narrowest terminal in which bars have more than `shortBar` columns.
  private static let narrowestWithWideBars = 72
  /// The columns of bars in narrower ones.
  private static let shortBar = 8
  /// The widest bar: a longer one is harder to read, not easier.
  private static let widestBar = 32

  /// Divides the columns of a terminal.
  init(columns: Int, longestName: Int) {
    width = max(columns - 1, 1)
    let hasBars = width >= Self.narrowestWithBars
    let isWide = width >= Self.narrowestWithWideBars
    barWidth = hasBars ? (isWide ? min(width / 4, Self.widestBar) : Self.shortBar) : 0
    let room = hasBars ? width * 3 / 10 : width - 3 - Self.timeWidth
    nameWidth = max(min(longestName, room), 1)
  }

  /// The column in which the time or percentage ends.
  var timeEnd: Int { 2 + nameWidth + (barWidth > 0 ? 2 + barWidth : 0) + 1 + Self.timeWidth }
  /// The columns left for what else is to be said.
  var noteWidth: Int { max(width - timeEnd - 2, 0) }
}

/// The rows of the live region.
extension LiveSurface {
  /// Lays out the region.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: At most `mostRows` rows, and fewer than the terminal has.
  /// - Complexity: O(running tasks).
  mutating func regionRows(at now: Duration) -> [Row] {
    let room = Self.height(rows: size.rows)
    guard room > 0 else { return [] }
    preview.refresh(chosen: chosen, state, description.tail)
    told = forecaster.forecast(at: now)
    let columns = LiveColumns(columns: size.columns, longestName: longestName)
    header.setWidth(columns.barWidth)
    // What ends early gets no further.
    let rate = state.ending == nil ? Self.rate(told.fraction, told.remaining) : 0
    header.show(told.fraction, rate: rate, at: now.seconds)
    var rows = [headerRow(columns, at: now)]
    let previewRoom = min(preview.lines.count, room / 3)
    rows += taskRows(columns, room: room - 1 - previewRoom, at: now)
    rows += preview.lines.suffix(previewRoom).map(previewRow)
    for index in rows.indices {
      rows[index].cut(to: columns.width, ellipsis: style.marks.ellipsis)
    }
    return rows
  }

  /// The most rows of the region in a terminal.
  ///
  /// Half of it, so that the rows do not scroll away when it is made half as wide and each wraps; more of a
  /// very small one, but always less than the whole.
  static func height(rows: Int) -> Int {
    min(max(rows / 2, min(rows - 1, fewRows)), mostRows)
  }

  /// The rows that even a small terminal gives to the region, where it has them.
  private static let fewRows = 6

  // MARK: The header

  /// The row of the whole run.
  private mutating func headerRow(_ columns: LiveColumns, at now: Duration) -> Row {
    let name = TaskOutputText.line(description.name)
    let percent = percent(at: now)
    let facts = headerFacts(columns, percent, at: now)
    var row = Row()
    guard columns.barWidth > 0 else {
      let counts = facts.map(\.text).joined(separator: " ")
      let nameRoom = columns.width - TextWidth.columns(of: counts) - 1
      row.append(TextWidth.truncated(name, to: nameRoom, ellipsis: style.marks.ellipsis), .bold)
      if nameRoom > 0 { row.append(" ") }
      for fact in facts { row.append("\(fact.text) ", fact.pen) }
      return row
    }
    row.append(
      TextWidth.truncated(name, to: columns.nameWidth + 2, ellipsis: style.marks.ellipsis), .bold)
    row.pad(to: columns.nameWidth + 4)
    cellBar.draw(header.bar, at: now.seconds, hasFailed ? .bad : .good, into: &row)
    row.append("\(percent)%", endingAt: columns.timeEnd, .bold)
    row.append("  ")
    append(facts, to: &row)
    return row
  }

  /// Whether a task went wrong.
  var hasFailed: Bool { state.counts[.failed] + state.counts[.timedOut] > 0 }

  /// The whole per cent that the bar of the run shows, 100 only at the end.
  func percent(at now: Duration) -> Int { header.bar.percent(at: now.seconds) }

  /// What is said of the run, as much as there is room for.
  private func headerFacts(
    _ columns: LiveColumns, _ percent: Int, at now: Duration
  ) -> [(text: String, pen: Pen)] {
    let (done, all) = (state.counts.ended, state.tasks.count)
    let elapsed = (text: DurationText.whole(now), pen: Pen.dim)
    let left = state.isPaused ? Self.pausedWords : remainingWords
    let leftPen = state.isPaused ? Pen.warning : .plain
    let bad = badCounts
    let worst = worstCount
    let brief = (text: "\(done)/\(all)", pen: Pen.plain)
    let choices: [[(text: String, pen: Pen)]] =
      [
        [("\(done) of \(all)", .plain)] + bad + [elapsed, (left.long, leftPen)],
        [brief] + bad + [elapsed, (left.long, leftPen)],
        [brief] + bad + [elapsed, (left.short, leftPen)],
        [brief] + worst + [elapsed, (left.short, leftPen)],
        [brief] + worst + [(left.short, leftPen)],
        [brief] + worst,
        [brief],
      ].map { facts in
        // Where there is no room for a bar, its part of the time comes first, and the count goes before it does.
        (columns.barWidth > 0 ? facts : [("\(percent)%", .bold)] + facts)
          .filter { !$0.text.isEmpty }
      } + [[("\(percent)%", .bold)]]
    let room = columns.barWidth > 0 ? columns.noteWidth : columns.width - Self.shortName
    let separator = TextWidth.columns(of: style.marks.separator)
    let fitting = choices.first { facts in
      let text = facts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      return text + separator * (facts.count - 1) <= room
    }
    return fitting ?? choices[choices.count - 1]
  }

  /// The columns kept for the name of the run where there is no room for a bar.
  private static let shortName = 9

  /// The counts of what did not go well, the worst first.
  private var badCounts: [(text: String, pen: Pen)] {
    var facts: [(text: String, pen: Pen)] = []
    let counts = state.counts
    if counts[.failed] > 0 { facts.append(("\(counts[.failed]) failed", .bad)) }
    if counts[.timedOut] > 0 { facts.append(("\(counts[.timedOut]) timed out", .bad)) }
    switch state.ending {
    case .failure: facts.append(("stopping", .warning))
    case .cancelled: facts.append(("cancelling", .warning))
    case .cancelledImmediately: facts.append(("ending at once", .warning))
    case .deadline: facts.append(("out of time", .warning))
    case nil: break
    }
    if counts[.cancelled] > 0 { facts.append(("\(counts[.cancelled]) cancelled", .warning)) }
    if counts[.skipped] > 0 { facts.append(("\(counts[.skipped]) skipped", .warning)) }
    return facts
  }

  /// The failures and time-outs as one count, for narrow terminals.
  private var worstCount: [(text: String, pen: Pen)] {
    let count = state.counts[.failed] + state.counts[.timedOut]
    return count > 0 ? [("\(count) failed", .bad)] : []
  }

  /// What is said in place of the time that is left while the run is paused.
  private static let pausedWords = (long: "paused, Space goes on", short: "paused")

  /// What can honestly be said of the time that is left.
  private var remainingWords: (long: String, short: String) {
    (
      RemainingText.long(told.shown, dash: style.dash),
      RemainingText.short(told.shown, dash: style.dash)
    )
  }

  // MARK: Tasks

  /// The rows of the running tasks, the last one a count when there are too many.
  private mutating func taskRows(
    _ columns: LiveColumns, room: Int, at now: Duration
  ) -> [Row] {
    let running = state.active
    guard room > 0 else { return [] }
    guard running.count > room else {
      return taskRows(running, columns, at: now)
    }
    var shown = Array(running.prefix(room - 1))
    // The task whose output is below has its row, wherever it stands.
    if let task = preview.task, !shown.isEmpty, !shown.contains(task) {
      shown[shown.count - 1] = task
    }
    let words = room == 1 ? "running" : "more running"
    let fold = "  \(style.marks.ellipsis) and \(running.count - shown.count) \(words)"
    return taskRows(shown, columns, at: now)
      + [Row(room == 1 ? "  \(running.count) running" : fold, .dim)]
  }

  /// A row for each of some running tasks.
  private mutating func taskRows(
    _ tasks: [TaskID], _ columns: LiveColumns, at now: Duration
  ) -> [Row] {
    var rows: [Row] = []
    for task in tasks { rows.append(taskRow(task, columns, at: now)) }
    return rows
  }

  /// The row of a running task.
  private mutating func taskRow(
    _ task: TaskID, _ columns: LiveColumns, at now: Duration
  ) -> Row {
    let known = state.tasks[task.index]
    let isChosen = task == preview.task
    let name = TaskOutputText.line(description.graph.name(of: task))
    var row = Row()
    var pen = Pen.active
    var mark = isChosen ? style.marks.chosen : style.marks.running
    if known.phase != .running { pen = .warning }
    if case .backingOff = known.phase, !isChosen { mark = style.marks.retrying }
    row.append("\(mark) ", pen)
    row.append(TextWidth.truncated(name, to: columns.nameWidth, ellipsis: style.marks.ellipsis))
    row.pad(to: columns.nameWidth + 2)
    if columns.barWidth > 0 {
      row.append("  ")
      appendTaskBar(task, known, columns.barWidth, pen, at: now, to: &row)
    }
    let elapsed = DurationText.whole(now - known.firstStart)
    row.append(elapsed, endingAt: columns.timeEnd, .dim)
    let notes = columns.noteWidth >= Self.shortNote ? notes(task, known, at: now) : []
    if !notes.isEmpty { row.append("  ") }
    append(notes, to: &row)
    return row
  }

  /// The columns below which nothing is said beside a task: it would only be cut.
  private static let shortNote = 8

  /// What is said beside a running task: the attempt, and what comes next.
  private mutating func notes(
    _ task: TaskID, _ known: RunState.Task, at now: Duration
  ) -> [(text: String, pen: Pen)] {
    var notes: [(text: String, pen: Pen)] = []
    switch known.phase {
    case .overdue: notes.append(("ending\(style.marks.ellipsis)", .warning))
    case .backingOff(let until):
      notes.append(("again in \(DurationText.coming(max(until - now, .zero)))", .warning))
    case .running:
      if let note = runningNote(task, known, at: now) { notes.append(note) }
    case .waiting, .ended: break
    }
    if known.attempts > 1 { notes.append(("attempt \(known.attempts)", .dim)) }
    return notes
  }

  /// When a running task ends: by its limit once that is near, else as expected.
  private mutating func runningNote(
    _ task: TaskID, _ known: RunState.Task, at now: Duration
  ) -> (text: String, pen: Pen)? {
    let elapsed = now - known.latestStart
    let left = forecaster.remaining(of: task, at: now)?.median
    if let limit = description.graph.settings(of: task).timeout, elapsed > limit / 2,
      left.map({ elapsed + $0 > limit }) ?? true
    {
      let isNear = elapsed > limit * 4 / 5
      let words = "limit in \(DurationText.coming(max(limit - elapsed, .zero)))"
      return (words, isNear ? .warning : .dim)
    }
    let isLate = told.late?.task == task
    if let usual = forecaster.usual(task) ?? (isLate ? told.late?.usual : nil), elapsed > usual {
      return ("usually \(DurationText.measured(usual))", isLate ? .warning : .dim)
    }
    // Where nothing can be said of the run, nothing is said of its parts.
    guard told.shown != .unknown, let left else { return nil }
    return (RemainingText.long(.about(left.roundedToSeconds)), .dim)
  }

  // MARK: Parts

  /// The row of a line of output.
  private func previewRow(_ line: String) -> Row {
    var row = Row("  \(style.marks.edge) ", .dim)
    row.append(line, .dim)
    return row
  }

  /// Appends facts with separators.
  private func append(_ facts: [(text: String, pen: Pen)], to row: inout Row) {
    for (index, fact) in facts.enumerated() {
      if index > 0 { row.append(style.marks.separator, .dim) }
      row.append(fact.text, fact.pen)
    }
  }

  /// Appends the bar of a task: filled, or a part that wanders when nobody knows how far it is.
  private mutating func appendTaskBar(
    _ task: TaskID, _ known: RunState.Task, _ width: Int, _ pen: Pen, at now: Duration,
    to row: inout Row
  ) {
    var work = taskBars[task.index] ?? WorkBar()
    work.setWidth(width)
    if let fraction = forecaster.fraction(of: task, at: now) {
      let left = forecaster.remaining(of: task, at: now)
      work.show(fraction, rate: Self.rate(fraction, left), at: now.seconds)
    } else if known.phase == .running {
      work.showUnknown(at: now.seconds)
    } else {
      work.showNothing(at: now.seconds)
    }
    cellBar.draw(work.bar, at: now.seconds, pen, into: &row)
    taskBars[task.index] = work
  }

  /// What part is done in a second if it all takes as long as is forecast, nil where nothing is.
  private static func rate(_ fraction: Double, _ left: RemainingTime?) -> Double? {
    guard let left = left?.median.seconds, left > 0 else { return nil }
    return (1 - fraction) / left
  }
}
