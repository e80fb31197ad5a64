// One operation of the progress tree many times, for counting what it costs.
//
//   progress-counts OPERATION SIZE TIMES
//       prepares a tree for the operation, which SIZE describes, does the operation TIMES times, and prints how often
//       memory was asked for meanwhile
//
// SIZE is the depth for `complete`, the live children for `read-live`, the finished ones for `read-finished`, and
// says nothing otherwise. Under valgrind, the difference of two numbers of times is what the operations cost alone.
// Exits with 69 when there is no such operation.

import CMallocCount
import Glibc
import HeadwayProgress
import Stopwatch

/// The operations.
enum Operations {
  /// Completes units of a node that nobody reads.
  @inline(never)
  static func complete(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times { node.complete(1) }
  }

  /// Completes units of a node and asks each time whether it was cancelled.
  @inline(never)
  static func completeUncancelled(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      if node.isCancelled { return }
      node.complete(1)
    }
  }

  /// Makes children, finishes them and lets go of them.
  @inline(never)
  static func child(_ root: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      let child = root.child(units: 1, total: 1)
      child.complete(1)
      child.finish()
    }
  }

  /// Makes a node current and something below it join.
  @inline(never)
  static func implicit(_ root: ProgressNode, _ times: Int) {
    for _ in 0..<times { root.withCurrent(units: 1) { work() } }
  }

  /// Joins the current node.
  @inline(never)
  private static func work() {
    let node = ProgressNode.joinCurrent(total: 1)
    node.complete(1)
  }

  /// Moves one of several children and reads the root.
  @inline(never)
  static func readLive(_ root: ProgressNode, _ child: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      child.complete(1)
      Stopwatch.expect(root.fraction < 1, "a full root")
    }
  }

  /// Completes units of the root and reads it.
  @inline(never)
  static func readFinished(_ root: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      root.complete(1)
      Stopwatch.expect(root.fraction < 1, "a full root")
    }
  }
}

/// Prepares an operation, nil when there is none of that name.
///
/// - Parameters:
///   - name: The operation.
///   - size: What it is prepared for.
/// - Returns: Does it a number of times.
func operation(_ name: String, size: Int) -> ((Int) -> Void)? {
  let root = ProgressNode(total: 1 << 60)
  switch name {
  case "complete", "complete+check":
    var leaf = root
    for _ in 1..<size { leaf = leaf.child(units: 1, total: 1 << 60) }
    return name == "complete"
      ? { Operations.complete(leaf, $0) } : { Operations.completeUncancelled(leaf, $0) }
  case "child": return { Operations.child(root, $0) }
  case "implicit": return { Operations.implicit(root, $0) }
  case "read-live":
    let children = (0..<size).map { _ in root.child(units: 1, total: 1 << 60) }
    // The first read looks at all of them.
    Stopwatch.expect(root.fraction == 0, "\(root.fraction)")
    return { Operations.readLive(root, children[size / 2], $0) }
  case "read-finished":
    Operations.child(root, size)
    Stopwatch.expect(root.fraction > 0, "\(root.fraction)")
    return { Operations.readFinished(root, $0) }
  default: return nil
  }
}

let arguments = CommandLine.arguments
guard
  arguments.count == 4, let size = Int(arguments[2]), size > 0, let times = Int(arguments[3]),
  times >= 0
else {
  print("progress-counts: see the comment at the top of its source")
  exit(64)
}
guard let operation = operation(arguments[1], size: size) else { exit(69) }
// What is made at the first use is made.
operation(1)
let before = malloc_count()
operation(times)
print(malloc_count() - before)
