internal import Synchronization

/// A running child task that one other thread may cancel.
///
/// The child calls `begin` first and `end` last; in between, any thread may call `cancel`, once.
///
/// The child is stored as the bits of its unsafe reference, which is valid while it runs. A counted reference would
/// be released together with this object, when the child's memory may already be reused. So the canceller announces
/// itself before it touches the child and signs off afterwards, and the child does not end in between.
@safe
package final class ChildTask: @unchecked Sendable {
  /// Bits of the state.
  private enum Bit {
    /// `cancel` was called.
    static let cancelled: UInt8 = 1
    /// `cancel` is using the child's reference.
    static let cancelling: UInt8 = 2
    /// The child is about to end, and its reference must not be used any more.
    static let ended: UInt8 = 4
  }

  /// The bits of the child's reference, written once, before anyone may cancel.
  private var child: UInt = 0
  private let state = Atomic<UInt8>(0)

  /// Creates the handle of a child that has not begun.
  package init() {}

  /// Whether `cancel` was called.
  package var wasCancelled: Bool { state.load(ordering: .acquiring) & Bit.cancelled != 0 }

  /// Stores the reference of the current task; called by the child.
  package func begin() {
    // Both are the size of a pointer, and the bits are only used while the child runs.
    unsafe withUnsafeCurrentTask { child = unsafe unsafeBitCast($0, to: UInt.self) }
  }

  /// Cancels the child unless it is about to end; called at most once.
  package func cancel() {
    // Acquires the child's writes. The `ended` bit, which `end` sets, is either seen here or set later and then sees
    // `cancelling`.
    let before = state.bitwiseOr(Bit.cancelled | Bit.cancelling, ordering: .acquiringAndReleasing)
      .oldValue
    if before & Bit.ended == 0 { Self.cancelTask(child) }
    // Releases the child: from here on it may be gone.
    state.bitwiseAnd(~Bit.cancelling, ordering: .releasing)
  }

  // Never inlined: whatever is retained for the call is released before it returns.
  @inline(never)
  private static func cancelTask(_ child: UInt) {
    unsafe unsafeBitCast(child, to: UnsafeCurrentTask?.self)?.cancel()
  }

  /// Records that the child is about to end; called by the child, again and again until it returns `true`.
  ///
  /// - Returns: Whether the child may end because no thread is cancelling it.
  package func end() -> Bool {
    state.bitwiseOr(Bit.ended, ordering: .acquiringAndReleasing).newValue & Bit.cancelling == 0
  }
}
