// The free nodes: a small stack, and a bit map in each page for those that the stack cannot hold.
//
//     stack      the last freed on top, 64 at most: a timer that follows a cancellation gets a node that is cached
//     bit maps   the others: many timers that follow many cancellations get nodes in the order of their addresses
//
// An element of the stack has all that `schedule` needs, so that it only writes to the node and never waits for its
// memory. Pages with free nodes in their map are in a list. Each operation takes amortized constant time, and only
// growing allocates.
extension NodeSlab {
  /// A free node on the stack.
  @usableFromInline
  @unsafe
  struct FreeNode {
    @usableFromInline let page: UnsafeMutableRawPointer
    /// The number of the node.
    @usableFromInline let id: UInt32
    /// The stamp of the node.
    @usableFromInline let stamp: UInt32

    @inlinable
    init(page: UnsafeMutableRawPointer, id: UInt32, stamp: UInt32) {
      unsafe self.page = unsafe page
      unsafe self.id = id
      unsafe self.stamp = stamp
    }

    @inlinable
    @inline(__always)
    var node: Node { unsafe Node(page, id) }
  }

  /// The free nodes of a page that are not on the stack.
  ///
  /// A bit for each node follows in memory, in as many words as `summary` has bits: the oldest systems that Headway
  /// supports have no arrays of a fixed size.
  @usableFromInline
  struct FreeMap {
    /// A bit for each word: whether it is not zero.
    @usableFromInline var summary: UInt32 = 0
    /// The next page in the list of those with free nodes in their map.
    @usableFromInline var next: UInt32 = .max

    /// The number of words.
    @inlinable static var wordCount: Int { UInt32.bitWidth }
    /// The number of bytes of a map with its words.
    @inlinable static var bytes: Int {
      MemoryLayout<Self>.stride &+ wordCount &* MemoryLayout<UInt32>.stride
    }

    @inlinable
    init() {}

    /// Initializes an empty map with its words.
    @inlinable
    static func initialize(_ memory: UnsafeMutableRawPointer) {
      unsafe memory.initializeMemory(as: Self.self, to: Self())
      unsafe (memory + MemoryLayout<Self>.stride)
        .initializeMemory(as: UInt32.self, repeating: 0, count: wordCount)
    }

    /// Returns the words of a map.
    @inlinable
    @inline(__always)
    static func words(_ map: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<UInt32> {
      unsafe UnsafeMutableRawPointer(map + 1).assumingMemoryBound(to: UInt32.self)
    }
  }

  /// The number of elements of the stack.
  @inlinable static var stackNodes: Int { 64 }
  /// The number of bytes of the stack, which is aligned to as many: the address of its top tells how full it is.
  @inlinable static var stackBytes: UInt { 1024 }
  /// The number of nodes that move between the stack and the maps, or are added, at once.
  @inlinable static var batch: UInt32 { 32 }
  /// The end of the list of pages.
  @inlinable static var noPage: UInt32 { .max }

  /// The number of bytes in use on the stack, 0 while it is full.
  @inlinable var stackedBytes: UInt {
    unsafe UInt(bitPattern: freeTop) & (Self.stackBytes &- 1)
  }
  /// The number of nodes on the stack.
  @inlinable var stacked: Int {
    unsafe Int(stackedBytes) / MemoryLayout<FreeNode>.stride
  }

  /// Takes a free node, or adds nodes if there is none.
  ///
  /// - Returns: The node, whose stamp is not in use.
  @inlinable
  @inline(__always)
  mutating func take() -> FreeNode {
    if stackedBytes == 0 { refill() }
    unsafe freeTop -= 1
    return unsafe freeTop.pointee
  }

  /// Frees a scheduled node, or retires it if its generations are used up.
  ///
  /// A handle of a retired node's next use would equal its first one.
  ///
  /// - Parameters:
  ///   - id: The number of the node.
  ///   - node: The node, whose payload has been moved out.
  ///   - stamp: The stamp of the node, of whose flags only `scheduled` is set.
  @inlinable
  @inline(__always)
  mutating func free(_ id: UInt32, _ node: Node, _ stamp: UInt32) {
    guard stamp < lastStamp else {
      unsafe node.mark = UInt64(stamp &- Self.scheduled)
      return
    }
    let stamp = stamp &+ (Self.nextGeneration &- Self.scheduled)
    unsafe node.mark = UInt64(stamp)
    unsafe freeTop.initialize(to: FreeNode(page: node.page, id: id, stamp: stamp))
    unsafe freeTop += 1
    if stackedBytes == 0 { spill() }
  }

  /// Moves the older half of the full stack to the maps.
  @inlinable
  @inline(never)
  mutating func spill() {
    let bottom = unsafe freeTop - Self.stackNodes
    for index in 0..<Int(Self.batch) { unsafe markFree(bottom[index].id) }
    unsafe bottom.update(from: bottom + Int(Self.batch), count: Int(Self.batch))
    unsafe freeTop = unsafe bottom + Int(Self.batch)
  }

  /// Adds a free node to the map of its page.
  @inlinable
  @inline(__always)
  mutating func markFree(_ id: UInt32) {
    let page = id &>> Self.pageShift
    let map = unsafe map(page)
    if unsafe map.pointee.summary == 0 {
      unsafe map.pointee.next = freePage
      freePage = page
    }
    let word = (id &>> 5) & 31
    unsafe map.pointee.summary |= 1 &<< word
    unsafe FreeMap.words(map)[Int(word)] |= 1 &<< (id & 31)
  }

  /// Moves nodes from a map to the empty stack, or adds nodes if the maps are empty.
  @inlinable
  @inline(never)
  mutating func refill() {
    guard freePage != Self.noPage else { return add() }
    let map = unsafe map(freePage)
    let word = unsafe UInt32(truncatingIfNeeded: map.pointee.summary.trailingZeroBitCount)
    let words = unsafe FreeMap.words(map)
    var bits = unsafe words[Int(word)]
    let first = (freePage &<< Self.pageShift) | (word &<< 5)
    unsafe words[Int(word)] = 0
    unsafe map.pointee.summary &= ~(1 &<< word)
    if unsafe map.pointee.summary == 0 { freePage = unsafe map.pointee.next }
    // The lowest number comes last, on top.
    while bits != 0 {
      let bit = 31 &- UInt32(truncatingIfNeeded: bits.leadingZeroBitCount)
      bits &= ~(1 &<< bit)
      push(first | bit)
    }
  }

  /// Initializes nodes and pushes them onto the empty stack; allocates once for every 1,024 nodes.
  @inlinable
  mutating func add() {
    if let page = releasedPages.popLast() { return restore(page) }
    precondition(used < .max, "A wheel holds at most 4,294,967,295 timers at once.")
    if Int(used &>> Self.pageShift) == pageCount { addPage() }
    let first = used
    used = first &+ min(Self.batch, .max &- first)
    for id in (first..<used).reversed() {
      unsafe node(id).mark = UInt64(firstStamp)
      push(id)
    }
  }

  /// Pushes a free node onto the stack, which has room.
  @inlinable
  @inline(__always)
  mutating func push(_ id: UInt32) {
    let node = unsafe node(id)
    unsafe freeTop.initialize(to: FreeNode(page: node.page, id: id, stamp: node.stamp))
    unsafe freeTop += 1
  }

  /// Returns the map of a page.
  @inlinable
  @inline(__always)
  func map(_ page: UInt32) -> UnsafeMutablePointer<FreeMap> {
    unsafe (pages[Int(truncatingIfNeeded: page)] + Self.mapOffset)
      .assumingMemoryBound(to: FreeMap.self)
  }
}
