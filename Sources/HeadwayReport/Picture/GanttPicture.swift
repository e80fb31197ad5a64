internal import HeadwayRun
internal import HeadwayText

/// The timeline as SVG.
struct GanttPicture {
  private let tasks: [TaskIdentity]
  private let records: [TaskRecord]
  private let times: RunTimes
  /// The critical path.
  private let path: RunPath
  let layout: GanttLayout
  /// The tasks on the critical path.
  private let critical: Set<Int>
  /// The widths of the words that are left of their bars, by task.
  private var wordWidths: [Int: Double] = [:]
  /// The space above the rows, for the labels of the axis.
  private static let top = 24.0
  /// The approximate width of a character.
  private static let letter = 6.3

  init(_ report: RunReport, times: RunTimes, path: RunPath) {
    tasks = report.tasks
    records = report.records
    self.times = times
    self.path = path
    layout = GanttLayout(report, times: times, path: path)
    critical = path.tasks
    for bar in layout.bars where hasTaskRows {
      if case .left = place(of: bar) { wordWidths[bar.task] = wordRoom(of: bar) }
    }
  }

  /// The patterns of tasks that did not succeed, which can be distinguished without color.
  private static let patterns = """
    <defs>
    <pattern id="slanted" width="7" height="7" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)"><rect class="background" width="7" height="7"/>\
    <rect class="stripe" width="2.5" height="7"/></pattern>
    <pattern id="upright" width="6" height="6" patternUnits="userSpaceOnUse">\
    <rect class="background" width="6" height="6"/><rect class="stripe" width="2" height="6"/></pattern>
    </defs>
    """

  /// The position below the last row.
  private var bottom: Double { Self.top + Double(layout.rowCount) * layout.rowHeight }
  /// Whether each task has a row.
  private var hasTaskRows: Bool { layout.form == .tasks }

  func write(into markup: inout Markup, description: String) {
    markup.raw(
      "<svg class=\"gantt\" role=\"img\" aria-labelledby=\"gantt-title gantt-desc\""
        + " viewBox=\"0 0 1120 ")
    markup.number(bottom + 28)
    markup.raw("\">\n<title id=\"gantt-title\">Timeline</title>")
    markup.element("desc", "id=\"gantt-desc\"", text: description)
    markup.raw("\n\(Self.patterns)\n")
    writeAxis(into: &markup)
    writeDensities(into: &markup)
    for bar in layout.bars { write(bar, into: &markup) }
    writePath(into: &markup)
    if hasTaskRows {
      for bar in layout.bars { writeWords(of: bar, into: &markup) }
    } else {
      for bar in layout.bars where !tasks[bar.task].name.isEmpty {
        writeName(in: bar, into: &markup)
      }
    }
    writeEnd(into: &markup)
    markup.raw("</svg>\n")
  }

  /// Writes the axis, and the numbers of lanes.
  private func writeAxis(into markup: inout Markup) {
    let ticks = TimeTicks(span: times.span, limit: 10)
    for value in ticks.values {
      let x = layout.scale(value)
      writeLine("grid", x: x, y: Self.top - 4, by: "V", bottom + 6, into: &markup)
      let anchor = x > GanttLayout.width - 30 ? "e" : x < 12 ? "s" : "m"
      let isTall = layout.rowCount > 12
      for y in isTall ? [Self.top - 10, bottom + 20] : [Self.top - 10] {
        markup.label("tick \(anchor)", x: x, y: y, ticks.label(value))
      }
    }
    markup.raw("\n")
    guard case .lanes(let perRow) = layout.form else { return }
    for row in 0..<layout.rowCount {
      let lane = row * perRow + 1
      guard layout.rowHeight > 15 || row == 0 || lane % 10 == 0 else { continue }
      let y = Self.top + layout.middle(ofRow: row) + 4
      markup.label("tick e", x: 34, y: y, String(lane))
    }
    markup.raw("\n")
  }

  /// Writes the densities, a path for each level.
  private func writeDensities(into markup: inout Markup) {
    for level in 1...4 {
      let parts = layout.densities.filter { $0.level == level }
      guard !parts.isEmpty else { continue }
      markup.raw("<path class=\"density d\(level)\" d=\"")
      for part in parts {
        let width = Double(part.count) * GanttLayout.partWidth
        let x = layout.scale.start + Double(part.part) * GanttLayout.partWidth
        let right = min(x + width, layout.scale.start + layout.scale.length)
        markup.raw("M")
        markup.number(x)
        markup.raw(" ")
        markup.number(top(ofRow: part.row))
        markup.raw("h")
        markup.number(max(right - x, 0.5))
        markup.raw("v")
        markup.number(layout.barHeight)
        markup.raw("H")
        markup.number(x)
        markup.raw("z")
      }
      markup.raw("\"/>\n")
    }
  }

  /// The upper edge of the bars of a row.
  private func top(ofRow row: Int) -> Double {
    Self.top + layout.middle(ofRow: row) - layout.barHeight / 2
  }

  /// Writes a bar with its tooltip.
  private func write(_ bar: GanttLayout.Bar, into markup: inout Markup) {
    let task = records[bar.task]
    let isCritical = critical.contains(bar.task) && !GanttLayout.isMarked(task.outcome)
    markup.raw("<g class=\"bar \(OutcomeStyle(task).name)\(isCritical ? " critical" : "")")
    markup.raw("\"><title>")
    writeTip(of: bar.task, into: &markup)
    markup.raw("</title><rect")
    markup.attribute("x", bar.x)
    markup.attribute("y", top(ofRow: bar.row))
    // A small gap between neighbors on a lane.
    let gap = !hasTaskRows && bar.width > 4 ? 1.0 : 0
    markup.attribute("width", max(bar.width - gap, 1))
    markup.attribute("height", layout.barHeight)
    markup.raw(bar.width > 6 ? " rx=\"2\"/>" : "/>")
    let mark = OutcomeStyle(task).mark
    if GanttLayout.isMarked(task.outcome), bar.width > 14, layout.barHeight > 12, let mark {
      let y = Self.top + layout.middle(ofRow: bar.row) + 4
      markup.label("sign", x: bar.x + 4, y: y, mark)
    }
    markup.raw("</g>\n")
  }

  /// Writes the tooltip of a task.
  private func writeTip(of index: Int, into markup: inout Markup) {
    let task = records[index]
    markup.name(tasks[index].name)
    markup.raw("\n")
    let state = OutcomeStyle(task).words
    markup.raw(critical.contains(index) ? "\(state), on the critical path\n" : "\(state)\n")
    var words = "started at \(DurationText.measured(times.begins[index]))"
    words += task.isReadyService ? ", ready after " : ", took "
    words += "\(DurationText.measured(times.ran(index)))"
    if let expected = task.expected {
      words += ", expected \(DurationText.measured(expected.reportSeconds))"
    }
    if task.attempts > 1 { words += ", \(grouped(task.attempts)) attempts" }
    markup.text(words)
  }

  /// Writes the name and the duration beside a bar that has its own row.
  private func writeWords(of bar: GanttLayout.Bar, into markup: inout Markup) {
    let y = Self.top + layout.middle(ofRow: bar.row) + 4
    let isCritical = critical.contains(bar.task)
    let name = Name.truncated(tasks[bar.task].name, to: GanttLayout.maxColumns)
    markup.label(
      isCritical ? "name e strong" : "name e", x: layout.scale.start - 12, y: y, name)
    writeExpected(of: bar, into: &markup)
    let words = words(of: bar)
    switch place(of: bar) {
    case .right(let x): markup.label("time", x: x, y: y, words)
    // The line of a wait may lead to the bar there.
    case .left(let x): markup.label("time e over", x: x, y: y, words)
    case .inside(let x):
      let shade = OutcomeStyle(records[bar.task]).name + (isCritical ? " critical" : "")
      markup.label("inside e \(shade)", x: x, y: y, words)
    }
  }

  /// The place of the words of a bar, with an x coordinate.
  private enum WordPlace {
    /// Right of the bar, beginning there.
    case right(Double)
    /// Left of the bar, ending there.
    case left(Double)
    /// In the bar, ending there.
    case inside(Double)
  }

  /// The duration of a task, and its outcome if it did not succeed.
  private func words(of bar: GanttLayout.Bar) -> String {
    let style = OutcomeStyle(records[bar.task])
    if records[bar.task].tookNothing { return style.words }
    let time = DurationText.measured(times.ran(bar.task))
    if records[bar.task].isReadyService { return "ready after \(time)" }
    return GanttLayout.isMarked(records[bar.task].outcome) ? "\(time) \(style.words)" : time
  }

  /// The columns of the words of a bar, as a width.
  private func wordRoom(of bar: GanttLayout.Bar) -> Double {
    Double(words(of: bar).count) * Self.letter + 10
  }

  /// Chooses the place of the words of a bar: always beside it or in it, never beyond the line of its wait.
  private func place(of bar: GanttLayout.Bar) -> WordPlace {
    let right = max(bar.x + max(bar.width, 1), expectedEnd(of: bar) ?? 0)
    let room = wordRoom(of: bar)
    if right + room < GanttLayout.width { return .right(right + 6) }
    let sign = GanttLayout.isMarked(records[bar.task].outcome) ? 14.0 : 0
    if bar.width > room + sign { return .inside(bar.x + bar.width - 6) }
    return bar.x - room > layout.scale.start + 4
      ? .left(bar.x - 6) : .inside(bar.x + bar.width - 6)
  }

  /// The x coordinate of the expected end of a task; nil if it is outside of the picture or unknown.
  private func expectedEnd(of bar: GanttLayout.Bar) -> Double? {
    guard let expected = records[bar.task].expected, !records[bar.task].tookNothing else {
      return nil
    }
    let end = times.begins[bar.task] + expected.reportSeconds
    return end <= times.span ? layout.scale(end) : nil
  }

  /// Writes a mark at the expected end of a task.
  private func writeExpected(of bar: GanttLayout.Bar, into markup: inout Markup) {
    guard let x = expectedEnd(of: bar) else { return }
    let y = top(ofRow: bar.row) - 3
    // A light outline makes it visible on a dark bar.
    for style in ["halo", "usual"] {
      writeLine(style, x: x, y: y, by: "V", y + layout.barHeight + 6, into: &markup)
    }
  }

  /// Writes a name into a bar of a lane if it fits.
  private func writeName(in bar: GanttLayout.Bar, into markup: inout Markup) {
    guard layout.barHeight > 12 else { return }
    let style = OutcomeStyle(records[bar.task])
    let sign = GanttLayout.isMarked(records[bar.task].outcome) ? 14.0 : 0
    let columns = Int((bar.width - 12 - sign) / Self.letter)
    guard let name = Name.fitting(tasks[bar.task].name, columns: columns) else { return }
    let shade = style.name + (critical.contains(bar.task) ? " critical" : "")
    let y = Self.top + layout.middle(ofRow: bar.row) + 4
    markup.label("inside \(shade)", x: bar.x + 6 + sign, y: y, name)
  }

  /// Writes the lines between the tasks of the critical path, at most as many as bars.
  private func writePath(into markup: inout Markup) {
    var left = GanttLayout.maxBars
    var before: Int?
    for step in path.steps {
      defer { before = step.task }
      let start = before.map { layout.scale(times.ends[$0]) } ?? layout.scale(0)
      let x = layout.scale(times.begins[step.task])
      let isWait = x - start >= 1
      let middle = Self.top + layout.middle(ofRow: layout.rows[step.task])
      // Other tasks may have run on the lane meanwhile, so the line of the wait is below them.
      let y = isWait && !hasTaskRows ? middle + layout.barHeight / 2 + 1.5 : middle
      let from = before.map { Self.top + layout.middle(ofRow: layout.rows[$0]) } ?? y
      guard left > 0, from != y || isWait else { continue }
      left -= 1
      if from != y { writeLine("link", x: min(start, x), y: from, by: "V", y, into: &markup) }
      guard isWait else { continue }
      markup.raw("<g>")
      markup.element("title", text: "waited for a worker: \(DurationText.measured(step.waited))")
      writeLine("gap", x: start, y: y, by: "H", x, into: &markup)
      // The words of the bar may be left of it.
      let end = x - (wordWidths[step.task] ?? 0)
      if hasTaskRows, end - start > 130 {
        markup.label(
          "gapname m", x: (start + end) / 2, y: y - 5, "waited for a worker")
      }
      markup.raw("</g>")
    }
    markup.raw("\n")
  }

  private func writeLine(
    _ style: String, x: Double, y: Double, by direction: String, _ end: Double,
    into markup: inout Markup
  ) {
    markup.raw("<path class=\"\(style)\" d=\"M")
    markup.number(x)
    markup.raw(" ")
    markup.number(y)
    markup.raw(direction)
    markup.number(end)
    markup.raw("\"/>")
  }

  /// Writes the end of the run if a task ended after it.
  private func writeEnd(into markup: inout Markup) {
    guard let total = times.total, times.span > total else { return }
    let x = layout.scale(total)
    writeLine("end", x: x, y: Self.top - 4, by: "V", bottom + 6, into: &markup)
    markup.label("tick e", x: x - 4, y: bottom + 20, "end of the run")
  }
}
