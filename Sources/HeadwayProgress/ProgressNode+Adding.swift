internal import HeadwayLock
internal import Synchronization

/// Why a node could not be added to another.
@nonexhaustive
public enum ProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The node is part of a tree already, or has finished.
  case notARoot
  /// The node is the one it was to be added to, or stands above it.
  case isAncestor
  /// The tree would have more than ``ProgressNode/maximumDepth`` levels.
  case tooDeep

  /// The error in words.
  public var description: String {
    switch self {
    case .notARoot:
      "the node has a parent already or has finished: add a root that is at work, and only once"
    case .isAncestor:
      "the node is the one it is added to, or stands above it: add it somewhere else"
    case .tooDeep:
      "the tree would have more than \(ProgressNode.maximumDepth) levels: add the node further up"
    }
  }
}

extension ProgressNode {
  /// Adds the root of another tree as a child, with all that is below it.
  ///
  /// A child that is made where it belongs, by ``share(of:)`` or ``joinCurrent(_:units:total:)``, costs less. This
  /// is for work that began on its own. To a node that has finished it is added all the same: what is done there
  /// counts no more, but a cancel and a pause of what stands above reach it.
  ///
  /// - Parameters:
  ///   - root: A node without a parent that has not finished.
  ///   - units: The units of this node that the child stands for; less than 0 counts as 0.
  /// - Throws: ``ProgressError`` when the node has a parent or has finished, is this one or above it, or
  ///   when the tree would become too deep. Nothing has changed then.
  /// - Complexity: O(nodes below the root), in one hold of the lock.
  public func add(_ root: ProgressNode, units: Int) throws(ProgressError) {
    while true {
      let own = reference.withTreeObject { $0 }
      let other = root.reference.withTreeObject { $0 }
      // The older tree takes the other one in, whichever node is added: so two that are added to each other at a
      // time agree.
      if own !== other {
        let (older, younger) = own.number < other.number ? (own, other) : (other, own)
        younger.join(older)
        reference.shortenWay()
        root.reference.shortenWay()
        continue
      }
      let error = withTree { state, tree -> ProgressError?? in
        // One of the two may have gone elsewhere in the meantime.
        root.reference.withTreeObject { $0 === tree }
          ? .some(state.add(root.reference, to: reference, units: units)) : nil
      }
      guard let error else { continue }
      if let error { throw error }
      wakeSleepers()
      return root.tellInherited()
    }
  }

  /// Tells the work of an added tree what held above it.
  private func tellInherited() {
    guard let parent = reference.parent?.strong else { return }
    if parent.isCancelled { cancel() }
    inheritPause()
  }
}

extension ProgressTree.State {
  /// Adds a root to another node of the same lock.
  ///
  /// - Returns: Why it cannot be, nil when it was.
  mutating func add(_ root: NodeReference, to parent: NodeReference, units: Int) -> ProgressError? {
    var level = 0
    var above: NodeReference? = parent
    while let node = above {
      if node == root { return .isAncestor }
      level += 1
      above = node.parent
    }
    guard root.parent == nil, !root.isFinished else { return .notARoot }
    let subtree = Self.nodes(below: root)
    let deepest = subtree.reduce(0) { max($0, $1.depth) }
    guard level + 1 + deepest <= ProgressNode.maximumDepth else { return .tooDeep }
    version &+= 1
    // From here on the extras hold the tree that the root was made with: those who walk up may be at it.
    let firstTree = root.with { $0.up.load(ordering: .relaxed) } & ~1
    root.extras.firstTree = unsafe UnsafeRawPointer(bitPattern: firstTree).map {
      unsafe Unmanaged<ProgressTree>.fromOpaque($0).takeRetainedValue()
    }
    // Releases the tree's state to who walks up without the lock.
    root.with { $0.up.store(parent.retainedBits, ordering: .releasing) }
    root.share = max(units, 0)
    append(root, to: parent)
    for (node, depth) in subtree {
      dequeue(node)
      node.level = UInt8(Int(parent.level) + 1 + depth)
      node.id = takeID()
      if depth == 0 {
        // The sums above know nothing of it yet.
        if node.portion > 0 { node.extras.held = max(node.extras.held, node.portion) }
        node.portion = 0
      }
      // One that has finished stands there for its children alone; nobody would take it off the list at its end.
      if !node.isFinished { enqueue(node) }
    }
    if root.has(LinkFlags.informed) { markInformed(parent) }
    return nil
  }

  /// A node and all below it, parents first, with their distance from it.
  private static func nodes(
    below top: NodeReference
  ) -> [(node: NodeReference, depth: Int)] {
    var nodes = [(node: top, depth: 0)]
    var place = 0
    while place < nodes.count {
      let (node, depth) = nodes[place]
      var next = node.firstChild
      while let child = next {
        nodes.append((child, depth + 1))
        next = child.next
      }
      place += 1
    }
    return nodes
  }
}

extension ProgressTree.State {
  /// Keeps numbers and versions free for those of a tree that is about to be taken in, and for some more.
  ///
  /// - Parameter taken: The next number and the version of the other tree.
  /// - Returns: Those from which on this tree goes on: they differ from all that the other has used.
  fileprivate mutating func reserve(
    _ taken: (id: UInt32, version: UInt64)
  ) -> (id: UInt32, version: UInt64) {
    nextID = max(nextID, taken.id &+ 1_000)
    version = max(version, taken.version &+ 1_000)
    return (nextID, version)
  }
}

extension ProgressTree {
  /// Becomes one with another tree: from here on its lock guards the nodes of this one.
  ///
  /// Nothing happens while somebody walks over the nodes of this one, or when many nodes were made in this very
  /// moment; the caller tries again.
  ///
  /// - Parameter older: The tree that takes this one in.
  func join(_ older: ProgressTree) {
    let own = state.withLock { (id: $0.nextID, version: $0.version) }
    let free = older.state.withLock { $0.reserve(own) }
    let mirrors = state.withLock { state -> [Mirror] in
      guard successor.load(ordering: .relaxed) == 0, state.walks.isEmpty,
        state.nextID <= free.id, state.version < free.version
      else { return [] }
      // The lock of the other tree is not held here: nodes that wait come to it through its inbox.
      var chain = NodeChain()
      takeInAll(&state)
      state.moveWaiting(to: &chain)
      // From here on whoever posts a node tries again until the successor is known.
      state.arrivals = inbox.exchange(Self.closedInbox, ordering: .sequentiallyConsistent)
      takeInArrivals(&state)
      state.moveWaiting(to: &chain)
      // The last that this lock guards: whoever takes the nodes out of that inbox has the other lock.
      chain.push(to: older)
      // Releases what this lock has guarded.
      successor.store(
        unsafe UInt(bitPattern: Unmanaged.passRetained(older).toOpaque()), ordering: .releasing)
      defer { state.mirrors = [] }
      return state.mirrors
    }
    older.add(mirrors)
    older.current.wakeSleepers()
    wakeSleepers()
  }

  /// Makes the tree that guards the nodes of this one by now its successor.
  func shortenWay() {
    state.withLock { state in
      guard
        let next = unsafe UnsafeRawPointer(bitPattern: successor.load(ordering: .relaxed))
      else { return }
      // Looked for only now: one that was found before may be this tree itself.
      let last = unsafe Unmanaged.passRetained(current)
      guard unsafe UnsafeRawPointer(last.toOpaque()) != next else { return unsafe last.release() }
      // Balances the retain of the former successor, which stays for those who walk over it.
      state.formerSuccessors.append(
        unsafe Unmanaged<ProgressTree>.fromOpaque(next).takeRetainedValue())
      // Releases what the trees between have moved.
      successor.store(unsafe UInt(bitPattern: last.toOpaque()), ordering: .releasing)
    }
  }

  /// The tree that guards the nodes of this one by now.
  var current: ProgressTree {
    var tree = self
    while let successor = unsafe UnsafeRawPointer(
      bitPattern: tree.successor.load(ordering: .acquiring))
    {
      // Each tree holds its successor.
      tree = unsafe Unmanaged<ProgressTree>.fromOpaque(successor).takeUnretainedValue()
    }
    return tree
  }

  /// Takes over nodes that mirror something, but for those that have finished in the meantime.
  private func add(_ mirrors: [Mirror]) {
    // Held until the end, outside the lock: to let go of a node takes the lock.
    let nodes = mirrors.map(\.node)
    guard !nodes.isEmpty else { return }
    var isDone = false
    while !isDone {
      let tree = current
      isDone = tree.state.withLock { state in
        // Otherwise another tree has taken that one in, which is found by now.
        guard tree.successor.load(ordering: .relaxed) == 0 else { return false }
        for (mirror, node) in zip(mirrors, nodes) where node?.isFinished == false {
          state.mirrors.append(mirror)
        }
        return true
      }
    }
    withExtendedLifetime(nodes) {}
  }
}

extension ProgressTree.State {
  /// Moves the nodes that wait for a look to a chain, but for those that a thread is about to post.
  fileprivate mutating func moveWaiting(to chain: inout NodeChain) {
    while hasWaiting, let node = waiting[deepest - 2] {
      dequeue(node)
      // A thread that has taken the wire down posts the node itself.
      if node.has(LinkFlags.wired), !node.takeWireDown() { continue }
      node.set(LinkFlags.wired, true)
      chain.append(node)
    }
  }
}

/// Nodes on their way to the inbox of another tree, linked as they are there.
private struct NodeChain {
  /// The node that is taken out first.
  private var first: NodeReference?
  /// The node that is taken out last.
  private var last: NodeReference?

  /// Creates a chain without nodes.
  init() {}

  /// Adds a node whose wire is down, and which is marked as on its way.
  mutating func append(_ node: NodeReference) {
    node.inboxNext = first?.bits ?? ProgressTree.emptyInbox
    first = node
    if last == nil { last = node }
  }

  /// Puts all nodes into the inbox of a tree, or of the one that has taken it in.
  func push(to tree: ProgressTree) {
    guard let first, let last else { return }
    while true {
      let tree = tree.current
      var head = tree.inbox.load(ordering: .relaxed)
      while head != ProgressTree.closedInbox {
        last.inboxNext = head
        // Releases the links of the nodes to the reader.
        let (done, seen) = tree.inbox.compareExchange(
          expected: head, desired: first.bits, ordering: .sequentiallyConsistent)
        if done { return }
        head = seen
      }
    }
  }
}
