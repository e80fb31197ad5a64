/// Graphs of tasks that do nothing: our launcher beside oneTBB's flow graph, a task group and Foundation's operations.
///
/// Each case has its own process, which creates and runs the graph ten times on two threads; the minimum time counts.
enum Launch: Area {
  static let name = "launch"

  static func measure(_ options: Options) throws -> [Row] {
    if options.counts { return try counts() }
    let sizes = options.isQuick ? [10_000] : [10_000, 1_000_000]
    var probes: Set<[String]> = []
    let cases = sizes.flatMap(cases)
    for one in cases { probes.formUnion([one.ours] + one.rivals.map(\.command)) }
    let rounds = try Rounds(
      options.rounds,
      probes.sorted { $0.joined() < $1.joined() }.map { command in
        { try run(command) }
      })
    return cases.flatMap { $0.rows(rounds) }
  }

  /// The cases for a number of tasks.
  private static func cases(_ count: Int) -> [LaunchCase] {
    var cases: [LaunchCase] = []
    for shape in ["wide", "chain", "layers"] {
      let words = [shape, "\(count)"]
      let isGoal = shape == "layers"
      // Operations take minutes for a million tasks.
      let operations = LaunchRival(
        "OperationQueue", ["launch-peers", "operations"] + words, isGoal ? 1.0 / 15 : nil)
      cases.append(
        LaunchCase(
          "\(shape), \(count) tasks", "ns", ["launch-graph", "immediate"] + words,
          [
            LaunchRival("oneTBB", ["launch-tbb"] + words, isGoal ? 1.3 : nil),
            LaunchRival("TaskGroup", ["launch-peers", "group"] + words, isGoal ? 0.5 : nil),
          ] + (count > 100_000 ? [] : [operations])))
    }
    let words = ["wide", "\(count)"]
    cases.append(
      LaunchCase(
        "async, \(count) tasks", "ns", ["launch-graph", "async"] + words,
        [LaunchRival("TaskGroup", ["launch-peers", "group"] + words, 1.2)]))
    cases.append(
      LaunchCase(
        "with outputs, \(count) tasks", "ns", ["launch-graph", "outputs", "chain", "\(count)"],
        [
          LaunchRival("variables", ["launch-graph", "variables", "chain", "\(count)"], 1.15),
          LaunchRival("no values", ["launch-graph", "none", "chain", "\(count)"], 1.5),
        ]))
    cases.append(
      LaunchCase(
        "memory, layers of \(count)", "B/task", ["launch-graph", "memory", "layers", "\(count)"], []
      ))
    return cases
  }

  /// Runs a program.
  ///
  /// - Parameter command: The program and its arguments.
  /// - Returns: The values; empty if it was built without its library.
  /// - Throws: `Trouble` if it fails.
  private static func run(_ command: [String]) throws -> [String: Double] {
    let numbers = try Tools.numbers(Tools.beside(command[0]), Array(command.dropFirst()))
    return numbers?.first.map { [command.joined(separator: " "): $0] } ?? [:]
  }
}

/// A peer of a case.
private struct LaunchRival: Sendable {
  /// The name in the table.
  let name: String
  /// The program and its arguments.
  let command: [String]
  /// The maximum ratio.
  let goal: Double?

  /// Creates a peer.
  init(_ name: String, _ command: [String], _ goal: Double?) {
    self.name = name
    self.command = command
    self.goal = goal
  }
}

/// A case with its peers, if it has any.
private struct LaunchCase: Sendable {
  /// The name in the table.
  let title: String
  /// The unit.
  let unit: String
  /// Our program and its arguments.
  let ours: [String]
  /// The peers.
  let rivals: [LaunchRival]

  /// Creates a case.
  init(_ title: String, _ unit: String, _ ours: [String], _ rivals: [LaunchRival]) {
    self.title = title
    self.unit = unit
    self.ours = ours
    self.rivals = rivals
  }

  /// The rows of the measured values.
  func rows(_ rounds: Rounds) -> [Row] {
    let value = rounds.least(ours.joined(separator: " ")) ?? .nan
    let alone = Row(area: Launch.name, name: title, unit: unit, value: value)
    if rivals.isEmpty { return [alone] }
    return rivals.map { rival in
      Row(
        area: Launch.name, name: title, unit: unit, value: value, peer: rival.name,
        peerValue: rounds.least(rival.command.joined(separator: " ")), goal: rival.goal)
    }
  }
}
