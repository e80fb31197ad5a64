internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Whether the node or one above it is paused.
  ///
  /// - Complexity: O(1): one relaxed atomic load.
  @inlinable
  public var isPaused: Bool { state.load(ordering: .relaxed) & NodeState.paused != 0 }

  /// Whether a pause reaches the node and what is below it: true unless it is set otherwise.
  ///
  /// - Complexity: O(1), and that of ``pause()`` where one from above begins or ends to hold.
  public var isPausable: Bool {
    get { state.load(ordering: .relaxed) & NodeState.unpausable == 0 }
    set {
      changePause { node in
        node.setState(NodeState.unpausable, !newValue)
        if !newValue { node.setState(NodeState.paused, false) }
        if newValue, let parent = node.parent, parent.state & NodeState.paused != 0 {
          node.setState(NodeState.pausedAbove, true)
        }
      }
    }
  }

  /// Pauses the work of this node and all that is below it.
  ///
  /// Workers wait at their next ``checkpoint(isolation:)``; those that have none go on. Children made later are paused from the
  /// start. A second call does nothing.
  ///
  /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
  public func pause() {
    changePause { node in
      if node.state & NodeState.unpausable == 0 { node.setState(NodeState.pausedHere, true) }
    }
  }

  /// Lets the work of this node go on, unless a node above is paused; what was paused below on its own stays so.
  ///
  /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
  public func resume() {
    changePause { node in node.setState(NodeState.pausedHere, false) }
  }

  /// Takes over whether a node above is paused.
  func inheritPause() {
    changePause { node in
      guard node.state & NodeState.unpausable == 0, let parent = node.parent else { return }
      node.setState(NodeState.pausedAbove, parent.state & NodeState.paused != 0)
    }
  }

  /// Changes the top of a subtree, and brings what is below in line.
  ///
  /// Each node takes over what holds above it at that moment, so that of two changes at a time the last wins.
  private func changePause(_ change: (_ top: NodeReference) -> Void) {
    var due = StateChange()
    walk { node, depth in
      let before = node.state & NodeState.paused
      if depth == 0 {
        change(node)
      } else if node.state & NodeState.unpausable == 0, let parent = node.parent {
        node.setState(NodeState.pausedAbove, parent.state & NodeState.paused != 0)
      }
      let after = node.state & NodeState.paused
      guard (before == 0) != (after == 0) else { return false }
      due.take(from: node, after == 0 ? .resume : .pause)
      return true
    }
    tellChange(due)
  }

  /// Calls a function each time the node is paused, on the thread that pauses; at once if it is paused already.
  ///
  /// - Parameter handler: What to do.
  /// - Returns: What takes the handler away again.
  @discardableResult
  public func onPause(_ handler: @escaping @Sendable () -> Void) -> ProgressHandler {
    addHandler(.pause, handler)
  }

  /// Calls a function each time the node goes on after a pause, on the thread that resumes it.
  ///
  /// - Parameter handler: What to do.
  /// - Returns: What takes the handler away again.
  @discardableResult
  public func onResume(_ handler: @escaping @Sendable () -> Void) -> ProgressHandler {
    addHandler(.resume, handler)
  }
}

extension ProgressNode {
  /// Waits while the node is paused, and throws when the work is to end: for loops of asynchronous work.
  ///
  /// ```swift
  /// for file in files {
  ///   try await node.checkpoint()
  ///   try await copy(file)
  ///   node.complete(1)
  /// }
  /// ```
  ///
  /// - Throws: `CancellationError` when the node or the task is cancelled, also while it waits.
  /// - Complexity: O(1); two loads where there is nothing to wait for.
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

  /// Waits while the node is paused, and throws when the work is to end: for loops on plain threads.
  ///
  /// It blocks the thread while the node is paused, so asynchronous code calls ``checkpoint(isolation:)``.
  ///
  /// - Throws: `CancellationError` when the node is cancelled, also while it waits.
  /// - Complexity: O(1); one load where there is nothing to wait for.
  @inlinable
  public func blockingCheckpoint() throws(CancellationError) {
    if state.load(ordering: .relaxed) & (NodeState.cancelled | NodeState.paused) == 0 { return }
    try blockAtCheckpoint()
  }

  /// Waits for the end of a pause.
  @usableFromInline
  func waitAtCheckpoint(isolation: isolated (any Actor)?) async throws(CancellationError) {
    while true {
      if isCancelled || Task.isCancelled { throw CancellationError() }
      let wait = CheckpointWait()
      guard let number = add(wait) else {
        if isCancelled { continue }
        return
      }
      await withTaskCancellationHandler {
        await wait.asleep(isolation: isolation)
      } onCancel: {
        wait.goOn()
      }
      remove(number)
    }
  }

  /// Waits for the end of a pause, blocking the thread.
  @usableFromInline
  func blockAtCheckpoint() throws(CancellationError) {
    while !isCancelled {
      let wait = CheckpointWait()
      guard let number = add(wait) else {
        if isCancelled { continue }
        return
      }
      wait.block()
      remove(number)
    }
    throw CancellationError()
  }

  /// Lets somebody wait for the end of the pause.
  ///
  /// - Returns: The number of the one who waits; nil when there is nothing to wait for.
  private func add(_ wait: CheckpointWait) -> UInt64? {
    withTree { _, _ in isHeldUp ? reference.extras.waiting.append(wait) : nil }
  }

  /// Forgets somebody who does not wait any more.
  private func remove(_ number: UInt64) {
    _ = withTree { _, _ in reference.existingExtras?.waiting.remove(number) }
  }

  /// Whether workers wait.
  private var isHeldUp: Bool {
    isPaused && state.load(ordering: .relaxed) & (NodeState.cancelled | NodeState.finished) == 0
  }
}

/// Somebody who waits at a checkpoint.
final class CheckpointWait: Sendable {
  /// Wakes a task.
  private let sleeper = ProgressSleeper()
  /// Wakes a thread.
  private let semaphore = Semaphore()

  /// Creates a wait that has not begun.
  init() {}

  /// Lets the one who waits go on, or not wait at all.
  func goOn() {
    sleeper.wake()
    semaphore.post(1)
  }

  /// Waits as a task.
  func asleep(isolation: isolated (any Actor)?) async {
    await withCheckedContinuation(isolation: isolation) { sleeper.begin($0) }
  }

  /// Waits as a thread.
  func block() { semaphore.wait() }
}
