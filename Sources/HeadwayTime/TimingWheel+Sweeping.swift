extension TimingWheel {
  /// Looks for dead entries when there are too many entries.
  @inlinable
  mutating func sweepIfNeeded() {
    if slots.stored > 3 &* (armed &- farCount) &+ 1024 { sweep() }
  }

  /// Looks at the next chunk and drops its dead entries.
  ///
  /// Slots are gone through one after the other, each as many chunks as it had at the beginning: the live
  /// entries of a chunk are added to the end of the slot, so that the list is whole between any two calls.
  @inlinable
  @inline(never)
  mutating func sweep() {
    if hasDoubles { return dropDoubles() }
    if sweepLeft == 0 || !isSweepable(sweepSlot) {
      guard let next = nextToSweep() else { return }
      sweepSlot = next
      sweepLeft = unsafe slots.lists[next].chunks
    }
    sweepLeft -= 1
    if sweepSlot > slot(.late) {
      // An advance stands in the first chunk, perhaps in this very moment.
      guard let chunk = unsafe slots.takeSecond(of: sweepSlot) else { return }
      unsafe keepLive(chunk, SlotChunks.chunkEntries, in: sweepSlot)
    } else {
      guard let (chunk, count) = unsafe slots.takeHead(of: sweepSlot) else { return }
      unsafe keepLive(chunk, count, in: sweepSlot)
      if slots.isEmpty(sweepSlot) && sweepSlot < shape.slotCount { setEmpty(sweepSlot) }
    }
  }

  /// Adds the live entries of a chunk to the end of its slot, and releases it.
  ///
  /// - Parameters:
  ///   - chunk: A chunk that was taken out of the slot.
  ///   - count: Its entries.
  ///   - slot: The slot.
  @inlinable
  mutating func keepLive(_ chunk: SlotChunks.Chunk, _ count: Int, in slot: Int) {
    unsafe warm(chunk, count)
    let flags = flags(of: slot)
    var kept = 0
    for place in 0..<count {
      let entry = unsafe chunk[place]
      let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
      if unsafe isLive(entry, node, flags: flags) {
        _ = slots.append(entry, to: slot)
        kept += 1
      }
    }
    slots.stored -= count - kept
    unsafe slots.release(chunk)
  }

  /// Whether there is something in a slot that can be swept now.
  @inlinable
  @inline(__always)
  func isSweepable(_ slot: Int) -> Bool {
    slot > self.slot(.late) ? unsafe slots.lists[slot].chunks > 2 : !slots.isEmpty(slot)
  }

  /// The first slot that can be swept behind the one that was, going round the levels and the lanes.
  @inlinable
  @inline(__always)
  func nextToSweep() -> Int? {
    let all = slots.slotCount
    for step in 1...all {
      let slot = sweepSlot + step
      let next = slot < all ? slot : slot - all
      if isSweepable(next) { return next }
    }
    return nil
  }

  /// Whether more entries look live than there are timers, so many that it matters.
  ///
  /// A timer that is cancelled, and armed with the same node for the same tick, has two entries which cannot
  /// be told from each other. Whichever is met first serves, and the other is dead from then on; but to sweep
  /// does not help.
  @inlinable
  var hasDoubles: Bool {
    let waiting = unsafe slots.lists[slot(.current)].chunks + slots.lists[slot(.dealing)].chunks
    return slots.stored - waiting * SlotChunks.chunkEntries > 4 * (armed - farCount) + 2048
  }

  /// Drops all dead entries of the levels and of `Lane.late`, and all but one of those that stand for one
  /// timer.
  ///
  /// - Complexity: O(entries). It drops at least three quarters of them, each added by a call that pays for
  ///   it.
  @usableFromInline
  mutating func dropDoubles() {
    for slot in 0...slot(.late) where !slots.isEmpty(slot) {
      let flags = flags(of: slot)
      // Taken out as a whole: what is kept must not be met again.
      var (next, left, last) = unsafe slots.takeAll(of: slot)
      while left > 0, let chunk = unsafe next {
        left -= 1
        let count = left > 0 ? SlotChunks.chunkEntries : last
        for place in 0..<count {
          let entry = unsafe chunk[place]
          let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
          if unsafe isLive(entry, node, flags: flags) {
            _ = slots.append(entry, to: slot)
            // Until all have been looked at, a timer that is kept looks as if it were not in the slots.
            unsafe node.pointee.stamp |= NodeSlab<Payload>.far
          } else {
            slots.stored -= 1
          }
        }
        unsafe next = unsafe SlotChunks.link(of: chunk)
        unsafe slots.release(chunk)
      }
      if slots.isEmpty(slot) && slot < shape.slotCount { setEmpty(slot) }
    }
    for slot in 0...slot(.late) {
      var next = unsafe slots.lists[slot].head
      for left in unsafe (0..<slots.lists[slot].chunks).reversed() {
        guard let chunk = unsafe next else { break }
        let count =
          unsafe left > 0
          ? SlotChunks.chunkEntries : SlotChunks.entries(before: slots.cursors[slot])
        for place in 0..<count {
          let node = unsafe nodes.node(UInt32(truncatingIfNeeded: chunk[place]))
          unsafe node.pointee.stamp &= ~NodeSlab<Payload>.far
        }
        if left > 0 { unsafe next = unsafe SlotChunks.link(of: chunk) }
      }
    }
  }

  /// Reads all nodes of a chunk, each for itself, so that the waits for memory overlap.
  @inlinable
  mutating func warm(_ chunk: SlotChunks.Chunk, _ count: Int) {
    var sum: UInt32 = 0
    for place in 0..<count {
      sum &+= unsafe nodes.node(UInt32(truncatingIfNeeded: chunk[place])).pointee.stamp
    }
    warmth = sum
  }
}
