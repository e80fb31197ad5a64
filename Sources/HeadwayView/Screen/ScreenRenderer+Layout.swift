internal import HeadwayBar
internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The rows of the live region.
extension ScreenRenderer {
  /// Lays out the region.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: Fewer rows than the terminal has.
  /// - Complexity: O(running tasks).
  mutating func regionRows(at now: Duration) -> [Row] {
    let room = ScreenRegion.height(rows: size.rows)
    guard room > 0 else { return [] }
    // Lines that are streamed to this terminal are not shown twice.
    if chosen == nil, description.output.mode == .stream, description.output.output == nil {
      preview = OutputPreview()
    } else {
      preview.refresh(chosen: chosen, run.active.map(\.id), description.tail)
    }
    let columns = RegionColumns(columns: size.columns, longestName: longestName)
    header.setWidth(columns.barWidth)
    // Between two forecasts the bars glide at the rate of the last one.
    let isNew = run.forecast?.time != shownForecast
    if isNew, let forecast = run.forecast {
      shownForecast = forecast.time
      // Without an estimate the fraction grows ever more slowly: the rate so far would carry the bar far beyond it.
      let steady = forecast.remaining == nil ? 0 : Self.rate(forecast.fraction, forecast.remaining)
      // A run that ends early makes no further progress, and one whose machines have not started makes none yet.
      let rate = run.ending == nil && !run.isIdle ? steady : 0
      header.show(
        forecast.fraction, rate: rate, age: (now - forecast.time) / .seconds(1),
        at: now / .seconds(1))
    }
    var rows = [headerRow(columns, at: now)]
    let previewRoom = min(preview.lines.count, room / 3)
    let hint = hint(room: room - 1 - previewRoom, at: now)
    let taskRoom = room - 1 - previewRoom - (hint == nil ? 0 : 1)
    rows += taskRows(columns, room: taskRoom, isNew: isNew, at: now)
    rows += preview.lines.suffix(previewRoom).map(previewRow)
    if let hint { rows.append(hint) }
    for index in rows.indices {
      rows[index].cut(to: columns.width, ellipsis: style.marks.ellipsis)
    }
    return rows
  }

  // MARK: The header

  /// The row of the whole run.
  private mutating func headerRow(_ columns: RegionColumns, at now: Duration) -> Row {
    if services.areLeftAlone { return serviceHeaderRow(columns, at: now) }
    let name = TaskOutputText.line(description.name)
    let percent = percent(at: now)
    let facts = headerFacts(columns, percent, at: now)
    var row = Row()
    guard columns.barWidth > 0 else {
      let counts = facts.map(\.text).joined(separator: " ")
      let nameRoom = columns.width - TextWidth.columns(of: counts) - 1
      row.append(TextWidth.truncated(name, to: nameRoom, ellipsis: style.marks.ellipsis), .bold)
      if nameRoom > 0 { row.append(" ") }
      for fact in facts { row.append("\(fact.text) ", fact.textStyle) }
      return row
    }
    row.append(
      TextWidth.truncated(name, to: columns.nameWidth + 2, ellipsis: style.marks.ellipsis), .bold)
    row.pad(to: columns.nameWidth + 4)
    cellBar.draw(header.bar, at: now / .seconds(1), hasFailed ? .bad : .good, into: &row)
    row.append("\(percent)%", endingAt: columns.timeEnd, .bold)
    row.append("  ")
    append(facts, to: &row)
    return row
  }

  /// Whether a task failed.
  var hasFailed: Bool { run.counts[.failed] + run.counts[.timedOut] > 0 }

  /// The whole percent that the bar of the run shows, 100 only at the end.
  func percent(at now: Duration) -> Int {
    PercentText.wholeNumber(header.bar.fraction(at: now / .seconds(1)))
  }

  /// As many facts about the run as there is room for.
  private func headerFacts(
    _ columns: RegionColumns, _ percent: Int, at now: Duration
  ) -> [StyledText] {
    let (done, all) = (run.counts.ended, run.taskCount)
    let elapsed = (text: DurationText.whole(now), textStyle: TextStyle.dim)
    let held: (long: String, short: String)? = run.heldBy.map { heldWords(by: $0) }
    let left: (long: String, short: String) =
      run.isPaused ? pausedWords : held ?? waitingWords(at: now) ?? remainingWords
    let isStuck = run.isIdle && run.waiting?.advice != nil
    let leftStyle: TextStyle = run.isPaused || held != nil || isStuck ? .warning : .plain
    let bad = badCounts
    let worst = worstCount
    let brief = (text: "\(done)/\(all)", textStyle: TextStyle.plain)
    let choices: [[StyledText]] =
      [
        [("\(done) of \(all)", .plain)] + bad + [elapsed, (left.long, leftStyle)],
        [brief] + bad + [elapsed, (left.long, leftStyle)],
        [brief] + bad + [elapsed, (left.short, leftStyle)],
        [brief] + worst + [elapsed, (left.short, leftStyle)],
        [brief] + worst + [(left.short, leftStyle)],
        [brief] + worst,
        [brief],
      ].map { facts in
        // If there is no room for a bar, the percentage comes first, and the count is dropped before it.
        (columns.barWidth > 0 ? facts : [("\(percent)%", .bold)] + facts)
          .filter { !$0.text.isEmpty }
      } + [[("\(percent)%", .bold)]]
    let room = columns.barWidth > 0 ? columns.noteWidth : columns.width - Self.shortName
    return fitting(choices, in: room)
  }

  /// The first of several lists of facts that fits, the last one if none does.
  func fitting(_ choices: [[StyledText]], in room: Int) -> [StyledText] {
    let separator = TextWidth.columns(of: style.marks.separator)
    let fitting = choices.first { facts in
      let text = facts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      return text + separator * (facts.count - 1) <= room
    }
    return fitting ?? choices[choices.count - 1]
  }

  /// The columns for the name of the run if there is no room for a bar.
  static let shortName = 9

  /// The counts of tasks that did not succeed, the worst first.
  var badCounts: [StyledText] {
    var facts: [StyledText] = []
    let counts = run.counts
    if counts[.failed] > 0 { facts.append(("\(counts[.failed]) failed", .bad)) }
    if counts[.timedOut] > 0 { facts.append(("\(counts[.timedOut]) timed out", .bad)) }
    if counts[.lost] > 0 { facts.append(("\(counts[.lost]) lost", .bad)) }
    switch run.ending {
    case .failure: facts.append(("stopping", .warning))
    case .cancelled: facts.append(("cancelling", .warning))
    case .cancelledImmediately: facts.append(("ending immediately", .warning))
    case .deadline: facts.append(("out of time", .warning))
    case nil: break
    }
    if counts[.cancelled] > 0 { facts.append(("\(counts[.cancelled]) cancelled", .warning)) }
    let skipped = counts[.skipped] - unneeded
    if skipped > 0 { facts.append(("\(skipped) skipped", .warning)) }
    return facts
  }

  /// The failures and time-outs as one count, for narrow terminals.
  private var worstCount: [StyledText] {
    let count = run.counts[.failed] + run.counts[.timedOut]
    return count > 0 ? [("\(count) failed", .bad)] : []
  }

  /// The words in place of the remaining time while nothing runs because no machine has started, nil if that is not so.
  private func waitingWords(at now: Duration) -> (long: String, short: String)? {
    guard run.isIdle, let waiting = run.waiting else { return nil }
    return (formatter.waitingWords(waiting, at: now).fact, "queued")
  }

  private var remainingWords: (long: String, short: String) {
    let shown = run.forecast?.shown ?? .unknown
    return (
      RemainingText.long(shown, dash: style.dash), RemainingText.short(shown, dash: style.dash)
    )
  }

  // MARK: Tasks

  /// The rows of the running tasks, the last one a count if there are too many.
  private mutating func taskRows(
    _ columns: RegionColumns, room: Int, isNew: Bool, at now: Duration
  ) -> [Row] {
    guard room > 0 else { return [] }
    var shown = run.active
    var fold: Row?
    if run.activeCount > room {
      shown = Array(shown.prefix(room - 1))
      // The task whose output is below has its row in any case.
      if let task = preview.task, !shown.isEmpty, !shown.contains(where: { $0.id == task }),
        let active = run.active.first(where: { $0.id == task })
      {
        shown[shown.count - 1] = active
      }
      let more = "  \(style.marks.ellipsis) and \(run.activeCount - shown.count) more running"
      fold = Row(room == 1 ? "  \(run.activeCount) running" : more, .dim)
    }
    var rows: [Row] = []
    for task in shown { rows.append(taskRow(task, columns, isNew: isNew, at: now)) }
    if let fold { rows.append(fold) }
    return rows
  }

  /// The row of a running task.
  private mutating func taskRow(
    _ active: RunSnapshot.ActiveTask, _ columns: RegionColumns, isNew: Bool, at now: Duration
  ) -> Row {
    let isChosen = active.id == preview.task
    let name = TaskOutputText.line(description.name(of: active.id))
    var row = Row()
    var textStyle = TextStyle.active
    var mark = isChosen ? style.marks.chosen : style.marks.running
    if active.state.phase != .running { textStyle = .warning }
    if case .backingOff = active.state.phase, !isChosen { mark = style.marks.retrying }
    row.append("\(mark) ", textStyle)
    row.append(
      TextWidth.truncatedInMiddle(name, to: columns.nameWidth, ellipsis: style.marks.ellipsis))
    row.pad(to: columns.nameWidth + 2)
    let forecast = forecast(of: active)
    if description.services.contains(active.id) {
      row.append("  ")
      append(serviceFacts(active, forecast, at: now), to: &row)
      return row
    }
    if columns.barWidth > 0 {
      row.append("  ")
      let bar = taskBar(active, forecast, columns.barWidth, isNew: isNew, at: now)
      cellBar.draw(bar, at: now / .seconds(1), textStyle, into: &row)
    }
    let elapsed = DurationText.whole(now - active.state.firstStart)
    row.append(elapsed, endingAt: columns.timeEnd, .dim)
    let notes = columns.noteWidth >= Self.shortNote ? notes(active, forecast, at: now) : []
    if !notes.isEmpty { row.append("  ") }
    append(notes, to: &row)
    return row
  }

  /// The forecast of a running attempt, nil if the latest forecast is older than the attempt.
  private func forecast(of active: RunSnapshot.ActiveTask) -> RunForecast.Task? {
    guard let forecast = run.forecast, forecast.time >= active.state.latestStart else { return nil }
    switch active.state.phase {
    case .running, .overdue: return forecast[active.id]
    case .waiting, .backingOff, .ended: return nil
    }
  }

  /// The bar of a running task: filled, or with a moving part if its progress is unknown.
  private mutating func taskBar(
    _ active: RunSnapshot.ActiveTask, _ forecast: RunForecast.Task?, _ width: Int, isNew: Bool,
    at now: Duration
  ) -> ProgressBar {
    let known = taskBars[active.id.index]
    var bar = known ?? ForecastBar()
    bar.setWidth(width)
    let isReport = forecast?.isReported == true
    if let fraction = forecast?.fraction, isReport || !bar.isAhead(of: fraction) {
      // What a program reports comes when it will, not with a forecast.
      if isNew || known == nil || isReport && fraction != bar.latest {
        // Reports have a rate of their own, which the bar finds out.
        let rate = isReport ? nil : Self.rate(fraction, forecast?.remaining)
        // A report is newer than the forecast that it is part of.
        let age = isNew ? now - (run.forecast?.time ?? now) : .zero
        bar.show(
          fraction, isReport: isReport, rate: rate, age: age / .seconds(1), at: now / .seconds(1))
      }
    } else if bar.showsReport, !isNew {
      // A program has ended, and the task may end with it.
    } else if forecast != nil, active.state.phase == .running {
      bar.showUnknown()
    } else {
      bar.showNothing(at: now / .seconds(1))
    }
    taskBars[active.id.index] = bar
    return bar.bar
  }

  /// The columns below which notes are left out: they would only be cut.
  private static let shortNote = 8

  /// The notes beside a running task: what comes next, and the attempt.
  private func notes(
    _ active: RunSnapshot.ActiveTask, _ forecast: RunForecast.Task?, at now: Duration
  ) -> [StyledText] {
    var notes: [StyledText] = []
    switch active.state.phase {
    case .overdue: notes.append(("ending\(style.marks.ellipsis)", .warning))
    case .backingOff(let until) where until <= now && run.heldBy != nil:
      notes.append(("held", .warning))
    case .backingOff(let until):
      notes.append(("again in \(DurationText.coming(max(until - now, .zero)))", .warning))
    case .running:
      if let detail = forecast?.detail { notes.append((TaskOutputText.line(detail), .dim)) }
      if let note = runningNote(active, forecast?.remaining?.median, at: now) { notes.append(note) }
    case .waiting, .ended: break
    }
    if active.state.attempts > 1 { notes.append(("attempt \(active.state.attempts)", .dim)) }
    if active.state.phase == .running, let host = active.state.host {
      notes.append((TaskOutputText.line("on \(host)"), .dim))
    }
    return notes
  }

  /// When a running task ends: by its time-out if that is near, otherwise by the forecast.
  func runningNote(
    _ active: RunSnapshot.ActiveTask, _ left: Duration?, at now: Duration
  ) -> StyledText? {
    let elapsed = now - active.state.latestStart
    if let limit = description.timeout(of: active.id), elapsed > limit / 2,
      left.map({ elapsed + $0 > limit }) ?? true
    {
      let isNear = elapsed > limit * 4 / 5
      let words = "limit in \(DurationText.coming(max(limit - elapsed, .zero)))"
      return (words, isNear ? .warning : .dim)
    }
    // A task of less than a second ends before anybody has read when.
    let expected = description.usual(active.id) ?? left.map { elapsed + $0 }
    if elapsed < .seconds(1), let expected, expected < .seconds(1) { return nil }
    let late = run.forecast?.late.flatMap { $0.task == active.id ? $0 : nil }
    if let usual = description.usual(active.id) ?? late?.usual, elapsed > usual {
      return ("usually \(DurationText.measured(usual))", late == nil ? .dim : .warning)
    }
    // Without an estimate of the run there is none of its tasks.
    guard let left, let shown = run.forecast?.shown, shown != .unknown else { return nil }
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
  func append(_ facts: [StyledText], to row: inout Row) {
    for (index, fact) in facts.enumerated() {
      if index > 0 { row.append(style.marks.separator, .dim) }
      row.append(fact.text, fact.textStyle)
    }
  }

  /// The change of a fraction in a second according to a forecast, nil without one.
  private static func rate(_ fraction: Double, _ left: RemainingTime?) -> Double? {
    guard let left = left.map({ $0.median / .seconds(1) }), left > 0 else { return nil }
    return (1 - fraction) / left
  }
}
