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
    let bar =
      bars[node.id]
      ?? board.add(node.label, Self.model, work: Self.work(of: node, at: now), in: parent, at: now)
    bars[node.id] = bar
    board.setFacts(node.detail.map { [$0] } ?? [], of: bar)
    board.setPaused(node.isPaused, of: bar, at: now)
    board.change(bar) { $0.show(node, at: now) }
    for child in node.children { show(child, in: bar, on: &board, at: now, &seen) }
  }

  /// The work of a node that joins, whose units so far do not count as speed.
  private static func work(of node: ProgressSnapshot, at now: Duration) -> CountedWork {
    CountedWork(
      node.kind, total: node.total.map { Double($0) }, completed: node.doneUnits, at: now)
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
      latest.isCancelled ? .stopped : latest.isFinished ? .succeeded : .removed
    board.end(top, outcome, note: latest.isCancelled ? "cancelled" : "", at: now)
  }
}

extension BarBoard.Entry {
  /// Shows the counts of a node; its bar shows the fraction, which includes the work of its children.
  fileprivate mutating func show(_ node: ProgressSnapshot, at now: Duration) {
    let total = node.total.map { Double($0) }
    if work?.total != total { work?.setTotal(total) }
    // Bytes of children are bytes of the node; other units of it are only counted when they are complete.
    let counted = node.kind.countsBytes ? node.doneUnits : Double(node.completed)
    work?.report(node.doneUnits, shown: counted, at: now)
    if node.isIndeterminate {
      bar.isIndeterminate = true
    } else {
      bar.setValue(node.shownFraction, at: now)
    }
  }
}

extension ProgressSnapshot {
  /// The units that are done, with the parts of live children.
  fileprivate var doneUnits: Double {
    guard let total, !isFinished, !children.isEmpty || omitsChildren else {
      return Double(completed)
    }
    return max(Double(completed), Double(total) * fraction)
  }
}
