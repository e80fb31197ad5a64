extension TimingWheel {
  /// The current tick.
  @inlinable public var now: UInt64 { currentTick }

  /// The exact number of scheduled timers.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { scheduledCount }

  /// Whether no timer is scheduled.
  @inlinable public var isEmpty: Bool { scheduledCount == 0 }

  /// The number of bytes that the wheel has allocated and keeps for later timers.
  ///
  /// - Complexity: O(1).
  package var memoryFootprint: Int {
    nodes.bytes + slots.bytes
      + (shape.words + shape.levels) * MemoryLayout<UInt64>.stride
      + overflow.heap.capacity * MemoryLayout<OverflowHeap.Entry>.stride
  }

  /// Schedules a timer.
  ///
  /// A wheel holds at most 4,294,967,295 timers at once.
  ///
  /// - Parameters:
  ///   - payload: The value that `advance` returns when the timer expires.
  ///   - deadline: The tick at which the timer expires; `UInt64.max` means never. A timer whose deadline has passed
  ///     expires in the next `advance`, never inside this call. If it is scheduled inside an `advance`, it waits until
  ///     the wheel advances further, so that a timer that reschedules itself cannot block that call.
  /// - Returns: A handle that cancels or reschedules the timer.
  /// - Complexity: O(1) amortized; O(log n) for a deadline at least 2³² ticks away.
  @inlinable
  @discardableResult
  public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> Handle {
    let id = free.pop(&slots) ?? nodes.add()
    let node = unsafe nodes.node(id)
    let stamp = unsafe node.pointee.stamp | NodeSlab<Payload>.scheduled
    unsafe node.pointee.deadline = deadline
    unsafe node.pointee.stamp = stamp
    unsafe nodes.payload(node).initialize(to: payload)
    scheduledCount &+= 1
    unsafe file(id, node, at: deadline)
    sweepIfNeeded()
    return Handle(id: id, stamp: stamp)
  }

  /// Cancels a timer.
  ///
  /// - Parameter handle: The handle of the timer.
  /// - Returns: The payload, or `nil` if the timer has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func cancel(_ handle: Handle) -> Payload? {
    guard let node = unsafe scheduledNode(handle) else { return nil }
    let payload = unsafe remove(handle.id, node)
    sweepIfNeeded()
    return payload
  }

  /// Changes the deadline of a scheduled timer.
  ///
  /// Moving a deadline to a later tick is a single write. Use this method to extend an idle time-out whenever there is
  /// activity.
  ///
  /// - Parameters:
  ///   - handle: The handle of the timer; it stays valid.
  ///   - deadline: The new deadline, as for ``schedule(_:at:)``.
  /// - Returns: Whether the timer was still scheduled; a stale handle changes nothing.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func reschedule(_ handle: Handle, to deadline: UInt64) -> Bool {
    guard let node = unsafe scheduledNode(handle) else { return false }
    let before = unsafe node.pointee.deadline
    let stamp = unsafe node.pointee.stamp
    unsafe node.pointee.deadline = deadline
    if deadline >= before {
      if stamp & NodeSlab<Payload>.late == 0 || deadline <= currentTick { return true }
      // A late timer that gets a later deadline: its slot is not processed before the wheel advances further.
      unsafe node.pointee.stamp = stamp & ~NodeSlab<Payload>.late
    } else if before <= currentTick {
      // It is due already, and its entry is processed next.
      return true
    } else if stamp & NodeSlab<Payload>.overflow != 0 {
      unsafe leaveOverflow(node)
    } else if unsafe deadline > currentTick && deadline >= tick(of: node.pointee.filed) {
      // Its entry is processed by then.
      return true
    }
    unsafe file(handle.id, node, at: deadline)
    sweepIfNeeded()
    return true
  }

  /// Returns the deadline of a scheduled timer.
  ///
  /// - Parameter handle: The handle of the timer.
  /// - Returns: The deadline, or `nil` if the timer has expired or was cancelled.
  /// - Complexity: O(1).
  @inlinable
  public func deadline(of handle: Handle) -> UInt64? {
    guard let node = unsafe scheduledNode(handle) else { return nil }
    return unsafe node.pointee.deadline
  }

  /// Cancels all timers.
  ///
  /// - Parameter body: Receives each payload, in no particular order. It cannot use the wheel.
  /// - Complexity: O(n), where n is the largest number of timers that were ever scheduled at once.
  @inlinable
  public mutating func removeAll(_ body: (consuming Payload) -> Void = { _ in }) {
    for id in 0..<nodes.used {
      let node = unsafe nodes.node(id)
      if unsafe node.pointee.stamp & NodeSlab<Payload>.scheduled != 0 {
        unsafe body(remove(id, node))
      }
    }
    while slots.stored > 3 &* scheduledCount &+ 1024 { sweep() }
  }

  /// Returns the node of a handle, nil if the handle is stale.
  @inlinable
  @inline(__always)
  func scheduledNode(_ handle: Handle) -> UnsafeMutablePointer<NodeSlab<Payload>.Node>? {
    guard handle.id < nodes.used else { return nil }
    let node = unsafe nodes.node(handle.id)
    return unsafe node.pointee.stamp & ~(NodeSlab<Payload>.overflow | NodeSlab<Payload>.late)
      == handle.stamp ? node : nil
  }

  /// Frees the node of a scheduled timer and returns its payload.
  @inlinable
  mutating func remove(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>
  ) -> Payload {
    if unsafe node.pointee.stamp & NodeSlab<Payload>.overflow != 0 { unsafe leaveOverflow(node) }
    return unsafe release(id, node)
  }

  /// Frees the node of a scheduled timer that is not in the overflow heap, and returns its payload.
  @inlinable
  mutating func release(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>
  ) -> Payload {
    scheduledCount &-= 1
    if unsafe nodes.free(node) { free.push(id, &slots) }
    return unsafe nodes.payload(node).move()
  }
}

// MARK: - Filing

extension TimingWheel {
  /// Returns the index of an extra slot.
  @inlinable
  @inline(__always)
  func slot(_ slot: ExtraSlot) -> Int { shape.slotCount &+ slot.rawValue }

  /// Files a scheduled node under its deadline.
  @inlinable
  mutating func file(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, at deadline: UInt64
  ) {
    if deadline <= currentTick {
      unsafe fileLate(id, node)
    } else if deadline &- currentTick > shape.reach {
      unsafe fileOverflow(id, node, at: deadline)
    } else {
      let low = UInt32(truncatingIfNeeded: deadline)
      unsafe node.pointee.filed = low
      slots.stored &+= 1
      put((UInt64(low) &<< 32) | UInt64(id), at: deadline)
    }
  }

  /// Files a scheduled node whose deadline has passed in `ExtraSlot.late`.
  @inlinable
  @inline(never)
  mutating func fileLate(_ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>) {
    unsafe node.pointee.filed = round
    unsafe node.pointee.stamp |= NodeSlab<Payload>.late
    slots.stored &+= 1
    _ = slots.append((UInt64(round) &<< 32) | UInt64(id), to: slot(.late))
  }

  /// Adds an entry to the slot of a later tick within reach, without counting it.
  @inlinable
  mutating func put(_ entry: UInt64, at tick: UInt64) {
    let highest = 63 &- (tick &- currentTick).leadingZeroBitCount
    let level = (highest &* shape.inverse) &>> 8
    let number = tick &>> UInt64(truncatingIfNeeded: level &* shape.bits)
    let digit = Int(truncatingIfNeeded: number) & shape.digit
    if slots.append(entry, to: (level &<< shape.bits) | digit) { setOccupied(level, digit, number) }
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
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, at deadline: UInt64
  ) {
    unsafe node.pointee.filed = UInt32(truncatingIfNeeded: deadline)
    unsafe node.pointee.stamp |= NodeSlab<Payload>.overflow
    overflowCount += 1
    let stamp = unsafe node.pointee.stamp
    if overflow.count > 2 * overflowCount + 64 { compactOverflow() }
    overflow.insert(OverflowHeap.Entry(deadline: deadline, id: id, stamp: stamp))
  }

  /// Records that a scheduled node has left the overflow heap, although its entry may still be there.
  @inlinable
  @inline(never)
  mutating func leaveOverflow(_ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>) {
    unsafe node.pointee.stamp &= ~NodeSlab<Payload>.overflow
    overflowCount &-= 1
    if overflow.count > 2 * overflowCount + 64 { compactOverflow() }
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
      unsafe nodes.node(entry.id).pointee.stamp &= ~NodeSlab<Payload>.overflow
    }
    for entry in kept { unsafe nodes.node(entry.id).pointee.stamp |= NodeSlab<Payload>.overflow }
    // A sorted array is a heap.
    overflow.heap = kept
  }

  /// Whether an entry of the overflow heap belongs to a scheduled timer.
  @inlinable
  @inline(__always)
  func isLive(_ entry: OverflowHeap.Entry) -> Bool {
    let node = unsafe nodes.node(entry.id)
    return unsafe node.pointee.stamp == entry.stamp
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry.deadline)
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
    _ entry: UInt64, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, flags: UInt32
  ) -> Bool {
    unsafe node.pointee.stamp & NodeSlab<Payload>.flags == flags
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry &>> 32)
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
