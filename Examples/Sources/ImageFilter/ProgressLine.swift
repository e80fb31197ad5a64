import Console
import HeadwayProgress

/// Shows a node on standard error: as a bar in a terminal, and elsewhere as plain lines.
struct ProgressLine: Sendable {
  /// The time in which nothing is shown: shorter work needs no bar.
  private static let patience = Duration.milliseconds(200)
  /// The minimum time between two frames in a terminal.
  private static let frame = Duration.milliseconds(50)
  /// The minimum time between two plain lines.
  private static let pause = Duration.seconds(2)

  /// The row of the bar.
  private let row = StatusRow()

  /// Shows a node until it finishes or is cancelled, or the task is cancelled.
  ///
  /// - Parameter feed: The snapshots of the node.
  func follow(_ feed: some AsyncSequence<ProgressSnapshot, Never>) async {
    // The first snapshot comes at once.
    let wait = row.isLive ? Self.patience : Self.pause
    guard (try? await Task.sleep(for: wait)) != nil else { return }
    var isDrawn = false
    for await snapshot in feed {
      if snapshot.isFinished || snapshot.isCancelled { break }
      if row.isLive { row.draw(bar(snapshot)) } else { tell("\(words(snapshot))\n") }
      isDrawn = row.isLive
    }
    if isDrawn { row.clear() }
  }

  /// The snapshots of a node, as often as they are shown.
  func feed(
    of node: ProgressNode
  ) -> some AsyncSequence<ProgressSnapshot, Never> & Sendable {
    node.feed(every: row.isLive ? Self.frame : Self.pause)
  }

  /// A snapshot as a row of a terminal.
  private func bar(_ snapshot: ProgressSnapshot) -> String {
    let step = snapshot.deepest
    // The percentage is that of the whole work, and the counts are those of the current step.
    return row.bar(snapshot.shownFraction, "\(step.label) \(step.counts)")
  }

  /// A snapshot as a plain line.
  private func words(_ snapshot: ProgressSnapshot) -> String {
    let step = snapshot.deepest
    return "\(Int(snapshot.shownFraction * 100))% \(step.label): \(step.counts)"
  }
}

extension ProgressSnapshot {
  /// The current step: the first unfinished child, and of its children.
  var deepest: ProgressSnapshot { children.first?.deepest ?? self }

  /// The counts as text; empty without a name or a total.
  var counts: String {
    guard !label.isEmpty, let total else { return "" }
    return "\(completed) of \(total)"
  }
}
