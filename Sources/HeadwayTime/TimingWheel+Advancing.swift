extension TimingWheel {
  /// Lets the time go on and hands out the timers that have expired.
  ///
  /// Inside the callback the wheel may be used through the parameter: to schedule, cancel, reschedule, or
  /// even to put another wheel in its place. With that this call is over, and the wheel that was there goes
  /// on wherever it is advanced next. What was handed out is out of the wheel: to cancel it says that it is
  /// gone. A timer that is scheduled for a tick still to come in this call expires in this call; one for a
  /// tick that has come does once the time goes on.
  ///
  /// - Parameters:
  ///   - now: The present tick. An earlier one than before counts as the present.
  ///   - limit: The most entries to look at, so that a great number on one tick cannot hold the caller up;
  ///     below 1 counts as 1. Where it ends a call, the next call goes on.
  ///   - expire: What to do with each timer. It must not advance the same wheel: that is a misuse and traps.
  /// - Returns: Whether everything that has come has expired.
  /// - Throws: What the callback throws. The timer that was handed out is gone; all others expire at the next
  ///   call.
  /// - Complexity: O(expired + occupied slots passed), amortized; each timer is dealt out three times at
  ///   most.
  @inlinable
  @discardableResult
  public mutating func advance<Failure: Error>(
    to now: UInt64, limit: Int = .max,
    expire: (inout TimingWheel<Payload>, consuming Expired) throws(Failure) -> Void
  ) throws(Failure) -> AdvanceResult {
    if isQuiet(until: now) {
      present = max(present, min(now, .max - 1))
      hasTakenLate = false
      return .caughtUp
    }
    // Held here, it outlives a wheel that a callback lets go, and no other wheel can have its identity.
    let mark = mark
    mark.begin()
    isAdvancing = true
    defer {
      mark.end()
      isAdvancing = false
    }
    let identity = identity
    let now = max(present, min(now, .max - 1))
    var budget = max(1, limit)
    // What was late before this call expires in it; what a callback arms late waits until the time has gone
    // on.
    var owesLate = !slots.isEmpty(slot(.late))
    round &+= 1
    while true {
      if !slots.isEmpty(slot(.current)) { try drain(&budget, expire: expire) }
      guard self.identity == identity else { return .caughtUp }
      if !slots.isEmpty(slot(.dealing)) { deal(&budget) }
      if far.count > 0 { fetch(&budget) }
      if !slots.isEmpty(slot(.current)) {
        if budget > 0 { continue }
        return .limitReached
      }
      if hasWork { return .limitReached }
      let turn = nextTurn()
      // After a call that was cut short, those that arm themselves anew must not keep the others of this tick
      // waiting.
      let mustWait = if hasTakenLate, let turn { turn.tick <= now } else { false }
      if owesLate && !mustWait {
        owesLate = false
        takeLate()
        continue
      }
      let tick = if let turn { min(turn.tick, now) } else { now }
      if tick > present && !slots.isEmpty(slot(.late)) {
        if budget <= 0 { return .limitReached }
        round &+= 1
        present = tick
        takeLate()
      } else if let turn, turn.tick <= now {
        if budget <= 0 { return .limitReached }
        if turn.tick > present { hasTakenLate = false }
        open(turn)
      } else {
        present = now
        hasTakenLate = false
        return .caughtUp
      }
    }
  }

  /// Whether there is nothing to do up to a tick, and no advance on its way that would have to be refused.
  @inlinable
  @inline(__always)
  func isQuiet(until now: UInt64) -> Bool {
    guard !isAdvancing, slots.isEmpty(slot(.current)), slots.isEmpty(slot(.late)),
      slots.isEmpty(slot(.dealing)), far.count == 0
    else { return false }
    // An earlier time counts as the present, which a call that was cut short may have left unfinished.
    if let turn = nextTurn() { return turn.tick > max(present, now) }
    return true
  }

  /// Takes up the timers that were late when they were armed.
  @inlinable
  mutating func takeLate() {
    slots.move(slot(.late), to: slot(.current))
    isCurrentLate = true
    hasTakenLate = true
  }

  /// Whether an advance has left something of its tick behind.
  @inlinable
  @inline(__always)
  var hasWork: Bool { !slots.isEmpty(slot(.dealing)) || isFarWithinReach }

  /// Hands out the timers of `Lane.current`.
  ///
  /// A callback may do with the wheel what it likes but reach the head of this lane; if it has put another
  /// wheel in this place, that one has another identity, and nothing of it is touched.
  @inlinable
  mutating func drain<Failure: Error>(
    _ budget: inout Int,
    expire: (inout TimingWheel<Payload>, consuming Expired) throws(Failure) -> Void
  ) throws(Failure) {
    let lane = slot(.current)
    let identity = identity
    let flags = flags(of: lane)
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
        guard unsafe isLive(entry, node, flags: flags) else { continue }
        if flags != NodeSlab<Payload>.armed && UInt32(truncatingIfNeeded: entry &>> 32) == round {
          // A late one, armed since this call began.
          unsafe fileLate(id, node)
          continue
        }
        let deadline = unsafe node.pointee.deadline
        guard deadline <= present else {
          unsafe file(id, node, at: deadline)
          continue
        }
        let expired = unsafe Expired(payload: release(id, node), deadline: deadline)
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
      unsafe leaveFar(node)
      // Never due yet: it comes within reach a whole turn of the highest level before its deadline, less one
      // slot.
      unsafe file(entry.id, node, at: node.pointee.deadline)
    }
  }

  /// Whether the time has come to take something out of the far store.
  @inlinable
  @inline(__always)
  var isFarWithinReach: Bool {
    guard let first = far.first else { return false }
    return fetchTick(first.deadline) <= present
  }

  /// The tick at which a deadline is taken out of the far store: the first of a slot of the highest level,
  /// from which it is within reach.
  @inlinable
  @inline(__always)
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
  /// - Returns: The earliest turn, of those on one tick that of the highest level: what it deals out may
  ///   belong to the others.
  /// - Complexity: O(levels).
  @inlinable
  @inline(__always)
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
    isCurrentLate = false
    guard let slot = turn.slot else { return }
    slots.move(slot, to: self.slot(slot &>> shape.bits == 0 ? .current : .dealing))
    setEmpty(slot)
  }
}
