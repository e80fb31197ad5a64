// Performs one operation of the progress tree many times, to count its cost.
//
//   progress-counts OPERATION SIZE TIMES
//       prepares a tree for the operation, which SIZE describes, does the operation TIMES times, and prints how often
//       memory was asked for meanwhile
//
// SIZE is the depth for `complete`, the number of live children for `read-live`, the number of finished ones for
// `read-finished`, and ignored otherwise. Under valgrind, the difference between two values of TIMES is the cost of the
// operations alone. Exits with 69 if there is no such operation.

import CMallocCount
import Glibc
import HeadwayProgress
import Stopwatch

/// The operations.
enum Operations {
  /// Completes units of a node that nothing reads.
  @inline(never)
  static func complete(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times { node.complete(1) }
  }

  /// Completes units of a node and checks each time for cancellation.
  @inline(never)
  static func completeUncancelled(_ node: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      if node.isCancelled { return }
      node.complete(1)
    }
  }

  /// Creates, finishes and drops children.
  @inline(never)
  static func child(_ root: ProgressNode, _ times: Int) {
    for _ in 0..<times {
      let child = root.child(units: 1, total: 1)
      child.complete(1)
      child.finish()
    }
  }

  /// Makes a node current, and lets a child join it.
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

  /// Changes one of several children and reads the root.
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

/// Prepares an operation, nil if there is none with that name.
///
/// - Parameters:
///   - name: The name.
///   - size: The size.
/// - Returns: Performs it a number of times.
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
    // The first read visits all of them.
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
// Objects that are created on first use must not count.
operation(1)
let before = malloc_count()
operation(times)
print(malloc_count() - before)
