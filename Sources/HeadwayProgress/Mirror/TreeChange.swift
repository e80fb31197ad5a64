/// What has changed in a tree from one snapshot to a later one.
///
/// The change from nothing contains all nodes. Applied to a ``ProgressMirror`` in the same state, it gives the later
/// snapshot.
package struct TreeChange: Sendable, Equatable {
  /// The nodes that have ended or are no longer shown, without those below them, in the order in which they stood.
  package var ended: [UInt32] = []
  /// The new and the changed nodes; parents come before their new children, and siblings in their order.
  package var nodes: [NodeChange] = []

  /// Whether nothing has changed.
  package var isEmpty: Bool { ended.isEmpty && nodes.isEmpty }

  /// Creates an empty change.
  package init() {}

  /// Compares two snapshots of the same tree.
  ///
  /// - Parameters:
  ///   - old: The earlier snapshot, nil for nothing.
  ///   - new: The later snapshot.
  /// - Complexity: O(nodes of both).
  package init(from old: ProgressSnapshot?, to new: ProgressSnapshot) {
    var known: [UInt32: ProgressSnapshot] = [:]
    var isKept: Set<UInt32> = []
    old?.forEachNode { node, _ in known[node.id] = node }
    new.forEachNode { node, parent in
      isKept.insert(node.id)
      let before = known[node.id]
      let change = NodeChange(from: before, to: node, parent: parent)
      if before == nil || !change.isEmpty { nodes.append(change) }
    }
    old?.forEachNode { node, parent in
      if isKept.contains(node.id) { return }
      // The nodes below an ended one end with it.
      if let parent, !isKept.contains(parent) { return }
      ended.append(node.id)
    }
  }
}

/// What has changed in one node; a property that is nil has not changed.
package struct NodeChange: Sendable, Equatable {
  /// The number of the node in its tree.
  package let id: UInt32
  /// The number of its parent; set with `units`, for new nodes except the first one, and if the units have changed.
  package var parent: UInt32?
  /// The units of the parent that the node stands for.
  package var units: Int?
  package var label: String?
  /// The description of the current step; `.some(nil)` if there is none any more.
  package var detail: String??
  package var kind: WorkKind?
  package var completed: Int?
  /// The total; `.some(nil)` if it is not known any more.
  package var total: Int??
  /// The largest fraction that was read.
  package var shownFraction: Double?
  package var isFinished: Bool?
  package var isCancelled: Bool?
  package var isPaused: Bool?
  package var isCancellable: Bool?
  package var isPausable: Bool?
  package var omitsChildren: Bool?
  /// The typed values, and the sums of finished children.
  package var values: ValueTable?
  /// The completed part and the sums, if they do not follow from the nodes; `.some(nil)` if they do again.
  package var summary: ProgressSummary??

  /// Creates a change of nothing.
  package init(_ id: UInt32) { self.id = id }

  /// Compares two states of a node.
  ///
  /// - Parameters:
  ///   - old: The earlier state, nil for a new node; what is usual in a new node is left out.
  ///   - new: The later state.
  ///   - parent: The number of the parent, nil for the first node.
  init(from old: ProgressSnapshot?, to new: ProgressSnapshot, parent: UInt32?) {
    id = new.id
    if let parent, new.units != old?.units { (self.parent, units) = (parent, new.units) }
    if new.label != old?.label ?? "" { label = new.label }
    if new.detail != old?.detail { detail = .some(new.detail) }
    if new.kind != old?.kind ?? .work { kind = new.kind }
    if new.completed != old?.completed ?? 0 { completed = new.completed }
    if new.total != old?.total { total = .some(new.total) }
    // The fraction itself follows from the counts.
    let wasBack = old.map { $0.shownFraction > $0.fraction } ?? false
    if new.shownFraction > new.fraction, !wasBack || new.shownFraction != old?.shownFraction {
      shownFraction = new.shownFraction
    }
    if new.isFinished != old?.isFinished ?? false { isFinished = new.isFinished }
    if new.isCancelled != old?.isCancelled ?? false { isCancelled = new.isCancelled }
    if new.isPaused != old?.isPaused ?? false { isPaused = new.isPaused }
    if new.isCancellable != old?.isCancellable ?? true { isCancellable = new.isCancellable }
    if new.isPausable != old?.isPausable ?? true { isPausable = new.isPausable }
    if new.omitsChildren != old?.omitsChildren ?? false { omitsChildren = new.omitsChildren }
    if new.values != old?.values ?? ValueTable() { values = new.values }
    if new.summary != old?.summary { summary = .some(new.summary) }
  }

  /// Whether nothing has changed.
  var isEmpty: Bool { parent == nil && self == NodeChange(id) }

  /// The same state as the change of a node that may have any other state: nothing is left out, except the parts of the
  /// shown fraction that are gone.
  var complete: NodeChange {
    var change = self
    change.label = label ?? ""
    change.kind = kind ?? .work
    change.completed = completed ?? 0
    change.isFinished = isFinished ?? false
    change.isCancelled = isCancelled ?? false
    change.isPaused = isPaused ?? false
    change.isCancellable = isCancellable ?? true
    change.isPausable = isPausable ?? true
    change.omitsChildren = omitsChildren ?? false
    change.values = values ?? ValueTable()
    // No value at all means that nothing has changed; one of nothing, that there is none any more.
    if detail == nil { change.detail = .some(nil) }
    if total == nil { change.total = .some(nil) }
    if summary == nil { change.summary = .some(nil) }
    return change
  }
}

extension ProgressSnapshot {
  /// Visits the node and its descendants, parents first and siblings in their order.
  ///
  /// - Parameter visit: Takes a node and the number of its parent, nil for this node.
  package func forEachNode(_ visit: (_ node: ProgressSnapshot, _ parent: UInt32?) -> Void) {
    var next: [(ProgressSnapshot, UInt32?)] = [(self, nil)]
    while let (node, parent) = next.popLast() {
      visit(node, parent)
      next += node.children.reversed().map { ($0, node.id) }
    }
  }
}
