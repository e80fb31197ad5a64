/// Where a timing wheel keeps its timers: pages of nodes, each a timer with its payload in place.
///
/// A node is 16 bytes and the payload behind them, so that whatever a cancellation touches lies on one cache
/// line or two. Pages never move and are given back when the slab goes. The numbers of free nodes stand on a
/// stack, the last freed on top because it is the warmest. The stack is an array in chunks, not a list
/// through the nodes: the numbers below the top can be read without waiting for the memory of a node.
///
/// | bytes | holds |
/// |---|---|
/// | 8 | the deadline |
/// | 4 | the stamp: generation, late, far, armed |
/// | 4 | the low half of the tick that the timer is filed under, or its round when it is late |
/// | … | the payload, while armed |
///
/// Not thread safe. No operation but growing allocates.
@usableFromInline
@safe
struct NodeSlab<Payload>: ~Copyable {
  /// What stands in front of a payload.
  @usableFromInline
  struct Node {
    /// The tick at which the timer expires.
    @usableFromInline var deadline: UInt64
    /// The generation times eight, plus `late`, `far` and `armed`.
    @usableFromInline var stamp: UInt32
    /// The low half of the tick that the timer is filed under; of a late one, the round in which it was
    /// armed.
    @usableFromInline var filed: UInt32

    /// Creates a node.
    @inlinable
    init(deadline: UInt64, stamp: UInt32, filed: UInt32) {
      self.deadline = deadline
      self.stamp = stamp
      self.filed = filed
    }
  }

  /// The bit of a stamp that says that the node is in use.
  @inlinable static var armed: UInt32 { 1 }
  /// The bit of a stamp that says that the timer is in the far store.
  @inlinable static var far: UInt32 { 2 }
  /// The bit of a stamp that says that the deadline had come when the timer was armed.
  @inlinable static var late: UInt32 { 4 }
  /// All bits of a stamp that are not the generation.
  @inlinable static var flags: UInt32 { armed | far | late }
  /// What one use adds to a stamp.
  @inlinable static var nextGeneration: UInt32 { 8 }
  /// A page holds two to this power nodes.
  @inlinable static var pageShift: UInt32 { 10 }

  /// The pages, `pageCount` of them in use.
  @usableFromInline var pages: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The pages that exist.
  @usableFromInline var pageCount: Int
  /// The room for pages.
  @usableFromInline var pageRoom: Int
  /// The nodes that were ever in use; those above are untouched.
  @usableFromInline var used: UInt32
  /// The last stamp of a free node that may be used again: a node that reaches it is retired.
  @usableFromInline let lastStamp: UInt32

  /// Creates a slab without nodes.
  ///
  /// - Parameter generations: How often a node may be used before it is retired.
  @inlinable
  init(generations: UInt32) {
    unsafe pages = .allocate(capacity: 4)
    pageCount = 0
    pageRoom = 4
    used = 0
    lastStamp = (generations &- 1) &* Self.nextGeneration
  }

  @inlinable
  deinit {
    for id in 0..<used where unsafe node(id).pointee.stamp & Self.armed != 0 {
      unsafe payload(node(id)).deinitialize(count: 1)
    }
    for page in 0..<pageCount { unsafe pages[page].deallocate() }
    unsafe pages.deallocate()
  }

  /// Where in a node the payload begins.
  @inlinable static var payloadOffset: Int {
    let alignment = MemoryLayout<Payload>.alignment
    return (MemoryLayout<Node>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// The bytes from a node to the next.
  @inlinable static var stride: Int {
    let alignment = max(MemoryLayout<Node>.alignment, MemoryLayout<Payload>.alignment)
    return (payloadOffset &+ MemoryLayout<Payload>.size &+ alignment &- 1) & ~(alignment &- 1)
  }

  /// The bytes that the slab has allocated.
  @inlinable var bytes: Int {
    unsafe (pageCount << Int(Self.pageShift)) * Self.stride
      + pageRoom * MemoryLayout<UnsafeMutableRawPointer>.stride
  }

  /// A node below `used`.
  @inlinable
  @inline(__always)
  func node(_ id: UInt32) -> UnsafeMutablePointer<Node> {
    // Every id below `used` has a page, because `add` adds the page before it counts the id.
    unsafe (pages[Int(truncatingIfNeeded: id &>> Self.pageShift)]
      + Int(truncatingIfNeeded: id & ((1 &<< Self.pageShift) &- 1)) &* Self.stride)
      .assumingMemoryBound(to: Node.self)
  }

  /// The payload of a node; initialized exactly while the node is armed.
  @inlinable
  @inline(__always)
  func payload(_ node: UnsafeMutablePointer<Node>) -> UnsafeMutablePointer<Payload> {
    unsafe (UnsafeMutableRawPointer(node) + Self.payloadOffset)
      .assumingMemoryBound(to: Payload.self)
  }

  /// Adds a node that was never in use.
  ///
  /// - Returns: Its number.
  /// - Complexity: O(1); one allocation for every 1,024 nodes.
  @inlinable
  mutating func add() -> UInt32 {
    if Int(used &>> Self.pageShift) == pageCount { addPage() }
    let id = used
    used &+= 1
    unsafe node(id).initialize(to: Node(deadline: 0, stamp: 0, filed: 0))
    return id
  }

  /// Marks an armed node as free, unless its generations are used up.
  ///
  /// - Parameter node: The node, whose payload has been taken.
  /// - Returns: Whether the node may be used again. If not, another use could not be told from the first, and
  ///   the node is left alone for good.
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
    precondition(used < .max, "a wheel holds at most 4,294,967,295 timers at once")
    if pageCount == pageRoom {
      let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: pageRoom * 2)
      unsafe larger.moveInitialize(from: pages, count: pageCount)
      unsafe pages.deallocate()
      unsafe pages = unsafe larger
      pageRoom *= 2
    }
    let page = UnsafeMutableRawPointer.allocate(
      byteCount: Self.stride << Int(Self.pageShift),
      alignment: max(64, MemoryLayout<Payload>.alignment))
    unsafe (pages + pageCount).initialize(to: page)
    pageCount += 1
  }
}
