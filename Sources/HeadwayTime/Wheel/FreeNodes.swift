/// The numbers of the free nodes of a wheel, the last freed on top: a stack in chunks of the slots.
///
/// It holds memory for free nodes only, and that memory comes from the entries that the same timers no longer
/// have. Not thread safe.
@usableFromInline
@safe
struct FreeNodes {
  /// Behind the number on top, in a chunk; at its link when the chunk is full.
  @usableFromInline var top: UnsafeMutableRawPointer

  /// Creates an empty stack in a chunk.
  @inlinable
  init(_ slots: inout SlotChunks) {
    let chunk = unsafe slots.takeChunk()
    unsafe chunk[SlotChunks.chunkEntries] = 0
    unsafe top = UnsafeMutableRawPointer(chunk)
  }

  /// The bytes of the chunk below the top.
  @inlinable var filled: UInt { unsafe UInt(bitPattern: top) & (SlotChunks.chunkBytes &- 1) }

  /// The chunk that the top is in.
  @inlinable var chunk: SlotChunks.Chunk {
    // A chunk of 32 words begins at every multiple of 256 bytes.
    unsafe (top - Int(filled)).assumingMemoryBound(to: UInt64.self)
  }

  /// Puts a number on top.
  ///
  /// - Parameters:
  ///   - id: The number of a free node.
  ///   - slots: Where chunks come from.
  /// - Complexity: O(1).
  @inlinable
  mutating func push(_ id: UInt32, _ slots: inout SlotChunks) {
    if filled == SlotChunks.chunkBytes &- 8 { grow(&slots) }
    unsafe top.storeBytes(of: id, as: UInt32.self)
    unsafe top += 4
  }

  /// Takes the number on top.
  ///
  /// - Parameter slots: Where chunks go to.
  /// - Returns: The number, nil when the stack is empty.
  /// - Complexity: O(1).
  @inlinable
  mutating func pop(_ slots: inout SlotChunks) -> UInt32? {
    if filled == 0 && !shrink(&slots) { return nil }
    unsafe top -= 4
    return unsafe top.load(as: UInt32.self)
  }

  /// Goes on in a new chunk that links to the full one.
  @usableFromInline
  mutating func grow(_ slots: inout SlotChunks) {
    let next = unsafe slots.takeChunk()
    unsafe next[SlotChunks.chunkEntries] = unsafe UInt64(UInt(bitPattern: chunk))
    unsafe top = UnsafeMutableRawPointer(next)
  }

  /// Goes back to the end of the chunk below and frees the empty one.
  ///
  /// - Parameter slots: Where the chunk goes to.
  /// - Returns: Whether there is a chunk below.
  @usableFromInline
  mutating func shrink(_ slots: inout SlotChunks) -> Bool {
    guard let below = unsafe SlotChunks.link(of: chunk) else { return false }
    unsafe slots.release(chunk)
    unsafe top = unsafe UnsafeMutableRawPointer(below) + Int(SlotChunks.chunkBytes - 8)
    return true
  }
}
