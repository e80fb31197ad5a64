internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The result of a run: a row for each task, and a summary.
struct ResultTable {
  let description: RunDescription
  let style: TerminalStyle
  /// The maximum number of columns, nil for no limit.
  let columns: Int?
  /// The predicted duration of the run, nil if unknown.
  let predicted: Duration?

  /// The maximum number of tasks that are all listed; of more, only those that did not succeed.
  static let longestList = 50
  /// The widest column of names.
  static let widestName = 32

  /// The optional columns of a table.
  private struct FieldColumns {
    /// Whether a task needed a second attempt.
    var attempts: Bool
    /// Whether the usual duration of any task is known.
    var usual: Bool
  }

  /// The columns of the usual time.
  private static let usualWidth = 9

  /// The fields of a row, as text.
  private struct Fields {
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
    /// The number of attempts, nil when no task of the table needed a second one.
    var attempts: String?
    /// Further details.
    var detail: String
    /// The path of its log, empty unless it failed.
    var log: String
  }

  /// Lays out the whole result.
  ///
  /// - Parameter state: The run after its end.
  /// - Returns: The rows of the table, and the summary.
  /// - Complexity: O(tasks).
  func rows(_ state: RunState) -> [Row] {
    let all = state.tasks.indices.map { TaskID($0) }
    var listed = all
    if all.count > Self.longestList {
      listed = all.filter { !(state.outcome(of: $0)?.isSuccess ?? false) }
    }
    let columns = FieldColumns(
      attempts: listed.contains { state.tasks[$0.index].attempts > 1 },
      usual: listed.contains { description.usual($0) != nil })
    var rows = layout(listed.map { fields($0, state, columns) })
    if listed.count < all.count {
      let plain = all.count - listed.count
      let rest = "  \(style.marks.ellipsis) \(plain) succeeded or were up to date"
      rows.append(Row(rest, .dim))
    }
    if !rows.isEmpty { rows.append(Row()) }
    return rows + summary(state)
  }

  /// The summary: `release: 12 succeeded, 1 failed, 2 skipped in 14.2s (12.9s predicted)`.
  func summary(_ state: RunState) -> [Row] {
    let counts = state.counts
    let optional = state.tasks.indices.count {
      let outcome = state.outcome(of: TaskID($0))
      return description.isOptional(TaskID($0)) && outcome?.isFailure == true
    }
    let parts: [(Int, String, TextStyle)] = [
      (counts[.succeeded], "succeeded", .good), (counts[.upToDate], "up to date", .plain),
      (counts[.failed], "failed", .bad), (counts[.timedOut], "timed out", .bad),
      (counts[.cancelled], "cancelled", .warning), (counts[.skipped], "skipped", .warning),
    ]
    var texts = parts.filter { $0.0 > 0 }.map { ("\($0.0) \($0.1)", $0.2) }
    if texts.isEmpty { texts = [("nothing to do", .plain)] }
    for index in texts.indices.dropLast() { texts[index].0 += "," }
    if optional > 0 { texts.append(("(\(optional) optional)", .plain)) }
    texts.append(("in \(DurationText.measured(state.total ?? .zero))", .plain))
    // A prediction does not know which tasks will be up to date.
    if let predicted, counts[.upToDate] == 0 {
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
  private func fields(_ task: TaskID, _ state: RunState, _ columns: FieldColumns) -> Fields {
    let words = OutcomeText(description: description)
    let known = state.tasks[task.index]
    let outcome = state.outcome(of: task) ?? .cancelled
    let didRun = known.attempts > 0
    var needed: Outcome?
    if case .skipped(.needs(let other)) = outcome { needed = state.outcome(of: other) }
    let details = [words.detail(outcome, needed: needed), words.optionalMark(task, outcome)]
    return Fields(
      mark: EventFormatter.mark(outcome.kind, style), name: words.name(task),
      state: outcome.kind.words,
      time: didRun ? DurationText.measured(known.ran) : style.marks.none,
      usual: !columns.usual
        ? nil
        : description.usual(task).map(DurationText.measured) ?? style.marks.none,
      attempts: !columns.attempts ? nil : didRun ? "\(known.attempts)" : style.marks.none,
      detail: details.filter { !$0.isEmpty }.joined(separator: " "),
      log: outcome.isFailure ? description.logPath(task) ?? "" : "")
  }

  /// Aligns rows below a heading.
  private func layout(_ table: [Fields]) -> [Row] {
    guard !table.isEmpty else { return [] }
    let longest = table.map { TextWidth.columns(of: $0.name) }.max() ?? 0
    let share = columns.map { max(($0 - 1) / 3, 4) } ?? Self.widestName
    let width = max(min(longest, Self.widestName, share), 4)
    var heading = Row("  task", .dim)
    heading.pad(to: width + 4)
    heading.append("state", .dim)
    heading.append("time", endingAt: width + 21, .dim)
    var end = width + 21
    if table[0].usual != nil {
      end += Self.usualWidth
      heading.append("usually", endingAt: end, .dim)
    }
    if table[0].attempts != nil { heading.append("attempts", endingAt: end + 10, .dim) }
    return [heading] + table.flatMap { layout($0, nameWidth: width) }
  }

  /// Lays out a row, and further ones for the detail and the log if there is no room.
  private func layout(_ fields: Fields, nameWidth: Int) -> [Row] {
    var row = Row("\(fields.mark.text) ", fields.mark.textStyle)
    row.append(TextWidth.truncated(fields.name, to: nameWidth, ellipsis: style.marks.ellipsis))
    row.pad(to: nameWidth + 4)
    row.append(fields.state, fields.mark.textStyle)
    row.append(fields.time, endingAt: nameWidth + 21)
    var end = nameWidth + 21
    if let usual = fields.usual {
      end += Self.usualWidth
      row.append(usual, endingAt: end, .dim)
    }
    if let attempts = fields.attempts { row.append(attempts, endingAt: end + 10, .dim) }
    var rows = [row]
    let log = fields.log.isEmpty ? "" : "log: \(TaskOutputText.line(fields.log))"
    for (text, textStyle) in [(fields.detail, TextStyle.plain), (log, .dim)] where !text.isEmpty {
      let length = TextWidth.columns(of: text)
      if rows[rows.count - 1].columns + 2 + length > columns ?? .max {
        let indent = nameWidth + 4 + length > columns ?? .max ? 2 : nameWidth + 2
        rows.append(Row(String(repeating: " ", count: indent)))
      }
      rows[rows.count - 1].append("  ")
      rows[rows.count - 1].append(text, textStyle)
    }
    return rows
  }
}
