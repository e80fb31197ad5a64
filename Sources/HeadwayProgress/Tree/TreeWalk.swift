/// A walk over a node and its descendants, parents first, that releases the lock from time to time.
///
/// A child that is linked behind the walk is not visited, and one that is unlinked does not break it.
final class TreeWalk: @unchecked Sendable {
  private let top: NodeReference
  /// The node to visit next, nil at the end.
  private var next: NodeReference?
  /// The depth of that node below the top.
  private var depth = 0

  init(from top: NodeReference) {
    self.top = top
    next = top
  }

  /// Skips a node without children that is about to be unlinked.
  func skip(_ node: NodeReference) {
    if next == node { stepOver(node) }
  }

  /// Visits up to 1,000 nodes.
  ///
  /// - Parameter visit: Takes a node and its depth; returns whether to visit its children.
  /// - Returns: Whether all nodes were visited.
  func visitSome(_ visit: (NodeReference, Int) -> Bool) -> Bool {
    for _ in 0..<ProgressTree.nodesPerHold {
      guard let node = next else { return true }
      if visit(node, depth), let child = node.firstChild {
        next = child
        depth += 1
      } else {
        stepOver(node)
      }
    }
    return next == nil
  }

  /// Continues after a node and its descendants.
  private func stepOver(_ node: NodeReference) {
    var node = node
    while node != top {
      if let sibling = node.next {
        next = sibling
        return
      }
      guard let parent = node.parent else { break }
      node = parent
      depth -= 1
    }
    next = nil
  }
}

extension ProgressNode {
  /// Visits this node and its descendants, at most 1,000 in one hold of the lock.
  ///
  /// - Parameter visit: Takes a node and its depth, under the lock; returns whether to visit its children.
  func walk(_ visit: (NodeReference, Int) -> Bool) {
    walk(TreeWalk(from: reference), visit)
  }

  /// Continues a walk in this node's tree to its end, at most 1,000 nodes in one hold of the lock.
  ///
  /// - Parameters:
  ///   - walk: The walk.
  ///   - isNoted: Whether the tree knows it already.
  ///   - visit: As above.
  func walk(_ walk: TreeWalk, isNoted: Bool = false, _ visit: (NodeReference, Int) -> Bool) {
    var isNoted = isNoted
    var isDone = false
    while !isDone {
      isDone = withTree { state, _ in
        let isDone = walk.visitSome(visit)
        // Nodes that are unlinked between two holds must not break it.
        if !isDone, !isNoted { state.walks.append(walk) }
        if isDone, isNoted { state.walks.removeAll { $0 === walk } }
        return isDone
      }
      isNoted = true
    }
  }
}
