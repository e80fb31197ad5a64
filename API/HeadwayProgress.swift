import HeadwayLock
import Synchronization

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
final public class ProgressNode : Sendable {

    /// The words that surfaces show.
    public let label: String

    /// The number of units that the work has; 0 means that it is not known.
    public let total: Int

    /// Creates the root of a tree.
    ///
    /// - Parameters:
    ///   - label: The words that surfaces show.
    ///   - total: The number of units of the work, 0 or less when it is not known.
    public init(_ label: String, total: Int)

    /// The units that are completed, at least 0 and at most `total` where that is known.
    public var completed: Int { get }

    /// Whether `finish()` was called.
    public var isFinished: Bool { get }

    /// Adds completed units.
    ///
    /// - Parameter units: How many more are completed; a negative number takes some back.
    /// - Complexity: O(1): one atomic add, no lock, no allocation.
    public func complete(_ units: Int)

    /// Sets the completed units, for work that knows how far it is.
    ///
    /// - Parameter units: The number of completed units.
    /// - Complexity: O(1).
    public func setCompleted(_ units: Int)

    /// Creates a child that stands for some of this node's units.
    ///
    /// - Parameters:
    ///   - label: The words that surfaces show.
    ///   - share: The units of this node that are completed when the child finishes.
    ///   - total: The units of the child's own work, 0 when not known.
    /// - Returns: The child. It counts until `finish()` is called on it.
    /// - Complexity: O(1) amortized.
    public func child(_ label: String, share: Int, total: Int) -> HeadwayProgress.ProgressNode

    /// Ends the work, so that the whole share counts as completed in the parent.
    ///
    /// A second call does nothing.
    ///
    /// - Complexity: O(live siblings).
    public func finish()

    /// Copies the tree below this node.
    ///
    /// - Returns: A value that stays as it is while the work goes on.
    /// - Complexity: O(live nodes below).
    public func snapshot() -> HeadwayProgress.ProgressSnapshot
}

/// A tree of progress as it was at one moment.
public struct ProgressSnapshot : Hashable, Sendable {

    /// The words that surfaces show.
    public let label: String

    /// The part of the work that is done, from 0 to 1; nil when the total is not known.
    public let fraction: Double?

    /// Whether the work has ended.
    public let isFinished: Bool

    /// The children that had not finished, in the order in which they were made.
    public let children: [HeadwayProgress.ProgressSnapshot]
}

