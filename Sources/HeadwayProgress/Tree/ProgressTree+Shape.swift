internal import Synchronization

extension ProgressTree.State {
  /// Links a new child as the last one of its parent.
  ///
  /// - Parameters:
  ///   - child: The child; it is in no list.
  ///   - parent: The parent.
  ///   - share: The units of the parent that the child stands for, at least 0.
  mutating func link(_ child: NodeReference, below parent: NodeReference, share: Int) {
    append(child, to: parent)
    child.share = share
    child.id = takeID()
    child.level = Self.level(below: parent)
    inheritState(child, from: parent)
    enqueue(child)
  }

  mutating func takeID() -> UInt32 {
    defer { nextID &+= 1 }
    return nextID
  }

  /// The level of the children of a node.
  static func level(below parent: NodeReference) -> UInt8 {
    min(parent.level + 1, UInt8(ProgressNode.maximumDepth) + 1)
  }

  /// Appends a node to the list of a parent's children.
  mutating func append(_ child: NodeReference, to parent: NodeReference) {
    relink(parent)
    appendToList(child, of: parent)
  }

  /// Links a finished node, and its finished ancestors, to their parents again.
  ///
  /// They have left their parents' lists, but a new child must be reached by cancel and pause from above.
  private mutating func relink(_ node: NodeReference) {
    var unlinked: [(node: NodeReference, parent: NodeReference)] = []
    var next = node
    while next.isFinished, next.previous == nil, let parent = next.parent {
      unlinked.append((next, parent))
      next = parent
    }
    // From the top, as each node inherits what has changed above it.
    for (node, parent) in unlinked.reversed() {
      node.id = takeID()
      node.level = Self.level(below: parent)
      node.setState(NodeState.pausedAbove, false)
      inheritState(node, from: parent)
      appendToList(node, of: parent)
    }
  }

  private func appendToList(_ child: NodeReference, of parent: NodeReference) {
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

  /// Removes a node from its parent's list.
  func unlink(_ child: NodeReference, from parent: NodeReference) {
    for walk in walks { walk.skip(child) }
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

  /// Adds a node to the pending updates of its level; the root and nodes that are too deep need none.
  @inline(__always)
  mutating func enqueue(_ node: NodeReference) {
    let level = Int(node.level)
    guard level > 1, level <= ProgressNode.maximumDepth, !node.has(LinkFlags.pending) else {
      return
    }
    while pending.count < level - 1 { pending.append(nil) }
    let head = pending[level - 2]
    node.nextPending = head
    node.previousPending = nil
    head?.previousPending = node
    pending[level - 2] = node
    node.set(LinkFlags.pending, true)
    deepestPending = max(deepestPending, level)
  }

  /// Removes a node from the pending updates.
  @inline(__always)
  mutating func dequeue(_ node: NodeReference) {
    guard node.has(LinkFlags.pending) else { return }
    let next = node.nextPending
    if let previous = node.previousPending {
      previous.nextPending = next
    } else {
      pending[Int(node.level) - 2] = next
    }
    next?.previousPending = node.previousPending
    node.set(LinkFlags.pending, false)
  }

  /// Passes cancel and pause from a parent to a child.
  func inheritState(_ child: NodeReference, from parent: NodeReference) {
    let above = parent.state
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
  /// Finishes a node: adds its share and its typed sums to the parent and unlinks it.
  ///
  /// - Parameter node: A node that has not finished.
  /// - Returns: The actions to perform outside of the lock.
  mutating func finish(_ node: NodeReference) -> FinishActions? {
    dequeue(node)
    if let parent = node.parent, !parent.isFinished {
      if node.level <= ProgressNode.maximumDepth {
        parent.childSum &-= Int128(node.share) &* Int128(node.fixedFraction)
      }
      parent.with { $0.addFinishedChild(node.share) }
      if node.has(LinkFlags.hasValues) { foldSums(of: node, into: parent) }
      if let skipped = node.existingExtras?.skipped, skipped > 0, let total = node.total, total > 0
      {
        parent.extras.skipped += Double(node.share) * min(skipped / Double(total), 1)
      }
      enqueue(parent)
    }
    node.fixedFraction = node.count
    if node.has(LinkFlags.hasRefresher) { refreshers.removeAll { $0.address == node.bits } }
    // A finished node is not pushed any more, but it may be on the stack of dirty nodes or about to be pushed.
    let lingers = node.has(LinkFlags.tracked) && !node.clearCleanBit()
    if !lingers { node.set(LinkFlags.tracked, false) }
    node.setState(NodeState.finished | (lingers ? NodeState.lingering : 0), true)
    unlinkIfEmpty(node)
    return FinishActions(of: node, in: self)
  }

  /// Unlinks a finished node without live children, and its ancestors likewise.
  private func unlinkIfEmpty(_ node: NodeReference) {
    var node = node
    while node.firstChild == nil, node.isFinished, node.previous != nil, let parent = node.parent {
      unlink(node, from: parent)
      node = parent
    }
  }
}

extension ProgressNode {
  /// Ends the work: its whole share counts as completed in the parent, whatever its own count is.
  ///
  /// A node also finishes when its last reference is dropped. Units completed later do not count. Live children do not
  /// count any more either, but cancel and pause still reach them. A second call does nothing.
  ///
  /// - Complexity: O(1), plus O(descendants with typed values).
  public func finish() {
    guard !isFinished else { return }
    let actions = withTreeChanging { state, _ in
      reference.isFinished ? nil : state.finish(reference)
    }
    actions?.perform()
  }

  /// Removes the node from the stack of dirty nodes and releases its parent, for `deinit`.
  func unlinkMemory() {
    if state.load(ordering: .relaxed) & NodeState.lingering != 0 {
      withTree { state, tree in tree.drainDirtyNodes(&state) }
    }
    let bits = up.load(ordering: .relaxed)
    if bits & 1 == 0 {
      // Balances the retain of the initializer, or of `add`. At most 65 levels deep.
      NodeReference(bits: bits)?.release()
    } else if let tree = unsafe UnsafeRawPointer(bitPattern: bits & ~1) {
      unsafe Unmanaged<ProgressTree>.fromOpaque(tree).release()
    }
  }

  /// Adds the units of a finished child, under the lock; the caller enqueues the node.
  func addFinishedChild(_ units: Int) {
    let old = counter.wrappingAdd(UInt64(truncatingIfNeeded: units) &<< 1, ordering: .relaxed)
      .oldValue
    // The clean bit stays as it is: to push the node would wake waiters under the lock.
    if old >> 1 &+ UInt64(units) >= Self.saturatedCount { saturate() }
  }
}
