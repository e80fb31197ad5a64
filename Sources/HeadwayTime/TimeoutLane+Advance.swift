extension TimeoutLane {
  /// Advances the lane to a tick and passes each expired timer to a closure, the earliest first.
  ///
  /// The closure may schedule, cancel and restart timers through its first parameter. It may also assign another lane,
  /// which ends this call. A timer that it schedules or restarts expires in a later call, even if it is due at once.
  ///
  /// - Parameters:
  ///   - now: The current tick. A tick before ``now`` counts as ``now``.
  ///   - limit: The maximum number of timers to expire; values below 1 count as 1.
  ///   - expire: Receives each expired timer. It must not advance the same lane; doing so traps.
  /// - Returns: Whether all due timers have expired.
  /// - Throws: What the closure throws. The timer it received is gone; all others expire in the next call.
  /// - Complexity: O(expired timers), amortized, however far the lane advances.
  @inlinable
  @discardableResult
  public mutating func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimeoutLane<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) -> Void
  ) throws(Failure) -> AdvanceResult {
    let reentrancyGuard = _reentrancyGuard
    reentrancyGuard.begin()
    defer { reentrancyGuard.end() }
    if now > _now { _now = now }
    // A callback may pass a later tick to the lane, which does not extend this call.
    let target = _now
    var left = max(1, limit)
    _ring.advanceEnd = _ring.end
    while !_ring.isAtAdvanceEnd {
      let entry = _ring.first
      guard entry.deadline <= target else { break }
      guard left > 0 else { return .limitReached }
      left &-= 1
      let payload = _slab.release(entry.id)
      _ring.dropFirst(_slab.storage)
      // The callback may change or replace everything, so nothing that was read before it is used after it.
      try expire(&self, ExpiredTimer(payload: payload, deadline: entry.deadline))
      guard _reentrancyGuard === reentrancyGuard else { break }
    }
    return .caughtUp
  }
}
