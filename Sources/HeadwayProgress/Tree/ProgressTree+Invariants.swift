internal import HeadwayLock
internal import Synchronization

extension ProgressNode {
  /// Looks for contradictions in the part of the tree at and below this node, for tests.
  ///
  /// It may only be called while no other thread uses the tree.
  ///
  /// - Returns: A sentence about each contradiction that was found; none when all is well.
  /// - Complexity: O(nodes of the tree).
  package func brokenInvariants() -> [String] {
    withTree { state, tree in
      var check = TreeCheck()
      check.readInbox(state.arrivals)
      check.readInbox(tree.inbox.load(ordering: .acquiring))
      check.readLists(&state)
      check.visit(reference, below: nil)
      return check.mistakes
    }
  }

  /// The number of nodes that the next read of the tree looks at, for tests.
  ///
  /// - Returns: The nodes in the inbox and those on the waiting lists.
  /// - Complexity: O(those nodes).
  package func nodesToLookAt() -> Int {
    withTree { state, tree in
      var check = TreeCheck()
      check.readInbox(state.arrivals)
      check.readInbox(tree.inbox.load(ordering: .acquiring))
      check.readLists(&state)
      return check.found
    }
  }
}

/// A look at all of a tree, under its lock, that notes what contradicts what.
private struct TreeCheck: Sendable {
  /// What was found.
  private(set) var mistakes: [String] = []
  /// The addresses of the nodes in the inbox.
  private var posted: Set<UInt> = []
  /// The addresses of the nodes that wait for a look.
  private var waiting: Set<UInt> = []
  /// The numbers of the nodes that were visited.
  private var numbers: Set<UInt32> = []

  /// The number of nodes in the inbox and on the waiting lists.
  var found: Int { posted.union(waiting).count }

  /// Creates a check that has seen nothing.
  init() {}

  /// Notes the nodes of a stack.
  mutating func readInbox(_ head: UInt) {
    var next = head
    while next != ProgressTree.emptyInbox, let node = NodeReference(bits: next) {
      guard posted.insert(node.bits).inserted else {
        mistakes.append("a node is in the inbox twice")
        return
      }
      expect(node.has(LinkFlags.wired), "a node in the inbox is not marked", node)
      expect(!Self.isWireSet(node), "the wire of a node in the inbox is set", node)
      next = node.inboxNext
    }
  }

  /// Notes the nodes that wait on the lists of the levels.
  mutating func readLists(_ state: inout ProgressTree.State) {
    for (place, head) in state.waiting.enumerated() {
      if head != nil, state.deepest < place + 2 { mistakes.append("the deepest list is not known") }
      var before: NodeReference?
      var next = head
      while let node = next {
        guard waiting.insert(node.bits).inserted else {
          mistakes.append("a node waits twice")
          return
        }
        expect(Int(node.level) == place + 2, "a node waits on the list of another level", node)
        expect(node.previousWaiting == before, "the waiting list is broken backwards", node)
        expect(node.has(LinkFlags.waiting), "a node that waits is not marked", node)
        expect(!node.isFinished, "a node that has finished waits for a look", node)
        before = node
        next = node.nextWaiting
      }
    }
  }

  /// Checks a node and all that is below it.
  mutating func visit(_ node: NodeReference, below parent: NodeReference?) {
    expect(numbers.insert(node.id).inserted, "two nodes have one number", node)
    expect(
      node.has(LinkFlags.waiting) == waiting.contains(node.bits),
      "the mark of the waiting list is wrong", node)
    if let parent { checkPlace(of: node, below: parent) }
    var sum: Int128 = 0
    var last: NodeReference?
    var next = node.firstChild
    while let child = next {
      if child != node.firstChild {
        expect(child.previous == last, "the list of children is broken backwards", child)
      }
      if !child.isFinished, child.level <= ProgressNode.maximumDepth {
        sum &+= Int128(child.share) &* Int128(child.portion)
      }
      visit(child, below: node)
      last = child
      next = child.next
    }
    if let first = node.firstChild {
      expect(first.previous == last, "the first child does not know the last one", node)
    }
    guard !node.isFinished else { return }
    expect(node.childSum == sum, "the sum of the children is \(node.childSum), not \(sum)", node)
    checkCoverage(of: node)
  }

  /// Checks that a change of a node is seen by the next look at the tree.
  private mutating func checkCoverage(of node: NodeReference) {
    let isWired = node.has(LinkFlags.wired)
    let isSet = Self.isWireSet(node)
    expect(isWired || !isSet, "a wire is set that nobody knows of", node)
    expect(
      !isWired || isSet || posted.contains(node.bits), "a node has left its inbox in silence", node)
    // The root is looked at by whoever reads it, and what is too deep is not added up.
    guard node.level > 1, node.level <= ProgressNode.maximumDepth, node.parent != nil else {
      return
    }
    expect(isWired || node.has(LinkFlags.waiting), "a node is neither wired nor waits", node)
    guard !node.has(LinkFlags.waiting), !posted.contains(node.bits) else { return }
    let portion = Int(node.fraction(count: node.count) * NodeReference.portionsPerUnit)
    expect(portion == node.portion, "the portion is \(node.portion), not \(portion)", node)
  }

  /// Checks what a node takes over from the one above.
  private mutating func checkPlace(of node: NodeReference, below parent: NodeReference) {
    expect(node.parent == parent, "a node is in the list of another parent", node)
    expect(
      node.level == ProgressTree.State.level(below: parent), "a node has the wrong level", node)
    expect(
      !node.has(LinkFlags.informed) || parent.has(LinkFlags.informed),
      "typed values cannot be found from above", node)
    expect(!node.isFinished || node.firstChild != nil, "a finished node is still linked", node)
    let (above, own) = (parent.state, node.state)
    expect(
      above & NodeState.cancelled == 0
        || own & (NodeState.cancelled | NodeState.uncancellable) != 0,
      "a cancel has passed a node by", node)
    if own & NodeState.unpausable != 0 {
      expect(own & NodeState.paused == 0, "a node is paused that cannot be", node)
    } else {
      expect(
        (above & NodeState.paused != 0) == (own & NodeState.pausedAbove != 0),
        "a node does not know whether one above is paused", node)
    }
  }

  /// Notes a mistake unless something holds.
  private mutating func expect(_ holds: Bool, _ mistake: String, _ node: NodeReference) {
    if !holds { mistakes.append("\(mistake) (node \(node.id), level \(node.level))") }
  }

  /// Whether the next increment of a node reports itself.
  private static func isWireSet(_ node: NodeReference) -> Bool {
    node.with { $0.word.load(ordering: .acquiring) & 1 != 0 }
  }
}
