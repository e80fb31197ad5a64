import Foundation

/// A part of the benchmark; each lives in a file of its own and stands in `areas` of `main.swift`.
protocol Area: SendableMetatype {
  /// The word on the command line.
  static var name: String { get }
  /// Whether the numbers are the same in every run, so that they decide; false unless an area says so.
  static var isExact: Bool { get }
  /// Measures.
  ///
  /// - Parameter options: What the command line asks for.
  /// - Returns: The rows, in the order in which they are shown.
  /// - Throws: `Trouble` when a program is missing or fails.
  static func measure(_ options: Options) throws -> [Row]
}

extension Area {
  static var isExact: Bool { false }
}

/// What the command line asks for.
struct Options: Sendable {
  /// The areas to measure, all when empty.
  var areas: [String] = []
  /// Whether rows are printed as JSON.
  var json = false
  /// How often everything is measured; the least value of each counts.
  var rounds = 4
  /// The number of tasks of a plan.
  var tasks = 10_000
  /// The binary that is measured.
  var headway = ".build-ship/release/headway"
  /// The numbers of timers.
  var sizes = [100_000, 1_000_000, 10_000_000]
  /// Whether less is measured, so that a first impression takes seconds.
  var isQuick = false
  /// Whether instructions and allocations are counted instead of time, where an area can do that.
  var counts = false
}

/// A reason to stop, told to the person at the keyboard.
struct Trouble: Error, CustomStringConvertible {
  /// What went wrong and what to do.
  var description: String

  /// Creates a reason.
  init(_ description: String) { self.description = description }
}

/// Words of the command line that are not understood.
struct Misunderstanding: Error {
  /// What is wrong with them.
  var words: String

  /// Creates one.
  init(_ words: String) { self.words = words }
}

/// Measures several things round by round, so that a noisy minute hits all of them alike.
struct Rounds {
  /// The measured values by name, one for each round.
  private(set) var values: [String: [Double]] = [:]

  /// Runs all measurements in each round, starting with another one each time.
  ///
  /// - Parameters:
  ///   - rounds: The number of rounds.
  ///   - measurements: What to run; each answers with named values.
  /// - Throws: What a measurement throws.
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

  /// The least value of a name, nil when nothing of that name was measured.
  func least(_ name: String) -> Double? { values[name]?.min() }

  /// The greatest value of a name, nil when nothing of that name was measured.
  func greatest(_ name: String) -> Double? { values[name]?.max() }
}

/// The programs that a benchmark runs.
enum Tools {
  /// A program of this package, which stands beside this one.
  static func beside(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: name).path
  }

  /// The helper.
  static let helper = beside("bench-helper")

  /// Where a program of the PATH is, nil when it is not installed.
  static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs the helper and reads the numbers that it prints.
  ///
  /// - Parameters:
  ///   - arguments: Its mode and what belongs to it.
  ///   - directory: The folder that it runs in.
  /// - Returns: The numbers of its line.
  /// - Throws: `Trouble` when it fails.
  static func helper(_ arguments: [String], in directory: URL) throws -> [Double] {
    guard let numbers = try numbers(helper, arguments, in: directory) else {
      throw Trouble("bench-helper \(arguments) says that something is missing")
    }
    return numbers
  }

  /// Runs a program and reads the numbers that it prints.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: Its arguments.
  ///   - directory: The folder that it runs in, nil for this one.
  /// - Returns: The numbers of its output, nil when it ends with 69 because something is missing.
  /// - Throws: `Trouble` when it fails.
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

  /// Runs a program and reads the words that it prints.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: Its arguments.
  /// - Returns: The words of its output, none when it fails.
  /// - Throws: What starting it throws.
  static func words(_ program: String, _ arguments: [String]) throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.standardOutput = output
    let text = try read(output, of: process, program, arguments, in: nil)
    guard process.terminationStatus == 0 else { return [] }
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Runs a program and reads what it says on its error output, however it ends.
  ///
  /// - Parameters:
  ///   - program: Its path.
  ///   - arguments: Its arguments.
  /// - Returns: The lines.
  /// - Throws: What starting it throws.
  static func complaints(_ program: String, _ arguments: [String]) throws -> [Substring] {
    let process = Process()
    let output = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = output
    return try read(output, of: process, program, arguments, in: nil).split(separator: "\n")
  }

  /// Runs a process to its end and reads what it writes to a pipe.
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

/// What a run of a program cost.
struct Cost {
  /// When it was started, in nanoseconds of the monotonic clock.
  var start: Double
  /// The time that it took, in milliseconds.
  var wall: Double
  /// The processor time of it and of everything below it, in microseconds.
  var cpu: Double
  /// The most memory that it or anything below it had at once, in megabytes.
  var memory: Double

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - directory: The folder that it runs in.
  ///   - terminal: Whether it gets a terminal, which is drained; otherwise its output is thrown away.
  /// - Throws: `Trouble` when it fails.
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
