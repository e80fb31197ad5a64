internal import Synchronization

extension ProgressTree.State {
  /// Links a child that was just made as the last one of its parent.
  ///
  /// - Parameters:
  ///   - child: The child; it is in no list.
  ///   - parent: The node above.
  ///   - share: The units of the parent that the child stands for, at least 0.
  mutating func link(_ child: NodeReference, below parent: NodeReference, share: Int) {
    append(child, to: parent)
    child.share = share
    child.id = takeID()
    child.level = Self.level(below: parent)
    inherit(child, from: parent)
    enqueue(child)
  }

  /// Gives a number to a node.
  mutating func takeID() -> UInt32 {
    defer { nextID &+= 1 }
    return nextID
  }

  /// The level of the children of a node: past the deepest one they are not added up while they move.
  static func level(below parent: NodeReference) -> UInt8 {
    min(parent.level + 1, UInt8(ProgressNode.maximumDepth) + 1)
  }

  /// Puts a node at the end of a parent's list.
  mutating func append(_ child: NodeReference, to parent: NodeReference) {
    relink(parent)
    addToList(child, of: parent)
  }

  /// Links a node that has finished and left its parent's list once more, as it is about to get a child, and those above it
  /// likewise: cancel and pause go down to the child through them.
  private mutating func relink(_ node: NodeReference) {
    var left: [(node: NodeReference, parent: NodeReference)] = []
    var next = node
    while next.isFinished, next.previous == nil, let parent = next.parent {
      left.append((next, parent))
      next = parent
    }
    // From the top, as each takes over what has happened above it since it left.
    for (node, parent) in left.reversed() {
      node.id = takeID()
      node.level = Self.level(below: parent)
      node.setState(NodeState.pausedAbove, false)
      inherit(node, from: parent)
      addToList(node, of: parent)
    }
  }

  /// Puts a node that is in no list at the end of a parent's.
  private func addToList(_ child: NodeReference, of parent: NodeReference) {
    child.next = nil
    if let first = parent.firstChild, let last = first.previous {
      last.next = child
      child.previous = last
      first.previous = child
    } else {
      parent.firstChild = child
      child.previous = child
    }
  }

  /// Takes a node out of its parent's list.
  func unlink(_ child: NodeReference, from parent: NodeReference) {
    for walk in walks { walk.leave(child) }
    if child == parent.firstChild {
      parent.firstChild = child.next
      child.next?.previous = child.previous
    } else {
      child.previous?.next = child.next
      (child.next ?? parent.firstChild)?.previous = child.previous
    }
    child.next = nil
    child.previous = nil
  }

  /// Lets a node wait for a look on the list of its level; the root and what is too deep need none.
  @inline(__always)
  mutating func enqueue(_ node: NodeReference) {
    let level = Int(node.level)
    guard level > 1, level <= ProgressNode.maximumDepth, !node.has(LinkFlags.waiting) else {
      return
    }
    while waiting.count < level - 1 { waiting.append(nil) }
    let head = waiting[level - 2]
    node.nextWaiting = head
    node.previousWaiting = nil
    head?.previousWaiting = node
    waiting[level - 2] = node
    node.set(LinkFlags.waiting, true)
    deepest = max(deepest, level)
  }

  /// Takes a node out of the list of its level.
  @inline(__always)
  mutating func dequeue(_ node: NodeReference) {
    guard node.has(LinkFlags.waiting) else { return }
    let next = node.nextWaiting
    if let previous = node.previousWaiting {
      previous.nextWaiting = next
    } else {
      waiting[Int(node.level) - 2] = next
    }
    next?.previousWaiting = node.previousWaiting
    node.set(LinkFlags.waiting, false)
  }

  /// Gives a child the state that holds above it.
  func inherit(_ child: NodeReference, from parent: NodeReference) {
    let above = parent.state
    // A child that is not to be cancelled or paused has said so before it was linked.
    let own = child.state
    if above & NodeState.cancelled != 0, own & NodeState.uncancellable == 0 {
      child.setState(NodeState.cancelled, true)
    }
    if above & NodeState.paused != 0, own & NodeState.unpausable == 0 {
      child.setState(NodeState.pausedAbove, true)
    }
  }
}

extension ProgressTree.State {
  /// Ends a node: its share and its typed sums go to the parent, and it leaves the lists.
  ///
  /// - Parameter node: A node that has not finished.
  /// - Returns: What has to be done after leaving the lock.
  mutating func end(_ node: NodeReference) -> NodeLeavings? {
    dequeue(node)
    if let parent = node.parent, !parent.isFinished {
      if node.level <= ProgressNode.maximumDepth {
        parent.childSum &-= Int128(node.share) &* Int128(node.portion)
      }
      parent.with { $0.credit(node.share) }
      if node.has(LinkFlags.informed) { foldSums(of: node, into: parent) }
      enqueue(parent)
    }
    node.portion = node.count
    if node.has(LinkFlags.mirrors) { mirrors.removeAll { $0.address == node.bits } }
    // Nobody puts a finished node into the inbox any more, but it may be in there, or on its way.
    let lingers = node.has(LinkFlags.wired) && !node.takeWireDown()
    if !lingers { node.set(LinkFlags.wired, false) }
    node.setState(NodeState.finished | (lingers ? NodeState.lingering : 0), true)
    detachIfEmpty(node)
    return NodeLeavings(of: node, in: self)
  }

  /// Takes a finished node without live children out of its parent's list, and the parent likewise.
  private func detachIfEmpty(_ node: NodeReference) {
    var node = node
    while node.firstChild == nil, node.isFinished, node.previous != nil, let parent = node.parent {
      unlink(node, from: parent)
      node = parent
    }
  }
}

extension ProgressNode {
  /// Ends the work: the whole share counts as completed in the parent, whatever the count says.
  ///
  /// A second call does nothing. A node that nobody holds any more finishes by itself. What is added later does
  /// not count. Children that are still alive count no more; cancel and pause go on reaching them.
  ///
  /// - Complexity: O(1), and O(nodes with typed values below) where there are some.
  public func finish() {
    guard !isFinished else { return }
    let leavings = withTreeChanging { state, _ in
      reference.isFinished ? nil : state.end(reference)
    }
    leavings?.settle()
  }

  /// Takes the node out of what may still refer to it, and lets go of what is above.
  ///
  /// For `deinit`: nobody holds the node any more, and it has finished.
  func leaveMemory() {
    if state.load(ordering: .relaxed) & NodeState.lingering != 0 {
      withTree { state, tree in tree.takeInAll(&state) }
    }
    let bits = up.load(ordering: .relaxed)
    if bits & 1 == 0 {
      // Balances the retain of the initializer, or of `add`. At most 65 levels deep.
      NodeReference(bits: bits)?.release()
    } else if let tree = unsafe UnsafeRawPointer(bitPattern: bits & ~1) {
      unsafe Unmanaged<ProgressTree>.fromOpaque(tree).release()
    }
  }

  /// Adds the units of a child that has finished; the caller holds the lock and lets the node be looked at.
  func credit(_ units: Int) {
    let old = word.wrappingAdd(UInt64(truncatingIfNeeded: units) &<< 1, ordering: .relaxed).oldValue
    // The wire stays as it is: to report would wake those who sleep, under the lock.
    if old >> 1 &+ UInt64(units) >= Self.fullCount { fillCount() }
  }
}
