import Stopwatch
import Synchronization

/// Counters that are no progress trees: what an increment costs at least, and what the obvious tree costs.
enum Counters {
  /// Adds to an atomic, relaxed: what no counter that is right under threads can beat.
  static func atomic(_ times: Int) -> Double {
    let counter = Counter()
    let least = Stopwatch.least(for: times, with: counter) { add(to: $0, times) }
    let count = counter.count.load(ordering: .relaxed)
    Stopwatch.expect(count == Stopwatch.runs * times, "\(count)")
    return least
  }

  /// Adds from two threads, to one atomic or to one on a cache line each.
  static func pair(_ times: Int, isShared: Bool) -> Double {
    let counters = [Counter(), Counter()]
    let least = Stopwatch.leastPair(for: times) { add(to: counters[isShared ? 0 : $0], times) }
    let count = counters.reduce(0) { $0 + $1.count.load(ordering: .relaxed) }
    Stopwatch.expect(count == 2 * Stopwatch.runs * times, "\(count)")
    return least
  }

  /// The additions.
  @inline(never)
  private static func add(to counter: Counter, _ times: Int) {
    for _ in 0..<times { counter.count.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Adds to a node with a lock, and to all above it.
  static func chain(_ times: Int, depth: Int) -> Double {
    let root = LockedNode(parent: nil)
    var leaf = root
    for _ in 1..<depth { leaf = LockedNode(parent: leaf) }
    let least = Stopwatch.least(for: times, with: leaf) { node in
      for _ in 0..<times { node.complete(1) }
    }
    let count = root.count.withLock { $0 }
    Stopwatch.expect(count == Stopwatch.runs * times, "\(count)")
    return least
  }
}

/// An atomic count with so much space around it that no other is on its cache line.
private final class Counter: Sendable {
  /// What keeps the count apart from what is before the object.
  private let before = [16 of Int](repeating: 0)
  /// The count.
  let count = Atomic<Int>(0)
  /// What keeps the count apart from what is behind the object.
  private let behind = [16 of Int](repeating: 0)
}

/// A node that pushes each change up to the root, with a lock at every level.
private final class LockedNode: Sendable {
  /// The node above.
  private let parent: LockedNode?
  /// The completed units.
  let count = Mutex(0)

  /// Creates a node.
  init(parent: LockedNode?) { self.parent = parent }

  /// Adds units here and above.
  func complete(_ units: Int) {
    count.withLock { $0 += units }
    var node = parent
    while let above = node {
      above.count.withLock { $0 += units }
      node = above.parent
    }
  }
}
