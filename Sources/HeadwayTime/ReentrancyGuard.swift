internal import Synchronization

/// Detects an advance inside a callback of the same timers.
///
/// It is an object because a callback may move its timers away: assign others to the same variable, store them
/// elsewhere, or send them to another thread. The advance that called it still finds this object and clears it, so the
/// moved timers can be advanced again wherever they are. By the object's identity the advance sees that the variable
/// now holds other timers.
@usableFromInline
final class ReentrancyGuard: Sendable {
  private let isAdvancing = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  /// Records that an advance begins; traps if one is running.
  @usableFromInline
  func begin() {
    // Only the owner of the timers calls this, so nothing can change between the load and the store. The ordering is
    // for timers that a callback sent to another thread: what their advance wrote happens before.
    precondition(
      !isAdvancing.load(ordering: .acquiring),
      "Timers were advanced inside a callback of their own advance; return from it first.")
    isAdvancing.store(true, ordering: .relaxed)
  }

  /// Records that the advance has ended.
  @usableFromInline
  func end() { isAdvancing.store(false, ordering: .releasing) }
}
