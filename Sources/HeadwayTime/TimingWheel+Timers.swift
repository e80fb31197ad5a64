extension TimingWheel {
  /// The tick that the wheel has come to.
  @inlinable public var now: UInt64 { present }

  /// The number of timers that are armed, to the one.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { armed }

  /// Whether no timer is armed.
  @inlinable public var isEmpty: Bool { armed == 0 }

  /// The bytes that the wheel has allocated; they are kept for later timers.
  ///
  /// - Complexity: O(1).
  public var memoryFootprint: Int {
    nodes.bytes + slots.bytes
      + (shape.words + shape.levels) * MemoryLayout<UInt64>.stride
      + far.heap.capacity * MemoryLayout<FarDeadlines.Entry>.stride
  }

  /// Arms a timer.
  ///
  /// - Parameters:
  ///   - payload: What `advance` hands out when the timer expires.
  ///   - deadline: The tick at which it expires, any; `UInt64.max` is never. One that has come already expires at the next `advance`, never inside
  ///     this call; armed inside an `advance`, it waits until the time has gone on, so that a timer which arms itself anew cannot hold it up.
  /// - Returns: The handle that cancels or reschedules it.
  /// - Complexity: O(1) amortized; O(log n) for a deadline in another 2³² ticks. At most 4,294,967,295 timers at once.
  @inlinable
  @discardableResult
  public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> Handle {
    let id = free.pop(&slots) ?? nodes.add()
    let node = unsafe nodes.node(id)
    let stamp = unsafe node.pointee.stamp | NodeSlab<Payload>.armed
    unsafe node.pointee.deadline = deadline
    unsafe node.pointee.stamp = stamp
    unsafe nodes.payload(node).initialize(to: payload)
    armed &+= 1
    unsafe file(id, node, at: deadline)
    sweepIfNeeded()
    return Handle(id: id, stamp: stamp)
  }

  /// Disarms a timer.
  ///
  /// - Parameter handle: What `schedule` returned.
  /// - Returns: The payload, which the wheel does not keep; nil when the timer has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func cancel(_ handle: Handle) -> Payload? {
    guard let node = unsafe armedNode(handle) else { return nil }
    let payload = unsafe remove(handle.id, node)
    sweepIfNeeded()
    return payload
  }

  /// Moves the deadline of an armed timer.
  ///
  /// A later deadline is one write, so this is the way to keep an idle time-out away: call it at every sign of life.
  ///
  /// - Parameters:
  ///   - handle: What `schedule` returned; it stays valid.
  ///   - deadline: The new tick, any; like in `schedule`.
  /// - Returns: Whether the timer was armed; a stale handle changes nothing.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func reschedule(_ handle: Handle, to deadline: UInt64) -> Bool {
    guard let node = unsafe armedNode(handle) else { return false }
    let isLater = unsafe deadline >= node.pointee.deadline
    unsafe node.pointee.deadline = deadline
    if isLater { return true }
    if unsafe node.pointee.stamp & NodeSlab<Payload>.far != 0 {
      farCount &-= 1
      unsafe node.pointee.stamp &= ~NodeSlab<Payload>.far
    } else if unsafe deadline >= tick(of: node.pointee.filed) {
      // Its entry is met by then, or earlier if it is late already.
      return true
    }
    unsafe file(handle.id, node, at: deadline)
    sweepIfNeeded()
    return true
  }

  /// The tick at which a timer will expire.
  ///
  /// - Parameter handle: What `schedule` returned.
  /// - Returns: The deadline, nil when the timer has expired or was cancelled.
  /// - Complexity: O(1).
  @inlinable
  public func deadline(of handle: Handle) -> UInt64? {
    guard let node = unsafe armedNode(handle) else { return nil }
    return unsafe node.pointee.deadline
  }

  /// Disarms all timers.
  ///
  /// - Parameter body: What to do with each payload, in no order. It cannot use the wheel.
  /// - Complexity: O(nodes): all timers that were ever armed at once.
  @inlinable
  public mutating func removeAll(_ body: (consuming Payload) -> Void = { _ in }) {
    for id in 0..<nodes.used {
      let node = unsafe nodes.node(id)
      if unsafe node.pointee.stamp & NodeSlab<Payload>.armed != 0 { unsafe body(remove(id, node)) }
    }
    while slots.stored > 3 &* armed &+ 1024 { sweep() }
  }

  /// The node of a handle, nil when the handle is stale.
  @inlinable
  func armedNode(_ handle: Handle) -> UnsafeMutablePointer<NodeSlab<Payload>.Node>? {
    guard handle.id < nodes.used else { return nil }
    let node = unsafe nodes.node(handle.id)
    return unsafe node.pointee.stamp & ~NodeSlab<Payload>.far == handle.stamp ? node : nil
  }

  /// Frees an armed node and hands its payload out.
  @inlinable
  mutating func remove(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>
  ) -> Payload {
    if unsafe node.pointee.stamp & NodeSlab<Payload>.far != 0 { farCount &-= 1 }
    armed &-= 1
    if unsafe nodes.free(node) { free.push(id, &slots) }
    return unsafe nodes.payload(node).move()
  }
}

// MARK: - Filing

extension TimingWheel {
  /// The slot of a lane.
  @inlinable
  func slot(_ lane: Lane) -> Int { shape.slotCount &+ lane.rawValue }

  /// Puts an armed node where its deadline belongs.
  @inlinable
  mutating func file(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, at deadline: UInt64
  ) {
    if deadline <= present {
      unsafe file(id, node, in: .late)
    } else if deadline &- present > shape.reach {
      unsafe fileFar(id, node, at: deadline)
    } else {
      let low = UInt32(truncatingIfNeeded: deadline)
      unsafe node.pointee.filed = low
      slots.stored &+= 1
      put((UInt64(low) &<< 32) | UInt64(id), at: deadline)
    }
  }

  /// Puts an armed node into a lane.
  @inlinable
  mutating func file(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, in lane: Lane
  ) {
    let low = UInt32(truncatingIfNeeded: present)
    unsafe node.pointee.filed = low
    slots.stored &+= 1
    _ = slots.append((UInt64(low) &<< 32) | UInt64(id), to: slot(lane))
  }

  /// Adds an entry to the slot of a tick within reach that is still to come, uncounted.
  @inlinable
  mutating func put(_ entry: UInt64, at tick: UInt64) {
    let highest = 63 &- (tick &- present).leadingZeroBitCount
    let level = (highest &* shape.inverse) &>> 8
    let number = tick &>> UInt64(truncatingIfNeeded: level &* shape.bits)
    let digit = Int(truncatingIfNeeded: number) & shape.digit
    if slots.append(entry, to: (level &<< shape.bits) | digit) { setOccupied(level, digit, number) }
  }

  /// The tick that an entry or a node is filed under; right for what is still to come.
  @inlinable
  func tick(of low: UInt32) -> UInt64 {
    present &+ UInt64(low &- UInt32(truncatingIfNeeded: present))
  }

  /// Puts an armed node into the far store.
  @inlinable
  mutating func fileFar(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, at deadline: UInt64
  ) {
    unsafe node.pointee.filed = UInt32(truncatingIfNeeded: deadline)
    unsafe node.pointee.stamp |= NodeSlab<Payload>.far
    farCount += 1
    let stamp = unsafe node.pointee.stamp
    if far.count > 2 * farCount + 1024 { keepLiveFar() }
    far.insert(FarDeadlines.Entry(deadline: deadline, id: id, generation: stamp))
  }

  /// Removes the dead entries of the far store.
  @inlinable
  mutating func keepLiveFar() {
    var live = FarDeadlines()
    while let entry = far.first {
      if isLive(entry) { live.insert(entry) }
      far.removeFirst()
    }
    far = live
  }

  /// Whether an entry of the far store stands for an armed timer.
  @inlinable
  func isLive(_ entry: FarDeadlines.Entry) -> Bool {
    let node = unsafe nodes.node(entry.id)
    return unsafe node.pointee.stamp == entry.generation
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry.deadline)
  }

  /// Whether an entry of a slot stands for an armed timer.
  @inlinable
  func isLive(_ entry: UInt64) -> Bool {
    unsafe isLive(entry, nodes.node(UInt32(truncatingIfNeeded: entry)))
  }

  /// Whether an entry of a slot stands for the timer that its node holds now.
  @inlinable
  func isLive(_ entry: UInt64, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>) -> Bool {
    let flags = NodeSlab<Payload>.armed | NodeSlab<Payload>.far
    return unsafe node.pointee.stamp & flags == NodeSlab<Payload>.armed
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry &>> 32)
  }
}

// MARK: - Occupancy

extension TimingWheel {
  /// Notes that a slot of a level is not empty.
  ///
  /// - Parameters:
  ///   - level: The level.
  ///   - digit: The slot in the level.
  ///   - number: The first tick of the slot, in slots of the level.
  @inlinable
  mutating func setOccupied(_ level: Int, _ digit: Int, _ number: UInt64) {
    let word = (level &<< shape.wordShift) &+ (digit &>> 6)
    // In two steps: Swift 6.3 breaks down over `|=` here when it builds for ThreadSanitizer.
    unsafe occupied[word] = occupied[word] | (1 &<< UInt64(digit & 63))
    let tick = number &<< UInt64(truncatingIfNeeded: level &* shape.bits)
    if unsafe tick < turns[level] { unsafe turns[level] = tick }
  }

  /// Notes that a slot of a level is empty.
  @inlinable
  mutating func setEmpty(_ slot: Int) {
    let level = slot &>> shape.bits
    let digit = slot & shape.digit
    let word = (level &<< shape.wordShift) &+ (digit &>> 6)
    // In two steps, like in `setOccupied`.
    unsafe occupied[word] = occupied[word] & ~(1 &<< UInt64(digit & 63))
    unsafe turns[level] = nextTurn(of: level)
  }

  /// The next tick at which a level has a slot that is not empty, `UInt64.max` when it has none.
  @inlinable
  func nextTurn(of level: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: level &* shape.bits)
    let number = present &>> shift
    // The slot of the present tick is this very tick if that is its first; otherwise it was dealt out, and is the next time round.
    let first = number &<< shift == present ? number : number &+ 1
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

// MARK: - Sweeping

extension TimingWheel {
  /// Looks for dead entries when there are too many entries.
  @inlinable
  mutating func sweepIfNeeded() {
    if slots.stored > 3 &* armed &+ 1024 { sweep() }
  }

  /// Looks at the next chunk and drops its dead entries.
  ///
  /// Slots are gone through one after the other, each as many chunks as it had at the beginning: the live entries
  /// of a chunk are added to the end of the slot, so that the list is whole between any two calls.
  @inlinable
  @inline(never)
  mutating func sweep() {
    if sweepLeft == 0 || slots.isEmpty(sweepSlot) {
      guard let next = nextToSweep() else { return }
      sweepSlot = next
      sweepLeft = unsafe slots.lists[next].chunks
    }
    sweepLeft -= 1
    guard let (chunk, count) = unsafe slots.takeHead(of: sweepSlot) else { return }
    unsafe warm(chunk, count)
    var kept = 0
    for place in 0..<count {
      let entry = unsafe chunk[place]
      if isLive(entry) {
        _ = slots.append(entry, to: sweepSlot)
        kept += 1
      }
    }
    slots.stored -= count - kept
    unsafe slots.release(chunk)
    if slots.isEmpty(sweepSlot) && sweepSlot < shape.slotCount { setEmpty(sweepSlot) }
  }

  /// The first slot that is not empty behind the one that was swept, going round the levels and `Lane.late`.
  @inlinable
  func nextToSweep() -> Int? {
    let all = slot(.late) + 1
    for step in 1...all {
      let slot = sweepSlot + step
      let next = slot < all ? slot : slot - all
      if !slots.isEmpty(next) { return next }
    }
    return nil
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
