extension TimeoutLane {
  /// The timers of a lane: reusable slots for a deadline, a generation and a payload.
  ///
  /// The generation of a slot is odd while it holds a scheduled timer and even while it is free; each change adds one.
  /// The payload is initialized exactly while the generation is odd. A free slot stores the number of the next free one
  /// in place of the deadline.
  ///
  /// The slot that was freed last is not in that list. So cancelling one timer and scheduling the next does not
  /// follow a link that was just written, and consecutive pairs do not wait for each other.
  @safe
  @usableFromInline
  struct _Slab: ~Copyable {
    /// The memory; slots from `used` on are uninitialized.
    @usableFromInline var storage: _Storage
    /// The number of slots in the memory.
    @usableFromInline var capacity: Int = 16
    /// The number of slots that have been used at least once.
    @usableFromInline var used: Int = 0
    /// The slot that was freed last and is used next, or `none`.
    @usableFromInline var lastFreed: UInt32 = .max
    /// The first of the other free slots, or `none`.
    @usableFromInline var firstFree: UInt32 = .max
    /// The generation at which a slot is retired.
    @usableFromInline let generationLimit: UInt32

    /// Creates an empty slab whose slots are retired at a generation, an even number.
    @inlinable
    init(generationLimit: UInt32) {
      precondition(
        generationLimit >= 2 && generationLimit % 2 == 0,
        "The generation limit is \(generationLimit); it must be even and at least 2.")
      self.generationLimit = generationLimit
      storage = _Storage(capacity: 16)
    }

    @inlinable
    deinit {
      for index in 0..<used {
        let id = UInt32(truncatingIfNeeded: index)
        if storage.generation(of: id) % 2 == 1 { storage.destroyPayload(of: id) }
      }
      storage.deallocate()
    }
  }
}

extension TimeoutLane._Slab {
  /// The number of no slot.
  @inlinable static var none: UInt32 { .max }

  /// The number of allocated bytes.
  @usableFromInline var bytes: Int { capacity * TimeoutLane<Payload>._Storage.stride }

  /// Whether the timer of a handle is still scheduled.
  @inlinable
  func isScheduled(_ handle: TimeoutLane<Payload>.Handle) -> Bool {
    // A handle of another lane may have a slot that this lane does not have.
    Int(truncatingIfNeeded: handle._id) < used
      && storage.generation(of: handle._id) == handle._generation
  }

  /// Adds a timer and returns its handle; O(1) amortized.
  @inlinable
  mutating func insert(
    _ payload: consuming Payload, deadline: UInt64
  ) -> TimeoutLane<Payload>.Handle {
    var id = lastFreed
    if id == Self.none {
      id = takeFreeSlot()
    } else {
      lastFreed = Self.none
    }
    let generation = storage.generation(of: id) &+ 1
    storage.setDeadline(deadline, of: id)
    storage.setGeneration(generation, of: id)
    storage.putPayload(payload, into: id)
    return TimeoutLane<Payload>.Handle(_id: id, _generation: generation)
  }

  /// Frees the slot of a scheduled timer and returns the payload.
  @inlinable
  mutating func release(_ id: UInt32) -> Payload {
    let generation = storage.generation(of: id) &+ 1
    storage.setGeneration(generation, of: id)
    // A slot at the limit is retired: its next handle would equal its first one.
    if generation != generationLimit {
      if lastFreed != Self.none { link(lastFreed) }
      lastFreed = id
    }
    return storage.takePayload(of: id)
  }

  /// Adds a slot to the front of the free list.
  @inlinable
  mutating func link(_ id: UInt32) {
    storage.setDeadline(UInt64(firstFree), of: id)
    firstFree = id
  }

  /// Takes a slot from the free list, or adds one if the list is empty.
  @inlinable
  mutating func takeFreeSlot() -> UInt32 {
    let id = firstFree
    if id == Self.none { return addSlot() }
    firstFree = UInt32(truncatingIfNeeded: storage.deadline(of: id))
    return id
  }

  /// Adds a slot with generation 0.
  @inlinable
  @inline(never)
  mutating func addSlot() -> UInt32 {
    precondition(used < Int(Self.none), "A lane holds at most \(Self.none) timers.")
    if used == capacity { grow() }
    let id = UInt32(truncatingIfNeeded: used)
    used += 1
    storage.setGeneration(0, of: id)
    return id
  }

  @inlinable
  mutating func grow() {
    let larger = TimeoutLane<Payload>._Storage(capacity: capacity * 2)
    for index in 0..<used {
      let id = UInt32(truncatingIfNeeded: index)
      larger.setDeadline(storage.deadline(of: id), of: id)
      larger.setGeneration(storage.generation(of: id), of: id)
      if storage.generation(of: id) % 2 == 1 {
        larger.putPayload(storage.takePayload(of: id), into: id)
      }
    }
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}
