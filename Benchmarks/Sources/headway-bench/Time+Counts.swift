import Foundation

/// What an operation of the wheel costs in instructions and allocations: a gate, because both are the same in
/// every run.
///
/// The instructions are those that callgrind counts for twice as many operations less those for the half, so
/// that nothing else is in them. They are counted with a thousand and with a million timers beside, and may
/// hardly differ: that is what O(1) means.
extension Time {
  /// An operation with its ceiling.
  private struct Operation: Sendable {
    /// Its word on the command line of `timer-counts`.
    let word: String
    /// The most instructions, a fifth more than when it was last looked at.
    let ceiling: Double
  }

  /// The operations.
  private static let operations = [
    Operation(word: "schedule", ceiling: 110),
    Operation(word: "cancel", ceiling: 150),
    Operation(word: "change", ceiling: 170),
    Operation(word: "postpone", ceiling: 46),
    Operation(word: "reschedule", ceiling: 80),
    Operation(word: "tick", ceiling: 340),
    Operation(word: "expire", ceiling: 1120),
  ]

  /// The numbers of timers beside those of the operation.
  private static let sizes = [1000, 1_000_000]

  /// The times that an operation is done, and half of it.
  private static let times = [40_000, 20_000]

  /// Counts.
  ///
  /// - Returns: For each operation its instructions and allocations with few timers and many, and the ratio
  ///   of the two.
  /// - Throws: `Trouble` when valgrind is missing or a process fails.
  static func counts() throws -> [Row] {
    guard let valgrind = Tools.find("valgrind"), let strip = Tools.find("strip") else {
      throw Trouble("valgrind and strip are needed: Scripts/install-packages build bench")
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Valgrind cannot read the debug information of Swift.
    let probe = folder.appending(path: "probe").path
    _ = try Tools.numbers(strip, ["--strip-debug", "-o", probe, Tools.beside("timer-counts")])
    return try operations.flatMap { operation in
      let few = try instructions(valgrind, probe, operation.word, size: sizes[0])
      let many = try instructions(valgrind, probe, operation.word, size: sizes[1])
      let allocations = try sizes.map { try self.allocations(operation.word, size: $0) }
      return [
        Row(
          area: name, name: "\(operation.word), 1e6 beside", unit: "instructions", value: many,
          peer: "1e3 beside", peerValue: few, goal: 1.5),
        Row(
          area: name, name: "\(operation.word), at most", unit: "instructions",
          value: max(few, many), goal: operation.ceiling),
        Row(
          area: name, name: "\(operation.word), at most", unit: "allocations",
          value: allocations.max() ?? .nan, goal: 0.001),
      ]
    }
  }

  /// The instructions of one operation.
  private static func instructions(
    _ valgrind: String, _ probe: String, _ operation: String, size: Int
  ) throws -> Double {
    let totals = try times.map { times in
      try Tools.complaints(
        valgrind,
        [
          "--tool=callgrind", "--callgrind-out-file=/dev/null", probe, operation, "\(size)",
          "\(times)",
        ])
    }.map { lines in
      lines.compactMap { line in
        line.contains("Collected :") ? line.split(separator: " ").last.flatMap { Double($0) } : nil
      }.first
    }
    guard let whole = totals[0], let half = totals[1] else {
      throw Trouble("valgrind did not tell the instructions of \(operation)")
    }
    return (whole - half) / Double(times[0] - times[1])
  }

  /// The allocations of one operation.
  private static func allocations(_ operation: String, size: Int) throws -> Double {
    let totals = try times.map { times in
      try Tools.numbers(Tools.beside("timer-counts"), [operation, "\(size)", "\(times)"])?.first
    }
    guard let whole = totals[0], let half = totals[1] else {
      throw Trouble("timer-counts does not know \(operation)")
    }
    return (whole - half) / Double(times[0] - times[1])
  }
}
