internal import HeadwayBar
public import HeadwayProgress

/// Bars that follow a progress tree.
extension LiveBars {
  /// The most nodes of a tree that have bars.
  private static let mostNodes = 64

  /// Shows a node of a progress tree and those in it until it is finished or the task is cancelled.
  ///
  /// Children that finish go without a line; the node leaves one. Its detail and, where a total is known, its counts
  /// are said beside each bar, and a node that is paused stands.
  ///
  /// - Parameter node: The node, which is not held.
  public func follow(_ node: ProgressNode) async {
    var shown = ShownTree()
    for await snapshot in node.feed(every: BarBoard.interval, limit: Self.mostNodes) {
      shown.show(snapshot, in: self)
    }
    shown.end()
  }

  /// The bars of a tree.
  private struct ShownTree {
    /// The bars, by the numbers of their nodes.
    private var bars: [UInt32: Bar] = [:]
    /// The node at the top as it was last.
    private var latest: ProgressSnapshot?

    /// Creates the bars of a tree that was not seen.
    init() {}

    /// Shows a tree as it is.
    mutating func show(_ top: ProgressSnapshot, in board: LiveBars) {
      var seen: Set<UInt32> = []
      show(top, in: nil, of: board, &seen)
      for (number, bar) in bars where !seen.contains(number) {
        bar.end(.removed)
        bars[number] = nil
      }
      latest = top
    }

    /// Shows a node and those in it.
    private mutating func show(
      _ node: ProgressSnapshot, in parent: Bar?, of board: LiveBars, _ seen: inout Set<UInt32>
    ) {
      let isTop = parent == nil
      // The top one stays until its line; others are gone when they are done.
      guard isTop || !node.isFinished else { return }
      seen.insert(node.id)
      let bar = bars[node.id] ?? parent?.add(node.label) ?? board.add(node.label)
      bars[node.id] = bar
      let counts = node.total.map { ["\(node.completed) of \($0)"] } ?? []
      bar.setFacts((node.detail.map { [$0] } ?? []) + counts)
      bar.update { model, now in
        if node.isPaused { model.pause(at: now) } else { model.resume(at: now) }
        if node.isIndeterminate, !node.isFinished {
          model.isIndeterminate = true
        } else {
          model.report(node.shownFraction, at: now)
        }
      }
      for child in node.children { show(child, in: bar, of: board, &seen) }
    }

    /// Ends the bars: with a line of the top node where it is finished.
    func end() {
      guard let latest, let top = bars[latest.id] else { return }
      let outcome: BarBoard.Outcome = latest.isCancelled ? .failed : .succeeded
      top.end(
        latest.isFinished || latest.isCancelled ? outcome : .removed,
        note: latest.isCancelled ? "cancelled" : "")
    }
  }
}
