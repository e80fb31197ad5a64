internal import HeadwayProgress
internal import HeadwayRun
package import HeadwayTerminal
internal import HeadwayText

/// Formats published work as a table: a line for each with its ID, title, percentage, remaining time, and what runs in it.
package enum WatchTable {
  /// The words if there is no published work.
  package static let nothing = "nothing is running; published work appears here"
  /// The most parts of work that are named.
  private static let namedParts = 4

  /// Formats a table.
  ///
  /// - Parameters:
  ///   - works: The published work.
  ///   - style: What the output can show; colors are not used.
  /// - Returns: The lines, safe to show and each with its end; one that says so if there is no work.
  /// - Complexity: O(works).
  package static func text(_ works: [WatchedWork], style: TerminalStyle) -> String {
    guard !works.isEmpty else { return "\(nothing)\n" }
    let rows = works.sorted { WatchedWork.precedes($0.id, $1.id) }.map { cells($0, style) }
    let widths = rows[0].indices.map { column in
      rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      // A column without any text takes no room.
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        let padding = String(repeating: " ", count: widths[column] - TextWidth.columns(of: cell))
        // The percentage is a number.
        line += (column == 0 ? "" : "  ") + (column == 2 ? padding + cell : cell + padding)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  /// The cells of a row.
  private static func cells(_ work: WatchedWork, _ style: TerminalStyle) -> [String] {
    let tree = work.snapshot
    let percent = tree.isIndeterminate ? "-" : PercentText.whole(tree.shownFraction)
    let parts = tree.children.filter { !$0.isFinished }.map { TaskOutputText.line($0.label) }
      .filter { !$0.isEmpty }
    var words = parts.prefix(namedParts).joined(separator: ", ")
    if parts.count > namedParts {
      words += ", \(style.marks.ellipsis) and \(parts.count - namedParts) more"
    }
    if parts.isEmpty { words = TaskOutputText.line(tree.detail ?? "") }
    return [
      TaskOutputText.line(work.id), work.title, percent,
      state(work, style, isLong: true) ?? "", words,
    ]
  }

  /// What is said about the time of work: its state if that is special, otherwise the remaining time.
  ///
  /// - Returns: The words, nil if there is nothing to say.
  static func state(_ work: WatchedWork, _ style: TerminalStyle, isLong: Bool) -> String? {
    if work.snapshot.isCancelled { return "cancelling" }
    if work.snapshot.isPaused { return "paused" }
    guard work.remaining != .unknown else { return nil }
    return isLong
      ? RemainingText.long(work.remaining, dash: style.dash)
      : RemainingText.short(work.remaining, dash: style.dash)
  }
}
