internal import CLock
public import Synchronization

/// Makes threads back off briefly before they contend for a lock that is held.
///
/// When two threads alternate on a lock around very short work, handing the lock over costs more than the work: all
/// data that the lock guards moves between cores each time. A thread that finds the lock held spins here first, so
/// that the holder acquires the lock a few more times with warm caches. The wait is bounded by a few microseconds;
/// the lock itself is not changed.
@usableFromInline
package struct SpinBackoff: ~Copyable, Sendable {
  /// Whether a thread holds the lock: a hint, because it is read outside the lock.
  @usableFromInline let isLocked = Atomic<Bool>(false)

  /// Creates a backoff for a lock that is not held.
  @inlinable
  package init() {}

  /// Spins for a bounded time while the lock is held; called before locking.
  @inline(__always)
  @inlinable
  package borrowing func waitIfLocked() {
    if isLocked.load(ordering: .relaxed) { spin() }
  }

  /// Records that the lock is held; called just after locking.
  @inline(__always)
  @inlinable
  package borrowing func didLock() { isLocked.store(true, ordering: .relaxed) }

  /// Records that the lock is about to be free; called just before unlocking.
  @inline(__always)
  @inlinable
  package borrowing func willUnlock() { isLocked.store(false, ordering: .relaxed) }

  /// Spins for longer in each round.
  @inline(never)
  @usableFromInline
  borrowing func spin() {
    for round in 0..<Self.rounds {
      hw_relax(Self.firstSpin << round)
      if !isLocked.load(ordering: .relaxed) { return }
    }
  }

  /// The rounds of spinning before the thread takes its place at the lock.
  private static let rounds: UInt32 = 2
  /// The pause instructions of the first round; each later round has twice as many.
  private static let firstSpin: UInt32 = 512
}
