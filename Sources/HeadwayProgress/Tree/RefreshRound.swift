internal import HeadwayLock

/// The trees whose mirroring nodes are brought up to date for one look.
///
/// What a node mirrors may be a node of another tree, which mirrors something itself, even a node of the first. Each
/// tree is asked once for a look, so that trees which mirror each other many times cost no more than their mirrors.
final class RefreshRound: Sendable {
  /// What is known of a round.
  private struct State: Sendable {
    /// The numbers of the trees that were asked.
    var trees: Set<UInt64> = []
    /// Whether the look has ended; what was begun inside it may still know of the round.
    var isOver = false
  }

  /// The round that the running code belongs to.
  private static let current = TaskLocal<RefreshRound?>(wrappedValue: nil)

  /// What is known.
  private let state = Guarded(State())

  /// Creates a round in which nobody was asked.
  private init() {}

  /// Brings the mirroring nodes of a tree up to date, if this was not done for the same look.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - refresh: Does it; called outside all locks.
  static func refresh(tree: UInt64, _ refresh: () -> Void) {
    switch current.get()?.enter(tree) {
    case .some(true): refresh()
    case .some(false): break
    case nil:
      let round = RefreshRound()
      _ = round.enter(tree)
      defer { round.state.withLock { $0.isOver = true } }
      current.withValue(round) { refresh() }
    }
  }

  /// Notes that a tree is asked.
  ///
  /// - Returns: Whether it was not before; nil when the round is over.
  private func enter(_ tree: UInt64) -> Bool? {
    state.withLock { $0.isOver ? nil : $0.trees.insert(tree).inserted }
  }
}
