/// The timers of a wheel: pages of nodes, each with its payload inline.
///
/// A node is 16 bytes followed by the payload, so a cancellation touches one or two cache lines. Pages never move; they
/// are freed with the slab. The numbers of free nodes are on a stack (`FreeNodes`), the last freed on top because it is
/// the most likely to be cached. The stack is an array in chunks rather than a list through the nodes, so that reading
/// the numbers below the top does not wait for the memory of a node.
///
/// | bytes | holds |
/// |---|---|
/// | 8 | the deadline |
/// | 4 | the stamp: generation, late, overflow, scheduled |
/// | 4 | the low half of the tick that the timer is filed under, or the round of a late timer |
/// | … | the payload, while scheduled |
///
/// Only growing allocates.
@usableFromInline
@safe
struct NodeSlab<Payload>: ~Copyable {
  /// The header before a payload.
  @usableFromInline
  struct Node {
    /// The tick at which the timer expires.
    @usableFromInline var deadline: UInt64
    /// The generation times eight, plus `late`, `overflow` and `scheduled`.
    @usableFromInline var stamp: UInt32
    /// The low half of the tick that the timer is filed under, or the round in which a late one was scheduled.
    @usableFromInline var filed: UInt32

    @inlinable
    init(deadline: UInt64, stamp: UInt32, filed: UInt32) {
      self.deadline = deadline
      self.stamp = stamp
      self.filed = filed
    }
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
  /// The number of nodes that were ever in use; later ones are uninitialized.
  @usableFromInline var used: UInt32
  /// The stamp at which a free node is retired.
  @usableFromInline let lastStamp: UInt32

  /// Creates a slab whose nodes are retired after a number of uses.
  @inlinable
  init(generations: UInt32) {
    unsafe pages = .allocate(capacity: 4)
    pageCount = 0
    pageCapacity = 4
    used = 0
    lastStamp = (generations &- 1) &* Self.nextGeneration
  }

  @inlinable
  deinit {
    for id in 0..<used where unsafe node(id).pointee.stamp & Self.scheduled != 0 {
      unsafe payload(node(id)).deinitialize(count: 1)
    }
    for page in 0..<pageCount { unsafe pages[page].deallocate() }
    unsafe pages.deallocate()
  }

  /// The offset of the payload in a node.
  @inlinable static var payloadOffset: Int {
    let alignment = MemoryLayout<Payload>.alignment
    return (MemoryLayout<Node>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// The distance in bytes from one node to the next.
  @inlinable static var stride: Int {
    let alignment = max(MemoryLayout<Node>.alignment, MemoryLayout<Payload>.alignment)
    return (payloadOffset &+ MemoryLayout<Payload>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// The number of bytes that the slab has allocated.
  @inlinable var bytes: Int {
    unsafe (pageCount << Int(Self.pageShift)) * Self.stride
      + pageCapacity * MemoryLayout<UnsafeMutableRawPointer>.stride
  }

  /// Returns a node; `id` must be less than `used`.
  @inlinable
  @inline(__always)
  func node(_ id: UInt32) -> UnsafeMutablePointer<Node> {
    // Every id below `used` has a page, because `add` adds the page before it increments `used`.
    unsafe (pages[Int(truncatingIfNeeded: id &>> Self.pageShift)]
      + Int(truncatingIfNeeded: id & ((1 &<< Self.pageShift) &- 1)) &* Self.stride)
      .assumingMemoryBound(to: Node.self)
  }

  /// Returns the payload of a node, which is initialized exactly while the node is scheduled.
  @inlinable
  @inline(__always)
  func payload(_ node: UnsafeMutablePointer<Node>) -> UnsafeMutablePointer<Payload> {
    unsafe (UnsafeMutableRawPointer(node) + Self.payloadOffset)
      .assumingMemoryBound(to: Payload.self)
  }

  /// Adds a node and returns its number; allocates once for every 1,024 nodes.
  @inlinable
  mutating func add() -> UInt32 {
    if Int(used &>> Self.pageShift) == pageCount { addPage() }
    let id = used
    used &+= 1
    unsafe node(id).initialize(to: Node(deadline: 0, stamp: 0, filed: 0))
    return id
  }

  /// Marks a scheduled node as free, or retires it if its generations are used up.
  ///
  /// - Parameter node: The node, whose payload has been moved out.
  /// - Returns: Whether the node may be used again. A handle of a retired node's next use would equal its first one.
  @inlinable
  @inline(__always)
  func free(_ node: UnsafeMutablePointer<Node>) -> Bool {
    let stamp = unsafe node.pointee.stamp & ~Self.flags
    let isReusable = stamp < lastStamp
    unsafe node.pointee.stamp = isReusable ? stamp &+ Self.nextGeneration : stamp
    return isReusable
  }

  /// Adds a page of nodes.
  @usableFromInline
  mutating func addPage() {
    precondition(used < .max, "A wheel holds at most 4,294,967,295 timers at once.")
    if pageCount == pageCapacity {
      let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(
        capacity: pageCapacity * 2)
      unsafe larger.moveInitialize(from: pages, count: pageCount)
      unsafe pages.deallocate()
      unsafe pages = unsafe larger
      pageCapacity *= 2
    }
    let page = UnsafeMutableRawPointer.allocate(
      byteCount: Self.stride << Int(Self.pageShift),
      alignment: max(64, MemoryLayout<Payload>.alignment))
    unsafe (pages + pageCount).initialize(to: page)
    pageCount += 1
  }
}
