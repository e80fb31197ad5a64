/// The slots of a timing wheel: lists of packed 8-byte entries in chunks of 31.
///
/// The low half of an entry is the number of a node, the high half the low half of a tick. Entries are contiguous, so
/// processing a slot reads memory in order; a linked list of timers would miss the cache at each of them.
///
/// ```
/// slot   head ──▶ ┌ entry … 31 entries ┬ link ┐──▶ ┌ entry entry · · · ┬ link ┐
///        cursor ────────────────────────────────────────────────▲
/// ```
///
/// A chunk is 256 bytes and aligned to 256, so the low byte of the cursor is the fill level of the last chunk; all
/// other chunks are full. If the cursor points to the link of a chunk, the next entry needs a new chunk. The cursor of
/// an empty slot is the invalid address 248, which has the same low byte. Chunks come from pages, which are freed with
/// the slots.
@usableFromInline
@safe
struct SlotChunks: ~Copyable {
  /// The address of a chunk or of an entry in one.
  @usableFromInline typealias Chunk = UnsafeMutablePointer<UInt64>

  /// The chunks of a slot.
  @usableFromInline
  @unsafe
  struct List {
    /// The first chunk, nil if the slot is empty.
    @usableFromInline var head: Chunk?
    /// The number of chunks.
    @usableFromInline var chunks: Int

    @inlinable
    init() {
      unsafe head = nil
      unsafe chunks = 0
    }
  }

  /// The number of entries in a full chunk; the word after them links to the next chunk.
  @inlinable static var chunkEntries: Int { 31 }
  @inlinable static var chunkBytes: UInt { 256 }
  @inlinable static var pageBytes: Int { 16_384 }
  /// The cursor of an empty slot: an invalid address whose low byte says that the chunk is full.
  @inlinable static var noCursor: Chunk {
    // Never dereferenced: `append` sees a full chunk and takes a new one first.
    unsafe Chunk(bitPattern: UInt(chunkEntries * 8)).unsafelyUnwrapped
  }

  /// The address of the next entry of each slot.
  @usableFromInline let cursors: UnsafeMutablePointer<Chunk>
  @usableFromInline let lists: UnsafeMutablePointer<List>
  @usableFromInline let slotCount: Int
  /// The first free chunk; its link word points to the next one.
  @usableFromInline var freeChunk: Chunk?
  /// The pages that contain the chunks.
  @usableFromInline var pages: [UnsafeMutableRawPointer]

  @inlinable
  init(slotCount: Int) {
    self.slotCount = slotCount
    unsafe cursors = .allocate(capacity: slotCount)
    unsafe cursors.initialize(repeating: Self.noCursor, count: slotCount)
    unsafe lists = .allocate(capacity: slotCount)
    unsafe lists.initialize(repeating: List(), count: slotCount)
    unsafe freeChunk = nil
    unsafe pages = []
  }

  @inlinable
  deinit {
    for page in 0..<pageCount { unsafe pages[page].deallocate() }
    unsafe cursors.deallocate()
    unsafe lists.deallocate()
  }

  @inlinable var pageCount: Int { unsafe pages.count }

  /// The number of bytes allocated for slots and chunks.
  @inlinable var bytes: Int {
    unsafe pageCount * (Self.pageBytes + MemoryLayout<UnsafeMutableRawPointer>.stride)
      + slotCount * (MemoryLayout<List>.stride + MemoryLayout<Chunk>.stride)
  }

  @inlinable
  @inline(__always)
  func isEmpty(_ slot: Int) -> Bool { unsafe lists[slot].head == nil }

  /// Appends an entry to a slot.
  ///
  /// - Parameters:
  ///   - entry: The node and the tick.
  ///   - slot: The slot.
  /// - Returns: Whether the slot was empty.
  /// - Complexity: O(1); every 31st call takes a chunk.
  @inlinable
  mutating func append(_ entry: UInt64, to slot: Int) -> Bool {
    let cursor = unsafe cursors[slot]
    if unsafe Self.isAtLink(cursor) {
      return append(entry, toFull: slot)
    }
    unsafe cursor.pointee = entry
    unsafe cursors[slot] = unsafe cursor + 1
    return false
  }

  /// Appends an entry to a slot if its last chunk has room,.
  ///
  /// - Parameters:
  ///   - entry: The node and the tick.
  ///   - slot: The slot.
  /// - Returns: Whether the entry was appended.
  @inlinable
  @inline(__always)
  mutating func appendIfRoom(_ entry: UInt64, to slot: Int) -> Bool {
    let cursor = unsafe cursors[slot]
    if unsafe Self.isAtLink(cursor) { return false }
    unsafe cursor.pointee = entry
    unsafe cursors[slot] = unsafe cursor + 1
    return true
  }

  /// Appends entries to a slot.
  ///
  /// - Parameters:
  ///   - entries: The entries, in memory that does not belong to the slot.
  ///   - count: The number of entries, at most those of a chunk.
  ///   - slot: The slot.
  @inlinable
  mutating func append(_ entries: Chunk, _ count: Int, to slot: Int) {
    let cursor = unsafe cursors[slot]
    let some = unsafe min(count, Self.chunkEntries &- Self.entries(before: cursor))
    unsafe cursor.update(from: entries, count: some)
    unsafe cursors[slot] = unsafe cursor + some
    guard some < count else { return }
    _ = unsafe append(entries[some], toFull: slot)
    let rest = count &- some &- 1
    unsafe cursors[slot].update(from: entries + some + 1, count: rest)
    unsafe cursors[slot] += rest
  }

  /// Returns the number of entries in the first chunk of an occupied slot.
  @inlinable
  @inline(__always)
  func headCount(_ slot: Int) -> Int {
    unsafe lists[slot].chunks > 1 ? Self.chunkEntries : Self.entries(before: cursors[slot])
  }

  /// Removes the first chunk of a slot.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The chunk, which the caller must release, and the number of its entries; nil if the slot is empty.
  @inlinable
  mutating func takeHead(of slot: Int) -> (chunk: Chunk, count: Int)? {
    guard let head = unsafe lists[slot].head else { return nil }
    let count = headCount(slot)
    if unsafe lists[slot].chunks == 1 {
      unsafe lists[slot] = unsafe List()
      unsafe cursors[slot] = unsafe Self.noCursor
    } else {
      unsafe lists[slot].head = unsafe Self.link(of: head)
      unsafe lists[slot].chunks -= 1
    }
    return unsafe (head, count)
  }

  /// Removes all chunks of a slot.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The first chunk, the number of chunks, and the number of entries in the last; the caller must release
  ///   the chunks.
  @inlinable
  mutating func takeAll(of slot: Int) -> (head: Chunk?, chunks: Int, last: Int) {
    let list = unsafe lists[slot]
    let last = unsafe Self.entries(before: cursors[slot])
    unsafe lists[slot] = unsafe List()
    unsafe cursors[slot] = unsafe Self.noCursor
    return unsafe (list.head, list.chunks, last)
  }

  /// Removes the second chunk of a slot, which is neither being read nor being filled.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The chunk, which is full and which the caller must release; nil if the slot has fewer than three.
  @inlinable
  mutating func takeSecond(of slot: Int) -> Chunk? {
    guard unsafe lists[slot].chunks > 2, let head = unsafe lists[slot].head,
      let second = unsafe Self.link(of: head)
    else { return nil }
    unsafe head[Self.chunkEntries] = unsafe second[Self.chunkEntries]
    unsafe lists[slot].chunks -= 1
    return unsafe second
  }

  /// Removes and releases the first chunk of a slot.
  @inlinable
  mutating func dropHead(of slot: Int) {
    if let (chunk, _) = unsafe takeHead(of: slot) { unsafe release(chunk) }
  }

  /// Moves all entries of a slot to another slot, which must be empty.
  @inlinable
  mutating func move(_ slot: Int, to other: Int) {
    unsafe lists[other] = unsafe lists[slot]
    unsafe cursors[other] = unsafe cursors[slot]
    unsafe lists[slot] = unsafe List()
    unsafe cursors[slot] = unsafe Self.noCursor
  }

  /// Whether a slot has chunks, and the last one has no room.
  @inlinable
  func isFull(_ slot: Int) -> Bool { unsafe !isEmpty(slot) && Self.isAtLink(cursors[slot]) }

  /// Adds a chunk that was removed to the end of a slot whose last chunk is full.
  ///
  /// - Parameters:
  ///   - chunk: The chunk.
  ///   - count: The number of its entries. If it is 0, an entry must be added before anything else.
  ///   - slot: The slot.
  @inlinable
  mutating func append(chunk: Chunk, _ count: Int, to slot: Int) {
    if isEmpty(slot) {
      unsafe lists[slot].head = unsafe chunk
    } else {
      // The cursor points to the link word of the last chunk.
      unsafe cursors[slot].pointee = UInt64(UInt(bitPattern: chunk))
    }
    unsafe lists[slot].chunks += 1
    unsafe cursors[slot] = unsafe chunk + count
  }

  /// Whether a cursor is at the link of a chunk, which has no room then.
  @inlinable
  @inline(__always)
  static func isAtLink(_ cursor: Chunk) -> Bool {
    UInt8(truncatingIfNeeded: UInt(bitPattern: cursor)) == UInt8(chunkEntries &* 8)
  }

  /// Returns the number of entries before a cursor in its chunk.
  @inlinable
  @inline(__always)
  static func entries(before cursor: Chunk) -> Int {
    Int(truncatingIfNeeded: (UInt(bitPattern: cursor) & (chunkBytes &- 1)) &>> 3)
  }

  /// Returns the chunk after a chunk that is not the last.
  @inlinable
  @inline(__always)
  static func link(of chunk: Chunk) -> Chunk? {
    unsafe Chunk(bitPattern: UInt(chunk[chunkEntries]))
  }

  /// Takes a chunk from the free list, which grows if it is empty.
  @inlinable
  mutating func takeChunk() -> Chunk {
    if unsafe freeChunk == nil { addPage() }
    guard let chunk = unsafe freeChunk else { preconditionFailure("a new page has no free chunk") }
    unsafe freeChunk = unsafe Self.link(of: chunk)
    return unsafe chunk
  }

  /// Returns a chunk to the free list.
  @inlinable
  mutating func release(_ chunk: Chunk) {
    unsafe chunk[Self.chunkEntries] = unsafe UInt64(UInt(bitPattern: freeChunk))
    unsafe freeChunk = unsafe chunk
  }

  /// Appends an entry to a slot that needs a new chunk, and returns whether the slot was empty.
  @usableFromInline
  mutating func append(_ entry: UInt64, toFull slot: Int) -> Bool {
    let wasEmpty = isEmpty(slot)
    let chunk = unsafe takeChunk()
    unsafe append(chunk: chunk, 1, to: slot)
    unsafe chunk.pointee = entry
    return wasEmpty
  }

  /// Allocates a page and adds its chunks to the free list.
  @usableFromInline
  mutating func addPage() {
    let page = UnsafeMutableRawPointer.allocate(
      byteCount: Self.pageBytes, alignment: Int(Self.chunkBytes))
    unsafe pages.append(page)
    var offset = Self.pageBytes
    while offset > 0 {
      offset -= Int(Self.chunkBytes)
      // Binds the memory once, to a trivial type that needs no initialization: every chunk is 32 words.
      unsafe release((page + offset).bindMemory(to: UInt64.self, capacity: 32))
    }
  }
}
