import Foundation

/// A program that does one operation many times, counted in instructions and allocations.
///
/// It is called as `PROGRAM OPERATION SIZE TIMES` and prints its allocations. The instructions are those that callgrind
/// counts for twice as many operations less those for the half, so that nothing else is in them.
struct Counting {
  /// The name of the program.
  private let program: String
  /// Where valgrind is.
  private let valgrind: String
  /// The folder of the copy.
  private let folder: URL
  /// The copy of the program without what valgrind cannot read: the debug information of Swift.
  private let probe: String

  /// Prepares a program of this package, gives it to a body, and removes what was made for it.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - body: Counts.
  /// - Returns: What the body returns.
  /// - Throws: `Trouble` when valgrind is missing, and what the body throws.
  static func of<Result>(_ program: String, _ body: (Counting) throws -> Result) throws -> Result {
    guard let valgrind = Tools.find("valgrind"), let strip = Tools.find("strip") else {
      throw Trouble("valgrind and strip are needed: Scripts/install-packages build bench")
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let probe = folder.appending(path: "probe").path
    _ = try Tools.numbers(strip, ["--strip-debug", "-o", probe, Tools.beside(program)])
    return try body(
      Counting(program: program, valgrind: valgrind, folder: folder, probe: probe))
  }

  /// The instructions of one operation.
  ///
  /// - Parameters:
  ///   - operation: Its word.
  ///   - size: What it is done with.
  ///   - times: How often it is done; compared with half of it.
  /// - Returns: The number for one.
  /// - Throws: `Trouble` when the program fails.
  func instructions(_ operation: String, size: Int, times: Int) throws -> Double {
    let totals = try [times, times / 2].map { times in
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
    return (whole - half) / Double(times - times / 2)
  }

  /// The allocations of one operation.
  ///
  /// - Parameters:
  ///   - operation: Its word.
  ///   - size: What it is done with.
  ///   - times: How often it is done; compared with half of it.
  /// - Returns: The number for one.
  /// - Throws: `Trouble` when the program fails.
  func allocations(_ operation: String, size: Int, times: Int) throws -> Double {
    let totals = try [times, times / 2].map { times in
      try Tools.numbers(Tools.beside(program), [operation, "\(size)", "\(times)"])?.first
    }
    guard let whole = totals[0], let half = totals[1] else {
      throw Trouble("\(program) does not know \(operation)")
    }
    return (whole - half) / Double(times - times / 2)
  }
}
