package import HeadwayRun
package import HeadwayTerminal

/// A table of the tasks of a run that goes on, has ended or has died.
package enum TaskTable {
  /// Formats a table.
  ///
  /// - Parameters:
  ///   - state: The run.
  ///   - description: Its names, durations, dependencies and logs.
  ///   - now: The time of the run, nil once it is over.
  ///   - style: What the output can show.
  ///   - columns: The maximum number of columns, nil for no limit.
  ///   - listsAll: Whether all tasks of a large run are listed, not only those that run or did not succeed.
  ///   - chosen: The tasks to list, nil for all that `listsAll` says.
  /// - Returns: The lines in UTF-8, safe to show and each with its end.
  /// - Complexity: O(tasks).
  package static func lines(
    _ state: RunState, _ description: RunDescription, at now: Duration?, style: TerminalStyle,
    columns: Int?, listsAll: Bool, chosen: [TaskID]? = nil
  ) -> [UInt8] {
    var table = ResultTable(
      description: description, style: style, columns: columns, predicted: nil)
    table.stage = now.map { .running($0) } ?? (state.total == nil ? .died : .ended)
    table.listsAll = listsAll
    table.chosen = chosen
    var bytes: [UInt8] = []
    Row.print(table.taskRows(state), color: style.color, into: &bytes)
    return bytes
  }
}
