import Foundation

/// Forecasts of recorded runs, replayed in virtual time by `forecast-replay`, and of real builds.
enum Forecast {
  /// Starts the replay, or with `--real` the real builds.
  ///
  /// - Parameter words: The arguments after `forecast`, which the program that is started parses.
  /// - Returns: The exit code of that program.
  /// - Throws: `Trouble` if the program is missing, and the error of starting it.
  static func run(_ words: [String]) throws -> Int32 {
    if words.first == "--real" {
      guard let python = Tools.find("python3") else { throw Trouble("python3 is missing") }
      let script = BarPeers.path("real_forecasts.py")
      return try start(python, [script, "measure"] + words.dropFirst())
    }
    let program = Tools.beside("forecast-replay")
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Trouble(
        "\(program) is missing: run swift build -c release --package-path Benchmarks")
    }
    return try start(program, words)
  }

  /// Runs a program and returns its exit code.
  private static func start(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
