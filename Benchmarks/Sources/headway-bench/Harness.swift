import Foundation

/// An area of the benchmark; each has its own file and is listed in `areas` of `main.swift`.
protocol Area: SendableMetatype {
  /// The argument that selects it.
  static var name: String { get }
  /// Whether the numbers are the same in every run, so that they decide; false by default.
  static var isExact: Bool { get }
  /// Whether only root can measure it, so that it has to be asked for; false by default.
  static var needsRoot: Bool { get }
  /// Measures.
  ///
  /// - Parameter options: The options.
  /// - Returns: The rows, in order.
  /// - Throws: `Trouble` if a program is missing or fails.
  static func measure(_ options: Options) throws -> [Row]
}

extension Area {
  static var isExact: Bool { false }
  static var needsRoot: Bool { false }
}

/// The options of the program.
struct Options: Sendable {
  /// The areas to measure, empty for all.
  var areas: [String] = []
  /// Whether to print rows as JSON.
  var json = false
  /// The number of rounds; the minimum of all rounds counts.
  var rounds = 4
  /// The number of tasks of a plan.
  var tasks = 10_000
  /// The path of the measured binary.
  var headway = ".build-ship/release/headway"
  /// The numbers of timers.
  var sizes = [100_000, 1_000_000, 10_000_000]
  /// Whether to measure less, to get a first impression in seconds.
  var isQuick = false
  /// Whether to count instructions and allocations instead of measuring time, in areas that support it.
  var counts = false
}

/// An error that ends the program.
struct Trouble: Error, CustomStringConvertible {
  /// The message, with advice.
  var description: String

  /// Creates an error.
  init(_ description: String) { self.description = description }
}

/// Invalid arguments.
struct Misunderstanding: Error {
  /// The message.
  var words: String

  init(_ words: String) { self.words = words }
}

/// Measures several things in rounds, so that noise affects all of them equally.
struct Rounds {
  /// The values by name, one for each round.
  private(set) var values: [String: [Double]] = [:]

  /// Runs all measurements in each round, each round starting with another one.
  ///
  /// - Parameters:
  ///   - rounds: The number of rounds.
  ///   - measurements: The measurements; each returns named values.
  /// - Throws: The error of a measurement.
  init(_ rounds: Int, _ measurements: [() throws -> [String: Double]]) throws {
    for round in 0..<rounds {
      for place in measurements.indices {
        for (name, value) in try measurements[(place + round) % measurements.count]() {
          values[name, default: []].append(value)
        }
      }
      FileHandle.standardError.write(Data("round \(round + 1) of \(rounds)\n".utf8))
    }
  }

  /// The minimum value of a name, nil if it was not measured.
  func least(_ name: String) -> Double? { values[name]?.min() }

  /// The maximum value of a name, nil if it was not measured.
  func greatest(_ name: String) -> Double? { values[name]?.max() }
}

/// The programs that a benchmark runs.
enum Tools {
  /// A program of this package, which is in the folder of this one.
  static func beside(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: name).path
  }

  /// The helper program.
  static let helper = beside("bench-helper")

  /// The path of a program in PATH, nil if it is not installed.
  static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs the helper program and parses the numbers that it prints.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - directory: The working directory.
  /// - Returns: The numbers of its line.
  /// - Throws: `Trouble` if it fails.
  static func helper(_ arguments: [String], in directory: URL) throws -> [Double] {
    guard let numbers = try numbers(helper, arguments, in: directory) else {
      throw Trouble("bench-helper \(arguments) reports that something is missing")
    }
    return numbers
  }

  /// Runs a program and parses the numbers that it prints.
  ///
  /// - Parameters:
  ///   - program: The path.
  ///   - arguments: The arguments.
  ///   - directory: The working directory, nil for the current one.
  /// - Returns: The numbers; nil if it exits with 69 because something is missing.
  /// - Throws: `Trouble` if it fails.
  static func numbers(
    _ program: String, _ arguments: [String], in directory: URL? = nil
  ) throws -> [Double]? {
    let process = Process()
    let output = Pipe()
    process.standardOutput = output
    let text = try read(output, of: process, program, arguments, in: directory)
    guard process.terminationStatus != 69 else { return nil }
    guard process.terminationStatus == 0 else {
      let command = ([program] + arguments).joined(separator: " ")
      throw Trouble("\(command) ended with \(process.terminationStatus)")
    }
    return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  }

  /// Runs a program and returns the words that it prints.
  ///
  /// - Parameters:
  ///   - program: The path.
  ///   - arguments: The arguments.
  /// - Returns: The words of its output, none when it fails.
  /// - Throws: The error of starting it.
  static func words(_ program: String, _ arguments: [String]) throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.standardOutput = output
    let text = try read(output, of: process, program, arguments, in: nil)
    guard process.terminationStatus == 0 else { return [] }
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Runs a program and returns its standard error, even if it fails.
  ///
  /// - Parameters:
  ///   - program: The path.
  ///   - arguments: The arguments.
  /// - Returns: The lines.
  /// - Throws: The error of starting it.
  static func complaints(_ program: String, _ arguments: [String]) throws -> [Substring] {
    let process = Process()
    let output = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = output
    return try read(output, of: process, program, arguments, in: nil).split(separator: "\n")
  }

  /// Runs a process to its end and returns its output.
  private static func read(
    _ output: Pipe, of process: Process, _ program: String, _ arguments: [String],
    in directory: URL?
  ) throws -> String {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory }
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The cost of a run of a program.
struct Cost {
  /// The start, in nanoseconds of the monotonic clock.
  var start: Double
  /// The duration, in milliseconds.
  var wall: Double
  /// The processor time of its process tree, in microseconds.
  var cpu: Double
  /// The peak memory of a process of the tree, in megabytes.
  var memory: Double

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - directory: The working directory.
  ///   - terminal: Whether it gets a terminal, whose output is read; otherwise its output is discarded.
  /// - Throws: `Trouble` if it fails.
  init(of command: [String], in directory: URL, terminal: Bool = false) throws {
    let numbers = try Tools.helper(
      ["run"] + (terminal ? ["--pty"] : []) + ["--"] + command, in: directory)
    guard numbers.count == 5, numbers[4] == 0 else {
      throw Trouble("\(command.joined(separator: " ")) ended with \(numbers.last ?? -1)")
    }
    start = numbers[0]
    wall = numbers[1] / 1e6
    cpu = numbers[2]
    memory = numbers[3] / 1024
  }
}
