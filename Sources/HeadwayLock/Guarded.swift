public import Synchronization

/// A value behind a lock: the only lock type of the package.
///
/// Hold the lock briefly: call one method of the value, leave, then act on what it returned. No callback runs inside a
/// lock. Locks nest in one order only: whoever sets a timer under its own lock, as `Launcher` and `RepeatingTimer` do,
/// takes the locks of the timer service inside it. The service never takes a lock of its users while it holds its own.
///
/// Under `-DTSAN` an atomic repeats the ordering of the lock, because ThreadSanitizer does not see the slow path of
/// `Mutex` and would report false races.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>
  #if TSAN
    @usableFromInline let fence = Atomic<UInt8>(0)
  #endif

  /// Creates a lock around a value.
  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Calls a closure with exclusive access to the value.
  ///
  /// - Parameter body: What to do with the value; it must not call foreign code.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) -> sending Result in
      #if TSAN
        // Pairs with the release below: a thread that unlocked earlier happens before this one.
        _ = fence.load(ordering: .acquiring)
        defer { fence.store(0, ordering: .releasing) }
      #endif
      return try body(&value)
    }
  }
}

extension Guarded: Sendable where Value: ~Copyable {}
