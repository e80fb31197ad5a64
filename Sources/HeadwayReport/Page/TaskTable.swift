internal import HeadwayRun

/// The table of the tasks of a run.
struct TaskTable {
  /// The most tasks that are listed.
  static let mostRows = 1000

  /// The tasks.
  private let tasks: [RunReport.Task]
  /// When they ran.
  private let times: RunTimes
  /// Which tasks are on the critical path.
  private let critical: Set<Int>
  /// The tasks that are listed, those that took longest first.
  let listed: [Int]

  /// Chooses the tasks that are listed: the longest, and before them those that went wrong.
  ///
  /// - Complexity: O(n log n) in tasks.
  init(_ tasks: [RunReport.Task], facts: RunFacts) {
    self.tasks = tasks
    times = facts.times
    critical = Set(facts.path.steps.map(\.task))
    let times = facts.times
    let byLength = tasks.indices.sorted { (times.ran($1), $0) < (times.ran($0), $1) }
    guard tasks.count > Self.mostRows else {
      listed = byLength
      return
    }
    let wrong = byLength.filter { Self.isWrong(tasks[$0].outcome) }.prefix(Self.mostRows)
    let others = byLength.lazy.filter { !Self.isWrong(tasks[$0].outcome) }
    let chosen = Array(wrong) + Array(others.prefix(Self.mostRows - wrong.count))
    listed = chosen.sorted { (times.ran($1), $0) < (times.ran($0), $1) }
  }

  /// Whether a task itself went wrong.
  static func isWrong(_ outcome: Outcome.Kind?) -> Bool {
    outcome == .failed || outcome == .timedOut
  }

  /// The difference from what was expected, of a task that shows how long it takes; nil for others.
  func difference(of place: Int) -> Double? {
    guard tasks[place].outcome == .succeeded, times.isTimed[place] else { return nil }
    return tasks[place].expected.map { times.ran(place) - $0.reportSeconds }
  }

  /// Writes the table.
  func write(into markup: inout Markup) {
    markup.raw(
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"tasks\" tabindex=\"0\">\n<table>\n")
    markup.element("caption", text: caption)
    markup.raw("\n<thead><tr>")
    let columns = [
      ("text", "Task"), ("text", "State"), ("number", "Began"), ("number", "Took"),
      ("number", "Expected"), ("number", "Difference"), ("number", "Attempts"),
    ]
    for (sort, name) in columns {
      let isSorted = name == "Took" ? " aria-sort=\"descending\"" : ""
      markup.element("th", "scope=\"col\" data-sort=\"\(sort)\"\(isSorted)", text: name)
    }
    markup.raw("</tr></thead>\n<tbody>\n")
    for place in listed { writeRow(place, into: &markup) }
    markup.raw("</tbody>\n</table>\n</div>\n")
  }

  /// What the table holds.
  private var caption: String {
    if listed.count == tasks.count { return "All tasks, those that took longest first." }
    let wrong = tasks.contains { Self.isWrong($0.outcome) }
    return "The \(TimeText.count(listed.count)) tasks that took longest of "
      + "\(TimeText.count(tasks.count))\(wrong ? ", and before others those that failed" : "")."
  }

  /// Writes a task.
  private func writeRow(_ place: Int, into markup: inout Markup) {
    let task = tasks[place]
    let style = OutcomeStyle(task.outcome)
    let isTimed = times.isTimed[place]
    markup.raw("<tr id=\"task-\(place)\"><th scope=\"row\"><bdi>")
    markup.name(task.name)
    markup.raw("</bdi>")
    if critical.contains(place) { markup.raw(" <span class=\"tag\">critical</span>") }
    if !task.kind.isEmpty { write(kind: task.kind, into: &markup) }
    markup.raw("</th><td class=\"state \(style.name)\">")
    if let mark = style.mark { markup.element("span", "aria-hidden=\"true\"", text: mark) }
    markup.raw(" \(style.words)</td>")
    writeTime(isTimed ? times.begins[place] : nil, into: &markup)
    writeTime(isTimed && task.outcome != .upToDate ? times.ran(place) : nil, into: &markup)
    writeTime(task.expected?.reportSeconds, into: &markup)
    if let difference = difference(of: place) {
      // Half as long again is worth a look, when it is more than a blink.
      let ran = times.ran(place)
      let isSlow = difference > 0.1 && difference > 0.5 * (ran - difference)
      markup.raw(isSlow ? "<td class=\"slow\" data-v=\"" : "<td data-v=\"")
      writeMicroseconds(difference, into: &markup)
      markup.raw("\">\(TimeText.difference(difference).replacing("<", with: "&lt;"))</td>")
    } else {
      writeTime(nil, into: &markup)
    }
    markup.raw("<td data-v=\"\(task.attempts)\">\(TimeText.count(task.attempts))</td></tr>\n")
  }

  /// Writes the kind of a task.
  private func write(kind: String, into markup: inout Markup) {
    markup.raw(" <bdi class=\"kind\">")
    markup.name(kind)
    markup.raw("</bdi>")
  }

  /// Writes a time with the number that sorts it, or that there is none.
  private func writeTime(_ seconds: Double?, into markup: inout Markup) {
    guard let seconds else { return markup.raw("<td>–</td>") }
    markup.raw("<td data-v=\"")
    writeMicroseconds(seconds, into: &markup)
    markup.raw("\">")
    markup.text(TimeText.measured(seconds))
    markup.raw("</td>")
  }

  /// Writes a time as a whole number of microseconds.
  private func writeMicroseconds(_ seconds: Double, into markup: inout Markup) {
    let size = Int(min(seconds.magnitude * 1e6, 1e18) + 0.5)
    markup.raw(seconds < 0 ? "-\(size)" : "\(size)")
  }
}
