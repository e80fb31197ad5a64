extension TimingWheel {
  /// Advances the wheel to a tick and passes each expired timer to a closure.
  ///
  /// The closure may use the wheel through its first parameter: it may schedule, cancel and reschedule timers, and
  /// even assign another wheel. Assigning another wheel ends this call; the old wheel continues where it is advanced
  /// next. The timer that the closure receives has already left the wheel, so cancelling it returns `nil`. A timer
  /// that the closure schedules for a later tick of this call expires in this call; one for a tick that has passed
  /// expires after the wheel has advanced further.
  ///
  /// - Parameters:
  ///   - now: The current tick. A tick before ``now`` counts as ``now``.
  ///   - limit: The maximum number of entries to examine, so that very many timers on one tick cannot block the
  ///     caller; values below 1 count as 1. The next call continues where the limit stopped this one.
  ///   - expire: Receives each expired timer. It must not advance the same wheel; doing so traps.
  /// - Returns: Whether all due timers have expired.
  /// - Throws: What the closure throws. The timer it received is gone; all others expire in the next call.
  /// - Complexity: O(expired timers + occupied slots passed), amortized; each timer moves at most three times.
  @inlinable
  @discardableResult
  public mutating func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimingWheel<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) -> Void
  ) throws(Failure) -> AdvanceResult {
    if isQuiet(until: now) {
      currentTick = max(currentTick, min(now, .max - 1))
      hasTakenLate = false
      return .caughtUp
    }
    // Retained here, it outlives a wheel that a callback releases, and no other wheel can have its identity.
    let reentrancyGuard = reentrancyGuard
    reentrancyGuard.begin()
    isAdvancing = true
    defer {
      reentrancyGuard.end()
      isAdvancing = false
    }
    let identity = identity
    let now = max(currentTick, min(now, .max - 1))
    var budget = max(1, limit)
    // Timers that were late before this call expire in it; those that a callback schedules late wait until the wheel
    // advances further.
    var owesLate = !slots.isEmpty(slot(.late))
    round &+= 1
    while true {
      if !slots.isEmpty(slot(.current)) { try drain(&budget, expire: expire) }
      guard self.identity == identity else { return .caughtUp }
      if !slots.isEmpty(slot(.cascading)) { cascade(&budget) }
      if overflow.count > 0 { fetchOverflow(&budget) }
      if !slots.isEmpty(slot(.current)) {
        if budget > 0 { continue }
        return .limitReached
      }
      if hasWork { return .limitReached }
      let next = nextSlot()
      // After a call that the limit cut short, timers that reschedule themselves must not starve the others of this
      // tick.
      let mustWait = if hasTakenLate, let next { next.tick <= now } else { false }
      if owesLate && !mustWait {
        owesLate = false
        takeLate()
        continue
      }
      let tick = if let next { min(next.tick, now) } else { now }
      if tick > currentTick && !slots.isEmpty(slot(.late)) {
        if budget <= 0 { return .limitReached }
        round &+= 1
        currentTick = tick
        takeLate()
      } else if let next, next.tick <= now {
        if budget <= 0 { return .limitReached }
        if next.tick > currentTick { hasTakenLate = false }
        enter(next)
      } else {
        currentTick = now
        hasTakenLate = false
        return .caughtUp
      }
    }
  }

  /// Whether nothing is due up to a tick and no advance is running that would have to trap.
  @inlinable
  @inline(__always)
  func isQuiet(until now: UInt64) -> Bool {
    guard !isAdvancing, slots.isEmpty(slot(.current)), slots.isEmpty(slot(.late)),
      slots.isEmpty(slot(.cascading)), overflow.count == 0
    else { return false }
    // An earlier tick counts as the current one, which a call that was cut short may have left unfinished.
    if let next = nextSlot() { return next.tick > max(currentTick, now) }
    return true
  }

  /// Makes the timers that were late when they were scheduled expire next.
  @inlinable
  mutating func takeLate() {
    slots.move(slot(.late), to: slot(.current))
    isCurrentLate = true
    hasTakenLate = true
  }

  /// Whether an advance left part of its tick unfinished.
  @inlinable
  @inline(__always)
  var hasWork: Bool { !slots.isEmpty(slot(.cascading)) || isOverflowWithinReach }

  /// Expires the timers of `ExtraSlot.current`.
  ///
  /// A callback may change everything but the head of this slot. A wheel that it assigned has another identity and
  /// is not touched.
  @inlinable
  mutating func drain<Failure: Error>(
    _ budget: inout Int,
    expire: (inout TimingWheel<Payload>, consuming ExpiredTimer<Payload>) throws(Failure) -> Void
  ) throws(Failure) {
    let current = slot(.current)
    let identity = identity
    let flags = flags(of: current)
    while budget > 0, let head = unsafe slots.lists[current].head {
      let count = slots.headCount(current)
      let end = min(count, drained &+ min(budget, count))
      if drained == 0 { unsafe prefetch(head, count) }
      while drained < end {
        let entry = unsafe head[drained]
        drained &+= 1
        budget &-= 1
        room &+= 1
        let id = UInt32(truncatingIfNeeded: entry)
        let node = unsafe nodes.node(id)
        guard unsafe isLive(entry, node, flags: flags) else { continue }
        if flags != NodeSlab<Payload>.scheduled && UInt32(truncatingIfNeeded: entry &>> 32) == round
        {
          // A late one, scheduled since this call began.
          unsafe fileLate(id, node)
          continue
        }
        let deadline = unsafe node.deadline
        guard deadline <= currentTick else {
          unsafe file(id, node, at: deadline)
          continue
        }
        let expired = unsafe ExpiredTimer(
          payload: release(id, node, node.stamp & ~NodeSlab<Payload>.late), deadline: deadline)
        if drained == count {
          slots.dropHead(of: current)
          drained = 0
          try expire(&self, expired)
          break
        }
        try expire(&self, expired)
        guard self.identity == identity else { return }
      }
      guard self.identity == identity else { return }
      if drained == count {
        slots.dropHead(of: current)
        drained = 0
      }
    }
  }

  /// Moves the entries of `ExtraSlot.cascading` to lower levels.
  @inlinable
  mutating func cascade(_ budget: inout Int) {
    let cascading = slot(.cascading)
    // Slots of the third level and above begin at multiples of this power of two; few of their timers expire soon.
    let isNear = currentTick & ((1 &<< UInt64(truncatingIfNeeded: 2 &* shape.bits)) &- 1) != 0
    while budget > 0, let head = unsafe slots.lists[cascading].head {
      let count = slots.headCount(cascading)
      let end = min(count, cascaded &+ min(budget, count))
      // Without dead or moved timers the entries are exact, and no node has to be read.
      let isExact = room == 2 &* (scheduledCount &- overflowCount) &+ 1024
      // The nodes of timers that move to the lowest level are read because they expire soon.
      if cascaded == 0 && (isNear || !isExact) { unsafe prefetch(head, count) }
      budget &-= end &- cascaded
      for index in cascaded..<end {
        let entry = unsafe head[index]
        guard isExact || isLive(entry) else {
          room &+= 1
          continue
        }
        let tick = self.tick(of: UInt32(truncatingIfNeeded: entry &>> 32))
        if tick == currentTick {
          _ = slots.append(entry, to: slot(.current))
        } else {
          put(entry, at: tick)
        }
      }
      cascaded = end
      if cascaded == count {
        slots.dropHead(of: cascading)
        cascaded = 0
      }
    }
  }

  /// Moves the timers that have come within reach from the overflow heap to the levels.
  @inlinable
  mutating func fetchOverflow(_ budget: inout Int) {
    while budget > 0, isOverflowWithinReach, let entry = overflow.first {
      overflow.removeFirst()
      budget -= 1
      guard isLive(entry) else { continue }
      let node = unsafe nodes.node(entry.id)
      unsafe leaveOverflow(node)
      // Never due yet: it comes within reach one rotation of the highest level, less one slot, before its deadline.
      unsafe file(entry.id, node, at: node.deadline)
    }
  }

  /// Whether the first timer of the overflow heap is within reach of the levels.
  @inlinable
  @inline(__always)
  var isOverflowWithinReach: Bool {
    guard let first = overflow.first else { return false }
    return fetchTick(first.deadline) <= currentTick
  }

  /// The tick at which a deadline moves from the overflow heap to the levels: the first tick of the slot of the
  /// highest level from which the deadline is within reach.
  @inlinable
  @inline(__always)
  func fetchTick(_ deadline: UInt64) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: (shape.levels &- 1) &* shape.bits)
    let number = deadline &>> shift
    return number > UInt64(shape.digit) ? (number &- UInt64(shape.digit)) &<< shift : 0
  }
}

// MARK: - The next slot

extension TimingWheel {
  /// The next tick at which a slot or the overflow heap has to be processed.
  @usableFromInline
  struct NextSlot {
    @usableFromInline let tick: UInt64
    /// The slot, or nil for the overflow heap.
    @usableFromInline let slot: Int?

    @inlinable
    init(tick: UInt64, slot: Int?) {
      self.tick = tick
      self.slot = slot
    }
  }

  /// The occupied slot with the earliest tick; of several with the same tick, the one on the highest level.
  ///
  /// The highest level comes first because its entries may move to the other slots of that tick.
  ///
  /// - Complexity: O(levels).
  @inlinable
  @inline(__always)
  func nextSlot() -> NextSlot? {
    var tick = UInt64.max
    var level = -1
    for other in (0..<shape.levels).reversed() {
      let next = unsafe nextTicks[other]
      if next < tick {
        tick = next
        level = other
      }
    }
    if let first = overflow.first {
      let next = max(currentTick, fetchTick(first.deadline))
      if next <= tick { return NextSlot(tick: next, slot: nil) }
    }
    guard level >= 0 else { return nil }
    let number = tick &>> UInt64(truncatingIfNeeded: level &* shape.bits)
    return NextSlot(
      tick: tick, slot: (level &<< shape.bits) | (Int(truncatingIfNeeded: number) & shape.digit))
  }

  /// Advances the current tick to a slot and starts to process the slot.
  @inlinable
  mutating func enter(_ next: NextSlot) {
    currentTick = next.tick
    isCurrentLate = false
    guard let slot = next.slot else { return }
    slots.move(slot, to: self.slot(slot &>> shape.bits == 0 ? .current : .cascading))
    setEmpty(slot)
  }
}
