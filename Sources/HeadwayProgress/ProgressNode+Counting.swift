internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Adds completed units.
  ///
  /// What is added after the node has finished does not count. More units than `total` read as full. A count
  /// that comes within 2⁴⁸ of 2⁶³ reads as `Int.max` and stays there.
  ///
  /// - Parameter units: How many more are completed. Less than 0 is ignored; see ``takeBack(_:)``.
  /// - Complexity: O(1): one relaxed atomic addition. The first one after a look also puts the node on a list.
  @inlinable
  public func complete(_ units: Int = 1) {
    // Small enough that 32,768 threads at once cannot carry a count over its end before one of them notices.
    guard units >= 0, units <= 1 << 32 else { return completeMany(units) }
    // Relaxed: the count orders nothing else. The wire comes with the same addition, so that no mark is lost.
    let old = word.wrappingAdd(UInt64(truncatingIfNeeded: units) &<< 1, ordering: .relaxed).oldValue
    if old & (1 | 1 << 63 as UInt64) != 0 { report(old) }
  }

  /// Sets the completed units, for work that knows how far it is.
  ///
  /// The units of children that have finished are among them. A count that goes back makes ``fraction`` go
  /// back, and ``shownFraction`` wait.
  ///
  /// - Parameter units: The number of completed units; less than 0 counts as 0.
  /// - Complexity: O(1), without a lock.
  public func setCompleted(_ units: Int) { changeCount { _ in UInt64(max(units, 0)) } }

  /// Takes completed units back, for work that has to be done again.
  ///
  /// - Parameter units: How many to take back; the count does not go below 0. Less than 0 is ignored.
  /// - Complexity: O(1), without a lock.
  public func takeBack(_ units: Int) {
    guard units > 0 else { return }
    changeCount { $0 - min($0, UInt64(units)) }
  }

  /// Adds a number that is too large, or too small, for the short way.
  @usableFromInline
  func completeMany(_ units: Int) {
    guard units > 0 else { return }
    changeCount { $0 + UInt64(units) }
  }

  /// Does what an addition found to be due: tells the tree, keeps a count at its end.
  ///
  /// - Parameter old: The word before the addition.
  @usableFromInline
  @inline(never)
  func report(_ old: UInt64) {
    // Put back each time, so that no number of small additions carries the word over its end.
    if old >> 1 >= Self.fullCount { setFull() }
    if old & 1 != 0 { trip() }
  }

  /// Puts the count to its end.
  func setFull() {
    if fillCount() & 1 != 0 { trip() }
  }

  /// Puts the count to its end without a report.
  ///
  /// - Returns: The word before.
  @discardableResult
  func fillCount() -> UInt64 { exchangeCount { _ in Self.fullCount } }

  /// The largest count that is kept; from there to the end of the word there is room for 65,536 additions.
  static var fullCount: UInt64 { 1 << 63 - 1 << 48 }

  /// The count that a word stands for.
  static func count(of word: UInt64) -> Int {
    let count = word >> 1
    return count >= fullCount ? .max : Int(count)
  }

  /// Replaces the count by a function of it.
  ///
  /// - Parameter change: Gives the new count for the old one; may be called again.
  private func changeCount(_ change: (UInt64) -> UInt64) {
    if exchangeCount(change) & 1 != 0 { trip() }
  }

  /// Replaces the count by a function of it, without a report.
  ///
  /// - Parameter change: Gives the new count for the old one; may be called again.
  /// - Returns: The word before; without the wire when the count is as it was.
  private func exchangeCount(_ change: (UInt64) -> UInt64) -> UInt64 {
    var old = word.load(ordering: .relaxed)
    while true {
      let new = min(change(old >> 1), Self.fullCount) << 1 | old & 1
      if new == old { return old & ~1 }
      let (done, seen) = word.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if done { return old }
      old = seen
    }
  }

  /// Puts the node into the inbox of its tree, if nobody has since the last look.
  func trip() {
    guard reference.takeWireDown() else { return }
    // This thread alone has taken the wire down; until the node is taken out of the inbox nobody sets it again.
    withExtendedLifetime(self) { ProgressTree.post(reference) }
  }
}

extension ProgressNode {
  /// The units that are completed, those of finished children among them.
  ///
  /// It may be more than ``total``. Once the node has finished it stays as it was then.
  ///
  /// - Complexity: O(1), without a lock.
  public var completed: Int {
    // Acquires what `finish` wrote before it set the bit.
    if state.load(ordering: .acquiring) & NodeState.finished != 0 { return reference.finalCount }
    return Self.count(of: word.load(ordering: .relaxed))
  }

  /// The number of units of the work, nil while it is not known.
  ///
  /// It may be set at any time, and grow or shrink. A number below 0 means that it is not known; work of
  /// 0 units is full.
  ///
  /// - Complexity: O(1): one lock.
  public var total: Int? {
    get { withTree { _, _ in reference.total } }
    set { changeTotal { _ in newValue } }
  }

  /// Adds units to the total, for work that finds more to do on the way; unlike a change of `total` it loses
  /// none of two additions at a time.
  ///
  /// - Parameter units: How many more there are; less than 0 takes some away. An unknown total counts as 0.
  /// - Complexity: O(1): one lock.
  public func addToTotal(_ units: Int) {
    changeTotal { total in
      let (sum, isTooMany) = (total ?? 0).addingReportingOverflow(units)
      return isTooMany ? .max : max(sum, 0)
    }
  }

  /// Changes the total under the lock.
  private func changeTotal(_ change: (Int?) -> Int?) {
    withTreeChanging { state, _ in
      guard !isFinished else { return }
      reference.total = change(reference.total)
      state.enqueue(reference)
    }
  }

  /// The part of the work that is done, from 0 to 1: the truth.
  ///
  /// It is `completed / total`, where each live child counts with its fraction of its share; 0 while the total
  /// is not known. It is less than 1 until the node has finished, and goes back when units are taken back or
  /// the total grows. The error is at most 10⁻¹² for counts up to 2⁶² and depths up to 32.
  ///
  /// - Complexity: O(nodes of the tree that have changed since the last look).
  public var fraction: Double { reading { $0.fraction } }

  /// The largest fraction that anybody has seen of this node: it never goes back.
  ///
  /// - Complexity: O(nodes of the tree that have changed since the last look).
  public var shownFraction: Double { reading { $0.shownFraction } }

  /// Whether the total is not known, so that a fraction says nothing; a node that has finished is known.
  ///
  /// - Complexity: O(1): one lock.
  public var isIndeterminate: Bool { withTree { _, _ in !isFinished && reference.total == nil } }

  /// Whether the work has ended: ``finish()`` was called, or nobody holds the node any more.
  ///
  /// A count that reaches the total does not finish a node: more may be found to do.
  ///
  /// - Complexity: O(1): one atomic load.
  @inlinable
  public var isFinished: Bool {
    // Acquires what the worker wrote before it finished.
    state.load(ordering: .acquiring) & NodeState.finished != 0
  }

  /// Reads a node whose sums are up to date.
  private func reading(_ read: (NodeReference) -> Double) -> Double {
    settleTree()
    return withTree { state, _ in
      state.look(at: reference)
      return read(reference)
    }
  }
}
