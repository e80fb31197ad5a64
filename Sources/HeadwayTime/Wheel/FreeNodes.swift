/// A stack of the numbers of free nodes, the last freed on top, in chunks from the slots.
///
/// It needs memory for free nodes only, and reuses the chunks of the entries that those timers no longer have.
@usableFromInline
@safe
struct FreeNodes {
  /// The address after the number on top; if the chunk is full, that of its link.
  @usableFromInline var top: UnsafeMutableRawPointer

  @inlinable
  init(_ slots: inout SlotChunks) {
    let chunk = unsafe slots.takeChunk()
    unsafe chunk[SlotChunks.chunkEntries] = 0
    unsafe top = UnsafeMutableRawPointer(chunk)
  }

  /// The number of bytes in use in the top chunk.
  @inlinable var filled: UInt { unsafe UInt(bitPattern: top) & (SlotChunks.chunkBytes &- 1) }

  @inlinable var chunk: SlotChunks.Chunk {
    // A chunk of 32 words begins at every multiple of 256 bytes.
    unsafe (top - Int(filled)).assumingMemoryBound(to: UInt64.self)
  }

  /// Pushes the number of a free node.
  ///
  /// - Parameters:
  ///   - id: The number.
  ///   - slots: The source of chunks.
  /// - Complexity: O(1).
  @inlinable
  mutating func push(_ id: UInt32, _ slots: inout SlotChunks) {
    if filled == SlotChunks.chunkBytes &- 8 { grow(&slots) }
    unsafe top.storeBytes(of: id, as: UInt32.self)
    unsafe top += 4
  }

  /// Pops the number of a free node.
  ///
  /// - Parameter slots: Receives a chunk that is no longer needed.
  /// - Returns: The number, nil if the stack is empty.
  /// - Complexity: O(1).
  @inlinable
  mutating func pop(_ slots: inout SlotChunks) -> UInt32? {
    if filled == 0 && !shrink(&slots) { return nil }
    unsafe top -= 4
    return unsafe top.load(as: UInt32.self)
  }

  /// Adds a new chunk that links to the full one.
  @usableFromInline
  mutating func grow(_ slots: inout SlotChunks) {
    let next = unsafe slots.takeChunk()
    unsafe next[SlotChunks.chunkEntries] = unsafe UInt64(UInt(bitPattern: chunk))
    unsafe top = UnsafeMutableRawPointer(next)
  }

  /// Frees the empty top chunk and returns to the end of the one below.
  ///
  /// - Parameter slots: Receives the chunk.
  /// - Returns: Whether there is a chunk below.
  @usableFromInline
  mutating func shrink(_ slots: inout SlotChunks) -> Bool {
    guard let below = unsafe SlotChunks.link(of: chunk) else { return false }
    unsafe slots.release(chunk)
    unsafe top = unsafe UnsafeMutableRawPointer(below) + Int(SlotChunks.chunkBytes - 8)
    return true
  }
}
