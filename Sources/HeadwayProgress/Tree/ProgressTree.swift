internal import HeadwayLock
internal import Synchronization

/// What all nodes of a tree share: the lock that guards its shape, the inbox and those who sleep.
///
/// Who increments never takes the lock. The inbox is a stack of nodes linked by `inboxNext`, pushed by one
/// compare-and-exchange and emptied as a whole under the lock.
final class ProgressTree: Sendable {
  /// What the lock guards, beside the links of the nodes.
  struct State: ~Copyable, Sendable {
    /// The nodes that wait for a look, a list for each level from 2 on.
    var waiting: [NodeReference?] = []
    /// The level of the deepest list that may hold a node.
    var deepest = 1
    /// The rest of the inbox that a reader has taken out and not looked at.
    var arrivals: UInt = ProgressTree.emptyInbox
    /// Counts what has changed.
    var version: UInt64 = 0
    /// The number that the next node gets.
    var nextID: UInt32 = 1
    /// The walks that are between two holds of the lock.
    var walks: [TreeWalk] = []
    /// The nodes that mirror something and have to be asked to look at it, with how.
    var mirrors: [Mirror] = []
    /// Whether somebody has read the progress of the tree.
    var isRead = false
    /// Whether the tree was added to another, whose lock guards the nodes now.
    var isClosed = false
  }

  /// What is done before a look at a node that mirrors something else.
  struct Mirror: Sendable {
    /// The node.
    weak let node: ProgressNode?
    /// Its address, which can be compared under the lock.
    let address: UInt
    /// Brings the node up to date.
    let refresh: @Sendable () -> Void
  }

  /// The end of the inbox's stack.
  static let emptyInbox: UInt = 1
  /// The most nodes that are looked at in one hold of the lock.
  static let nodesPerHold = 1_000

  /// The state.
  let state = Guarded(State())
  /// The address of the last node that came in.
  let inbox = Atomic<UInt>(ProgressTree.emptyInbox)
  /// Whether somebody sleeps until something changes.
  let hasSleepers = Atomic<Bool>(false)
  /// Those who sleep.
  let sleepers = Guarded(WaitingLine<ProgressSleeper>())
  /// Differs between all trees of the process.
  let number: UInt64

  /// Counts the trees of the process.
  private static let trees = Atomic<UInt64>(0)

  /// Creates a tree without a root.
  init() { number = Self.trees.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension ProgressTree {
  /// Puts a node into the inbox of its tree and wakes those who sleep.
  ///
  /// - Parameter node: A node whose wire the calling thread has taken down, and which it holds.
  static func post(_ node: NodeReference) {
    node.withTreeObject { tree in
      var head = tree.inbox.load(ordering: .relaxed)
      while true {
        node.inboxNext = head
        // Releases the link to the reader. Sequential with the flag below and its counterpart in `sleep`: one
        // of the two sees the other.
        let (done, seen) = tree.inbox.compareExchange(
          expected: head, desired: node.bits, ordering: .sequentiallyConsistent)
        if done { break }
        head = seen
      }
      if tree.hasSleepers.load(ordering: .sequentiallyConsistent) { tree.wakeSleepers() }
    }
  }

  /// Wakes those who sleep until something changes.
  func wakeSleepers() {
    let woken = sleepers.withLock { sleepers in
      hasSleepers.store(false, ordering: .relaxed)
      return sleepers.takeAll()
    }
    for sleeper in woken { sleeper.wake() }
  }

  /// Sleeps until something changes that a version has not seen.
  ///
  /// - Parameters:
  ///   - sleeper: Who sleeps; it is woken at once when there is something new.
  ///   - version: The version that the sleeper has seen.
  /// - Returns: The number of the sleeper.
  func sleep(_ sleeper: ProgressSleeper, since version: UInt64) -> UInt64 {
    let number = sleepers.withLock { sleepers in
      hasSleepers.store(true, ordering: .sequentiallyConsistent)
      return sleepers.append(sleeper)
    }
    // Looked at only now: what changes from here on finds the sleeper.
    let isNews = state.withLock { hasNews(&$0, since: version) }
    if isNews { wakeSleepers() }
    return number
  }

  /// Whether something has changed since a version.
  func hasNews(_ state: inout State, since version: UInt64) -> Bool {
    state.version != version || state.arrivals != Self.emptyInbox
      || state.hasWaiting
      || inbox.load(ordering: .sequentiallyConsistent) != Self.emptyInbox
  }
}

extension NodeReference {
  /// The tree of the node, found by walking up; it is not counted, and good for as long as the node is held.
  @inline(__always)
  private var tree: Unmanaged<ProgressTree> {
    var bits = with { $0.up.load(ordering: .acquiring) }
    while bits & 1 == 0, let above = NodeReference(bits: bits) {
      bits = above.with { $0.up.load(ordering: .acquiring) }
    }
    // A root holds its tree, and the node holds the root.
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits & ~1) else {
      preconditionFailure("a node without a tree")
    }
    return unsafe Unmanaged<ProgressTree>.fromOpaque(pointer)
  }

  /// Uses the tree of the node without counting it.
  @inline(__always)
  func withTreeObject<Result>(_ body: (ProgressTree) -> Result) -> Result {
    unsafe tree._withUnsafeGuaranteedRef(body)
  }

  /// Runs a body alone with the shape of the tree.
  @inline(__always)
  func withTree<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result {
    withTreeObject { tree in
      tree.state.withLock { state in
        precondition(!state.isClosed, "a node was used while its tree was added to another")
        return body(&state, tree)
      }
    }
  }
}

extension ProgressNode {
  /// The node, not counted.
  @inline(__always)
  var reference: NodeReference { NodeReference(self) }

  /// Runs a body alone with the shape of the tree.
  @inline(__always)
  func withTree<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result { reference.withTree(body) }

  /// Changes the tree under its lock, and wakes those who sleep afterwards.
  @inline(__always)
  func withTreeChanging<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result {
    let (result, hasSleepers) = withTree { state, tree in
      state.version &+= 1
      // Whoever goes to sleep looks at the version after setting this.
      return (body(&state, tree), tree.hasSleepers.load(ordering: .relaxed))
    }
    if hasSleepers { wakeSleepers() }
    return result
  }

  /// Wakes those who sleep until the tree changes.
  func wakeSleepers() { reference.withTreeObject { $0.wakeSleepers() } }
}
