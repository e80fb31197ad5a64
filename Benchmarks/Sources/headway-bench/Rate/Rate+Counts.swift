/// What a report and a look cost: a gate, because it is the same in every run.
extension Rate {
  /// A case with its ceilings.
  private struct Operation: Sendable {
    /// What it is called in the table.
    let title: String
    /// Its word on the command line of `rate-counts`.
    let word: String
    /// How many there are in a second.
    let perSecond: Int
    /// The most instructions.
    let instructions: Double
  }

  /// The cases.
  private static let operations = [
    Operation(title: "report, 1000 a second", word: "report", perSecond: 1000, instructions: 500),
    Operation(
      title: "report and look, 10 a second", word: "show", perSecond: 10, instructions: 1500),
  ]

  /// Counts.
  ///
  /// - Returns: For each case the instructions and the allocations.
  /// - Throws: `Trouble` when a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("rate-counts") { counting in
      try operations.flatMap { operation in
        [
          Row(
            area: name, name: operation.title, unit: "instructions",
            value: try counting.instructions(
              operation.word, size: operation.perSecond, times: 20_000),
            goal: operation.instructions),
          Row(
            area: name, name: "\(operation.title), at most", unit: "allocations",
            value: try counting.allocations(
              operation.word, size: operation.perSecond, times: 20_000),
            goal: 0),
        ]
      }
    }
  }
}
