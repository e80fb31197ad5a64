internal import HeadwayLock
internal import Synchronization

/// The state that all nodes of a tree share: the lock, the stack of dirty nodes, and who waits for a change.
///
/// Increments never take the lock. The dirty nodes form a Treiber stack, linked by `nextDirty`: a node is pushed by one
/// compare-and-exchange, and a reader takes the whole stack while it holds the lock.
final class ProgressTree: Sendable {
  /// The state that the lock guards, besides the links of the nodes.
  struct State: ~Copyable, Sendable {
    /// The heads of the lists of nodes to update, one list for each level from 2 on.
    var pending: [NodeReference?] = []
    /// The level of the deepest list that may not be empty.
    var deepestPending = 1
    /// The dirty nodes that a reader has taken from the stack but not updated yet.
    var taken: UInt = ProgressTree.endOfStack
    /// Incremented by every change.
    var version: UInt64 = 0
    var nextID: UInt32 = 1
    /// The walks that are between two holds of the lock.
    var walks: [TreeWalk] = []
    var refreshers: [Refresher] = []
    /// Whether somebody has read the progress of the tree.
    var isRead = false
    /// Whether the tree was added to another, whose lock now guards the nodes.
    var isClosed = false
  }

  /// A function that brings a node up to date before each read of the tree.
  struct Refresher: Sendable {
    weak let node: ProgressNode?
    /// The address of the node, which can be compared under the lock.
    let address: UInt
    let refresh: @Sendable () -> Void
  }

  /// The address that ends a stack of dirty nodes.
  static let endOfStack: UInt = 1
  /// The most nodes that are visited in one hold of the lock.
  static let nodesPerHold = 1_000

  let state = Guarded(State())
  /// The head of the stack of dirty nodes.
  let dirtyNodes = Atomic<UInt>(ProgressTree.endOfStack)
  /// Whether `waiters` may not be empty.
  let hasWaiters = Atomic<Bool>(false)
  /// The tasks and observers that wait for a change.
  let waiters = Guarded(Registry<Waiter>())
  /// A number that no other tree of the process has.
  let number: UInt64

  /// What waits for a change, once.
  enum Waiter: Sendable {
    case task(OneShotEvent)
    /// A function that is called outside of all locks.
    case call(@Sendable () -> Void)

    func wake() {
      switch self {
      case .task(let event): event.signal()
      case .call(let body): body()
      }
    }
  }

  private static let count = Atomic<UInt64>(0)

  init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension ProgressTree {
  /// Pushes a node onto the stack of dirty nodes of its tree and wakes the waiters.
  ///
  /// - Parameter node: A node whose clean bit the caller has cleared; retained by the caller.
  static func push(_ node: NodeReference) {
    node.withTreeObject { tree in
      var head = tree.dirtyNodes.load(ordering: .relaxed)
      while true {
        node.nextDirty = head
        // Releases the link to the reader. Sequentially consistent with the flag below and with `wait`: one of the two
        // sees the other.
        let (done, seen) = tree.dirtyNodes.compareExchange(
          expected: head, desired: node.bits, ordering: .sequentiallyConsistent)
        if done { break }
        head = seen
      }
      if tree.hasWaiters.load(ordering: .sequentiallyConsistent) { tree.wakeWaiters() }
    }
  }

  /// Traps because of a node of a closed tree; not inlined, as callers are.
  @inline(never)
  static func trapOnClosedTree() -> Never {
    preconditionFailure("a node was used while its tree was added to another")
  }

  /// Wakes the tasks and observers that wait for a change; called outside of all locks.
  func wakeWaiters() {
    let woken = waiters.withLock { waiters in
      hasWaiters.store(false, ordering: .relaxed)
      return waiters.removeAll()
    }
    for waiter in woken { waiter.wake() }
  }

  /// Waits for a change after a version, or until the task is cancelled.
  func wait(forChangeSince version: UInt64) async {
    let event = OneShotEvent()
    let id = add(.task(event))
    // Checked only now: a later change finds the waiter.
    if state.withLock({ hasChanged(&$0, since: version) }) { wakeWaiters() }
    await event.waitOrCancel()
    _ = waiters.withLock { $0.remove(id) }
  }

  /// Adds a waiter for the next change.
  ///
  /// A change that came before may not wake it: check `hasChanged` afterwards.
  ///
  /// - Returns: The number under which it can be removed.
  func add(_ waiter: Waiter) -> UInt64 {
    waiters.withLock { waiters in
      hasWaiters.store(true, ordering: .sequentiallyConsistent)
      return waiters.insert(waiter)
    }
  }

  /// Whether something has changed after a version.
  func hasChanged(_ state: inout State, since version: UInt64) -> Bool {
    state.version != version || state.taken != Self.endOfStack || state.hasPending
      || dirtyNodes.load(ordering: .sequentiallyConsistent) != Self.endOfStack
  }
}

extension NodeReference {
  /// The tree of the node, found by walking up; not retained, and valid while the node is.
  @inline(__always)
  private var tree: Unmanaged<ProgressTree> {
    var bits = with { $0.up.load(ordering: .acquiring) }
    while bits & 1 == 0, let above = NodeReference(bits: bits) {
      bits = above.with { $0.up.load(ordering: .acquiring) }
    }
    // A root retains its tree, and a node retains its root.
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits & ~1) else {
      preconditionFailure("a node without a tree")
    }
    return unsafe Unmanaged<ProgressTree>.fromOpaque(pointer)
  }

  /// Calls a function with the tree of the node, without retaining it.
  @inline(__always)
  func withTreeObject<Result>(_ body: (ProgressTree) -> Result) -> Result {
    unsafe tree._withUnsafeGuaranteedRef(body)
  }

  /// Calls a function under the lock of the tree.
  @inline(__always)
  func withTree<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result {
    // Not through `withTreeObject`, which keeps the compiler from inlining the closures: 80 instructions a call.
    unsafe tree._withUnsafeGuaranteedRef { tree in
      tree.state.withLock { state in
        if state.isClosed { ProgressTree.trapOnClosedTree() }
        return body(&state, tree)
      }
    }
  }
}

extension ProgressNode {
  /// This node, not retained.
  @inline(__always)
  var reference: NodeReference { NodeReference(self) }

  /// Calls a function under the lock of the tree.
  @inline(__always)
  func withTree<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result { reference.withTree(body) }

  /// Changes the tree under its lock and wakes the waiters afterwards.
  @inline(__always)
  func withTreeChanging<Result: Sendable>(
    _ body: (inout ProgressTree.State, ProgressTree) -> Result
  ) -> Result {
    let (result, hasWaiters) = withTree { state, tree in
      state.version &+= 1
      // A waiter checks the version after it has set this.
      return (body(&state, tree), tree.hasWaiters.load(ordering: .relaxed))
    }
    if hasWaiters { reference.withTreeObject { $0.wakeWaiters() } }
    return result
  }
}

/// An event that happens once and that one task can wait for.
final class OneShotEvent: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case signaled
  }

  private let state = Guarded(State.idle)

  /// Wakes the waiting task, or makes a later wait return at once.
  func signal() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .signaled }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }

  /// Waits for the event or a cancellation of the task.
  func waitOrCancel(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let isSignaled = state.withLock { state in
          if case .signaled = state { return true }
          state = .waiting(continuation)
          return false
        }
        if isSignaled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
