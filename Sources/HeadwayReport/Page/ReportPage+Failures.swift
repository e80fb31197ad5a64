internal import HeadwayRun
internal import HeadwayText

extension ReportPage {
  /// The maximum number of lines of output that are shown unfolded.
  private static let openLines = 12

  /// The tasks that failed or timed out, in the order in which they ended.
  private var failed: [Int] {
    report.tasks.indices.filter { report.records[$0].outcome?.isFailure == true }
      .sorted { (facts.times.ends[$0], $0) < (facts.times.ends[$1], $1) }
  }

  /// Writes the list of tasks that failed or timed out.
  func writeFailures(into markup: inout Markup) {
    let failed = failed
    guard !failed.isEmpty else { return }
    markup.raw("<section class=\"wrong\">\n<h2>Failed tasks</h2>\n<ul>\n")
    for index in failed.prefix(RunReport.maxFailures) { writeFailure(index, into: &markup) }
    markup.raw("</ul>\n")
    if failed.count > RunReport.maxFailures {
      let more = grouped(failed.count - RunReport.maxFailures)
      markup.element("p", "class=\"note\"", text: "and \(more) more, in the table below")
    }
    markup.raw("</section>\n")
  }

  /// Writes a failed task: how it ended, its command, and the end of its output.
  private func writeFailure(_ index: Int, into markup: inout Markup) {
    let task = report.records[index]
    let style = OutcomeStyle(task)
    let failure = report.failures[index]
    markup.raw(
      "<li class=\"\(style.name)\"><span aria-hidden=\"true\">\(style.mark ?? "")</span> ")
    markup.raw("<a href=\"#task-\(index)\"><bdi>")
    markup.name(report.tasks[index].name)
    markup.raw("</bdi></a> ")
    markup.text(words(task, failure, style, index))
    if let failure { writeDetails(failure, into: &markup) }
    markup.raw("</li>\n")
  }

  /// How a failed task ended: `failed with exit 7 at 4.0s, after 3.1s in 2 attempts`.
  private func words(
    _ task: TaskRecord, _ failure: TaskFailure?, _ style: OutcomeStyle, _ index: Int
  ) -> String {
    var words = style.words
    var saysDuration = false
    switch failure?.outcome {
    case .failed(let cause)?:
      words += cause.isStartFailure ? ", \(cause.words)" : " with \(cause.words)"
    case .timedOut(let limit)?:
      words = Outcome.timedOut(limit: limit).details(ofService: task.role == .service)
      saysDuration = task.attempts == 1
    default: break
    }
    if facts.times.isTimed[index] {
      words += " at \(DurationText.measured(facts.times.ends[index]))"
      if !saysDuration { words += ", after \(DurationText.measured(facts.times.ran(index)))" }
    }
    if task.attempts > 1 { words += " in \(counted(task.attempts, "attempt"))" }
    return words
  }

  /// Writes the command and the end of the output; many lines are folded.
  private func writeDetails(_ failure: TaskFailure, into markup: inout Markup) {
    if !failure.command.isEmpty {
      markup.raw("\n<pre class=\"command\">")
      writeLines(failure.command.split(separator: "\n").map { String($0) }, into: &markup)
      markup.raw("</pre>")
    }
    guard !failure.output.isEmpty else { return }
    let isLong = failure.output.count > Self.openLines
    let what =
      failure.isCut
      ? "The last \(counted(failure.output.count, "line")) of its output"
      : "Its output, \(counted(failure.output.count, "line"))"
    markup.raw(isLong ? "\n<details><summary>\(what)</summary>\n" : "\n")
    markup.raw("<pre class=\"output\">")
    writeLines(failure.output, into: &markup)
    markup.raw(isLong ? "</pre>\n</details>" : "</pre>")
    if let log = failure.log {
      markup.raw("\n<p class=\"note\">Log: <code>")
      markup.text(log)
      markup.raw("</code></p>")
    }
  }

  /// Writes lines of a preformatted text; line feeds are written as they are.
  private func writeLines(_ lines: [String], into markup: inout Markup) {
    for (index, line) in lines.enumerated() {
      if index > 0 { markup.raw("\n") }
      markup.text(line)
    }
  }
}
