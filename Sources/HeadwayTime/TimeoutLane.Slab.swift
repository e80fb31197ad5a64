extension TimeoutLane {
  /// The timers of a lane: places for a deadline, a generation and a payload, which are used again and again.
  ///
  /// The generation of a place is odd while a timer is armed there and even while it is free; each change
  /// adds one. The payload is initialized exactly while the generation is odd. A free place keeps the number
  /// of the next free one where the deadline was.
  ///
  /// The place that was freed last is kept beside that list. Cancelling one timer and arming the next then
  /// does not go through a link that was written a moment ago, and no such pair waits for the one before it.
  @safe
  @usableFromInline
  struct _Slab: ~Copyable {
    /// The memory; places from `used` on are raw.
    @usableFromInline var places: _Places
    /// How many places fit into the memory.
    @usableFromInline var capacity: Int = 16
    /// How many places have been used at least once.
    @usableFromInline var used: Int = 0
    /// The place that was freed last, or `none`: it is used next.
    @usableFromInline var freshest: UInt32 = .max
    /// The first of the other free places, or `none`.
    @usableFromInline var free: UInt32 = .max
    /// The generation that ends the service of a place.
    @usableFromInline let generationLimit: UInt32

    /// Creates a slab with no timers.
    ///
    /// - Parameter generationLimit: The generation that ends the service of a place.
    @inlinable
    init(generationLimit: UInt32) {
      precondition(
        generationLimit >= 2 && generationLimit % 2 == 0,
        "The generation limit is \(generationLimit); it must be even and at least 2.")
      self.generationLimit = generationLimit
      places = _Places(capacity: 16)
    }

    /// Lets every payload go, then the memory.
    @inlinable
    deinit {
      for index in 0..<used {
        let id = UInt32(truncatingIfNeeded: index)
        if places.generation(of: id) % 2 == 1 { places.destroyPayload(of: id) }
      }
      places.deallocate()
    }
  }
}

extension TimeoutLane._Slab {
  /// The number that stands for no place.
  @inlinable static var none: UInt32 { .max }

  /// The bytes that are allocated.
  @usableFromInline var bytes: Int { capacity * TimeoutLane<Payload>._Places.stride }

  /// Whether the timer of a handle is still armed.
  ///
  /// - Complexity: O(1).
  @inlinable
  func isArmed(_ handle: TimeoutLane<Payload>.Handle) -> Bool {
    // A handle of another lane may name a place that is not there.
    Int(truncatingIfNeeded: handle._id) < used
      && places.generation(of: handle._id) == handle._generation
  }

  /// Puts a timer into a free place.
  ///
  /// - Parameters:
  ///   - payload: What it carries.
  ///   - deadline: The tick at which it expires.
  /// - Returns: Its handle.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  mutating func arm(
    _ payload: consuming Payload, deadline: UInt64
  ) -> TimeoutLane<Payload>.Handle {
    var id = freshest
    if id == Self.none {
      id = nextPlace()
    } else {
      freshest = Self.none
    }
    let generation = places.generation(of: id) &+ 1
    places.setDeadline(deadline, of: id)
    places.setGeneration(generation, of: id)
    places.putPayload(payload, into: id)
    return TimeoutLane<Payload>.Handle(_id: id, _generation: generation)
  }

  /// Takes a timer out of its place.
  ///
  /// - Parameter id: A place where a timer is armed.
  /// - Returns: The payload.
  /// - Complexity: O(1).
  @inlinable
  mutating func release(_ id: UInt32) -> Payload {
    let generation = places.generation(of: id) &+ 1
    places.setGeneration(generation, of: id)
    // A place at the limit is not used again: its next handles would look like its first.
    if generation != generationLimit {
      if freshest != Self.none { link(freshest) }
      freshest = id
    }
    return places.takePayload(of: id)
  }

  /// Puts a free place in front of the list of them.
  ///
  /// - Parameter id: The place.
  /// - Complexity: O(1).
  @inlinable
  mutating func link(_ id: UInt32) {
    places.setDeadline(UInt64(free), of: id)
    free = id
  }

  /// Takes a place from the list of free ones, or one that was never used.
  ///
  /// - Returns: The place.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  mutating func nextPlace() -> UInt32 {
    let id = free
    if id == Self.none { return freshPlace() }
    free = UInt32(truncatingIfNeeded: places.deadline(of: id))
    return id
  }

  /// Takes a place that was never used.
  ///
  /// - Returns: The place, with generation 0.
  /// - Complexity: O(1), averaged over the calls.
  @inlinable
  @inline(never)
  mutating func freshPlace() -> UInt32 {
    precondition(used < Int(Self.none), "A lane holds at most \(Self.none) timers.")
    if used == capacity { grow() }
    let id = UInt32(truncatingIfNeeded: used)
    used += 1
    places.setGeneration(0, of: id)
    return id
  }

  /// Doubles the memory.
  ///
  /// - Complexity: O(n) in the number of places.
  @inlinable
  mutating func grow() {
    let larger = TimeoutLane<Payload>._Places(capacity: capacity * 2)
    for index in 0..<used {
      let id = UInt32(truncatingIfNeeded: index)
      larger.setDeadline(places.deadline(of: id), of: id)
      larger.setGeneration(places.generation(of: id), of: id)
      if places.generation(of: id) % 2 == 1 {
        larger.putPayload(places.takePayload(of: id), into: id)
      }
    }
    places.deallocate()
    places = larger
    capacity *= 2
  }
}
