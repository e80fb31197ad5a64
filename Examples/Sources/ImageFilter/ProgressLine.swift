import Console
import HeadwayProgress

/// Shows a node on the error output: as a bar in a terminal, and elsewhere as a plain line now and then.
struct ProgressLine: Sendable {
  /// How long nothing is shown: what is done by then needs no bar.
  private static let patience = Duration.milliseconds(200)
  /// The least time between two drawings in a terminal.
  private static let frame = Duration.milliseconds(50)
  /// The least time between two plain lines.
  private static let pause = Duration.seconds(2)

  /// Where the bar is drawn.
  private let row = StatusRow()

  /// Shows a node until it ends, is cancelled, or the task is.
  ///
  /// - Parameter feed: The snapshots of the node.
  func follow(_ feed: some AsyncSequence<ProgressSnapshot, Never>) async {
    // The first snapshot comes at once, and is as new as it can be then.
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

  /// A snapshot as one row of a terminal.
  private func bar(_ snapshot: ProgressSnapshot) -> String {
    let step = snapshot.deepest
    // The percentage is that of the whole, beside the bar; the counts are those of the step, beside its name.
    return row.bar(snapshot.shownFraction, "\(step.label) \(step.counts)")
  }

  /// A snapshot as a plain line.
  private func words(_ snapshot: ProgressSnapshot) -> String {
    let step = snapshot.deepest
    return "\(Int(snapshot.shownFraction * 100))% \(step.label): \(step.counts)"
  }
}

extension ProgressSnapshot {
  /// The step at work: the first of the children that have not finished, and of theirs.
  var deepest: ProgressSnapshot { children.first?.deepest ?? self }

  /// The counts in words; nothing for what has no name or no total.
  var counts: String {
    guard !label.isEmpty, let total else { return "" }
    return "\(completed) of \(total)"
  }
}
