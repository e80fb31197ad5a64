internal import HeadwayBar
internal import HeadwayProgress

/// The bars of a progress node and its descendants on a board.
///
/// Nodes are counted, so their bars show exactly what the latest snapshot says: a glide would be ahead of the count or
/// behind it, and contradict the numbers beside the bar.
///
/// A pure value; not thread safe.
struct NodeBars: Sendable {
  /// The bars by the identifiers of their nodes.
  private var bars: [UInt32: BarBoard.ID] = [:]
  /// The latest snapshot of the node at the top.
  private var latest: ProgressSnapshot?

  /// Adds, changes and removes bars, so that they show a snapshot.
  ///
  /// - Parameters:
  ///   - top: The snapshot of the node at the top.
  ///   - board: The board, always the same.
  ///   - now: The time since the creation of the board.
  mutating func show(_ top: ProgressSnapshot, on board: inout BarBoard, at now: Duration) {
    var seen: Set<UInt32> = []
    show(top, in: nil, on: &board, at: now, &seen)
    for (node, bar) in bars where !seen.contains(node) {
      board.end(bar, .removed, at: now)
      bars[node] = nil
    }
    latest = top
  }

  private mutating func show(
    _ node: ProgressSnapshot, in parent: BarBoard.ID?, on board: inout BarBoard, at now: Duration,
    _ seen: inout Set<UInt32>
  ) {
    // The top one stays until it leaves its line; others disappear when they finish.
    guard parent == nil || !node.isFinished else { return }
    seen.insert(node.id)
    let bar = bars[node.id] ?? board.add(node.label, Self.model, in: parent, at: now)
    bars[node.id] = bar
    let counts = node.total.map { ["\(node.completed) of \($0)"] } ?? []
    board.setFacts((node.detail.map { [$0] } ?? []) + counts, of: bar)
    board.update(bar) { model in
      if node.isPaused { model.pause(at: now) } else { model.resume(at: now) }
      if node.isIndeterminate {
        model.isIndeterminate = true
      } else {
        model.setValue(node.shownFraction, at: now)
      }
    }
    for child in node.children { show(child, in: bar, on: &board, at: now, &seen) }
  }

  private static let model: ProgressBar = {
    var bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    return bar
  }()

  /// Removes the bars; a node that has finished or was cancelled leaves a line.
  func end(on board: inout BarBoard, at now: Duration) {
    guard let latest, let top = bars[latest.id] else { return }
    let outcome: BarBoard.Outcome =
      latest.isCancelled ? .failed : latest.isFinished ? .succeeded : .removed
    board.end(top, outcome, note: latest.isCancelled ? "cancelled" : "", at: now)
  }
}
