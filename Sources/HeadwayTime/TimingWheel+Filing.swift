extension TimingWheel {
  /// Returns the index of an extra slot.
  @inlinable
  @inline(__always)
  func slot(_ slot: ExtraSlot) -> Int { shape.slotCount &+ slot.rawValue }

  /// Files a scheduled node under its deadline.
  @inlinable
  mutating func file(
    _ id: UInt32, _ node: NodeSlab<Payload>.Node, at deadline: UInt64
  ) {
    if deadline > currentTick && deadline &- currentTick <= shape.reach {
      let filed = deadline &<< 32
      unsafe node.mark = filed | UInt64(node.stamp)
      room &-= 1
      put(filed | UInt64(id), at: deadline)
    } else {
      unsafe fileElsewhere(id, node, at: deadline)
    }
  }

  /// Files a scheduled node whose deadline has passed or is beyond the levels.
  @inlinable
  @inline(never)
  mutating func fileElsewhere(
    _ id: UInt32, _ node: NodeSlab<Payload>.Node, at deadline: UInt64
  ) {
    if deadline <= currentTick {
      unsafe fileLate(id, node)
    } else {
      unsafe fileOverflow(id, node, at: deadline)
    }
  }

  /// Files a scheduled node whose deadline has passed in `ExtraSlot.late`.
  @inlinable
  @inline(never)
  mutating func fileLate(_ id: UInt32, _ node: NodeSlab<Payload>.Node) {
    let filed = UInt64(round) &<< 32
    unsafe node.mark = filed | UInt64(node.stamp | NodeSlab<Payload>.late)
    room &-= 1
    _ = slots.append(filed | UInt64(id), to: slot(.late))
  }

  /// Adds an entry to the slot of a later tick within reach, without counting it.
  @inlinable
  @inline(__always)
  mutating func put(_ entry: UInt64, at tick: UInt64) {
    // The distance is not zero.
    let highest = 63 &- ((tick &- currentTick) | 1).leadingZeroBitCount
    // Levels of 256 slots, without the variable shifts and masks of other shapes.
    let slot =
      ((highest &<< 5) & 0x700)
      | Int(truncatingIfNeeded: (tick &>> UInt64(truncatingIfNeeded: highest & 0x38)) & 0xFF)
    if shape.bits != 8 || !slots.appendIfRoom(entry, to: slot) { putSlowly(entry, at: tick) }
  }

  /// Adds an entry to a slot that needs a chunk, or to a slot of a wheel of any shape.
  @inlinable
  @inline(never)
  mutating func putSlowly(_ entry: UInt64, at tick: UInt64) {
    let level = (63 &- (tick &- currentTick).leadingZeroBitCount) / shape.bits
    let number = tick &>> UInt64(truncatingIfNeeded: level &* shape.bits)
    let digit = Int(truncatingIfNeeded: number) & shape.digit
    let slot = (level &<< shape.bits) | digit
    if room < scheduledCount &- overflowCount &+ 512 && slots.isFull(slot) { recycle(slot) }
    if slots.append(entry, to: slot) { setOccupied(level, digit, number) }
  }

  /// Returns the whole tick that an entry or a node is filed under; it must be later than the current tick.
  @inlinable
  @inline(__always)
  func tick(of low: UInt32) -> UInt64 {
    currentTick &+ UInt64(low &- UInt32(truncatingIfNeeded: currentTick))
  }

  /// Files a scheduled node in the overflow heap.
  @inlinable
  mutating func fileOverflow(
    _ id: UInt32, _ node: NodeSlab<Payload>.Node, at deadline: UInt64
  ) {
    let stamp = unsafe node.stamp | NodeSlab<Payload>.overflow
    unsafe node.mark = (deadline &<< 32) | UInt64(stamp)
    overflowCount += 1
    room -= 3
    if overflow.count > 2 * overflowCount + 64 { compactOverflow() }
    overflow.insert(OverflowHeap.Entry(deadline: deadline, id: id, stamp: stamp))
  }

  /// Removes the dead entries of the overflow heap, and all but the first entry of each timer.
  @usableFromInline
  mutating func compactOverflow() {
    var live: [OverflowHeap.Entry] = []
    for entry in overflow.heap where isLive(entry) { live.append(entry) }
    live.sort { $0.deadline < $1.deadline }
    var kept: [OverflowHeap.Entry] = []
    for entry in live where isLive(entry) {
      kept.append(entry)
      // Until all entries have been visited, a kept timer is marked as if it were not in the heap.
      unsafe nodes.node(entry.id).remove(NodeSlab<Payload>.overflow)
    }
    for entry in kept { unsafe nodes.node(entry.id).insert(NodeSlab<Payload>.overflow) }
    // A sorted array is a heap.
    overflow.heap = kept
  }

  /// Whether an entry of the overflow heap belongs to a scheduled timer.
  @inlinable
  @inline(__always)
  func isLive(_ entry: OverflowHeap.Entry) -> Bool {
    let node = unsafe nodes.node(entry.id)
    return unsafe node.mark == (entry.deadline &<< 32) | UInt64(entry.stamp)
  }

  /// Whether an entry of a level belongs to a scheduled timer.
  @inlinable
  @inline(__always)
  func isLive(_ entry: UInt64) -> Bool {
    unsafe isLive(
      entry, nodes.node(UInt32(truncatingIfNeeded: entry)), flags: NodeSlab<Payload>.scheduled)
  }

  /// Whether an entry belongs to the timer that its node holds now.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - node: Its node.
  ///   - flags: The flags of timers in the slot of the entry.
  /// - Returns: Whether the entry is live.
  @inlinable
  @inline(__always)
  func isLive(
    _ entry: UInt64, _ node: NodeSlab<Payload>.Node, flags: UInt32
  ) -> Bool {
    unsafe difference(entry, node, flags: flags) == 0
  }

  /// Compares an entry with the timer that its node holds now.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - node: Its node.
  ///   - flags: The flags of timers in the slot of the entry.
  /// - Returns: The bits that differ, 0 if the entry is live.
  @inlinable
  @inline(__always)
  func difference(_ entry: UInt64, _ node: NodeSlab<Payload>.Node, flags: UInt32) -> UInt64 {
    let high: UInt64 = 0xFFFF_FFFF_0000_0000
    return unsafe (node.mark ^ ((entry & high) | UInt64(flags)))
      & (high | UInt64(NodeSlab<Payload>.flags))
  }

  /// Returns the flags of the timers in a slot.
  @inlinable
  @inline(__always)
  func flags(of slot: Int) -> UInt32 {
    let isLate = slot == self.slot(.late) || (isCurrentLate && slot == self.slot(.current))
    return isLate
      ? NodeSlab<Payload>.scheduled | NodeSlab<Payload>.late : NodeSlab<Payload>.scheduled
  }
}

// MARK: - Occupancy

extension TimingWheel {
  /// Marks a slot of a level as occupied.
  ///
  /// - Parameters:
  ///   - level: The level.
  ///   - digit: The index of the slot in the level.
  ///   - number: The first tick of the slot, divided by the ticks that a slot of the level spans.
  @inlinable
  mutating func setOccupied(_ level: Int, _ digit: Int, _ number: UInt64) {
    let word = (level &<< shape.wordShift) &+ (digit &>> 6)
    // Not `|=`: the Swift 6.3 compiler crashes on that here when it builds for ThreadSanitizer.
    unsafe occupied[word] = occupied[word] | (1 &<< UInt64(digit & 63))
    let tick = number &<< UInt64(truncatingIfNeeded: level &* shape.bits)
    if unsafe tick < nextTicks[level] { unsafe nextTicks[level] = tick }
  }

  /// Marks a slot of a level as empty.
  @inlinable
  mutating func setEmpty(_ slot: Int) {
    let level = slot &>> shape.bits
    let digit = slot & shape.digit
    let word = (level &<< shape.wordShift) &+ (digit &>> 6)
    // Not `&=`, for the reason given in `setOccupied`.
    unsafe occupied[word] = occupied[word] & ~(1 &<< UInt64(digit & 63))
    unsafe nextTicks[level] = nextTick(of: level)
  }

  /// Returns the first tick of the next occupied slot of a level, `UInt64.max` if all are empty.
  @inlinable
  @inline(__always)
  func nextTick(of level: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: level &* shape.bits)
    let number = currentTick &>> shift
    // The slot that contains the current tick is still to come only if it begins there. Otherwise it was processed,
    // and its entries belong to the next rotation.
    let first = number &<< shift == currentTick ? number : number &+ 1
    let start = Int(truncatingIfNeeded: first) & shape.digit
    let words = 1 &<< shape.wordShift
    let base = level &<< shape.wordShift
    var word = start &>> 6
    var bits = unsafe occupied[base &+ word] & (~0 &<< UInt64(start & 63))
    for _ in 0...words {
      if bits != 0 {
        let digit = (word &<< 6) &+ bits.trailingZeroBitCount
        return (first &+ UInt64((digit &- start) & shape.digit)) &<< shift
      }
      word = (word &+ 1) & (words &- 1)
      bits = unsafe occupied[base &+ word]
    }
    return .max
  }
}
