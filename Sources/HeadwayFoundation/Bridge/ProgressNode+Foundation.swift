public import Foundation
public import HeadwayProgress

/// A function that synchronizes access to a Foundation `Progress`: it runs the closure and returns after it.
///
/// On Linux `Progress` has no lock, so only one thread at a time may use it. If a queue ensures that, pass
/// `{ body in queue.sync(execute: body) }`; if a lock does, pass `{ body in lock.withLock(body) }`.
///
/// The function is called when the tree of the node is read, cancelled or paused, so do none of that on the queue or
/// under the lock. A progress of a node, see `ProgressNode.makeFoundationProgress(on:every:clock:)`, does so when
/// Foundation cancels or pauses it: if the tree of its node contains progress with the same lock, the lock must be
/// recursive.
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
  /// - For a progress that was made of a node, the node is read directly, without `access`.
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
  /// It finishes when the progress finishes or is deallocated. For a progress that was made of a
  /// node, the child mirrors that node and lives until it finishes.
  ///
  /// A progress that would form a cycle is refused: a progress of this node or an ancestor, and one
  /// that has one below it. On Linux the whole subtree is checked, elsewhere only the progress itself. A cycle that
  /// is formed later is not found; reads of it still end, but its fractions count twice.
  ///
  /// - Parameters:
  ///   - progress: The progress to mirror.
  ///   - units: The units of this node that the progress stands for; less than 0 counts as 0.
  ///   - label: A short name of the work; empty for none.
  ///   - access: Synchronizes access to the progress; see ``init(mirroring:label:access:)``.
  /// - Returns: The child.
  /// - Throws: `ProgressError.isAncestor` for a cycle, and `ProgressError.notARoot` for the progress of a node that
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

extension ProgressNode {
  /// Creates a Foundation `Progress` that represents this node, for code that shows, cancels or composes those.
  ///
  /// ```swift
  /// let progress = node.makeFoundationProgress()
  /// parent.addChild(progress, withPendingUnitCount: 3)
  /// ```
  ///
  /// - Values: counts, states, text, kind and typed values are read from the node on demand. `fractionCompleted` and
  ///   the values that a Foundation parent adds up are not; they are updated on an actor, after a change and at most
  ///   once per frame, and by `Progress.updateFromNode()`. They follow the shown fraction, which never goes back, in
  ///   millionths.
  /// - Actor: by default the main actor. If the main thread blocks, as in a synchronous command-line tool, the main
  ///   actor never runs and the Foundation parent is never updated: pass another actor, or nil and call
  ///   `Progress.updateFromNode()` before you read the parent.
  /// - Cancel and pause: those of the progress or its Foundation parent reach the node at once. Those of the node show
  ///   in `isCancelled` and `isPaused` at once and reach Foundation's children on the actor.
  /// - Handlers: `cancellationHandler`, `pausingHandler` and `resumingHandler` are called on the actor, soon after the
  ///   event, and not always in the order of events that follow each other closely. For more control, use the handlers
  ///   of the node.
  /// - Cost: with an actor, the progress has a feed of the node, so Foundation progress in the same tree is read once
  ///   per frame. Without one, it is only read by `Progress.updateFromNode()`.
  /// - Units: those of the node. An unknown total is -1, which makes the progress indeterminate.
  /// - Children: Foundation children of this progress become children of the node, see
  ///   `ProgressNode.add(_:units:label:access:)`; so do those that join while it is current. If none joins, the units
  ///   are completed at `resignCurrent()`. A child that was made of a node is mirrored from its node.
  /// - Lifetime: the progress does not retain the node. It finishes with the node and keeps its last values.
  /// - Thread safety: counts, states and text can be read on any thread. Use everything else on the actor only, as well
  ///   as the Foundation parent and its ancestors, because Foundation has no lock on Linux. To cancel or pause on
  ///   another thread, use the node.
  ///
  /// - Parameters:
  ///   - actor: The actor on which the fraction and the Foundation parent are updated and handlers are called. With
  ///     nil, only `Progress.updateFromNode()` updates them, for code that uses the progress on one thread, and
  ///     Foundation calls the handlers on its own queue.
  ///   - interval: The length of a frame.
  ///   - clock: The clock that measures the frames.
  /// - Returns: The progress, which does not retain the node.
  public func makeFoundationProgress<C: Clock>(
    on actor: (any Actor)? = MainActor.shared, every interval: Duration = .milliseconds(16),
    clock: C = ContinuousClock()
  ) -> Progress where C.Duration == Duration {
    NodeProgress(of: self, on: actor, every: interval, clock: clock)
  }
}

extension Progress {
  /// Updates the fraction, the Foundation parent and the state of a progress that was made of a node, at once.
  ///
  /// Call it only where the Foundation tree may be used. Any other progress stays as it is.
  public func updateFromNode() { (self as? NodeProgress)?.update() }
}
