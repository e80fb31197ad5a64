internal import HeadwayLock
internal import Synchronization

/// The right to report some units of a node, to be used once.
///
/// A function that takes a share says in its type that it reports progress, and the compiler sees to it that no share
/// is used twice. A share that is dropped unused counts as done.
///
/// ```swift
/// func fetch(_ url: String, _ share: consuming ProgressShare) async throws {
///   let progress = share.start("fetch", total: 100)
///   progress.complete(100)
/// }
/// try await fetch(url, node.share(of: 3))
/// ```
///
/// A share cannot be consumed inside an escaping closure. For tasks and loops start the child before:
///
/// ```swift
/// let child = node.share(of: 3).start(total: 100)
/// Task { child.complete(100) }
/// ```
@safe
public struct ProgressShare: ~Copyable, Sendable {
  /// The node, retained by hand: a value that is discarded may only hold what is trivial.
  private let node: Unmanaged<ProgressNode>
  /// The units of the node.
  public let units: Int

  /// Takes a share of a node.
  init(of node: ProgressNode, units: Int) {
    unsafe self.node = Unmanaged.passRetained(node)
    self.units = max(units, 0)
  }

  deinit {
    // Balances the retain of the initializer, as do the functions that discard the value.
    let node = unsafe node.takeRetainedValue()
    node.complete(units)
  }

  /// Starts the work: makes the child that stands for these units.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - total: The units of the child's own work, nil while not known.
  /// - Returns: The child. The units count when it finishes, at the latest when nobody holds it any more.
  /// - Complexity: O(1): one lock.
  public consuming func start(_ label: String = "", total: Int? = nil) -> ProgressNode {
    let parent = unsafe node.takeRetainedValue()
    let units = units
    discard self
    return parent.child(label, units: units, total: total)
  }

  /// Ends the work at once: the units are completed.
  public consuming func complete() {}
}

extension ProgressNode {
  /// Takes a share of this node's units, for a function that reports them.
  ///
  /// - Parameter units: The units of this node that the function stands for; less than 0 counts as 0.
  /// - Returns: The share. Dropped unused it counts as done.
  /// - Complexity: O(1), without a lock.
  public func share(of units: Int) -> ProgressShare { ProgressShare(of: self, units: units) }

  /// Makes a child that stands for some of this node's units.
  ///
  /// A child of a node that has finished counts nowhere.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - units: The units of this node that are completed when the child finishes; less than 0 counts as 0.
  ///   - total: The units of the child's own work, nil while not known.
  /// - Returns: The child. It counts until it finishes, at the latest when nobody holds it any more.
  /// - Complexity: O(1): one lock.
  public func child(_ label: String = "", units: Int, total: Int? = nil) -> ProgressNode {
    let child = ProgressNode(below: self, total: total)
    withTreeChanging { state, _ in
      if !label.isEmpty { child.reference.extras.label = label }
      join(child, state: &state, units: units)
    }
    return child
  }

  /// Changes how many units of its parent this node stands for.
  ///
  /// - Parameter units: How many; less than 0 counts as 0.
  /// - Returns: Whether the node is at work: one that has finished has given its units already.
  /// - Complexity: O(1): one lock.
  package func changeUnits(to units: Int) -> Bool {
    withTreeChanging { state, _ in
      guard !isFinished else { return false }
      guard let parent = reference.parent, reference.level <= Self.maximumDepth else { return true }
      let sum =
        parent.childSum &+ Int128(max(units, 0) - reference.share) &* Int128(reference.portion)
      parent.childSum = sum
      if sum < 0 { parent.set(LinkFlags.overfull, true) }
      reference.share = max(units, 0)
      if !parent.isFinished { state.enqueue(parent) }
      return true
    }
  }

  /// Links a child that was just made, under the lock.
  ///
  /// What is made below the last level joins the node of that level, so that chains of nodes end.
  func join(_ child: ProgressNode, state: inout ProgressTree.State, units: Int) {
    guard reference.level > Self.maximumDepth, let parent = reference.parent else {
      return state.link(child.reference, below: reference, share: max(units, 0))
    }
    child.up.store(parent.retainedBits, ordering: .releasing)
    // Balances the retain of the initializer; the caller holds this node.
    reference.release()
    state.link(child.reference, below: parent, share: 0)
    if isCancelled { child.reference.setState(NodeState.cancelled, true) }
  }
}
