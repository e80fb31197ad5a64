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
  ///   - deadline: The tick at which it expires, any; `UInt64.max` is never. One that has come already
  ///     expires at the next `advance`, never inside this call; armed inside an `advance`, it waits until the
  ///     time has gone on, so that a timer which arms itself anew cannot hold it up.
  /// - Returns: The handle that cancels or reschedules it.
  /// - Complexity: O(1) amortized; O(log n) for a deadline 2³² ticks away and more. At most 4,294,967,295 timers
  ///   at once.
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
  /// - Returns: The payload, which the wheel does not keep; nil when the timer has expired or was cancelled
  ///   before.
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
  /// A later deadline is one write, so this is the way to keep an idle time-out away: call it at every sign
  /// of life.
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
    let before = unsafe node.pointee.deadline
    let stamp = unsafe node.pointee.stamp
    unsafe node.pointee.deadline = deadline
    if deadline >= before {
      if stamp & NodeSlab<Payload>.late == 0 || deadline <= present { return true }
      // A late timer that gets time after all: the lane it stands in is not taken up before the time goes on.
      unsafe node.pointee.stamp = stamp & ~NodeSlab<Payload>.late
    } else if before <= present {
      // It is due already, and its entry is the next to be met.
      return true
    } else if stamp & NodeSlab<Payload>.far != 0 {
      unsafe leaveFar(node)
    } else if unsafe deadline > present && deadline >= tick(of: node.pointee.filed) {
      // Its entry is met by then.
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
  @inline(__always)
  func armedNode(_ handle: Handle) -> UnsafeMutablePointer<NodeSlab<Payload>.Node>? {
    guard handle.id < nodes.used else { return nil }
    let node = unsafe nodes.node(handle.id)
    return unsafe node.pointee.stamp & ~(NodeSlab<Payload>.far | NodeSlab<Payload>.late)
      == handle.stamp ? node : nil
  }

  /// Frees an armed node and hands its payload out.
  @inlinable
  mutating func remove(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>
  ) -> Payload {
    if unsafe node.pointee.stamp & NodeSlab<Payload>.far != 0 { unsafe leaveFar(node) }
    return unsafe release(id, node)
  }

  /// Frees an armed node that is not in the far store, and hands its payload out.
  @inlinable
  mutating func release(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>
  ) -> Payload {
    armed &-= 1
    if unsafe nodes.free(node) { free.push(id, &slots) }
    return unsafe nodes.payload(node).move()
  }
}

// MARK: - Filing

extension TimingWheel {
  /// The slot of a lane.
  @inlinable
  @inline(__always)
  func slot(_ lane: Lane) -> Int { shape.slotCount &+ lane.rawValue }

  /// Puts an armed node where its deadline belongs.
  @inlinable
  mutating func file(
    _ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, at deadline: UInt64
  ) {
    if deadline <= present {
      unsafe fileLate(id, node)
    } else if deadline &- present > shape.reach {
      unsafe fileFar(id, node, at: deadline)
    } else {
      let low = UInt32(truncatingIfNeeded: deadline)
      unsafe node.pointee.filed = low
      slots.stored &+= 1
      put((UInt64(low) &<< 32) | UInt64(id), at: deadline)
    }
  }

  /// Puts an armed node whose deadline has come into `Lane.late`.
  @inlinable
  @inline(never)
  mutating func fileLate(_ id: UInt32, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>) {
    unsafe node.pointee.filed = round
    unsafe node.pointee.stamp |= NodeSlab<Payload>.late
    slots.stored &+= 1
    _ = slots.append((UInt64(round) &<< 32) | UInt64(id), to: slot(.late))
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

  /// The tick that an entry or a node is filed under; right for what is still to come, and not late.
  @inlinable
  @inline(__always)
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
    if far.count > 2 * farCount + 64 { keepLiveFar() }
    far.insert(FarDeadlines.Entry(deadline: deadline, id: id, generation: stamp))
  }

  /// Notes that an armed node is not in the far store any more, though its entry may be.
  @inlinable
  @inline(never)
  mutating func leaveFar(_ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>) {
    unsafe node.pointee.stamp &= ~NodeSlab<Payload>.far
    farCount &-= 1
    if far.count > 2 * farCount + 64 { keepLiveFar() }
  }

  /// Removes the dead entries of the far store, and all but the first of those that stand for one timer.
  @usableFromInline
  mutating func keepLiveFar() {
    var live: [FarDeadlines.Entry] = []
    for entry in far.heap where isLive(entry) { live.append(entry) }
    live.sort { $0.deadline < $1.deadline }
    var kept: [FarDeadlines.Entry] = []
    for entry in live where isLive(entry) {
      kept.append(entry)
      // Until all have been looked at, a timer that is kept looks as if it were not in the store.
      unsafe nodes.node(entry.id).pointee.stamp &= ~NodeSlab<Payload>.far
    }
    for entry in kept { unsafe nodes.node(entry.id).pointee.stamp |= NodeSlab<Payload>.far }
    // What is sorted is a heap.
    far.heap = kept
  }

  /// Whether an entry of the far store stands for an armed timer.
  @inlinable
  @inline(__always)
  func isLive(_ entry: FarDeadlines.Entry) -> Bool {
    let node = unsafe nodes.node(entry.id)
    return unsafe node.pointee.stamp == entry.generation
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry.deadline)
  }

  /// Whether an entry of a slot of a level stands for an armed timer.
  @inlinable
  @inline(__always)
  func isLive(_ entry: UInt64) -> Bool {
    unsafe isLive(
      entry, nodes.node(UInt32(truncatingIfNeeded: entry)), flags: NodeSlab<Payload>.armed)
  }

  /// Whether an entry stands for the timer that its node holds now.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - node: Its node.
  ///   - flags: The flags of the timers that stand where the entry does.
  /// - Returns: Whether it is live.
  @inlinable
  @inline(__always)
  func isLive(
    _ entry: UInt64, _ node: UnsafeMutablePointer<NodeSlab<Payload>.Node>, flags: UInt32
  ) -> Bool {
    unsafe node.pointee.stamp & NodeSlab<Payload>.flags == flags
      && node.pointee.filed == UInt32(truncatingIfNeeded: entry &>> 32)
  }

  /// The flags of the timers that stand in a slot.
  @inlinable
  @inline(__always)
  func flags(of slot: Int) -> UInt32 {
    let isLate = slot == self.slot(.late) || (isCurrentLate && slot == self.slot(.current))
    return isLate ? NodeSlab<Payload>.armed | NodeSlab<Payload>.late : NodeSlab<Payload>.armed
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
  @inline(__always)
  func nextTurn(of level: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: level &* shape.bits)
    let number = present &>> shift
    // The slot of the present tick is this very tick if that is its first; otherwise it was dealt out, and is
    // the next time round.
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
