import Foundation

/// Forecasts of recorded runs, replayed in virtual time by `forecast-replay`.
enum Forecast {
  /// Starts the replay.
  ///
  /// - Parameter words: The arguments after `forecast`, which the replay parses.
  /// - Returns: The exit code of the replay.
  /// - Throws: `Trouble` if the program is missing, and the error of starting it.
  static func run(_ words: [String]) throws -> Int32 {
    let program = Tools.beside("forecast-replay")
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Trouble(
        "\(program) is missing: run swift build -c release --package-path Benchmarks")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
