import HeadwayLock
import Synchronization

@testable import HeadwayProgress

extension ProgressNode {
  /// Checks the invariants of this node and its descendants, for tests.
  ///
  /// No other thread may use the tree meanwhile.
  ///
  /// - Returns: A sentence about each violation.
  /// - Complexity: O(nodes of the tree).
  func brokenInvariants() -> [String] {
    withTree { state, tree in
      var check = TreeCheck()
      check.readStack(state.taken)
      check.readStack(tree.dirtyNodes.load(ordering: .acquiring))
      check.readLists(&state)
      check.visit(reference, below: nil)
      return check.violations
    }
  }

  /// The number of nodes that the next read of the tree will update, for tests.
  ///
  /// - Complexity: O(those nodes).
  func pendingNodeCount() -> Int {
    withTree { state, tree in
      var check = TreeCheck()
      check.readStack(state.taken)
      check.readStack(tree.dirtyNodes.load(ordering: .acquiring))
      check.readLists(&state)
      return check.pendingCount
    }
  }
}

/// A check of a whole tree under its lock that collects violations.
private struct TreeCheck: Sendable {
  private(set) var violations: [String] = []
  /// The addresses of the nodes on the stack of dirty nodes.
  private var dirty: Set<UInt> = []
  /// The addresses of the nodes on the lists of pending updates.
  private var pending: Set<UInt> = []
  /// The numbers of the visited nodes.
  private var numbers: Set<UInt32> = []

  var pendingCount: Int { dirty.union(pending).count }

  mutating func readStack(_ head: UInt) {
    var next = head
    while next != ProgressTree.endOfStack, let node = NodeReference(bits: next) {
      guard dirty.insert(node.bits).inserted else {
        violations.append("a node is on the stack of dirty nodes twice")
        return
      }
      expect(node.has(LinkFlags.tracked), "a dirty node is not tracked", node)
      expect(!Self.isClean(node), "the clean bit of a dirty node is set", node)
      next = node.nextDirty
    }
  }

  mutating func readLists(_ state: inout ProgressTree.State) {
    for (index, head) in state.pending.enumerated() {
      if head != nil, state.deepestPending < index + 2 {
        violations.append("the level of the deepest list is wrong")
      }
      var before: NodeReference?
      var next = head
      while let node = next {
        guard pending.insert(node.bits).inserted else {
          violations.append("a node is pending twice")
          return
        }
        expect(Int(node.level) == index + 2, "a node is pending on the wrong level", node)
        expect(node.previousPending == before, "a list of pending nodes is broken backwards", node)
        expect(node.has(LinkFlags.pending), "a pending node is not marked", node)
        expect(!node.isFinished, "a finished node is pending", node)
        before = node
        next = node.nextPending
      }
    }
  }

  /// Checks a node and its descendants.
  mutating func visit(_ node: NodeReference, below parent: NodeReference?) {
    expect(numbers.insert(node.id).inserted, "two nodes have the same number", node)
    expect(
      node.has(LinkFlags.pending) == pending.contains(node.bits),
      "the pending flag is wrong", node)
    if let parent { checkPlace(of: node, below: parent) }
    var sum: Int128 = 0
    var last: NodeReference?
    var next = node.firstChild
    while let child = next {
      if child != node.firstChild {
        expect(child.previous == last, "the list of children is broken backwards", child)
      }
      if !child.isFinished, child.level <= ProgressNode.maximumDepth {
        sum &+= Int128(child.share) &* Int128(child.fixedFraction)
      }
      visit(child, below: node)
      last = child
      next = child.next
    }
    if let first = node.firstChild {
      expect(first.previous == last, "the first child does not refer to the last one", node)
    }
    guard !node.isFinished else { return }
    expect(node.childSum == sum, "the sum of the children is \(node.childSum), not \(sum)", node)
    checkCoverage(of: node)
  }

  /// Checks that the next read of the tree sees a change of a node.
  private mutating func checkCoverage(of node: NodeReference) {
    let isTracked = node.has(LinkFlags.tracked)
    let isClean = Self.isClean(node)
    expect(isTracked || !isClean, "the clean bit of an untracked node is set", node)
    expect(
      !isTracked || isClean || dirty.contains(node.bits), "a tracked node is not on the stack", node
    )
    // The root is updated by each read, and nodes that are too deep are not.
    guard node.level > 1, node.level <= ProgressNode.maximumDepth, node.parent != nil else {
      return
    }
    expect(isTracked || node.has(LinkFlags.pending), "a node is neither tracked nor pending", node)
    guard !node.has(LinkFlags.pending), !dirty.contains(node.bits) else { return }
    let fraction = Int(node.completedPart(count: node.count) * NodeReference.fixedPointOne)
    expect(
      fraction == node.fixedFraction, "the fraction is \(node.fixedFraction), not \(fraction)", node
    )
  }

  /// Checks what a node inherits from its parent.
  private mutating func checkPlace(of node: NodeReference, below parent: NodeReference) {
    expect(node.parent == parent, "a node is in the list of another parent", node)
    expect(
      node.level == ProgressTree.State.level(below: parent), "a node has the wrong level", node)
    expect(
      !node.has(LinkFlags.hasValues) || parent.has(LinkFlags.hasValues),
      "the parent of a node with typed values is not marked", node)
    expect(!node.isFinished || node.firstChild != nil, "a finished node is still linked", node)
    let (above, own) = (parent.state, node.state)
    expect(
      above & NodeState.cancelled == 0
        || own & (NodeState.cancelled | NodeState.uncancellable) != 0,
      "a cancel has skipped a node", node)
    if own & NodeState.unpausable != 0 {
      expect(own & NodeState.paused == 0, "a node is paused that cannot be", node)
    } else {
      expect(
        (above & NodeState.paused != 0) == (own & NodeState.pausedAbove != 0),
        "the inherited pause of a node is wrong", node)
    }
  }

  private mutating func expect(_ condition: Bool, _ violation: String, _ node: NodeReference) {
    if !condition { violations.append("\(violation) (node \(node.id), level \(node.level))") }
  }

  private static func isClean(_ node: NodeReference) -> Bool {
    node.with { $0.counter.load(ordering: .acquiring) & 1 != 0 }
  }
}
