internal import HeadwayLock
internal import Synchronization

/// Some units of a node that a function reports, to be used once.
///
/// A function that takes a share shows in its signature that it reports progress, and the compiler ensures that each
/// share is used only once. The units of a share that is dropped count as completed.
///
/// ```swift
/// func fetch(_ url: String, _ share: consuming ProgressShare) async throws {
///   let progress = share.start("fetch", total: 100)
///   progress.complete(100)
/// }
/// try await fetch(url, node.share(of: 3))
/// ```
///
/// A share cannot be consumed inside an escaping closure. For tasks and loops, start the child first:
///
/// ```swift
/// let child = node.share(of: 3).start(total: 100)
/// Task { child.complete(100) }
/// ```
@safe
public struct ProgressShare: ~Copyable, Sendable {
  /// The node, retained by hand: a value that is discarded may only hold trivial fields.
  private let node: Unmanaged<ProgressNode>
  /// The units of the node that the share stands for.
  public let units: Int

  init(of node: ProgressNode, units: Int) {
    unsafe self.node = Unmanaged.passRetained(node)
    self.units = max(units, 0)
  }

  deinit {
    // Balances the retain of the initializer, as do the functions that discard the value.
    let node = unsafe node.takeRetainedValue()
    node.complete(units)
  }

  /// Creates the child that stands for these units.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - total: The units of the child's own work, nil while unknown.
  /// - Returns: The child. Its units count when it finishes, at the latest when its last reference is dropped.
  /// - Complexity: O(1): one lock.
  public consuming func start(_ label: String = "", total: Int? = nil) -> ProgressNode {
    let parent = unsafe node.takeRetainedValue()
    let units = units
    discard self
    return parent.child(label, units: units, total: total)
  }

  /// Completes the units, for work that needs no node of its own.
  public consuming func finish() {}
}

extension ProgressNode {
  /// Creates a share of this node's units, to be passed to a function that reports them.
  ///
  /// - Parameter units: The units of this node that the function stands for; less than 0 counts as 0.
  /// - Returns: The share. If it is dropped unused, its units are completed.
  /// - Complexity: O(1), without a lock.
  public func share(of units: Int) -> ProgressShare { ProgressShare(of: self, units: units) }

  /// Creates a child that stands for some of this node's units.
  ///
  /// A child of a finished node counts for nothing.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - units: The units of this node that the child completes when it finishes; less than 0 counts as 0.
  ///   - total: The units of the child's own work, nil while unknown.
  /// - Returns: The child. It finishes at the latest when its last reference is dropped.
  /// - Complexity: O(1): one lock.
  public func child(_ label: String = "", units: Int, total: Int? = nil) -> ProgressNode {
    let child = ProgressNode(below: self, total: total)
    withTreeChanging { state, _ in
      if !label.isEmpty { child.reference.extras.label = label }
      link(child, state: &state, units: units)
    }
    return child
  }

  /// Changes how many units of its parent this node stands for.
  ///
  /// - Parameter units: The units; less than 0 counts as 0.
  /// - Returns: Whether they were changed; false if the node has finished, as its units are completed by then.
  /// - Complexity: O(1): one lock.
  package func changeUnits(to units: Int) -> Bool {
    withTreeChanging { state, _ in
      guard !isFinished else { return false }
      state.changeShare(of: reference, to: max(units, 0))
      return true
    }
  }

  /// Links a new child, under the lock.
  ///
  /// A child of a node below the last level is linked to the node at that level, so that chains of nodes end.
  private func link(_ child: ProgressNode, state: inout ProgressTree.State, units: Int) {
    guard reference.level > Self.maximumDepth, let parent = reference.parent else {
      return state.link(child.reference, below: reference, share: max(units, 0))
    }
    child.up.store(parent.retainedBits, ordering: .releasing)
    // Balances the retain of the initializer; the caller retains this node.
    reference.release()
    state.link(child.reference, below: parent, share: 0)
    if isCancelled { child.reference.setState(NodeState.cancelled, true) }
  }
}

extension ProgressTree.State {
  /// Changes how many units of its parent a node stands for.
  ///
  /// - Parameters:
  ///   - node: A node that has not finished.
  ///   - share: The units, at least 0.
  mutating func changeShare(of node: NodeReference, to share: Int) {
    guard let parent = node.parent, node.level <= ProgressNode.maximumDepth else { return }
    let sum = parent.childSum &+ Int128(share - node.share) &* Int128(node.fixedFraction)
    parent.childSum = sum
    if sum < 0 { parent.set(LinkFlags.overflowed, true) }
    node.share = share
    if !parent.isFinished { enqueue(parent) }
  }
}
