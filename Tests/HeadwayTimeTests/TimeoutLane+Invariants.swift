@testable import HeadwayTime

extension TimeoutLane {
  /// The number of entries in the ring, live and dead, for tests.
  var entryCount: Int { _ring.count }

  /// The capacity of the ring, for tests.
  var entryCapacity: Int { _ring.capacity }

  /// Checks the internal consistency of the lane, for tests.
  ///
  /// - Returns: A sentence for the first broken invariant, nil if there is none.
  func invariantViolation() -> String? {
    if _ring.dead > 2 * count + _Ring.slack {
      return "The ring holds \(_ring.dead) dead entries for \(count) timers."
    }
    if _ring.count > _ring.capacity { return "The ring holds more entries than its capacity." }
    if !_ring.isEmpty, !_slab.storage.isLive(_ring.first) { return "The first entry is dead." }
    var live = 0
    for position in _ring.start..<_ring.end {
      if position > _ring.start, _ring[position].deadline < _ring[position - 1].deadline {
        return "The entry at \(position) is due before the previous one."
      }
      if _slab.storage.isLive(_ring[position]) { live += 1 }
    }
    if live != count { return "The ring has \(live) live entries for \(count) timers." }
    return slabViolation()
  }

  /// Checks the slots.
  ///
  /// - Returns: A sentence for the first broken invariant, nil if there is none.
  private func slabViolation() -> String? {
    var scheduled = 0
    var retired = 0
    for slot in 0..<_slab.used {
      let generation = _slab.storage.generation(of: UInt32(slot))
      if generation % 2 == 1 { scheduled += 1 }
      if generation >= _slab.generationLimit { retired += 1 }
    }
    if scheduled != count { return "\(scheduled) slots are scheduled, and the count is \(count)." }
    var free = 0
    if _slab.lastFreed != _Slab.none {
      if _slab.storage.generation(of: _slab.lastFreed) % 2 == 1 {
        return "The last freed slot is scheduled."
      }
      free += 1
    }
    var next = _slab.firstFree
    while next != _Slab.none, free <= _slab.used {
      if Int(next) >= _slab.used { return "The free slot \(next) was never used." }
      if _slab.storage.generation(of: next) % 2 == 1 {
        return "The free slot \(next) is scheduled."
      }
      free += 1
      next = UInt32(truncatingIfNeeded: _slab.storage.deadline(of: next))
    }
    if scheduled + retired + free != _slab.used {
      return
        "\(_slab.used) slots are not \(scheduled) scheduled, \(free) free and \(retired) retired."
    }
    return nil
  }
}
