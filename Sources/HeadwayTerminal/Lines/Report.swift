internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayText

/// The lines that stay: what is said when tasks end, are tried again or run too long.
///
/// One set for a terminal, in columns under marks, and one in sentences for logs and screen readers.
struct Report {
  /// The run.
  let description: RunDescription
  /// How to show it.
  let style: TerminalStyle

  /// The most lines of a log that are shown below a failure.
  static let tailLines = 10
  /// The most bytes of a log that are read for that.
  static let tailBytes = 16_384
  /// What is said when somebody asks for the end.
  static let cancelling = Row(
    "cancelling: running tasks are asked to end; a second Ctrl-C ends them at once", .warning)

  /// The columns from the end of the names to the end of the times, and one that stays free.
  static let timeWidth = 13

  /// The words for outcomes.
  private var words: OutcomeText { OutcomeText(graph: description.graph) }

  /// The sign of an outcome and how it is set.
  static func mark(_ outcome: Outcome.Kind, _ style: TerminalStyle) -> (text: String, pen: Pen) {
    switch outcome {
    case .succeeded: (style.marks.succeeded, .good)
    case .upToDate: (style.marks.upToDate, .good)
    case .failed, .timedOut: (style.marks.failed, .bad)
    case .cancelled: (style.marks.cancelled, .warning)
    case .skipped: (style.marks.skipped, .warning)
    }
  }

  /// The row that says where a log is.
  static func log(_ path: String, indent: Int) -> Row {
    var row = Row()
    row.pad(to: indent)
    row.append("log: \(TaskOutputText.line(path))", .dim)
    return row
  }

  // MARK: In columns

  /// The row of a task that ended: `✓ fetch   1.2s`.
  func ended(_ task: TaskID, _ outcome: Outcome, _ state: RunState, nameWidth: Int) -> Row {
    let known = state.tasks[task.index]
    let mark = Self.mark(outcome.kind, style)
    var row = Row("\(mark.text) ", mark.pen)
    row.append(words.name(task))
    if outcome == .skipped(.upToDate) {
      row.append("up to date", endingAt: nameWidth + Self.timeWidth - 1, .dim)
    } else {
      row.append(DurationText.measured(known.ran), endingAt: nameWidth + Self.timeWidth - 1, .dim)
    }
    let isPlain = outcome.isSuccess && known.attempts <= 1
    for fact in isPlain ? [] : facts(task, outcome, known.attempts) {
      row.append("  \(fact.text)", fact.pen)
    }
    return row
  }

  /// What is said beside the time of a task that did not simply succeed.
  private func facts(_ task: TaskID, _ outcome: Outcome, _ attempts: Int) -> [(
    text: String, pen: Pen
  )] {
    var facts: [(text: String, pen: Pen)] = []
    switch outcome {
    case .failed(let failure): facts.append((OutcomeText.words(failure), .bad))
    case .timedOut(let limit):
      facts.append(("timed out after \(DurationText.chosen(limit))", .bad))
    case .succeeded, .cancelled, .skipped: break
    }
    if attempts > 1 { facts.append(("attempt \(attempts)", .dim)) }
    let optional = words.optionalMark(task, outcome)
    if !optional.isEmpty { facts.append((optional, .dim)) }
    return facts
  }

  /// The row of a task that is tried again: `↻ fetch   exit 7, again in 3s`.
  func retrying(
    _ task: TaskID, _ attempt: Int, _ delay: Duration, _ cause: Outcome, nameWidth: Int
  ) -> Row {
    var row = Row("\(style.marks.retrying) ", .warning)
    row.append(words.name(task))
    row.pad(to: nameWidth + Self.timeWidth - 1)
    row.append("  \(words.mishap(cause))", .warning)
    row.append(", attempt \(attempt) in \(DurationText.chosen(delay))", .dim)
    return row
  }

  // MARK: In sentences

  /// The sentence for a task that began.
  func startedSentence(_ task: TaskID, attempt: Int) -> Row {
    Row(words.name(task) + " started" + (attempt > 1 ? ", attempt \(attempt)" : ""))
  }

  /// The sentence for a task that ended.
  func endedSentence(_ task: TaskID, _ outcome: Outcome, _ state: RunState) -> Row {
    let known = state.tasks[task.index]
    let time = DurationText.measured(known.ran)
    let pen = Self.mark(outcome.kind, style).pen
    var row = Row(words.name(task) + " ")
    switch outcome {
    case .succeeded: row.append("succeeded in \(time)", pen)
    case .skipped(.upToDate): row.append("is up to date", pen)
    case .failed(let failure) where failure.isStartFailure: row.append(words.mishap(outcome), pen)
    case .failed: row.append("\(words.mishap(outcome)) after \(time)", pen)
    case .timedOut: row.append(words.mishap(outcome), pen)
    case .cancelled: row.append("cancelled" + (known.attempts > 0 ? " after \(time)" : ""), pen)
    case .skipped: row.append("skipped: \(words.detail(outcome, in: state))", pen)
    }
    if known.attempts > 1 { row.append(", attempt \(known.attempts)") }
    let optional = words.optionalMark(task, outcome)
    if !optional.isEmpty { row.append(" \(optional)") }
    return row
  }

  /// The sentence for a task that is tried again.
  func retryingSentence(_ task: TaskID, _ attempt: Int, _ delay: Duration, _ cause: Outcome) -> Row
  {
    var row = Row(words.name(task) + " ")
    row.append(words.mishap(cause), .warning)
    row.append(", attempt \(attempt) in \(DurationText.chosen(delay))")
    return row
  }

  /// The sentence for a task that ran too long.
  func overdueSentence(_ task: TaskID, _ limit: Duration) -> Row {
    var row = Row(words.name(task) + " ")
    row.append("is over its limit of \(DurationText.chosen(limit)) and is being ended", .warning)
    return row
  }

  /// Says that a task has got more time.
  func extendedSentence(_ task: TaskID, _ duration: Duration) -> Row {
    var row = Row(words.name(task) + " ")
    row.append("has asked for another \(DurationText.chosen(duration))", .plain)
    return row
  }

  // MARK: Of a log

  /// The end of a failed task's log, and where the whole of it is.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - edge: What stands before each line.
  /// - Returns: At most `tailLines` lines and one for the path.
  func tail(_ task: TaskID, edge: String) -> [Row] {
    let bytes = description.tail(task, Self.tailBytes)
    let isCut = bytes.count >= Self.tailBytes
    let lines = TaskOutputText.lines(bytes, last: Self.tailLines, isCut: isCut)
    var rows = lines.map { line in
      var row = Row(edge, .dim)
      row.append(line)
      return row
    }
    if let path = description.logPath(task) {
      rows.append(Self.log(path, indent: TextWidth.columns(of: edge)))
    }
    return rows
  }
}
