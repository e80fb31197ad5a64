extension TimeoutLane {
  /// The memory of a slab: contiguous slots, padded only for alignment.
  ///
  ///     0         8            12
  ///     deadline  generation   payload
  ///
  /// It is only a pointer, so passing it to a function costs a register and does not copy the slab. It does not own
  /// the memory. Callers guarantee that the slot is within the capacity and, for a payload, that it is initialized:
  /// the slab knows both, and the ring only uses slots that the slab returned.
  @safe
  @usableFromInline
  struct _Storage {
    @usableFromInline let base: UnsafeMutableRawPointer

    /// Allocates raw memory for a number of slots.
    @inlinable
    init(capacity: Int) {
      unsafe base = .allocate(byteCount: capacity * Self.stride, alignment: Self.alignment)
    }
  }
}

// Each access is to a slot within the capacity, at an offset that is aligned for its type.
extension TimeoutLane._Storage {
  /// The offset of the payload in a slot.
  @inlinable static var payloadOffset: Int {
    let alignment = MemoryLayout<Payload>.alignment
    return (12 &+ alignment &- 1) & ~(alignment &- 1)
  }

  @inlinable static var alignment: Int { max(8, MemoryLayout<Payload>.alignment) }

  /// The distance in bytes from one slot to the next.
  @inlinable static var stride: Int {
    (payloadOffset &+ MemoryLayout<Payload>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// Frees the memory; the payloads must be deinitialized.
  @inlinable
  func deallocate() { unsafe base.deallocate() }

  /// Returns the address of a slot.
  @inlinable
  func slot(_ id: UInt32) -> UnsafeMutableRawPointer {
    unsafe base + Int(truncatingIfNeeded: id) &* Self.stride
  }

  /// Returns the deadline of a timer.
  @inlinable
  func deadline(of id: UInt32) -> UInt64 { unsafe slot(id).load(as: UInt64.self) }

  /// Sets the deadline of a timer.
  @inlinable
  func setDeadline(_ deadline: UInt64, of id: UInt32) {
    unsafe slot(id).storeBytes(of: deadline, as: UInt64.self)
  }

  /// Returns the generation of a slot.
  @inlinable
  func generation(of id: UInt32) -> UInt32 {
    unsafe slot(id).load(fromByteOffset: 8, as: UInt32.self)
  }

  /// Sets the generation of a slot.
  @inlinable
  func setGeneration(_ generation: UInt32, of id: UInt32) {
    unsafe slot(id).storeBytes(of: generation, toByteOffset: 8, as: UInt32.self)
  }

  /// Whether an entry of the ring is the current entry of a scheduled timer.
  @inlinable
  func isLive(_ entry: TimeoutLane<Payload>._Entry) -> Bool {
    // Reads both adjacent values, for one branch instead of two, or none where the result is added.
    let generations = UInt64(generation(of: entry.id) ^ entry.generation)
    return generations | (deadline(of: entry.id) ^ entry.deadline) == 0
  }

  /// Returns the address of a payload.
  @inlinable
  func payload(of id: UInt32) -> UnsafeMutablePointer<Payload> {
    unsafe (slot(id) + Self.payloadOffset).assumingMemoryBound(to: Payload.self)
  }

  /// Moves a payload into a slot that has none.
  @inlinable
  func putPayload(_ payload: consuming Payload, into id: UInt32) {
    unsafe self.payload(of: id).initialize(to: payload)
  }

  /// Moves the payload out of a slot.
  @inlinable
  func takePayload(of id: UInt32) -> Payload { unsafe payload(of: id).move() }

  /// Deinitializes the payload of a slot.
  @inlinable
  func destroyPayload(of id: UInt32) { unsafe payload(of: id).deinitialize(count: 1) }
}
