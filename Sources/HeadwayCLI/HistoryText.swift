internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// Formats the history as tables.
enum HistoryText {
  /// The number of runs that are listed; older runs are only counted.
  private static let maxRuns = 20

  /// The plans of a history.
  static func list(_ summary: HistorySummary, path: String) -> String {
    if summary.plans.isEmpty { return "no runs in \(path)\n" }
    var rows = [["plan", "runs", "tasks", "records", "last run"]]
    for plan in summary.plans {
      rows.append([
        plan.name.sanitized, "\(plan.runs)", "\(plan.tasks)", "\(plan.records)", moment(plan.last),
      ])
    }
    let kilobytes = (summary.bytes + 1023) / 1024
    return table(rows, numbers: 1...3) + "\(kilobytes) kB in \(path)\n"
  }

  /// The runs and tasks of a plan.
  ///
  /// - Parameters:
  ///   - history: The runs.
  ///   - running: The names of those that go on.
  ///   - path: The path of the history.
  /// - Returns: The tables.
  static func plan(_ history: PlanHistory, running: Set<String>, path: String) -> String {
    let name = history.plan.sanitized
    if history.runs.isEmpty { return "no runs of \(name) in \(path)\n" }
    var text =
      "\(name): \(counted(history.runs.count, "run"))\n\n\(runs(history, running: running))"
    if history.runs.count > maxRuns {
      text += "and \(counted(history.runs.count - maxRuns, "earlier run"))\n"
    }
    text += "\n\(tasks(history))"
    if let line = forecasts(history) { text += "\n\(line)" }
    return text
  }

  /// A table of runs with their names, the newest first.
  private static func runs(_ history: PlanHistory, running: Set<String>) -> String {
    var rows = [["run", "began", "workers", "tasks", "took", "first forecast", "outcome"]]
    for run in history.runs.prefix(maxRuns) {
      rows.append([
        run.name.sanitized, moment(run.began), "\(run.workers)", "\(run.records.count)",
        run.total.map(DurationText.measured) ?? "-", firstForecast(run) ?? "-",
        run.outcomeText(isRunning: running.contains(run.name)),
      ])
    }
    return table(rows, numbers: 2...5)
  }

  /// The error of the first forecast, as a fraction of the run; nil if there was none or the run is incomplete.
  private static func firstForecast(_ run: RunRecord) -> String? {
    guard let error = run.forecastErrors.first, let total = run.total, total > .zero else {
      return nil
    }
    let share = PercentText.measured((error.excess / total).magnitude)
    return share == "0.0%" ? share : (error.excess > .zero ? "+" : "-") + share
  }

  /// A table of tasks with the durations of their successful attempts, the usual time of processors and the most memory that
  /// they used, the longest first.
  private static func tasks(_ history: PlanHistory) -> String {
    // Tasks with the same name are one task, even if the command or the kind has changed.
    var names: [String] = []
    var indices: [String: Int] = [:]
    let indexOfTask = history.tasks.map { task in
      if let index = indices[task.name] { return index }
      indices[task.name] = names.count
      names.append(task.name)
      return names.count - 1
    }
    var times = [[Duration]](repeating: [], count: names.count)
    var failures = [Int](repeating: 0, count: names.count)
    var processorTimes = times
    var memory = [Int](repeating: 0, count: names.count)
    for record in history.runs.lazy.flatMap(\.records) {
      let index = indexOfTask[record.index]
      switch record.observation {
      case .exact:
        if let duration = record.duration { times[index].append(duration) }
        if let usage = record.usage { processorTimes[index].append(usage.cpuTime) }
      case .censored: failures[index] += 1
      case .missing: break
      }
      memory[index] = max(memory[index], record.usage?.peakMemory ?? 0)
    }
    for index in times.indices {
      times[index].sort()
      processorTimes[index].sort()
    }
    let usual = times.map(median)
    // Tasks that never succeeded come last.
    let order = names.indices.sorted { one, two in
      let (first, second) = (usual[one] ?? .seconds(-1), usual[two] ?? .seconds(-1))
      return first == second ? one < two : first > second
    }
    var rows = [["task", "usual", "min", "max", "cpu", "memory", "runs", "failed"]]
    for index in order {
      let shown = [
        usual[index], times[index].first, times[index].last, median(processorTimes[index]),
      ]
      rows.append(
        [names[index].sanitized] + shown.map { $0.map(DurationText.measured) ?? "-" }
          + [
            memory[index] > 0 ? byteCount(memory[index]) : "-", "\(times[index].count)",
            "\(failures[index])",
          ])
    }
    return table(rows, numbers: 1...7)
  }

  /// The median of sorted durations, nil if there are none.
  private static func median(_ sorted: [Duration]) -> Duration? {
    guard !sorted.isEmpty else { return nil }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// A line about earlier forecasts, nil if there were none.
  private static func forecasts(_ history: PlanHistory) -> String? {
    let errors = history.runs.flatMap { run in
      run.forecastErrors.map { error in
        (share: (error.excess / (run.total ?? .zero)).magnitude, isInside: error.isInside)
      }
    }.filter { $0.share.isFinite }
    guard !errors.isEmpty else { return nil }
    let median = errors.map(\.share).sorted()[errors.count / 2]
    let inside = errors.count { $0.isInside }
    let coverage = PercentText.measured(Double(inside) / Double(errors.count))
    return
      "forecasts: off by \(PercentText.measured(median)) of the run (median of \(errors.count)); "
      + "the actual time was inside the predicted range \(coverage) of the time\n"
  }

  /// Aligns the cells of rows in columns, numbers to the right.
  static func table(_ rows: [[String]], numbers: ClosedRange<Int>) -> String {
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

  /// A moment in local time, to the minute.
  static func moment(_ milliseconds: Int64) -> String {
    calendarText("%Y-%m-%d %H:%M", seconds: milliseconds / 1000, isLocal: true)
  }
}
