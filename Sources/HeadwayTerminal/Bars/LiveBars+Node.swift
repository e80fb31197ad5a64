public import HeadwayProgress

/// Bars that follow a progress tree.
extension LiveBars {
  /// The maximum number of nodes of a tree that have bars.
  private static let maximumNodes = 64

  /// Shows a progress node and its descendants until it finishes or the task is cancelled.
  ///
  /// Children that finish disappear without a line; the node itself leaves one. Beside each bar are the node's detail and,
  /// if its total is known, its counts. Bars and percentages are those of the counts, and stand still between them.
  ///
  /// - Parameter node: The node, which is not retained.
  public func follow(_ node: ProgressNode) async {
    var bars = NodeBars()
    // The board limits the frames; the feed must not slow them down once more.
    for await snapshot in node.feed(limit: Self.maximumNodes) {
      change { board, now in bars.show(snapshot, on: &board, at: now) }
    }
    change { board, now in bars.end(on: &board, at: now) }
  }
}
