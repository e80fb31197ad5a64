internal import HeadwayRun

extension ReportPage {
  /// A fact of the run.
  struct Fact: Equatable {
    /// What it is.
    var name: String
    /// Its number.
    var value: String
    /// What is to be known of it.
    var note = ""
  }

  /// The facts, the most asked for first.
  var factList: [Fact] {
    [duration, prediction, tasks, concurrency, criticalPath] + quality
  }

  /// How long the run took.
  private var duration: Fact {
    let time = TimeText.measured(facts.times.end)
    guard facts.times.total == nil else { return Fact(name: "Took", value: time) }
    return Fact(name: "Ran for at least", value: time, note: "until the last that is known of it")
  }

  /// What was predicted first, beside what came.
  private var prediction: Fact {
    guard let first = facts.course.first else {
      return Fact(name: "Predicted", value: "–", note: "nothing was known beforehand")
    }
    let end = first.end
    let range = "\(TimeText.measured(end.low)) to \(TimeText.measured(end.high))"
    let isEarly = first.at <= 0.02 * facts.times.end
    let name = isEarly ? "Predicted at first" : "Predicted after \(TimeText.measured(first.at))"
    var note = "80\u{a0}% range \(range)"
    if let total = facts.times.total, report.outcome == .succeeded, end.median > 0 {
      let size = TimeText.measured((total - end.median).magnitude)
      note += "; it took \(size) \(total < end.median ? "less" : "more")"
    }
    return Fact(name: name, value: TimeText.measured(end.median), note: note)
  }

  /// How many tasks there were, and how they ended.
  private var tasks: Fact {
    let counts = facts.counts.map { "\(TimeText.count($0.count))\u{a0}\($0.style.words)" }
    return Fact(
      name: "Tasks", value: TimeText.count(report.tasks.count),
      note: counts.joined(separator: ", "))
  }

  /// How much ran at once.
  private var concurrency: Fact {
    var note = "\(TimeText.measured(facts.work)) of work"
    if let busy = facts.busyWorkers, let part = facts.parallelism {
      let all = TimeText.count(facts.workers)
      note += "; \(TimeText.tenths(busy)) of \(all) busy on average (\(TimeText.percent(part)))"
    }
    return Fact(name: "Workers", value: TimeText.count(facts.workers), note: note)
  }

  /// What the run waited for.
  private var criticalPath: Fact {
    guard !facts.path.steps.isEmpty else { return Fact(name: "Critical path", value: "–") }
    var note = "\(TimeText.measured(facts.path.work)) of work"
    if facts.path.waited > 0 {
      note += ", \(TimeText.measured(facts.path.waited)) waiting for a worker"
    }
    return Fact(
      name: "Critical path", value: TimeText.counted(facts.path.steps.count, "task"), note: note)
  }

  /// How good the forecast was, where that can be said.
  private var quality: [Fact] {
    var list: [Fact] = []
    let early = "; no forecast knows of an early end"
    let caveat = report.outcome == .succeeded ? "" : early
    if let error = facts.meanError {
      list.append(
        Fact(
          name: "Forecast error", value: TimeText.percent(error),
          note: "the shown fraction against the time, on average\(caveat)"))
    }
    // A run that was cut short proves no forecast wrong.
    if report.outcome == .succeeded, let inside = facts.partInside {
      list.append(
        Fact(
          name: "Range held the end", value: TimeText.percent(inside),
          note: "of the time; 80\u{a0}% is the aim"))
    }
    return list
  }

  /// What the picture of the tasks shows, in words.
  func description(of picture: GanttPicture) -> String {
    let timed = facts.times.isTimed.count { $0 }
    var text = "\(TimeText.counted(timed, "task")) over \(TimeText.measured(facts.times.span))"
    if case .lanes = picture.layout.form { text += ", side by side on lanes" }
    if !facts.path.steps.isEmpty {
      text += ". The critical path has \(TimeText.counted(facts.path.steps.count, "task"))"
    }
    return text + ". The table below tells the same."
  }

  /// What a reader has to know of how the picture was drawn.
  func note(on layout: GanttLayout) -> String {
    var notes: [String] = []
    switch layout.form {
    case .tasks:
      if report.tasks.contains(where: { $0.expected != nil }) {
        notes.append("The small line at a task is where it was expected to end.")
      }
    case .lanes(let perRow):
      notes.append(
        perRow == 1
          ? "A lane holds tasks that did not run at once; lanes are no particular workers."
          : "Each row stands for \(perRow) lanes of tasks that did not run at once.")
    }
    if layout.mergedCount > 0 {
      notes.append(
        "\(TimeText.counted(layout.mergedCount, "shorter task")) are drawn together in grey: "
          + "the stronger, the fuller.")
    }
    let skipped = facts.times.isTimed.count { !$0 }
    if skipped > 0 {
      notes.append(
        skipped == 1
          ? "One task without a time is not drawn."
          : "\(TimeText.count(skipped)) tasks without a time are not drawn.")
    }
    notes.append("Point at a bar for its numbers.")
    return notes.joined(separator: " ")
  }

  /// Writes what the looks of bars and lines stand for, those that are there.
  func writeLegend(of layout: GanttLayout, into markup: inout Markup) {
    let drawn = Set(layout.bars.map { report.tasks[$0.task].outcome })
    markup.raw("<ul class=\"legend\">")
    func key(_ style: String, _ shape: String, _ words: String) {
      markup.raw("<li><svg width=\"22\" height=\"12\" aria-hidden=\"true\"><g class=\"\(style)\">")
      markup.raw("\(shape)</g></svg> ")
      markup.text(words)
      markup.raw("</li>")
    }
    let bar = "<rect width=\"22\" height=\"12\" rx=\"2\"/>"
    if !facts.path.steps.isEmpty { key("bar succeeded critical", bar, "critical path") }
    for outcome in OutcomeStyle.order where drawn.contains(outcome) {
      let style = OutcomeStyle(outcome)
      key("bar \(style.name)", bar, style.words)
    }
    if layout.mergedCount > 0 {
      key("density d3", "<path d=\"M0 0H22V12H0z\"/>", "many short tasks")
    }
    if facts.path.waited > 0 {
      key("wait", "<path class=\"gap\" d=\"M0 6H22\"/>", "waited for a worker")
    }
    markup.raw("</ul>\n")
  }

  /// Writes the critical path as a list.
  func writePathInWords(into markup: inout Markup) {
    let steps = facts.path.steps
    guard !steps.isEmpty else { return }
    var shown = Set(steps.indices)
    if steps.count > Self.mostSteps {
      let longest = steps.indices.sorted {
        (length(of: steps[$1]), $0) < (length(of: steps[$0]), $1)
      }
      shown = Set(longest.prefix(Self.mostSteps))
    }
    markup.raw("<details>\n<summary>The critical path in words</summary>\n")
    if steps.count > shown.count {
      markup.element(
        "p", "class=\"note\"",
        text: "The \(shown.count) longest of \(TimeText.counted(steps.count, "task")).")
    }
    markup.raw("<ol>\n")
    for (index, step) in steps.enumerated() where shown.contains(index) {
      markup.raw("<li value=\"\(index + 1)\"><bdi>")
      markup.name(report.tasks[step.task].name)
      markup.raw("</bdi> ")
      var words = "took \(TimeText.measured(facts.times.ran(step.task)))"
      if TimeText.measured(step.waited) != "0s" {
        words += ", after waiting \(TimeText.measured(step.waited)) for a worker"
      }
      markup.element("span", text: words)
      markup.raw("</li>\n")
    }
    markup.raw("</ol>\n</details>\n")
  }

  /// How long a step kept the run.
  private func length(of step: RunPath.Step) -> Double {
    facts.times.ran(step.task) + step.waited
  }

  /// What the picture of the ends shows, in words.
  var descriptionOfEnds: String {
    guard let first = facts.course.first else { return "No end was told." }
    var text = "At first \(TimeText.measured(first.end.median)) was predicted"
    if let total = facts.times.total { text += "; the run took \(TimeText.measured(total))" }
    return text + "."
  }

  /// What the picture of the fraction shows, in words.
  var descriptionOfFractions: String {
    guard let error = facts.meanError else { return "How the shown fraction grew with time." }
    return "How the shown fraction grew with time; off by \(TimeText.percent(error)) on average."
  }
}
