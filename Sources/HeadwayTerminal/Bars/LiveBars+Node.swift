public import HeadwayProgress

/// Bars that follow a progress tree.
extension LiveBars {
  /// The maximum number of nodes of a tree that have bars.
  private static let maximumNodes = 64

  /// Shows a progress node and its descendants until it finishes or the task is cancelled.
  ///
  /// The node leaves a line when it ends. Its descendants disappear without one, unless you ask for it. Beside each bar are the node's detail and,
  /// if its total is known, its counts. Bars and percentages are those of the counts, and stand still between them.
  ///
  /// - Parameters:
  ///   - node: The node, which is not retained.
  ///   - leavesChildLines: Whether each descendant leaves a line when it ends, as the node does. Of a tree with more than 64
  ///     nodes, only those with bars do.
  public func follow(_ node: ProgressNode, leavesChildLines: Bool = false) async {
    var bars = NodeBars(leavesChildLines: leavesChildLines)
    // The board limits the frames; the feed must not slow them down once more.
    for await snapshot in node.feed(limit: Self.maximumNodes) {
      change { board, now in bars.show(snapshot, on: &board, at: now) }
    }
    change { board, now in bars.end(on: &board, at: now) }
  }
}
