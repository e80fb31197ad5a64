internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// Formats the events of tasks as lines that stay on the screen.
///
/// One set for a terminal, in columns under marks, and one in sentences for logs and screen readers.
struct EventFormatter: Sendable {
  let description: RunDescription
  let style: TerminalStyle

  /// The line for a cancelled run.
  var cancelling: Row {
    let hint = description.interruptEndsRun ? "; a second Ctrl-C ends them immediately" : ""
    return Row("cancelling: running tasks are asked to end\(hint)", .warning)
  }

  /// Which machines wait, in words: `waiting for 4 Slurm jobs (Priority), the first in about 12m`, and `4 jobs queued (Priority), in about 12m`.
  func waitingWords(
    _ waiting: RunEvent.WorkersWaiting, at now: Duration
  ) -> (sentence: String, fact: String) {
    let reason = waiting.reason.isEmpty ? "" : " (\(waiting.reason.sanitized))"
    let start = waiting.start.map { max($0 - now, .zero) }
    let time = start.map { "in about \(DurationText.coming($0))" }
    let first = waiting.count > 1 ? "the first " : ""
    return (
      "waiting for \(counted(waiting.count, "Slurm job"))\(reason)\(time.map { ", \(first)\($0)" } ?? "")",
      "\(counted(waiting.count, "job")) queued\(reason)\(time.map { ", \($0)" } ?? "")"
    )
  }

  /// The line that says which machines wait, and how they can be started; none once all have started.
  func waiting(_ waiting: RunEvent.WorkersWaiting, at now: Duration) -> [Row] {
    // Before the cluster says why, most jobs have started.
    guard waiting.count > 0, !waiting.reason.isEmpty else { return [] }
    let advice = waiting.advice.map { "; \($0.sanitized)" } ?? ""
    return [
      Row(waitingWords(waiting, at: now).sentence + advice, advice.isEmpty ? .plain : .warning)
    ]
  }

  /// The columns from the end of the names to the end of the times, and one that stays free.
  static let timeWidth = 13

  var words: OutcomeText { OutcomeText(description: description) }

  /// The mark of an outcome, with its text style.
  static func mark(_ outcome: Outcome.Kind, _ style: TerminalStyle) -> StyledText {
    switch outcome {
    case .succeeded: (style.marks.succeeded, .good)
    case .upToDate, .doneEarlier: (style.marks.upToDate, .good)
    case .failed, .timedOut: (style.marks.failed, .bad)
    case .cancelled: (style.marks.cancelled, .warning)
    case .skipped: (style.marks.skipped, .warning)
    case .lost: (style.marks.lost, .bad)
    }
  }

  /// What comes before the path of a log.
  static let logLabel = "log: "

  /// The row with the path of a log.
  static func log(_ path: String, indent: Int) -> Row {
    var row = Row()
    row.pad(to: indent)
    row.append(logLabel + TaskOutputText.line(path), .dim)
    return row
  }

  // MARK: In columns

  /// The rows of a task that ended: `✓ fetch   1.2s`.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - outcome: How it ended.
  ///   - attempts: The number of attempts at it.
  ///   - ran: How long it ran.
  ///   - nameWidth: The columns of names.
  ///   - columns: The columns of the terminal.
  /// - Returns: One row, or two if it would be too wide.
  func ended(
    _ task: TaskID, _ outcome: Outcome, attempts: Int, ran: Duration, nameWidth: Int, columns: Int
  ) -> [Row] {
    let mark = Self.mark(outcome.kind, style)
    var row = Row("\(mark.text) ", mark.textStyle)
    row.append(words.name(task))
    let nameEnd = row.columns
    if outcome == .skipped(.upToDate) || outcome == .skipped(.doneEarlier) {
      row.append(outcome.kind.words, endingAt: nameWidth + Self.timeWidth - 1, .dim)
    } else {
      row.append(DurationText.measured(ran), endingAt: nameWidth + Self.timeWidth - 1, .dim)
    }
    let timeEnd = row.columns
    let isPlain = outcome.isSuccess && attempts <= 1
    for fact in isPlain ? [] : facts(task, outcome, attempts) {
      row.append("  \(fact.text)", fact.textStyle)
    }
    return folded(row, at: timeEnd <= columns ? timeEnd : nameEnd, to: columns)
  }

  /// The facts beside the time of a task that failed or needed several attempts.
  private func facts(_ task: TaskID, _ outcome: Outcome, _ attempts: Int) -> [StyledText] {
    var facts: [StyledText] = []
    switch outcome {
    case .failed(let failure): facts.append((OutcomeText.words(failure), .bad))
    case .timedOut: facts.append((words.mishap(outcome, of: task), .bad))
    case .succeeded, .cancelled, .skipped: break
    case .lost: facts.append(("its end is unknown", .bad))
    }
    if attempts > 1 { facts.append(("attempt \(attempts)", .dim)) }
    let optional = words.optionalMark(task, outcome)
    if !optional.isEmpty { facts.append((optional, .dim)) }
    return facts
  }

  /// The rows of a task that is retried: `↻ fetch   exit 7, again in 3s`; two if one would be too wide.
  func retrying(
    _ task: TaskID, _ attempt: Int, _ delay: Duration, _ cause: Outcome, nameWidth: Int,
    columns: Int
  ) -> [Row] {
    var row = Row("\(style.marks.retrying) ", .warning)
    row.append(words.name(task))
    let nameEnd = row.columns
    row.pad(to: nameWidth + Self.timeWidth - 1)
    row.append("  \(words.mishap(cause, of: task))", .warning)
    row.append(", attempt \(attempt) \(DurationText.delay(delay))", .dim)
    return folded(row, at: nameEnd, to: columns)
  }

  /// A row that is too wide as two: what comes after a column in one of its own.
  private func folded(_ row: Row, at column: Int, to columns: Int) -> [Row] {
    guard row.columns > columns else { return [row] }
    let (head, facts) = row.split(at: column)
    var rows = [head]
    if facts.columns > 0 {
      var second = Row("  ")
      second.append(facts)
      rows.append(second)
    }
    for index in rows.indices { rows[index].cut(to: columns, ellipsis: style.marks.ellipsis) }
    return rows
  }

  // MARK: In sentences

  /// A sentence about a task.
  func sentence(
    _ task: TaskID, _ verb: String, _ textStyle: TextStyle = .plain, then rest: String = ""
  ) -> Row {
    var row = Row(words.name(task) + " ")
    row.append(verb, textStyle)
    row.append(rest)
    return row
  }

  /// The lines for a task that ended: a sentence, and the end of its log if it failed.
  func ended(_ shown: RunUpdate.Event) -> [Row] {
    guard case .taskEnded(let task, let outcome, let attempts, let ran) = shown.event.kind else {
      return []
    }
    let time = DurationText.measured(ran)
    let verb =
      switch outcome {
      case .succeeded: "succeeded in \(time)"
      case .skipped(.upToDate): "is up to date"
      case .skipped(.doneEarlier): "was done earlier"
      case .failed(let failure) where failure.isStartFailure: words.mishap(outcome, of: task)
      case .failed: "\(words.mishap(outcome, of: task)) after \(time)"
      case .timedOut: words.mishap(outcome, of: task)
      case .lost: "lost: its end is unknown"
      case .cancelled: "cancelled" + (attempts > 0 ? " after \(time)" : "")
      case .skipped: "skipped: \(words.detail(outcome, needed: shown.needed))"
      }
    let optional = words.optionalMark(task, outcome)
    let row = sentence(
      task, verb, Self.mark(outcome.kind, style).textStyle,
      then: (attempts > 1 ? ", attempt \(attempts)" : "") + (optional.isEmpty ? "" : " \(optional)")
    )
    return outcome.isFailure ? [row] + tail(task, edge: "    ") : [row]
  }
}
