extension ProgressNode {
  /// What has become of a request from outside.
  package enum RequestResult: Hashable, Sendable {
    /// It was carried out, or the node was in that state already.
    case done
    /// This node and those below it have no such number.
    case unknownNode
    /// The node does not allow it.
    case refused
    /// The work of this node has ended.
    case finished
  }

  /// Cancels, pauses or resumes this node or one below it, found by its number in snapshots.
  ///
  /// As ``cancel()``, ``pause()`` and ``resume()``, but it says what has become of it. Safe from any thread.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - id: The number of the node, nil for this one.
  /// - Returns: What has become of it.
  /// - Complexity: O(nodes below this one), at most 1,000 nodes in one hold of the tree's lock.
  package func carryOut(_ request: ProgressMirror.Request, onNode id: UInt32?) -> RequestResult {
    if isFinished { return .finished }
    guard let (walk, state) = walk(fromNode: id) else { return .unknownNode }
    switch request {
    case .cancel:
      cancel(walk, isNoted: true)
      return state & NodeState.uncancellable == 0 ? .done : .refused
    case .pause:
      pause(walk, isNoted: true)
      return state & NodeState.unpausable == 0 ? .done : .refused
    case .resume:
      resume(walk, isNoted: true)
      return .done
    }
  }

  /// Begins a walk from this node or one below it, which the tree knows, so that the node may be unlinked meanwhile.
  ///
  /// - Parameter id: The number of the node, nil for this one.
  /// - Returns: The walk and the state bits of the node, nil if there is no such node.
  private func walk(fromNode id: UInt32?) -> (walk: TreeWalk, state: UInt8)? {
    // The lock of the tree guards them: a closure under it sets them.
    var found: (node: NodeReference, state: UInt8)?
    let search = TreeWalk(from: reference)
    var isNoted = false
    while true {
      let (isDone, walk) = withTree { tree, _ -> (Bool, TreeWalk?) in
        let isDone = search.visitSome { node, _ in
          if found == nil, id == nil || node.id == id { found = (node, node.state) }
          return found == nil
        }
        if isDone || found != nil {
          if isNoted { tree.walks.removeAll { $0 === search } }
        } else if !isNoted {
          tree.walks.append(search)
          isNoted = true
        }
        let walk = found.map { TreeWalk(from: $0.node) }
        if let walk { tree.walks.append(walk) }
        return (isDone, walk)
      }
      if let walk, let found { return (walk, found.state) }
      if isDone { return nil }
    }
  }
}
