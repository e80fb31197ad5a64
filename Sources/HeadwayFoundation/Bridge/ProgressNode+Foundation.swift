public import Foundation
public import HeadwayProgress

/// A function that synchronizes access to a Foundation `Progress`: it runs the closure and returns after it.
///
/// On Linux `Progress` has no lock, so only one thread at a time may use it. If a queue ensures that, pass
/// `{ body in queue.sync(execute: body) }`; if a lock does, pass `{ body in lock.withLock(body) }`.
///
/// The function is called when the tree of the node is read, cancelled or paused, so do none of that on the queue or
/// under the lock. A `NodeProgress` below the progress does so when Foundation cancels or pauses it: if the tree of its
/// node contains progress with the same lock, the lock must be recursive.
public typealias FoundationAccess = @Sendable (() -> Void) -> Void

extension ProgressNode {
  /// Creates the root of a tree that mirrors a Foundation `Progress`.
  ///
  /// ```swift
  /// let node = ProgressNode(mirroring: task.progress)
  /// for await snapshot in node.feed() { bar.show(snapshot.shownFraction) }
  /// ```
  ///
  /// - Units: the node has the units of the progress. If the progress is indeterminate, the total is unknown; negative
  ///   counts read as 0. While children of the progress are at work, the node counts in billionths, because Foundation
  ///   includes them only in its fraction; text and byte counts stay in the units of the progress.
  /// - Cancel and pause: those of the node reach the progress at once, on the same thread. Those of the progress
  ///   reach the node at its next read, because Foundation on Linux reports no changes. The progress is read before
  ///   each read of the tree: at most once per frame while there is a feed, and never without a reader.
  /// - For a ``NodeProgress``, its node is read directly, without `access`.
  /// - Lifetime: the node finishes when a read finds the progress finished, or when the progress is deallocated.
  ///   Neither retains the other.
  ///
  /// - Parameters:
  ///   - progress: The progress to mirror.
  ///   - label: A short name of the work; empty for none.
  ///   - access: Synchronizes access to the progress; see ``FoundationAccess``. By default the progress is used on the
  ///     thread that reads, cancels or pauses the tree, which is only safe if no other thread changes it.
  public convenience init(
    mirroring progress: Progress, label: String = "",
    access: @escaping FoundationAccess = { body in body() }
  ) {
    self.init(label)
    FoundationMirror.connect(progress, to: self, isHeld: false, access: access)
  }

  /// Adds a child that mirrors a Foundation `Progress`, like `addChild(_:withPendingUnitCount:)` between two of those.
  ///
  /// The child works as described for ``init(mirroring:label:access:)``, but the progress retains it, so you need not.
  /// It finishes when the progress finishes or is deallocated. For a ``NodeProgress``, the child mirrors its node and
  /// lives until that node finishes.
  ///
  /// A progress that would form a cycle is refused: a ``NodeProgress`` of this node or an ancestor, and a progress
  /// that has one below it. On Linux the whole subtree is checked, elsewhere only the progress itself. A cycle that
  /// is formed later is not found; reads of it still end, but its fractions count twice.
  ///
  /// - Parameters:
  ///   - progress: The progress to mirror.
  ///   - units: The units of this node that the progress stands for; less than 0 counts as 0.
  ///   - label: A short name of the work; empty for none.
  ///   - access: Synchronizes access to the progress; see ``init(mirroring:label:access:)``.
  /// - Returns: The child.
  /// - Throws: `ProgressError.isAncestor` for a cycle, and `ProgressError.notARoot` for a ``NodeProgress`` whose node
  ///   has a parent or has finished. Then nothing has changed. Any other progress can be added.
  @discardableResult
  public func add(
    _ progress: Progress, units: Int, label: String = "",
    access: @escaping FoundationAccess = { body in body() }
  ) throws(ProgressError) -> ProgressNode {
    var below: [ProgressNode] = []
    if let progress = progress as? NodeProgress {
      // A deallocated node has finished.
      guard let node = progress.node else { throw .notARoot }
      try checkPlace(of: node)
      below = [node]
    } else {
      access { below = FoundationTree.nodes(below: progress) }
    }
    guard !below.contains(where: isAtOrBelow) else { throw .isAncestor }
    let child = child(label, units: units)
    FoundationMirror.connect(progress, to: child, isHeld: true, access: access)
    return child
  }
}
