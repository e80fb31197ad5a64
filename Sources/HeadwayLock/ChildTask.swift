internal import Synchronization

/// A child task that another thread can cancel while it runs.
///
/// The child calls `begin` first and `end` last; in between, anybody may call `cancel`, once.
///
/// The child is named by the bits of its unsafe reference, which are good while it runs: a counted reference
/// would be released with this object, when the memory of the child may be used for something else. So who
/// cancels signs on before the child is touched and signs off afterwards, and the child does not end before.
@safe
package final class ChildTask: @unchecked Sendable {
  /// The bits of the state.
  private enum Bit {
    /// The child was to be cancelled.
    static let cancelled: UInt8 = 1
    /// The child is being cancelled.
    static let firing: UInt8 = 2
    /// The child is about to end: it must not be touched any more.
    static let ended: UInt8 = 4
  }

  /// The bits of the child's reference, written once before anybody may cancel.
  private var child: UInt = 0
  /// The bits that hold.
  private let state = Atomic<UInt8>(0)

  /// Creates the handle of a child that has not begun.
  package init() {}

  /// Whether `cancel` was called before the child ended.
  package var wasCancelled: Bool { state.load(ordering: .acquiring) & Bit.cancelled != 0 }

  /// Notes the child; called by the child itself.
  package func begin() {
    // The size of both is that of a pointer, and the bits are only read while the child runs.
    unsafe withUnsafeCurrentTask { child = unsafe unsafeBitCast($0, to: UInt.self) }
  }

  /// Cancels the child, unless it is about to end; called once.
  package func cancel() {
    // Acquires what the child has written; the child's last look, in `end`, comes before this or sees it.
    let before = state.bitwiseOr(Bit.cancelled | Bit.firing, ordering: .acquiringAndReleasing)
      .oldValue
    if before & Bit.ended == 0 { Self.cancelTask(child) }
    // Releases the child: from here on it may be gone.
    state.bitwiseAnd(~Bit.firing, ordering: .releasing)
  }

  /// Cancels a child that runs.
  ///
  /// Never inlined: whatever is retained for the call is released before it returns.
  @inline(never)
  private static func cancelTask(_ child: UInt) {
    unsafe unsafeBitCast(child, to: UnsafeCurrentTask?.self)?.cancel()
  }

  /// Notes that the child is about to end; called by the child itself.
  ///
  /// - Returns: Whether it may: nobody is at cancelling it.
  package func end() -> Bool {
    state.bitwiseOr(Bit.ended, ordering: .acquiringAndReleasing).newValue & Bit.firing == 0
  }
}
