internal import HeadwayLock
internal import HeadwayProgress
internal import Synchronization

/// One attempt at a task, from its start to its end.
///
/// It is what is current while its body runs. What only some attempts have, a node, stands behind a lock and is noted
/// in the flags, so that the end of one without costs one atomic operation.
final class RunningTask: CurrentProgress, @unchecked Sendable {
  /// The bits of the flags.
  private enum Flags {
    /// The end was told.
    static let ended: UInt8 = 1
    /// The attempt is to end.
    static let cancelled: UInt8 = 2
    /// There is a node, or there may soon be one.
    static let node: UInt8 = 4
    /// The body, or what it calls, has asked for the node: it says itself how far it is.
    static let reports: UInt8 = 8
  }

  /// The run.
  let launcher: Launcher
  /// The index of the task; set once, before anybody else sees the attempt.
  private(set) var index = 0
  /// The attempt, from 1; set with the place.
  private(set) var attempt: Int32 = 0
  /// What runs the body, or ran it last; nil before; under the lock of the launcher.
  var slot: TaskSlot?
  /// The flags.
  private let flags = Atomic<UInt8>(0)
  /// The unit of the run that the task stands for, until its node or its end has taken it.
  private let units = Atomic<Int>(1)
  /// The node, once somebody has asked for it, and its scope, once somebody has joined it.
  private let made = Guarded<(node: ProgressNode?, scope: ProgressScope?)>((nil, nil))

  /// Creates an attempt at a task that is still to be named.
  init(_ launcher: Launcher) { self.launcher = launcher }

  /// The same object for another attempt, when nobody else has it.
  func renewed() -> RunningTask {
    // One that was made after the end, for code that came late.
    if flags.load(ordering: .relaxed) & Flags.node != 0 { made.withLock { $0 = (nil, nil) } }
    flags.store(0, ordering: .relaxed)
    units.store(1, ordering: .relaxed)
    return self
  }

  /// Names the task, under the lock of the launcher.
  ///
  /// - Parameters:
  ///   - index: The index of the task.
  ///   - attempt: The attempt, from 1.
  func begin(index: Int, attempt: Int32) {
    self.index = index
    self.attempt = attempt
  }

  /// Whether the attempt is to end.
  var isCancelled: Bool { flags.load(ordering: .relaxed) & Flags.cancelled != 0 }

  /// Whether the end was told.
  var hasEnded: Bool { flags.load(ordering: .relaxed) & Flags.ended != 0 }

  /// Notes, under the lock of the launcher, that the attempt is to end; `cancel(_:)` follows outside.
  ///
  /// - Returns: What runs the body and has to be cancelled; nil where nothing does or its end was told.
  func noteCancel() -> TaskSlot? {
    let before = flags.bitwiseOr(Flags.cancelled, ordering: .sequentiallyConsistent).oldValue
    // Whoever tells the end of one that is cancelled runs no other body.
    return before & Flags.ended == 0 ? slot : nil
  }

  /// Asks the attempt to end.
  ///
  /// - Parameter slot: What `noteCancel()` has answered.
  func cancel(_ slot: TaskSlot?) {
    made.withLock { $0.node }?.cancel()
    slot?.cancel()
  }

  /// Takes the right to tell the end, which only the first one gets.
  ///
  /// - Returns: Whether the caller has it, and whether what ran the body may run another one: nobody cancels it.
  func claimEnd() -> (isFirst: Bool, mayGoOn: Bool) {
    let before = flags.bitwiseOr(Flags.ended, ordering: .sequentiallyConsistent).oldValue
    return (before & Flags.ended == 0, before & (Flags.cancelled | Flags.ended) == 0)
  }

  /// Finishes what was made for the attempt, after its end was claimed.
  ///
  /// - Parameter isOver: Whether the task is over; otherwise another attempt follows, and nothing of it is done.
  func finish(isOver: Bool) {
    if flags.load(ordering: .sequentiallyConsistent) & Flags.node != 0 {
      // Let go of outside the lock.
      let made = made.withLock { made in
        defer { made = (nil, nil) }
        return made
      }
      if !isOver { _ = made.node?.changeUnits(to: 0) }
      made.node?.finish()
    }
    if units.exchange(0, ordering: .relaxed) > 0, isOver { launcher.root.complete(1) }
  }

  /// The scope for what the body calls, which joins its node.
  var scope: ProgressScope {
    if let scope = made.withLock({ $0.scope }) { return scope }
    // Made outside the lock; of several threads one keeps it.
    let new = ProgressScope(joining: progress)
    return made.withLock { made in
      if let scope = made.scope { return scope }
      made.scope = new
      return new
    }
  }

  /// The node for the body, which reports to it from now on.
  var progress: ProgressNode {
    let node = anyNode
    let before = flags.bitwiseOr(Flags.reports, ordering: .sequentiallyConsistent).oldValue
    // What the clock has told so far is taken back; what was shown stays.
    if before & Flags.reports == 0, node.total == Self.clockTotal {
      node.total = nil
      node.setCompleted(0)
    }
    return node
  }

  /// Moves the node of a body that reports nothing.
  ///
  /// - Parameter part: How far it is expected to be, from 0 to 1.
  func moveByClock(to part: Double) {
    guard flags.load(ordering: .sequentiallyConsistent) & (Flags.reports | Flags.ended) == 0 else {
      return
    }
    let node = anyNode
    if node.total == nil { node.total = Self.clockTotal }
    node.setCompleted(Int(min(max(part, 0), Self.longestReach) * Double(Self.clockTotal)))
    // A body that has begun to report at this moment counts from 0.
    if flags.load(ordering: .sequentiallyConsistent) & Flags.reports != 0 { node.setCompleted(0) }
  }

  /// The parts of a node that the clock moves.
  private static let clockTotal = 1_000_003
  /// The most that the clock alone may claim: the end of a task is told, not assumed.
  private static let longestReach = 0.95

  /// The node, made when it is first asked for.
  private var anyNode: ProgressNode {
    if let node = made.withLock({ $0.node }) { return node }
    // Made outside the lock, so that of two at a time one is let go of: it has no units yet.
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
    // The end may have come before it could see the node.
    if flags & Flags.ended != 0 { node.finish() }
    return node
  }
}
