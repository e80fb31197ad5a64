extension TimeoutLane {
  /// The memory of a slab: places side by side, each without gaps beyond what alignment asks for.
  ///
  ///     0         8            12
  ///     deadline  generation   payload
  ///
  /// It is a pointer and no more, so handing it to a function costs a register and no copy of the slab. It
  /// owns nothing. Whoever uses it knows that the place is within the capacity and, for a payload, that there
  /// is one: the slab does, and the ring asks for places that the slab gave out.
  @safe
  @usableFromInline
  struct _Places {
    /// The first place.
    @usableFromInline let base: UnsafeMutableRawPointer

    /// Allocates raw memory.
    ///
    /// - Parameter capacity: The number of places.
    @inlinable
    init(capacity: Int) {
      unsafe base = .allocate(byteCount: capacity * Self.stride, alignment: Self.alignment)
    }
  }
}

// Each access is at a place within the capacity, at an offset that is aligned for what stands there.
extension TimeoutLane._Places {
  /// Where the payload stands in a place.
  @inlinable static var payloadOffset: Int {
    let alignment = MemoryLayout<Payload>.alignment
    return (12 &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// What a place is aligned to.
  @inlinable static var alignment: Int { max(8, MemoryLayout<Payload>.alignment) }

  /// How far places are apart.
  @inlinable static var stride: Int {
    (payloadOffset &+ MemoryLayout<Payload>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// Gives the memory back; the payloads must be gone.
  @inlinable
  func deallocate() { unsafe base.deallocate() }

  /// The memory of a place.
  @inlinable
  func place(_ id: UInt32) -> UnsafeMutableRawPointer {
    unsafe base + Int(truncatingIfNeeded: id) &* Self.stride
  }

  /// The deadline of a timer.
  ///
  /// - Complexity: O(1).
  @inlinable
  func deadline(of id: UInt32) -> UInt64 { unsafe place(id).load(as: UInt64.self) }

  /// Gives a timer another deadline.
  ///
  /// - Parameters:
  ///   - deadline: The tick at which it expires from now on.
  ///   - id: The place of the timer.
  /// - Complexity: O(1).
  @inlinable
  func setDeadline(_ deadline: UInt64, of id: UInt32) {
    unsafe place(id).storeBytes(of: deadline, as: UInt64.self)
  }

  /// The generation of a place.
  ///
  /// - Complexity: O(1).
  @inlinable
  func generation(of id: UInt32) -> UInt32 {
    unsafe place(id).load(fromByteOffset: 8, as: UInt32.self)
  }

  /// Begins or ends the generation of a place.
  ///
  /// - Parameters:
  ///   - generation: The generation that follows.
  ///   - id: The place.
  /// - Complexity: O(1).
  @inlinable
  func setGeneration(_ generation: UInt32, of id: UInt32) {
    unsafe place(id).storeBytes(of: generation, toByteOffset: 8, as: UInt32.self)
  }

  /// Whether an entry of the ring is the one by which its timer expires.
  ///
  /// - Complexity: O(1).
  @inlinable
  func isLive(_ entry: TimeoutLane<Payload>._Entry) -> Bool {
    // Both are read, they stand side by side: one branch instead of two, or none where it is counted.
    let generations = UInt64(generation(of: entry.id) ^ entry.generation)
    return generations | (deadline(of: entry.id) ^ entry.deadline) == 0
  }

  /// The payload of a place.
  @inlinable
  func payload(of id: UInt32) -> UnsafeMutablePointer<Payload> {
    unsafe (place(id) + Self.payloadOffset).assumingMemoryBound(to: Payload.self)
  }

  /// Moves a payload into a place that has none.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - id: The place.
  /// - Complexity: O(1).
  @inlinable
  func putPayload(_ payload: consuming Payload, into id: UInt32) {
    unsafe self.payload(of: id).initialize(to: payload)
  }

  /// Moves the payload out of a place.
  ///
  /// - Parameter id: The place.
  /// - Returns: The payload.
  /// - Complexity: O(1).
  @inlinable
  func takePayload(of id: UInt32) -> Payload { unsafe payload(of: id).move() }

  /// Lets the payload of a place go.
  ///
  /// - Parameter id: The place.
  /// - Complexity: O(1).
  @inlinable
  func destroyPayload(of id: UInt32) { unsafe payload(of: id).deinitialize(count: 1) }
}
