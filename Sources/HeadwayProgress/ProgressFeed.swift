internal import HeadwayLock
internal import Synchronization

/// The snapshots of a node as they change, at most one a frame.
///
/// ```swift
/// for await snapshot in node.feed() {
///   bar.show(snapshot.shownFraction)
/// }
/// ```
///
/// The first snapshot comes at once, the last one when the node finishes; then the sequence ends. In between one
/// comes when something has changed, and not before a frame has passed since the last: what changes within a
/// frame comes together, and the latest is never left out. While nothing changes nothing wakes up.
///
/// A feed does not hold its node: the work that is dropped is finished, whoever watches. It may be iterated by
/// any number of tasks; each gets its own frames. It ends when the iterating task is cancelled.
public struct ProgressFeed<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  /// A snapshot.
  public typealias Element = ProgressSnapshot
  /// Nothing is thrown.
  public typealias Failure = Never

  /// The node.
  fileprivate let watch: ProgressWatch
  /// The least time between two looks.
  fileprivate let interval: Duration
  /// The most nodes of a snapshot.
  fileprivate let limit: Int
  /// What measures the time.
  fileprivate let clock: C

  /// Begins to watch.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: self) }

  /// One who watches.
  public struct Iterator: AsyncIteratorProtocol {
    /// What is watched.
    private let feed: ProgressFeed
    /// What was delivered last.
    private var last: ProgressSnapshot?
    /// When the last look was taken, nil before the first.
    private var lastLook: C.Instant?
    /// The version of the last look.
    private var version: UInt64 = 0
    /// Whether the last snapshot was delivered.
    private var isAtEnd = false

    /// Begins to watch.
    fileprivate init(feed: ProgressFeed) { self.feed = feed }

    /// Waits for the next frame in which something has changed.
    ///
    /// - Parameter actor: The actor to wait on: the caller's.
    /// - Returns: The snapshot, nil after the last one and for a cancelled task.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ProgressSnapshot? {
      while !isAtEnd, !Task.isCancelled {
        if let lastLook {
          let frame = lastLook.advanced(by: feed.interval)
          if feed.clock.now < frame {
            do { try await feed.clock.sleep(until: frame, tolerance: nil) } catch { return nil }
          }
          await feed.watch.sleep(since: version)
          if Task.isCancelled { return nil }
        }
        lastLook = feed.clock.now
        guard let look = feed.watch.look(limit: feed.limit) else { continue }
        version = look.version
        isAtEnd = look.snapshot.isFinished
        if look.snapshot == last { continue }
        last = look.snapshot
        return look.snapshot
      }
      return nil
    }

    /// Waits for the next frame in which something has changed.
    public mutating func next() async -> ProgressSnapshot? { await next(isolation: nil) }
  }
}

extension ProgressNode {
  /// The snapshots of this node as they change.
  ///
  /// - Parameters:
  ///   - interval: The length of a frame: the least time between two snapshots, a millisecond at least.
  ///   - limit: The most nodes of a snapshot: 1 to 1,000.
  ///   - clock: What measures the frames.
  /// - Returns: A sequence that ends with the node. It does not hold the node.
  public func feed<C: Clock>(
    every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()
  ) -> ProgressFeed<C> where C.Duration == Duration {
    let watch = withTree { state, tree in
      state.isRead = true
      let watch = ProgressWatch(self, tree: tree)
      if isFinished {
        watch.end(with: ProgressSnapshot(of: reference))
      } else {
        reference.extras.add(watch)
      }
      return watch
    }
    return ProgressFeed(
      watch: watch, interval: max(interval, .milliseconds(1)), limit: limit, clock: clock)
  }
}

/// A node that is watched and not held.
final class ProgressWatch: @unchecked Sendable {
  /// A watch that is not held.
  struct Weak: Sendable {
    /// The watch.
    weak let watch: ProgressWatch?
  }

  /// The node; nil is read as soon as nobody holds it.
  private weak let node: ProgressNode?
  private let tree: ProgressTree
  /// The last snapshot, written once before `isEnded` is set.
  private var last: ProgressSnapshot?
  /// Whether the node has finished.
  private let isEnded = Atomic<Bool>(false)

  /// Watches a node.
  init(_ node: ProgressNode, tree: ProgressTree) {
    self.node = node
    self.tree = tree
  }

  /// Notes the last snapshot, under the lock of the tree; called once.
  func end(with last: ProgressSnapshot) {
    self.last = last
    // Releases the snapshot.
    isEnded.store(true, ordering: .releasing)
  }

  /// Looks at the node.
  ///
  /// - Parameter limit: The most nodes of the snapshot.
  /// - Returns: The snapshot and the version of the tree; nil while the node is about to finish.
  func look(limit: Int) -> (snapshot: ProgressSnapshot, version: UInt64)? {
    // Acquires the snapshot.
    if isEnded.load(ordering: .acquiring), let last { return (last, 0) }
    return node?.look(limit: limit)
  }

  /// Waits until something changes in the tree that a version has not seen, or the task is cancelled.
  func sleep(since version: UInt64) async {
    // What mirrors something else is asked at each frame, as nobody tells when it changes.
    if isEnded.load(ordering: .acquiring) || tree.state.withLock({ !$0.mirrors.isEmpty }) { return }
    let sleeper = ProgressSleeper()
    let number = tree.sleep(sleeper, since: version)
    await withTaskCancellationHandler {
      await withCheckedContinuation { sleeper.begin($0) }
    } onCancel: {
      sleeper.wake()
    }
    _ = tree.sleepers.withLock { $0.remove(number) }
  }
}

/// Somebody who sleeps until a tree changes.
final class ProgressSleeper: Sendable {
  /// What has come first.
  private enum State {
    /// Nobody sleeps yet.
    case idle
    /// Somebody sleeps.
    case asleep(CheckedContinuation<Void, Never>)
    /// The sleeper was woken, or is not to fall asleep.
    case awake
  }

  /// How it stands.
  private let state = Guarded(State.idle)

  /// Creates a sleeper that is not asleep.
  init() {}

  /// Falls asleep, unless it was woken already.
  func begin(_ continuation: CheckedContinuation<Void, Never>) {
    let isAwake = state.withLock { state in
      if case .awake = state { return true }
      state = .asleep(continuation)
      return false
    }
    if isAwake { continuation.resume() }
  }

  /// Wakes up; only the first call does anything.
  func wake() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .awake }
      if case .asleep(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }
}
