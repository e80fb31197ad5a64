internal import HeadwayLock

/// The trees whose refreshers have run for one read.
///
/// The source of a mirror may be a node of another tree, which may have mirrors itself, even of the first tree. Each
/// tree is refreshed once for a read, so that trees that mirror each other cost no more than their mirrors.
final class RefreshRound: Sendable {
  private struct State: Sendable {
    /// The numbers of the trees.
    var trees: Set<UInt64> = []
    /// Whether the read has ended; a task that was started inside it may still have this round.
    var isOver = false
  }

  /// The round that the current code runs in.
  private static let current = TaskLocal<RefreshRound?>(wrappedValue: nil)

  private let state = Guarded(State())

  private init() {}

  /// Runs the refreshers of a tree, unless they have run for the same read.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - refresh: Runs the refreshers; called outside of all locks.
  static func refresh(tree: UInt64, _ refresh: () -> Void) {
    switch current.get()?.insert(tree) {
    case .some(true): refresh()
    case .some(false): break
    case nil:
      let round = RefreshRound()
      _ = round.insert(tree)
      defer { round.state.withLock { $0.isOver = true } }
      current.withValue(round) { refresh() }
    }
  }

  /// Inserts a tree.
  ///
  /// - Returns: Whether it is new; nil if the round is over.
  private func insert(_ tree: UInt64) -> Bool? {
    state.withLock { $0.isOver ? nil : $0.trees.insert(tree).inserted }
  }
}
