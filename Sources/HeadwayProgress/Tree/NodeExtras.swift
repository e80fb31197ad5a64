/// The state that few nodes have: labels, typed values, handlers and waiters.
///
/// It is guarded by the tree's lock, except for the handlers, which have their own.
final class NodeExtras: @unchecked Sendable {
  var label = ""
  /// A description of the current step.
  var detail: String?
  var kind = WorkKind.work
  /// The completed units that took no work, with those of finished children.
  var skipped = 0.0
  /// The largest fraction that was read before the fraction went back, in fixed point.
  var peakFraction = 0
  /// The node's typed values and the sums of its finished children.
  var values = ValueTable()
  /// The handlers for cancel, pause and resume, nil while there are none.
  var handlers: HandlerList?
  /// The number of pauses so far.
  var pauseCount: UInt64 = 0
  /// The tasks and threads that wait at a checkpoint.
  var checkpointWaiters = Registry<CheckpointWaiter>()
  /// The feeds of the node.
  private(set) var feeds: [ObservedNode.Weak] = []
  /// The number of feeds at which dropped ones are removed.
  private var feedLimit = 8
  /// Objects that are released when the node finishes.
  var heldUntilFinished: [any Sendable] = []
  /// The tree that a root was made with, after it was added to another.
  var closedTree: ProgressTree?
  /// What a mirrored node takes over because nodes below it were left out; see `LinkFlags.summarized`.
  var summary: ProgressSummary?
  /// Whether children of a mirrored node were left out.
  var omitsChildren = false
  /// What becomes of requests, in the first node of a mirror.
  var requests: MirrorRequests?

  /// Adds a feed, and sometimes removes dropped ones, so that each addition costs O(1) on average.
  func add(_ feed: ObservedNode) {
    if feeds.count >= feedLimit {
      feeds.removeAll { $0.observed == nil }
      feedLimit = max(8, feeds.count * 2)
    }
    feeds.append(ObservedNode.Weak(observed: feed))
  }

  /// Removes all feeds and returns the live ones.
  func takeFeeds() -> [ObservedNode] {
    defer { feeds = [] }
    return feeds.compactMap(\.observed)
  }
}

/// The work that the end of a node leaves to be done outside of the lock.
struct FinishActions: Sendable {
  private var waiters: [CheckpointWaiter] = []
  /// Objects to release, the handlers among them.
  private var held: [any Sendable] = []

  /// Collects the actions of a node, under the lock; nil if there are none.
  init?(of node: NodeReference, in state: borrowing ProgressTree.State) {
    guard let extras = node.existingExtras else { return nil }
    waiters = extras.checkpointWaiters.removeAll()
    held = extras.heldUntilFinished
    if let handlers = extras.handlers { held.append(handlers) }
    if let requests = extras.requests { held.append(requests) }
    extras.heldUntilFinished = []
    extras.handlers = nil
    extras.requests = nil
    let feeds = extras.takeFeeds()
    guard !feeds.isEmpty else { return }
    var last = ProgressSnapshot(of: node)
    last.settle(state.sums(of: NodeValues(of: node), at: node))
    for feed in feeds { feed.finish(with: last) }
  }

  func perform() {
    for waiter in waiters { waiter.resume() }
  }
}
