// Our side of the graph benchmark, with one case in each process.
//
//   launch-graph FORM SHAPE TASKS
//       FORM is immediate, async, memory, outputs, variables or none; SHAPE is wide, chain or layers
//
// With outputs, variables or none as FORM, SHAPE is not used: a hundred chains of asynchronous tasks, of which each gets
// what the one before it has returned, reads it from a variable behind a lock, or gets nothing.
//
// Prints the nanoseconds per task, from the creation of the graph to the result, with a time limit for each task; or
// the bytes of a graph and its launcher per task.

import CProbe
import Glibc
import GraphShapes
import Headway
import Stopwatch
import Synchronization

/// Creates the graph of a shape.
///
/// - Parameters:
///   - shape: The shape.
///   - count: The number of tasks.
///   - body: The body of each task.
/// - Returns: The graph.
func graph(_ shape: GraphShape, _ count: Int, _ body: TaskBody) -> LaunchGraph {
  var graph = LaunchGraph()
  graph.reserveCapacity(tasks: count, edges: count * shape.mostEarlier)
  var generator = SeededRandom()
  let settings = TaskSettings(timeout: .seconds(60))
  for place in 0..<count {
    let task = graph.add(String(place), settings: settings, body)
    shape.eachEarlier(place, &generator) { graph.addDependency(of: task, on: TaskID($0)) }
  }
  return graph
}

/// Runs a graph.
///
/// - Parameters:
///   - shape: The shape.
///   - count: The number of tasks.
///   - body: The body of each task.
///   - workers: The number of workers.
/// - Throws: Nothing, because the graph is valid.
func run(_ shape: GraphShape, _ count: Int, _ body: TaskBody, workers: Int) async throws {
  let launcher = try Launcher(
    graph(shape, count, body), options: LauncherOptions(workers: workers))
  let result = await launcher.run()
  Stopwatch.expect(result.isSuccess && result.tasks.count == count, "\(result.tasks.count)")
}

/// Runs a hundred chains of asynchronous tasks.
///
/// - Parameters:
///   - count: The number of tasks.
///   - hasOutputs: Whether each task gets the output of the one before it in its chain.
/// - Throws: Nothing, because the graph is valid.
func runChains(_ count: Int, hasOutputs: Bool) async throws {
  var graph = LaunchGraph()
  graph.reserveCapacity(tasks: count, edges: count)
  var outputs: [TaskOutput<Int>] = []
  outputs.reserveCapacity(count)
  for place in 0..<count {
    let name = String(place)
    if hasOutputs {
      outputs.append(
        place < 100
          ? graph.add(name) { _ in place }
          : graph.add(name, after: outputs[place - 100]) { $0 + 100 })
    } else {
      graph.add(name, after: place < 100 ? [] : [TaskID(place - 100)], .asynchronous { _ in })
    }
  }
  let result = try await Launcher(graph, options: LauncherOptions(workers: 2)).run()
  Stopwatch.expect(
    result.isSuccess && (outputs.last.map { result[$0] == count - 1 } ?? true), "\(result)")
}

/// A variable behind a lock, in which a task without an output keeps what others need.
final class Variable: Sendable {
  let value = Mutex(0)
}

/// Runs the same chains with what tasks return in variables.
///
/// - Parameter count: The number of tasks.
/// - Throws: Nothing, because the graph is valid.
func runChainsWithVariables(_ count: Int) async throws {
  var graph = LaunchGraph()
  graph.reserveCapacity(tasks: count, edges: count)
  var variables: [Variable] = []
  variables.reserveCapacity(count)
  for place in 0..<count {
    let own = Variable()
    variables.append(own)
    if place < 100 {
      graph.add(String(place), .asynchronous { _ in own.value.withLock { $0 = place } })
    } else {
      let before = variables[place - 100]
      graph.add(
        String(place), after: [TaskID(place - 100)],
        .asynchronous { _ in
          let value = before.value.withLock { $0 }
          own.value.withLock { $0 = value + 100 }
        })
    }
  }
  let result = try await Launcher(graph, options: LauncherOptions(workers: 2)).run()
  Stopwatch.expect(
    result.isSuccess && variables[count - 1].value.withLock { $0 } == count - 1, "\(result)")
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let shape = GraphShape(rawValue: arguments[2]),
  let count = Int(arguments[3]), count > 1
else {
  print("launch-graph: see the comment at the top of its source")
  exit(64)
}
switch arguments[1] {
case "immediate":
  let least = try await Stopwatch.leastTime(for: count) {
    try await run(shape, count, .immediate { _ in }, workers: 2)
  }
  Stopwatch.tell([least])
case "async":
  // As many as there are tasks, as in a task group.
  let least = try await Stopwatch.leastTime(for: count) {
    try await run(shape, count, .asynchronous { _ in }, workers: count)
  }
  Stopwatch.tell([least])
case "outputs", "none":
  let least = try await Stopwatch.leastTime(for: count) {
    try await runChains(count, hasOutputs: arguments[1] == "outputs")
  }
  Stopwatch.tell([least])
case "variables":
  let least = try await Stopwatch.leastTime(for: count) { try await runChainsWithVariables(count) }
  Stopwatch.tell([least])
case "memory":
  let before = probe_bytes()
  let launcher = try Launcher(
    graph(shape, count, .immediate { _ in }), options: LauncherOptions(workers: 2))
  Stopwatch.tell([Stopwatch.per(max(probe_bytes(), before) - before, count)])
  withExtendedLifetime(launcher) {}
default: exit(69)
}
