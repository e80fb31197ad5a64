internal import Glibc
internal import HeadwayRun
internal import HeadwayStore
internal import HeadwayTerminal
internal import HeadwayText

/// The history in words: tables for people.
enum HistoryText {
  /// The runs that are listed; more are counted.
  private static let mostRuns = 20

  /// All plans of a history.
  static func list(_ summary: HistorySummary, path: String) -> String {
    if summary.plans.isEmpty { return "no runs are kept in \(path)\n" }
    var rows = [["plan", "runs", "tasks", "records", "last run"]]
    for plan in summary.plans {
      rows.append([
        plain(plan.name), "\(plan.runs)", "\(plan.tasks)", "\(plan.records)", moment(plan.last),
      ])
    }
    let kilobytes = (summary.bytes + 1023) / 1024
    return table(rows, numbers: 1...3) + "\(kilobytes) kB in \(path)\n"
  }

  /// The runs and tasks of a plan.
  static func plan(_ history: PlanHistory, path: String) -> String {
    let name = plain(history.plan)
    if history.runs.isEmpty { return "no runs of \(name) are kept in \(path)\n" }
    var text = "\(name): \(counted(history.runs.count, "run"))\n\n\(runs(history))"
    if history.runs.count > mostRuns {
      text += "and \(counted(history.runs.count - mostRuns, "earlier run"))\n"
    }
    text += "\n\(tasks(history))"
    if let line = forecasts(history) { text += "\n\(line)" }
    return text
  }

  /// A table of runs, the newest first, with the names by which they are found.
  private static func runs(_ history: PlanHistory) -> String {
    var rows = [["run", "began", "workers", "tasks", "took", "first forecast", "outcome"]]
    for run in history.runs.prefix(mostRuns) {
      let outcome =
        switch run.outcome {
        case .succeeded, .upToDate: "succeeded"
        case .failed, .timedOut: "failed"
        case .cancelled, .skipped: "cancelled"
        case nil: "no end is known"
        }
      rows.append([
        plain(run.name), moment(run.began), "\(run.workers)", "\(run.records.count)",
        run.total.map(DurationText.measured) ?? "-", firstForecast(run) ?? "-", outcome,
      ])
    }
    return table(rows, numbers: 2...5)
  }

  /// How far the first estimate of a run was off, as part of the run; nil where there was none or no end proves it.
  private static func firstForecast(_ run: PlanHistory.Run) -> String? {
    guard let error = run.forecastErrors.first, let total = run.total, total > .zero else {
      return nil
    }
    let share = percent((error.excess / total).magnitude)
    return share == "0 %" ? share : (error.excess > .zero ? "+" : "-") + share
  }

  /// A table of tasks, those that usually take longest first, with the times that they took when they succeeded.
  private static func tasks(_ history: PlanHistory) -> String {
    // A task is its name: it stays the same when its command or its kind changes.
    var names: [String] = []
    var places: [String: Int] = [:]
    let placeOfTask = history.tasks.map { task in
      if let place = places[task.name] { return place }
      places[task.name] = names.count
      names.append(task.name)
      return names.count - 1
    }
    var times = [[Duration]](repeating: [], count: names.count)
    var failures = [Int](repeating: 0, count: names.count)
    for record in history.runs.lazy.flatMap(\.records) {
      let place = placeOfTask[record.task]
      switch record.evidence {
      case .exact: if let duration = record.duration { times[place].append(duration) }
      case .atLeast: failures[place] += 1
      case .nothing: break
      }
    }
    for place in times.indices { times[place].sort() }
    let usual = times.map(median)
    // Those that never succeeded come last.
    let order = names.indices.sorted { one, two in
      let (first, second) = (usual[one] ?? .seconds(-1), usual[two] ?? .seconds(-1))
      return first == second ? one < two : first > second
    }
    var rows = [["task", "usual", "least", "most", "runs", "not ended well"]]
    for place in order {
      let shown = [usual[place], times[place].first, times[place].last]
      rows.append(
        [plain(names[place])] + shown.map { $0.map(DurationText.measured) ?? "-" }
          + ["\(times[place].count)", "\(failures[place])"])
    }
    return table(rows, numbers: 1...5)
  }

  /// The middle one of sorted times, or the mean of the two in the middle; nil where there are none.
  private static func median(_ sorted: [Duration]) -> Duration? {
    guard !sorted.isEmpty else { return nil }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// A line about earlier forecasts, nil where there were none.
  private static func forecasts(_ history: PlanHistory) -> String? {
    let errors = history.runs.flatMap { run in
      run.forecastErrors.map { error in
        (share: (error.excess / (run.total ?? .zero)).magnitude, isInside: error.isInside)
      }
    }.filter { $0.share.isFinite }
    guard !errors.isEmpty else { return nil }
    let median = errors.map(\.share).sorted()[errors.count / 2]
    let inside = errors.count { $0.isInside }
    return "forecasts: off by \(percent(median)) of the run (median of \(errors.count)); "
      + "\(percent(Double(inside) / Double(errors.count))) of their ranges held the truth\n"
  }

  /// A share in whole percent.
  private static func percent(_ share: Double) -> String {
    "\(Int(min(share, 1000) * 100 + 0.5)) %"
  }

  /// A count with its noun.
  static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// Rows in columns, numbers at their right.
  private static func table(_ rows: [[String]], numbers: ClosedRange<Int>) -> String {
    let widths = rows[0].indices.map { column in
      rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - TextWidth.columns(of: cell))
        if numbers.contains(column) { return padding + cell }
        return column == row.count - 1 ? cell : cell + padding
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }

  /// A moment in the time of this place, to the minute.
  private static func moment(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
      guard let start = room.baseAddress else { return "" }
      let size = unsafe strftime(start, 64, "%Y-%m-%d %H:%M", &parts)
      return unsafe size > 0 ? String(cString: start) : ""
    }
  }
}
