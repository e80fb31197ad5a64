import Foundation

/// The system calls, instructions and allocations of `headway` for a task of a whole run, which decide.
///
/// A run depends on time, as it forecasts at least once a second: a run that valgrind or other processes slow down counts
/// more forecasts than one that ends within a second. So the instructions are those of a short run, and a count above its
/// limit is repeated, and the least one decides. `launch --counts` counts the instructions of a forecast. The tasks
/// themselves are not counted, only the three processes of the run: the viewer reads each line of the journal again.
extension Spawn {
  /// The maximum number of counts of which the least one decides.
  private static let attempts = 3

  /// Counts.
  ///
  /// - Parameter headway: The path of the binary.
  /// - Returns: A row for each kind of count.
  /// - Throws: `Trouble` if a program is missing or fails.
  static func counts(_ headway: String) throws -> [Row] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The number of tasks is that of the larger of two runs; the other one has half as many, and the difference counts.
    let counters:
      [(unit: String, tasks: Int, ceiling: Double, count: ([String]) throws -> Double)] = [
        ("system calls", 1_000, 22, { try systemCalls($0, in: folder) }),
        ("instructions", 200, 280_000, { try instructions($0) }),
        ("allocations", 1_000, 130, { try allocations($0) }),
      ]
    return try counters.map { counter in
      var least = Double.infinity
      for _ in 0..<attempts where least > counter.ceiling {
        let totals = try [counter.tasks, counter.tasks / 2].map { tasks in
          let plan = folder.appending(path: "plan.yaml").path
          let text = (0..<tasks).map { "  t\($0): { run: /bin/true }\n" }.joined()
          try Data("tasks:\n\(text)".utf8).write(to: URL(filePath: plan))
          try? FileManager.default.removeItem(at: folder.appending(path: ".headway"))
          return try counter.count([headway, "run", plan, "--workers", "2", "--ui", "quiet"])
        }
        least = min(least, (totals[0] - totals[1]) / Double(counter.tasks - counter.tasks / 2))
      }
      return Row(
        area: name, name: "a task of a run, at most", unit: counter.unit, value: least,
        goal: counter.ceiling)
    }
  }

  /// The system calls of all processes that are not tasks.
  private static func systemCalls(_ command: [String], in folder: URL) throws -> Double {
    let file = folder.appending(path: "calls").path
    _ = try Tools.numbers(try program("strace"), ["-f", "-qq", "-o", file] + command)
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    var calls: [Substring: Double] = [:]
    for line in lines {
      guard let process = line.split(separator: " ", maxSplits: 1).first else { continue }
      // Each task begins its own session.
      if line.contains(" setsid(") { calls[process] = -.infinity }
      // The second half of a call that was interrupted.
      if !line.contains(" resumed>") { calls[process, default: 0] += 1 }
    }
    return calls.values.filter { $0 > 0 }.reduce(0, +)
  }

  /// The instructions of the two processes.
  private static func instructions(_ command: [String]) throws -> Double {
    let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
    return try sum(of: "Collected :", in: Tools.complaints(program("valgrind"), options + command))
    {
      $0.split(separator: " ").last
    }
  }

  /// The allocations of the two processes.
  private static func allocations(_ command: [String]) throws -> Double {
    let options = ["--tool=memcheck", "--undef-value-errors=no", "--leak-check=no"]
    return try sum(
      of: "total heap usage:", in: Tools.complaints(program("valgrind"), options + command)
    ) {
      $0.split(separator: ":").last?.split(separator: " ").first
    }
  }

  /// The sum of the numbers in the lines that contain a text.
  private static func sum(
    of text: String, in lines: [Substring], _ number: (Substring) -> Substring?
  ) throws -> Double {
    let numbers = lines.filter { $0.contains(text) }.compactMap { line in
      number(line).flatMap { Double($0.filter { $0 != "," }) }
    }
    guard !numbers.isEmpty else { throw Trouble("valgrind printed no line with '\(text)'") }
    return numbers.reduce(0, +)
  }

  /// The path of a program.
  private static func program(_ name: String) throws -> String {
    guard let path = Tools.find(name) else {
      throw Trouble("\(name) is needed: Scripts/install-packages build bench")
    }
    return path
  }
}
