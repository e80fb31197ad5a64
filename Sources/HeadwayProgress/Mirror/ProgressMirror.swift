/// Why a change cannot be applied to a mirror.
package enum MirrorProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// A change names a node that the mirror does not have, or that has ended.
  case unknownNode(UInt32)
  /// A new node has no parent in the mirror.
  case unknownParent(of: UInt32)
  /// A node has got another parent.
  case moved(UInt32)
  /// There are more nodes than the mirror allows.
  case tooManyNodes(limit: Int)
  /// A node is too far below the first one.
  case tooDeep(UInt32)

  /// What is wrong with the change.
  package var description: String {
    switch self {
    case .unknownNode(let id): "there is no node \(id)"
    case .unknownParent(let id): "the new node \(id) has no parent"
    case .moved(let id): "the node \(id) cannot get another parent"
    case .tooManyNodes(let limit): "there are more than \(limit) nodes"
    case .tooDeep(let id): "the node \(id) is below level \(ProgressMirror.deepestLevel)"
    }
  }
}

/// A progress tree that follows another one, usually of another process, by its changes.
///
/// Readers see the tree as it was at one snapshot of the other, never something in between. Cancel, pause and resume on
/// its nodes take effect at once and are passed on; what the other tree says later replaces them. So there is no echo:
/// what was received is not passed on. Counts, labels and values are those of the other tree; what is set here by hand
/// is lost when they change there.
///
/// The mirror retains its nodes. It ends with ``end(detail:isCancelled:)``, at the latest when it is dropped. Safe from any thread.
// The properties are guarded by the lock of the tree.
package final class ProgressMirror: @unchecked Sendable {
  /// What someone asks the work of a mirrored node to do.
  package enum Request: Hashable, Sendable {
    case cancel
    case pause
    case resume
  }

  /// A node, and what the mirror has to know of it.
  private struct Entry {
    let node: ProgressNode
    let parent: UInt32?
    var children: Set<UInt32> = []
    /// Whether the node was cancelled when the last change was received.
    var isCancelled = false
    /// Whether the node or one of its ancestors was paused when the last change was received.
    var isPaused = false
  }

  /// The level of the deepest nodes: a tree shows one level below those that count.
  static let deepestLevel = ProgressNode.maximumDepth + 1

  /// The first node; empty until the first change was applied.
  package let root: ProgressNode
  /// The maximum number of nodes.
  private let limit: Int
  private let requests: MirrorRequests
  private var entries: [UInt32: Entry] = [:]
  /// The number of the first node, nil before it has come.
  private var first: UInt32?
  private var isOver = false

  /// Creates a mirror of nothing that follows into a node.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of nodes.
  ///   - root: A node that has neither children nor another mirror. If it is part of a larger tree, its nodes get numbers
  ///     of that tree, otherwise those of the mirrored one.
  ///   - onRequest: Takes the number of a node in the mirrored tree and what it was asked for, in order. Called outside
  ///     of all locks by the threads that ask, one at a time; never for what was received. Only the node on which a
  ///     function was called is named, not those below it.
  package init(
    limit: Int, root: ProgressNode, onRequest: @escaping @Sendable (UInt32, Request) -> Void
  ) {
    self.root = root
    self.limit = limit
    let requests = MirrorRequests(onRequest)
    self.requests = requests
    root.withTree { tree, _ in
      guard !root.isFinished else { return }
      // Far from the numbers of the other tree, for nodes that are made here by hand.
      if root.reference.parent == nil { tree.nextID = max(tree.nextID, 1 << 31) }
      root.reference.extras.requests = requests
      root.reference.set(LinkFlags.mirrored, true)
    }
  }

  /// Creates a mirror of nothing, with a tree of its own.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of nodes.
  ///   - onRequest: Takes the number of a node and what it was asked for, as in the other initializer.
  package convenience init(
    limit: Int, onRequest: @escaping @Sendable (UInt32, Request) -> Void
  ) {
    self.init(limit: limit, root: ProgressNode(), onRequest: onRequest)
  }

  /// Creates a mirror of nothing, with a tree of its own, whose requests are passed to nobody.
  ///
  /// - Parameter limit: The maximum number of nodes.
  package convenience init(limit: Int) {
    self.init(limit: limit) { _, _ in }
  }

  deinit { end(detail: nil) }

  /// Applies a change; after the end of the mirror it is ignored.
  ///
  /// - Parameter change: The next change.
  /// - Throws: ``MirrorProblem`` if it does not follow the last one; then nothing has changed.
  /// - Complexity: O(nodes of the change + nodes below those that have ended or were paused), in one hold of the tree's
  ///   lock.
  package func apply(_ change: TreeChange) throws(MirrorProblem) {
    try carryOut { _ in change }
  }

  /// Follows a tree from its present state on, whatever changes were missed.
  ///
  /// The nodes that are still there stay the same, with their handlers and with what they were asked for meanwhile.
  ///
  /// - Parameter whole: The change from nothing to the present state of the same tree.
  /// - Throws: ``MirrorProblem`` if it is not a state of this tree; then nothing has changed.
  /// - Complexity: O(nodes before and after), in one hold of the tree's lock.
  package func replace(with whole: TreeChange) throws(MirrorProblem) {
    try carryOut { mirror in mirror.change(to: whole) }
  }

  /// The number of its nodes.
  package var count: Int { root.withTree { _, _ in entries.count } }

  /// Finds the node that stands for a node of the mirrored tree.
  ///
  /// - Parameter id: The number of the node in the mirrored tree.
  /// - Returns: The node, nil if it has ended or is not shown.
  /// - Complexity: O(1): one lock.
  package func node(_ id: UInt32) -> ProgressNode? {
    root.withTree { _, _ in entries[id]?.node }
  }

  /// Sets a node and those below it back to the cancel and pause that were last received.
  ///
  /// Call it when a request was answered: if it was refused, it is taken back here; if it was granted, this sets right
  /// what the tree does not say, such as that a node below was paused itself. Handlers of a cancel that is taken back
  /// were called and are not called again.
  ///
  /// - Parameter id: The number of the node in the mirrored tree, nil for the first one; an unknown one is ignored.
  /// - Complexity: O(nodes below), in one hold of the tree's lock.
  package func restore(_ id: UInt32?) {
    let states = root.withTreeChanging { tree, _ in
      var states = StateChange()
      var next = (id ?? first).map { [$0] } ?? []
      // A node comes after its parent.
      while let id = next.popLast() {
        guard let entry = entries[id] else { continue }
        next += entry.children
        tree.setCancelled(entry.isCancelled, of: entry.node.reference, &states)
        tree.setPaused(entry.isPaused, of: entry.node.reference, &states)
      }
      return states
    }
    states.perform()
  }

  /// Ends the mirror: its nodes finish with the counts that they have, and nothing is passed on any more.
  ///
  /// A request that another thread is passing on may still be under way. A second call does nothing.
  ///
  /// - Parameters:
  ///   - detail: The last description of the first node, such as why the mirror ends; nil leaves it as it is.
  ///   - isCancelled: Whether the nodes are cancelled first, because the work was not seen to its end.
  /// - Complexity: O(nodes), in one hold of the tree's lock.
  package func end(detail: String?, isCancelled: Bool = false) {
    let applied = root.withTreeChanging { tree, _ in
      var applied = Applied()
      guard !isOver else { return applied }
      isOver = true
      requests.end()
      if isCancelled {
        for entry in entries.values where !entry.node.isFinished {
          tree.setCancelled(true, of: entry.node.reference, &applied.states)
        }
        if !root.isFinished { tree.setCancelled(true, of: root.reference, &applied.states) }
      }
      if let first { for id in idsBelow([first]) where id != first { remove(id, &tree, &applied) } }
      if !root.isFinished {
        if let detail { root.reference.extras.detail = detail }
        if let end = tree.finish(root.reference) { applied.ends.append(end) }
      }
      entries = [:]
      return applied
    }
    applied.perform()
  }

  /// What is left to be done outside of all locks.
  private struct Applied: Sendable {
    var states = StateChange()
    var ends: [FinishActions] = []
    /// Nodes to release.
    var released: [ProgressNode] = []

    func perform() {
      states.perform()
      for end in ends { end.perform() }
    }
  }

  /// Checks a change and carries it out, in one hold of the lock.
  private func carryOut(_ makeChange: (ProgressMirror) -> TreeChange) throws(MirrorProblem) {
    let result = root.withTreeChanging { tree, _ -> Result<Applied, MirrorProblem> in
      guard !isOver else { return .success(Applied()) }
      do throws(MirrorProblem) {
        let change = makeChange(self)
        let removed = try check(change)
        return .success(perform(change, removing: removed, in: &tree))
      } catch {
        return .failure(error)
      }
    }
    try result.get().perform()
  }
}

// What is done under the lock of the tree.
extension ProgressMirror {
  /// The change from the present state to another one.
  private func change(to whole: TreeChange) -> TreeChange {
    var change = TreeChange()
    var named: Set<UInt32> = []
    for node in whole.nodes {
      let isKept = entries[node.id] != nil && !named.contains(node.id)
      named.insert(node.id)
      change.nodes.append(isKept ? node.complete : node)
    }
    for (id, entry) in entries where !named.contains(id) {
      // The nodes below an ended one end with it.
      if let parent = entry.parent, !named.contains(parent) { continue }
      change.ended.append(id)
    }
    change.ended.sort()
    return change
  }

  /// Checks that a change can be applied.
  ///
  /// - Returns: The nodes to remove, children before their parents.
  private func check(_ change: TreeChange) throws(MirrorProblem) -> [UInt32] {
    var gone: Set<UInt32> = []
    var removed: [UInt32] = []
    for id in change.ended {
      guard id != first, entries[id] != nil, !gone.contains(id) else { throw .unknownNode(id) }
      // Those below it that have ended by themselves before are removed already.
      let below = idsBelow([id]).filter { !gone.contains($0) }
      gone.formUnion(below)
      removed += below
    }
    // The levels and parents of the new nodes.
    var added: [UInt32: (level: Int, parent: UInt32?)] = [:]
    for node in change.nodes {
      if let known = added[node.id] {
        if let parent = node.parent, parent != known.parent { throw .moved(node.id) }
      } else if let entry = entries[node.id], !gone.contains(node.id) {
        if let parent = node.parent, parent != entry.parent { throw .moved(node.id) }
      } else {
        guard entries.count - gone.count + added.count < limit else {
          throw .tooManyNodes(limit: limit)
        }
        let depth = try level(of: node, below: added, without: gone)
        added[node.id] = (depth, node.parent)
      }
    }
    return removed
  }

  /// The level of a new node.
  private func level(
    of node: NodeChange, below added: [UInt32: (level: Int, parent: UInt32?)],
    without gone: Set<UInt32>
  ) throws(MirrorProblem) -> Int {
    guard let parent = node.parent else {
      // Only the first node of all has no parent.
      guard first == nil, added.isEmpty else { throw .unknownNode(node.id) }
      return Int(root.reference.level)
    }
    let known = gone.contains(parent) ? nil : entries[parent].map { Int($0.node.reference.level) }
    guard let above = added[parent]?.level ?? known else { throw .unknownParent(of: node.id) }
    guard above < Self.deepestLevel else { throw .tooDeep(node.id) }
    return above + 1
  }

  /// The numbers of nodes and of those below them, children before their parents.
  private func idsBelow(_ ids: [UInt32]) -> [UInt32] {
    var found: [UInt32] = []
    var next = ids
    while let id = next.popLast() {
      found.append(id)
      if let entry = entries[id] { next += entry.children }
    }
    return found.reversed()
  }

  /// Applies a change that was checked.
  private func perform(
    _ change: TreeChange, removing removed: [UInt32], in tree: inout ProgressTree.State
  ) -> Applied {
    var applied = Applied()
    for id in removed { remove(id, &tree, &applied) }
    for node in change.nodes {
      if entries[node.id] == nil { insert(node, &tree) }
      guard var entry = entries[node.id] else { continue }
      tree.apply(node, to: entry.node.reference)
      if let isCancelled = node.isCancelled, isCancelled != entry.isCancelled {
        entry.isCancelled = isCancelled
        entries[node.id] = entry
        tree.setCancelled(isCancelled, of: entry.node.reference, &applied.states)
      }
    }
    // Only now, as a pause depends on that of the parent.
    for node in change.nodes {
      guard let isPaused = node.isPaused, var entry = entries[node.id],
        isPaused != entry.isPaused
      else { continue }
      entry.isPaused = isPaused
      entries[node.id] = entry
      // The end of the work is not the end of its pause.
      if node.isFinished == true { continue }
      tree.setPaused(isPaused, of: entry.node.reference, &applied.states)
    }
    // Of all nodes that are shown, only the first one can have finished.
    for node in change.nodes where node.id == first && node.isFinished == true && !root.isFinished {
      if let end = tree.finish(root.reference) { applied.ends.append(end) }
    }
    return applied
  }

  /// Removes a node without children; one that has finished, or is not shown any more.
  private func remove(_ id: UInt32, _ tree: inout ProgressTree.State, _ applied: inout Applied) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if let parent = entry.parent { entries[parent]?.children.remove(id) }
    requests.remove(entry.node.reference)
    if let end = tree.discard(entry.node.reference) { applied.ends.append(end) }
    applied.released.append(entry.node)
  }

  /// Adds a new node.
  private func insert(_ change: NodeChange, _ tree: inout ProgressTree.State) {
    let node: ProgressNode
    if let parent = change.parent {
      guard let above = entries[parent] else { return }
      node = ProgressNode(below: above.node, total: nil)
      tree.link(node.reference, below: above.node.reference, share: max(change.units ?? 0, 0))
      // Each node has its own state: the other tree has passed it on already.
      node.reference.setState(NodeState.cancelled | NodeState.paused, false)
      node.reference.set(LinkFlags.mirrored, true)
      entries[parent]?.children.insert(change.id)
    } else {
      node = root
      first = change.id
    }
    // The numbers of the other tree.
    if root.reference.parent == nil { node.reference.id = change.id }
    requests.insert(node.reference, id: change.id)
    entries[change.id] = Entry(node: node, parent: change.parent)
  }
}
