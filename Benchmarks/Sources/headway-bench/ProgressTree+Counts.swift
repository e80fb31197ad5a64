/// The instructions and allocations of operations of the progress tree, which are the same in every run and decide.
extension ProgressTree {
  /// An operation with its limits.
  private struct Operation: Sendable {
    /// The name in the table.
    let title: String
    /// The argument of `progress-counts`.
    let word: String
    /// The size.
    let small: Int
    /// The size for comparison, nil if it makes no difference.
    let large: Int?
    /// The names of the two sizes.
    let names: (String, String)
    /// The number of operations.
    let times: Int
    /// The maximum ratio.
    let growth: Double
    /// The maximum number of instructions, a fifth more than when it was set.
    let ceiling: Double
    /// The maximum number of allocations.
    let allocations: Double
  }

  /// The operations.
  ///
  /// Two of the four allocations of a current node are made by the runtime, for a task-local value outside of a task.
  private static let operations = [
    Operation(
      title: "increment", word: "complete", small: 1, large: 32, names: ("depth 1", "depth 32"),
      times: 100_000, growth: 1.01, ceiling: 7.5, allocations: 0),
    Operation(
      title: "increment, asks for cancel", word: "complete+check", small: 1, large: 32,
      names: ("depth 1", "depth 32"), times: 100_000, growth: 1.01, ceiling: 11, allocations: 0),
    Operation(
      title: "child: create, finish, drop", word: "child", small: 1, large: nil, names: ("", ""),
      times: 20_000, growth: 1, ceiling: 1_220, allocations: 1),
    Operation(
      title: "enter, child, leave", word: "implicit", small: 1, large: nil, names: ("", ""),
      times: 20_000, growth: 1, ceiling: 2_850, allocations: 4),
    Operation(
      title: "move 1 and read", word: "read-live", small: 1_000, large: 100_000,
      names: ("1e3 live", "1e5 live"), times: 10_000, growth: 1.5, ceiling: 790, allocations: 0),
    Operation(
      title: "complete and read", word: "read-finished", small: 1_000, large: 100_000,
      names: ("1e3 finished", "1e5 finished"), times: 10_000, growth: 1.5, ceiling: 710,
      allocations: 0),
  ]

  /// Counts.
  ///
  /// - Returns: The instructions and allocations of each operation, and the ratio of the two sizes.
  /// - Throws: `Trouble` if valgrind is missing or a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("progress-counts") { counting in
      try operations.flatMap { try rows(of: $0, counting) }
    }
  }

  /// The rows of an operation.
  private static func rows(of operation: Operation, _ counting: Counting) throws -> [Row] {
    let sizes = [operation.small] + (operation.large.map { [$0] } ?? [])
    let instructions = try sizes.map {
      try counting.instructions(operation.word, size: $0, times: operation.times)
    }
    let allocations = try sizes.map {
      try counting.allocations(operation.word, size: $0, times: operation.times)
    }
    var rows = [
      Row(
        area: name, name: "\(operation.title), at most", unit: "instructions",
        value: instructions.max() ?? .nan, goal: operation.ceiling),
      Row(
        area: name, name: "\(operation.title), at most", unit: "allocations",
        value: allocations.max() ?? .nan, goal: operation.allocations + 0.001),
    ]
    if let many = instructions.dropFirst().first {
      rows.insert(
        Row(
          area: name, name: "\(operation.title), \(operation.names.1)", unit: "instructions",
          value: many, peer: operation.names.0, peerValue: instructions[0],
          goal: operation.growth), at: 0)
    }
    return rows
  }
}
