/// What a task of a running graph allocates: a gate, because it is the same in every run.
extension Launch {
  /// A case with its ceiling.
  private struct Operation: Sendable {
    /// What it is called in the table.
    let title: String
    /// Its word on the command line of `launch-counts`.
    let word: String
    /// The number of those who listen.
    let listeners: Int
    /// The most allocations.
    let ceiling: Double

    /// Creates a case.
    init(_ title: String, _ word: String, listeners: Int = 0, _ ceiling: Double) {
      self.title = title
      self.word = word
      self.listeners = listeners
      self.ceiling = ceiling
    }
  }

  /// The cases.
  ///
  /// Nothing is noted of a task for listeners when nobody listens, and attempts and Swift tasks are used again.
  private static let operations = [
    Operation("immediate task", "immediate", 0.01),
    Operation("asynchronous task", "async", 0.01),
    Operation("immediate task, heard by one", "immediate", listeners: 1, 5.01),
  ]

  /// Counts.
  ///
  /// - Returns: For each case the allocations of a task.
  /// - Throws: `Trouble` when a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("launch-counts") { counting in
      try operations.map { operation in
        Row(
          area: name, name: "\(operation.title), at most", unit: "allocations",
          value: try counting.allocations(operation.word, size: operation.listeners, times: 20_000),
          goal: operation.ceiling)
      }
    }
  }
}
