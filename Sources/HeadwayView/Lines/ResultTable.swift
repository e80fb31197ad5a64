internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The result of a run, or its state before the end: a row for each task, and a summary.
struct ResultTable {
  /// When the tasks are listed.
  enum Stage {
    /// After the end of the run.
    case ended
    /// At a time of the run.
    case running(Duration)
    /// After the process of the run has died.
    case died
  }

  let description: RunDescription
  let style: TerminalStyle
  /// The maximum number of columns, nil for no limit.
  let columns: Int?
  /// The predicted duration of the run, nil if unknown.
  let predicted: Duration?
  /// When the tasks are listed.
  var stage = Stage.ended
  /// Whether all tasks of a large run are listed.
  var listsAll = false
  /// The tasks to list, nil for those that matter of all.
  var chosen: [TaskID]?

  /// The maximum number of tasks that are all listed; of more, only those that did not succeed.
  static let longestList = 50
  /// The widest column of names.
  static let widestName = 32

  /// The columns of a table that fit.
  struct FieldColumns {
    /// The columns of names.
    var name: Int
    /// Whether there is room for the states; the marks before the names say the same.
    var state = true
    /// Whether a task needed a second attempt.
    var attempts: Bool
    /// Whether the usual duration of any task is known.
    var usual: Bool
    /// Whether what tasks used is shown.
    var usage = false

    /// The column in which the times end.
    var timeEnd: Int { name + (state ? 21 : 10) }
    /// The column in which the last column ends.
    var end: Int {
      usageEnd + (attempts ? ResultTable.attemptsWidth : 0)
    }
    /// The column in which what tasks used ends.
    var usageEnd: Int {
      timeEnd + (usual ? ResultTable.usualWidth : 0) + (usage ? ResultTable.usageWidth : 0)
    }

    /// Leaves out columns until the others fit, the least important first.
    mutating func fit(_ width: Int, longestName: Int) {
      if end > width, attempts || usage { usual = false }
      if end > width { attempts = false }
      if end > width { usage = false }
      guard end > width else { return }
      state = false
      name = max(min(longestName, width - 10), 1)
    }
  }

  /// The columns of the usual time.
  private static let usualWidth = 9
  /// The columns of the time of processors and of the memory.
  private static let usageWidth = 18
  /// The columns of the memory.
  private static let memoryWidth = 9
  /// The columns of the number of attempts.
  private static let attemptsWidth = 10

  /// The fields of a row, as text.
  struct Fields {
    /// The mark before the row, with its text style.
    var mark: StyledText
    /// The name of the task.
    var name: String
    /// The state in which it ended.
    var state: String
    /// How long it ran.
    var time: String
    /// The usual duration, nil if it is unknown for all tasks of the table.
    var usual: String?
    /// The time of processors and the memory that it used, nil if that is not shown.
    var usage: (time: String, memory: String)?
    /// The number of attempts, nil when no task of the table needed a second one.
    var attempts: String?
    /// Further details.
    var detail: String
    /// The path of its log, empty unless it failed.
    var log: String
  }

  /// Lays out the whole result.
  ///
  /// - Parameters:
  ///   - state: The run after its end.
  ///   - shown: The indices of the tasks whose result is on the screen already, and that are left out.
  /// - Returns: The rows of the table, and the summary.
  /// - Complexity: O(tasks).
  func rows(_ state: RunState, leavingOut shown: Set<Int> = []) -> [Row] {
    var rows = taskRows(state, leavingOut: shown)
    if !rows.isEmpty { rows.append(Row()) }
    return rows + summary(state)
  }

  /// Lays out the rows of the tasks.
  ///
  /// - Parameters:
  ///   - state: The run.
  ///   - shown: The indices of the tasks whose result is on the screen already, and that are left out.
  /// - Returns: The rows of the table.
  /// - Complexity: O(tasks).
  func taskRows(_ state: RunState, leavingOut shown: Set<Int> = []) -> [Row] {
    let all = (chosen ?? state.tasks.indices.map { TaskID($0) }).filter {
      !shown.contains($0.index)
        && (chosen != nil || !description.isUnneeded($0, state.outcome(of: $0)))
    }
    var listed = all
    var waiting = 0
    if state.tasks.count > Self.longestList, !listsAll, chosen == nil {
      listed = all.filter { !(state.outcome(of: $0)?.isSuccess ?? false) }
      if case .running = stage {
        let count = listed.count
        listed = listed.filter { state.tasks[$0.index].phase != .waiting }
        waiting = count - listed.count
      }
    }
    let names = listed.map { TextWidth.columns(of: TaskOutputText.line(description.name(of: $0))) }
    let longest = min(names.max() ?? 0, Self.widestName)
    let share = columns.map { max(($0 - 1) / 3, 4) } ?? Self.widestName
    var fields = FieldColumns(
      name: max(min(longest, share), 4),
      attempts: listed.contains { state.tasks[$0.index].attempts > 1 },
      usual: listed.contains { description.usual($0) != nil },
      usage: description.output.showsUsage)
    if let columns { fields.fit(columns, longestName: longest) }
    let reasons = WaitReasons(description, state)
    var rows = layout(listed.map { self.fields($0, state, reasons, fields) }, fields)
    let plain = all.count - listed.count - waiting
    if plain > 0, shown.isEmpty {
      let earlier = state.counts[.doneEarlier] > 0
      let verbs = earlier ? "succeeded, now or earlier," : "succeeded"
      let rest = "  \(style.marks.ellipsis) \(plain) \(verbs) or were up to date"
      rows.append(Row(rest, .dim))
    }
    if waiting > 0 {
      rows.append(Row("  \(style.marks.ellipsis) \(waiting) are waiting", .dim))
    }
    return rows
  }

  /// The summary: `release: 12 succeeded, 1 failed, 2 skipped in 14.2s (12.9s predicted)`.
  func summary(_ state: RunState) -> [Row] {
    let counts = state.counts
    let optional = state.tasks.indices.count {
      let outcome = state.outcome(of: TaskID($0))
      return description.isOptional(TaskID($0)) && outcome?.isFailure == true
    }
    let unneeded = description.failureHooks.count {
      description.isUnneeded($0, state.outcome(of: $0))
    }
    let parts: [(Int, String, TextStyle)] = [
      (counts[.succeeded], "succeeded", .good), (counts[.upToDate], "up to date", .plain),
      (counts[.doneEarlier], "done earlier", .plain),
      (counts[.failed], "failed", .bad), (counts[.timedOut], "timed out", .bad),
      (counts[.lost], "lost", .bad),
      (counts[.cancelled], "cancelled", .warning),
      (counts[.skipped] - unneeded, "skipped", .warning),
    ]
    var texts = parts.filter { $0.0 > 0 }.map { ("\($0.0) \($0.1)", $0.2) }
    if texts.isEmpty { texts = [("nothing to do", .plain)] }
    for index in texts.indices.dropLast() { texts[index].0 += "," }
    if optional > 0 { texts.append(("(\(optional) optional)", .plain)) }
    texts.append(("in \(DurationText.measured(state.total ?? .zero))", .plain))
    if description.output.showsUsage, let usage = state.usage {
      texts += usage.words.map { ($0, .plain) }
    }
    // A prediction knows neither which tasks will be up to date nor how long services that nothing needs will stay.
    if let predicted, counts[.upToDate] == 0, !description.servicesStay {
      texts.append(("(\(DurationText.measured(predicted)) predicted)", .dim))
    }
    return flow(texts, after: Row("\(TaskOutputText.line(description.name)):", .bold))
  }

  /// Joins texts, and puts those without room into further rows.
  private func flow(_ texts: [(String, TextStyle)], after heading: Row) -> [Row] {
    var rows = [heading]
    for (text, textStyle) in texts {
      if rows[rows.count - 1].columns + 1 + TextWidth.columns(of: text) > columns ?? .max {
        rows.append(Row(" "))
      }
      rows[rows.count - 1].append(" ")
      rows[rows.count - 1].append(text, textStyle)
    }
    return rows
  }

  /// The fields of a task's row.
  private func fields(
    _ task: TaskID, _ state: RunState, _ reasons: WaitReasons, _ columns: FieldColumns
  ) -> Fields {
    let words = OutcomeText(description: description)
    let known = state.tasks[task.index]
    if state.outcome(of: task) == nil, let fields = unfinished(task, state, reasons, columns) {
      return fields
    }
    let outcome = state.outcome(of: task) ?? .cancelled
    // The time of a task that was looked at only is no time of its own.
    let didRun = known.attempts > 0 && outcome.kind != .doneEarlier && outcome.kind != .upToDate
    var needed: Outcome?
    if case .skipped(.needs(let other)) = outcome { needed = state.outcome(of: other) }
    let details = [
      words.detail(outcome, needed: needed), words.optionalMark(task, outcome),
      known.host.map { TaskOutputText.line("on \($0)") } ?? "",
    ]
    return Fields(
      mark: EventFormatter.mark(outcome.kind, style), name: words.name(task),
      state: outcome.kind.words(ofService: description.services.contains(task)),
      time: didRun ? DurationText.measured(known.ran) : style.marks.none,
      usual: usual(task, columns), usage: usage(known, columns),
      attempts: attempts(known, columns),
      detail: details.filter { !$0.isEmpty }.joined(separator: " "),
      log: outcome.isFailure ? log(task) : "")
  }

  /// The usual duration of a task, nil without its column.
  func usual(_ task: TaskID, _ columns: FieldColumns) -> String? {
    guard columns.usual else { return nil }
    return description.usual(task).map(DurationText.measured) ?? style.marks.none
  }

  /// What the latest attempt at a task used, nil without its columns.
  func usage(_ known: RunState.Task, _ columns: FieldColumns) -> (time: String, memory: String)? {
    guard columns.usage else { return nil }
    let none = style.marks.none
    return (
      known.usage.map { DurationText.measured($0.cpuTime) } ?? none,
      known.usage?.peakMemory.map(byteCount) ?? none
    )
  }

  /// The number of attempts at a task, nil without its column.
  func attempts(_ known: RunState.Task, _ columns: FieldColumns) -> String? {
    guard columns.attempts else { return nil }
    return known.attempts > 0 ? "\(known.attempts)" : style.marks.none
  }

  /// The path of a task's log, empty if it has none.
  func log(_ task: TaskID) -> String {
    description.logPath(task, fitting: columns.map { $0 - 4 }) ?? ""
  }

  /// Aligns rows below a heading.
  private func layout(_ table: [Fields], _ columns: FieldColumns) -> [Row] {
    guard !table.isEmpty else { return [] }
    var heading = Row("  task", .dim)
    heading.pad(to: columns.name + 4)
    if columns.state { heading.append("state", .dim) }
    heading.append("time", endingAt: columns.timeEnd, .dim)
    if columns.usual {
      heading.append("usually", endingAt: columns.timeEnd + Self.usualWidth, .dim)
    }
    if columns.usage {
      heading.append("cpu", endingAt: columns.usageEnd - Self.memoryWidth, .dim)
      heading.append("memory", endingAt: columns.usageEnd, .dim)
    }
    if columns.attempts { heading.append("attempts", endingAt: columns.end, .dim) }
    return [heading] + table.flatMap { layout($0, columns) }
  }

  /// Lays out a row, and further ones for the detail and the log if there is no room.
  private func layout(_ fields: Fields, _ columns: FieldColumns) -> [Row] {
    var row = Row("\(fields.mark.text) ", fields.mark.textStyle)
    row.append(
      TextWidth.truncatedInMiddle(fields.name, to: columns.name, ellipsis: style.marks.ellipsis))
    if columns.state {
      row.pad(to: columns.name + 4)
      row.append(fields.state, fields.mark.textStyle)
    }
    row.append(fields.time, endingAt: columns.timeEnd)
    if let usual = fields.usual {
      row.append(usual, endingAt: columns.timeEnd + Self.usualWidth, .dim)
    }
    if let usage = fields.usage {
      row.append(usage.time, endingAt: columns.usageEnd - Self.memoryWidth)
      row.append(usage.memory, endingAt: columns.usageEnd)
    }
    if let attempts = fields.attempts { row.append(attempts, endingAt: columns.end, .dim) }
    var rows = [row]
    let log = fields.log.isEmpty ? "" : "log: \(TaskOutputText.line(fields.log))"
    for (text, textStyle) in [(fields.detail, TextStyle.plain), (log, .dim)] where !text.isEmpty {
      let width = self.columns ?? .max
      let length = TextWidth.columns(of: text)
      if rows[rows.count - 1].columns + 2 + length <= width {
        rows[rows.count - 1].append("  ")
        rows[rows.count - 1].append(text, textStyle)
      } else {
        let indent = columns.name + 4 + length > width ? 4 : columns.name + 4
        rows += wrapped(text, textStyle, indent: min(indent, width - 1))
      }
    }
    return rows
  }

  /// Rows with as many words as fit; a longer word, such as a path, has a row of its own.
  private func wrapped(_ text: String, _ textStyle: TextStyle, indent: Int) -> [Row] {
    let margin = String(repeating: " ", count: max(indent, 0))
    var rows: [Row] = []
    for word in text.split(separator: " ") {
      if let last = rows.last, last.columns + 1 + TextWidth.columns(of: word) <= columns ?? .max {
        rows[rows.count - 1].append(" \(word)", textStyle)
      } else {
        rows.append(Row(margin))
        rows[rows.count - 1].append(String(word), textStyle)
      }
    }
    return rows
  }
}
