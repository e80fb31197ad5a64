/// The cost of a report and of reading the remaining time, which is the same in every run and decides.
extension Rate {
  /// A case with its limits.
  private struct Operation: Sendable {
    /// The name in the table.
    let title: String
    /// The argument of `rate-counts`.
    let word: String
    /// The number of operations per second.
    let perSecond: Int
    /// The maximum number of instructions.
    let instructions: Double
  }

  /// The cases.
  private static let operations = [
    Operation(title: "report, 1000 a second", word: "report", perSecond: 1000, instructions: 500),
    Operation(
      title: "report and read, 10 a second", word: "show", perSecond: 10, instructions: 1500),
  ]

  /// Counts.
  ///
  /// - Returns: The instructions and allocations of each case.
  /// - Throws: `Trouble` if a process fails.
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
