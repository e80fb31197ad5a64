internal import HeadwayBar
internal import HeadwayProgress

/// The bars of a progress node and its descendants on a board.
///
/// Nodes are counted, so their bars show exactly what the latest snapshot says: a glide would be ahead of the count or
/// behind it, and contradict the numbers beside the bar.
///
/// A pure value; not thread safe.
struct NodeBars: Sendable {
  /// The bar of a node.
  private struct NodeBar: Sendable {
    let bar: BarBoard.ID
    /// The number of nodes around the node.
    let level: Int
    /// The parent of the node, nil for the one at the top.
    let parent: UInt32?
    /// Whether the node was cancelled when it was last seen.
    var isCancelled = false
    /// The total and the kind of the node when it was last seen.
    var total: Int?
    var kind = WorkKind.work
    /// The fraction that the bar shows.
    var fraction: Double
  }

  /// Whether nodes below the top leave a line when they end.
  private let leavesChildLines: Bool
  /// The bars by the identifiers of their nodes.
  private var bars: [UInt32: NodeBar] = [:]
  /// The latest snapshot of the node at the top.
  private var latest: ProgressSnapshot?

  /// Creates bars for a tree that was not shown yet.
  ///
  /// - Parameter leavesChildLines: Whether nodes below the top leave a line when they end.
  init(leavesChildLines: Bool = false) { self.leavesChildLines = leavesChildLines }

  /// Adds, changes and removes bars, so that they show a snapshot.
  ///
  /// - Parameters:
  ///   - top: The snapshot of the node at the top.
  ///   - board: The board, always the same.
  ///   - now: The time since the creation of the board.
  mutating func show(_ top: ProgressSnapshot, on board: inout BarBoard, at now: Duration) {
    var seen: [UInt32: ProgressSnapshot] = [:]
    show(top, in: nil, level: 0, on: &board, at: now, &seen)
    // Nested bars end before those around them, which would take them along without a line.
    let gone = bars.filter { seen[$0.key] == nil }
      .sorted { ($1.value.level, $0.key) < ($0.value.level, $1.key) }
    for (node, bar) in gone {
      // A node is left out with those around it.
      var parent = bar.parent
      while let node = parent, seen[node] == nil { parent = bars[node]?.parent }
      let isLeftOut = parent.flatMap { seen[$0]?.omitsChildren } ?? false
      end(bar, of: top, isLeftOut: isLeftOut, on: &board, at: now)
      bars[node] = nil
    }
    latest = top
  }

  /// Ends the bar of a node that is not in a snapshot any more.
  private func end(
    _ node: NodeBar, of top: ProgressSnapshot, isLeftOut: Bool, on board: inout BarBoard,
    at now: Duration
  ) {
    // A node that is left out because there are too many has not ended.
    guard leavesChildLines, !isLeftOut else {
      return board.end(node.bar, .removed, at: now)
    }
    guard !node.isCancelled, !top.isCancelled else {
      return board.end(node.bar, .stopped, note: board.words.cancelled, at: now)
    }
    // The last units may have been completed together with the end.
    if let total = node.total {
      board.change(node.bar) { $0.work?.report(Double(total), at: now) }
    }
    board.end(node.bar, at: now)
  }

  private mutating func show(
    _ node: ProgressSnapshot, in parent: (node: UInt32, bar: BarBoard.ID)?, level: Int,
    on board: inout BarBoard, at now: Duration, _ seen: inout [UInt32: ProgressSnapshot]
  ) {
    // The top one stays until it leaves its line; others disappear when they finish.
    guard parent == nil || !node.isFinished else { return }
    seen[node.id] = node
    let bar =
      bars[node.id]?.bar
      ?? board.add(
        node.label, Self.model, work: Self.work(of: node, at: now), in: parent?.bar, at: now)
    let fraction = shownFraction(of: node)
    bars[node.id] = NodeBar(
      bar: bar, level: level, parent: parent?.node, isCancelled: node.isCancelled,
      total: node.total, kind: node.kind, fraction: fraction)
    board.setFacts(node.detail.map { [$0] } ?? [], of: bar)
    board.setPaused(node.isPaused, of: bar, at: now)
    board.change(bar) { $0.show(node, fraction: fraction, at: now) }
    for child in node.children {
      show(child, in: (node.id, bar), level: level + 1, on: &board, at: now, &seen)
    }
  }

  /// The fraction that the bar of a node shows: it goes back only with the counts beside it, when more is found to do.
  private func shownFraction(of node: ProgressSnapshot) -> Double {
    guard node.kind != .estimated, node.total != nil else { return node.shownFraction }
    guard let before = bars[node.id], before.total == node.total, before.kind == node.kind else {
      return node.fraction
    }
    return max(before.fraction, node.fraction)
  }

  /// The work of a node that joins, whose units so far do not count as speed.
  fileprivate static func work(of node: ProgressSnapshot, at now: Duration) -> CountedWork {
    var work = CountedWork(
      node.kind, total: node.total.map { Double($0) }, completed: node.doneUnits, at: now)
    work.noteKnown(skipped: node.skippedUnits)
    return work
  }

  private static let model: ProgressBar = {
    var bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    return bar
  }()

  /// Removes the bars; a node leaves a line if its work has ended.
  ///
  /// - Parameters:
  ///   - outcome: How the work has ended, nil for what the node says: done if it has finished, or stopped if it was cancelled.
  ///   - board: The board.
  ///   - now: The time since the creation of the board.
  func end(
    _ outcome: BarBoard.Outcome? = nil, on board: inout BarBoard, at now: Duration
  ) {
    guard let latest, let top = bars[latest.id]?.bar else { return }
    let outcome =
      outcome ?? (latest.isCancelled ? .stopped : latest.isFinished ? .succeeded : .removed)
    board.end(top, outcome, note: outcome == .stopped ? board.words.cancelled : "", at: now)
  }
}

extension BarBoard.Entry {
  /// Shows the counts of a node; its bar shows the fraction, which includes the work of its children.
  fileprivate mutating func show(_ node: ProgressSnapshot, fraction: Double, at now: Duration) {
    let total = node.total.map { Double($0) }
    // A task may count after it was shown by its expected duration.
    if work?.kind != node.kind { work = NodeBars.work(of: node, at: now) }
    work?.setRemaining(node[ProgressKeys.RemainingTime.self])
    if work?.total != total { work?.setTotal(total) }
    // Bytes of children are bytes of the node; other units of it are only counted when they are complete.
    work?.noteSkipped(node.skippedUnits, at: now)
    let counted = node.kind.countsBytes ? node.doneUnits : Double(node.completed)
    work?.report(node.doneUnits, shown: counted, at: now)
    if node.isIndeterminate {
      bar.isIndeterminate = true
    } else {
      bar.setValue(fraction, at: now)
    }
  }
}

extension ProgressSnapshot {
  /// The units that took no work, with the parts of live children.
  fileprivate var skippedUnits: Double {
    children.reduce(skipped) { sum, child in
      guard let total = child.total, total > 0 else { return sum }
      return sum + Double(child.units) * min(child.skippedUnits / Double(total), 1)
    }
  }

  /// The units that are done, with the parts of live children.
  fileprivate var doneUnits: Double {
    guard let total, !isFinished, !children.isEmpty || omitsChildren else {
      return Double(completed)
    }
    return max(Double(completed), Double(total) * fraction)
  }
}
