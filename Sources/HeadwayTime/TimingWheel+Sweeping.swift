extension TimingWheel {
  /// The number of entries in all slots, including dead ones.
  @inlinable var stored: Int { 3 &* (scheduledCount &- overflowCount) &+ 1024 &- room }

  /// Sweeps a chunk if there are too many entries for the scheduled timers.
  @inlinable
  mutating func sweepIfNeeded() {
    if room < 0 { sweep() }
  }

  /// Removes the dead entries of the next chunk.
  ///
  /// Slots are swept one after the other, each for as many chunks as it had at the beginning. The live entries of a
  /// chunk move to the end of the slot, so that the list is complete between any two calls.
  @inlinable
  @inline(never)
  mutating func sweep() {
    if hasDuplicates { return dropDuplicates() }
    if sweepLeft == 0 || !isSweepable(sweepSlot) {
      guard let next = nextToSweep() else { return }
      sweepSlot = next
      sweepLeft = unsafe slots.lists[next].chunks
    }
    sweepLeft -= 1
    if sweepSlot > slot(.late) {
      // An advance may be reading the first chunk.
      guard let chunk = unsafe slots.takeSecond(of: sweepSlot) else { return }
      unsafe keepLive(chunk, SlotChunks.chunkEntries, in: sweepSlot)
    } else {
      guard let (chunk, count) = unsafe slots.takeHead(of: sweepSlot) else { return }
      unsafe keepLive(chunk, count, in: sweepSlot)
      if slots.isEmpty(sweepSlot) && sweepSlot < shape.slotCount { setEmpty(sweepSlot) }
    }
  }

  /// Makes room in a slot whose last chunk is full, while there are more dead entries than live ones.
  ///
  /// Sweeps the first chunk of the slot and makes it the last one, so that a slot whose timers come and go keeps its
  /// memory, which is cached. The first chunk has the oldest entries, most of which are dead. If twice they are not, the
  /// dead ones are in other slots, as those of timers with equal delays: then sweeps the next chunk in turn eight times,
  /// whose memory is cached and free afterwards.
  ///
  /// - Parameter slot: A slot of a level that is not empty.
  @inlinable
  mutating func recycle(_ slot: Int) {
    guard recyclingPause <= 0 else {
      recyclingPause &-= 1
      return sweep()
    }
    guard let (chunk, count) = unsafe slots.takeHead(of: slot) else { return }
    let kept = unsafe dropDead(chunk, count, in: slot)
    unsafe slots.append(chunk: chunk, kept, to: slot)
    if kept <= SlotChunks.chunkEntries * 3 / 4 {
      recyclingPause = 0
    } else {
      recyclingPause = recyclingPause < 0 ? 8 : -1
    }
  }

  /// Appends the live entries of a chunk to its slot and releases the chunk.
  ///
  /// - Parameters:
  ///   - chunk: A chunk that was removed from the slot.
  ///   - count: The number of its entries.
  ///   - slot: The slot.
  @inlinable
  mutating func keepLive(_ chunk: SlotChunks.Chunk, _ count: Int, in slot: Int) {
    let kept = unsafe dropDead(chunk, count, in: slot)
    unsafe slots.append(chunk, kept, to: slot)
    unsafe slots.release(chunk)
  }

  /// Drops the dead entries of a chunk.
  ///
  /// - Parameters:
  ///   - chunk: A chunk that was removed from the slot.
  ///   - count: The number of its entries.
  ///   - slot: The slot.
  /// - Returns: The number of live entries, which are now the first ones.
  @inlinable
  mutating func dropDead(_ chunk: SlotChunks.Chunk, _ count: Int, in slot: Int) -> Int {
    let flags = flags(of: slot)
    var kept = 0
    // No branch on whether an entry is live: it would be unpredictable, and without it the processor reads the marks of
    // many entries in parallel.
    for index in 0..<count {
      let entry = unsafe chunk[index]
      unsafe chunk[kept] = entry
      let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
      let difference = unsafe difference(entry, node, flags: flags)
      // The highest bit of the difference or of its negative is set unless both are zero.
      kept &+= 1 &- Int(truncatingIfNeeded: (difference | (0 &- difference)) &>> 63)
    }
    room += count - kept
    return kept
  }

  /// Whether a slot has a chunk that can be swept now.
  @inlinable
  @inline(__always)
  func isSweepable(_ slot: Int) -> Bool {
    slot > self.slot(.late) ? unsafe slots.lists[slot].chunks > 2 : !slots.isEmpty(slot)
  }

  /// Returns the next slot that can be swept, in circular order.
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

  /// Whether far more entries look live than there are timers.
  ///
  /// A timer that is cancelled, and scheduled again with the same node for the same tick, has two entries that look
  /// the same. The first one to be processed counts, and then the other is dead; sweeping cannot remove it before.
  @inlinable
  var hasDuplicates: Bool {
    let waiting = unsafe slots.lists[slot(.current)].chunks + slots.lists[slot(.cascading)].chunks
    return stored - waiting * SlotChunks.chunkEntries > 4 * (scheduledCount - overflowCount)
      + 2048
  }

  /// Removes all dead entries of the levels and of `ExtraSlot.late`, and all but one entry of each timer.
  ///
  /// - Complexity: O(entries). It removes at least three quarters of them, so it is O(1) amortized.
  @usableFromInline
  mutating func dropDuplicates() {
    for slot in 0...slot(.late) where !slots.isEmpty(slot) {
      let flags = flags(of: slot)
      // The list is removed as a whole, so that a kept entry is not visited again.
      var (next, left, last) = unsafe slots.takeAll(of: slot)
      while left > 0, let chunk = unsafe next {
        left -= 1
        let count = left > 0 ? SlotChunks.chunkEntries : last
        for index in 0..<count {
          let entry = unsafe chunk[index]
          let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
          if unsafe isLive(entry, node, flags: flags) {
            _ = slots.append(entry, to: slot)
            // Until all entries have been visited, a kept timer is marked as if it were not in the slots.
            unsafe node.insert(NodeSlab<Payload>.overflow)
          } else {
            room += 1
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
        for index in 0..<count {
          let node = unsafe nodes.node(UInt32(truncatingIfNeeded: chunk[index]))
          unsafe node.remove(NodeSlab<Payload>.overflow)
        }
        if left > 0 { unsafe next = unsafe SlotChunks.link(of: chunk) }
      }
    }
  }

  /// Reads all nodes of a chunk independently of each other, so that the cache misses overlap.
  @inlinable
  mutating func prefetch(_ chunk: SlotChunks.Chunk, _ count: Int) {
    var sum: UInt64 = 0
    for index in 0..<count {
      let node = unsafe nodes.node(UInt32(truncatingIfNeeded: chunk[index]))
      sum &+= unsafe node.mark &+ node.deadline
    }
    prefetchSum = sum
  }
}
