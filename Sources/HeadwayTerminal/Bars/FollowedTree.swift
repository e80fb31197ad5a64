internal import HeadwayLock
internal import HeadwayProgress
internal import Synchronization

/// A progress tree that the drawing thread reads, at most once a frame, so that its bars move while all other threads compute.
///
/// Safe from any thread, except for `read(at:)`, which one thread calls.
final class FollowedTree: Sendable {
  private struct State: Sendable {
    /// When the tree was last read, nil before the first time.
    var lastRead: Duration?
    /// Whether nobody reads the tree any more.
    var hasEnded = false
  }

  private let observer: TreeObserver
  /// Whether the tree has changed since it was last read; shared with the observer.
  private let news: News
  private let state = Guarded(State())

  /// The maximum number of nodes of a tree that have bars.
  private static let maximumNodes = 64

  /// Whether there is news.
  private final class News: Sendable {
    let isThere = Atomic<Bool>(true)
  }

  /// Follows a node, which is not retained.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - onChange: Called after a change; must not block.
  init(_ node: ProgressNode, onChange: @escaping @Sendable () -> Void) {
    let news = News()
    self.news = news
    observer = TreeObserver(node) {
      // Only a hint: the thread that it wakes reads the tree under its locks.
      news.isThere.store(true, ordering: .relaxed)
      onChange()
    }
  }

  /// When the tree has to be read.
  ///
  /// - Parameter now: The time since the creation of the board.
  /// - Returns: A time since the creation of the board, nil while nothing changes.
  func due(at now: Duration) -> Duration? {
    guard news.isThere.load(ordering: .relaxed) || observer.isPolled else { return nil }
    return state.withLock { state in
      if state.hasEnded { return nil }
      return max(state.lastRead.map { $0 + BarBoard.interval } ?? now, now)
    }
  }

  /// Reads the tree if it has changed and a frame has passed.
  ///
  /// - Parameter now: The time since the creation of the board.
  /// - Returns: The tree; nil if there is nothing new.
  func read(at now: Duration) -> ProgressSnapshot? {
    guard let due = due(at: now), due <= now else { return nil }
    news.isThere.store(false, ordering: .relaxed)
    state.withLock { $0.lastRead = now }
    let snapshot = observer.snapshot(limit: Self.maximumNodes) ?? observer.final
    if snapshot?.isFinished != true, observer.arm() {
      news.isThere.store(true, ordering: .relaxed)
    }
    return snapshot
  }

  /// Reads the tree while no other thread does.
  func snapshot() -> ProgressSnapshot? {
    observer.snapshot(limit: Self.maximumNodes) ?? observer.final
  }

  /// Ends the reading.
  func end() {
    state.withLock { $0.hasEnded = true }
    observer.disarm()
  }
}
