internal import Synchronization

extension ProgressTree.State {
  /// Brings a node up to date: sets its wire, and tells its parent what it has gained.
  ///
  /// - Parameter node: A node that has not finished, or else nothing is done.
  @inline(__always)
  mutating func look(at node: NodeReference) {
    guard !node.isFinished else { return }
    let portion = Int(node.fraction(count: node.setWire()) * NodeReference.portionsPerUnit)
    let seen = node.portion
    guard portion != seen else { return }
    // The shown value holds what was once seen.
    if portion < seen { node.extras.held = max(node.extras.held, seen) }
    node.portion = portion
    guard let parent = node.parent, node.level <= ProgressNode.maximumDepth, !parent.isFinished
    else { return }
    let sum = parent.childSum &+ Int128(node.share) &* Int128(portion - seen)
    parent.childSum = sum
    // Noted at once: what many children add may lead the sum round to where it looks right again.
    if sum < 0 { parent.set(LinkFlags.overfull, true) }
    enqueue(parent)
  }

  /// Looks at what waits on the lists of the levels, from the deepest up.
  ///
  /// - Parameter budget: The most nodes to look at; less what was looked at on return.
  /// - Returns: Whether nothing waits any more.
  mutating func lookAtWaiting(_ budget: inout Int) -> Bool {
    while deepest > 1 {
      guard let node = waiting[deepest - 2] else {
        deepest -= 1
        continue
      }
      guard budget > 0 else { return false }
      budget -= 1
      dequeue(node)
      look(at: node)
    }
    return true
  }

  /// Whether nodes wait for a look.
  var hasWaiting: Bool {
    mutating get {
      while deepest > 1, waiting[deepest - 2] == nil { deepest -= 1 }
      return deepest > 1
    }
  }

  /// Looks at what has come out of the inbox.
  ///
  /// - Parameter budget: The most nodes to look at; less what was looked at on return.
  /// - Returns: Whether all of it was looked at.
  mutating func lookAtArrivals(_ budget: inout Int) -> Bool {
    while arrivals != ProgressTree.emptyInbox {
      guard budget > 0 else { return false }
      budget -= 1
      guard let node = takeArrival() else { break }
      // What has children is looked at after them, with its level.
      if node.level == 1 || node.firstChild == nil {
        look(at: node)
      } else if !node.isFinished {
        enqueue(node)
      }
    }
    return true
  }

  /// Takes the first node of what has come out of the inbox.
  mutating func takeArrival() -> NodeReference? {
    guard arrivals != ProgressTree.emptyInbox, let node = NodeReference(bits: arrivals) else {
      return nil
    }
    arrivals = node.inboxNext
    node.set(LinkFlags.wired, false)
    version &+= 1
    return node
  }
}

extension ProgressTree {
  /// Empties the inbox into the lists of the levels, so that no node is left in it.
  func takeInAll(_ state: inout State) {
    takeInArrivals(&state)
    // Acquires the links, and what the workers did before they were set.
    state.arrivals = inbox.exchange(Self.emptyInbox, ordering: .sequentiallyConsistent)
    takeInArrivals(&state)
  }

  /// Puts what has come out of the inbox on the lists of the levels.
  func takeInArrivals(_ state: inout State) {
    while let node = state.takeArrival() {
      if !node.isFinished { state.enqueue(node) }
    }
  }

  /// Looks at up to 1,000 nodes.
  ///
  /// - Parameters:
  ///   - state: The state of the tree.
  ///   - isInboxTaken: Whether the inbox was emptied since the read began.
  /// - Returns: Whether the tree is up to date with the moment at which the read began.
  func lookAtSome(_ state: inout State, _ isInboxTaken: inout Bool) -> Bool {
    var budget = Self.nodesPerHold
    guard state.lookAtArrivals(&budget) else { return false }
    if !isInboxTaken {
      isInboxTaken = true
      if inbox.load(ordering: .relaxed) != Self.emptyInbox {
        // Acquires the links, and what the workers did before they were set.
        state.arrivals = inbox.exchange(Self.emptyInbox, ordering: .sequentiallyConsistent)
        guard state.lookAtArrivals(&budget) else { return false }
      }
    }
    return state.lookAtWaiting(&budget)
  }
}

extension ProgressNode {
  /// Brings the sums of the tree up to date with this moment, in short holds of the lock.
  ///
  /// - Returns: The version that was looked at.
  @discardableResult
  func settleTree() -> UInt64 {
    let (mirrors, number) = withTree { state, tree in
      state.isRead = true
      return (state.mirrors, tree.number)
    }
    if !mirrors.isEmpty {
      RefreshRound.refresh(tree: number) { for mirror in mirrors { mirror.refresh() } }
    }
    var isInboxTaken = false
    while true {
      let version = withTree { state, tree in
        tree.lookAtSome(&state, &isInboxTaken) ? state.version : nil
      }
      if let version { return version }
    }
  }

  /// Has this node brought up to date by a function before each look at its tree, for as long as it is not finished.
  ///
  /// - Parameter refresh: Sets the node's counts from what it mirrors; called outside all locks.
  package func mirror(_ refresh: @escaping @Sendable () -> Void) {
    withTreeChanging { state, _ in
      guard !isFinished else { return }
      reference.set(LinkFlags.mirrors, true)
      state.mirrors.append(
        ProgressTree.Mirror(node: self, address: reference.bits, refresh: refresh))
    }
  }
}

extension ProgressNode {
  /// Holds an object until the node finishes; releases it at once if the node has finished.
  package func holdUntilFinished(_ object: some AnyObject & Sendable) {
    withTree { _, _ in
      if !isFinished { reference.extras.heldUntilFinished.append(object) }
    }
  }
}

extension NodeReference {
  /// The portions of 1.
  static let portionsPerUnit = 0x1p62

  /// Sets the wire, so that the next increment reports itself.
  ///
  /// - Returns: The count at that moment.
  @inline(__always)
  func setWire() -> Int {
    guard !has(LinkFlags.wired) else { return count }
    set(LinkFlags.wired, true)
    // Acquires what the workers did before their additions; releases the reader's writes to who takes it down.
    return with {
      ProgressNode.count(of: $0.word.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue)
    }
  }

  /// Takes the wire down, so that no increment reports itself.
  ///
  /// - Returns: Whether it was set; otherwise an increment has taken it down.
  func takeWireDown() -> Bool {
    with { $0.word.bitwiseAnd(~1, ordering: .acquiringAndReleasing).oldValue & 1 != 0 }
  }

  /// The true fraction with a count of the node's own and the sum of its live children.
  ///
  /// - Parameter count: The units completed without those of live children.
  /// - Returns: At least 0 and less than 1.
  @inline(__always)
  func fraction(count: Int) -> Double {
    let total = with { unsafe $0.links.total }
    guard total > 0 else { return total < 0 ? 0 : ProgressNode.nearlyDone }
    var done = Double(count)
    let sum = childSum
    // More than 128 bits hold; from then on the node reads as full.
    if has(LinkFlags.overfull) { return ProgressNode.nearlyDone }
    if sum != 0 {
      done +=
        (Double(Int64(truncatingIfNeeded: sum >> 64)) * 0x1p64
          + Double(UInt64(truncatingIfNeeded: sum))) * 0x1p-62
    }
    return min(done / Double(total), ProgressNode.nearlyDone)
  }

  /// The count with what live children have done of their shares, as far as somebody has looked.
  var countWithChildren: Int {
    let (sum, isTooMany) = count.addingReportingOverflow(
      Int(clamping: max(childSum, 0) / Int128(Self.portionsPerUnit)))
    return isTooMany ? .max : sum
  }

  /// The true fraction, 1 only when finished.
  var fraction: Double { isFinished ? 1 : fraction(count: count) }

  /// The largest fraction that was seen.
  var shownFraction: Double {
    isFinished ? 1 : Double(max(portion, existingExtras?.held ?? 0)) / Self.portionsPerUnit
  }
}
