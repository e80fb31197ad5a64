/// The timers of a wheel: pages of nodes, each with its payload inline.
///
/// Pages never move; they are freed with the slab or, if no timer needs them, on request. A page has two arrays, because most accesses need one of them:
///
/// | bytes of a node | hold |
/// |---|---|
/// | 8 | the mark: the low half of the tick that the timer is filed under, or the round of a late timer; then the stamp |
/// | 8 and the payload | the deadline and, while the timer is scheduled, the payload |
///
/// The stamp is the generation of the node with the flags `late`, `overflow` and `scheduled`. One comparison of a mark
/// tells whether an entry is live, and eight marks share a cache line. A third, small part of each page is a map of free
/// nodes (`NodeSlab+Free.swift`).
///
/// Only growing allocates.
@usableFromInline
@safe
struct NodeSlab<Payload>: ~Copyable {
  /// The place of a node: its page, and its index in the arrays of the page.
  @usableFromInline
  @unsafe
  struct Node {
    @usableFromInline let page: UnsafeMutableRawPointer
    @usableFromInline let index: Int

    @inlinable
    @inline(__always)
    init(_ page: UnsafeMutableRawPointer, _ id: UInt32) {
      unsafe self.page = unsafe page
      unsafe index = Int(truncatingIfNeeded: id & ((1 &<< NodeSlab<Payload>.pageShift) &- 1))
    }

    /// The filed tick or round in the high half, the stamp in the low half.
    @inlinable var mark: UInt64 {
      get { unsafe marks[index] }
      nonmutating set { unsafe marks[index] = newValue }
    }

    /// The tick at which the timer expires.
    @inlinable var deadline: UInt64 {
      get { unsafe item.assumingMemoryBound(to: UInt64.self).pointee }
      nonmutating set { unsafe item.assumingMemoryBound(to: UInt64.self).pointee = newValue }
    }

    /// The payload, which is initialized exactly while the node is scheduled.
    @inlinable var payload: UnsafeMutablePointer<Payload> {
      unsafe (item + NodeSlab<Payload>.payloadOffset).assumingMemoryBound(to: Payload.self)
    }

    /// The generation times eight, plus `late`, `overflow` and `scheduled`.
    @inlinable var stamp: UInt32 { unsafe UInt32(truncatingIfNeeded: mark) }
    /// The low half of the tick that the timer is filed under, or the round in which a late one was scheduled.
    @inlinable var filed: UInt32 { unsafe UInt32(truncatingIfNeeded: mark &>> 32) }

    @inlinable var marks: UnsafeMutablePointer<UInt64> {
      unsafe page.assumingMemoryBound(to: UInt64.self)
    }
    @inlinable var item: UnsafeMutableRawPointer {
      unsafe page + NodeSlab<Payload>.itemsOffset + index &* NodeSlab<Payload>.stride
    }

    /// Sets flags of the stamp.
    @inlinable
    func insert(_ flags: UInt32) { unsafe mark |= UInt64(flags) }

    /// Clears flags of the stamp.
    @inlinable
    func remove(_ flags: UInt32) { unsafe mark &= ~UInt64(flags) }
  }

  /// The bit of a stamp for a node in use.
  @inlinable static var scheduled: UInt32 { 1 }
  /// The bit of a stamp for a timer in the overflow heap.
  @inlinable static var overflow: UInt32 { 2 }
  /// The bit of a stamp for a timer whose deadline had passed when it was scheduled.
  @inlinable static var late: UInt32 { 4 }
  /// The bits of a stamp that are not the generation.
  @inlinable static var flags: UInt32 { scheduled | overflow | late }
  /// The amount by which each use increases a stamp.
  @inlinable static var nextGeneration: UInt32 { 8 }
  /// The base-2 logarithm of the number of nodes in a page.
  @inlinable static var pageShift: UInt32 { 10 }

  @usableFromInline var pages: UnsafeMutablePointer<UnsafeMutableRawPointer>
  @usableFromInline var pageCount: Int
  @usableFromInline var pageCapacity: Int
  /// The number of nodes that have been initialized.
  @usableFromInline var used: UInt32
  /// The stamp at which a free node is retired.
  @usableFromInline let lastStamp: UInt32
  /// The place after the last element of the stack of free nodes.
  @usableFromInline var freeTop: UnsafeMutablePointer<FreeNode>
  /// The first page whose map has free nodes, `noPage` if there is none.
  @usableFromInline var freePage: UInt32
  /// The pages that were released; `unusedMarks` is in their place.
  @usableFromInline var releasedPages: [UInt32]
  /// The stamp of nodes that are added, at least that of each node that was released: a stale handle of a released node
  /// never refers to a later one.
  @usableFromInline var firstStamp: UInt32

  /// Creates a slab whose nodes are retired after a number of uses.
  @inlinable
  init(generations: UInt32) {
    unsafe pages = .allocate(capacity: 4)
    pageCount = 0
    pageCapacity = 4
    used = 0
    lastStamp = (generations &- 1) &* Self.nextGeneration
    unsafe freeTop = UnsafeMutableRawPointer.allocate(
      byteCount: Int(Self.stackBytes), alignment: Int(Self.stackBytes)
    ).bindMemory(to: FreeNode.self, capacity: Self.stackNodes)
    freePage = Self.noPage
    releasedPages = []
    firstStamp = 0
  }

  @inlinable
  deinit {
    for id in 0..<used where unsafe node(id).stamp & Self.scheduled != 0 {
      unsafe node(id).payload.deinitialize(count: 1)
    }
    for page in 0..<pageCount where !isReleased(page) { unsafe pages[page].deallocate() }
    unsafe pages.deallocate()
    unsafe (freeTop - stacked).deallocate()
  }

  /// The offset of the payload after a deadline.
  @inlinable static var payloadOffset: Int { aligned(MemoryLayout<UInt64>.size) }
  /// The distance in bytes from one deadline to the next.
  @inlinable static var stride: Int {
    (payloadOffset &+ MemoryLayout<Payload>.size &+ itemAlignment &- 1) & ~(itemAlignment &- 1)
  }
  /// The offset of the deadlines in a page.
  @inlinable static var itemsOffset: Int { aligned(MemoryLayout<UInt64>.stride << Int(pageShift)) }
  /// The offset of the map in a page.
  @inlinable static var mapOffset: Int { itemsOffset &+ (stride << Int(pageShift)) }
  @inlinable static var pageBytes: Int { mapOffset &+ FreeMap.bytes }

  @inlinable static var itemAlignment: Int {
    max(MemoryLayout<UInt64>.alignment, MemoryLayout<Payload>.alignment)
  }

  /// Rounds an offset up to the alignment of a payload.
  @inlinable
  static func aligned(_ offset: Int) -> Int {
    let alignment = MemoryLayout<Payload>.alignment
    return (offset &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// The number of bytes that the slab has allocated.
  @inlinable var bytes: Int {
    unsafe (pageCount - releasedPages.count) * Self.pageBytes
      + releasedPages.capacity * MemoryLayout<UInt32>.stride
      + pageCapacity * MemoryLayout<UnsafeMutableRawPointer>.stride + Int(Self.stackBytes)
  }

  /// Returns a node; `id` must be less than `used`.
  @inlinable
  @inline(__always)
  func node(_ id: UInt32) -> Node {
    // Every id below `used` has a page, because `add` adds the page before it increments `used`.
    unsafe Node(pages[Int(truncatingIfNeeded: id &>> Self.pageShift)], id)
  }

  /// Adds a page of nodes.
  @usableFromInline
  mutating func addPage() {
    if pageCount == pageCapacity {
      let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(
        capacity: pageCapacity * 2)
      unsafe larger.moveInitialize(from: pages, count: pageCount)
      unsafe pages.deallocate()
      unsafe pages = unsafe larger
      pageCapacity *= 2
    }
    unsafe (pages + pageCount).initialize(to: Self.makePage())
    pageCount += 1
  }

  /// Allocates a page with an empty map.
  @usableFromInline
  static func makePage() -> UnsafeMutableRawPointer {
    let page = UnsafeMutableRawPointer.allocate(
      byteCount: Self.pageBytes, alignment: max(64, MemoryLayout<Payload>.alignment))
    unsafe FreeMap.initialize(page + Self.mapOffset)
    return unsafe page
  }
}
