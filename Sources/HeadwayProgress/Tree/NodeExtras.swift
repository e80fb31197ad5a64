/// What only some nodes have: words, typed values, handlers, those who wait.
///
/// It is made with the first use. The lock of the tree guards it, but for the handlers, which have their own.
final class NodeExtras: @unchecked Sendable {
  /// The words that name the work.
  var label = ""
  /// Words about what is being done at the moment.
  var detail: String?
  /// What sort of work it is.
  var kind = WorkKind.work
  /// The largest portion that was seen before the fraction went back.
  var held = 0
  /// The typed values, and the sums that finished children have left.
  var information = InformationTable()
  /// What is called on cancel, pause and resume; nil while there is none.
  var handlers: HandlerList?
  /// How many pauses the handlers have been told of, or are about to be.
  var pauses: UInt64 = 0
  /// Those who wait at a checkpoint until the node goes on.
  var waiting = WaitingLine<CheckpointWait>()
  /// The feeds of the node.
  private(set) var watches: [ProgressWatch.Weak] = []
  /// The number of feeds at which those that are gone are let go of.
  private var watchLimit = 8
  /// Objects that are released when the node finishes.
  var heldUntilFinished: [any Sendable] = []
  /// The tree that a root was made with, after it was added to another.
  var closedTree: ProgressTree?

  /// Creates extras without anything.
  init() {}

  /// Adds a feed, and at times lets go of those that are gone, so that many feeds cost O(1) each.
  func add(_ watch: ProgressWatch) {
    if watches.count >= watchLimit {
      watches.removeAll { $0.watch == nil }
      watchLimit = max(8, watches.count * 2)
    }
    watches.append(ProgressWatch.Weak(watch: watch))
  }

  /// Takes all feeds that somebody holds.
  func takeWatches() -> [ProgressWatch] {
    defer { watches = [] }
    return watches.compactMap(\.watch)
  }
}

/// What a node that has ended leaves to be done outside the lock.
struct NodeLeavings: Sendable {
  /// Those who waited at a checkpoint.
  private var waiting: [CheckpointWait] = []
  /// The handlers, which are let go outside the lock.
  private var handlers: HandlerList?
  /// Objects to release.
  private var held: [any Sendable] = []

  /// Takes what a node leaves, under the lock; nil when it is nothing.
  init?(of node: NodeReference, in state: borrowing ProgressTree.State) {
    guard let extras = node.existingExtras else { return nil }
    waiting = extras.waiting.takeAll()
    handlers = extras.handlers
    extras.handlers = nil
    held = extras.heldUntilFinished
    extras.heldUntilFinished = []
    let watches = extras.takeWatches()
    guard !watches.isEmpty else { return }
    var last = ProgressSnapshot(of: node)
    last.sums = state.sums(of: InformationRecord(of: node), at: node)
    for watch in watches { watch.end(with: last) }
  }

  /// Lets those go on who waited.
  func settle() {
    for wait in waiting { wait.goOn() }
  }
}
