/// What an operation of the progress tree costs in instructions and allocations: a gate, because both are the same
/// in every run.
extension ProgressTree {
  /// An operation with its ceilings.
  private struct Operation: Sendable {
    /// What it is called in the table.
    let title: String
    /// Its word on the command line of `progress-counts`.
    let word: String
    /// What it is done with at first.
    let small: Int
    /// What it is done with for comparison, nil where that says nothing.
    let large: Int?
    /// What the two are called.
    let names: (String, String)
    /// How often it is done.
    let times: Int
    /// The most that the ratio may be.
    let growth: Double
    /// The most instructions, a fifth more than when it was last looked at.
    let ceiling: Double
    /// The most allocations.
    let allocations: Double
  }

  /// The operations.
  private static let operations = [
    Operation(
      title: "increment", word: "complete", small: 1, large: 32, names: ("depth 1", "depth 32"),
      times: 100_000, growth: 1.01, ceiling: 7.5, allocations: 0),
    Operation(
      title: "increment, asks for cancel", word: "complete+check", small: 1, large: 32,
      names: ("depth 1", "depth 32"), times: 100_000, growth: 1.01, ceiling: 11, allocations: 0),
    Operation(
      title: "child: create, finish, drop", word: "child", small: 1, large: nil, names: ("", ""),
      times: 20_000, growth: 1, ceiling: 1_700, allocations: 1),
    Operation(
      title: "enter, child, leave", word: "implicit", small: 1, large: nil, names: ("", ""),
      times: 20_000, growth: 1, ceiling: 3_300, allocations: 4),
    Operation(
      title: "move 1 and read", word: "read-live", small: 1_000, large: 100_000,
      names: ("1e3 live", "1e5 live"), times: 10_000, growth: 1.5, ceiling: 1_150, allocations: 0),
    Operation(
      title: "complete and read", word: "read-finished", small: 1_000, large: 100_000,
      names: ("1e3 finished", "1e5 finished"), times: 10_000, growth: 1.5, ceiling: 1_100,
      allocations: 0),
  ]

  /// Counts.
  ///
  /// - Returns: For each operation its instructions and allocations, and where its size could matter the ratio
  ///   of few and many.
  /// - Throws: `Trouble` when valgrind is missing or a process fails.
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
