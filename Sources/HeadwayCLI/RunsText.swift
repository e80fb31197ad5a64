internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayText
internal import HeadwayView

/// Formats runs as a table, and as lines of JSON.
struct RunsText {
  /// The columns of a bar.
  private static let barWidth = 20

  /// What the output can show; colors are not used.
  let style: TerminalStyle

  /// A table of runs: those that go on first, with their forecasts.
  func table(_ runs: [ListedRun]) -> String {
    let isRunning = runs.contains { $0.run.currentForecast != nil }
    var heading = ["run", "plan", "state", "took", "began"]
    if isRunning { heading += ["progress", "remaining"] }
    var rows = [heading + ["tasks"]]
    for listed in runs {
      let run = listed.run
      var row = [
        (listed.isPart ? "  " : "") + run.header.run.sanitized, run.header.plan.sanitized,
        run.stateText,
        time(listed), HistoryText.moment(run.header.began),
      ]
      if isRunning { row += progress(run) }
      rows.append(row + [tasks(run)])
    }
    return HistoryText.table(rows, numbers: 3...3)
  }

  /// How long a run has taken: exactly once it has ended.
  private func time(_ listed: ListedRun) -> String {
    listed.run.hasEnded ? DurationText.measured(listed.elapsed) : DurationText.whole(listed.elapsed)
  }

  /// The bar with the percentage, and the remaining time of a run that goes on.
  private func progress(_ run: StoredRun) -> [String] {
    guard let forecast = run.currentForecast else { return ["", ""] }
    let bar = CellBar(.line, style: style)
    return [
      "\(bar.text(fraction: forecast.fraction, columns: Self.barWidth)) "
        + PercentText.whole(forecast.fraction),
      // How long it is held depends on a person.
      run.state.heldBy == nil ? RemainingText.long(forecast.shown, dash: style.dash) : "",
    ]
  }

  /// How many tasks have ended, and how.
  private func tasks(_ run: StoredRun) -> String {
    let counts = run.state.counts
    if run.hasEnded { return counts.words.isEmpty ? "none" : counts.words }
    let words = "\(counts.ended) of \(grouped(run.state.tasks.count))"
    return counts.words.isEmpty ? words : "\(words): \(counts.words)"
  }

  /// What is known of a run, as a line of JSON.
  static func json(_ listed: ListedRun) -> String {
    let run = listed.run
    var line = JSONLine(names: [])
    line.begin()
    line.add(named: "run", text: run.header.run)
    line.add(.plan, text: run.header.plan)
    if let file = run.header.invocation.file { line.add(named: "file", text: file) }
    if let outer = listed.folder.outer { line.add(named: "outer", text: outer) }
    line.add(named: "state", text: run.stateText)
    line.add(named: "began", number: Int(run.header.began))
    line.add(.elapsed, seconds: listed.elapsed)
    line.add(.workers, number: run.header.workers)
    line.add(.tasks, number: run.state.tasks.count)
    run.state.counts.write(to: &line)
    run.currentForecast?.write(to: &line)
    line.end()
    line.bytes.append(UInt8(ascii: "\n"))
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

/// A run in a list.
struct ListedRun {
  /// The run.
  let run: StoredRun
  /// Its folder.
  let folder: RunFolder
  /// How long it has taken, without pauses.
  let elapsed: Duration
  /// Whether it is inside of the run above it in the list.
  var isPart = false

  /// Reads a run.
  ///
  /// - Throws: `StateError` if it cannot be read.
  init(_ folder: RunFolder) throws(StateError) { try self.init(folder, folder.header()) }

  /// Reads a run whose header was read.
  ///
  /// - Throws: `StateError` if it cannot be read.
  init(_ folder: RunFolder, _ header: RunHeader) throws(StateError) {
    self.folder = folder
    run = try folder.read(header)
    elapsed = run.elapsed(lastWritten: folder.lastWritten, now: currentMilliseconds())
  }
}
