internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Whether the node or one of its ancestors is paused.
  ///
  /// - Complexity: O(1): one relaxed atomic load.
  @inlinable
  public var isPaused: Bool { state.load(ordering: .relaxed) & NodeState.paused != 0 }

  /// Whether the node and its descendants can be paused; true by default.
  ///
  /// - Complexity: O(1), plus that of ``pause()`` or ``resume()`` if the state changes.
  public var isPausable: Bool {
    get { state.load(ordering: .relaxed) & NodeState.unpausable == 0 }
    set {
      changePause(nil, TreeWalk(from: reference)) { node in
        node.setState(NodeState.unpausable, !newValue)
        if !newValue { node.setState(NodeState.paused, false) }
        if newValue, let parent = node.parent, parent.state & NodeState.paused != 0 {
          node.setState(NodeState.pausedAbove, true)
        }
      }
      // Also observers of a node that is not paused see this.
      withTreeChanging { _, _ in }
    }
  }

  /// Pauses the work of this node and its descendants.
  ///
  /// Workers wait at their next ``checkpoint(isolation:)``; workers without checkpoints continue. Children made later
  /// start paused. A second call does nothing.
  ///
  /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
  public func pause() { pause(TreeWalk(from: reference)) }

  /// Pauses the nodes of a walk.
  func pause(_ walk: TreeWalk, isNoted: Bool = false) {
    changePause(.pause, walk, isNoted: isNoted) { node in
      if node.state & NodeState.unpausable == 0 { node.setState(NodeState.pausedHere, true) }
    }
  }

  /// Ends the pause of this node.
  ///
  /// The work continues unless an ancestor is paused. Descendants that were paused themselves stay paused.
  ///
  /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
  public func resume() { resume(TreeWalk(from: reference)) }

  /// Ends the pause of the first node of a walk.
  func resume(_ walk: TreeWalk, isNoted: Bool = false) {
    changePause(.resume, walk, isNoted: isNoted) { node in
      node.setState(NodeState.pausedHere, false)
    }
  }

  /// Inherits the pause of the parent.
  func inheritPause() {
    changePause(nil, TreeWalk(from: reference)) { node in
      guard node.state & NodeState.unpausable == 0, let parent = node.parent else { return }
      node.setState(NodeState.pausedAbove, parent.state & NodeState.paused != 0)
    }
  }

  /// Changes the pause of a node and its descendants.
  ///
  /// Each node inherits the state of its parent at that moment, so the last of two concurrent changes wins.
  ///
  /// - Parameters:
  ///   - request: What a mirrored tree is asked for, nil if the pause changes for another reason.
  ///   - walk: The walk over the node and its descendants.
  ///   - isNoted: Whether the tree knows the walk already.
  ///   - change: Changes the bits of the first node, under the lock.
  private func changePause(
    _ request: ProgressMirror.Request?, _ walk: TreeWalk, isNoted: Bool = false,
    _ change: (_ top: NodeReference) -> Void
  ) {
    var actions = StateChange()
    self.walk(walk, isNoted: isNoted) { node, depth in
      let before = node.state & NodeState.paused
      if depth == 0 {
        change(node)
      } else if node.state & NodeState.unpausable == 0, let parent = node.parent {
        node.setState(NodeState.pausedAbove, parent.state & NodeState.paused != 0)
      }
      let after = node.state & NodeState.paused
      let isChanged = (before == 0) != (after == 0)
      if depth == 0, let request {
        if request.isDue(at: node, before: before, after: after) {
          actions.request(request, at: node, isInherited: false)
        }
      } else if isChanged {
        actions.request(after == 0 ? .resume : .pause, at: node, isInherited: true)
      }
      guard isChanged else { return false }
      actions.record(after == 0 ? .resume : .pause, at: node)
      return true
    }
    perform(actions)
  }

  /// Calls a function each time the node is paused, on the thread that pauses it; at once if it is already paused.
  ///
  /// - Parameter handler: The function.
  /// - Returns: A registration that removes the handler.
  @discardableResult
  public func onPause(_ handler: @escaping @Sendable () -> Void) -> HandlerRegistration {
    addHandler(.pause, handler)
  }

  /// Calls a function each time the node resumes after a pause, on the thread that resumes it.
  ///
  /// - Parameter handler: The function.
  /// - Returns: A registration that removes the handler.
  @discardableResult
  public func onResume(_ handler: @escaping @Sendable () -> Void) -> HandlerRegistration {
    addHandler(.resume, handler)
  }
}

extension ProgressNode {
  /// Waits while the node is paused and throws if it is cancelled; call it in the loop of an asynchronous worker.
  ///
  /// ```swift
  /// for file in files {
  ///   try await node.checkpoint()
  ///   try await copy(file)
  ///   node.complete(1)
  /// }
  /// ```
  ///
  /// - Throws: `CancellationError` if the node or the task is cancelled, also while it waits.
  /// - Complexity: O(1); two loads if there is nothing to wait for.
  @inlinable
  public func checkpoint(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    if state.load(ordering: .relaxed) & (NodeState.cancelled | NodeState.paused) == 0,
      !Task.isCancelled
    {
      return
    }
    try await waitAtCheckpoint(isolation: isolation)
  }

  /// Waits while the node is paused and throws if it is cancelled; call it in the loop of a worker on a thread.
  ///
  /// It blocks the thread while the node is paused. Asynchronous code calls ``checkpoint(isolation:)`` instead.
  ///
  /// - Throws: `CancellationError` if the node is cancelled, also while it waits.
  /// - Complexity: O(1); one load if there is nothing to wait for.
  @inlinable
  public func blockingCheckpoint() throws(CancellationError) {
    if state.load(ordering: .relaxed) & (NodeState.cancelled | NodeState.paused) == 0 { return }
    try blockAtCheckpoint()
  }

  @usableFromInline
  func waitAtCheckpoint(isolation: isolated (any Actor)?) async throws(CancellationError) {
    while true {
      if isCancelled || Task.isCancelled { throw CancellationError() }
      let waiter = CheckpointWaiter()
      guard let id = add(waiter) else {
        if isCancelled { continue }
        return
      }
      await waiter.wait(isolation: isolation)
      remove(id)
    }
  }

  @usableFromInline
  func blockAtCheckpoint() throws(CancellationError) {
    while !isCancelled {
      let waiter = CheckpointWaiter()
      guard let id = add(waiter) else {
        if isCancelled { continue }
        return
      }
      waiter.block()
      remove(id)
    }
    throw CancellationError()
  }

  /// Adds a waiter.
  ///
  /// - Returns: Its number; nil if there is nothing to wait for.
  private func add(_ waiter: CheckpointWaiter) -> UInt64? {
    withTree { _, _ in mustWait ? reference.extras.checkpointWaiters.insert(waiter) : nil }
  }

  private func remove(_ id: UInt64) {
    _ = withTree { _, _ in reference.existingExtras?.checkpointWaiters.remove(id) }
  }

  /// Whether workers wait at checkpoints.
  private var mustWait: Bool {
    isPaused && state.load(ordering: .relaxed) & (NodeState.cancelled | NodeState.finished) == 0
  }
}

/// A task or thread that waits at a checkpoint.
final class CheckpointWaiter: Sendable {
  private let event = OneShotEvent()
  private let semaphore = Semaphore()

  /// Ends the wait, or prevents it.
  func resume() {
    event.signal()
    semaphore.post(1)
  }

  /// Waits as a task, until resumed or cancelled.
  func wait(isolation: isolated (any Actor)?) async {
    await event.waitOrCancel(isolation: isolation)
  }

  /// Blocks the thread until resumed.
  func block() { semaphore.wait() }
}
