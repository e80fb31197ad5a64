import CProbe
import Foundation
import Stopwatch

/// The cases with Foundation's `Progress`; `TreeTrials` has the same with our tree.
///
/// There is none with two threads, because `Progress` has no lock and loses counts.
enum FoundationTrials {
  /// Measures a case, nil if there is none with that name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - size: The number of rounds or children.
  /// - Returns: The nanoseconds per round or child, or its bytes.
  static func measure(_ name: String, _ size: Int) -> Double? {
    switch name {
    case "child": child(size)
    case "live-bytes": liveBytes(size)
    case "read-finished": readFinished(size)
    case "read-each": readEach(size)
    case "read-moving": readMoving(size)
    case "implicit": implicit(size)
    case "cancel": tell(size) { $0.cancel() }
    case "pause": tell(size) { $0.pause() }
    default: nil
    }
  }

  /// Increments a node at a depth of a tree.
  static func increment(_ times: Int, depth: Int) -> Double {
    let root = Progress(totalUnitCount: depth == 1 ? 1 << 40 : 1)
    var leaf = root
    for level in 1..<depth {
      let total: Int64 = level + 1 == depth ? 1 << 40 : 1
      leaf = Progress(totalUnitCount: total, parent: leaf, pendingUnitCount: 1)
    }
    let least = Stopwatch.least(for: times, with: leaf) { node in
      for _ in 0..<times { node.completedUnitCount += 1 }
    }
    Stopwatch.expect(
      leaf.completedUnitCount == Stopwatch.runs * times, "\(leaf.completedUnitCount)")
    return withExtendedLifetime(root) { least }
  }

  /// Creates, finishes and drops a child.
  private static func child(_ times: Int) -> Double {
    let root = Progress(totalUnitCount: .max)
    let least = Stopwatch.least(for: times, with: root) { finishChildren(of: $0, times) }
    Stopwatch.expect(
      root.completedUnitCount == Stopwatch.runs * times, "\(root.completedUnitCount)")
    return least
  }

  /// Creates children one after another and finishes each.
  @inline(never)
  private static func finishChildren(of root: Progress, _ times: Int) {
    for _ in 0..<times {
      let child = Progress(totalUnitCount: 1, parent: root, pendingUnitCount: 1)
      child.completedUnitCount = 1
    }
  }

  /// The bytes of a live child.
  private static func liveBytes(_ count: Int) -> Double {
    let root = Progress(totalUnitCount: Int64(count))
    var children: [Progress] = []
    children.reserveCapacity(count)
    let bytes = Stopwatch.bytes(for: count) { fill(&children, below: root, count) }
    Stopwatch.expect(children.count == count, "\(children.count)")
    return bytes
  }

  /// Creates live children.
  private static func fill(_ children: inout [Progress], below root: Progress, _ count: Int) {
    for _ in 0..<count {
      children.append(Progress(totalUnitCount: 1_000_000, parent: root, pendingUnitCount: 1))
    }
  }

  /// A root with live children.
  private static func tree(_ count: Int) -> (root: Progress, children: [Progress]) {
    let root = Progress(totalUnitCount: Int64(count))
    var children: [Progress] = []
    fill(&children, below: root, count)
    return (root, children)
  }

  /// Cancels or pauses a tree, for each of its children.
  private static func tell(_ count: Int, _ tell: (Progress) -> Void) -> Double {
    Stopwatch.least(for: count, runs: 3, with: tree(count)) { tree in
      tell(tree.root)
      let last = tree.children[count - 1]
      Stopwatch.expect(last.isCancelled || last.isPaused, "the last child does not know")
    }
  }

  /// Makes a root current, creates a child implicitly, finishes it and resigns.
  private static func implicit(_ times: Int) -> Double {
    let root = Progress(totalUnitCount: .max)
    let least = Stopwatch.least(for: times, with: root) { root in
      for _ in 0..<times {
        root.becomeCurrent(withPendingUnitCount: 1)
        work()
        root.resignCurrent()
      }
    }
    Stopwatch.expect(
      root.completedUnitCount == Stopwatch.runs * times, "\(root.completedUnitCount)")
    return least
  }

  /// The function that joins the current node.
  @inline(never)
  private static func work() {
    let node = Progress(totalUnitCount: 1)
    node.completedUnitCount = 1
  }

  /// Reads a root whose children have finished.
  private static func readFinished(_ count: Int) -> Double {
    let reads = 10_000
    let root = Progress(totalUnitCount: Int64(2 * count))
    finishChildren(of: root, count)
    return Stopwatch.least(for: reads, with: root) { root in
      var sum = 0.0
      for _ in 0..<reads { sum += root.fractionCompleted }
      Stopwatch.expect(abs(sum - 0.5 * Double(reads)) < 1e-6 * Double(reads), "\(sum)")
    }
  }

  /// Finishes children one after another and reads the root after each.
  private static func readEach(_ count: Int) -> Double {
    let total = Int64(count + 1)
    return Stopwatch.least(for: count, with: Progress(totalUnitCount: total)) { root in
      var last = 0.0
      for _ in 0..<count {
        finishChildren(of: root, 1)
        last = root.fractionCompleted
      }
      Stopwatch.expect(last > 0, "\(last)")
    }
  }

  /// Changes all live children and reads the root: each change has been passed up already.
  private static func readMoving(_ count: Int) -> Double {
    let tree = tree(count)
    return Stopwatch.least(for: count, runs: 3, with: tree) { tree in
      for child in tree.children { child.completedUnitCount += 1 }
      Stopwatch.expect(tree.root.fractionCompleted >= 0, "less than 0")
    }
  }
}
