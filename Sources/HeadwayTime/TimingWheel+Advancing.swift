extension TimingWheel {
  /// Lets the time go on and hands out the timers that have expired.
  ///
  /// Inside the callback the wheel may be used through the parameter: to schedule, cancel, reschedule, or even to put another
  /// wheel in its place, with which this call is over; the wheel that was there goes on wherever it is advanced next. What was handed out is out of the wheel: to cancel it says that it is gone. A timer that is
  /// scheduled for a tick still to come in this call expires in this call.
  ///
  /// - Parameters:
  ///   - now: The present tick. An earlier one than before counts as the present.
  ///   - limit: The most entries to look at, so that a great number on one tick cannot hold the caller up; below 1
  ///     counts as 1. Where it ends a call, the next call goes on.
  ///   - expire: What to do with each timer. It must not advance the same wheel: that is a misuse and traps.
  /// - Returns: Whether everything that has come has expired.
  /// - Throws: What the callback throws. The timer that was handed out is gone; all others expire at the next call.
  /// - Complexity: O(expired + occupied slots passed), amortized; each timer is dealt out three times at most.
  @inlinable
  @discardableResult
  public mutating func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimingWheel<Payload>, consuming Expired) throws(Failure) -> Void
  ) throws(Failure) -> AdvanceResult {
    // Held here, it outlives a wheel that a callback lets go, and no other wheel can have its identity.
    let mark = mark
    mark.begin()
    defer { mark.end() }
    let identity = identity
    var budget = max(1, limit)
    // What is late before this call expires in it; what a callback arms late waits until the time has gone on.
    var owesLate = !slots.isEmpty(slot(.late))
    while true {
      try drain(&budget, expire: expire)
      guard self.identity == identity else { return .caughtUp }
      if !slots.isEmpty(slot(.dealing)) { deal(&budget) }
      if far.count > 0 { fetch(&budget) }
      if !slots.isEmpty(slot(.current)) {
        if budget > 0 { continue }
        return .limitReached
      }
      if hasWork { return .limitReached }
      let turn = nextTurn()
      let isDue = if let turn { turn.tick <= now } else { false }
      if !slots.isEmpty(slot(.late)) && (mayTakeLate || (owesLate && !isDue)) {
        mayTakeLate = false
        owesLate = false
        slots.move(slot(.late), to: slot(.current))
      } else if let turn, isDue {
        if budget <= 0 { return .limitReached }
        mayTakeLate = true
        open(turn)
      } else {
        break
      }
    }
    mayTakeLate = true
    present = max(present, now)
    return .caughtUp
  }

  /// Whether an advance has left something of its tick behind.
  @inlinable
  var hasWork: Bool { !slots.isEmpty(slot(.dealing)) || isFarWithinReach }

  /// Hands out the timers of `Lane.current`.
  ///
  /// A callback may do with the wheel what it likes but reach the head of this lane; if it has put another wheel in this
  /// place, that one has another identity, and nothing of it is touched.
  @inlinable
  mutating func drain<Failure: Error>(
    _ budget: inout Int,
    expire: (inout TimingWheel<Payload>, consuming Expired) throws(Failure) -> Void
  ) throws(Failure) {
    let lane = slot(.current)
    let identity = identity
    while budget > 0, let head = unsafe slots.lists[lane].head {
      let count = slots.headCount(lane)
      let end = min(count, drained &+ min(budget, count))
      if drained == 0 { unsafe warm(head, count) }
      while drained < end {
        let entry = unsafe head[drained]
        drained &+= 1
        budget &-= 1
        slots.stored &-= 1
        let id = UInt32(truncatingIfNeeded: entry)
        let node = unsafe nodes.node(id)
        guard unsafe isLive(entry, node) else { continue }
        let deadline = unsafe node.pointee.deadline
        guard deadline <= present else {
          unsafe file(id, node, at: deadline)
          continue
        }
        let expired = unsafe Expired(payload: remove(id, node), deadline: deadline)
        if drained == count {
          slots.dropHead(of: lane)
          drained = 0
          try expire(&self, expired)
          break
        }
        try expire(&self, expired)
        guard self.identity == identity else { return }
      }
      guard self.identity == identity else { return }
      if drained == count {
        slots.dropHead(of: lane)
        drained = 0
      }
    }
  }

  /// Deals the entries of `Lane.dealing` out to lower levels.
  @inlinable
  mutating func deal(_ budget: inout Int) {
    let lane = slot(.dealing)
    while budget > 0, let head = unsafe slots.lists[lane].head {
      let count = slots.headCount(lane)
      let end = min(count, dealt &+ min(budget, count))
      // Without dead or moved timers the entries say it all, and no node is looked at.
      let isExact = slots.stored == armed &- farCount
      if !isExact && dealt == 0 { unsafe warm(head, count) }
      budget &-= end &- dealt
      for place in dealt..<end {
        let entry = unsafe head[place]
        guard isExact || isLive(entry) else {
          slots.stored &-= 1
          continue
        }
        let tick = self.tick(of: UInt32(truncatingIfNeeded: entry &>> 32))
        if tick == present {
          _ = slots.append(entry, to: slot(.current))
        } else {
          put(entry, at: tick)
        }
      }
      dealt = end
      if dealt == count {
        slots.dropHead(of: lane)
        dealt = 0
      }
    }
  }

  /// Takes the timers that have come within reach out of the far store.
  @inlinable
  mutating func fetch(_ budget: inout Int) {
    while budget > 0, isFarWithinReach, let entry = far.first {
      far.removeFirst()
      budget -= 1
      guard isLive(entry) else { continue }
      let node = unsafe nodes.node(entry.id)
      unsafe node.pointee.stamp &= ~NodeSlab<Payload>.far
      farCount -= 1
      let deadline = unsafe node.pointee.deadline
      if deadline <= present {
        unsafe file(entry.id, node, in: .current)
      } else {
        unsafe file(entry.id, node, at: deadline)
      }
    }
  }

  /// Whether the time has come to take something out of the far store.
  @inlinable
  var isFarWithinReach: Bool {
    guard let first = far.first else { return false }
    return fetchTick(first.deadline) <= present
  }

  /// The tick at which a deadline is taken out of the far store: the first of a slot of the highest level, from which it is within reach.
  @inlinable
  func fetchTick(_ deadline: UInt64) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: (shape.levels &- 1) &* shape.bits)
    let number = deadline &>> shift
    return number > UInt64(shape.digit) ? (number &- UInt64(shape.digit)) &<< shift : 0
  }
}

// MARK: - Turns

extension TimingWheel {
  /// The next tick at which there is something to do.
  @usableFromInline
  struct Turn {
    /// The tick.
    @usableFromInline let tick: UInt64
    /// The slot that comes due; nil when it is the far store.
    @usableFromInline let slot: Int?

    /// Creates a turn.
    @inlinable
    init(tick: UInt64, slot: Int?) {
      self.tick = tick
      self.slot = slot
    }
  }

  /// The next turn, nil when no slot is occupied.
  ///
  /// - Returns: The earliest turn, of those on one tick that of the highest level: what it deals out may belong to the others.
  /// - Complexity: O(levels).
  @inlinable
  func nextTurn() -> Turn? {
    var tick = UInt64.max
    var level = -1
    for other in (0..<shape.levels).reversed() {
      let turn = unsafe turns[other]
      if turn < tick {
        tick = turn
        level = other
      }
    }
    if let first = far.first {
      let turn = max(present, fetchTick(first.deadline))
      if turn <= tick { return Turn(tick: turn, slot: nil) }
    }
    guard level >= 0 else { return nil }
    let number = tick &>> UInt64(truncatingIfNeeded: level &* shape.bits)
    return Turn(
      tick: tick, slot: (level &<< shape.bits) | (Int(truncatingIfNeeded: number) & shape.digit))
  }

  /// Comes to the tick of a turn and takes up what stands there.
  @inlinable
  mutating func open(_ turn: Turn) {
    present = turn.tick
    guard let slot = turn.slot else { return }
    slots.move(slot, to: self.slot(slot &>> shape.bits == 0 ? .current : .dealing))
    setEmpty(slot)
  }

  /// A tick that no timer expires before: the one to wake up at.
  ///
  /// It is the earliest deadline itself where that is fewer than 256 ticks away, or at least 2³², or where the slot that holds it
  /// has at most 31 entries; otherwise it may be earlier, and to advance to it always gets on. It is `now`
  /// when something is due, nil when no timer is armed.
  ///
  /// - Complexity: O(1) amortized: one chunk of 31 entries for each level, and those that have to be tidied away because they
  ///   were cancelled or moved, at most four more.
  @inlinable public var nextExpiry: UInt64? {
    mutating get {
      guard armed > 0 else { return nil }
      if !slots.isEmpty(slot(.current)) || !slots.isEmpty(slot(.late)) || hasWork { return present }
      var earliest = farExpiry()
      for level in 0..<shape.levels {
        var tries = 4
        // A slot that begins later than what is known already holds nothing earlier.
        while let start = nextStart(of: level), start < earliest {
          let number = start &>> UInt64(truncatingIfNeeded: level &* shape.bits)
          let slot = (level &<< shape.bits) | (Int(truncatingIfNeeded: number) & shape.digit)
          if let tick = expiry(of: slot, from: start) {
            earliest = min(earliest, tick)
            break
          }
          tries -= 1
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
  /// - Returns: The tick; nil when the first chunk has to be tidied to know it. That is paid for by what cancelled or moved
  ///   the timers which are in the way, because the chunk does not hold them afterwards.
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

  /// The earliest deadline in the far store, whose dead entries in front of it are dropped; `UInt64.max` when there is none.
  @inlinable
  mutating func farExpiry() -> UInt64 {
    while let first = far.first {
      if isLive(first) { return first.deadline }
      far.removeFirst()
    }
    return .max
  }
}
