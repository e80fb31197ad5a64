// Our side of the progress benchmark, with one case in each process, as progress-peers measures the others.
//
//   progress-tree CASE SIZE
//       CASE is one of TreeTrials.swift or FeedTrial.swift, which describe the output; SIZE is the number of
//       increments, rounds or children
//
// Exits with 69 if there is no such case.

import CProbe
import Glibc
import Stopwatch

let arguments = CommandLine.arguments
guard arguments.count == 3, let size = Int(arguments[2]), size > 1 else {
  print("progress-tree: see the comment at the top of its source")
  exit(64)
}
let numbers: [Double]?
switch arguments[1] {
case "pair-leaf": numbers = TreeTrials.pairOnLeaf(size)
case "pair-own": numbers = TreeTrials.pairOnLeaves(size)
case "feed": numbers = await FeedTrial.run(size)
default:
  probe_pin()
  if arguments[1] == "implicit-async" {
    numbers = await TreeTrials.implicitAsync(size)
  } else {
    numbers = TreeTrials.measure(arguments[1], size)
  }
}
guard let numbers else { exit(69) }
Stopwatch.tell(numbers)
