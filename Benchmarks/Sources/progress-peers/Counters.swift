import Stopwatch
import Synchronization

/// Counters that are not trees: the minimum cost of an increment, and that of the obvious tree.
enum Counters {
  /// Adds to an atomic with relaxed ordering: no counter that is correct with threads is faster.
  static func atomic(_ times: Int) -> Double {
    let counter = Counter()
    let least = Stopwatch.least(for: times, with: counter) { add(to: $0, times) }
    let count = counter.count.load(ordering: .relaxed)
    Stopwatch.expect(count == Stopwatch.runs * times, "\(count)")
    return least
  }

  /// Adds from two threads, to one atomic or to two on separate cache lines.
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

  /// Adds to a node with a lock, and to all its ancestors.
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

/// An atomic count on a cache line of its own.
private final class Counter: Sendable {
  private let before = [16 of Int](repeating: 0)
  let count = Atomic<Int>(0)
  private let behind = [16 of Int](repeating: 0)
}

/// A node that adds each change to all its ancestors, with a lock at every level.
private final class LockedNode: Sendable {
  /// The parent.
  private let parent: LockedNode?
  /// The completed units.
  let count = Mutex(0)

  /// Creates a node.
  init(parent: LockedNode?) { self.parent = parent }

  /// Adds units to this node and its ancestors.
  func complete(_ units: Int) {
    count.withLock { $0 += units }
    var node = parent
    while let above = node {
      above.count.withLock { $0 += units }
      node = above.parent
    }
  }
}
