internal import HeadwayRun
internal import HeadwayText

extension ReportPage {
  /// A number in the heading.
  struct Fact: Equatable {
    var name: String
    var value: String
    var note = ""
  }

  /// The facts, the most important first.
  var factList: [Fact] {
    [duration, prediction, tasks, concurrency, criticalPath] + quality
  }

  private var duration: Fact {
    let time = DurationText.measured(facts.times.end)
    guard facts.times.total == nil else { return Fact(name: "Took", value: time) }
    return Fact(name: "Ran for at least", value: time, note: "it is running, or was killed")
  }

  /// The first prediction, compared with the actual duration.
  private var prediction: Fact {
    guard let first = facts.course.first else {
      return Fact(name: "Predicted", value: "–", note: "no history")
    }
    let end = first.end
    let range = "\(DurationText.measured(end.low)) to \(DurationText.measured(end.high))"
    let isEarly = first.at <= 0.02 * facts.times.end
    let name = isEarly ? "Predicted at first" : "Predicted after \(DurationText.measured(first.at))"
    var note = "80% range \(range)"
    if let total = facts.times.total, report.run.outcome == .succeeded, end.median > 0 {
      let size = DurationText.measured((total - end.median).magnitude)
      note += "; it took \(size) \(total < end.median ? "less" : "more")"
    }
    return Fact(name: name, value: DurationText.measured(end.median), note: note)
  }

  private var tasks: Fact {
    let counts = facts.counts.map { "\(grouped($0.count)) \($0.style.words)" }
    return Fact(
      name: "Tasks", value: grouped(report.records.count { !$0.isUnneeded }),
      note: counts.joined(separator: ", "))
  }

  private var concurrency: Fact {
    var note = "\(DurationText.measured(facts.work)) of work"
    if let busy = facts.busyWorkers, let part = facts.utilization {
      let all = grouped(facts.workers)
      note += "; \(tenths(busy)) of \(all) busy on average (\(PercentText.measured(part)))"
    }
    return Fact(name: "Workers", value: grouped(facts.workers), note: note)
  }

  private var criticalPath: Fact {
    guard !facts.path.steps.isEmpty else { return Fact(name: "Critical path", value: "–") }
    var note = "\(DurationText.measured(facts.path.work)) of work"
    if facts.path.waited > 0 {
      note += ", \(DurationText.measured(facts.path.waited)) waiting for a worker"
    }
    return Fact(
      name: "Critical path", value: counted(facts.path.steps.count, "task"), note: note)
  }

  /// The accuracy of the forecast, if it is known.
  private var quality: [Fact] {
    var list: [Fact] = []
    let early = "; a forecast cannot know of an early end"
    let caveat = report.run.outcome == .succeeded ? "" : early
    if let error = facts.meanError {
      list.append(
        Fact(
          name: "Forecast error", value: PercentText.measured(error),
          note: "mean difference between progress shown and time elapsed\(caveat)"))
    }
    // A run that was cut short proves no forecast wrong.
    if report.run.outcome == .succeeded, let coverage = facts.coverage {
      list.append(
        Fact(
          name: "Interval coverage", value: PercentText.measured(coverage),
          note: "of the time, the actual end was inside the predicted range; the goal is 80%"))
    }
    return list
  }

  /// Describes the timeline.
  func description(of picture: GanttPicture) -> String {
    let timed = facts.times.isTimed.count { $0 }
    var text = "\(counted(timed, "task")) over \(DurationText.measured(facts.times.span))"
    if case .lanes = picture.layout.form { text += ", side by side on lanes" }
    if !facts.path.steps.isEmpty {
      text += ". The critical path has \(counted(facts.path.steps.count, "task"))"
    }
    return text + ". The table below has the same data."
  }

  /// Explains how to read the timeline.
  func note(on layout: GanttLayout) -> String {
    var notes: [String] = []
    switch layout.form {
    case .tasks:
      if report.records.contains(where: { $0.expected != nil }) {
        notes.append("The small line at a task marks its expected end.")
      }
    case .lanes(let perRow):
      notes.append(
        perRow == 1
          ? "The tasks on a lane did not run at the same time; lanes are not workers."
          : "Each row combines \(perRow) lanes of tasks that did not run at the same time.")
    }
    if layout.mergedCount > 0 {
      notes.append(
        "\(counted(layout.mergedCount, "shorter task")) \(layout.mergedCount == 1 ? "is" : "are") "
          + "merged in gray: the darker, the more tasks ran.")
    }
    let skipped = facts.times.isTimed.count { !$0 }
    if skipped > 0 {
      notes.append(
        skipped == 1
          ? "1 task without a time is not drawn."
          : "\(counted(skipped, "task")) without a time are not drawn.")
    }
    notes.append("Hover over a bar for details.")
    return notes.joined(separator: " ")
  }

  /// Writes the legend of the bars and lines that occur.
  func writeLegend(of layout: GanttLayout, into markup: inout Markup) {
    let drawn = Set(layout.bars.map { report.records[$0.task].outcome })
    markup.raw("<ul class=\"legend\">")
    func key(_ style: String, _ shape: String, _ words: String) {
      markup.key("<g class=\"\(style)\">\(shape)</g>", words)
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
    if steps.count > Self.maxSteps {
      let longest = steps.indices.sorted {
        (length(of: steps[$1]), $0) < (length(of: steps[$0]), $1)
      }
      shown = Set(longest.prefix(Self.maxSteps))
    }
    markup.raw("<details>\n<summary>The critical path as a list</summary>\n")
    if steps.count > shown.count {
      markup.element(
        "p", "class=\"note\"",
        text: "The \(shown.count) longest of \(counted(steps.count, "task")).")
    }
    markup.raw("<ol>\n")
    for (index, step) in steps.enumerated() where shown.contains(index) {
      markup.raw("<li value=\"\(index + 1)\"><bdi>")
      markup.name(report.tasks[step.task].name)
      markup.raw("</bdi> ")
      var words = "took \(DurationText.measured(facts.times.ran(step.task)))"
      if step.waited >= 0.0005 {
        words += ", after waiting \(DurationText.measured(step.waited)) for a worker"
      }
      markup.element("span", text: words)
      markup.raw("</li>\n")
    }
    markup.raw("</ol>\n</details>\n")
  }

  /// The contribution of a step to the length of the path.
  private func length(of step: RunPath.Step) -> Double {
    facts.times.ran(step.task) + step.waited
  }

  /// Describes the chart of predicted ends.
  var descriptionOfEnds: String {
    guard let first = facts.course.first else { return "No end was predicted." }
    var text = "The first prediction was \(DurationText.measured(first.end.median))"
    if let total = facts.times.total { text += "; the run took \(DurationText.measured(total))" }
    return text + "."
  }

  /// Describes the chart of the progress that was shown.
  var descriptionOfFractions: String {
    guard let error = facts.meanError else { return "The progress that was shown over time." }
    return
      "The progress that was shown over time; off by \(PercentText.measured(error)) on average."
  }
}
