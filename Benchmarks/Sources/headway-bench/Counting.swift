import Foundation

/// Counts the instructions and allocations of an operation that a program performs many times.
///
/// The program is called as `PROGRAM OPERATION SIZE TIMES` and prints its allocations. The instructions are the
/// difference between callgrind's counts for TIMES and for half as many operations, so nothing else is included.
struct Counting {
  /// The name of the program.
  private let program: String
  /// The path of valgrind.
  private let valgrind: String
  /// The folder of the copy.
  private let folder: URL
  /// A copy of the program without Swift's debug information, which valgrind cannot read.
  private let probe: String

  /// Prepares a program of this package, calls a function with it, and removes the copy.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - body: Counts.
  /// - Returns: The result of the body.
  /// - Throws: `Trouble` if valgrind is missing, and the error of the body.
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
  ///   - operation: The name of the operation.
  ///   - size: The size argument.
  ///   - times: The number of operations, which is compared with half of it.
  /// - Returns: The number for one.
  /// - Throws: `Trouble` if the program fails.
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
      throw Trouble("valgrind did not print the instructions of \(operation)")
    }
    return (whole - half) / Double(times - times / 2)
  }

  /// The allocations of one operation.
  ///
  /// - Parameters:
  ///   - operation: The name of the operation.
  ///   - size: The size argument.
  ///   - times: The number of operations, which is compared with half of it.
  /// - Returns: The number for one.
  /// - Throws: `Trouble` if the program fails.
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
