internal import HeadwayLock
public import Synchronization

/// A node in a tree of progress: how much of some work is done.
///
/// Workers call ``complete(_:)``, which is one atomic addition at any depth, however many observers there are.
/// Observers take a ``snapshot(limit:)`` or iterate over a ``feed(every:limit:clock:)`` at their own frame rate.
///
/// ```swift
/// let release = ProgressNode("release", total: 2)
/// let fetch = release.child("fetch", units: 1, total: 100)
/// fetch.complete(50)
/// release.fraction   // 0.25
/// fetch.finish()
/// release.fraction   // 0.5
/// ```
///
/// - Thread safety: every method can be called on any thread.
/// - Lifetime: a node finishes when its last reference is dropped, so a worker that returns, throws or forgets
///   settles its part. A child retains its parent; a parent does not retain its children.
/// - Exactness: units are integers and are combined when the tree is read; nothing drifts and nothing overflows.
/// - Memory: at most 150 bytes per live node; handlers, labels and typed values cost more where they are used. A
///   finished child leaves nothing behind.
/// - Cost: an increment is one atomic addition, without lock, clock, call or allocation. The first one after
///   a read also pushes the node onto a lock-free stack. A read costs O(nodes that have changed since the last
///   read), and holds the tree's lock for at most 1,000 nodes at a time.
///
/// ## How it works
///
/// The lowest bit of a node's counter is its dirty flag, inverted: a reader sets it, the first increment clears it.
///
/// ```text
///   worker   ── counter += units · 2 ──▶ was the bit set? ──▶ no: done
///                                            └─ yes, once per read: push the node onto the stack of dirty nodes
///   reader   ── takes the whole stack, visits its nodes level by level from the deepest up, sets their bits,
///               adds what each has gained to the sum of its parent
///   finish   ── in one hold of the lock: leaves the parent's list, adds the whole share to its counter
/// ```
///
/// A parent stores the sum of share × fraction of its live children as a 128-bit fixed-point number. So a change of
/// one child among 100,000 costs one addition, and the sum never drifts. The stack of dirty nodes is a Treiber stack
/// (R. K. Treiber, *Systems Programming: Coping with Parallelism*, 1986). Each tree has one lock, for its shape.
@safe
public final class ProgressNode: @unchecked Sendable {
  /// The count, shifted left by one, and the clean bit: while it is set, the next increment marks the node dirty.
  @usableFromInline let counter: Atomic<UInt64>
  /// The address of the parent, or for a root that of its tree with the lowest bit set.
  ///
  /// The parent is retained. The value changes at most once, when a root is added to another tree.
  let up: Atomic<UInt>
  /// The next node on the stack of dirty nodes; written only by the thread that pushes this node.
  @exclusivity(unchecked) var nextDirty: UInt = 0
  /// The state that the tree's lock guards.
  @exclusivity(unchecked) var links: NodeLinks
  /// The bits of `NodeState`; written under the lock, read without it.
  @usableFromInline let state: Atomic<UInt8>

  /// Creates the root of a tree.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - total: The units of the work; nil or less than 0 while unknown. Work of 0 units is complete at once.
  /// - Complexity: O(1).
  public init(_ label: String = "", total: Int? = nil) {
    counter = Atomic(0)
    up = unsafe Atomic(UInt(bitPattern: Unmanaged.passRetained(ProgressTree()).toOpaque()) | 1)
    unsafe links = NodeLinks(total: total, level: 1)
    state = Atomic(0)
    if !label.isEmpty { reference.extras.label = label }
  }

  /// Creates a child that is not linked to its parent yet.
  init(below parent: ProgressNode, total: Int?) {
    counter = Atomic(0)
    up = unsafe Atomic(UInt(bitPattern: Unmanaged.passRetained(parent).toOpaque()))
    unsafe links = NodeLinks(total: total, level: 0)
    state = Atomic(0)
  }

  deinit {
    finish()
    unlinkMemory()
  }
}

extension ProgressNode {
  /// The deepest level whose nodes count while they are at work; the root is level 1.
  ///
  /// Nodes below that level can still be made. Cancel and pause reach them, and their units count in their parent
  /// when they finish. Children of such a node are linked to the node at the last level and count for nothing: they
  /// start cancelled if the node they were made below is, but a later cancel of that node does not reach them.
  public static let maximumDepth = 64

  /// The largest fraction of work that has not finished.
  static let largestUnfinishedFraction = 1.nextDown
}

/// The bits of a node's state.
@usableFromInline
enum NodeState {
  @usableFromInline static let cancelled: UInt8 = 1
  /// The node itself was paused.
  static let pausedHere: UInt8 = 2
  /// An ancestor is paused.
  static let pausedAbove: UInt8 = 4
  @usableFromInline static let finished: UInt8 = 8
  /// The node and its descendants ignore a cancel from above.
  static let uncancellable: UInt8 = 16
  /// The node and its descendants ignore a pause from above.
  static let unpausable: UInt8 = 32
  /// The node has finished but may still be on the stack of dirty nodes.
  static let lingering: UInt8 = 64

  /// The node or an ancestor is paused.
  @usableFromInline static let paused: UInt8 = 6
}
