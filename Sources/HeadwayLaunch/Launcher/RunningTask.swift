internal import HeadwayLock
internal import HeadwayProgress
internal import Synchronization

/// One attempt at a task, from its start to its end.
///
/// It is the current node provider while its body runs. Only some attempts need a node, so the node is behind a lock
/// and marked in the flags; the end of an attempt without a node costs one atomic operation.
final class RunningTask: CurrentProgress, @unchecked Sendable {
  /// The bits of the flags.
  private enum Flags {
    /// The end was claimed.
    static let ended: UInt8 = 1
    /// The attempt was cancelled.
    static let cancelled: UInt8 = 2
    /// There is a node, or there will soon be one.
    static let node: UInt8 = 4
    /// The body, or a function that it calls, has asked for the node, so it reports its own progress.
    static let reports: UInt8 = 8
  }

  let launcher: Launcher
  /// The index of the task; set once, before the attempt is shared.
  private(set) var index = 0
  /// The number of the attempt, from 1; set with the index.
  private(set) var attempt: Int32 = 0
  /// The slot that runs the body, or ran it last; nil before; protected by the lock of the launcher.
  var slot: TaskSlot?
  /// The span of the attempt, nil without a tracer; set with the index.
  private(set) var span: (any AttemptSpan)?
  /// What the body has returned; written by the body, and taken when its end is reported.
  var output: StoredOutput?
  private let flags = Atomic<UInt8>(0)
  /// The unit of the run that the task stands for, until its node or its end takes it.
  private let units = Atomic<Int>(1)
  /// Why the attempt was cancelled; set before the flag, and valid with it.
  private var reason = CancellationReason.removed
  /// The node, once it was needed, and its scope, once something has joined it.
  private let made = Guarded<(node: ProgressNode?, scope: ProgressScope?)>((nil, nil))

  /// Creates an unused attempt.
  init(_ launcher: Launcher) { self.launcher = launcher }

  /// Reuses the object for another attempt, if nothing else retains it.
  func renewed() -> RunningTask {
    // The node was created after the end, for code that runs too late.
    if flags.load(ordering: .relaxed) & Flags.node != 0 { made.withLock { $0 = (nil, nil) } }
    output = nil
    flags.store(0, ordering: .relaxed)
    units.store(1, ordering: .relaxed)
    return self
  }

  /// Sets the task, under the lock of the launcher.
  ///
  /// - Parameters:
  ///   - index: The index of the task.
  ///   - attempt: The number of the attempt, from 1.
  func begin(index: Int, attempt: Int32) {
    self.index = index
    self.attempt = attempt
    if launcher.isTraced { span = launcher.options.tracer?.makeSpan() }
  }

  /// Whether the attempt was cancelled.
  var isCancelled: Bool { flags.load(ordering: .relaxed) & Flags.cancelled != 0 }

  /// Why the attempt was cancelled, nil if it was not.
  var cancellationReason: CancellationReason? {
    flags.load(ordering: .sequentiallyConsistent) & Flags.cancelled != 0 ? reason : nil
  }

  /// Whether the end was claimed.
  var hasEnded: Bool { flags.load(ordering: .relaxed) & Flags.ended != 0 }

  /// Marks the attempt as cancelled, under the lock of the launcher; call `cancel(_:)` outside of it.
  ///
  /// - Parameter reason: Why; only the first reason counts.
  /// - Returns: The slot to cancel; nil if there is none, or if the end was claimed before.
  func noteCancel(because reason: CancellationReason) -> TaskSlot? {
    if !isCancelled { self.reason = reason }
    let before = flags.bitwiseOr(Flags.cancelled, ordering: .sequentiallyConsistent).oldValue
    // The slot of a cancelled attempt runs no other body.
    return before & Flags.ended == 0 ? slot : nil
  }

  /// Cancels the attempt.
  ///
  /// - Parameter slot: The result of `noteCancel()`.
  func cancel(_ slot: TaskSlot?) {
    made.withLock { $0.node }?.cancel()
    slot?.cancel()
  }

  /// Claims the right to report the end, which only the first caller gets.
  ///
  /// - Returns: Whether the caller has it, and whether the slot may run another body because nothing cancels it.
  func claimEnd() -> (isFirst: Bool, mayGoOn: Bool) {
    let before = flags.bitwiseOr(Flags.ended, ordering: .sequentiallyConsistent).oldValue
    return (before & Flags.ended == 0, before & (Flags.cancelled | Flags.ended) == 0)
  }

  /// Finishes the node of the attempt, after its end was claimed.
  ///
  /// - Parameter isOver: Whether the task has ended; otherwise another attempt follows, and its progress is reset.
  func finish(isOver: Bool) {
    if flags.load(ordering: .sequentiallyConsistent) & Flags.node != 0 {
      // Released outside the lock.
      let made = made.withLock { made in
        defer { made = (nil, nil) }
        return made
      }
      if !isOver { _ = made.node?.changeUnits(to: 0) }
      made.node?.finish()
    }
    if units.exchange(0, ordering: .relaxed) > 0, isOver { launcher.root.complete(1) }
  }

  /// Whether the body, or a function that it calls, reports its own progress.
  var reportsProgress: Bool { flags.load(ordering: .relaxed) & Flags.reports != 0 }

  /// The node of a body that reports its own progress, nil if there is none, or none any more.
  var reportedProgress: ProgressNode? { reportsProgress ? made.withLock { $0.node } : nil }

  /// The scope that functions called by the body join.
  var scope: ProgressScope {
    if let scope = made.withLock({ $0.scope }) { return scope }
    // Created outside the lock; if several threads do so, one scope is kept.
    let new = ProgressScope(joining: progress)
    return made.withLock { made in
      if let scope = made.scope { return scope }
      made.scope = new
      return new
    }
  }

  /// The node of the body, which reports its own progress from now on.
  var progress: ProgressNode {
    let node = anyNode
    let before = flags.bitwiseOr(Flags.reports, ordering: .sequentiallyConsistent).oldValue
    // Takes back the progress by expected duration; the shown fraction does not go back.
    if before & Flags.reports == 0 { forgetClock(of: node) }
    return node
  }

  /// Moves the node of a body that does not report.
  ///
  /// - Parameter part: The expected fraction, from 0 to 1.
  func moveByClock(to part: Double) {
    guard flags.load(ordering: .sequentiallyConsistent) & (Flags.reports | Flags.ended) == 0 else {
      return
    }
    let node = anyNode
    if node.kind != .estimated { (node.kind, node.total) = (.estimated, Self.clockTotal) }
    node.setCompleted(Int(min(max(part, 0), Self.longestReach) * Double(Self.clockTotal)))
    // A body that has just begun to report starts from 0.
    if flags.load(ordering: .sequentiallyConsistent) & Flags.reports != 0 { forgetClock(of: node) }
  }

  /// Makes a node that moved by expected duration one that counts from 0.
  private func forgetClock(of node: ProgressNode) {
    guard node.kind == .estimated else { return }
    (node.kind, node.total) = (.work, nil)
    node.setCompleted(0)
  }

  /// The total of a node that moves by expected duration.
  private static let clockTotal = 1_000_000
  /// The maximum fraction by expected duration; only the end of the task completes it.
  private static let longestReach = 0.95

  /// The node, created when it is first needed.
  private var anyNode: ProgressNode {
    if let node = made.withLock({ $0.node }) { return node }
    // Created outside the lock; if two threads do so, one node is dropped, which has no units yet.
    let new = launcher.root.child(launcher.name(index), units: 0)
    flags.bitwiseOr(Flags.node, ordering: .sequentiallyConsistent)
    let node = made.withLock { made in
      if let node = made.node { return node }
      made.node = new
      return new
    }
    guard node === new else { return node }
    // Taken once: by the node, or by an end that came first.
    let units = units.exchange(0, ordering: .relaxed)
    if !node.changeUnits(to: units) { launcher.root.complete(units) }
    let flags = flags.load(ordering: .sequentiallyConsistent)
    if flags & Flags.cancelled != 0 { node.cancel() }
    // The end may have come before the node was visible to it.
    if flags & Flags.ended != 0 { node.finish() }
    return node
  }
}
