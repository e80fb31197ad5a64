extension TimingWheel {
  /// A tick that no timer expires before: the one to wake up at.
  ///
  /// It is the earliest deadline itself where that is in the same 256 ticks as `now`, which share all but the
  /// lowest byte, or at least 2³² ticks away, or where the slot that holds it has at most 31 entries
  /// and no more than four slots before it hold nothing but timers that were cancelled or moved;
  /// otherwise it may be earlier, and to advance to it always gets on. It is `now` when something is due or
  /// an advance was cut short, and nil when no timer is armed; `UInt64.max` says that of those that are armed
  /// none will ever expire.
  ///
  /// - Complexity: O(1) amortized: one chunk of 31 entries for each level, and those that have to be tidied
  ///   away because their timers were cancelled or moved, at most four more for each level but the lowest.
  @inlinable public var nextExpiry: UInt64? {
    mutating get {
      guard armed > 0 else { return nil }
      if !slots.isEmpty(slot(.current)) || hasWork || isAnyLate() { return present }
      var earliest = farExpiry()
      for level in 0..<shape.levels {
        var tries = 4
        // A slot that begins later than what is known already holds nothing earlier.
        while let start = nextStart(of: level), start < earliest {
          // It comes due next, at the tick at which an advance stands or was cut short.
          if start <= present { return present }
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
          // What is filed anew may go to a level that was looked at already.
          earliest = min(earliest, tidyChunk(of: slot))
        }
      }
      return earliest
    }
  }

  /// Whether a timer is armed that was late when it was; drops the dead entries in front of it.
  @inlinable
  mutating func isAnyLate() -> Bool {
    let lane = slot(.late)
    while let head = unsafe slots.lists[lane].head {
      let entry = unsafe head[0]
      let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
      if unsafe isLive(entry, node, flags: flags(of: lane)) { return true }
      guard let (chunk, count) = unsafe slots.takeHead(of: lane) else { break }
      unsafe keepLive(chunk, count, in: lane)
    }
    return false
  }

  /// The first tick of the first slot of a level that is not empty.
  @inlinable
  func nextStart(of level: Int) -> UInt64? {
    let turn = unsafe turns[level]
    return turn < .max ? turn : nil
  }

  /// The tick to wake up at for a slot of a level.
  ///
  /// - Parameters:
  ///   - slot: A slot that is not empty.
  ///   - start: Its first tick.
  /// - Returns: The tick; nil when the first chunk has to be tidied to know it. That is paid for by what
  ///   cancelled or moved the timers which are in the way, because the chunk does not hold them afterwards.
  @inlinable
  func expiry(of slot: Int, from start: UInt64) -> UInt64? {
    guard let chunk = unsafe slots.lists[slot].head else { return nil }
    let isLowest = slot >> shape.bits == 0
    if unsafe isLowest || slots.lists[slot].chunks > 1 {
      return unsafe isInPlace(chunk[0]) ? start : nil
    }
    var earliest = UInt64.max
    for place in 0..<slots.headCount(slot) {
      let entry = unsafe chunk[place]
      guard isInPlace(entry) else { return nil }
      earliest = min(earliest, tick(of: UInt32(truncatingIfNeeded: entry &>> 32)))
    }
    return earliest
  }

  /// Whether an entry stands for an armed timer that expires at the tick it is filed under.
  @inlinable
  func isInPlace(_ entry: UInt64) -> Bool {
    guard isLive(entry) else { return false }
    let tick = self.tick(of: UInt32(truncatingIfNeeded: entry &>> 32))
    return unsafe nodes.node(UInt32(truncatingIfNeeded: entry)).pointee.deadline == tick
  }

  /// Drops the dead entries of the first chunk of a slot of a level, and files the others anew.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The earliest deadline of the others, `UInt64.max` when there are none.
  @inlinable
  mutating func tidyChunk(of slot: Int) -> UInt64 {
    var earliest = UInt64.max
    guard let (chunk, count) = unsafe slots.takeHead(of: slot) else { return earliest }
    if slots.isEmpty(slot) { setEmpty(slot) }
    slots.stored -= count
    for place in 0..<count {
      let entry = unsafe chunk[place]
      guard isLive(entry) else { continue }
      let id = UInt32(truncatingIfNeeded: entry)
      let node = unsafe nodes.node(id)
      let deadline = unsafe node.pointee.deadline
      unsafe file(id, node, at: deadline)
      earliest = min(earliest, deadline)
    }
    unsafe slots.release(chunk)
    return earliest
  }

  /// The earliest deadline in the far store, `UInt64.max` when there is none.
  ///
  /// The dead entries in front of it are dropped, and what was moved is filed anew.
  @inlinable
  mutating func farExpiry() -> UInt64 {
    while let first = far.first {
      let node = unsafe nodes.node(first.id)
      let isLive = isLive(first)
      if unsafe isLive && node.pointee.deadline == first.deadline { return first.deadline }
      far.removeFirst()
      if isLive {
        farCount -= 1
        unsafe fileFar(first.id, node, at: node.pointee.deadline)
      }
    }
    return .max
  }
}
