extension TimeoutLane {
  /// How many entries the ring holds, live and dead, for tests.
  package var entryCount: Int { _ring.count }

  /// How many entries fit into the ring, for tests.
  package var entryCapacity: Int { _ring.capacity }

  /// Looks for a contradiction in the lane, for tests.
  ///
  /// - Returns: A sentence about the first one found, nil when all is well.
  /// - Complexity: O(n) in the number of entries and of places.
  package func invariantViolation() -> String? {
    if _ring.dead > 2 * count + _Ring.slack {
      return "The ring holds \(_ring.dead) dead entries for \(count) timers."
    }
    if _ring.count > _ring.capacity { return "The ring holds more entries than fit." }
    if !_ring.isEmpty, !_slab.places.isLive(_ring.first) { return "The first entry is dead." }
    var live = 0
    for position in _ring.start..<_ring.end {
      if position > _ring.start, _ring[position].deadline < _ring[position - 1].deadline {
        return "The entry at \(position) is due before the one in front of it."
      }
      if _slab.places.isLive(_ring[position]) { live += 1 }
    }
    if live != count { return "The ring has \(live) live entries for \(count) timers." }
    return slabViolation()
  }

  /// Looks for a contradiction among the places.
  ///
  /// - Returns: A sentence about the first one found, nil when all is well.
  /// - Complexity: O(n) in the number of places.
  private func slabViolation() -> String? {
    var armed = 0
    var retired = 0
    for place in 0..<_slab.used {
      let generation = _slab.places.generation(of: UInt32(place))
      if generation % 2 == 1 { armed += 1 }
      if generation >= _slab.generationLimit { retired += 1 }
    }
    if armed != count { return "\(armed) places are armed, and the count is \(count)." }
    var free = 0
    if _slab.freshest != _Slab.none {
      if _slab.places.generation(of: _slab.freshest) % 2 == 1 { return "The freed place is armed." }
      free += 1
    }
    var next = _slab.free
    while next != _Slab.none, free <= _slab.used {
      if Int(next) >= _slab.used { return "The free place \(next) was never used." }
      if _slab.places.generation(of: next) % 2 == 1 { return "The free place \(next) is armed." }
      free += 1
      next = UInt32(truncatingIfNeeded: _slab.places.deadline(of: next))
    }
    if armed + retired + free != _slab.used {
      return "\(_slab.used) places are not \(armed) armed, \(free) free and \(retired) retired."
    }
    return nil
  }
}
