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
    /// The successors before the present one, for those who walk over them.
    var formerSuccessors: [ProgressTree] = []
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
  /// What stands in the inbox of a tree that another has taken in.
  static let closedInbox: UInt = 3
  /// The most nodes that are looked at in one hold of the lock.
  static let nodesPerHold = 1_000

  /// The state.
  let state = Guarded(State())
  /// The address of the last node that came in.
  let inbox = Atomic<UInt>(ProgressTree.emptyInbox)
  /// The address of the tree that has taken this one in, or of one that has taken in that, 0 while none has.
  ///
  /// It is set under the lock, and never back to 0.
  let successor = Atomic<UInt>(0)
  /// Whether somebody sleeps until something changes.
  let hasSleepers = Atomic<Bool>(false)
  /// Those who sleep.
  let sleepers = Guarded(WaitingLine<ProgressSleeper>())
  /// Orders trees, so that two which become one agree on which stays.
  let number: UInt64

  /// Counts the trees of the process.
  private static let trees = Atomic<UInt64>(0)

  /// Creates a tree without a root.
  init() { number = Self.trees.wrappingAdd(1, ordering: .relaxed).newValue }

  deinit {
    // One after the other, not one within the other: a chain of trees may be long.
    var next = takeSuccessor()
    while var tree = next.take() {
      if isKnownUniquelyReferenced(&tree) { next = tree.takeSuccessor() }
    }
  }
}

extension ProgressTree {
  /// Takes the successor from a tree that nobody holds or will hold any more.
  private func takeSuccessor() -> ProgressTree? {
    // Balances the retain of `join`.
    unsafe UnsafeRawPointer(bitPattern: successor.exchange(0, ordering: .relaxed)).map {
      unsafe Unmanaged<ProgressTree>.fromOpaque($0).takeRetainedValue()
    }
  }

  /// Puts a node into the inbox of its tree and wakes those who sleep.
  ///
  /// - Parameter node: A node whose wire the calling thread has taken down, and which it holds.
  static func post(_ node: NodeReference) {
    while true {
      let isDone = node.withTreeObject { tree in
        var head = tree.inbox.load(ordering: .relaxed)
        while head != closedInbox {
          node.inboxNext = head
          // Releases the link to the reader. Sequential with the flag below and its counterpart in `sleep`: one
          // of the two sees the other.
          let (done, seen) = tree.inbox.compareExchange(
            expected: head, desired: node.bits, ordering: .sequentiallyConsistent)
          if done {
            if tree.hasSleepers.load(ordering: .sequentiallyConsistent) { tree.wakeSleepers() }
            return true
          }
          head = seen
        }
        return false
      }
      // Otherwise another tree has taken this one in, which is found by now.
      if isDone { return }
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
    state.version != version || successor.load(ordering: .relaxed) != 0
      || state.arrivals != Self.emptyInbox
      || state.hasWaiting
      || inbox.load(ordering: .sequentiallyConsistent) != Self.emptyInbox
  }
}

extension NodeReference {
  /// The address of the tree that the root above the node was made with; good for as long as the node is held.
  @inline(__always)
  private var firstTree: UInt {
    var bits = with { $0.up.load(ordering: .acquiring) }
    while bits & 1 == 0, let above = NodeReference(bits: bits) {
      bits = above.with { $0.up.load(ordering: .acquiring) }
    }
    return bits & ~1
  }

  /// Lets the node find its tree in one step after other trees have taken in the one that its root was made with.
  func shortenWay() {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: firstTree) else { return }
    unsafe Unmanaged<ProgressTree>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
      $0.shortenWay()
    }
  }

  /// The number of trees between the one that the root above was made with and the one that guards it, for tests.
  var lengthOfWay: Int {
    var length = 0
    var bits = firstTree
    while let pointer = unsafe UnsafeRawPointer(bitPattern: bits) {
      bits = unsafe Unmanaged<ProgressTree>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
        $0.successor.load(ordering: .acquiring)
      }
      length += 1
    }
    return length - 1
  }

  /// The tree of the node, found by walking up; it is not counted, and good for as long as the node is held.
  ///
  /// Another may have taken it in in the meantime.
  @inline(__always)
  private var tree: Unmanaged<ProgressTree> {
    var bits = firstTree
    while true {
      // A root holds the tree that it was made with, which holds its successor; the node holds the root.
      guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else {
        preconditionFailure("a node without a tree")
      }
      let tree = unsafe Unmanaged<ProgressTree>.fromOpaque(pointer)
      // Acquires what was moved to the successor.
      bits = unsafe tree._withUnsafeGuaranteedRef { $0.successor.load(ordering: .acquiring) }
      if bits == 0 { return unsafe tree }
    }
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
    while true {
      let result = unsafe tree._withUnsafeGuaranteedRef { tree in
        tree.state.withLock { state -> Result? in
          // Otherwise another tree has taken this one in, which is found by now.
          tree.successor.load(ordering: .relaxed) == 0 ? body(&state, tree) : nil
        }
      }
      if let result { return result }
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
