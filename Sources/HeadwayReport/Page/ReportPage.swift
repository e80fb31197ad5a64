internal import HeadwayRun

/// The parts of the page, in order.
struct ReportPage {
  /// The maximum number of listed steps of the critical path: the longest.
  static let maxSteps = 100

  let report: RunReport
  let facts: RunFacts

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
    writeFailures(into: &markup)
    writeTimeline(into: &markup)
    writeForecast(into: &markup)
    markup.raw("<section>\n<h2 id=\"tasks\">Tasks</h2>\n")
    if report.tasks.isEmpty {
      markup.raw("<p class=\"note\">This run had no tasks.</p>\n")
    } else {
      TaskTable(report, facts: facts).write(into: &markup)
    }
    markup.raw("</section>\n<footer>Made by Headway. This page loads nothing.</footer>\n")
    markup.raw("</main>\n<script>\(PageStyle.script)</script>\n</body>\n</html>\n")
  }

  /// Writes the head of the document, with the content security policy and the style.
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
    markup.name(report.run.name)
    markup.raw("</title>")
    markup.raw("\n<style>\(PageStyle.sheet)</style>\n</head>\n")
  }

  private var title: String { report.run.plan.isEmpty ? "A run" : report.run.plan }

  /// Writes the name of the plan, the outcome of the run, and when it began.
  private func writeHeading(into markup: inout Markup) {
    let (style, mark): (String, String) =
      switch report.run.outcome {
      case .succeeded, .upToDate, .doneEarlier: ("succeeded", "✓")
      case .failed, .timedOut: ("failed", "✕")
      case .cancelled, .skipped: ("cancelled", "–")
      case .lost: ("lost", "?")
      case nil: ("open", "?")
      }
    let words = report.run.outcomeText(isRunning: report.isRunning)
    markup.raw("<header>\n<h1><bdi>")
    markup.name(title)
    markup.raw("</bdi> <span class=\"badge \(style)\"><span aria-hidden=\"true\">\(mark)</span>")
    markup.raw(" \(words)</span></h1>\n<p class=\"when\">")
    let moment = CalendarMoment(
      milliseconds: report.run.began, secondsFromUTC: report.secondsFromUTC)
    let exact = CalendarMoment(milliseconds: report.run.began, secondsFromUTC: 0)
    markup.raw("<time datetime=\"\(exact.day)T\(exact.time)Z\">\(moment.day) \(moment.time) ")
    markup.raw("\(moment.zone)</time>")
    if !report.run.name.isEmpty {
      markup.raw(" · run <bdi>")
      markup.name(report.run.name)
      markup.raw("</bdi>")
    }
    markup.raw("</p>\n</header>\n")
  }

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

  /// Writes the timeline with its legend.
  private func writeTimeline(into markup: inout Markup) {
    markup.raw("<section>\n<h2>Timeline</h2>\n")
    let picture = GanttPicture(report, times: facts.times, path: facts.path)
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

  /// Writes the forecasts compared with the actual times.
  private func writeForecast(into markup: inout Markup) {
    markup.raw("<section>\n<h2>Forecast accuracy</h2>\n")
    defer { markup.raw("</section>\n") }
    guard !report.run.forecasts.isEmpty, facts.times.end > 0 else {
      markup.raw("<p class=\"note\">No forecast of this run was stored.</p>\n")
      return
    }
    let pictures = ForecastPictures(facts.course, times: facts.times)
    markup.raw("<div class=\"pair\">\n<figure>\n<h3>Predicted end</h3>\n")
    if pictures.hasEnds {
      pictures.writeEnds(into: &markup, description: descriptionOfEnds)
      markup.raw("<figcaption>")
      writeKeys(
        [("told", "median"), ("band", "80% range")]
          + (facts.times.total == nil ? [] : [("truth", "actual end")]) + [("now", "now")],
        into: &markup)
      if pictures.isCut {
        markup.raw("<p class=\"note\">The range continues above the chart.</p>")
      }
      markup.raw("</figcaption>\n")
    } else {
      markup.raw(
        "<p class=\"note\">No end was predicted, because these tasks had no history.</p>\n")
    }
    markup.raw("</figure>\n<figure>\n<h3>Progress shown</h3>\n")
    pictures.writeFractions(into: &markup, description: descriptionOfFractions)
    markup.raw("<figcaption>")
    writeKeys(
      [("told", "shown")] + (facts.times.total == nil ? [] : [("truth", "time elapsed")]),
      into: &markup)
    markup.raw("</figcaption>\n</figure>\n</div>\n")
  }

  /// Writes the legend of a chart.
  private func writeKeys(_ keys: [(style: String, words: String)], into markup: inout Markup) {
    markup.raw("<ul class=\"legend\">")
    for key in keys {
      let shape =
        key.style == "band"
        ? "<rect class=\"band\" width=\"22\" height=\"10\" y=\"1\"/>"
        : "<path class=\"\(key.style)\" d=\"M0 6H22\"/>"
      markup.key(shape, key.words)
    }
    markup.raw("</ul>")
  }
}
