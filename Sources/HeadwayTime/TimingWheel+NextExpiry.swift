extension TimingWheel {
  /// The tick at which to advance next: no timer expires before it.
  ///
  /// The value is the exact earliest deadline if that deadline
  /// - is in the same block of 256 ticks as ``now``, or
  /// - is at least 2³² ticks away, or
  /// - is in a slot of at most 31 entries, and at most four slots before it hold only cancelled or moved timers.
  ///
  /// Otherwise the value may be earlier than the deadline; advancing to it always makes progress. The value is
  /// ``now`` if a timer is due or a limit cut an advance short, `nil` if no timer is scheduled, and `UInt64.max` if
  /// none of the scheduled timers will ever expire.
  ///
  /// - Complexity: O(1) amortized: one chunk of 31 entries on each level, and at most four more on each level but the
  ///   lowest to remove the entries of cancelled and moved timers.
  @inlinable public var nextExpiry: UInt64? {
    mutating get {
      guard scheduledCount > 0 else { return nil }
      if !slots.isEmpty(slot(.current)) || hasWork || isAnyLate() { return currentTick }
      var earliest = overflowExpiry()
      for level in 0..<shape.levels {
        var tries = 4
        // A slot that begins after the earliest known deadline holds nothing earlier.
        while let start = nextStart(of: level), start < earliest {
          // It is due at the tick at which an advance is running or was cut short.
          if start <= currentTick { return currentTick }
          let number = start &>> UInt64(truncatingIfNeeded: level &* shape.bits)
          let slot = (level &<< shape.bits) | (Int(truncatingIfNeeded: number) & shape.digit)
          if let tick = expiry(of: slot, from: start) {
            earliest = min(earliest, tick)
            break
          }
          if level > 0 { tries -= 1 }
          if tries < 0 {
            earliest = start
            break
          }
          // An entry that is filed again may go to a level that was already examined.
          earliest = min(earliest, tidyChunk(of: slot))
        }
      }
      return earliest
    }
  }

  /// Whether a timer is waiting that was late when it was scheduled; removes the dead entries before it.
  @inlinable
  mutating func isAnyLate() -> Bool {
    let late = slot(.late)
    while let head = unsafe slots.lists[late].head {
      let entry = unsafe head[0]
      let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
      if unsafe isLive(entry, node, flags: flags(of: late)) { return true }
      guard let (chunk, count) = unsafe slots.takeHead(of: late) else { break }
      unsafe keepLive(chunk, count, in: late)
    }
    return false
  }

  /// The first tick of the next occupied slot of a level.
  @inlinable
  func nextStart(of level: Int) -> UInt64? {
    let tick = unsafe nextTicks[level]
    return tick < .max ? tick : nil
  }

  /// Returns the tick to wake up at for an occupied slot of a level.
  ///
  /// - Parameters:
  ///   - slot: An occupied slot.
  ///   - start: Its first tick.
  /// - Returns: The tick, or nil if the first chunk has to be tidied to find it. The cost of tidying is charged to the
  ///   cancellations and moves, because the chunk no longer holds those timers afterwards.
  @inlinable
  func expiry(of slot: Int, from start: UInt64) -> UInt64? {
    guard let chunk = unsafe slots.lists[slot].head else { return nil }
    let isLowest = slot >> shape.bits == 0
    if unsafe isLowest || slots.lists[slot].chunks > 1 {
      return unsafe isUpToDate(chunk[0]) ? start : nil
    }
    var earliest = UInt64.max
    for index in 0..<slots.headCount(slot) {
      let entry = unsafe chunk[index]
      guard isUpToDate(entry) else { return nil }
      earliest = min(earliest, tick(of: UInt32(truncatingIfNeeded: entry &>> 32)))
    }
    return earliest
  }

  /// Whether an entry belongs to a scheduled timer whose deadline is the tick it is filed under.
  @inlinable
  func isUpToDate(_ entry: UInt64) -> Bool {
    guard isLive(entry) else { return false }
    let tick = self.tick(of: UInt32(truncatingIfNeeded: entry &>> 32))
    return unsafe nodes.node(UInt32(truncatingIfNeeded: entry)).deadline == tick
  }

  /// Removes the first chunk of a slot and files its live entries again.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The earliest deadline of the live entries, `UInt64.max` if there are none.
  @inlinable
  mutating func tidyChunk(of slot: Int) -> UInt64 {
    var earliest = UInt64.max
    guard let (chunk, count) = unsafe slots.takeHead(of: slot) else { return earliest }
    if slots.isEmpty(slot) { setEmpty(slot) }
    room += count
    for index in 0..<count {
      let entry = unsafe chunk[index]
      guard isLive(entry) else { continue }
      let id = UInt32(truncatingIfNeeded: entry)
      let node = unsafe nodes.node(id)
      let deadline = unsafe node.deadline
      unsafe file(id, node, at: deadline)
      earliest = min(earliest, deadline)
    }
    unsafe slots.release(chunk)
    return earliest
  }

  /// Returns the earliest deadline in the overflow heap, `UInt64.max` if it is empty.
  ///
  /// Removes the dead entries before it and files moved timers again.
  @inlinable
  mutating func overflowExpiry() -> UInt64 {
    while let first = overflow.first {
      let node = unsafe nodes.node(first.id)
      let isLive = isLive(first)
      if unsafe isLive && node.deadline == first.deadline { return first.deadline }
      overflow.removeFirst()
      if isLive {
        overflowCount -= 1
        room += 3
        unsafe fileOverflow(first.id, node, at: node.deadline)
      }
    }
    return .max
  }
}
