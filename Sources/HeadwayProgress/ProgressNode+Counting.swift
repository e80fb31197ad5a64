internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Adds completed units.
  ///
  /// Units added after the node has finished do not count. More units than `total` read as complete. A count
  /// within 2⁴⁸ of 2⁶³ saturates: it reads as `Int.max` from then on.
  ///
  /// - Parameter units: The number of units to add. A negative number is ignored; see ``takeBack(_:)``.
  /// - Complexity: O(1): one relaxed atomic addition. The first one after a read also pushes the node onto a stack.
  @inlinable
  public func complete(_ units: Int) {
    // Small enough that 32,768 threads at once cannot overflow a count before one of them notices.
    guard units >= 0, units <= 1 << 32 else { return completeLarge(units) }
    // Relaxed: the count orders nothing else. The clean bit comes with the same addition, so no change is missed.
    let old = counter.wrappingAdd(UInt64(truncatingIfNeeded: units) &<< 1, ordering: .relaxed)
      .oldValue
    if old & (1 | 1 << 63 as UInt64) != 0 { completeSlowPath(old) }
  }

  /// Adds completed units that took no work, such as files that were up to date.
  ///
  /// They count as completed, but not as speed: the remaining time that a bar shows is that of the other units.
  ///
  /// - Parameter units: The number of units to add; a negative number is ignored.
  /// - Complexity: O(1): one lock.
  public func skip(_ units: Int) {
    guard units > 0 else { return }
    withTreeChanging { _, _ in
      if !isFinished { reference.extras.skipped += Double(units) }
    }
    complete(units)
  }

  /// Sets the number of completed units.
  ///
  /// The units of finished children are included in the count. If the count goes back, ``fraction`` goes back too and
  /// ``shownFraction`` stays.
  ///
  /// - Parameter units: The number of completed units; less than 0 counts as 0.
  /// - Complexity: O(1), without a lock.
  public func setCompleted(_ units: Int) { changeCount { _ in UInt64(max(units, 0)) } }

  /// Subtracts completed units, for work that has to be repeated.
  ///
  /// - Parameter units: The number of units to subtract; the count stops at 0. A negative number is ignored.
  /// - Complexity: O(1), without a lock.
  public func takeBack(_ units: Int) {
    guard units > 0 else { return }
    changeCount { $0 - min($0, UInt64(units)) }
  }

  /// Adds a number that is out of range for the fast path.
  @usableFromInline
  func completeLarge(_ units: Int) {
    guard units > 0 else { return }
    changeCount { $0 + UInt64(units) }
  }

  /// Marks the node dirty or saturates the count, after an addition that found one of them due.
  ///
  /// - Parameter old: The counter before the addition.
  @usableFromInline
  @inline(never)
  func completeSlowPath(_ old: UInt64) {
    // Set back each time, so that no number of small additions overflows the counter.
    if old >> 1 >= Self.saturatedCount {
      if saturate() & 1 != 0 { markDirty() }
    }
    if old & 1 != 0 { markDirty() }
  }

  /// Sets the count to its largest value without marking the node dirty.
  ///
  /// - Returns: The counter before.
  @discardableResult
  func saturate() -> UInt64 { exchangeCount { _ in Self.saturatedCount } }

  /// The largest count; above it the counter has room for 65,536 additions.
  static var saturatedCount: UInt64 { 1 << 63 - 1 << 48 }

  /// The count in a value of `counter`.
  static func count(of counter: UInt64) -> Int {
    let count = counter >> 1
    return count >= saturatedCount ? .max : Int(count)
  }

  /// Replaces the count and marks the node dirty if it has changed.
  ///
  /// - Parameter change: Computes the new count from the old one; may be called more than once.
  private func changeCount(_ change: (UInt64) -> UInt64) {
    if exchangeCount(change) & 1 != 0 { markDirty() }
  }

  /// Replaces the count without marking the node dirty.
  ///
  /// - Returns: The counter before; without the clean bit if the count stays the same.
  func exchangeCount(_ change: (UInt64) -> UInt64) -> UInt64 {
    var old = counter.load(ordering: .relaxed)
    while true {
      let new = min(change(old >> 1), Self.saturatedCount) << 1 | old & 1
      if new == old { return old & ~1 }
      let (done, seen) = counter.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if done { return old }
      old = seen
    }
  }

  /// Pushes the node onto the tree's stack of dirty nodes, unless another thread has since the last read.
  func markDirty() {
    guard reference.clearCleanBit() else { return }
    // Only this thread has cleared the bit, and nobody sets it again before the node is popped.
    withExtendedLifetime(self) { ProgressTree.push(reference) }
  }
}

extension ProgressNode {
  /// The completed units, including those of finished children.
  ///
  /// The count may exceed ``total``. It does not change after the node has finished.
  ///
  /// - Complexity: O(1), without a lock.
  public var completed: Int {
    // Acquires what `finish` wrote before it set the bit.
    if state.load(ordering: .acquiring) & NodeState.finished != 0 { return reference.finalCount }
    return Self.count(of: counter.load(ordering: .relaxed))
  }

  /// The units of the work, nil while unknown.
  ///
  /// The total can be set at any time, and can grow or shrink. A negative number means unknown. Work of 0 units is known
  /// and complete, such as a copy of an empty file. This differs from Foundation, whose `Progress` is indeterminate at 0
  /// of 0 because 0 is its default; here the default is nil.
  ///
  /// - Complexity: O(1): one lock.
  public var total: Int? {
    get { withTree { _, _ in reference.total } }
    set { changeTotal { _ in newValue } }
  }

  /// Adds units to the total, for work that discovers more to do.
  ///
  /// Unlike `total += units`, concurrent additions are all counted.
  ///
  /// - Parameter units: The number of units to add; a negative number subtracts. An unknown total counts as 0.
  /// - Complexity: O(1): one lock.
  public func addToTotal(_ units: Int) {
    changeTotal { total in
      let (sum, overflows) = (total ?? 0).addingReportingOverflow(units)
      return overflows ? .max : max(sum, 0)
    }
  }

  /// Subtracts units that were added with ``addToTotal(_:)`` for work that did not come to be.
  ///
  /// - Parameter units: The number of units. If none are left, the total is unknown again, and not that of complete work.
  /// - Complexity: O(1): one lock.
  package func takeFromTotal(_ units: Int) {
    changeTotal { total in
      guard let total, total > units else { return nil }
      return total - units
    }
  }

  private func changeTotal(_ change: (Int?) -> Int?) {
    withTreeChanging { state, _ in
      guard !isFinished else { return }
      reference.total = change(reference.total)
      state.enqueue(reference)
    }
  }

  /// The completed part of the work, from 0 to 1.
  ///
  /// This is `completed / total`, where each live child adds its fraction of its share, and exactly its share once its
  /// count has reached its total; 0 while the total is unknown. It is less than 1 until the node has finished, and goes
  /// back if units are taken back or the total grows. The error is at most 10⁻¹² for counts up to 2⁶² and depths up to 32.
  ///
  /// - Complexity: O(nodes of the tree that have changed since the last read).
  public var fraction: Double { updated { $0.fraction } }

  /// The largest fraction of this node that was ever read; it never goes back.
  ///
  /// - Complexity: O(nodes of the tree that have changed since the last read).
  public var shownFraction: Double { updated { $0.shownFraction } }

  /// Whether the total is unknown and the node has not finished; false for a total of 0.
  ///
  /// - Complexity: O(1): one lock.
  public var isIndeterminate: Bool { withTree { _, _ in !isFinished && reference.total == nil } }

  /// Whether the work has ended: ``finish()`` was called, or the last reference to the node was dropped.
  ///
  /// A count that reaches the total does not finish a node, as more work may be discovered.
  ///
  /// - Complexity: O(1): one atomic load.
  @inlinable
  public var isFinished: Bool {
    // Acquires what the worker wrote before it finished.
    state.load(ordering: .acquiring) & NodeState.finished != 0
  }

  /// Reads a node after bringing its tree up to date.
  private func updated(_ read: (NodeReference) -> Double) -> Double {
    updateTree()
    return withTree { state, _ in
      state.update(reference)
      return read(reference)
    }
  }
}

extension NodeReference {
  /// Sets the clean bit, so that the next increment marks the node dirty.
  ///
  /// - Returns: The count at that moment.
  @inline(__always)
  func setCleanBit() -> Int {
    guard !has(LinkFlags.tracked) else { return count }
    set(LinkFlags.tracked, true)
    // Acquires what the workers did before their additions; releases the reader's writes to the thread that clears it.
    return with {
      ProgressNode.count(of: $0.counter.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue)
    }
  }

  /// Clears the clean bit.
  ///
  /// - Returns: Whether it was set.
  func clearCleanBit() -> Bool {
    with { $0.counter.bitwiseAnd(~1, ordering: .acquiringAndReleasing).oldValue & 1 != 0 }
  }
}
