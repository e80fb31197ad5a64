internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Whether the work should end early; cheap enough for an inner loop.
  ///
  /// - Complexity: O(1): one relaxed atomic load.
  @inlinable
  public var isCancelled: Bool { state.load(ordering: .relaxed) & NodeState.cancelled != 0 }

  /// Whether the node and its descendants can be cancelled; true by default.
  ///
  /// Set it to false for a step that must not be interrupted. Then ``cancel()`` does nothing here, and a cancel of
  /// an ancestor skips the node. If an ancestor was cancelled in the meantime, setting it back to true cancels the
  /// node.
  ///
  /// - Complexity: O(1), plus that of ``cancel()`` if the node is cancelled.
  public var isCancellable: Bool {
    get { state.load(ordering: .relaxed) & NodeState.uncancellable == 0 }
    set {
      let isDue = withTreeChanging { _, _ in
        reference.setState(NodeState.uncancellable, !newValue)
        guard newValue, let parent = reference.parent else { return false }
        return parent.state & NodeState.cancelled != 0
      }
      if isDue { cancel() }
    }
  }

  /// Asks the work of this node and its descendants to end early.
  ///
  /// Sets ``isCancelled``, makes checkpoints throw and calls the handlers once all nodes are marked. Children made
  /// later start cancelled. A cancel cannot be undone; a second call does nothing.
  ///
  /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
  public func cancel() { cancel(TreeWalk(from: reference)) }

  /// Cancels the nodes of a walk.
  func cancel(_ walk: TreeWalk, isNoted: Bool = false) {
    var change = StateChange()
    self.walk(walk, isNoted: isNoted) { node, depth in
      let bits = node.state
      guard bits & (NodeState.cancelled | NodeState.uncancellable) == 0 else { return false }
      node.setState(NodeState.cancelled, true)
      change.record(.cancel, at: node)
      change.request(.cancel, at: node, isInherited: depth > 0)
      return true
    }
    perform(change)
  }

  /// Calls a function when the node is cancelled, on the thread that cancels it.
  ///
  /// If the node is already cancelled, the function is called at once. It may use the tree. Keep it short, as handlers
  /// are called one after the other; for an actor, start a task: `node.onCancel { Task { await player.stop() } }`.
  ///
  /// - Parameter handler: The function; called at most once.
  /// - Returns: A registration that removes the handler.
  /// - Complexity: O(1).
  @discardableResult
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> HandlerRegistration {
    addHandler(.cancel, handler)
  }
}
