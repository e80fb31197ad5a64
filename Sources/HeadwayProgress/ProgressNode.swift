internal import HeadwayLock
public import Synchronization

/// A place in a tree of progress: how much of some work is done.
///
/// Workers call ``complete(_:)``, which costs one atomic addition wherever the node stands, whoever watches.
/// Whoever shows progress takes a ``snapshot(limit:)`` or a ``feed(every:limit:clock:)`` at a frame rate of its own.
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
/// - Thread safety: everything, from any thread.
/// - Life: a node that nobody holds any more has finished: a worker that returns, throws or forgets settles its
///   part. A child holds its parent; a parent does not hold its children.
/// - Exact: units are integers and are combined when somebody reads; nothing drifts and nothing overflows.
/// - Memory: at most 150 bytes a live node; handlers, words and typed values cost more where they are used. A
///   finished child leaves nothing behind.
/// - Cost: an increment is one atomic addition, without lock, clock, call or allocation. The first one after
///   a reader has looked also puts the node on a list, without a lock. To read costs O(nodes that have changed
///   since the last read), in holds of the tree's lock of at most 1,000 nodes.
///
/// ## How it works
///
/// The lowest bit of a node's word is a trip wire, the others are its count:
///
/// ```text
///   worker   ── word += units · 2 ──▶ was the wire set? ──▶ no: done
///                                          └─ yes, once a look: put the node into the tree's inbox
///   reader   ── empties the inbox, takes the nodes level by level from the deepest up, sets their wires,
///               adds what each has gained to the sum of its parent
///   finish   ── in one hold of the lock: leaves the parent's list, adds the whole share to its word
/// ```
///
/// A parent keeps the sum of share × fraction of its live children in 128 bits of fixed point, so that one
/// child that moves among 100,000 costs one addition, and so that the sum never drifts. One lock for each tree
/// guards its shape.
@safe
public final class ProgressNode: @unchecked Sendable {
  /// The count, shifted by one, above the bit that is set when the next increment has to report itself.
  @usableFromInline let word: Atomic<UInt64>
  /// The parent, or the tree of a root with the lowest bit set.
  ///
  /// A parent is retained. It changes once at most for a node, when a root is added to another tree.
  let up: Atomic<UInt>
  /// The next node of the inbox; written by the one thread that put this node there.
  @exclusivity(unchecked) var inboxNext: UInt = 0
  /// What the lock of the tree guards.
  @exclusivity(unchecked) var links: NodeLinks
  /// The bits of `NodeState` that hold; changed under the lock, read without.
  @usableFromInline let state: Atomic<UInt8>

  /// Creates the root of a tree.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - total: The number of units of the work; nil or less than 0 while it is not known. Work of 0 units
  ///     is full at once.
  /// - Complexity: O(1).
  public init(_ label: String = "", total: Int? = nil) {
    word = Atomic(0)
    up = unsafe Atomic(UInt(bitPattern: Unmanaged.passRetained(ProgressTree()).toOpaque()) | 1)
    unsafe links = NodeLinks(total: total, level: 1)
    state = Atomic(0)
    if !label.isEmpty { reference.extras.label = label }
  }

  /// Creates a child that is not linked yet.
  ///
  /// - Parameters:
  ///   - parent: The node above.
  ///   - total: The units of the child's own work.
  init(below parent: ProgressNode, total: Int?) {
    word = Atomic(0)
    up = unsafe Atomic(UInt(bitPattern: Unmanaged.passRetained(parent).toOpaque()))
    unsafe links = NodeLinks(total: total, level: 0)
    state = Atomic(0)
  }

  deinit {
    finish()
    leaveMemory()
  }
}

extension ProgressNode {
  /// The deepest level that is added up while it moves; the root is level 1.
  ///
  /// Nodes below it join all the same: cancel and pause reach them, and their units count in the node above as
  /// soon as they finish. A child of one of those joins the node of the last level and weighs nothing: it is
  /// cancelled from the start if the node that it was made below is, but what happens to that one later does not
  /// reach it.
  public static let maximumDepth = 64

  /// The largest fraction of work that has not finished.
  public static let nearlyDone = 1.nextDown
}

/// The bits of a node's state.
@usableFromInline
enum NodeState {
  /// The work is to end early.
  @usableFromInline static let cancelled: UInt8 = 1
  /// The node itself was paused.
  static let pausedHere: UInt8 = 2
  /// A node above is paused.
  static let pausedAbove: UInt8 = 4
  /// The work has ended.
  @usableFromInline static let finished: UInt8 = 8
  /// A cancel does not reach the node and what is below.
  static let uncancellable: UInt8 = 16
  /// A pause does not reach the node and what is below.
  static let unpausable: UInt8 = 32
  /// The node has finished and may still be in the inbox.
  static let lingering: UInt8 = 64

  /// The node or one above is paused.
  @usableFromInline static let paused: UInt8 = 6
}
