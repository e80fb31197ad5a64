import CProbe
import HeadwayProgress
import Stopwatch

/// The cases with our progress tree; progress-peers has the same with the peers.
enum TreeTrials {
  /// Measures a case on one thread, nil if there is none with that name.
  ///
  /// - Parameters:
  ///   - name: The name; that of the increment ends with the depth of the tree: `increment-16`.
  ///   - size: The number of increments, rounds or children.
  /// - Returns: The nanoseconds per increment, round or child, or the other values of the case.
  static func measure(_ name: String, _ size: Int) -> [Double]? {
    switch name {
    case "cancel-check": return [checkedIncrement(size)]
    case "child": return [child(size)]
    case "live-bytes": return [liveBytes(size)]
    case "kept-bytes": return [keptBytes(size)]
    case "read-finished": return [readFinished(size)]
    case "read-each": return [readEach(size)]
    case "read-moving": return readMoving(size)
    case "read-one": return [readOne(size)]
    case "implicit": return [implicit(size)]
    case "cancel": return [tell(size) { $0.cancel() }]
    case "pause": return [tell(size) { $0.pause() }]
    default:
      guard name.hasPrefix("increment-"), let depth = Int(name.dropFirst(10)) else { return nil }
      return [increment(size, depth: depth)]
    }
  }
}

// MARK: Increments

extension TreeTrials {
  /// The deepest node of a tree in which each node has one child.
  private static func leaf(depth: Int) -> ProgressNode {
    var node = ProgressNode(total: depth == 1 ? 1 << 60 : 1)
    for level in 1..<depth { node = node.child(units: 1, total: level + 1 == depth ? 1 << 60 : 1) }
    return node
  }

  /// Increments a node at a depth of a tree that nothing reads.
  private static func increment(_ times: Int, depth: Int) -> Double {
    let leaf = leaf(depth: depth)
    let least = Stopwatch.least(for: times, with: leaf) { increment($0, times) }
    Stopwatch.expect(leaf.completed == Stopwatch.runs * times, "\(leaf.completed)")
    return least
  }

  /// The increments.
  @inline(never)
  private static func increment(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times { node.complete(1) }
  }

  /// Increments a node and checks each time for cancellation.
  private static func checkedIncrement(_ times: Int) -> Double {
    let leaf = leaf(depth: 4)
    let least = Stopwatch.least(for: times, with: leaf) { incrementChecked($0, times) }
    Stopwatch.expect(leaf.completed == Stopwatch.runs * times, "\(leaf.completed)")
    return least
  }

  /// The increments with a check each.
  @inline(never)
  private static func incrementChecked(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      if node.isCancelled { return }
      node.complete(1)
    }
  }

  /// Increments one node from two threads; no count may be lost.
  static func pairOnLeaf(_ times: Int) -> [Double] {
    let leaf = leaf(depth: 4)
    let least = Stopwatch.leastPair(for: times) { _ in increment(leaf, times) }
    Stopwatch.expect(leaf.completed == 2 * Stopwatch.runs * times, "\(leaf.completed)")
    return [least]
  }

  /// Increments two nodes of one tree, each from a thread of its own.
  static func pairOnLeaves(_ times: Int) -> [Double] {
    let root = ProgressNode(total: 2)
    let leaves = [root.child(units: 1, total: 1 << 60), root.child(units: 1, total: 1 << 60)]
    let least = Stopwatch.leastPair(for: times) { increment(leaves[$0], times) }
    for leaf in leaves {
      Stopwatch.expect(leaf.completed == Stopwatch.runs * times, "\(leaf.completed)")
    }
    return [least]
  }
}

// MARK: Children

extension TreeTrials {
  /// Creates, finishes and drops a child.
  private static func child(_ times: Int) -> Double {
    let root = ProgressNode(total: .max)
    let least = Stopwatch.least(for: times, with: root) { finishChildren(of: $0, times) }
    Stopwatch.expect(root.completed == Stopwatch.runs * times, "\(root.completed)")
    return least
  }

  /// Creates children one after another and finishes each.
  @inline(never)
  private static func finishChildren(of root: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      let child = root.child(units: 1, total: 1)
      child.complete(1)
      child.finish()
    }
  }

  /// The bytes of a live child.
  private static func liveBytes(_ count: Int) -> Double {
    let root = ProgressNode(total: count)
    var children: [ProgressNode] = []
    children.reserveCapacity(count)
    let bytes = Stopwatch.bytes(for: count) { fill(&children, below: root, count) }
    Stopwatch.expect(children.count == count, "\(children.count)")
    return bytes
  }

  /// The remaining bytes of a finished child.
  private static func keptBytes(_ count: Int) -> Double {
    let root = ProgressNode(total: count)
    finishChildren(of: root, 100)
    let bytes = Stopwatch.bytes(for: count) { finishChildren(of: root, count) }
    Stopwatch.expect(root.completed == count + 100, "\(root.completed)")
    return bytes
  }

  /// Creates live children.
  private static func fill(
    _ children: inout [ProgressNode], below root: ProgressNode, _ count: Int
  ) {
    for _ in 0..<count { children.append(root.child(units: 1, total: 1_000_000)) }
  }

  /// A root with live children.
  private static func tree(_ count: Int) -> (root: ProgressNode, children: [ProgressNode]) {
    let root = ProgressNode(total: count)
    var children: [ProgressNode] = []
    fill(&children, below: root, count)
    return (root, children)
  }

  /// Cancels or pauses a tree, for each of its children.
  private static func tell(_ count: Int, _ tell: (ProgressNode) -> Void) -> Double {
    Stopwatch.least(for: count, runs: 3, with: tree(count)) { tree in
      tell(tree.root)
      let last = tree.children[count - 1]
      Stopwatch.expect(last.isCancelled || last.isPaused, "the last child does not know")
    }
  }

  /// Makes a root current, lets a child join it implicitly, finishes the child and leaves.
  private static func implicit(_ times: Int) -> Double {
    let root = ProgressNode(total: .max)
    let least = Stopwatch.least(for: times, with: root) { join($0, times) }
    Stopwatch.expect(root.completed == Stopwatch.runs * times, "\(root.completed)")
    return least
  }

  /// The rounds of a current node.
  @inline(never)
  private static func join(_ root: ProgressNode, _ times: Int) {
    for _ in 0..<times { root.withCurrent(units: 1) { work() } }
  }

  /// The function that joins the current node.
  @inline(never)
  private static func work() {
    let node = ProgressNode.joinCurrent(total: 1)
    node.complete(1)
  }

  /// Does the rounds of a current node in asynchronous code.
  static func implicitAsync(_ times: Int) async -> [Double] {
    let root = ProgressNode(total: .max)
    let least = await Stopwatch.least(for: times) {
      for _ in 0..<times { await root.withCurrent(units: 1) { await workAsync() } }
    }
    Stopwatch.expect(root.completed == (Stopwatch.runs + 1) * times, "\(root.completed)")
    return [least]
  }

  /// The asynchronous function that joins the current node.
  @inline(never)
  private static func workAsync() async {
    let node = ProgressNode.joinCurrent(total: 1)
    node.complete(1)
  }
}

// MARK: Reads

extension TreeTrials {
  /// The number of reads in a run.
  private static let reads = 10_000

  /// Reads a root whose children have finished.
  private static func readFinished(_ count: Int) -> Double {
    let root = ProgressNode(total: 2 * count)
    finishChildren(of: root, count)
    return Stopwatch.least(for: reads, with: root) { root in
      var sum = 0.0
      for _ in 0..<reads { sum += root.fraction }
      Stopwatch.expect(sum == 0.5 * Double(reads), "\(sum)")
    }
  }

  /// Finishes children one after another and reads the root after each.
  private static func readEach(_ count: Int) -> Double {
    Stopwatch.least(for: count, with: ProgressNode(total: count + 1)) { root in
      var last = 0.0
      for _ in 0..<count {
        finishChildren(of: root, 1)
        last = root.fraction
      }
      Stopwatch.expect(last == Double(count) / Double(count + 1), "\(last)")
    }
  }

  /// Changes all live children and reads the root.
  ///
  /// - Returns: The nanoseconds of the read per child, and those of an increment of a clean node.
  private static func readMoving(_ count: Int) -> [Double] {
    let (root, children) = tree(count)
    var moves = 0.0
    var least = (move: Double.infinity, read: Double.infinity)
    for _ in 0...Stopwatch.runs {
      let start = probe_cpu()
      for child in children { child.complete(1) }
      let moved = probe_cpu()
      let fraction = root.fraction
      let end = probe_cpu()
      moves += 1
      Stopwatch.expect(abs(fraction - moves / 1_000_000) < 1e-9, "\(fraction)")
      // Before the first round nothing has read the tree.
      guard moves > 1 else { continue }
      least.move = min(least.move, Stopwatch.per(moved - start, count))
      least.read = min(least.read, Stopwatch.per(end - moved, count))
    }
    return [least.read, least.move]
  }

  /// Changes one of many children and reads the root.
  private static func readOne(_ count: Int) -> Double {
    let (root, children) = tree(count)
    var last = root.fraction
    return Stopwatch.least(for: reads, with: children[count / 2]) { child in
      for _ in 0..<reads {
        child.complete(1)
        last = root.fraction
      }
      Stopwatch.expect(last > 0 && last < 1, "\(last)")
    }
  }
}
