/// The timers of a wheel that lie beyond its last level, with their whole deadlines, the earliest first.
///
/// A wheel whose last level wraps fires such timers at a wrong turn, or looks at them at every turn. Here
/// each waits in a binary heap and is fetched once, when the wheel reaches the window of its deadline. Not
/// thread safe.
@usableFromInline
struct FarDeadlines {
  /// One timer.
  @usableFromInline
  struct Entry {
    /// The tick it is filed under.
    @usableFromInline var deadline: UInt64
    /// The node.
    @usableFromInline var id: UInt32
    /// The generation of the node when it was filed.
    @usableFromInline var generation: UInt32

    /// Creates an entry.
    @inlinable
    init(deadline: UInt64, id: UInt32, generation: UInt32) {
      self.deadline = deadline
      self.id = id
      self.generation = generation
    }
  }

  /// The heap.
  @usableFromInline var heap: [Entry] = []

  /// Creates an empty store.
  @inlinable
  init() {}

  /// The number of entries, dead ones among them.
  @inlinable var count: Int { heap.count }

  /// The entry with the earliest deadline.
  @inlinable var first: Entry? { heap.first }

  /// Adds an entry.
  ///
  /// - Parameter entry: The entry.
  /// - Complexity: O(log n).
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

  /// Removes the entry with the earliest deadline.
  ///
  /// - Complexity: O(log n).
  @usableFromInline
  mutating func removeFirst() {
    let last = heap.removeLast()
    if !heap.isEmpty { sink(last, from: 0) }
  }

  /// Puts an entry at a place or below it.
  private mutating func sink(_ entry: Entry, from place: Int) {
    var parent = place
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
