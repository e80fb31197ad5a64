internal import CLock
public import Synchronization

/// Lets threads that come back to a lock again and again give way to the one that has it.
///
/// A lock that two threads take in turn for a very short work costs more than the work: at each turn all that the lock
/// guards moves from one core to the other. Whoever finds it taken here waits for a while before it asks for the
/// lock, so that the one that has it comes back a few times with warm caches. The wait is bounded by some
/// microseconds; the lock itself stays as it is.
@usableFromInline
package struct Courtesy: ~Copyable, Sendable {
  /// Whether somebody has the lock; a hint, not a promise.
  @usableFromInline let isTaken = Atomic<Bool>(false)

  /// Creates one for a lock that nobody has.
  @inlinable
  package init() {}

  /// Waits while somebody has the lock, for a bounded time.
  @inline(__always)
  @inlinable
  package borrowing func giveWay() {
    if isTaken.load(ordering: .relaxed) { waitForOthers() }
  }

  /// Notes, under the lock, that somebody has it.
  @inline(__always)
  @inlinable
  package borrowing func enter() { isTaken.store(true, ordering: .relaxed) }

  /// Notes, under the lock, that it is about to be free.
  @inline(__always)
  @inlinable
  package borrowing func leave() { isTaken.store(false, ordering: .relaxed) }

  /// Waits, each time for longer.
  @inline(never)
  @usableFromInline
  borrowing func waitForOthers() {
    for turn in 0..<Self.turns {
      hw_relax(Self.firstWait << turn)
      if !isTaken.load(ordering: .relaxed) { return }
    }
  }

  /// How often it is looked again.
  private static let turns: UInt32 = 2
  /// The steps of the processor, about, of the first wait; each one after it is twice as long.
  private static let firstWait: UInt32 = 512
}
