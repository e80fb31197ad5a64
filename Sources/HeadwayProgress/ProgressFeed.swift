internal import HeadwayLock
internal import Synchronization

/// The sequence of ``ProgressNode/feed(every:limit:clock:)``.
struct ProgressFeed<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  typealias Element = ProgressSnapshot
  typealias Failure = Never

  fileprivate let observed: ObservedNode
  /// The minimum time between two snapshots.
  fileprivate let interval: Duration
  fileprivate let limit: Int
  fileprivate let clock: C

  /// Creates an iterator with its own frames.
  func makeAsyncIterator() -> Iterator { Iterator(feed: self) }

  /// An iterator over the snapshots of a node.
  struct Iterator: AsyncIteratorProtocol {
    private let feed: ProgressFeed
    /// The last delivered snapshot.
    private var last: ProgressSnapshot?
    /// The time of the last read, nil before the first.
    private var lastRead: C.Instant?
    /// The version of the tree at the last read.
    private var version: UInt64 = 0
    private var isAtEnd = false

    fileprivate init(feed: ProgressFeed) { self.feed = feed }

    /// Waits for the next frame in which the node has changed.
    ///
    /// - Parameter actor: The actor to wait on; by default the caller's.
    /// - Returns: The snapshot; nil after the last one and if the task is cancelled.
    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ProgressSnapshot? {
      while !isAtEnd, !Task.isCancelled {
        if let lastRead {
          let frame = lastRead.advanced(by: feed.interval)
          if feed.clock.now < frame {
            do { try await feed.clock.sleep(until: frame, tolerance: nil) } catch { return nil }
          }
          await feed.observed.waitForChange(since: version)
          if Task.isCancelled { return nil }
        }
        lastRead = feed.clock.now
        guard let (snapshot, version) = feed.observed.read(limit: feed.limit) else { continue }
        self.version = version
        isAtEnd = snapshot.isFinished
        if snapshot == last { continue }
        last = snapshot
        return snapshot
      }
      return nil
    }

    /// Waits for the next frame in which the node has changed.
    mutating func next() async -> ProgressSnapshot? { await next(isolation: nil) }
  }
}

extension ProgressNode {
  /// The snapshots of this node as it changes, at most one per frame.
  ///
  /// ```swift
  /// for await snapshot in node.feed() {
  ///   bar.show(snapshot.shownFraction)
  /// }
  /// ```
  ///
  /// The first snapshot comes at once and the last one when the node finishes; then the sequence ends. In between, a
  /// snapshot comes after a change, but not before a frame has passed since the last one. Changes within a frame come
  /// together, and the latest state is always delivered. While nothing changes, nothing wakes up.
  ///
  /// A feed does not retain its node. Any number of tasks can iterate over a feed; each gets its own frames. The
  /// iteration ends when its task is cancelled.
  ///
  /// - Parameters:
  ///   - interval: The length of a frame: the minimum time between two snapshots, at least a millisecond.
  ///   - limit: The most nodes of a snapshot: 1 to 1,000.
  ///   - clock: The clock that measures the frames.
  /// - Returns: A sequence that ends when the node finishes. It does not retain the node.
  public func feed<C: Clock>(
    every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()
  ) -> some AsyncSequence<ProgressSnapshot, Never> & Sendable where C.Duration == Duration {
    ProgressFeed(
      observed: observe(), interval: max(interval, .milliseconds(1)), limit: limit, clock: clock)
  }

  /// Observes this node without retaining it; counts as a read.
  func observe() -> ObservedNode {
    withTree { state, tree in
      state.isRead = true
      let observed = ObservedNode(self, tree: tree)
      if isFinished {
        var last = ProgressSnapshot(of: reference)
        last.settle(state.sums(of: NodeValues(of: reference), at: reference))
        observed.finish(with: last)
      } else {
        reference.extras.add(observed)
      }
      return observed
    }
  }
}

/// The node of a feed or an observer, not retained, and its last snapshot.
final class ObservedNode: @unchecked Sendable {
  /// A reference that does not retain an observed node.
  struct Weak: Sendable {
    weak let observed: ObservedNode?
  }

  weak let node: ProgressNode?
  let tree: ProgressTree
  /// The last snapshot, written once before `isFinished` is set.
  private var last: ProgressSnapshot?
  private let isFinished = Atomic<Bool>(false)

  init(_ node: ProgressNode, tree: ProgressTree) {
    self.node = node
    self.tree = tree
  }

  /// Stores the last snapshot, under the lock of the tree; called once.
  func finish(with last: ProgressSnapshot) {
    self.last = last
    // Releases the snapshot.
    isFinished.store(true, ordering: .releasing)
  }

  /// Takes a snapshot.
  ///
  /// - Parameter limit: The most nodes of the snapshot.
  /// - Returns: The snapshot and the version of the tree; nil while the node is being deallocated.
  func read(limit: Int) -> (snapshot: ProgressSnapshot, version: UInt64)? {
    if let last = final { return (last, 0) }
    return node?.versionedSnapshot(limit: limit)
  }

  /// The last snapshot, nil while the node has not finished.
  var final: ProgressSnapshot? {
    // Acquires the snapshot.
    isFinished.load(ordering: .acquiring) ? last : nil
  }

  /// Waits for a change of the tree after a version, or until the task is cancelled.
  ///
  /// Returns at once if a node has a refresher, as its source does not report changes.
  func waitForChange(since version: UInt64) async {
    if isFinished.load(ordering: .acquiring) { return }
    if tree.state.withLock({ !$0.refreshers.isEmpty }) { return }
    await tree.wait(forChangeSince: version)
  }
}
