internal import HeadwayLock
internal import Synchronization

/// A place in a tree of progress: how much of some work is done.
///
/// Workers call `complete(_:)`, which is one atomic add; whoever looks takes a `snapshot()` and works alone
/// from then on. A child stands for a share of its parent's units. When it finishes, its whole share counts as
/// completed in the parent and the child is forgotten.
///
/// ```swift
/// let run = ProgressNode("release", total: 2)
/// let fetch = run.child("fetch", share: 1, total: 100)
/// fetch.complete(50)
/// run.snapshot().fraction   // 0.25
/// fetch.finish()
/// run.snapshot().fraction   // 0.5
/// ```
///
/// Safe from any thread. A snapshot locks one node at a time, from the root down.
public final class ProgressNode: Sendable {
  /// The words that surfaces show.
  public let label: String
  /// The number of units that the work has; 0 means that it is not known.
  public let total: Int
  /// The units completed by the node itself and by children that finished.
  private let completedUnits = Atomic<Int>(0)
  /// Whether the node has finished; what is completed after that does not count.
  private let finished = Atomic<Bool>(false)
  /// The node above and the units of it that this one stands for.
  private let parent: (node: ProgressNode, share: Int)?
  /// The children that have not finished, in the order in which they were made.
  private let children = Guarded<[ProgressNode]>([])

  /// Creates the root of a tree.
  ///
  /// - Parameters:
  ///   - label: The words that surfaces show.
  ///   - total: The number of units of the work, 0 or less when it is not known.
  public init(_ label: String, total: Int) {
    self.label = label
    self.total = max(total, 0)
    self.parent = nil
  }

  /// Creates a child.
  private init(_ label: String, total: Int, parent: ProgressNode, share: Int) {
    self.label = label
    self.total = max(total, 0)
    self.parent = (parent, max(share, 0))
  }

  /// The units that are completed, at least 0 and at most `total` where that is known.
  public var completed: Int {
    let units = max(completedUnits.load(ordering: .relaxed), 0)
    return total > 0 ? min(units, total) : units
  }

  /// Whether `finish()` was called.
  public var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Adds completed units.
  ///
  /// - Parameter units: How many more are completed; a negative number takes some back.
  /// - Complexity: O(1): one atomic add, no lock, no allocation.
  public func complete(_ units: Int) {
    // Relaxed: the count orders nothing else, readers only ever add it up.
    completedUnits.wrappingAdd(units, ordering: .relaxed)
  }

  /// Sets the completed units, for work that knows how far it is.
  ///
  /// - Parameter units: The number of completed units.
  /// - Complexity: O(1).
  public func setCompleted(_ units: Int) {
    completedUnits.store(units, ordering: .relaxed)
  }

  /// Creates a child that stands for some of this node's units.
  ///
  /// - Parameters:
  ///   - label: The words that surfaces show.
  ///   - share: The units of this node that are completed when the child finishes.
  ///   - total: The units of the child's own work, 0 when not known.
  /// - Returns: The child. It counts until `finish()` is called on it.
  /// - Complexity: O(1) amortized.
  public func child(_ label: String, share: Int, total: Int) -> ProgressNode {
    let child = ProgressNode(label, total: total, parent: self, share: share)
    children.withLock { $0.append(child) }
    return child
  }

  /// Ends the work, so that the whole share counts as completed in the parent.
  ///
  /// A second call does nothing.
  ///
  /// - Complexity: O(live siblings).
  public func finish() {
    guard !finished.exchange(true, ordering: .acquiringAndReleasing) else { return }
    guard let parent else { return }
    parent.node.children.withLock { siblings in
      siblings.removeAll { $0 === self }
      // Inside the lock, so that no snapshot sees the child gone and its share missing.
      parent.node.completedUnits.wrappingAdd(parent.share, ordering: .relaxed)
    }
  }

  /// Copies the tree below this node.
  ///
  /// - Returns: A value that stays as it is while the work goes on.
  /// - Complexity: O(live nodes below).
  public func snapshot() -> ProgressSnapshot {
    let (live, units) = children.withLock { ($0, completed) }
    let below = live.map { (share: $0.parent?.share ?? 0, snapshot: $0.snapshot()) }
    guard !isFinished else {
      return ProgressSnapshot(label: label, fraction: 1, isFinished: true, children: [])
    }
    var fraction: Double? = nil
    if total > 0 {
      let partial = below.reduce(0.0) { $0 + Double($1.share) * ($1.snapshot.fraction ?? 0) }
      // Work that has not been told to be finished is never shown as complete.
      fraction = min((Double(units) + partial) / Double(total), 1)
    }
    return ProgressSnapshot(
      label: label, fraction: fraction, isFinished: false, children: below.map(\.snapshot))
  }
}

/// A tree of progress as it was at one moment.
public struct ProgressSnapshot: Hashable, Sendable {
  /// The words that surfaces show.
  public let label: String
  /// The part of the work that is done, from 0 to 1; nil when the total is not known.
  public let fraction: Double?
  /// Whether the work has ended.
  public let isFinished: Bool
  /// The children that had not finished, in the order in which they were made.
  public let children: [ProgressSnapshot]
}
