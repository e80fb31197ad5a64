extension TimeoutLane {
  /// An entry of the ring, 16 bytes.
  @usableFromInline
  struct _Entry {
    /// The deadline of the timer when the entry was written.
    @usableFromInline let deadline: UInt64
    /// The slot of the timer.
    @usableFromInline let id: UInt32
    /// The generation of the slot.
    @usableFromInline let generation: UInt32

    @inlinable
    init(deadline: UInt64, handle: Handle) {
      self.deadline = deadline
      id = handle._id
      generation = handle._generation
    }
  }

  /// A ring buffer of entries in the order of their deadlines, live and dead ones.
  ///
  /// Positions only increase. The index of a position in memory is the position modulo the capacity, a power of two.
  @safe
  @usableFromInline
  struct _Ring: ~Copyable {
    /// The memory; the entries at `start..<end` are initialized.
    @usableFromInline var entries: UnsafeMutablePointer<_Entry>
    /// The capacity minus one.
    @usableFromInline var mask: Int
    /// The position of the first entry.
    @usableFromInline var start: Int = 0
    /// The position after the last entry.
    @usableFromInline var end: Int = 0
    /// The number of dead entries.
    @usableFromInline var dead: Int = 0
    /// The end of the entries that the running advance may expire: later ones were added during it.
    @usableFromInline var advanceEnd: Int = 0

    @inlinable
    init() {
      mask = 15
      unsafe entries = .allocate(capacity: 16)
    }

    @inlinable
    deinit { unsafe entries.deallocate() }
  }
}

// Every access below is at a position in `start..<end`, modulo the capacity.
extension TimeoutLane._Ring {
  /// The number of dead entries that the ring may hold beyond two for each timer.
  @inlinable static var slack: Int { 64 }

  @inlinable var capacity: Int { mask &+ 1 }

  /// The number of allocated bytes.
  @usableFromInline var bytes: Int { capacity * MemoryLayout<TimeoutLane<Payload>._Entry>.stride }

  /// The number of entries, live and dead.
  @inlinable var count: Int { end &- start }

  /// The number of live entries, which is the number of scheduled timers.
  @inlinable var live: Int { end &- start &- dead }

  @inlinable var isEmpty: Bool { start == end }

  /// Whether no entry is left that was in the ring when the running advance began.
  @inlinable var isAtAdvanceEnd: Bool { start >= advanceEnd }

  /// The first entry; if the ring is empty, a former one.
  @inlinable var first: TimeoutLane<Payload>._Entry { self[start] }

  @inlinable subscript(position: Int) -> TimeoutLane<Payload>._Entry {
    unsafe entries[position & mask]
  }

  /// Appends an entry, whose deadline must not be before that of the last one; O(1) amortized.
  @inlinable
  mutating func append(_ entry: TimeoutLane<Payload>._Entry) {
    if end &- start > mask { grow() }
    unsafe (entries + (end & mask)).initialize(to: entry)
    end &+= 1
  }

  /// Records that the entry of a timer has become dead, and restores the two invariants of the ring; O(1) amortized.
  @inlinable
  @inline(__always)
  mutating func discardEntry(of id: UInt32, _ storage: TimeoutLane<Payload>._Storage) {
    // The first entry was live, and a timer has only one live entry: if the first entry has this slot, it is the one.
    if first.id == id {
      dropFirst(storage)
    } else {
      dead &+= 1
      compactIfSparse(storage)
    }
  }

  /// Removes the first entry, which is dead, and the dead ones after it.
  @inlinable
  @inline(__always)
  mutating func dropFirst(_ storage: TimeoutLane<Payload>._Storage) {
    start &+= 1
    if dead != 0 { dropDead(storage) }
  }

  /// Removes dead entries until the first one is live.
  @inlinable
  @inline(never)
  mutating func dropDead(_ storage: TimeoutLane<Payload>._Storage) {
    while dead != 0, !storage.isLive(first) {
      start &+= 1
      dead &-= 1
    }
    compactIfSparse(storage)
  }

  /// Removes all dead entries if there are too many; O(1) for each entry that became dead since the last time.
  @inlinable
  mutating func compactIfSparse(_ storage: TimeoutLane<Payload>._Storage) {
    if dead > Self.slack, dead > 2 &* live &+ Self.slack { compact(storage) }
  }

  /// Removes all dead entries; O(n).
  @inlinable
  @inline(never)
  mutating func compact(_ storage: TimeoutLane<Payload>._Storage) {
    var target = start
    var newAdvanceEnd = start
    for position in start..<end {
      if position == advanceEnd { newAdvanceEnd = target }
      // No branch on whether the entry is live: it would be unpredictable, and without it the processor reads the
      // slots of many entries in parallel.
      let entry = self[position]
      unsafe entries[target & mask] = entry
      target &+= storage.isLive(entry) ? 1 : 0
    }
    advanceEnd = advanceEnd >= end ? target : newAdvanceEnd
    end = target
    dead = 0
  }

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
