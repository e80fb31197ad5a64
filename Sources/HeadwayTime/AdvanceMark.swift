internal import Synchronization

/// Tells whether the timers of one owner are being advanced just now.
///
/// It is an object of its own because a callback may take its timers away: put others in their place, store
/// them somewhere, or send them to another thread. The advance that called it still finds this mark and
/// clears it, so the timers can be advanced again wherever they are, and it sees by the mark that those it
/// holds now are others.
@usableFromInline
final class AdvanceMark: Sendable {
  /// Whether an advance is running.
  private let isRunning = Atomic<Bool>(false)

  /// Creates a mark that is not set.
  @usableFromInline
  init() {}

  /// Sets the mark; it must not be set.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  func begin() {
    // Only the owner of the timers gets here, so nobody else sets it between these two. The ordering is for
    // timers that were sent away inside a callback: what the advance did to them came before.
    precondition(
      !isRunning.load(ordering: .acquiring),
      "Timers were advanced inside a callback of their own advance; return from it first.")
    isRunning.store(true, ordering: .relaxed)
  }

  /// Clears the mark.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  func end() { isRunning.store(false, ordering: .releasing) }
}
