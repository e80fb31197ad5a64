/// The instructions and allocations of operations of the wheel, which are the same in every run and decide.
///
/// They are counted with a thousand and with a million other timers and must hardly differ, because operations are
/// O(1).
extension Time {
  /// An operation with its limit.
  private struct Operation: Sendable {
    /// The argument of `timer-counts`.
    let word: String
    /// The maximum number of instructions, a fifth more than when it was set.
    let ceiling: Double
  }

  /// The operations.
  private static let operations = [
    Operation(word: "schedule", ceiling: 110),
    Operation(word: "cancel", ceiling: 150),
    Operation(word: "change", ceiling: 145),
    Operation(word: "postpone", ceiling: 46),
    Operation(word: "reschedule", ceiling: 80),
    Operation(word: "tick", ceiling: 340),
    Operation(word: "expire", ceiling: 1120),
    Operation(word: "service", ceiling: 485),
  ]

  /// The numbers of other timers.
  private static let sizes = [1000, 1_000_000]

  /// The number of operations, which is compared with half of it.
  private static let times = 40_000

  /// Counts.
  ///
  /// - Returns: The instructions and allocations of each operation with few and many timers, and the ratio of the two.
  /// - Throws: `Trouble` if valgrind is missing or a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("timer-counts") { counting in
      try operations.flatMap { operation in
        let word = operation.word
        let instructions = try sizes.map {
          try counting.instructions(word, size: $0, times: times)
        }
        let allocations = try sizes.map { try counting.allocations(word, size: $0, times: times) }
        return [
          Row(
            area: name, name: "\(word), 1e6 beside", unit: "instructions", value: instructions[1],
            peer: "1e3 beside", peerValue: instructions[0], goal: 1.5),
          Row(
            area: name, name: "\(word), at most", unit: "instructions",
            value: instructions.max() ?? .nan, goal: operation.ceiling),
          Row(
            area: name, name: "\(word), at most", unit: "allocations",
            value: allocations.max() ?? .nan, goal: 0.001),
        ]
      }
    }
  }
}
