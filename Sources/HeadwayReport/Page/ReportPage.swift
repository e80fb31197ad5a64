internal import HeadwayRun

/// The page of a run: what it is made of, and in what order.
struct ReportPage {
  /// The most tasks that went wrong that are named above the picture.
  static let mostNamed = 10
  /// The most steps of the critical path that are told in words: the longest.
  static let mostSteps = 100

  /// The run.
  let report: RunReport
  /// Its numbers.
  let facts: RunFacts

  /// Creates the page of a report.
  init(_ report: RunReport) {
    self.report = report
    facts = RunFacts(report)
  }

  /// Writes the whole document.
  func write(into markup: inout Markup) {
    writeHead(into: &markup)
    markup.raw("<body>\n<main>\n")
    writeHeading(into: &markup)
    writeFacts(into: &markup)
    writeWrong(into: &markup)
    writePicture(into: &markup)
    writeForecast(into: &markup)
    markup.raw("<section>\n<h2 id=\"tasks\">Tasks</h2>\n")
    if report.tasks.isEmpty {
      markup.raw("<p class=\"note\">This run had no tasks.</p>\n")
    } else {
      TaskTable(report.tasks, facts: facts).write(into: &markup)
    }
    markup.raw("</section>\n<footer>Made by Headway. This page loads nothing.</footer>\n")
    markup.raw("</main>\n<script>\(PageStyle.script)</script>\n</body>\n</html>\n")
  }

  /// Writes what stands before the content: what the page may do, and how it looks.
  private func writeHead(into markup: inout Markup) {
    markup.raw(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(PageStyle.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="Headway">

      """)
    markup.raw("<title>")
    markup.name(title)
    markup.raw(" – run ")
    markup.name(report.run)
    markup.raw("</title>")
    markup.raw("\n<style>\(PageStyle.sheet)</style>\n</head>\n")
  }

  /// The name of the plan, or what stands for it.
  private var title: String { report.plan.isEmpty ? "A run" : report.plan }

  /// Writes the name of the plan, how the run ended, and when it was.
  private func writeHeading(into markup: inout Markup) {
    let (style, mark, words): (String, String, String) =
      switch report.outcome {
      case .succeeded, .upToDate: ("succeeded", "✓", "succeeded")
      case .failed, .timedOut: ("failed", "✕", "failed")
      case .cancelled, .skipped: ("cancelled", "–", "cancelled")
      case nil: ("open", "?", "no end known")
      }
    markup.raw("<header>\n<h1><bdi>")
    markup.name(title)
    markup.raw("</bdi> <span class=\"badge \(style)\"><span aria-hidden=\"true\">\(mark)</span>")
    markup.raw(" \(words)</span></h1>\n<p class=\"when\">")
    let moment = CalendarMoment(
      milliseconds: report.began, secondsFromUTC: report.secondsFromUTC)
    let exact = CalendarMoment(milliseconds: report.began, secondsFromUTC: 0)
    markup.raw("<time datetime=\"\(exact.day)T\(exact.time)Z\">\(moment.day) \(moment.time) ")
    markup.raw("\(moment.zone)</time>")
    if !report.run.isEmpty {
      markup.raw(" · run <bdi>")
      markup.name(report.run)
      markup.raw("</bdi>")
    }
    markup.raw("</p>\n</header>\n")
  }

  /// Writes the facts of the run.
  private func writeFacts(into markup: inout Markup) {
    markup.raw("<dl class=\"facts\">\n")
    for fact in factList {
      markup.raw("<div><dt>")
      markup.text(fact.name)
      markup.raw("</dt><dd><b>")
      markup.text(fact.value)
      markup.raw("</b>")
      if !fact.note.isEmpty { markup.element("span", text: fact.note) }
      markup.raw("</dd></div>\n")
    }
    markup.raw("</dl>\n")
  }

  /// Writes which tasks failed or timed out.
  private func writeWrong(into markup: inout Markup) {
    let wrong = report.tasks.indices.filter { TaskTable.isWrong(report.tasks[$0].outcome) }
      .sorted { (facts.times.ends[$0], $0) < (facts.times.ends[$1], $1) }
    guard !wrong.isEmpty else { return }
    markup.raw("<section class=\"wrong\">\n<h2>What went wrong</h2>\n<ul>\n")
    for place in wrong.prefix(Self.mostNamed) {
      let task = report.tasks[place]
      let style = OutcomeStyle(task.outcome)
      markup.raw(
        "<li class=\"\(style.name)\"><span aria-hidden=\"true\">\(style.mark ?? "")</span> ")
      markup.raw("<a href=\"#task-\(place)\"><bdi>")
      markup.name(task.name)
      markup.raw("</bdi></a> ")
      var words = style.words
      if facts.times.isTimed[place] {
        words += " at \(TimeText.measured(facts.times.ends[place]))"
        words += ", after \(TimeText.measured(facts.times.ran(place)))"
      }
      if task.attempts > 1 { words += " in \(TimeText.counted(task.attempts, "attempt"))" }
      markup.text(words)
      markup.raw("</li>\n")
    }
    markup.raw("</ul>\n")
    if wrong.count > Self.mostNamed {
      let more = TimeText.count(wrong.count - Self.mostNamed)
      markup.element("p", "class=\"note\"", text: "and \(more) more, in the table below")
    }
    markup.raw("</section>\n")
  }

  /// Writes the picture of what ran when, with what explains it.
  private func writePicture(into markup: inout Markup) {
    markup.raw("<section>\n<h2>What ran when</h2>\n")
    let picture = GanttPicture(report.tasks, times: facts.times, path: facts.path)
    guard picture.layout.rowCount > 0 else {
      markup.raw("<p class=\"note\">No task of this run has a time.</p>\n</section>\n")
      return
    }
    markup.raw(
      "<figure>\n<div class=\"scroll wide\" role=\"region\" aria-labelledby=\"gantt-title\""
        + " tabindex=\"0\">\n")
    picture.write(into: &markup, description: description(of: picture))
    markup.raw("</div>\n<figcaption>\n")
    writeLegend(of: picture.layout, into: &markup)
    markup.element("p", "class=\"note\"", text: note(on: picture.layout))
    markup.raw("\n</figcaption>\n</figure>\n")
    writePathInWords(into: &markup)
    markup.raw("</section>\n")
  }

  /// Writes the forecast's course against the truth.
  private func writeForecast(into markup: inout Markup) {
    markup.raw("<section>\n<h2>How well it was foreseen</h2>\n")
    defer { markup.raw("</section>\n") }
    guard !report.forecasts.isEmpty, facts.times.end > 0 else {
      markup.raw("<p class=\"note\">Nothing was told of this run while it went on.</p>\n")
      return
    }
    let pictures = ForecastPictures(facts.course, times: facts.times)
    markup.raw("<div class=\"pair\">\n<figure>\n<h3>Predicted end</h3>\n")
    if pictures.hasEnds {
      pictures.writeEnds(into: &markup, description: descriptionOfEnds)
      markup.raw("<figcaption>")
      writeKeys(
        [("told", "median"), ("band", "80\u{a0}% range")]
          + (facts.times.total == nil ? [] : [("truth", "true end")]) + [("now", "now")],
        into: &markup)
      if pictures.isCut {
        markup.raw("<p class=\"note\">The range goes on above the picture.</p>")
      }
      markup.raw("</figcaption>\n")
    } else {
      markup.raw("<p class=\"note\">No end was told: nothing was known of these tasks.</p>\n")
    }
    markup.raw("</figure>\n<figure>\n<h3>Shown fraction</h3>\n")
    pictures.writeFractions(into: &markup, description: descriptionOfFractions)
    markup.raw("<figcaption>")
    writeKeys(
      [("told", "shown")] + (facts.times.total == nil ? [] : [("truth", "truth")]),
      into: &markup)
    markup.raw("</figcaption>\n</figure>\n</div>\n")
  }

  /// Writes what the lines of a picture stand for.
  private func writeKeys(_ keys: [(style: String, words: String)], into markup: inout Markup) {
    markup.raw("<ul class=\"legend\">")
    for key in keys {
      let shape =
        key.style == "band"
        ? "<rect class=\"band\" width=\"22\" height=\"10\" y=\"1\"/>"
        : "<path class=\"\(key.style)\" d=\"M0 6H22\"/>"
      markup.raw("<li><svg width=\"22\" height=\"12\" aria-hidden=\"true\">\(shape)</svg> ")
      markup.text(key.words)
      markup.raw("</li>")
    }
    markup.raw("</ul>")
  }
}
