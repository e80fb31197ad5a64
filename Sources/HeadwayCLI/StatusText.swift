internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwayTerminal
internal import HeadwayText
internal import HeadwayView

/// Formats a run with its tasks.
struct StatusText {
  /// The run.
  let listed: ListedRun
  /// Its names, durations, dependencies and logs.
  let description: RunDescription
  /// What the output can show.
  let style: TerminalStyle
  /// The tasks that were named, nil for all.
  var chosen: [TaskID]?

  /// A line about the run, and a table of its tasks.
  ///
  /// - Parameters:
  ///   - columns: The maximum number of columns of the table, nil for no limit.
  ///   - listsAll: Whether all tasks of a large run are listed.
  /// - Returns: The lines.
  func text(columns: Int?, listsAll: Bool) -> String {
    let reasons = WaitReasons(description, listed.run.state)
    let table = TaskTable.lines(
      listed.run.state, description, at: listed.run.isOver ? nil : listed.elapsed, style: style,
      columns: columns, listsAll: listsAll, chosen: shownTasks(reasons))
    return heading + "\n" + (table.isEmpty ? "" : "\n" + String(decoding: table, as: UTF8.self))
  }

  /// A line about the run: `release 20261121-101500-4711: running · 46% · about 2 min left · 5 of 11 tasks · 1m02s`.
  private var heading: String {
    let run = listed.run
    var facts = [run.stateText]
    if let forecast = run.currentForecast {
      facts.append(PercentText.whole(forecast.fraction))
      // How long it is held depends on a person.
      if run.state.heldBy == nil {
        facts.append(RemainingText.long(forecast.shown, dash: style.dash))
      }
    }
    if let task = run.state.heldBy {
      facts.append("after the failure of \(description.names[task.index])")
    }
    let counts = run.state.counts
    facts.append(
      run.hasEnded ? counts.words : "\(counts.ended) of \(counted(run.state.tasks.count, "task"))")
    let verb = run.hasEnded ? "" : "for "
    let time =
      run.hasEnded ? DurationText.measured(listed.elapsed) : DurationText.whole(listed.elapsed)
    facts += ["\(verb)\(time)", "began \(HistoryText.moment(run.header.began))"]
    let words = facts.filter { !$0.isEmpty }.joined(separator: style.marks.separator)
    return "\(run.header.plan) \(run.header.run): \(words)".sanitized
  }

  /// The tasks that were named and all that they wait for, directly or through others, in the order of the plan; nil for all tasks.
  private func shownTasks(_ reasons: WaitReasons) -> [TaskID]? {
    guard let chosen else { return nil }
    var found = Set(chosen)
    var stack = listed.run.isOver ? [] : chosen
    while let task = stack.popLast() {
      guard case .tasks(let open) = reasons.reason(of: task) else { continue }
      stack += open.filter { found.insert($0).inserted }
    }
    return found.sorted()
  }

  /// A line of JSON for the run, and one for each task.
  var json: String {
    let run = listed.run
    var line = JSONLine(names: description.names)
    let reasons = WaitReasons(description, run.state)
    for task in shownTasks(reasons) ?? run.state.tasks.indices.map({ TaskID($0) }) {
      let index = task.index
      line.begin()
      line.add(.task, text: description.names[index])
      line.add(.id, number: index)
      run.state.tasks[index].write(to: &line)
      if run.header.tasks[index].isOptional { line.add(.optional, flag: true) }
      if let usual = run.header.tasks[index].usual { line.add(.usual, seconds: usual) }
      let after = run.header.tasks[index].after
      if !after.isEmpty { line.add(.after, texts: after.map { description.names[$0] }) }
      if !run.isOver, let reason = reasons.reason(of: task) {
        line.add(.reason, text: reasons.words(reason))
      }
      if let log = description.logPath(task) { line.add(.log, text: log) }
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    return RunsText.json(listed) + String(decoding: line.bytes, as: UTF8.self)
  }
}

extension ListedRun {
  /// The description of the run for a display.
  ///
  /// - Parameters:
  ///   - stateFolder: The path of the state folder.
  ///   - output: How the output of tasks is shown.
  ///   - screen: The descriptor on which it is shown.
  /// - Returns: The description.
  /// - Throws: `StateError.folder` if the state folder cannot be used.
  func description(
    stateFolder: String, output: OutputOptions = OutputOptions(), screen: Int32
  ) throws(StateError) -> RunDescription {
    var description = RunDescription(
      run.header, logs: try RunLogs(of: run.header.record, in: stateFolder), output: output,
      screen: screen)
    description.after = run.header.tasks.map(\.after)
    return description
  }
}
