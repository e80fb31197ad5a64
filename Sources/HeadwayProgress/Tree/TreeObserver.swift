internal import HeadwayLock

/// Reads a node and tells when it has changed, without a task that waits.
///
/// ```text
///   let observer = TreeObserver(node) { loop.wake() }
///   loop: snapshot ──▶ arm ──▶ true: read again, a frame later
///                       └────▶ false: nothing to do until `changed` is called
/// ```
///
/// While it is not armed, changes cost nothing. An increment never does more than the first one after a read, which
/// pushes its node onto the stack of dirty nodes and then calls `changed`. The observer does not retain its node, and
/// counts as a read: afterwards the tree cannot be added to another. Safe from any thread, but `arm` is meant for one.
package final class TreeObserver: Sendable {
  private struct State: Sendable {
    /// The version of the tree that the last snapshot includes at least, nil before the first.
    var version: UInt64?
    /// Whether the last snapshot was made after the end of the node.
    var hasReadEnd = false
    /// The number under which the tree has the waiter, if there is one.
    var waiter: UInt64?
  }

  private let observed: ObservedNode
  private let changed: @Sendable () -> Void
  private let state = Guarded(State())

  /// Observes a node.
  ///
  /// - Parameters:
  ///   - node: The node; not retained.
  ///   - changed: Called at most once for each ``arm()``, from any thread, outside of the locks of the tree. It must not
  ///     block, as it is called by the threads that work.
  package init(_ node: ProgressNode, changed: @escaping @Sendable () -> Void) {
    observed = node.observe()
    self.changed = changed
  }

  deinit { disarm() }

  /// Whether the tree has to be read from time to time, because it has values that report no changes.
  ///
  /// Those are the mirrors of a Foundation `Progress`. To read them may take long, as it may have to wait for a queue.
  /// The answer can change; then `changed` is called.
  package var isPolled: Bool { observed.tree.state.withLock { !$0.refreshers.isEmpty } }

  /// Waits for the next change.
  ///
  /// A change is one of any node of the whole tree, also outside of the observed node.
  ///
  /// - Returns: Whether something has changed since the last snapshot began, or there was no snapshot. If not, the next
  ///   change calls `changed`, once; also the end of the node does.
  /// - Complexity: O(1).
  package func arm() -> Bool {
    disarm()
    let (version, hasReadEnd) = state.withLock { ($0.version, $0.hasReadEnd) }
    if hasReadEnd { return false }
    guard let version, observed.final == nil else { return true }
    let tree = observed.tree
    let id = tree.add(.call(changed))
    state.withLock { $0.waiter = id }
    // Checked only now: a later change finds the waiter.
    guard tree.state.withLock({ tree.hasChanged(&$0, since: version) }) else { return false }
    // Without a waiter, the call has come or is under way.
    return disarm()
  }

  /// Ends the wait for a change.
  ///
  /// A call that has begun on another thread may still be running.
  ///
  /// - Returns: Whether the observer was armed and `changed` was not called.
  /// - Complexity: O(1).
  @discardableResult
  package func disarm() -> Bool {
    guard let id = state.withLock({ $0.waiter.take() }) else { return false }
    // Dropped outside of the lock.
    let waiter = observed.tree.waiters.withLock { $0.remove(id) }
    return waiter != nil
  }

  /// Takes a snapshot.
  ///
  /// - Parameter limit: The most nodes of the snapshot: 1 to 1,000.
  /// - Returns: The tree now, its last state if the node has finished, and nil once the node is gone. Then ``final`` has
  ///   the last state; it may follow a moment later, with a call of `changed` if the observer is armed.
  /// - Complexity: That of ``ProgressNode/snapshot(limit:)``; see ``isPolled``.
  package func snapshot(limit: Int) -> ProgressSnapshot? {
    guard let node = observed.node else {
      if observed.final != nil { state.withLock { $0.hasReadEnd = true } }
      return nil
    }
    if let last = observed.final {
      state.withLock { $0.hasReadEnd = true }
      return last
    }
    let (snapshot, version) = node.versionedSnapshot(limit: limit)
    state.withLock { $0.version = version }
    return snapshot
  }

  /// The last state of the node, nil while it has not finished.
  ///
  /// It has no children, as those that are left do not count any more.
  package var final: ProgressSnapshot? { observed.final }

  /// Whether the number of a node in snapshots is that of the observed one; nil stands for it.
  ///
  /// - Complexity: O(1): one lock.
  package func isFirst(_ id: UInt32?) -> Bool {
    guard let id else { return true }
    return observed.node.map { node in node.withTree { _, _ in node.reference.id == id } } ?? false
  }

  /// Cancels, pauses or resumes the node or one below it.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - id: The number of the node, nil for the observed one.
  /// - Returns: What has become of it; that it has finished, if the node is gone.
  /// - Complexity: That of ``ProgressNode/carryOut(_:onNode:)``.
  package func carryOut(
    _ request: ProgressMirror.Request, onNode id: UInt32?
  ) -> ProgressNode.RequestResult {
    observed.node?.carryOut(request, onNode: id) ?? .finished
  }
}
