public import Foundation
public import HeadwayProgress

/// Runs a body where a Foundation `Progress` may be touched, and returns when the body has.
///
/// On Linux `Progress` has no lock: it must be touched from one place at a time. Where that place is a queue,
/// this is `{ body in queue.sync(execute: body) }`; where it is a lock, `{ body in lock.withLock(body) }`. It
/// is called by whoever looks at the tree of the node, cancels or pauses it, so none of that may be done
/// inside such a place. A `NodeProgress` below the progress does that when Foundation cancels or pauses it:
/// where the tree of its node has progress in the same place, the lock must be one that a thread may take
/// twice.
public typealias FoundationAccess = @Sendable (() -> Void) -> Void

extension ProgressNode {
  /// Creates the root of a tree that shows what a Foundation `Progress` says.
  ///
  /// ```swift
  /// let node = ProgressNode(mirroring: task.progress)
  /// for await snapshot in node.feed() { bar.show(snapshot.shownFraction) }
  /// ```
  ///
  /// - The units of the node are those of the progress: an indeterminate one gives an unknown total, negative
  ///   counts read as 0. While children of the progress are at work the node counts in billionths, as
  ///   Foundation has their part in its fraction alone; words and byte counts stay in the units of the
  ///   progress.
  /// - A cancel or a pause of the node reaches the progress at once, on the thread that cancels. One of the
  ///   progress reaches the node at the next look: Foundation tells nobody (on Linux), so the progress is
  ///   asked before each look at the tree, at most once a frame while somebody watches, and never while
  ///   nobody does.
  /// - A ``NodeProgress`` is read from its node, at each look and without `access`.
  /// - The node finishes when a look finds the progress finished, and when the progress is gone. Neither
  ///   holds the other.
  ///
  /// - Parameters:
  ///   - progress: What to mirror.
  ///   - label: The words that name the work; none by default.
  ///   - access: Runs a body where the progress may be touched. By default that is any thread that looks at
  ///     the tree, cancels or pauses, which is right only while nobody changes the progress on another one.
  ///     If another thread changes it, pass what both take turns by; see ``FoundationAccess``.
  public convenience init(
    mirroring progress: Progress, label: String = "",
    access: @escaping FoundationAccess = { body in body() }
  ) {
    self.init(label)
    FoundationMirror.connect(progress, to: self, isHeld: false, access: access)
  }

  /// Adds a Foundation `Progress` as a child, as `addChild(_:withPendingUnitCount:)` does between two of
  /// them.
  ///
  /// All that is said of ``init(mirroring:label:access:)`` holds, but for one thing: the progress keeps the
  /// child, so that nobody else has to. The child finishes with the progress, or when the progress is gone.
  ///
  /// A ``NodeProgress`` stands for its node: that node itself is added, as by `add(_:units:)`, and the same
  /// is thrown where it cannot be. A progress below which there is one that stands for this node, or for a
  /// node above it, is refused as well, as far as Foundation shows what is below (on Linux): what comes below
  /// it later is not seen. In such a circle every look ends, but the fractions count twice.
  ///
  /// - Parameters:
  ///   - progress: What to mirror.
  ///   - units: The units of this node that the progress stands for; less than 0 counts as 0.
  ///   - label: The words that name the work; none by default.
  ///   - access: Runs a body where the progress may be touched, see ``init(mirroring:label:access:)``.
  /// - Returns: The child.
  /// - Throws: `ProgressError` for a ``NodeProgress`` whose node has a parent, has finished, or is this one
  ///   or above it, and for a progress with such a one of this node or above below it. Nothing has changed
  ///   then. Any other progress can be added.
  @discardableResult
  public func add(
    _ progress: Progress, units: Int, label: String = "",
    access: @escaping FoundationAccess = { body in body() }
  ) throws(ProgressError) -> ProgressNode {
    var below: [ProgressNode] = []
    if let progress = progress as? NodeProgress {
      // A node that is gone has finished.
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
