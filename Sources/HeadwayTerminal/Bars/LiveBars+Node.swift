internal import HeadwayBar
public import HeadwayProgress

/// Bars that follow a progress tree.
extension LiveBars {
  /// The maximum number of nodes of a tree that have bars.
  private static let maximumNodes = 64

  /// Shows a progress node and its descendants until it finishes or the task is cancelled.
  ///
  /// Children that finish disappear without a line; the node itself leaves one. Beside each bar are the node's detail and,
  /// if its total is known, its counts; the bar of a paused node stands still.
  ///
  /// - Parameter node: The node, which is not retained.
  public func follow(_ node: ProgressNode) async {
    var shown = ShownTree()
    // The board limits the frames; the feed must not slow them down once more.
    for await snapshot in node.feed(limit: Self.maximumNodes) {
      shown.show(snapshot, in: self)
    }
    shown.end()
  }

  /// The bars of a tree.
  private struct ShownTree {
    /// The bars by the identifiers of their nodes.
    private var bars: [UInt32: Bar] = [:]
    /// The latest snapshot of the node at the top.
    private var latest: ProgressSnapshot?

    mutating func show(_ top: ProgressSnapshot, in board: LiveBars) {
      var seen: Set<UInt32> = []
      show(top, in: nil, of: board, &seen)
      for (number, bar) in bars where !seen.contains(number) {
        bar.end(.removed)
        bars[number] = nil
      }
      latest = top
    }

    private mutating func show(
      _ node: ProgressSnapshot, in parent: Bar?, of board: LiveBars, _ seen: inout Set<UInt32>
    ) {
      let isTop = parent == nil
      // The top one stays until it leaves its line; others disappear when they finish.
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

    /// Removes the bars; a finished node leaves a line.
    func end() {
      guard let latest, let top = bars[latest.id] else { return }
      let outcome: BarBoard.Outcome = latest.isCancelled ? .failed : .succeeded
      top.end(
        latest.isFinished || latest.isCancelled ? outcome : .removed,
        note: latest.isCancelled ? "cancelled" : "")
    }
  }
}
