/// A walk over the nodes below one, in short holds of the lock, parents before children.
///
/// What joins behind the walk is not visited; what leaves does not break it.
final class TreeWalk: @unchecked Sendable {
  /// The node at which the walk began.
  private let top: NodeReference
  /// The node to visit next, nil at the end.
  private var next: NodeReference?
  /// Its distance from the top.
  private var depth = 0

  /// Creates a walk that begins with the top itself.
  fileprivate init(from top: NodeReference) {
    self.top = top
    next = top
  }

  /// Steps over a node that leaves its list: it has no children.
  func leave(_ node: NodeReference) {
    if next == node { stepOver(node) }
  }

  /// Visits up to 1,000 nodes.
  ///
  /// - Parameter visit: Is given a node and its depth; answers whether to go on below it.
  /// - Returns: Whether the walk is at its end.
  fileprivate func visitSome(_ visit: (NodeReference, Int) -> Bool) -> Bool {
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

  /// Goes on behind a node and what is below it.
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
  /// Visits this node and all below it, at most 1,000 in one hold of the lock.
  ///
  /// - Parameter visit: Is given a node and its depth, under the lock; answers whether to go on below it.
  func walk(_ visit: (NodeReference, Int) -> Bool) {
    // The walk is over before this returns, so the node stays.
    let walk = TreeWalk(from: reference)
    var isDone = withTree { state, _ in
      let isDone = walk.visitSome(visit)
      if !isDone { state.walks.append(walk) }
      return isDone
    }
    while !isDone {
      isDone = withTree { state, _ in
        let isDone = walk.visitSome(visit)
        if isDone { state.walks.removeAll { $0 === walk } }
        return isDone
      }
    }
  }
}
