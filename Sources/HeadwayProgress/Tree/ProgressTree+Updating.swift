internal import Synchronization

extension ProgressTree.State {
  /// Brings the fraction of a node up to date and adds the difference to the sum of its parent.
  ///
  /// Does nothing if the node has finished.
  @inline(__always)
  mutating func update(_ node: NodeReference) {
    guard !node.isFinished else { return }
    let fraction = Int(node.completedPart(count: node.setCleanBit()) * NodeReference.fixedPointOne)
    let before = node.fixedFraction
    guard fraction != before else { return }
    // The shown fraction does not go back.
    if fraction < before { node.extras.peakFraction = max(node.extras.peakFraction, before) }
    node.fixedFraction = fraction
    guard let parent = node.parent, node.level <= ProgressNode.maximumDepth, !parent.isFinished
    else { return }
    let sum = parent.childSum &+ Int128(node.share) &* Int128(fraction - before)
    parent.childSum = sum
    // Checked at each addition: several overflows could bring the sum back to a plausible value.
    if sum < 0 { parent.set(LinkFlags.overflowed, true) }
    enqueue(parent)
  }

  /// Updates the pending nodes, from the deepest level up.
  ///
  /// - Parameter budget: The most nodes to update; reduced by the number of updated ones.
  /// - Returns: Whether no node is pending any more.
  mutating func updatePending(_ budget: inout Int) -> Bool {
    while deepestPending > 1 {
      guard let node = pending[deepestPending - 2] else {
        deepestPending -= 1
        continue
      }
      guard budget > 0 else { return false }
      budget -= 1
      dequeue(node)
      update(node)
    }
    return true
  }

  /// Whether a node is pending.
  var hasPending: Bool {
    mutating get {
      while deepestPending > 1, pending[deepestPending - 2] == nil { deepestPending -= 1 }
      return deepestPending > 1
    }
  }

  /// Updates the dirty nodes that were taken from the stack.
  ///
  /// - Parameter budget: The most nodes to update; reduced by the number of updated ones.
  /// - Returns: Whether all of them were updated.
  mutating func updateTaken(_ budget: inout Int) -> Bool {
    while taken != ProgressTree.endOfStack {
      guard budget > 0 else { return false }
      budget -= 1
      guard let node = popTaken() else { break }
      // A node with children is updated after them, with its level.
      if node.level == 1 || node.firstChild == nil {
        update(node)
      } else if !node.isFinished {
        enqueue(node)
      }
    }
    return true
  }

  /// Pops a dirty node that was taken from the stack.
  mutating func popTaken() -> NodeReference? {
    guard taken != ProgressTree.endOfStack, let node = NodeReference(bits: taken) else {
      return nil
    }
    taken = node.nextDirty
    node.set(LinkFlags.tracked, false)
    version &+= 1
    return node
  }
}

extension ProgressTree {
  /// Moves all dirty nodes to the lists of pending ones, so that none is left on the stack.
  func drainDirtyNodes(_ state: inout State) {
    enqueueTaken(&state)
    takeDirtyNodes(&state)
    enqueueTaken(&state)
  }

  /// Takes the stack of dirty nodes.
  private func takeDirtyNodes(_ state: inout State) {
    // Acquires the links, and what the workers did before they pushed.
    state.taken = dirtyNodes.exchange(Self.endOfStack, ordering: .sequentiallyConsistent)
  }

  private func enqueueTaken(_ state: inout State) {
    while let node = state.popTaken() {
      if !node.isFinished { state.enqueue(node) }
    }
  }

  /// Updates up to 1,000 nodes.
  ///
  /// - Parameters:
  ///   - state: The state of the tree.
  ///   - hasTaken: Whether the stack of dirty nodes was taken since the read began.
  /// - Returns: Whether the tree is as up to date as the moment at which the read began.
  func updateSome(_ state: inout State, _ hasTaken: inout Bool) -> Bool {
    var budget = Self.nodesPerHold
    guard state.updateTaken(&budget) else { return false }
    if !hasTaken {
      hasTaken = true
      if dirtyNodes.load(ordering: .relaxed) != Self.endOfStack {
        takeDirtyNodes(&state)
        guard state.updateTaken(&budget) else { return false }
      }
    }
    return state.updatePending(&budget)
  }
}

extension ProgressNode {
  /// Brings the sums of the tree up to date, in short holds of the lock.
  ///
  /// - Returns: The version of the tree that the sums include.
  @discardableResult
  func updateTree() -> UInt64 {
    let (refreshers, number) = withTree { state, tree in
      state.isRead = true
      return (state.refreshers, tree.number)
    }
    if !refreshers.isEmpty {
      RefreshRound.refresh(tree: number) { for refresher in refreshers { refresher.refresh() } }
    }
    var hasTaken = false
    while true {
      let version = withTree { state, tree in
        tree.updateSome(&state, &hasTaken) ? state.version : nil
      }
      if let version { return version }
    }
  }

  /// Calls a function before each read of the tree, until the node finishes.
  ///
  /// - Parameter refresh: Brings the node up to date with its source; called outside of all locks.
  package func onRead(_ refresh: @escaping @Sendable () -> Void) {
    withTreeChanging { state, _ in
      guard !isFinished else { return }
      reference.set(LinkFlags.hasRefresher, true)
      state.refreshers.append(
        ProgressTree.Refresher(node: self, address: reference.bits, refresh: refresh))
    }
  }

  /// Holds an object until the node finishes.
  package func holdUntilFinished(_ object: some AnyObject & Sendable) {
    withTree { _, _ in
      if !isFinished { reference.extras.heldUntilFinished.append(object) }
    }
  }
}

extension NodeReference {
  /// The fixed-point number for a fraction of 1.
  static let fixedPointOne = 0x1p62

  /// The completed part for a count of the node's own units and the sum of its live children; the parent counts it.
  ///
  /// - Parameter count: The completed units without those of live children.
  /// - Returns: From 0 to 1; 1 if the count has reached the total, even if the node has not finished.
  @inline(__always)
  func completedPart(count: Int) -> Double {
    let total = with { unsafe $0.links.total }
    guard total > 0 else { return total < 0 ? 0 : 1 }
    if has(LinkFlags.overflowed | LinkFlags.summarized) {
      return existingExtras?.summary?.part ?? 1
    }
    var done = Double(count)
    let sum = childSum
    if sum != 0 {
      done +=
        (Double(Int64(truncatingIfNeeded: sum >> 64)) * 0x1p64
          + Double(UInt64(truncatingIfNeeded: sum))) * 0x1p-62
    }
    return min(done / Double(total), 1)
  }

  /// The count with what live children have completed of their shares, as of the last update.
  var countWithChildren: Int {
    let (sum, overflows) = count.addingReportingOverflow(
      Int(clamping: max(childSum, 0) / Int128(Self.fixedPointOne)))
    return overflows ? .max : sum
  }

  /// The fraction, 1 only if finished.
  var fraction: Double { fraction(of: completedPart(count: count)) }

  /// The largest fraction that was read.
  var shownFraction: Double {
    fraction(of: Double(max(fixedFraction, existingExtras?.peakFraction ?? 0)) / Self.fixedPointOne)
  }

  /// The fraction that a person sees of a completed part.
  private func fraction(of part: Double) -> Double {
    isFinished ? 1 : min(part, ProgressNode.largestUnfinishedFraction)
  }
}
