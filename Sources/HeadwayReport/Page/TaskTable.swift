internal import HeadwayRun
internal import HeadwayText

/// The table of the tasks of a run.
struct TaskTable {
  /// The maximum number of rows.
  static let maxRows = 1000

  private let tasks: [TaskIdentity]
  private let records: [TaskRecord]
  private let hosts: [Int: String]
  private let times: RunTimes
  /// The tasks on the critical path.
  private let critical: Set<Int>
  /// The listed tasks, the longest first.
  let listed: [Int]
  /// Whether it is known of any task what it used.
  private var hasUsage: Bool { records.contains { $0.usage != nil } }

  /// Chooses the tasks to list: those that failed, up to the limit, and the longest of the others.
  ///
  /// - Complexity: O(n log n) for n tasks.
  init(_ report: RunReport, facts: RunFacts) {
    tasks = report.tasks
    records = report.records
    hosts = report.hosts
    times = facts.times
    critical = facts.path.tasks
    let times = facts.times
    let byLength = times.longestFirst(tasks.indices)
    guard tasks.count > Self.maxRows else {
      listed = byLength
      return
    }
    let records = report.records
    let failed = byLength.filter { records[$0].outcome?.isFailure == true }.prefix(Self.maxRows)
    let others = byLength.lazy.filter { records[$0].outcome?.isFailure != true }
    let chosen = Array(failed) + Array(others.prefix(Self.maxRows - failed.count))
    listed = times.longestFirst(chosen)
  }

  /// The difference between the actual and the expected duration; nil for a task that did not succeed.
  func difference(of index: Int) -> Double? {
    guard records[index].outcome == .succeeded, times.isTimed[index] else { return nil }
    return records[index].expected.map { times.ran(index) - $0.reportSeconds }
  }

  func write(into markup: inout Markup) {
    markup.raw(
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"tasks\" tabindex=\"0\">\n<table>\n")
    markup.element("caption", text: caption)
    markup.raw("\n<thead><tr>")
    let hasUsage = hasUsage
    let columns =
      [
        ("text", "Task"), ("text", "State"), ("number", "Began"), ("number", "Took"),
        ("number", "Expected"), ("number", "Difference"),
      ] + (hasUsage ? [("number", "CPU time"), ("number", "Memory")] : [])
      + [("number", "Attempts")]
    for (sort, name) in columns {
      let isSorted = name == "Took" ? " aria-sort=\"descending\"" : ""
      markup.element("th", "scope=\"col\" data-sort=\"\(sort)\"\(isSorted)", text: name)
    }
    markup.raw("</tr></thead>\n<tbody>\n")
    for index in listed { writeRow(index, hasUsage: hasUsage, into: &markup) }
    markup.raw("</tbody>\n</table>\n</div>\n")
  }

  private var caption: String {
    if listed.count == tasks.count { return "All tasks, the longest first." }
    let hasFailures = records.contains { $0.outcome?.isFailure == true }
    return "The \(grouped(listed.count)) longest of \(counted(tasks.count, "task"))"
      + "\(hasFailures ? ", with all that failed" : "")."
  }

  private func writeRow(_ index: Int, hasUsage: Bool, into markup: inout Markup) {
    let task = records[index]
    let style = OutcomeStyle(task)
    let isTimed = times.isTimed[index]
    markup.raw("<tr id=\"task-\(index)\"><th scope=\"row\"><bdi>")
    markup.name(tasks[index].name)
    markup.raw("</bdi>")
    if critical.contains(index) { markup.raw(" <span class=\"tag\">critical</span>") }
    if task.isReadyService {
      let time = DurationText.measured(times.ran(index))
      markup.raw(" <span class=\"kind\">service, ready after \(time)</span>")
    } else if task.role == .service {
      markup.raw(" <span class=\"kind\">service</span>")
    }
    if !tasks[index].kind.isEmpty { write(kind: tasks[index].kind, into: &markup) }
    if let host = hosts[index] { write(kind: "on \(host)", into: &markup) }
    markup.raw("</th><td class=\"state \(style.name)\">")
    if let mark = style.mark { markup.element("span", "aria-hidden=\"true\"", text: mark) }
    markup.raw(" \(style.words)</td>")
    writeTime(isTimed ? times.begins[index] : nil, into: &markup)
    writeTime(isTimed && !task.tookNothing ? times.ran(index) : nil, into: &markup)
    writeTime(task.expected?.reportSeconds, into: &markup)
    if let difference = difference(of: index) {
      // Highlights a task that took half as long again, unless it is very short.
      let ran = times.ran(index)
      let isSlow = difference > 0.1 && difference > 0.5 * (ran - difference)
      markup.raw(isSlow ? "<td class=\"slow\" data-v=\"" : "<td data-v=\"")
      writeMicroseconds(difference, into: &markup)
      markup.raw("\">\(DurationText.difference(difference))</td>")
    } else {
      writeTime(nil, into: &markup)
    }
    if hasUsage {
      writeTime(task.usage?.cpuTime.reportSeconds, into: &markup)
      if let memory = task.usage?.peakMemory {
        markup.raw("<td data-v=\"\(memory)\">\(byteCount(memory))</td>")
      } else {
        writeTime(nil, into: &markup)
      }
    }
    markup.raw("<td data-v=\"\(task.attempts)\">\(grouped(task.attempts))</td></tr>\n")
  }

  private func write(kind: String, into markup: inout Markup) {
    markup.raw(" <bdi class=\"kind\">")
    markup.name(kind)
    markup.raw("</bdi>")
  }

  /// Writes a cell with a time and the number that sorts it, or with a dash.
  private func writeTime(_ seconds: Double?, into markup: inout Markup) {
    guard let seconds else { return markup.raw("<td>–</td>") }
    markup.raw("<td data-v=\"")
    writeMicroseconds(seconds, into: &markup)
    markup.raw("\">")
    markup.text(DurationText.measured(seconds))
    markup.raw("</td>")
  }

  private func writeMicroseconds(_ seconds: Double, into markup: inout Markup) {
    let size = Int(min(seconds.magnitude * 1e6, 1e18) + 0.5)
    markup.raw(seconds < 0 ? "-\(size)" : "\(size)")
  }
}
