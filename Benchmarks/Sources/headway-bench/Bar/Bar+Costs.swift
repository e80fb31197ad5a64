/// The cost of calls of the bar.
extension Bar {
  /// A call with its limit.
  private struct Operation: Sendable {
    /// The name in the table.
    let title: String
    /// The argument of `bar-costs`.
    let word: String
    /// The number of buffered ranges and of marks.
    let size: Int
    /// The maximum number of instructions, a fifth more than when it was set.
    let ceiling: Double
  }

  /// The calls.
  private static let operations = [
    Operation(title: "frame: place of the dot", word: "frame", size: 0, ceiling: 250),
    Operation(title: "frame: shown value", word: "shown", size: 0, ceiling: 160),
    Operation(title: "draw", word: "draw", size: 0, ceiling: 1950),
    Operation(title: "draw, 8 ranges and marks", word: "draw", size: 8, ceiling: 6750),
    Operation(title: "report", word: "report", size: 0, ceiling: 6250),
  ]

  /// The number of calls.
  private static let times = 40_000

  /// Counts instructions and allocations.
  ///
  /// - Returns: The instructions and allocations of each call, which are the same in every run and decide.
  /// - Throws: `Trouble` if valgrind is missing or a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("bar-costs") { counting in
      try operations.flatMap { operation in
        let (word, size) = (operation.word, operation.size)
        return [
          Row(
            area: name, name: operation.title, unit: "instructions",
            value: try counting.instructions(word, size: size, times: times),
            goal: operation.ceiling),
          Row(
            area: name, name: operation.title, unit: "allocations",
            value: try counting.allocations(word, size: size, times: times), goal: 0),
        ]
      }
    }
  }

  /// Measures the times of calls.
  ///
  /// - Parameter options: The options.
  /// - Returns: The nanoseconds of each call, the minimum of all rounds.
  /// - Throws: `Trouble` if a process fails.
  static func costs(_ options: Options) throws -> [Row] {
    let times = options.isQuick ? 100_000 : 1_000_000
    let rounds = try Rounds(
      options.rounds,
      operations.map { operation in
        {
          let numbers = try Tools.numbers(
            Tools.beside("bar-costs"), [operation.word, "\(operation.size)", "\(times)"])
          guard let numbers, numbers.count == 2 else { throw Trouble("bar-costs printed nothing") }
          return [operation.title: numbers[1] / Double(times)]
        }
      })
    return operations.map { operation in
      Row(
        area: name, name: operation.title, unit: "ns", value: rounds.least(operation.title) ?? .nan)
    }
  }
}
