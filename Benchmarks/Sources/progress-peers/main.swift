// The peers of the progress benchmark, with one case in each process, as progress-tree measures our side.
//
//   progress-peers PEER CASE SIZE
//       PEER is atomic, mutex or foundation; CASE is one of Counters.swift or FoundationTrials.swift; SIZE is the
//       number of increments, rounds or children
//
// Exits with 69 if there is no such case.

import CProbe
import Glibc
import Stopwatch

/// Measures a case of a peer, nil if there is none with that name.
///
/// - Parameters:
///   - peer: The peer.
///   - name: The name; that of the increment ends with the depth of the tree: `increment-16`.
///   - size: The number of increments, rounds or children.
/// - Returns: The nanoseconds per increment, round or child, or its bytes.
func measure(_ peer: String, _ name: String, _ size: Int) -> Double? {
  if peer == "atomic", name.hasPrefix("pair-") {
    return Counters.pair(size, isShared: name == "pair-shared")
  }
  probe_pin()
  let depth = name.hasPrefix("increment-") ? Int(name.dropFirst(10)) : nil
  switch (peer, depth) {
  case ("atomic", 1?): return Counters.atomic(size)
  case ("mutex", let depth?): return Counters.chain(size, depth: depth)
  case ("foundation", let depth?): return FoundationTrials.increment(size, depth: depth)
  case ("foundation", nil): return FoundationTrials.measure(name, size)
  default: return nil
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let size = Int(arguments[3]), size > 1 else {
  print("progress-peers: see the comment at the top of its source")
  exit(64)
}
guard let number = measure(arguments[1], arguments[2], size) else { exit(69) }
Stopwatch.tell([number])
