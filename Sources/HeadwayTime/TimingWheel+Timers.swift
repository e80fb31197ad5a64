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
  @inline(__always)
  @discardableResult
  public mutating func schedule(_ payload: consuming Payload, at deadline: UInt64) -> Handle {
    let free = unsafe nodes.take()
    let (id, node) = unsafe (free.id, free.node)
    let stamp = unsafe free.stamp | NodeSlab<Payload>.scheduled
    unsafe node.deadline = deadline
    unsafe node.payload.initialize(to: payload)
    scheduledCount &+= 1
    room &+= 3
    if deadline > currentTick && deadline &- currentTick <= shape.reach {
      let filed = deadline &<< 32
      unsafe node.mark = filed | UInt64(stamp)
      room &-= 1
      put(filed | UInt64(id), at: deadline)
    } else {
      unsafe node.mark = UInt64(stamp)
      unsafe fileElsewhere(id, node, at: deadline)
    }
    return Handle(id: id, stamp: stamp)
  }

  /// Cancels a timer.
  ///
  /// - Parameter handle: The handle of the timer.
  /// - Returns: The payload, or `nil` if the timer has expired or was cancelled before.
  /// - Complexity: O(1) amortized.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func cancel(_ handle: Handle) -> Payload? {
    guard handle.id < nodes.used else { return nil }
    let node = unsafe nodes.node(handle.id)
    // Almost always the first comparison decides.
    guard unsafe node.stamp == handle.stamp || leaveExtraPlaces(node, handle) else { return nil }
    let payload = unsafe release(handle.id, node, handle.stamp)
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
    let before = unsafe node.deadline
    let stamp = unsafe node.stamp
    unsafe node.deadline = deadline
    if deadline >= before {
      if stamp & NodeSlab<Payload>.late == 0 || deadline <= currentTick { return true }
      // A late timer that gets a later deadline: its slot is not processed before the wheel advances further.
      unsafe node.remove(NodeSlab<Payload>.late)
    } else if before <= currentTick {
      // It is due already, and its entry is processed next.
      return true
    } else if stamp & NodeSlab<Payload>.overflow != 0 {
      unsafe leaveOverflow(node)
    } else if unsafe deadline > currentTick && deadline >= tick(of: node.filed) {
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
    return unsafe node.deadline
  }

  /// Cancels all timers.
  ///
  /// - Parameter body: Receives each payload, in no particular order. It cannot use the wheel.
  /// - Complexity: O(n), where n is the largest number of timers that were ever scheduled at once.
  @inlinable
  public mutating func removeAll(_ body: (consuming Payload) -> Void = { _ in }) {
    for id in 0..<nodes.used {
      let node = unsafe nodes.node(id)
      if unsafe node.stamp & NodeSlab<Payload>.scheduled != 0 {
        unsafe leaveOverflow(node)
        unsafe body(release(id, node, node.stamp & ~NodeSlab<Payload>.late))
      }
    }
    while room < 0 { sweep() }
  }

  /// Returns the node of a handle, nil if the handle is stale.
  @inlinable
  @inline(__always)
  func scheduledNode(_ handle: Handle) -> NodeSlab<Payload>.Node? {
    guard handle.id < nodes.used else { return nil }
    let node = unsafe nodes.node(handle.id)
    return unsafe node.stamp & ~(NodeSlab<Payload>.overflow | NodeSlab<Payload>.late)
      == handle.stamp ? node : nil
  }

  /// Records that a timer is cancelled that may be late or in the overflow heap.
  ///
  /// - Returns: Whether it is scheduled.
  @inlinable
  @inline(never)
  mutating func leaveExtraPlaces(_ node: NodeSlab<Payload>.Node, _ handle: Handle) -> Bool {
    guard unsafe scheduledNode(handle) != nil else { return false }
    unsafe leaveOverflow(node)
    return true
  }

  /// Frees the node of a scheduled timer that is not in the overflow heap, and returns its payload.
  ///
  /// - Parameters:
  ///   - id: The number of the node.
  ///   - node: The node.
  ///   - stamp: Its stamp without the flag `late`.
  /// - Returns: The payload.
  @inlinable
  @inline(__always)
  mutating func release(_ id: UInt32, _ node: NodeSlab<Payload>.Node, _ stamp: UInt32) -> Payload {
    scheduledCount &-= 1
    room &-= 3
    let payload = unsafe node.payload.move()
    unsafe nodes.free(id, node, stamp)
    return payload
  }

  /// Records that a scheduled node is not in the overflow heap any more, although its entry may still be there.
  @inlinable
  mutating func leaveOverflow(_ node: NodeSlab<Payload>.Node) {
    guard unsafe node.stamp & NodeSlab<Payload>.overflow != 0 else { return }
    unsafe node.remove(NodeSlab<Payload>.overflow)
    overflowCount &-= 1
    room &+= 3
    if overflow.count > 2 * overflowCount + 64 { compactOverflow() }
  }
}
