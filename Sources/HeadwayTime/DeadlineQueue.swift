/// The deadlines that are armed, the earliest first.
///
/// A pure value: it knows no clock and no thread, and whoever holds it passes the time in. It is a
/// binary heap over a slab of slots, so a deadline can be cancelled by its handle.
///
/// ```swift
/// var queue = DeadlineQueue<String>()
/// let handle = queue.arm(at: .seconds(5), payload: "fetch")
/// queue.earliest                      // 5 seconds
/// queue.cancel(handle)                // "fetch"
/// queue.popExpired(at: .seconds(9))   // nil: it was cancelled
/// ```
///
/// Not thread safe; a deadline fires never early, and those of one moment in the order they were armed.
package struct DeadlineQueue<Payload> {
  /// Names one armed deadline; a handle whose deadline is gone is stale and does nothing.
  package struct Handle: Hashable, Sendable {
    /// The place in the slab.
    fileprivate var slot: Int
    /// Counts the uses of the slot, so that a handle of an earlier use is recognised.
    fileprivate var generation: UInt32
  }

  /// One place of the slab.
  fileprivate struct Slot {
    /// When it expires.
    var deadline: Duration
    /// The order of arming, which decides between equal deadlines.
    var order: UInt64
    /// What to hand out; nil while the slot is free.
    var payload: Payload?
    /// How often the slot has been given out.
    var generation: UInt32
    /// Where it stands in the heap.
    var position: Int
  }

  /// The slab: armed and free slots.
  private var slots: [Slot] = []
  /// The free places of the slab.
  private var free: [Int] = []
  /// Places of the slab, as a binary heap by deadline and order.
  private var heap: [Int] = []
  /// The order that the next deadline gets.
  private var nextOrder: UInt64 = 0

  /// Creates a queue with nothing armed.
  package init() {}

  /// The number of armed deadlines.
  ///
  /// - Complexity: O(1).
  package var count: Int { heap.count }

  /// The moment of the earliest deadline, nil when nothing is armed.
  ///
  /// - Complexity: O(1).
  package var earliest: Duration? { heap.first.map { slots[$0].deadline } }

  /// Arms a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The moment it expires, on the caller's time line; one that has passed expires at once.
  ///   - payload: What `popExpired(at:)` hands out.
  /// - Returns: The handle that cancels it.
  /// - Complexity: O(log n).
  @discardableResult
  package mutating func arm(at deadline: Duration, payload: Payload) -> Handle {
    let place: Int
    if let reused = free.popLast() {
      place = reused
      slots[place].generation &+= 1
    } else {
      place = slots.count
      slots.append(Slot(deadline: deadline, order: 0, payload: nil, generation: 0, position: 0))
    }
    slots[place].deadline = deadline
    slots[place].order = nextOrder
    slots[place].payload = payload
    nextOrder += 1
    heap.append(place)
    slots[place].position = heap.count - 1
    siftUp(heap.count - 1)
    return Handle(slot: place, generation: slots[place].generation)
  }

  /// Takes an armed deadline away.
  ///
  /// - Parameter handle: What `arm(at:payload:)` returned.
  /// - Returns: The payload, or nil when the deadline has expired or was cancelled before.
  /// - Complexity: O(log n).
  @discardableResult
  package mutating func cancel(_ handle: Handle) -> Payload? {
    guard handle.slot < slots.count, slots[handle.slot].generation == handle.generation,
      slots[handle.slot].payload != nil
    else { return nil }
    return remove(at: slots[handle.slot].position)
  }

  /// Takes the earliest deadline that has expired.
  ///
  /// - Parameter now: The time on the caller's time line.
  /// - Returns: Its payload, or nil when none has expired.
  /// - Complexity: O(log n).
  package mutating func popExpired(at now: Duration) -> Payload? {
    guard let first = heap.first, slots[first].deadline <= now else { return nil }
    return remove(at: 0)
  }

  /// Takes the slot at a place of the heap out.
  private mutating func remove(at position: Int) -> Payload? {
    let place = heap[position]
    let last = heap.removeLast()
    if position < heap.count {
      heap[position] = last
      slots[last].position = position
      siftDown(position)
      siftUp(position)
    }
    free.append(place)
    return slots[place].payload.take()
  }

  /// Whether one slot comes before another.
  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (slots[left].deadline, slots[left].order) < (slots[right].deadline, slots[right].order)
  }

  /// Moves an entry towards the root until its parent precedes it.
  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(heap[child], heap[parent]) else { return }
      swapEntries(child, parent)
      child = parent
    }
  }

  /// Moves an entry towards the leaves until it precedes both children.
  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if precedes(heap[child], heap[first]) { first = child }
      }
      guard first != parent else { return }
      swapEntries(parent, first)
      parent = first
    }
  }

  /// Exchanges two entries of the heap.
  private mutating func swapEntries(_ left: Int, _ right: Int) {
    heap.swapAt(left, right)
    slots[heap[left]].position = left
    slots[heap[right]].position = right
  }
}

extension DeadlineQueue: Sendable where Payload: Sendable {}
extension DeadlineQueue.Slot: Sendable where Payload: Sendable {}
