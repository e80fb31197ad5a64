internal import CLock
public import Synchronization

/// A value behind a lock: the one lock type of the package.
///
/// Hold it briefly: enter, call one method of the value, leave, then act on what the method answered.
/// Locks never nest and no callback runs inside one.
///
/// Under `-DTSAN` an atomic stands beside the lock, because ThreadSanitizer does not see the ordering
/// that the slow path of `Mutex` establishes and would report a race where there is none.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable {
  /// The lock and the value.
  @usableFromInline let mutex: Mutex<Value>
  #if TSAN
    /// Carries the ordering of lock and unlock where ThreadSanitizer can see it.
    @usableFromInline let fence = Atomic<UInt8>(0)
  #endif

  /// Creates a guarded value.
  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a body alone with the value.
  ///
  /// - Parameter body: What to do with the value; it must not call out to foreign code.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) -> sending Result in
      #if TSAN
        // Pairs with the release below: whoever unlocked before is ordered before us.
        _ = fence.load(ordering: .acquiring)
        defer { fence.store(0, ordering: .releasing) }
      #endif
      return try body(&value)
    }
  }

  /// Runs a body alone with the value, and gives way to those who have the lock now.
  ///
  /// For threads that come back to a lock again and again and have little to do in between: whoever finds it taken waits
  /// for a while before it looks again, so that the one that has it goes on with warm caches. The waits grow to some
  /// microseconds; after that it waits as `withLock(_:)` does.
  ///
  /// - Parameter body: What to do with the value; it must not call out to foreign code.
  /// - Returns: What the body returns.
  @inlinable
  package borrowing func withLockPatiently<Result: ~Copyable>(
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result {
    #if !TSAN
      for wait in 0..<patience {
        if let result = mutex.withLockIfAvailable(body) { return result }
        giveWay(wait)
      }
    #endif
    return withLock(body)
  }
}

/// How often somebody who gives way looks again.
@usableFromInline let patience: UInt32 = 5

/// Waits before another look at a lock.
///
/// - Parameter turn: How many looks came before; each wait is twice as long as the one before.
@usableFromInline
func giveWay(_ turn: UInt32) { hw_relax(16 << turn) }

extension Guarded: Sendable where Value: ~Copyable {}
