/// A binary heap of the timers beyond the highest level of a wheel, ordered by deadline.
///
/// If the highest level wrapped instead, such timers would fire in a wrong rotation, or would have to be examined in
/// every rotation. Here each one is examined once, when the wheel comes within reach of its deadline.
@usableFromInline
struct OverflowHeap {
  @usableFromInline
  struct Entry {
    /// The tick under which the timer is filed.
    @usableFromInline var deadline: UInt64
    /// The number of the node.
    @usableFromInline var id: UInt32
    /// The stamp of the node when it was filed.
    @usableFromInline var stamp: UInt32

    @inlinable
    init(deadline: UInt64, id: UInt32, stamp: UInt32) {
      self.deadline = deadline
      self.id = id
      self.stamp = stamp
    }
  }

  @usableFromInline var heap: [Entry] = []

  @inlinable
  init() {}

  /// The number of entries, including dead ones.
  @inlinable var count: Int { heap.count }

  /// The entry with the earliest deadline.
  @inlinable var first: Entry? { heap.first }

  /// Adds an entry in O(log n).
  @usableFromInline
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entry.deadline < heap[parent].deadline else { break }
      heap[child] = heap[parent]
      child = parent
    }
    heap[child] = entry
  }

  /// Removes the entry with the earliest deadline in O(log n).
  @usableFromInline
  mutating func removeFirst() {
    let last = heap.removeLast()
    if !heap.isEmpty { sink(last, from: 0) }
  }

  /// Inserts an entry at an index, or below it if its children come first.
  private mutating func sink(_ entry: Entry, from start: Int) {
    var parent = start
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
      guard heap[child].deadline < entry.deadline else { break }
      heap[parent] = heap[child]
      parent = child
    }
    heap[parent] = entry
  }
}
