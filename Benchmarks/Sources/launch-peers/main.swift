// The peers of the graph benchmark that are written in Swift, with one case in each process, as launch-graph measures
// our side.
//
//   launch-peers PEER SHAPE TASKS
//       PEER is group or operations; SHAPE is wide, chain or layers
//
// Prints the nanoseconds per task, from the creation of the graph to the end. Exits with 69 if there is no such peer.

import Foundation
import GraphShapes
import Stopwatch
import Synchronization

/// Runs a graph in a task group, which starts a task when its dependencies have ended.
///
/// - Parameters:
///   - shape: The shape.
///   - count: The number of tasks.
func group(_ shape: GraphShape, _ count: Int) async {
  if shape == .wide {
    return await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask {} }
    }
  }
  var waits = Array(repeating: 0, count: count)
  var dependents = Array(repeating: [Int](), count: count)
  var generator = SeededRandom()
  for place in 0..<count {
    shape.eachEarlier(place, &generator) { earlier in
      dependents[earlier].append(place)
      waits[place] += 1
    }
  }
  var ended = 0
  await withTaskGroup(of: Int.self) { group in
    for place in 0..<count where waits[place] == 0 { group.addTask { place } }
    for await place in group {
      ended += 1
      for dependent in dependents[place] {
        waits[dependent] -= 1
        if waits[dependent] == 0 { group.addTask { dependent } }
      }
    }
  }
  Stopwatch.expect(ended == count, "\(ended)")
}

/// Runs a graph in an operation queue, two at a time.
///
/// - Parameters:
///   - shape: The shape.
///   - count: The number of tasks.
func operations(_ shape: GraphShape, _ count: Int) {
  let ended = Counter()
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 2
  var operations: [BlockOperation] = []
  var generator = SeededRandom()
  for place in 0..<count {
    let operation = BlockOperation { ended.count.wrappingAdd(1, ordering: .relaxed) }
    shape.eachEarlier(place, &generator) { operation.addDependency(operations[$0]) }
    operations.append(operation)
  }
  queue.addOperations(operations, waitUntilFinished: true)
  let sum = ended.count.load(ordering: .relaxed)
  Stopwatch.expect(sum == count, "\(sum)")
}

/// A count that several threads change.
final class Counter: Sendable {
  /// The count.
  let count = Atomic<Int>(0)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let shape = GraphShape(rawValue: arguments[2]),
  let count = Int(arguments[3]), count > 1
else {
  print("launch-peers: see the comment at the top of its source")
  exit(64)
}
switch arguments[1] {
case "group":
  Stopwatch.tell([await Stopwatch.leastTime(for: count) { await group(shape, count) }])
case "operations":
  Stopwatch.tell([await Stopwatch.leastTime(for: count) { operations(shape, count) }])
default: exit(69)
}
