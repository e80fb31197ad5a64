internal import HeadwayLock
internal import Synchronization

/// The reason why a tree cannot be added to a node.
///
/// ```swift
/// do throws(ProgressError) {
///   try release.add(upload, units: 1)
/// } catch {
///   show("\(error)")  // the progress of the tree was read before
/// }
/// ```
@nonexhaustive
public enum ProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The node has a parent or has finished.
  case notARoot
  /// The node is the new parent itself or one of its ancestors.
  case isAncestor
  /// The tree would have more than ``ProgressNode/maximumDepth`` levels.
  case tooDeep
  /// The progress of the tree was read before it was added.
  case alreadyRead

  /// A sentence that says what is wrong and what to do instead.
  public var description: String {
    switch self {
    case .notARoot:
      "the node already has a parent or has finished: add an unfinished root, once"
    case .isAncestor:
      "the node is the new parent or one of its ancestors: add it to another node"
    case .tooDeep:
      "the tree would have more than \(ProgressNode.maximumDepth) levels: add the node further up"
    case .alreadyRead:
      "the progress of the tree was read before: add it before its first snapshot, fraction or feed"
    }
  }
}

extension ProgressNode {
  /// Adds the root of another tree as a child, with all nodes below it.
  ///
  /// Use this for work that made its own root before it had a parent. If you create the node yourself, use
  /// ``child(_:units:total:)`` or ``share(of:)`` instead.
  ///
  /// A tree can be added until its progress is first read, by a fraction, a sum, a snapshot or a feed. Other threads
  /// may call ``complete(_:)`` on its nodes while it is added. They must not use the nodes in any other way
  /// meanwhile, or the program may trap.
  ///
  /// In a parent that has finished, the child counts for nothing; cancel and pause still reach it.
  ///
  /// - Parameters:
  ///   - root: A node without a parent that has not finished.
  ///   - units: The units of this node that the child stands for; less than 0 counts as 0.
  /// - Throws: ``ProgressError`` if the tree cannot be added. Then nothing has changed.
  /// - Complexity: O(nodes below the root), in one hold of the lock.
  public func add(_ root: ProgressNode, units: Int) throws(ProgressError) {
    try checkPlace(of: root)
    let subtree = try root.detachSubtree(below: reference.depth)
    withTreeChanging { state, tree in
      state.link(subtree, below: reference, share: max(units, 0))
    }
    if isCancelled { root.cancel() }
    root.inheritPause()
  }

  /// Checks that a node is an unfinished root that is not this node or one of its ancestors.
  package func checkPlace(of root: ProgressNode) throws(ProgressError) {
    var above: NodeReference? = reference
    while let node = above {
      if node == root.reference { throw .isAncestor }
      above = node.parent
    }
    if root.reference.parent != nil || root.isFinished { throw .notARoot }
  }

  /// Closes the tree of this root, so that its nodes can be linked below a parent at a depth.
  private func detachSubtree(below depth: Int) throws(ProgressError) -> DetachedSubtree {
    let result = reference.withTreeObject { tree in
      tree.state.withLock { state -> Result<DetachedSubtree, ProgressError> in
        // Another thread has added this root.
        if state.isClosed || reference.parent != nil { return .failure(.notARoot) }
        if state.isRead { return .failure(.alreadyRead) }
        precondition(
          state.walks.isEmpty, "a tree was cancelled or paused while it was added to another")
        let nodes = reference.subtree
        guard nodes.allSatisfy({ depth + 1 + $0.depth <= Self.maximumDepth }) else {
          return .failure(.tooDeep)
        }
        for (node, _) in nodes { state.dequeue(node) }
        state.isClosed = true
        return .success(DetachedSubtree(nodes: nodes, refreshers: state.refreshers, tree: tree))
      }
    }
    return try result.get()
  }
}

/// The nodes of a tree that is being added to another.
private struct DetachedSubtree: Sendable {
  /// The root and all nodes below it, parents first, with their depth below the root.
  let nodes: [(node: NodeReference, depth: Int)]
  let refreshers: [ProgressTree.Refresher]
  /// The tree that the root was made with.
  let tree: ProgressTree
}

extension ProgressTree.State {
  /// Links the nodes of a closed tree below a node of this one.
  ///
  /// The nodes have never been read: no clean bit is set and all fractions are 0.
  fileprivate mutating func link(
    _ subtree: DetachedSubtree, below parent: NodeReference, share: Int
  ) {
    let root = subtree.nodes[0].node
    // A thread that has just found the closed tree traps there, so the tree must stay alive.
    root.extras.closedTree = subtree.tree
    // Balances the retain of the initializer.
    unsafe Unmanaged.passUnretained(subtree.tree).release()
    // Releases the state of the tree to threads that walk up without its lock.
    root.with { $0.up.store(parent.retainedBits, ordering: .releasing) }
    root.share = share
    append(root, to: parent)
    for (node, depth) in subtree.nodes {
      node.level = UInt8(Int(parent.level) + 1 + depth)
      node.id = takeID()
      // A finished node is only there for its children.
      if !node.isFinished { enqueue(node) }
    }
    refreshers += subtree.refreshers
    if root.has(LinkFlags.hasValues) { markHasValues(parent) }
  }
}

extension NodeReference {
  /// The number of nodes from the root to this one.
  fileprivate var depth: Int {
    var depth = 1
    var node = self
    while let parent = node.parent {
      depth += 1
      node = parent
    }
    return depth
  }

  /// This node and all below it, parents first, with their depth below it.
  fileprivate var subtree: [(node: NodeReference, depth: Int)] {
    var nodes = [(node: self, depth: 0)]
    var index = 0
    while index < nodes.count {
      let (node, depth) = nodes[index]
      var next = node.firstChild
      while let child = next {
        nodes.append((child, depth + 1))
        next = child.next
      }
      index += 1
    }
    return nodes
  }
}
