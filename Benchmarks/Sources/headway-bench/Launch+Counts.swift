/// The allocations of a task of a running graph, and the instructions of a forecast, which are the same in every run and
/// decide.
extension Launch {
  /// A case with its limit.
  private struct Operation: Sendable {
    /// The name in the table.
    let title: String
    /// The argument of `launch-counts`.
    let word: String
    /// The number of listeners.
    let listeners: Int
    /// The maximum number of allocations.
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
  /// Without listeners nothing is recorded of a task, and attempts and Swift tasks are reused.
  private static let operations = [
    Operation("immediate task", "immediate", 0.01),
    Operation("asynchronous task", "async", 0.01),
    Operation("immediate task, heard by one", "immediate", listeners: 1, 5.01),
  ]

  /// The number of tasks of a run that is forecast.
  private static let forecastTasks = 1_000

  /// Counts.
  ///
  /// - Returns: The allocations of a task in each case, and the instructions of a forecast.
  /// - Throws: `Trouble` if a process fails.
  static func counts() throws -> [Row] {
    try Counting.of("launch-counts") { counting in
      try operations.map { operation in
        Row(
          area: name, name: "\(operation.title), at most", unit: "allocations",
          value: try counting.allocations(operation.word, size: operation.listeners, times: 20_000),
          goal: operation.ceiling)
      } + [
        Row(
          area: name, name: "forecast of \(forecastTasks) tasks, at most", unit: "instructions",
          value: try counting.instructions("forecast", size: forecastTasks, times: 40),
          goal: 3_000_000)
      ]
    }
  }
}
