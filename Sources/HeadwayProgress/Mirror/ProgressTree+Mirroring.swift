// What a mirror does to its nodes, under the lock of their tree.
extension ProgressTree.State {
  /// Applies what has changed in a node, except its cancel, its pause and its end, under the lock.
  mutating func apply(_ change: NodeChange, to node: NodeReference) {
    if let isCancellable = change.isCancellable {
      node.setState(NodeState.uncancellable, !isCancellable)
    }
    if let isPausable = change.isPausable { node.setState(NodeState.unpausable, !isPausable) }
    if let summary = change.summary {
      node.extras.summary = summary
      node.extras.summary?.part = Self.part(summary?.part ?? 0)
      node.set(LinkFlags.summarized, summary != nil)
    }
    if change.summary != nil || change.values != nil || change.kind != nil { markHasValues(node) }
    // The rest of a finished node does not change, and it must not be enqueued.
    guard !node.isFinished else { return }
    if let label = change.label { node.extras.label = label }
    if let detail = change.detail { node.extras.detail = detail }
    if let kind = change.kind { node.extras.kind = kind }
    if let values = change.values { node.extras.values = values }
    if let omitsChildren = change.omitsChildren { node.extras.omitsChildren = omitsChildren }
    // The units of the first node are those of a parent that is not mirrored.
    if change.parent != nil, let units = change.units { changeShare(of: node, to: max(units, 0)) }
    if let total = change.total { node.total = total }
    if let completed = change.completed {
      _ = node.with { $0.exchangeCount { _ in UInt64(max(completed, 0)) } }
    }
    if change.total != nil || change.completed != nil || change.summary != nil { enqueue(node) }
    if let shown = change.shownFraction {
      let peak = Int(Self.part(shown) * NodeReference.fixedPointOne)
      node.extras.peakFraction = max(node.extras.peakFraction, peak)
    }
  }

  /// A number that was received as a part, from 0 to 1.
  private static func part(_ number: Double) -> Double { number > 0 ? min(number, 1) : 0 }

  /// Sets or takes back the cancel of one node.
  func setCancelled(
    _ isCancelled: Bool, of node: NodeReference, _ states: inout StateChange
  ) {
    guard isCancelled != (node.state & NodeState.cancelled != 0) else { return }
    node.setState(NodeState.cancelled, isCancelled)
    if isCancelled { states.record(.cancel, at: node) }
  }

  /// Sets the pause of one node, as its own or as that of its parent, so that a later resume does what it says.
  func setPaused(_ isPaused: Bool, of node: NodeReference, _ states: inout StateChange) {
    let wasPaused = node.state & NodeState.paused != 0
    if isPaused { placePause(of: node) } else { node.setState(NodeState.paused, false) }
    guard isPaused != wasPaused else { return }
    states.record(isPaused ? .pause : .resume, at: node)
    var next = node.firstChild
    while let child = next {
      if child.state & NodeState.paused != 0 { placePause(of: child) }
      next = child.next
    }
  }

  /// Makes the pause of a node one of its own, or of its parent if that is paused.
  private func placePause(of node: NodeReference) {
    let isAbove = node.parent.map { $0.state & NodeState.paused != 0 } ?? false
    // In this order: the node can be read without the lock, and is paused all the time.
    node.setState(isAbove ? NodeState.pausedAbove : NodeState.pausedHere, true)
    node.setState(isAbove ? NodeState.pausedHere : NodeState.pausedAbove, false)
  }

  /// Ends a node without counting it in its parent, whose count the other tree tells.
  ///
  /// - Parameter node: A mirrored node other than the first one.
  /// - Returns: The actions to perform outside of the lock.
  mutating func discard(_ node: NodeReference) -> FinishActions? {
    // Finished by hand.
    guard !node.isFinished else { return nil }
    // As if it had never had a share.
    changeShare(of: node, to: 0)
    node.share = 0
    node.set(LinkFlags.hasValues, false)
    return finish(node)
  }
}
