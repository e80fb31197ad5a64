extension TimeoutLane {
  /// What the ring holds for a timer: 16 bytes.
  @usableFromInline
  struct _Entry {
    /// The tick at which the timer was to expire when the entry was written.
    @usableFromInline let deadline: UInt64
    /// The place of the timer.
    @usableFromInline let id: UInt32
    /// Which use of the place is meant.
    @usableFromInline let generation: UInt32

    /// Creates the entry of a timer.
    @inlinable
    init(deadline: UInt64, handle: Handle) {
      self.deadline = deadline
      id = handle._id
      generation = handle._generation
    }
  }

  /// Entries in the order of their deadlines, live and dead ones.
  ///
  /// Positions are counted on and on; the place of a position in memory is the position modulo the capacity,
  /// which is a power of two. Two indices into one array are all there is.
  @safe
  @usableFromInline
  struct _Ring: ~Copyable {
    /// The memory; the places of `start..<end` are initialized.
    @usableFromInline var entries: UnsafeMutablePointer<_Entry>
    /// The capacity less one, a row of one bits.
    @usableFromInline var mask: Int
    /// The position of the first entry.
    @usableFromInline var start: Int = 0
    /// The position after the last entry.
    @usableFromInline var end: Int = 0
    /// How many of the entries are dead.
    @usableFromInline var dead: Int = 0
    /// The position from which on entries are newer than the running advance; at most `end`.
    @usableFromInline var horizon: Int = 0

    /// Creates an empty ring.
    @inlinable
    init() {
      mask = 15
      unsafe entries = .allocate(capacity: 16)
    }

    /// Gives the memory back; entries are plain numbers.
    @inlinable
    deinit { unsafe entries.deallocate() }
  }
}

// Every access below is at a position modulo the capacity, so inside the memory, and of `start..<end`.
extension TimeoutLane._Ring {
  /// How many dead entries the ring may hold beside twice as many as there are timers.
  @inlinable static var slack: Int { 64 }

  /// How many entries fit.
  @inlinable var capacity: Int { mask &+ 1 }

  /// The bytes that are allocated.
  @usableFromInline var bytes: Int { capacity * MemoryLayout<TimeoutLane<Payload>._Entry>.stride }

  /// How many entries there are, live and dead.
  @inlinable var count: Int { end &- start }

  /// How many entries are alive, which is the number of armed timers.
  @inlinable var live: Int { end &- start &- dead }

  /// Whether there are no entries.
  @inlinable var isEmpty: Bool { start == end }

  /// Whether nothing is left that was there when the running advance began.
  @inlinable var isPastHorizon: Bool { start >= horizon }

  /// The first entry; of an emptied ring, a former one.
  @inlinable var first: TimeoutLane<Payload>._Entry { self[start] }

  /// The entry at a position.
  @inlinable subscript(position: Int) -> TimeoutLane<Payload>._Entry {
    unsafe entries[position & mask]
  }

  /// Adds an entry at the end.
  ///
  /// - Parameter entry: An entry whose deadline is not before the last one's.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  mutating func append(_ entry: TimeoutLane<Payload>._Entry) {
    if end &- start > mask { grow() }
    unsafe (entries + (end & mask)).initialize(to: entry)
    end &+= 1
  }

  /// Takes note that the entry of a timer has died, and keeps the two rules of the ring.
  ///
  /// - Parameters:
  ///   - id: The place of that timer.
  ///   - places: The timers, which know what is alive.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  @inline(__always)
  mutating func bury(_ id: UInt32, _ places: TimeoutLane<Payload>._Places) {
    // The first entry was alive, and only one entry of a timer is: if the first names this place, it is the
    // one.
    if first.id == id {
      dropFirst(places)
    } else {
      dead &+= 1
      closeUpIfSparse(places)
    }
  }

  /// Drops the first entry, which has died, and the dead ones behind it.
  ///
  /// - Parameter places: The timers, which know what is alive.
  /// - Complexity: O(1) for each entry that has died.
  @inlinable
  @inline(__always)
  mutating func dropFirst(_ places: TimeoutLane<Payload>._Places) {
    start &+= 1
    if dead != 0 { dropDead(places) }
  }

  /// Drops dead entries until the first one is alive.
  ///
  /// - Parameter places: The timers, which know what is alive.
  /// - Complexity: O(1) for each entry that has died.
  @inlinable
  @inline(never)
  mutating func dropDead(_ places: TimeoutLane<Payload>._Places) {
    while dead != 0, !places.isLive(first) {
      start &+= 1
      dead &-= 1
    }
    closeUpIfSparse(places)
  }

  /// Removes the dead entries when there are too many of them.
  ///
  /// - Parameter places: The timers, which know what is alive.
  /// - Complexity: O(1) for each entry that has died since the last time.
  @inlinable
  mutating func closeUpIfSparse(_ places: TimeoutLane<Payload>._Places) {
    if dead > Self.slack, dead > 2 &* live &+ Self.slack { closeUp(places) }
  }

  /// Removes the dead entries.
  ///
  /// - Parameter places: The timers, which know what is alive.
  /// - Complexity: O(n) in the number of entries.
  @inlinable
  @inline(never)
  mutating func closeUp(_ places: TimeoutLane<Payload>._Places) {
    var target = start
    var newHorizon = start
    for position in start..<end {
      if position == horizon { newHorizon = target }
      // No branch on whether the entry is alive: nobody can predict it, and without one the processor reads
      // the places of many entries at once.
      let entry = self[position]
      unsafe entries[target & mask] = entry
      target &+= places.isLive(entry) ? 1 : 0
    }
    horizon = horizon >= end ? target : newHorizon
    end = target
    dead = 0
  }

  /// Doubles the memory.
  @inlinable
  @inline(never)
  mutating func grow() {
    let larger = UnsafeMutablePointer<TimeoutLane<Payload>._Entry>.allocate(
      capacity: capacity * 2)
    let largerMask = capacity * 2 - 1
    for position in start..<end {
      unsafe (larger + (position & largerMask)).initialize(to: self[position])
    }
    unsafe entries.deallocate()
    unsafe entries = larger
    mask = largerMask
  }
}
