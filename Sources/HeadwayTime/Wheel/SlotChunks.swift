/// The slots of a timing wheel: lists of packed 8-byte entries in chunks of 31.
///
/// An entry is the number of a node in the low half and the low half of a tick in the high half. Entries lie
/// side by side, so that going through a slot reads memory in order; a list of linked timers would wait for
/// memory at each of them.
///
/// ```
/// slot   head ──▶ ┌ entry … 31 entries ┬ link ┐──▶ ┌ entry entry · · · ┬ link ┐
///        cursor ────────────────────────────────────────────────▲
/// ```
///
/// A chunk is 256 bytes and aligned to that, so that the cursor alone tells how full the last chunk is; all
/// others are full. A cursor at the link of a chunk, or at byte 248 of nowhere for an empty slot, asks for a
/// new chunk. The numbers of free nodes lie in chunks too, 62 in each.
///
/// Not thread safe. Chunks come from pages, which are given back when the slots go.
@usableFromInline
@safe
struct SlotChunks: ~Copyable {
  /// A chunk, or a place in one.
  @usableFromInline typealias Chunk = UnsafeMutablePointer<UInt64>

  /// What is known of a slot beside its cursor.
  @usableFromInline
  @unsafe
  struct List {
    /// The first chunk, nil when the slot is empty.
    @usableFromInline var head: Chunk?
    /// The number of chunks.
    @usableFromInline var chunks: Int

    /// Creates an empty list.
    @inlinable
    init() {
      unsafe head = nil
      unsafe chunks = 0
    }
  }

  /// The entries of a full chunk; the word behind them links to the next chunk.
  @inlinable static var chunkEntries: Int { 31 }
  /// The bytes of a chunk.
  @inlinable static var chunkBytes: UInt { 256 }
  /// The bytes of a page of chunks.
  @inlinable static var pageBytes: Int { 16_384 }
  /// The cursor of an empty slot: nowhere, and as full as a cursor can say.
  @inlinable static var noCursor: Chunk {
    // Never read or written through: `append` sees byte 248 and takes a chunk first.
    unsafe Chunk(bitPattern: UInt(chunkEntries * 8)).unsafelyUnwrapped
  }

  /// Where the next entry of each slot goes.
  @usableFromInline let cursors: UnsafeMutablePointer<Chunk>
  /// The lists of the slots.
  @usableFromInline let lists: UnsafeMutablePointer<List>
  /// The number of slots.
  @usableFromInline let slotCount: Int
  /// The entries in all slots, dead ones among them.
  @usableFromInline var stored: Int
  /// The first free chunk, linked through the link words.
  @usableFromInline var freeChunk: Chunk?
  /// The pages that the chunks lie in.
  @usableFromInline var pages: [UnsafeMutableRawPointer]

  /// Creates empty slots.
  ///
  /// - Parameter slotCount: How many.
  @inlinable
  init(slotCount: Int) {
    self.slotCount = slotCount
    unsafe cursors = .allocate(capacity: slotCount)
    unsafe cursors.initialize(repeating: Self.noCursor, count: slotCount)
    unsafe lists = .allocate(capacity: slotCount)
    unsafe lists.initialize(repeating: List(), count: slotCount)
    stored = 0
    unsafe freeChunk = nil
    unsafe pages = []
  }

  @inlinable
  deinit {
    for page in 0..<pageCount { unsafe pages[page].deallocate() }
    unsafe cursors.deallocate()
    unsafe lists.deallocate()
  }

  /// The number of pages.
  @inlinable var pageCount: Int { unsafe pages.count }

  /// The bytes that the slots and chunks have allocated.
  @inlinable var bytes: Int {
    unsafe pageCount * (Self.pageBytes + MemoryLayout<UnsafeMutableRawPointer>.stride)
      + slotCount * (MemoryLayout<List>.stride + MemoryLayout<Chunk>.stride)
  }

  /// Whether a slot has no entries.
  @inlinable
  @inline(__always)
  func isEmpty(_ slot: Int) -> Bool { unsafe lists[slot].head == nil }

  /// Adds an entry to the end of a slot, uncounted.
  ///
  /// - Parameters:
  ///   - entry: The node and the tick.
  ///   - slot: The slot.
  /// - Returns: Whether the slot was empty.
  /// - Complexity: O(1); takes a chunk once in 31 times.
  @inlinable
  mutating func append(_ entry: UInt64, to slot: Int) -> Bool {
    let cursor = unsafe cursors[slot]
    if unsafe Self.entries(before: cursor) == Self.chunkEntries {
      return append(entry, toFull: slot)
    }
    unsafe cursor.pointee = entry
    unsafe cursors[slot] = unsafe cursor + 1
    return false
  }

  /// The number of entries in the first chunk of a slot that is not empty.
  @inlinable
  @inline(__always)
  func headCount(_ slot: Int) -> Int {
    unsafe lists[slot].chunks > 1 ? Self.chunkEntries : Self.entries(before: cursors[slot])
  }

  /// Takes the first chunk out of a slot.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The chunk, the caller's to release, and the number of its entries; nil when the slot is
  ///   empty.
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

  /// Takes all chunks out of a slot.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The first chunk, the number of chunks, and the number of entries in the last; the caller's to
  ///   release.
  @inlinable
  mutating func takeAll(of slot: Int) -> (head: Chunk?, chunks: Int, last: Int) {
    let list = unsafe lists[slot]
    let last = unsafe Self.entries(before: cursors[slot])
    unsafe lists[slot] = unsafe List()
    unsafe cursors[slot] = unsafe Self.noCursor
    return unsafe (list.head, list.chunks, last)
  }

  /// Takes the second chunk out of a slot: neither the one that is being read nor the one that is being
  /// filled.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The chunk, which is full and the caller's to release; nil when the slot has fewer than three.
  @inlinable
  mutating func takeSecond(of slot: Int) -> Chunk? {
    guard unsafe lists[slot].chunks > 2, let head = unsafe lists[slot].head,
      let second = unsafe Self.link(of: head)
    else { return nil }
    unsafe head[Self.chunkEntries] = unsafe second[Self.chunkEntries]
    unsafe lists[slot].chunks -= 1
    return unsafe second
  }

  /// Gives the first chunk of a slot back.
  @inlinable
  mutating func dropHead(of slot: Int) {
    if let (chunk, _) = unsafe takeHead(of: slot) { unsafe release(chunk) }
  }

  /// Moves the list of a slot to another, which must be empty.
  @inlinable
  mutating func move(_ slot: Int, to other: Int) {
    unsafe lists[other] = unsafe lists[slot]
    unsafe cursors[other] = unsafe cursors[slot]
    unsafe lists[slot] = unsafe List()
    unsafe cursors[slot] = unsafe Self.noCursor
  }

  /// The number of entries in front of a cursor, within its chunk.
  @inlinable
  @inline(__always)
  static func entries(before cursor: Chunk) -> Int {
    Int(truncatingIfNeeded: (UInt(bitPattern: cursor) & (chunkBytes &- 1)) &>> 3)
  }

  /// The chunk behind a chunk that is not the last.
  @inlinable
  @inline(__always)
  static func link(of chunk: Chunk) -> Chunk? {
    unsafe Chunk(bitPattern: UInt(chunk[chunkEntries]))
  }

  /// Takes a free chunk.
  @inlinable
  mutating func takeChunk() -> Chunk {
    if unsafe freeChunk == nil { addPage() }
    guard let chunk = unsafe freeChunk else { preconditionFailure("a new page has no free chunk") }
    unsafe freeChunk = unsafe Self.link(of: chunk)
    return unsafe chunk
  }

  /// Puts a chunk on the free list.
  @inlinable
  mutating func release(_ chunk: Chunk) {
    unsafe chunk[Self.chunkEntries] = unsafe UInt64(UInt(bitPattern: freeChunk))
    unsafe freeChunk = unsafe chunk
  }

  /// Adds an entry to a slot whose last chunk is full, or that has none.
  ///
  /// - Parameters:
  ///   - entry: The node and the tick.
  ///   - slot: The slot.
  /// - Returns: Whether the slot was empty.
  @usableFromInline
  mutating func append(_ entry: UInt64, toFull slot: Int) -> Bool {
    let chunk = unsafe takeChunk()
    let wasEmpty = unsafe lists[slot].head == nil
    if wasEmpty {
      unsafe lists[slot].head = unsafe chunk
    } else {
      // The cursor stands on the link word of the last chunk.
      unsafe cursors[slot].pointee = UInt64(UInt(bitPattern: chunk))
    }
    unsafe lists[slot].chunks += 1
    unsafe chunk.pointee = entry
    unsafe cursors[slot] = unsafe chunk + 1
    return wasEmpty
  }

  /// Adds a page and frees its chunks.
  @usableFromInline
  mutating func addPage() {
    let page = UnsafeMutableRawPointer.allocate(
      byteCount: Self.pageBytes, alignment: Int(Self.chunkBytes))
    unsafe pages.append(page)
    var offset = Self.pageBytes
    while offset > 0 {
      offset -= Int(Self.chunkBytes)
      // Uninitialized memory of a trivial type is bound for good here: every chunk is 32 words.
      unsafe release((page + offset).bindMemory(to: UInt64.self, capacity: 32))
    }
  }
}
