extension TimeoutLane {
  /// Goes on in time and hands out each timer whose deadline has come, the earliest first.
  ///
  /// The callback may schedule, cancel and restart timers through its first parameter, and may put another
  /// lane in its place, with which this call is over. It must not advance the lane. A timer that it arms or
  /// restarts waits for a later call even when it is due at once. When it throws, the timer that it was
  /// handed is gone and the others wait for the next call.
  ///
  /// - Parameters:
  ///   - now: The current tick; one before the latest tick seen is read as that.
  ///   - limit: How many timers to hand out at most; below 1 counts as 1.
  ///   - expire: What to do with an expired timer.
  /// - Returns: Whether the limit held back a timer that is due.
  /// - Throws: What `expire` throws.
  /// - Complexity: O(1) for each timer that is handed out, averaged over the calls, however far time goes.
  @inlinable
  @discardableResult
  public mutating func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimeoutLane<Payload>, consuming Expired) throws(Failure) -> Void
  ) throws(Failure) -> AdvanceResult {
    let mark = _mark
    mark.begin()
    defer { mark.end() }
    if now > _now { _now = now }
    // A callback may tell the lane a later time; this call keeps to its own.
    let target = _now
    var left = max(1, limit)
    _ring.horizon = _ring.end
    while !_ring.isPastHorizon {
      let entry = _ring.first
      guard entry.deadline <= target else { break }
      guard left > 0 else { return .limitReached }
      left &-= 1
      let payload = _slab.release(entry.id)
      _ring.dropFirst(_slab.places)
      // From here on nothing that was read before is used: the callback may have changed or replaced it all.
      try expire(&self, Expired(payload: payload, deadline: entry.deadline))
      guard _mark === mark else { break }
    }
    return .caughtUp
  }
}
