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
}

extension Guarded: Sendable where Value: ~Copyable {}
